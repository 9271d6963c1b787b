"""An object and what it needs are in one sync wave, where Argo CD waits for neither.

Within a phase and wave Argo CD applies kind after kind in a fixed order: Secrets and
ConfigMaps before Services, Services before Deployments, and everything that is not on its
list last, by name. It does not wait for health in between, and an apply that fails does not
stop the kinds that come after it. Only the next wave waits. So a Deployment and the
ExternalSecret that makes its Secret, both in wave 0, start in the wrong order: the pods come
first and hang until the operator has caught up, and a Job may not survive that.

It is a warning when the order puts the needed object last, or when that must first do some
work: a custom resource that makes a Secret, the pods behind a Service that a Job calls. It is
a note when the kind order already puts it first and an earlier wave would only add the
check that it was applied and, where Argo CD has a health check for it, became healthy.
Optional references and PersistentVolumeClaims are left out: a claim belongs in the wave of
its pods, since one that waits for its first consumer never becomes healthy before them.
What another Application brings cannot be seen here.

Fix: give what is needed an earlier wave. Argo CD then goes on only when it is healthy; for
a kind without a health check the wave orders no more than the apply.

See: https://argo-cd.readthedocs.io/en/stable/user-guide/sync-waves/, argo-cd#13178

Bad:
    apiVersion: external-secrets.io/v1
    kind: ExternalSecret
    metadata:
      name: db
    spec:
      secretStoreRef:
        name: vault
        kind: ClusterSecretStore
      dataFrom:
        - extract:
            key: shop/db
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
                - secretRef:
                    name: db  # <- here
Good:
    apiVersion: external-secrets.io/v1
    kind: ExternalSecret
    metadata:
      name: db
      annotations:
        argocd.argoproj.io/sync-wave: "-1"
    spec:
      secretStoreRef:
        name: vault
        kind: ClusterSecretStore
      dataFrom:
        - extract:
            key: shop/db
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
                - secretRef:
                    name: db
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ...linter.api import App, Confidence, Finding, Moment, Note, Resource, Severity, and_more, listed, rule
from ...linter.argocd.sync_order import Plan, Slot
from ...linter.facts.tables import has_health_check, kind_rank
from ...linter.kubernetes.annotations.hooks import PHASES
from ...linter.kubernetes.references import Order, Reference

SYNC_FAIL = PHASES.index("SyncFail")


@rule("GL201", Severity.WARNING, Moment.INSTALL, of_fetched=False)
def check(app: App) -> Iterator[Finding]:
    last = max((task.slot for task in app.plan.tasks if task.slot.phase != SYNC_FAIL), default=None)
    for consumer in app.graph.consumers:
        slot = app.plan.slot(consumer)
        if slot is None or consumer.patched:
            continue
        racing: list[Reference] = []
        ordered: list[Reference] = []
        for offers in app.graph.needs(consumer).values():
            reference = _in_slot(offers, slot, app.plan)
            if reference is None:
                continue
            if reference.ready or _comes_after(reference.provider, consumer):
                if reference.order is Order.SAME or (reference.order is Order.GATED and slot != last):
                    racing.append(reference)
            elif reference.order is Order.SAME:
                ordered.append(reference)
        yield from _findings(racing, ordered, slot)


def _in_slot(offers: Sequence[Reference], slot: Slot, plan: Plan) -> Reference | None:
    """The offer to count on, if the best one is in this very slot."""
    if any(offer.provider.patched for offer in offers):
        return None
    applied = [(found, offer) for offer in offers if (found := plan.slot(offer.provider)) is not None]
    here = [offer for found, offer in applied if found == slot]
    if not here or any(found < slot for found, _ in applied):
        return None
    return min(here, key=lambda offer: (offer.ready, _comes_after(offer.provider, offer.consumer)))


def _comes_after(provider: Resource, consumer: Resource) -> bool:
    """Whether nothing in the kind order puts the provider first."""
    if _rank(provider) != _rank(consumer):
        return _rank(provider) > _rank(consumer)
    return provider.kind == consumer.kind or _name(provider) >= _name(consumer)


def _rank(resource: Resource) -> int:
    return kind_rank(resource.kind)


def _name(resource: Resource) -> str:
    return resource.name or resource.generate_name


def _findings(racing: list[Reference], ordered: list[Reference], slot: Slot) -> Iterator[Finding]:
    lines: set[int] = set()
    for references, words, severity in ((racing, _race, Severity.WARNING), (ordered, _hint, Severity.NOTE)):
        references.sort(key=lambda reference: reference.at.span)
        first = next((each for each in references if _line(each) not in lines), None)
        if first is None:
            continue
        lines.add(_line(first))
        others = [each for each in references if each is not first]
        message = words(first, others, slot)
        yield Finding(
            first.at,
            headline=message.headline,
            happens=message.happens,
            do=message.do,
            related=tuple(_related(first, others, slot)),
            severity=severity,
            confidence=Confidence.MEDIUM if first.guessed else Confidence.HIGH,
        )


def _line(reference: Reference) -> int:
    return reference.at.file.position(reference.at.span.start).line


class Message(NamedTuple):
    headline: str
    happens: str
    do: str


def _race(first: Reference, others: Sequence[Reference], slot: Slot) -> Message:
    consumer, provider = first.consumer, first.provider
    made = f"{provider} makes it. " if first.made else ""
    also = f" It needs {_words(others)} of the same wave, too." if others else ""
    return Message(
        f"{consumer} needs {first.target}, both in {slot}",
        f"{made}{_order(first)}, and {_effect(first)}.{also}",
        f"Give {provider} an earlier wave{_no_health(provider)}.",
    )


def _order(reference: Reference) -> str:
    consumer, provider = reference.consumer, reference.provider
    if not _comes_after(provider, consumer):
        return f"Argo CD applies the {provider.kind} first without waiting until it is ready"
    same_rank = _rank(provider) == _rank(consumer)
    if same_rank and (provider.kind == consumer.kind or _name(provider) == _name(consumer)):
        return "Argo CD applies the two in no fixed order"
    by_name = " (by name)" if same_rank else ""
    return f"Argo CD applies the {provider.kind} after the {consumer.kind}{by_name} and waits for neither"


def _effect(reference: Reference) -> str:
    if reference.order is Order.GATED:
        return f"until then {reference.until}, which fails the sync if Argo CD sees it"
    return f"until then {reference.until}"


def _no_health(provider: Resource) -> str:
    if has_health_check(provider.group, provider.kind):
        return ""
    return f" (Argo CD has no health check for {provider.kind}: the wave orders only the apply)"


def _hint(first: Reference, others: Sequence[Reference], slot: Slot) -> Message:
    needed = [first, *others]
    both, first_kind = ("both", f"the {first.provider.kind}") if len(needed) == 1 else ("all", "these")
    what = f"{first.target}{and_more(len(others))}"
    also = f" It needs {_words(needed)}." if others else ""
    by = dict.fromkeys("name" if _rank(one.provider) == _rank(one.consumer) else "kind" for one in needed)
    return Message(
        f"{first.consumer} needs {what}, {both} in {slot}",
        f"Argo CD applies {first_kind} first by {' and '.join(by)}, but goes on to the {first.consumer.kind} even if"
        f" that fails{_without_health(needed)}.{also}",
        "Give an earlier wave to what it needs: that would stop the sync there.",
    )


def _without_health(needed: Sequence[Reference]) -> str:
    """Services are healthy at once, but for load balancers: to speak of their health would mislead."""
    kinds = {(each.provider.group, each.provider.kind) for each in needed} - {("", "Service")}
    return " or is not healthy yet" if any(has_health_check(*kind) for kind in kinds) else ""


def _words(references: Sequence[Reference]) -> str:
    words = [
        f"{each.target} ({each.via}, made by {each.provider})" if each.made else f"{each.target} ({each.via})"
        for each in references
    ]
    return listed(words)


def _related(first: Reference, others: Sequence[Reference], slot: Slot) -> Iterator[Note]:
    for reference in (first, *others):
        provider = reference.provider
        does = f"makes {reference.target}" if reference.made else "is needed"
        yield Note(provider.wave_place, f"{provider} {does}, in {slot}")
        if reference is not first:
            yield Note(reference.at, f"{reference.target} is named here")
