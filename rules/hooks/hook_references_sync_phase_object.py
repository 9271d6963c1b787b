"""A PreSync hook needs an object of the Sync phase, which is missing on the first sync.

Phases come before waves. A PreSync hook runs before every ordinary object, whatever their
waves say, so the Secret, ConfigMap, ServiceAccount, role or claim that it uses is not there
on the first sync: its pod does not start, the hook does not end, and nothing else is ever
applied. On a cluster where an earlier sync left the object behind all goes well, with the
values of that earlier sync; the next new cluster is where it breaks. Helm's pre-install and
pre-upgrade hooks are PreSync hooks, too, and Argo CD runs both kinds on every sync.

It is an error when the hook cannot start without the object, a warning when it only lacks
rights or an image, or when the object is made by a command. Optional references are left out,
and so are Namespaces and CRDs, which Argo CD pulls forward, and what something in PreSync also
offers. An object that is in no file of the Application is not looked for.

Fix: make what the hook needs a PreSync hook of an earlier wave, with the delete policy
BeforeHookCreation; if the Application itself needs it, too, give the hook a copy of its own.
Or make the hook a Sync hook, in a wave between what it needs and what needs it; with a
PersistentVolumeClaim that is the only way, since as a hook it would be deleted with its data.

See: argo-cd#9891, argo-cd#13178, cloudogu/ecosystem-core#43

Bad:
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: migration
      annotations:
        argocd.argoproj.io/sync-wave: "-5"
    ---
    apiVersion: batch/v1
    kind: Job
    metadata:
      name: migrate
      annotations:
        argocd.argoproj.io/hook: PreSync
    spec:
      template:
        spec:
          restartPolicy: Never
          containers:
            - name: migrate
              image: shop:1.4
              envFrom:
                - configMapRef:
                    name: migration  # <- here
Good:
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: migration
      annotations:
        argocd.argoproj.io/hook: PreSync
        argocd.argoproj.io/hook-delete-policy: BeforeHookCreation
        argocd.argoproj.io/sync-wave: "-5"
    ---
    apiVersion: batch/v1
    kind: Job
    metadata:
      name: migrate
      annotations:
        argocd.argoproj.io/hook: PreSync
    spec:
      template:
        spec:
          restartPolicy: Never
          containers:
            - name: migrate
              image: shop:1.4
              envFrom:
                - configMapRef:
                    name: migration
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from ...linter.api import App, Cause, Confidence, Finding, Moment, Note, Severity, rule
from ...linter.argocd.late_references import Late, by_line

CLAIM: Final = "PersistentVolumeClaim"


@rule("GL105", Severity.ERROR, Moment.INSTALL)
def check(app: App) -> Iterator[Finding]:
    for found in by_line(late for late in app.late if _is_ours(late)):
        yield _finding(found)


def _is_ours(late: Late) -> bool:
    reference = late.reference
    if not late.crosses_phases or late.needed.phase_name != "PreSync" or late.is_mild:
        return False
    # A Service that is merely called is hook-waits-for-own-service.
    return reference.consumer.is_hook and (reference.made or not reference.guessed)


def _finding(found: Sequence[Late]) -> Finding:
    late = found[0]
    consumer, target = late.reference.consumer, late.reference.target
    return Finding(
        late.reference.at,
        headline=f"PreSync {consumer} needs {target} of the {late.applied.phase_name} phase",
        happens=_effect(late),
        do=_advice(late),
        related=tuple(Note(each.reference.provider.wave_place, each.whereabouts) for each in found),
        severity=late.severity,
        never_heals=late.never_heals,
        cause=_cause(late) if late.never_heals else None,
        confidence=Confidence.MEDIUM if late.reference.guessed else Confidence.HIGH,
    )


def _cause(late: Late) -> Cause:
    """Whatever a hook lacks, moving the hook mends it."""
    hook = late.reference.consumer
    return Cause(f"{hook}, a PreSync hook", f"{hook} (PreSync) needs {{count}} objects that come only later")


def _effect(late: Late) -> str:
    never = ", and the sync never gets past PreSync" if late.severity is Severity.ERROR else ""
    return f"On the first sync {late.reference.until}{never}; waves do not reach across phases."


def _advice(late: Late) -> str:
    provider = late.reference.provider
    # As a hook, a claim would be deleted with its data before every sync.
    other = "" if provider.group_kind == CLAIM else f", or {provider} a PreSync hook of an earlier one"
    return f"Make the {late.reference.consumer.kind} a {late.applied.phase_name} hook of a later wave{other}."
