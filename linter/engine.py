"""Runs rules over what they look at. The one place that catches a rule that throws."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from contextlib import suppress
from time import perf_counter
from typing import Any, Final, NamedTuple

from .change import Change
from .model import App, Repo
from .render.unread import NEVER_APPLIED
from .resource import Resource
from .result import Reported
from .rule import Finding, Rule, Scope
from .source import Node, Place, SourceFile, Span, Spot
from .tracing import Tracer
from .unrendered import doubtfully, literally, tentatively

_OF_FILES: Final = frozenset((Scope.RESOURCE, Scope.APP, Scope.REPO, Scope.CHANGE))


def _file_of(place: Place) -> SourceFile:
    return place.origin.file if isinstance(place, Node) else place.file


class Crash(NamedTuple):
    """A rule threw. That is our bug: it is reported, never hidden, and the other rules go on."""

    rule: Rule
    file: SourceFile
    error: str
    trace: str

    @property
    def at(self) -> Spot:
        return Spot(self.file, Span(0, 0))


class Run:
    """One run over one repository: findings, crashes, and the time that each rule took."""

    def __init__(self, repo: Repo, change: Change | None = None, apps: Sequence[App] | None = None) -> None:
        self.repo = repo
        self.change = change
        self._apps = repo.apps if apps is None else apps
        """That rules about apps look at; all, unless somebody wants to know about some only."""
        self.reported: list[Reported] = []
        self.crashes: list[Crash] = []
        self.seconds: dict[str, float] = defaultdict(float)
        self._seen: set[tuple[object, ...]] = set()
        self._tracer = Tracer(repo)

    def check(self, rules: Sequence[Rule]) -> None:
        by_scope: dict[Scope, list[Rule]] = defaultdict(list)
        for rule in rules:
            by_scope[rule.scope].append(rule)
        self._check_resources(by_scope[Scope.RESOURCE])
        if by_scope[Scope.APP]:
            self._prepare()
        for rule in by_scope[Scope.APP]:
            self._timed(rule, ((app, app.file) for app in self._apps))
        whole = [(self.repo, self.repo.files[0])] if self.repo.files else []
        for rule in by_scope[Scope.REPO]:
            self._timed(rule, whole)
        if self.change is not None:
            for rule in by_scope[Scope.CHANGE]:
                self._timed(rule, [(self.change, file) for _, file in whole])
        self.reported += self._tracer.settled()

    def _prepare(self) -> None:
        """Most rules on apps need the graph: it is no part of the time that the first of them takes."""
        for app in self._apps:
            with suppress(Exception):  # the rule that asks for it will fail, and be reported
                _ = app.graph

    def check_one(self, rules: Iterable[Rule], scope: Scope, subject: Any, file: SourceFile) -> None:
        """For the few scopes that exist once: suppressions, crashes."""
        for rule in rules:
            if rule.scope is scope:
                self._timed(rule, [(subject, file)])

    def _check_resources(self, rules: Sequence[Rule]) -> None:
        # Sorted by what rules ask for, so that a rule about Jobs is never called for the thousand others.
        by_kind: dict[str, list[Resource]] = defaultdict(list)
        by_annotation: dict[str, list[Resource]] = defaultdict(list)
        for resource in self.repo.resources:
            by_kind[resource.kind].append(resource)
            for key in resource.annotation_keys:
                by_annotation[key].append(resource)
        for rule in rules:
            subjects: Iterable[Resource] = self.repo.resources
            if rule.kinds or rule.annotated:
                lists = [by_kind[kind] for kind in rule.kinds] + [by_annotation[key] for key in rule.annotated]
                subjects = {id(resource): resource for found in lists for resource in found}.values()
            self._timed(rule, ((one, one.file) for one in subjects if rule.literal or not one.patched))

    def _timed(self, rule: Rule, subjects: Iterable[tuple[Any, SourceFile]]) -> None:
        start = perf_counter()
        for subject, file in subjects:
            try:
                for finding in rule.check(subject):
                    self._add(rule, finding)
            except Exception as error:  # the only one: a rule must not take the others down with it
                import traceback

                summary = f"{type(error).__name__}: {error}"
                self.crashes.append(Crash(rule, file, summary, traceback.format_exc()))
        self.seconds[rule.code] += perf_counter() - start

    def _add(self, rule: Rule, finding: Finding) -> None:
        at = finding.at
        resource = self.repo.owner(at) if isinstance(at, Node) else None
        if not self._is_applied(rule, at, resource):
            return
        if resource is not None and resource.patched and not rule.literal:
            return
        if resource is not None and resource.unrendered:
            known = literally(finding)
            if known is None:
                return
            finding = known
        if resource is not None and resource.tentative:
            finding = tentatively(finding, finding.severity or rule.severity)
        if not rule.any_file and _file_of(at).path in self.repo.reach.doubtful:
            finding = doubtfully(finding, finding.severity or rule.severity)
        if resource is not None and resource.built:
            self._tracer.add(self._reported(rule, finding, resource))
            return
        # The same object may be part of several apps; its finding is one.
        key = (rule.code, at.file.path, at.span, finding.message)
        if key not in self._seen:
            self._seen.add(key)
            self.reported.append(self._reported(rule, finding, resource))

    def _is_applied(self, rule: Rule, at: Place, resource: Resource | None) -> bool:
        """Whether somebody applies what is at the place, or the rule holds all the same."""
        reach = self.repo.reach
        path = _file_of(at).path
        if rule.scope not in _OF_FILES:
            return True
        if rule.any_file:
            return (reach.unread.get(path) or reach.doubtful.get(path)) not in NEVER_APPLIED
        if path in reach.unread:
            return False
        # What an Application reads is judged as it syncs it, not as an overlay has it that nobody deploys.
        apps = self.repo.apps_of.get(id(resource), ()) if resource is not None and resource.built else ()
        return path not in reach.read or not apps or any(app.application or app.template for app in apps)

    def _reported(self, rule: Rule, finding: Finding, resource: Resource | None) -> Reported:
        apps = self.repo.apps_of.get(id(resource), ()) if resource is not None else ()
        return Reported(rule, finding, finding.severity or rule.severity, resource, apps[0].name if apps else "")
