"""A kustomization names a file outside its own folder, which Kustomize refuses to read.

Kustomize loads files (manifests, patches, values for generators) only from the folder
of the kustomization that names them, or from below it: "security; file … is not in or
below …". A folder with a kustomization may be anywhere in the repository; a file may
not. The build of every Application that uses the kustomization fails.

Argo CD lifts this where kustomize.buildOptions in argocd-cm has
--load-restrictor LoadRestrictionsNone. If such a setting is in the repository
(argocd-cm, a patch of it, values of its chart, the ArgoCD object of the operator) the
files are read and nothing is reported. Flux builds without the restriction, so
nothing is said of what only Flux builds.

Where no Application of the repository is known, it is a warning; where some are and none of
them builds it, a note, and a warning if a set that cannot be expanded may have it built.

Fix: put a kustomization beside the file and name that folder as a base or, for a
patch, as a component; or move the file. Lifting the restriction for the whole of
Argo CD is the last resort.

See: argo-cd#6805, kubeflow/community-distribution#1583, https://kubectl.docs.kubernetes.io/faq/kustomize/, https://github.com/fluxcd/pkg/blob/main/kustomize/kustomize_generator.go

Bad:
    # overlays/prod/kustomization.yaml
    resources:
      - ../../base/service.yaml  # <- here
    ---
    # base/service.yaml
    apiVersion: v1
    kind: Service
    metadata:
      name: shop
Good:
    # overlays/prod/kustomization.yaml
    resources:
      - ../../base
    ---
    # base/kustomization.yaml
    resources:
      - service.yaml
    ---
    # base/service.yaml
    apiVersion: v1
    kind: Service
    metadata:
      name: shop
"""

from collections.abc import Iterator

from ...linter.api import Finding, Moment, Repo, Severity, rule
from ...linter.repo.sources.build_refusals import Cause


@rule("GL711", Severity.ERROR, Moment.SYNC, any_tool=False)
def check(repo: Repo) -> Iterator[Finding]:
    for refusal in repo.kustomize.refusals(Cause.OUTSIDE_ROOT):
        yield Finding(
            refusal.error.at,
            headline=refusal.error.message,
            happens=f"Kustomize reads no files from there: {refusal.continued}.",
            do="Put a kustomization beside the file and name its folder, or move the file here.",
            severity=refusal.severity,
        )
