"""A custom resource in a version that its CRD does not serve cannot be applied.

A CRD lists versions and says of each whether it is served. For an object of another version there is no API: "The
Kubernetes API could not find version ... of ...", and the sync fails; if the CRD is not part of the same
Application, the whole sync is refused before anything is applied. Usually the operator was updated, and its new CRD
dropped an old version that manifests still use.

It is an error if the CRD that is for the same cluster does not serve the version: the one of the same Application, or
of another Application with that destination; and if the repository names a release of the operator (chart, image, link
to a release) that is known not to. A CRD of the repository that may be for another cluster makes it a note; so does,
for well-known operators whose release the repository does not show, the newest release that was looked at: it bites
when the operator is brought up to date.

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

from ...linter.api import Cause, Confidence, Finding, Fix, Moment, Note, Repo, Resource, Severity, and_more, rule
from ...linter.kubernetes.crds import Schemas, Unserved, operator_of, unserved_by, unserved_by_operator


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
        if unserved.definition and not repo.are_for_one_cluster(resource, unserved.definition):
            unserved = unserved._replace(certain=False)
        if unserved.certain:
            yield _finding(resource, unserved)
        else:
            maybe[resource.api_version, resource.kind].append((resource, unserved))
    for found in maybe.values():
        first, unserved = min(found, key=lambda one: (one[0].file.path, one[0]["apiVersion"].span))
        yield _doubtful(first, unserved, len(found))


def _definitions(repo: Repo, resource: Resource, schemas: Schemas) -> Sequence[Resource]:
    known = schemas.definitions(resource.group_kind)
    if len(known) < 2:
        return known
    own = [app.crd_of(resource) for app in repo.apps_with(resource)]
    return [crd for crd in own if crd is not None] or known


def _finding(resource: Resource, unserved: Unserved) -> Finding:
    return Finding(
        resource["apiVersion"],
        headline=f"{resource} has {resource.version}, which {unserved.by} does not serve",
        happens=f"The API server has no such version{_until(unserved)}, so it cannot be applied and the sync fails.",
        do=f"Write it for {' or '.join(unserved.served)}; fields may have changed.",
        fixes=_fixes(resource, unserved),
        related=_related(unserved),
    )


def _doubtful(resource: Resource, unserved: Unserved, objects: int) -> Finding:
    many = and_more(objects - 1)
    when = "On a cluster with that CRD" if unserved.definition else "Once the operator is brought up to date"
    return Finding(
        resource["apiVersion"],
        headline=f"{resource}{many}: {unserved.by.rstrip(',')} does not serve {resource.version}",
        happens=f"{when} it cannot be applied, and the sync fails{_until(unserved)}.",
        do=f"Write it for {' or '.join(unserved.served)}; fields may have changed.",
        fixes=_fixes(resource, unserved) if objects == 1 else (),
        related=_related(unserved),
        severity=Severity.NOTE,
        moment=Moment.SYNC if unserved.definition else Moment.UPGRADE,
        confidence=Confidence.LOW,
        cause=None if unserved.definition else Cause(f"operator {operator_of(resource.group_kind)}"),
    )


def _until(unserved: Unserved) -> str:
    return f" (the last to serve it was {unserved.until})" if unserved.until else ""


def _fixes(resource: Resource, unserved: Unserved) -> tuple[Fix, ...]:
    best = unserved.served[0]
    return (Fix(f"use {best}", resource["apiVersion"].set(f"{resource.group}/{best}"), safe=False),)


def _related(unserved: Unserved) -> tuple[Note, ...]:
    return (Note(unserved.definition["kind"], "its definition is here"),) if unserved.definition else ()
