"""The role of a RoleBinding or ClusterRoleBinding changes, which no binding can do.

roleRef is decided when a binding is made; the API server answers `cannot change roleRef`. Argo CD
gets round it where it applies the binding client-side: it runs `kubectl auth reconcile` first, which
deletes the binding and makes it anew. In between its subjects have no rights: a warning.

With server-side apply (at the latest since Argo CD 3.5) and with Replace=true that step is left
out, so the sync fails, again at every retry: an error; with server-side diff already the comparison of
the Application fails. Where no Application is known it is an error
as well, since whoever applies it by kubectl fails. A roleRef that only writes out its apiGroup
is no change.

Fix: give the new binding another name and remove the old one afterwards: nobody is without rights
in between.

See: argo-cd#27601, kubernetes/kubernetes#66353, https://kubernetes.io/docs/reference/access-authn-authz/rbac/

Bad:
    # before: deployer.yaml
    apiVersion: rbac.authorization.k8s.io/v1
    kind: RoleBinding
    metadata:
      name: deployer
    roleRef:
      apiGroup: rbac.authorization.k8s.io
      kind: ClusterRole
      name: view
    # deployer.yaml
    apiVersion: rbac.authorization.k8s.io/v1
    kind: RoleBinding
    metadata:
      name: deployer
    roleRef:
      apiGroup: rbac.authorization.k8s.io
      kind: ClusterRole
      name: edit  # <- here
Good:
    # before: deployer.yaml
    apiVersion: rbac.authorization.k8s.io/v1
    kind: RoleBinding
    metadata:
      name: deployer
    roleRef:
      apiGroup: rbac.authorization.k8s.io
      kind: ClusterRole
      name: view
    # deployer.yaml
    apiVersion: rbac.authorization.k8s.io/v1
    kind: RoleBinding
    metadata:
      name: deployer-edit
    roleRef:
      apiGroup: rbac.authorization.k8s.io
      kind: ClusterRole
      name: edit
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from ...linter.api import Change, Confidence, Finding, Moment, Node, Resource, Severity, by_line, rule, sentence
from ...linter.change.immutable import Rewritten, answer, difference, others, outcome, rewritten

GROUP: Final = "rbac.authorization.k8s.io"
KINDS: Final = (f"{GROUP}/RoleBinding", f"{GROUP}/ClusterRoleBinding")
WITHOUT_RIGHTS: Final = "so that its subjects have no rights for a moment"
REMEDY: Final = "Give the new binding another name, and remove the old one afterwards."


@rule("GL906", Severity.WARNING, Moment.SYNC)
def check(change: Change) -> Iterator[Finding]:
    found: list[tuple[Node, Rewritten]] = []
    for pair in rewritten(change):
        before, after = _role(pair.before), _role(pair.after)
        if pair.kind in KINDS and before and after and before != after:
            found.append((difference(pair.before, pair.after, ("roleRef",), before, after).at, pair))
    for place, together in by_line(found):
        yield _finding(place, together)


def _role(binding: Resource) -> Any:
    value = binding["roleRef"].value
    return {"apiGroup": GROUP, **{key: one for key, one in value.items() if one}} if isinstance(value, dict) else None


def _finding(place: Node, together: Sequence[Rewritten]) -> Finding:
    pair = together[0]
    options, result = pair.app.options_for(pair.after), outcome(pair.after, pair.app)
    old, new = (f"{one['roleRef']['kind'].text} {one['roleRef']['name'].text!r}" for one in (pair.before, pair.after))
    what = f"the role of {pair.after}{others(together)} changes from {old} to {new}"
    if result.recreated:
        return Finding(place, headline=what, happens=sentence(f"{result.words}, {WITHOUT_RIGHTS}"), do=REMEDY)
    reconciled = not (options.server_side_apply or options.replace) or pair.after.versions.argocd_before("3.5")
    if pair.app.application is not None and reconciled and result.compared:
        happens = f"Argo CD deletes the binding and makes it anew, {WITHOUT_RIGHTS}."
        return Finding(place, headline=what, happens=happens, do=REMEDY)
    certain = pair.app.application is None or not result.compared or pair.after.versions.argocd_at_least("3.5")
    older = "" if certain else " (older Argo CD deletes the binding and makes it anew)"
    return Finding(
        place,
        headline=what,
        happens=sentence(f"{answer('cannot change roleRef', result)}{older}"),
        do=REMEDY,
        severity=Severity.ERROR,
        confidence=Confidence.HIGH if certain else Confidence.MEDIUM,
    )
