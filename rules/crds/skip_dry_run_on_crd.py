"""SkipDryRunOnMissingResource=true on a CRD does nothing: it belongs on the custom resources.

The option tells Argo CD not to try out an object whose kind the cluster does not know yet. The kind of a
CRD, CustomResourceDefinition, is always known; what cannot be tried out before the CRD is there are the custom
resources, and these are not looked up in the CRD's annotations. Within one Application nothing is needed:
Argo CD sees that the CRD is among the objects to apply. Where the CRD comes from another Application, the option
goes on the custom resource, or (Argo CD 3.1 and later) among the Application's syncOptions.

Fix: take the option away; the fix is safe, since it has no effect. Add it to the custom resources if
they live in another Application than the CRD.

See: https://argo-cd.readthedocs.io/en/stable/user-guide/sync-options/, argo-cd#2873

Bad:
    apiVersion: apiextensions.k8s.io/v1
    kind: CustomResourceDefinition
    metadata:
      name: backups.shop.example.com
      annotations:
        argocd.argoproj.io/sync-options: SkipDryRunOnMissingResource=true,ServerSideApply=true  # <- here
Good:
    apiVersion: apiextensions.k8s.io/v1
    kind: CustomResourceDefinition
    metadata:
      name: backups.shop.example.com
      annotations:
        argocd.argoproj.io/sync-options: ServerSideApply=true
"""

from collections.abc import Iterator
from typing import Final

from ...linter.api import Finding, Fix, Moment, Node, Patch, Resource, Severity, rule
from ...linter.dialects.spelling import without
from ...linter.kubernetes.annotations.hooks import SYNC_OPTIONS

OPTION: Final = "SkipDryRunOnMissingResource=true"


@rule("GL305", Severity.NOTE, Moment.INSTALL, kinds="CustomResourceDefinition", literal=True, of_fetched=False)
def check(crd: Resource) -> Iterator[Finding]:
    if crd.is_crd and OPTION in crd.sync_options:
        annotation = crd.annotation(SYNC_OPTIONS)
        yield Finding(
            annotation,
            headline=f"{OPTION} does nothing on {crd}",
            happens="A CRD is a kind that every cluster has; the option counts for the custom resources only.",
            do="Take it away here, and set it for the custom resources if another Application has them.",
            fixes=(Fix("take the option away", _without_option(annotation), safe=True),),
        )


def _without_option(annotation: Node) -> Patch:
    left = without(annotation.text, {OPTION})
    if left:
        return annotation.set(left)
    annotations = annotation.parent
    if annotations is not None and sum(1 for _ in annotations.items()) == 1:
        return annotations.remove()
    return annotation.remove()
