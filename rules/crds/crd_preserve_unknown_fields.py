"""preserveUnknownFields in a CRD of v1: Argo CD shows the CRD as OutOfSync for ever.

In apiextensions.k8s.io/v1 spec.preserveUnknownFields can only be false, which is what it is anyhow, and
the API server does not store it. So the field is in git and never in the cluster. Argo CD 2.x ignored this
difference; since 3.0 it does not, and the CRD is OutOfSync after every sync. Old versions of controller-gen and
many charts write the field. The value true is an error: the API server refuses the CRD.

Silent where the Application compares with ServerSideDiff=true (or the controller does), and where
ignoreDifferences covers the field, and about a patch, which is no CRD. On Argo CD before 3.0 it is a note.

Fix: take the line away. The fix is safe, since false is what the API server uses without it. To let an
object keep fields that its schema does not have, set x-kubernetes-preserve-unknown-fields in the schema.

See: https://argo-cd.readthedocs.io/en/stable/operator-manual/upgrading/2.14-3.0/, suxess-it/kubriX#1296

Bad:
    apiVersion: apiextensions.k8s.io/v1
    kind: CustomResourceDefinition
    metadata:
      name: backups.shop.example.com
    spec:
      group: shop.example.com
      preserveUnknownFields: false  # <- here
      scope: Namespaced
Good:
    apiVersion: apiextensions.k8s.io/v1
    kind: CustomResourceDefinition
    metadata:
      name: backups.shop.example.com
    spec:
      group: shop.example.com
      scope: Namespaced
"""

from collections.abc import Iterator

from ...linter.api import App, Finding, Fix, Moment, Node, Repo, Resource, Severity, rule


@rule("GL306", Severity.WARNING, Moment.SYNC, of_fetched=False)
def check(repo: Repo) -> Iterator[Finding]:
    for crd in repo.resources:
        if not crd.is_crd or crd.version != "v1" or crd["spec"]["group"].absent:  # without it, it is a patch
            continue
        field = crd["spec"]["preserveUnknownFields"]
        if field.value is True:
            yield Finding(
                field,
                headline=f"{crd} has preserveUnknownFields: true",
                happens=f"{crd.api_version} allows only false: the API server refuses the CRD, and the sync fails.",
                do="Set x-kubernetes-preserve-unknown-fields in the schema instead.",
                severity=Severity.ERROR,
            )
        elif field.value is False and not crd.is_hook and not _is_never_shown(repo, crd):
            yield _drifts(crd, field)


def _drifts(crd: Resource, field: Node) -> Finding:
    before = crd.versions.lacks("crd-unknown-fields-compared")
    when = (
        "From Argo CD 3.0 on it will be OutOfSync for ever" if before else "Since Argo CD 3.0 it is OutOfSync for ever"
    )
    return Finding(
        field,
        headline=f"{crd} has preserveUnknownFields: false",
        happens=f"The API server does not store it. {when}, for the field is only in git.",
        do="Leave the field out; false is what counts without it.",
        fixes=(Fix("leave it out", field.remove(), safe=True),),
        severity=Severity.NOTE if before else None,
    )


def _is_never_shown(repo: Repo, crd: Resource) -> bool:
    apps = repo.apps_with(crd)
    return bool(apps) and all(_ignores(app, crd, repo) for app in apps)


def _ignores(app: App, crd: Resource, repo: Repo) -> bool:
    return app.options_for(crd).asks_server or repo.argocd.ignores(app, crd, ("spec", "preserveUnknownFields"))
