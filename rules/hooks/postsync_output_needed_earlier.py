"""What a PostSync hook brings is needed in the Sync phase, and each waits for the other.

PostSync starts once everything of the Sync phase is healthy. A Deployment that mounts a Secret
which is itself a PostSync hook (Helm: post-install, post-upgrade), or which a PostSync Job makes,
never becomes healthy without it; so PostSync never starts, and the Secret never comes. The sync
stays at "waiting for healthy state" until the Deployment's progress deadline fails it. Charts
meant for helm install, which does not wait by default, are a common source.

What a Job makes is read from its commands: kubectl create secret or configmap, or a manifest in
the text of a script. That is a warning, as the same object may come from elsewhere; what is a
hook itself and cannot be done without is an error. Optional references, and what comes right by
itself afterwards, are left out, and so is a target that something earlier also offers.

Fix: take a Secret or ConfigMap out of PostSync: without the hook annotation, in a wave before what
needs it. The fix offered does that; it is unsafe, because the object is then compared and pruned
like any other. Make a Job that produces something a Sync hook in an earlier wave.

See: argo-cd#4288, adfinis/helm-charts#143, argo-cd#17604

Bad:
    apiVersion: v1
    kind: Secret
    metadata:
      name: shop-certs
      annotations:
        argocd.argoproj.io/hook: PostSync
    stringData:
      ca.crt: ""
    ---
    apiVersion: apps/v1
    kind: Deployment
    metadata:
      name: shop
    spec:
      selector:
        matchLabels:
          app: shop
      template:
        metadata:
          labels:
            app: shop
        spec:
          containers:
            - name: shop
              image: shop:1.4
          volumes:
            - name: certs
              secret:
                secretName: shop-certs  # <- here
Good:
    apiVersion: v1
    kind: Secret
    metadata:
      name: shop-certs
      annotations:
        argocd.argoproj.io/sync-wave: "-1"
    stringData:
      ca.crt: ""
    ---
    apiVersion: apps/v1
    kind: Deployment
    metadata:
      name: shop
    spec:
      selector:
        matchLabels:
          app: shop
      template:
        metadata:
          labels:
            app: shop
        spec:
          containers:
            - name: shop
              image: shop:1.4
          volumes:
            - name: certs
              secret:
                secretName: shop-certs
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...linter.api import App, Confidence, Finding, Fix, Moment, Note, Severity, rule
from ...linter.argocd.late_references import Late, by_line
from ...linter.argocd.unhook import as_ordinary


@rule("GL107", Severity.ERROR, Moment.INSTALL)
def check(app: App) -> Iterator[Finding]:
    for found in by_line(late for late in app.late if _is_ours(late)):
        yield _finding(found)


def _is_ours(late: Late) -> bool:
    return late.needed.phase_name == "Sync" and late.applied.phase_name == "PostSync" and not late.is_mild


def _finding(found: Sequence[Late]) -> Finding:
    late = found[0]
    return Finding(
        late.reference.at,
        headline=f"{late.reference.consumer} needs {late.reference.target} of the PostSync phase",
        happens=_effect(late),
        do="Take it out of PostSync.",
        fixes=_fixes(late),
        related=tuple(Note(each.reference.provider.hook_annotation, each.whereabouts) for each in found),
        severity=late.severity,
        never_heals=late.never_heals,
        confidence=Confidence.MEDIUM if late.reference.guessed else Confidence.HIGH,
    )


def _effect(late: Late) -> str:
    consumer, until = late.reference.consumer, late.reference.until
    if not late.reference.blocks:
        return f"PostSync starts once everything in Sync is healthy; until then {until}."
    elsewhere = "unless it is there already, " if late.reference.guessed else ""
    return f"PostSync starts once the {consumer.kind} is healthy; {elsewhere}{until}, so it never starts."


def _fixes(late: Late) -> tuple[Fix, ...]:
    provider, wave = late.reference.provider, late.needed.wave - 1
    # What does work needs its place in the order; only its author knows which.
    patch = None if late.reference.made or late.reference.ready else as_ordinary(provider, wave)
    return (Fix(f"make {provider} an ordinary object of wave {wave}", patch, safe=False),) if patch else ()
