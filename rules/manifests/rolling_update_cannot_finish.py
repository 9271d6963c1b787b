"""A rolling update of one pod waits for what the old pod holds.

A Deployment with one replica is updated by starting the new pod first and stopping the old one only when the new
one is ready. A port of the node (hostPort) is taken while the old pod runs: on the same node the new
one stays Pending. A claim that one pod alone may use (ReadWriteOncePod) is held by the old one. A claim that one
node alone may use (ReadWriteOnce) is held as soon as the new pod is put on another node. The update then never ends,
the Application is Progressing and becomes Degraded, and a wave behind it does not come.

With ReadWriteOncePod, or a port of the node and a nodeSelector for one host, it is sure and a warning; a port of the
node alone, or a claim with ReadWriteOnce, is a note: it depends on the nodes. Claims are looked at where the
Application brings them.

Fix: set strategy.type: Recreate, which stops the old pod first.

See: https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#strategy

Bad:
    apiVersion: apps/v1
    kind: Deployment
    metadata:
      name: shop
    spec:  # <- here
      replicas: 1
      selector:
        matchLabels: {app: shop}
      template:
        metadata:
          labels: {app: shop}
        spec:
          containers:
            - name: shop
              image: registry.example.com/shop:1.4
          volumes:
            - name: data
              persistentVolumeClaim:
                claimName: shop
    ---
    apiVersion: v1
    kind: PersistentVolumeClaim
    metadata:
      name: shop
    spec:
      accessModes: [ReadWriteOncePod]
      resources:
        requests:
          storage: 1Gi
Good:
    apiVersion: apps/v1
    kind: Deployment
    metadata:
      name: shop
    spec:
      replicas: 1
      selector:
        matchLabels: {app: shop}
      template:
        metadata:
          labels: {app: shop}
        spec:
          containers:
            - name: shop
              image: registry.example.com/shop:1.4
          volumes:
            - name: data
              persistentVolumeClaim:
                claimName: shop
      strategy:
        type: Recreate
    ---
    apiVersion: v1
    kind: PersistentVolumeClaim
    metadata:
      name: shop
    spec:
      accessModes: [ReadWriteOncePod]
      resources:
        requests:
          storage: 1Gi
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from ...linter.api import App, Finding, Fix, Moment, Node, Note, Repo, Resource, Severity, by_line, rule

HOST: Final = "kubernetes.io/hostname"


class Held(NamedTuple):
    at: Node
    what: str
    happens: str
    sure: bool


@rule("GL033", Severity.WARNING, Moment.SYNC)
def check(repo: Repo) -> Iterator[Finding]:
    for place, ((deployment, held), *_) in by_line(one for app in repo.apps for one in _stuck(app)):
        strategy = deployment["spec"]["strategy"]
        fixes = () if strategy["rollingUpdate"].present else (Fix("set Recreate", strategy["type"].set("Recreate")),)
        yield Finding(
            place,
            headline=f"a rolling update of {deployment} waits for {held.what}",
            happens=held.happens,
            do="Set strategy.type: Recreate.",
            fixes=fixes,
            related=(Note(held.at, "the old pod holds it"),),
            severity=Severity.WARNING if held.sure else Severity.NOTE,
        )


def _stuck(app: App) -> Iterator[tuple[Node, tuple[Resource, Held]]]:
    claims = {one.name: one for one in app.resources if one.group_kind == "PersistentVolumeClaim" and not one.patched}
    for deployment in app.resources:
        spec = deployment["spec"]
        if deployment.group_kind != "apps/Deployment" or deployment.patched or not _starts_the_new_one_first(spec):
            continue
        held = next(_held(spec["template"]["spec"], claims), None)
        if held is not None:
            strategy = spec["strategy"]
            yield (strategy if strategy.present else spec), (deployment, held)


def _starts_the_new_one_first(spec: Node) -> bool:
    rolling = spec["strategy"]["rollingUpdate"]
    one_pod = spec["replicas"].absent or spec["replicas"].value == 1
    # A quarter of one pod is none that may be missing.
    keeps_all = rolling["maxUnavailable"].value in (None, 0, "0", "0%", "25%")
    return one_pod and spec["strategy"]["type"].text in ("", "RollingUpdate") and keeps_all


def _held(pod: Node, claims: dict[str, Resource]) -> Iterator[Held]:
    for volume in pod["volumes"]:
        claim = claims.get(volume["persistentVolumeClaim"]["claimName"].text)
        modes = {one.text for one in claim["spec"]["accessModes"]} if claim else set()
        if claim and modes == {"ReadWriteOncePod"}:
            happens = (
                "The new pod is not started while the old one has the claim, which stops only after it: it never ends."
            )
            yield Held(claim["spec"]["accessModes"], f"{claim}", happens, True)
        elif claim and modes == {"ReadWriteOnce"}:
            happens = (
                "On another node the new pod cannot have the volume as long as the old one runs, and that is for ever."
            )
            yield Held(claim["spec"]["accessModes"], f"{claim}", happens, False)
    port = next((one["hostPort"] for c in pod["containers"] for one in c["ports"] if one["hostPort"].value), None)
    if port is not None:
        sure = bool(pod["nodeSelector"][HOST].text) or bool(pod["nodeName"].text)
        where = "On the same node" if not sure else "On its only node"
        happens = f"{where} the new pod stays Pending as long as the old one has the port, and that is for ever."
        yield Held(port, f"port {port.scalar_text} of the node", happens, sure)
