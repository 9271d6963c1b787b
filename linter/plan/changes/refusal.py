"""Changes that the API server refuses, or that Argo CD makes by deleting and creating anew: one function to ask."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from ...change.immutable import Rewritten, frozen_custom_fields, frozen_fields, outcome
from ...kubernetes.resource import Resource
from ...repo.app import App

_CONTENT: Final = {"ConfigMap": ("data", "binaryData"), "Secret": ("data", "stringData")}
_BINDINGS: Final = ("rbac.authorization.k8s.io/RoleBinding", "rbac.authorization.k8s.io/ClusterRoleBinding")


_ROLE: Final = "roleRef"


class Refusal(NamedTuple):
    field: str
    """The first field that cannot be changed."""
    recreates: bool
    """The object is deleted and created anew instead."""
    words: str


def refusal_of(before: Resource, after: Resource, app: App) -> Refusal | None:
    """None where the change is taken."""
    field = next(_fixed(before, after, app), "")
    if not field:
        return None
    if field == _ROLE and _is_reconciled(after, app):
        return Refusal(field, True, "roleRef cannot be changed: Argo CD deletes the binding and makes it anew")
    result = outcome(after, app)
    answer = "" if result.recreated else "the API server refuses it, and "
    return Refusal(field, result.recreated, f"{field} cannot be changed: {answer}{result.words}")


def _fixed(before: Resource, after: Resource, app: App) -> Iterator[str]:
    """Without what only the cluster can tell."""
    if before["immutable"].value is True:
        for key in _CONTENT.get(after.group_kind, ()):
            if before[key].value != after[key].value:
                yield f"{key} (it is immutable)"
    if after.group_kind in _BINDINGS and before["roleRef"].value != after["roleRef"].value:
        yield _ROLE
    pair = Rewritten(before, after, app, app)
    for frozen in (*frozen_fields(pair, None), *frozen_custom_fields(pair)):
        if frozen.certain:
            yield frozen.field


def _is_reconciled(binding: Resource, app: App) -> bool:
    """Argo CD runs `kubectl auth reconcile` before a client-side apply."""
    options = app.options_for(binding)
    return options.known and not (options.server_side_apply or options.replace or options.asks_server)
