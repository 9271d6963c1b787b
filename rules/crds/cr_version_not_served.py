"""A custom resource in a version that its CRD does not serve cannot be applied.

A CRD lists versions and says of each whether it is served. For an object of another version there is no API: "The
Kubernetes API could not find version v1beta1 of ...", and the sync fails; if the CRD is not part of the same
Application, the whole sync is refused before anything is applied. Usually the operator was updated, and its new CRD
dropped an old version that manifests still use.

It is an error if the CRD in the repository does not serve the version, or if the repository names a release of
the operator (chart, image, link to a release) that is known not to. The CRD of the same Application counts
first; else all CRDs of the kind in the repository have to agree. For well-known operators whose release the
repository does not show it is a note, one for all objects of a kind: the newest release that was looked at does not
serve the version.

Fix: write the object for a version that is served. The fix offered changes only apiVersion and is unsafe, since the
fields may have changed, too.

See: https://github.com/argoproj/argo-cd/blob/master/util/argo/argo.go, argo-cd#9145

Bad:
    apiVersion: apiextensions.k8s.io/v1
    kind: CustomResourceDefinition
    metadata:
      name: backups.shop.example.com
    spec:
      group: shop.example.com
      names: {kind: Backup, plural: backups}
      scope: Namespaced
      versions:
        - name: v1
          served: true
          storage: true
        - name: v1beta1
          served: false
          storage: false
    ---
    apiVersion: shop.example.com/v1beta1  # <- here
    kind: Backup
    metadata:
      name: nightly
Good:
    apiVersion: apiextensions.k8s.io/v1
    kind: CustomResourceDefinition
    metadata:
      name: backups.shop.example.com
    spec:
      group: shop.example.com
      names: {kind: Backup, plural: backups}
      scope: Namespaced
      versions:
        - name: v1
          served: true
          storage: true
        - name: v1beta1
          served: false
          storage: false
    ---
    apiVersion: shop.example.com/v1
    kind: Backup
    metadata:
      name: nightly
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from ...linter.api import Confidence, Finding, Fix, Moment, Note, Repo, Resource, Severity, rule
from ...linter.kubernetes.crds import Schemas, Unserved, unserved_by, unserved_by_operator


@rule("GL303", Severity.ERROR, Moment.SYNC, literal=True, any_tool=True)
def check(repo: Repo) -> Iterator[Finding]:
    schemas = repo.apps[0].schemas if repo.apps else Schemas()
    maybe: dict[tuple[str, str], list[tuple[Resource, Unserved]]] = defaultdict(list)
    for resource in repo.resources:
        if "." not in resource.group:
            continue
        crds = _definitions(repo, resource, schemas)
        unserved = unserved_by(resource, crds) if crds else unserved_by_operator(resource, schemas)
        if unserved is None or not repo.is_applied(resource):
            continue
        if unserved.certain:
            yield _finding(resource, unserved)
        else:
            maybe[resource.api_version, resource.kind].append((resource, unserved))
    for found in maybe.values():
        first, unserved = min(found, key=lambda one: (one[0].file.path, one[0]["apiVersion"].span))
        yield _finding(first, unserved, len(found))


def _definitions(repo: Repo, resource: Resource, schemas: Schemas) -> Sequence[Resource]:
    known = schemas.definitions(resource.group_kind)
    if len(known) < 2:
        return known
    own = [app.crd_of(resource) for app in repo.apps_with(resource)]
    return [crd for crd in own if crd is not None] or known


def _finding(resource: Resource, unserved: Unserved, objects: int = 1) -> Finding:
    best = unserved.served[0]
    until = f" (the last to do so was {unserved.until})" if unserved.until else ""
    many = f" and {objects - 1} more of them" if objects > 1 else ""
    message = (
        f"{unserved.by} does not serve {resource.version} of {resource.kind}{until} but {', '.join(unserved.served)};"
        f" {resource}{many} cannot be applied {'and the sync fails' if unserved.certain else 'there'}"
    )
    api_version = resource["apiVersion"]
    return Finding(
        api_version,
        message,
        (Fix(f"use {best}", api_version.set(f"{resource.group}/{best}"), safe=False),) if objects == 1 else (),
        (Note(unserved.definition["kind"], "its definition is here"),) if unserved.definition else (),
        severity=Severity.ERROR if unserved.certain else Severity.NOTE,
        confidence=Confidence.HIGH if unserved.certain else Confidence.LOW,
    )
