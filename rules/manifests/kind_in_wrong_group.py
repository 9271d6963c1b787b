"""The API group of an object does not have its kind.

The groups of Kubernetes itself are closed: nobody can add a kind to them. `apps/v1` has no
Service, `v1` no Ingress and `batch/v1` no Deployment, in any release. Argo CD asks the cluster
which resources there are, finds no such kind and refuses the whole sync, also with
SkipDryRunOnMissingResource=true: then the object itself fails.

Kinds that a release has removed are told by `removed-api-version`. A kind that no built-in group
has (a typing error, or a file that is no manifest) is told only where an Application, a
kustomization or a chart brings the object.

Fix: write the group that has the kind. The fix offered does so where there is only one. It is
unsafe: the object is created then.

See: https://kubernetes.io/docs/reference/generated/kubernetes-api/

Bad:
    apiVersion: apps/v1  # <- here
    kind: Service
    metadata:
      name: shop
    spec:
      ports:
        - port: 80
Good:
    apiVersion: v1
    kind: Service
    metadata:
      name: shop
    spec:
      ports:
        - port: 80
"""

from collections.abc import Iterator
from typing import Final

from ...linter.api import Confidence, Finding, Fix, Moment, Repo, Resource, Severity, regex, rule
from ...linter.dialects.spelling import is_placeholder, meant
from ...linter.facts.tables import builtin_kinds
from ...linter.helm.masked_templates import is_unknown
from ...linter.kubernetes.validation.checked import BUILTIN
from ...linter.kubernetes.validation.shapes import field_types

VIEWS: Final = "authorization.openshift.io"
"""A group of OpenShift that shows what is kept in Kubernetes' own."""
RBAC: Final = "rbac.authorization.k8s.io/v1"
MOVED: Final = {
    **{(VIEWS, kind): RBAC for kind in ("ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding")},
    ("observability.openshift.io", "ClusterLogging"): "logging.openshift.io/v1",
}
VERSION: Final = regex(r"v\d+(?:(?:alpha|beta)\d+)?")
"""What a version of Kubernetes looks like; `builtin`, the group of Kustomize's own transformers, is none."""


@rule("GL025", Severity.ERROR, Moment.SYNC, literal=True)
def check(repo: Repo) -> Iterator[Finding]:
    for resource in repo.resources:
        home = MOVED.get((resource.group, resource.kind))
        if home is not None:
            yield _moved(resource, home)
            continue
        kinds = builtin_kinds().get(resource.group)
        if kinds is None or resource.kind in kinds or not VERSION.fullmatch(resource.version):
            continue
        if resource.kind.endswith("List") or is_placeholder(resource.kind) or is_unknown(resource.kind):
            continue
        homes = _homes(resource.kind)
        if homes or repo.is_brought(resource):
            yield _finding(resource, homes)


def _moved(resource: Resource, home: str) -> Finding:
    is_view = resource.group == VIEWS
    return Finding(
        resource["apiVersion"],
        headline=f"{resource} belongs into {home}, not into {resource.group}",
        happens="OpenShift shows it there, too, but keeps it in the other group: Argo CD goes on syncing it."
        if is_view
        else "Argo CD finds no such kind in the cluster, and every sync fails.",
        do=f"Write apiVersion: {home}.",
        fixes=(Fix(f"write {home}", resource["apiVersion"].set(home)),),
        severity=Severity.WARNING if is_view else Severity.ERROR,
        confidence=Confidence.MEDIUM,
    )


def _homes(kind: str) -> list[str]:
    """The versions that have the kind, the best of each group: a stable one before a beta, a beta before an alpha."""
    best: dict[str, str] = {}
    for name in field_types(BUILTIN, None).kinds:
        api_version, _, there = name.rpartition("/")
        if there == kind:
            group = api_version.rpartition("/")[0]
            best[group] = min((best.get(group, api_version), api_version), key=lambda one: (_draft(one), one))
    return sorted(one for one in best.values() if not one.startswith("extensions/")) or sorted(best.values())


def _draft(api_version: str) -> int:
    """How far it is from a released version."""
    return 2 if "alpha" in api_version else int("beta" in api_version)


def _finding(resource: Resource, homes: list[str]) -> Finding:
    typo = "" if homes else meant(resource.kind, builtin_kinds()[resource.group]) or ""
    if homes:
        advice = f"Write apiVersion: {' or '.join(homes)}."
    else:
        advice = f"Write kind: {typo}." if typo else "Correct its apiVersion or its kind."
    fixes = (Fix(f"write {homes[0]}", resource["apiVersion"].set(homes[0])),) if len(homes) == 1 else ()
    return Finding(
        resource["apiVersion"],
        headline=f"{resource.api_version} has no kind {resource.kind}",
        happens="Argo CD finds no such kind in the cluster, and every sync fails.",
        do=advice,
        fixes=fixes,
        confidence=Confidence.HIGH if homes or typo else Confidence.MEDIUM,
    )
