"""A custom resource is applied in the same wave as its definition, which may not be ready.

When both are in one Application, Argo CD applies the CRD before the first object of its kind,
even if the CRD's own wave comes later: it is then pulled forward into that object's phase and
wave. After the apply Argo CD asks for up to three seconds whether the CRD is Established; a
time-out is only logged, and on a slow API server the custom resource is refused with "no matches
for kind". Nothing waits for the controller or the webhooks behind the CRD either. Across waves
it is different: since Argo CD 3.0 a CRD has a health check, so what is in a later wave starts
when the CRD is Established. With Argo CD 3.2 a CRD that is not there at the first look counts as
Degraded and fails that sync. A retry usually hides the failure, and an existing cluster never
shows it.

Worse is a webhook of failurePolicy Fail for the custom resource in the same wave, as operators bring them: until its
pods answer, the API server refuses the object for certain.

The CRD may come from another Application of the repository for the same cluster, while the custom resource lacks
SkipDryRunOnMissingResource=true, as its own option or (Argo CD 3.1 and later) among the Application's. Before a sync
applies anything it tries everything out, and one object of an unknown kind refuses all of it: nothing of the
Application is applied until the CRD is there. With the option only this object has to wait for a retry. An automatic
sync is tried five more times within 155 seconds, so mostly it heals, and it is a note, or a warning in a change that
brings it. An Application whose retry limit is 0 stays refused until the next commit, which is a warning. Where the
Application has to be synced before the other one comes, because it brings that one, or a parent waits for it first, no
retry ever helps, and it is an error. Nothing is said if a parent brings the CRD's Application in an earlier wave and
waits for its health, and where every object of the Application waits for such a CRD, since the option then changes
nothing.

CRDs that an operator or a chart from elsewhere brings cannot be seen, and Argo CD's own are
left out: where it runs they are there.

Fix: put the custom resource into a later wave than its CRD. The fix offered is unsafe, since
other objects may count on the custom resource's wave. Across Applications, add
SkipDryRunOnMissingResource=true to the syncOptions of the Application (before Argo CD 3.1 to
the custom resource); that fix is unsafe, too, since a misspelled kind is then found late.

See: https://argo-cd.readthedocs.io/en/stable/user-guide/sync-waves/, argo-cd#2873, argo-cd#15095, argo-cd#21790

Bad:
    apiVersion: apiextensions.k8s.io/v1
    kind: CustomResourceDefinition
    metadata:
      name: backups.shop.example.com
    spec:
      group: shop.example.com
      names:
        kind: Backup
        plural: backups
      scope: Namespaced
      versions: []
    ---
    apiVersion: shop.example.com/v1
    kind: Backup
    metadata:
      name: nightly
      annotations:
        argocd.argoproj.io/sync-wave: "0"  # <- here
Good:
    apiVersion: apiextensions.k8s.io/v1
    kind: CustomResourceDefinition
    metadata:
      name: backups.shop.example.com
    spec:
      group: shop.example.com
      names:
        kind: Backup
        plural: backups
      scope: Namespaced
      versions: []
    ---
    apiVersion: shop.example.com/v1
    kind: Backup
    metadata:
      name: nightly
      annotations:
        argocd.argoproj.io/sync-wave: "1"
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from ...linter.api import App, Finding, Fix, Moment, Node, Note, Repo, Resource, Severity, by_line, rule
from ...linter.argocd.applications import GROUP, Application
from ...linter.argocd.sync_order import Slot
from ...linter.kubernetes.annotations.hooks import SYNC_OPTIONS, WAVE
from ...linter.lint.brought_operators import comes_first, deadlock, refused, waits_for_itself

ARGO_CD_KINDS: Final = frozenset(f"{GROUP}/{kind}" for kind in ("Application", "ApplicationSet", "AppProject"))


class Brought(NamedTuple):
    """A definition, and the Application that brings it."""

    crd: Resource
    application: Application


class Apart(NamedTuple):
    """A custom resource whose definition another Application brings."""

    resource: Resource
    application: Application
    brought: Brought
    sure: bool
    """Both are known to be for one cluster."""
    stuck: bool
    """The Application has to be synced before the definition can come."""


@rule("GL301", Severity.WARNING, Moment.INSTALL)
def check(repo: Repo) -> Iterator[Finding]:
    told: set[int] = set()
    for place, found in by_line(_apart(repo)):
        worst = max(found, key=lambda one: (one.stuck, one.sure))
        told.add(id(worst.resource))
        yield _refused(place, worst)
    for app in repo.apps:
        yield from _in_one_wave(app, told)


# -- in one Application


def _in_one_wave(app: App, told: Container[int]) -> Iterator[Finding]:
    for resource in app.resources:
        crd = app.crd_of(resource)
        if crd is None or resource.patched or crd.patched or resource.group_kind in ARGO_CD_KINDS:
            continue
        if id(resource) in told:
            continue  # another Application has it without the definition, which is worse
        slot = app.plan.slot(resource)
        if slot is not None and slot == app.plan.slot(crd):
            yield _together(app, resource, crd, slot)


def _together(app: App, resource: Resource, crd: Resource, slot: Slot) -> Finding:
    own_wave = [one for one in app.resources if app.plan.slot(one) == slot]
    webhook = next((one for one in own_wave if _refusing_webhook(one, resource, crd)), None)
    related = [Note(crd["kind"], "its definition is here")]
    if webhook is not None:
        related.append(Note(webhook["kind"], "this webhook has to answer first"))
        happens = (
            f"On a new cluster {webhook} refuses the {resource.kind} until its pods answer, which nothing waits for, so"
            " the first sync fails and has to be retried."
        )
    else:
        happens = (
            f"On a new cluster Argo CD waits at most 3 s until the CRD is Established, and for no controller behind it,"
            f" so the {resource.kind} can be refused and the sync has to be retried."
        )
    return Finding(
        resource.wave_place,
        headline=f"{resource} is applied in {slot}, and so is its CRD{_pulled(crd, slot)}",
        happens=happens,
        do=_better(resource, webhook),
        fixes=_later_wave(resource, crd),
        related=tuple(related),
        severity=Severity.ERROR if webhook is not None else None,
    )


def _pulled(crd: Resource, slot: Slot) -> str:
    if slot.phase_name not in crd.hook.phases:
        return f", pulled forward from {crd.hook.phases[0]}"
    return f", pulled forward from wave {crd.wave}" if crd.wave != slot.wave else ""


def _better(resource: Resource, webhook: Resource | None) -> str:
    if webhook is not None:
        return f"Put the {resource.kind} into a later wave than the pods behind {webhook}."
    if resource.versions.lacks("crd-health"):
        return "Put it into a later wave, which gives the CRD more time."
    return "Put it into a later wave, which starts once the CRD is Established (Argo CD 3.0 and later)."


def _later_wave(resource: Resource, crd: Resource) -> tuple[Fix, ...]:
    if resource.is_hook or crd.is_hook:
        return ()
    # The CRD's own wave counts: from a lower one it would only be pulled forward again.
    wave = crd.wave + 1
    return (Fix(f"put {resource} into wave {wave}", resource.annotation(WAVE).set(str(wave)), safe=False),)


# -- in two Applications


def _apart(repo: Repo) -> Iterator[tuple[Node, Apart]]:
    brought = _brought(repo)
    for app in repo.applications if brought else ():
        application = app.certain_application
        if application is None:
            continue
        apart = []
        for resource in app.resources:
            others = brought.get(resource.group_kind, ()) if not resource.patched else ()
            if not others or app.crd_of(resource) or app.options_for(resource).skip_dry_run or not resource.hook.phases:
                continue
            found = _provider(repo, application, others)
            if found is not None:
                sure = repo.deploy_to_one_cluster(application, found.application)
                stuck = sure and waits_for_itself(repo, application, found.application)
                apart.append(Apart(resource, application, found, sure, stuck))
        if len(apart) < len(app.resources) or any(one.stuck for one in apart):
            for one in apart:
                annotation = one.resource.annotation(SYNC_OPTIONS)
                yield (annotation if annotation.present else one.resource["kind"]), one


def _brought(repo: Repo) -> Mapping[str, Sequence[Brought]]:
    """By the kind that is defined."""
    found: dict[str, list[Brought]] = {}
    for app in repo.applications:
        application = app.certain_application
        for resource in app.resources if application is not None else ():
            assert application is not None
            if resource.defines and resource.defines not in ARGO_CD_KINDS:
                found.setdefault(resource.defines, []).append(Brought(resource, application))
    return found


def _provider(repo: Repo, application: Application, others: Sequence[Brought]) -> Brought | None:
    """One for the same cluster; None also where one of them surely comes first.

    Of two Applications of one name a cluster has only one: they are the same one for different clusters.
    """
    cluster = application.destination.cluster
    same = [one for one in others if one.application.destination.cluster == cluster != ""]
    same = [one for one in same if one.application.name != application.name]
    if not same or any(comes_first(repo, one.application, application) for one in same):
        return None
    return next((one for one in same if repo.deploy_to_one_cluster(application, one.application)), same[0])


def _refused(place: Node, apart: Apart) -> Finding:
    resource, provider = apart.resource, apart.brought.application
    note = Note(apart.brought.crd["kind"], "its definition is here")
    if apart.stuck:
        return deadlock(place, resource, apart.application, provider, note)
    return refused(place, resource, apart.application, provider, note, apart.sure)


# -- webhooks that the API server asks before it takes an object

WEBHOOKS: Final = tuple(
    f"admissionregistration.k8s.io/{kind}WebhookConfiguration" for kind in ("Validating", "Mutating")
)
ANY: Final = "*"


def _refusing_webhook(configuration: Resource, resource: Resource, crd: Resource) -> bool:
    """Whether it has a webhook in the cluster without whose answer a custom resource is not taken."""
    if configuration.group_kind not in WEBHOOKS:
        return False
    plural = crd["spec"]["names"]["plural"].text
    return any(
        webhook["failurePolicy"].text in ("", "Fail")
        and webhook["clientConfig"]["service"].present
        and any(_is_meant(rule, resource.group, plural) for rule in webhook["rules"])
        for webhook in configuration["webhooks"]
    )


def _is_meant(rule: Node, group: str, plural: str) -> bool:
    groups, resources, operations = (
        {item.text for item in rule[field]} for field in ("apiGroups", "resources", "operations")
    )
    return (
        not groups.isdisjoint((group, ANY))
        and not resources.isdisjoint((plural, ANY, "*/*"))
        and not operations.isdisjoint(("CREATE", ANY))
    )
