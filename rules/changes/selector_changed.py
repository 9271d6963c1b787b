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

from collections.abc import Iterator, Sequence
from typing import Any

from ...linter.api import Change, Finding, Moment, Node, Note, Severity, by_line, rule, sentence
from ...linter.change.immutable import Frozen, Rewritten, answer, frozen_fields, others, outcome, place_of, rewritten


@rule("GL901", Severity.ERROR, Moment.SYNC)
def check(change: Change) -> Iterator[Finding]:
    found = [
        (place_of(pair, frozen.difference.at), (pair, frozen))
        for pair in rewritten(change)
        for frozen in frozen_fields(pair, "selector-changed")
        if _selector(pair.before.node) and _selector(pair.after.node)
    ]
    for place, together in by_line(found):
        yield _finding(place, together)


def _finding(place: Node, together: Sequence[tuple[Rewritten, Frozen]]) -> Finding:
    pair, frozen = together[0]
    result = outcome(pair.after, pair.app)
    if result.recreated:
        happens, do = f"{result.words}, so all of its pods stop at once", "Keep the selector, if they must not."
    else:
        happens = answer(frozen.says, result)
        do = (
            "Keep the selector and put new labels on the pod template only, or delete the"
            f" {pair.after.kind} by hand before the sync (--cascade=orphan leaves its pods running)."
        )
    return Finding(
        place,
        headline=f"the selector of {pair.after}{others([one for one, _ in together])} changes",
        happens=f"{sentence(frozen.difference.words)} {sentence(happens)}",
        do=do,
        related=tuple(Note(one.after["kind"], "of this object") for one, _ in together[:3]),
        severity=Severity.WARNING if all(outcome(one.after, one.app).recreated for one, _ in together) else None,
    )


def _selector(root: Node) -> Any:
    value = root["spec"]["selector"].value
    return {key: part for key, part in value.items() if part} if isinstance(value, dict) else {}
