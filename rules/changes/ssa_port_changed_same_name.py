"""A port gets another number but keeps its name: applied server-side, it may be there twice.

Server-side apply tells ports apart by number and protocol, not by name. With another number git's port
is a new entry. The old entry goes only if nobody else owns it; what an earlier client-side apply,
kubectl or another tool wrote stays. Then two entries have one name, and the API server refuses the
object: `spec.ports[1].name: Duplicate value: "http"`. The sync fails, again at every retry.

A warning, since the owners of fields are not in git; an error where the same change switches
server-side apply on, so that the old entry is surely owned by the client-side apply before. Looked at
are Services and the containers of Deployments, StatefulSets, DaemonSets, ReplicaSets and Pods.
Silent without server-side apply, and for ports without a name.

Fix: change the name together with the number (and what names the port), or change the number in one
sync with the sync option Replace=true on the object.

See: kubernetes/kubernetes#131147, argo-cd#25474, argo-cd#23171

Bad:
    # before: web.yaml
    apiVersion: v1
    kind: Service
    metadata:
      name: web
      annotations:
        argocd.argoproj.io/sync-options: ServerSideApply=true
    spec:
      ports:
        - name: http
          port: 80
    # web.yaml
    apiVersion: v1
    kind: Service
    metadata:
      name: web
      annotations:
        argocd.argoproj.io/sync-options: ServerSideApply=true
    spec:
      ports:
        - name: http
          port: 8080  # <- here
Good:
    # before: web.yaml
    apiVersion: v1
    kind: Service
    metadata:
      name: web
      annotations:
        argocd.argoproj.io/sync-options: ServerSideApply=true
    spec:
      ports:
        - name: http
          port: 80
    # web.yaml
    apiVersion: v1
    kind: Service
    metadata:
      name: web
      annotations:
        argocd.argoproj.io/sync-options: ServerSideApply=true
    spec:
      ports:
        - name: http-alt
          port: 8080
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from ...linter.api import Change, Confidence, Finding, Moment, Node, Resource, Severity, by_line, rule
from ...linter.change.immutable import Rewritten, answer, others, outcome, rewritten
from ...linter.kubernetes.pods import containers, pod_spec

WORKLOADS: Final = frozenset(("apps/Deployment", "apps/StatefulSet", "apps/DaemonSet", "apps/ReplicaSet", "Pod"))


class Port(NamedTuple):
    number: str
    protocol: str
    at: Node


class Moved(NamedTuple):
    pair: Rewritten
    name: str
    before: Port
    after: Port


@rule("GL909", Severity.WARNING, Moment.SYNC)
def check(change: Change) -> Iterator[Finding]:
    found = [
        (moved.after.at, moved)
        for pair in rewritten(change)
        if pair.app.options_for(pair.after).server_side_apply
        for moved in _moved(pair)
    ]
    for place, together in by_line(found):
        yield _finding(place, together[0], others([one.pair for one in together]))


def _moved(pair: Rewritten) -> Iterator[Moved]:
    before = dict(_ports(pair.before))
    after = dict(_ports(pair.after))
    for (holder, name), port in after.items():
        old = before.get((holder, name))
        if old is not None and old[:2] != port[:2]:
            yield Moved(pair, name, old, port)


def _ports(resource: Resource) -> Iterator[tuple[tuple[str, str], Port]]:
    """By container and name; a Service has no containers."""
    if resource.group_kind == "Service":
        lists = [("", resource["spec"]["ports"], "port")]
    elif resource.group_kind in WORKLOADS and (pod := pod_spec(resource)) is not None:
        lists = [(one["name"].text, one["ports"], "containerPort") for one in containers(pod)]
    else:
        return
    for holder, ports, key in lists:
        for port in ports:
            if port["name"].text:
                number = port[key].scalar_text
                yield (holder, port["name"].text), Port(number, port["protocol"].text or "TCP", port[key])


def _finding(place: Node, moved: Moved, also: str) -> Finding:
    pair, name, before, after = moved
    switched_on = not pair.before_app.options_for(pair.before).server_side_apply
    owner = "the client-side apply before" if switched_on else "an earlier client-side apply, kubectl or another tool"
    says = f'Duplicate value: "{name}"'
    return Finding(
        place,
        headline=f"port {name!r} of {pair.after}{also} changes from {before.number}/{before.protocol} to"
        f" {after.number}/{after.protocol}",
        happens="Server-side apply tells ports apart by that and keeps the old one, too,"
        f" {'since' if switched_on else 'if'} {owner} owns it: {answer(says, outcome(pair.after, pair.app))}.",
        do="Give the new port another name, or the object Replace=true for this one sync.",
        severity=Severity.ERROR if switched_on else None,
        confidence=Confidence.HIGH if switched_on else Confidence.MEDIUM,
    )
