"""A selector that changes cannot be applied: the API server keeps it as it was made.

The `spec.selector` of a Deployment, DaemonSet, StatefulSet or ReplicaSet cannot be changed
once the object exists. The sync fails with `spec.selector: Invalid value: ... field is
immutable`, again at every retry, and the rest of what was merged is not applied, either,
where it comes in a later wave. A label that a kustomization adds to everything, or a chart
that names itself otherwise, is enough.

It is a warning where the object has Force=true (Argo CD 2.12 and later) and is not applied
server-side: it is then deleted and created anew, and all of its pods stop at once. Objects
that get another name, namespace or cluster are new ones and are left alone.

Fix: keep the selector, and put new labels on the pod template only (in a kustomization
`labels` without includeSelectors instead of `commonLabels`). If it has to change, give the
object another name and remove the old one later, or delete it by hand before the sync:
`kubectl delete --cascade=orphan` leaves its pods running.

See: argo-cd#12439, thoth-station/thoth-application#274, iter8-tools/iter8#807

Bad:
    # before: web.yaml
    apiVersion: apps/v1
    kind: Deployment
    metadata:
      name: web
    spec:
      selector:
        matchLabels:
          app: web
      template:
        metadata:
          labels:
            app: web
    # web.yaml
    apiVersion: apps/v1
    kind: Deployment
    metadata:
      name: web
    spec:
      selector:
        matchLabels:
          app: shop-web  # <- here
      template:
        metadata:
          labels:
            app: shop-web
Good:
    # before: web.yaml
    apiVersion: apps/v1
    kind: Deployment
    metadata:
      name: web
    spec:
      selector:
        matchLabels:
          app: web
      template:
        metadata:
          labels:
            app: web
    # web.yaml
    apiVersion: apps/v1
    kind: Deployment
    metadata:
      name: web
    spec:
      selector:
        matchLabels:
          app: web
      template:
        metadata:
          labels:
            app: web
            team: shop
"""

from collections.abc import Iterator
from typing import Any, Final

from ...linter.change import Change, ObjectChange
from ...linter.resource import Resource
from ...linter.rule import Finding, Note, Severity, rule
from ...linter.source import Node

KINDS: Final = frozenset(("apps/Deployment", "apps/DaemonSet", "apps/StatefulSet", "apps/ReplicaSet"))


@rule("GL901", Severity.ERROR)
def check(change: Change) -> Iterator[Finding]:
    for one in change.objects:
        if one.identity is None or one.before is None or one.after is None or one.after.group_kind not in KINDS:
            continue
        before, after = _selector(one.before), _selector(one.after)
        if not one.after.is_hook and before and after and before != after:
            yield _finding(one, one.after, before, after)


def _selector(resource: Resource) -> Any:
    """As it is stored: what is empty is not there."""
    value = resource["spec"]["selector"].value
    return {key: part for key, part in value.items() if part} if isinstance(value, dict) else None


def _finding(change: ObjectChange, after: Resource, before_value: Any, after_value: Any) -> Finding:
    place = _changed_place(after["spec"]["selector"], before_value, after_value)
    options = change.after_app.effective(after) if change.after_app else None
    if options and options.force and not options.server_side_apply:
        consequence = "Force=true deletes it and creates it anew, so all of its pods stop at once"
        severity = Severity.WARNING
    else:
        consequence = "the API server refuses to change it, so the sync fails until the object is deleted by hand"
        severity = Severity.ERROR
    written = f"{_words(before_value)} becomes {_words(after_value)}"
    note = Note(after["kind"], "of this object")
    return Finding(
        place, f"the selector of {after} changes, {written}; {consequence}", related=(note,), severity=severity
    )


def _changed_place(selector: Node, before: Any, after: Any) -> Node:
    """The first label that is new or other than before, else the list it is missing from."""
    for part, node in selector.items():
        old, new = before.get(part), after.get(part)
        if old == new or not new:
            continue
        if isinstance(new, dict) and isinstance(old, dict):
            return next((label for key, label in node.items() if old.get(key) != new.get(key)), node)
        return node
    return selector


def _words(selector: Any) -> str:
    labels = selector.get("matchLabels")
    texts = [f"{key}={value}" for key, value in labels.items()] if isinstance(labels, dict) else []
    expressions = selector.get("matchExpressions")
    count = len(expressions) if isinstance(expressions, list) else 0
    texts += [f"{count} expression{'s' * (count != 1)}"] * bool(count)
    return ", ".join(texts) or "another one"
