"""A PersistentVolumeClaim in an earlier wave than its pods is never bound, and the sync waits for it.

Argo CD starts a wave, or a phase, when everything before it is healthy, and a claim
is healthy once it is bound. With a storage class that binds on first use
(volumeBindingMode: WaitForFirstConsumer, the default of most clouds and of
local-path), the claim is bound when a pod needs it; but the pods are in a later wave.
The sync hangs, without an error and without a time limit. On a cluster where the
claim is already bound all goes well. A claim that is itself a hook, say PreSync, is
waited for in the same way.

It is an error when a StorageClass in the repository, the values of the chart that
makes it, or a well-known name, says that
the class binds on first use, and a note when the class is not known. Nothing is
said about classes that bind at once, claims with a volumeName or an empty
storageClassName, shared claims (ReadWriteMany, ReadOnlyMany) of an unknown class, and where the
settings of Argo CD have a health check of their own for claims.

Fix: put the claim into the wave of its pods; within a wave Argo CD applies it first
and does not wait for it. The fix offered is unsafe, since other objects may count on
the claim's wave.

See: argo-cd#12840, argo-cd#29201, stackrox/stackrox#5191

Bad:
    apiVersion: v1
    kind: PersistentVolumeClaim
    metadata:
      name: data
      annotations:
        argocd.argoproj.io/sync-wave: "-1"  # <- here
    spec:
      storageClassName: local-path
      accessModes: [ReadWriteOnce]
      resources:
        requests:
          storage: 1Gi
    ---
    apiVersion: v1
    kind: Pod
    metadata:
      name: database
    spec:
      containers:
        - name: database
          image: database:16
      volumes:
        - name: data
          persistentVolumeClaim:
            claimName: data
Good:
    apiVersion: v1
    kind: PersistentVolumeClaim
    metadata:
      name: data
      annotations:
        argocd.argoproj.io/sync-wave: "0"
    spec:
      storageClassName: local-path
      accessModes: [ReadWriteOnce]
      resources:
        requests:
          storage: 1Gi
    ---
    apiVersion: v1
    kind: Pod
    metadata:
      name: database
    spec:
      containers:
        - name: database
          image: database:16
      volumes:
        - name: data
          persistentVolumeClaim:
            claimName: data
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from ...linter.api import (
    App,
    Confidence,
    Finding,
    Fix,
    Moment,
    Node,
    Note,
    Repo,
    Resource,
    Severity,
    by_line,
    rule,
    table,
)
from ...linter.argocd.sync_order import Task
from ...linter.kubernetes.annotations.hooks import WAVE
from ...linter.kubernetes.references import Order
from ...linter.repo.storage_classes import StorageClass, storage_classes

ON_FIRST_USE: Final = "WaitForFirstConsumer"
AT_ONCE: Final = "Immediate"
SHARED: Final = ("ReadWriteMany", "ReadOnlyMany")


@rule("GL205", Severity.ERROR, Moment.INSTALL)
def check(repo: Repo) -> Iterator[Finding]:
    if repo.argocd.overrides_health("", "PersistentVolumeClaim"):
        return
    for place, found in by_line(_early(repo)):
        claim, pods, mode = found[0]
        yield _finding(place, claim, pods, mode)


def _early(repo: Repo) -> Iterator[tuple[Node, tuple[Task, Task, str]]]:
    classes = storage_classes(repo)
    for app in repo.apps:
        for task in app.plan.tasks:
            claim = task.resource
            if claim.group_kind != "PersistentVolumeClaim" or claim.patched:
                continue
            first = _first_user(app, claim)
            if first is None or first.slot <= task.slot or not app.awaits(claim):
                continue
            mode = _binding_mode(claim, classes)
            if mode != AT_ONCE:
                crosses_phases = first.slot.phase != task.slot.phase
                place = claim.hook_annotation if claim.is_hook and crosses_phases else claim.wave_place
                yield place, (task, first, mode)


def _first_user(app: App, claim: Resource) -> Task | None:
    users = {id(one.consumer) for one in app.graph.to(claim) if one.order is not Order.NEVER}
    return next((task for task in app.plan.tasks if id(task.resource) in users), None)


def _binding_mode(claim: Resource, classes: Mapping[str, StorageClass]) -> str:
    """Empty when it is not known."""
    spec = claim["spec"]
    name = spec["storageClassName"]
    if spec["volumeName"].text or name.value == "":
        return AT_ONCE  # bound to a volume that is there
    known_here = classes.get(name.text)
    if known_here is not None:
        return known_here.binding_mode or AT_ONCE
    known = table("storage-classes.json")
    mode = next((mode for mode in (ON_FIRST_USE, AT_ONCE) if name.text in known[mode]), "")
    shared = any(item.text in SHARED for item in spec["accessModes"])
    return AT_ONCE if not mode and shared else mode


def _finding(place: Node, claim: Task, pods: Task, mode: str) -> Finding:
    known = mode == ON_FIRST_USE
    name = claim.resource["spec"]["storageClassName"].text
    of_class = f"its class {name!r}" if name else "the default class of the cluster"
    when = f"{of_class} binds on first use" if known else f"if {of_class} binds on first use"
    return Finding(
        place,
        headline=f"{claim.resource} is in {claim.slot}, before its pods in {pods.slot}",
        happens=f"{when[0].upper()}{when[1:]} ({ON_FIRST_USE}), {'so ' if known else ''}on a first install it stays"
        f" Pending until {pods.resource} comes, Argo CD waits for it first, and the sync hangs.",
        do=f"Put the claim into {pods.slot}, where it is applied first and not waited for.",
        fixes=_fixes(claim, pods),
        related=(Note(pods.resource.wave_place, f"{pods.resource} is applied in {pods.slot}"),),
        severity=None if known else Severity.NOTE,
        confidence=Confidence.HIGH if known else Confidence.MEDIUM,
        never_heals=True,
    )


def _fixes(claim: Task, pods: Task) -> tuple[Fix, ...]:
    if pods.resource.is_hook or claim.slot.phase != pods.slot.phase:
        return ()
    wave = str(pods.slot.wave)
    return (Fix(f"put it into wave {wave}", claim.resource.annotation(WAVE).set(wave), safe=False),)
