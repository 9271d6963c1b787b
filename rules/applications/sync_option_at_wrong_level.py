"""A sync option at the wrong level does nothing, and nothing says so.

Some options count only in spec.syncPolicy.syncOptions of the Application
(CreateNamespace, RespectIgnoreDifferences, FailOnSharedResource,
ApplyOutOfSyncOnly, PrunePropagationPolicy, ClientSideApplyMigration), one only
in the annotation of the object (Force=true). The options for comparing,
ServerSideDiff and IgnoreExtraneous, belong in another annotation,
argocd.argoproj.io/compare-options. At the other place Argo CD passes over
them.

Some work at a level only since a version: Prune= and Delete= in syncOptions
since 3.4, SkipDryRunOnMissingResource there since 3.1, Force=true since 2.12.
These are warnings when the configured Argo CD is older. When no version is
configured, a note says so, and only if releases that are still maintained
lack the option.

Fix: move the option to where it counts. The fix offered takes away what does
nothing, which is safe; it does not write the option elsewhere, for that would
start something that did not happen before. An option that only needs a newer
Argo CD is left in place.

See: argo-cd#15095, https://argo-cd.readthedocs.io/en/stable/user-guide/sync-options/

Bad:
    apiVersion: apps/v1
    kind: Deployment
    metadata:
      name: shop
      annotations:
        argocd.argoproj.io/sync-options: Prune=false,CreateNamespace=true  # <- here
Good:
    apiVersion: apps/v1
    kind: Deployment
    metadata:
      name: shop
      annotations:
        argocd.argoproj.io/sync-options: Prune=false
"""

from collections.abc import Iterator
from functools import reduce
from itertools import groupby
from typing import Final, NamedTuple

from ...linter.api import Finding, Fix, Moment, Node, Patch, Resource, Severity, rule
from ...linter.argocd import sync_options
from ...linter.argocd.application_spec import application_spec
from ...linter.argocd.sync_options import Level
from ...linter.dialects.spelling import without
from ...linter.kubernetes.annotations.hooks import COMPARE_OPTIONS, SYNC_OPTIONS, split

ELSEWHERE: Final = {
    Level.APPLICATION: ("in syncOptions", "in the annotation of the object that it is meant for"),
    Level.RESOURCE: ("on an object", "in spec.syncPolicy.syncOptions of the Application"),
}


class Fault(NamedTuple):
    option: str
    what: str
    happens: str
    do: str
    severity: Severity = Severity.WARNING
    is_useless: bool = True
    """False when a newer Argo CD would honour it."""


@rule(
    "GL602", Severity.WARNING, Moment.SYNC, kinds="Application ApplicationSet", annotated=[SYNC_OPTIONS], literal=True
)
def check(resource: Resource) -> Iterator[Finding]:
    annotation = resource.annotation(SYNC_OPTIONS)
    faults = [fault for item in split(annotation.text) if (fault := _fault(item, Level.RESOURCE, resource))]
    if faults:
        yield _finding(annotation, faults, _without(annotation, faults))
    spec = application_spec(resource)
    if spec is not None:
        yield from _listed(spec["syncPolicy"]["syncOptions"], resource)


def _listed(listed: Node, resource: Resource) -> Iterator[Finding]:
    found = [(item, fault) for item in listed if (fault := _fault(item.text, Level.APPLICATION, resource))]
    for _, group in groupby(found, key=lambda pair: pair[0].file.position(pair[0].span.start).line):
        pairs = list(group)
        useless = [item for item, fault in pairs if fault.is_useless]
        # From the end, so that the places of the others stay what they are.
        patch = reduce(Patch.also, (item.remove() for item in reversed(useless))) if useless else None
        if len(useless) == len(list(listed)):
            patch = listed.remove()
        yield _finding(pairs[0][0], [fault for _, fault in pairs], patch)


def _fault(option: str, level: Level, resource: Resource) -> Fault | None:
    if sync_options.is_compare_option(option):
        place = "the Application's annotation" if option != "IgnoreExtraneous" else "the annotation"
        happens = f"It counts only in {place} {COMPARE_OPTIONS}."
        return Fault(option, f"{option} is no sync option and does nothing here", happens, "Move it there.")
    if sync_options.restates_the_default(option, level) or not sync_options.has_an_effect_somewhere(option):
        return None
    first = sync_options.since(option, level)
    if first is None:
        here, there = ELSEWHERE[level]
        what = f"{option} does nothing {here}"
        return Fault(option, what, f"It counts only {there}.", "Move it there, or take it away.")
    where = "in syncOptions" if level is Level.APPLICATION else "in an annotation"
    if sync_options.is_too_new(option, level, resource.versions):
        what, happens = f"{option} {where} needs Argo CD {first}", f"Argo CD {resource.versions.argocd} ignores it."
        return Fault(option, what, happens, "Upgrade Argo CD, or do without it.", is_useless=False)
    if sync_options.may_be_too_new(option, level, resource.versions):
        what, do = f"{option} {where} works since Argo CD {first}", "Make sure that your Argo CD is new enough."
        return Fault(option, what, "Older versions ignore it.", do, Severity.NOTE, is_useless=False)
    return None


def _without(annotation: Node, faults: list[Fault]) -> Patch | None:
    useless = {fault.option for fault in faults if fault.is_useless}
    if not useless:
        return None
    left = without(annotation.text, useless)
    return annotation.set(left) if left else annotation.remove()


def _finding(at: Node, faults: list[Fault], patch: Patch | None) -> Finding:
    fixes = (Fix("take away what does nothing here", patch, safe=True),) if patch else ()
    first, *others = sorted(faults, key=lambda fault: -fault.severity)
    also = "".join(f" {fault.what}, too." for fault in others)
    happens = f"{first.happens}{also}"
    return Finding(at, headline=first.what, happens=happens, do=first.do, fixes=fixes, severity=first.severity)
