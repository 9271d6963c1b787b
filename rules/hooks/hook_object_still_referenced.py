"""A ConfigMap, Secret or the like is a hook, and deleted while others still use it.

Hooks are made to run and go. As a hook, an object that does not run (a ConfigMap, a Secret, a
ServiceAccount, a claim, a role) is not compared, not pruned, and deleted by its delete policy.
With HookSucceeded it is gone at the end of every good sync: pods that run already go on, the next
one that starts does not. With HookFailed that happens whenever a sync fails. With
BeforeHookCreation, the default, it is deleted and created anew whenever hooks run: tokens of a
ServiceAccount are void from then on, in running pods until they are renewed; a claim that a pod uses
cannot go, so the sync waits for ever, and one that no pod uses goes with its data.

It is an error for HookSucceeded and for claims, a warning for HookFailed and ServiceAccounts, and
a note for the rest, which is missing for moments only. Objects that only hooks and Jobs use are
fine, optional references do not count, and rights of a ServiceAccount that hooks use, too, are
taken for theirs.

Fix: make it an ordinary object of an earlier wave. The fix offered takes the hook annotations away;
it is unsafe, since hooks of an earlier phase can no longer use the object, and it is not offered
where one does: give that hook a copy.

See: argo-cd#20119, stackrox/stackrox#5191, https://argo-cd.readthedocs.io/en/stable/user-guide/sync-waves/

Bad:
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: shop
      annotations:
        argocd.argoproj.io/hook: PreSync
        argocd.argoproj.io/hook-delete-policy: HookSucceeded  # <- here
    data:
      COLOUR: blue
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
              envFrom:
                - configMapRef:
                    name: shop
Good:
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: shop
      annotations:
        argocd.argoproj.io/sync-wave: "-1"
    data:
      COLOUR: blue
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
              envFrom:
                - configMapRef:
                    name: shop
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from ...linter.api import App, Finding, Fix, Moment, Node, Note, Resource, Severity, and_more, rule
from ...linter.argocd.unhook import as_ordinary
from ...linter.kubernetes.annotations.hooks import DELETE_POLICY, HELM_DELETE_POLICY
from ...linter.kubernetes.references import Order, Reference

RUN_ONCE: Final = frozenset({"batch/Job", "argoproj.io/Workflow"})
GRANTING: Final = frozenset({"Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding"})
CLAIM: Final = "PersistentVolumeClaim"
ACCOUNT: Final = "ServiceAccount"
LOST: Final = "its data is lost unless the volume is retained"
EXTERNAL_SECRET: Final = "external-secrets.io/ExternalSecret"
SEALED_SECRET: Final = "bitnami.com/SealedSecret"


@rule("GL108", Severity.ERROR, Moment.SYNC)
def check(app: App) -> Iterator[Finding]:
    for hook in app.resources:
        if hook.is_hook and hook.hook.phases and not hook.runs_to_an_end and not hook.patched:
            users = _lasting_users(hook, app)
            if users:
                yield _finding(hook, users, app)


def _lasting_users(hook: Resource, app: App) -> list[Reference]:
    """Who needs it beyond the sync, and not before it is there: that is another rule's fault."""
    slot = app.plan.slot(hook)
    if slot is None or slot.phase_name == "SyncFail":
        return []
    by_consumer: dict[int, Reference] = {}
    for reference in app.graph.to(hook):
        consumer = reference.consumer
        needed = app.plan.slot(consumer)
        if needed is None or needed.phase < slot.phase or consumer.is_hook or consumer.patched:
            continue
        if consumer.group_kind not in RUN_ONCE and _counts(reference, app):
            by_consumer.setdefault(id(consumer), reference)
    return list(by_consumer.values())


def _counts(reference: Reference, app: App) -> bool:
    if reference.order is Order.NEVER or reference.guessed or (reference.made and not _owns(reference.provider)):
        return False
    if reference.provider.kind in GRANTING:
        return not _is_account_of_hooks(reference, app)
    # A CronJob waits in peace for what comes later; what is gone does not come.
    return not reference.effect.mild or reference.consumer.kind == "CronJob"


def _owns(maker: Resource) -> bool:
    """Whether Kubernetes removes what it makes together with it."""
    if maker.group_kind == EXTERNAL_SECRET:
        return maker["spec"]["target"]["creationPolicy"].text in ("", "Owner")
    return maker.group_kind == SEALED_SECRET


def _is_account_of_hooks(reference: Reference, app: App) -> bool:
    """The rights may be meant for a hook that shares the ServiceAccount."""
    granted = app.graph.to(reference.provider)
    return any(other.consumer.is_hook and other.via == reference.via for other in granted)


def _finding(hook: Resource, users: Sequence[Reference], app: App) -> Finding:
    first = users[0]
    more = and_more(len(users) - 1, " and {} more")
    fate, severity = _fate(hook, first)
    with_it = f" {first.target} goes with it." if first.made else ""
    return Finding(
        _place(hook),
        headline=f"{hook} is a hook, though {first.consumer}{more} need{'' if more else 's'} it beyond the sync",
        happens=f"{fate[0].upper()}{fate[1:]}.{with_it}",
        do="Make it an ordinary object of an earlier wave.",
        fixes=_fixes(hook, users, app),
        related=tuple(Note(user.at, f"{user.consumer} needs it ({user.via})") for user in users),
        severity=severity,
    )


def _place(hook: Resource) -> Node:
    policies = (hook.annotation(key) for key in (DELETE_POLICY, HELM_DELETE_POLICY))
    return next((policy for policy in policies if policy.present), hook.hook_annotation)


def _fate(hook: Resource, first: Reference) -> tuple[str, Severity]:
    policies = hook.hook.effective_delete_policies
    if hook.group_kind == CLAIM and "BeforeHookCreation" in policies:
        return (
            "whenever hooks run it is deleted first (BeforeHookCreation), and as long as a pod uses the claim the sync"
            f" waits for that; when none does, {LOST}",
            Severity.ERROR,
        )
    then = f"when no pod uses it any more {LOST}" if hook.group_kind == CLAIM else _without(first)
    if "HookSucceeded" in policies:
        return f"it is deleted when a sync has succeeded (HookSucceeded), and from then on {then}", Severity.ERROR
    if "BeforeHookCreation" not in policies:
        return f"it is deleted when a sync fails (HookFailed), and from then on {then}", Severity.WARNING
    again = "it is deleted and created anew whenever hooks run, and never compared or pruned"
    if hook.group_kind == ACCOUNT:
        return f"{again}; the tokens of the old one are void from then on", Severity.WARNING
    return f"{again}; until it is back {then}", Severity.NOTE


def _without(reference: Reference) -> str:
    if reference.effect.mild and reference.consumer.kind == "CronJob":
        return f"new runs of the {reference.consumer.kind} do not start"
    return f"new pods do not start ({reference.until})" if reference.blocks else reference.until


def _fixes(hook: Resource, users: Sequence[Reference], app: App) -> tuple[Fix, ...]:
    if any(reference.consumer.is_hook for reference in app.graph.to(hook)):
        return ()
    needed = min(user.consumer.wave for user in users)
    wave = min(hook.wave, needed - 1)
    patch = as_ordinary(hook, wave)
    return (Fix(f"make it an ordinary object of wave {wave}", patch, safe=False),) if patch else ()
