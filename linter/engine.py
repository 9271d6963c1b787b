"""Runs rules over what they look at. The one place that catches a rule that throws."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from contextlib import suppress
from time import perf_counter
from typing import Any, Final, NamedTuple

from .change import Change
from .grading import grade
from .lazy import lazy
from .model import App, Repo
from .progress import Progress
from .resource import Resource
from .result import Reported
from .rule import Finding, Rule, Scope
from .source import Node, SourceFile, Span, Spot
from .tracing import Tracer
from .unrendered import literally, tentatively

_ORDER: Final = (Scope.RESOURCE, Scope.APP, Scope.REPO, Scope.CHANGE)


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

    def check(self, rules: Sequence[Rule], progress: Progress = Progress()) -> None:
        wanted = sorted((rule for rule in rules if rule.scope in _ORDER), key=lambda rule: _ORDER.index(rule.scope))
        if any(rule.scope is Scope.APP for rule in wanted):
            self._prepare()
        for rule in progress.each(wanted, "Checking rules"):
            self._timed(rule, self._subjects(rule))
        self.reported += self._tracer.settled()

    def _subjects(self, rule: Rule) -> Iterable[tuple[Any, SourceFile]]:
        """What a rule looks at, and where it is, should the rule fail."""
        if rule.scope is Scope.RESOURCE:
            return ((one, one.file) for one in self._resources_for(rule) if rule.literal or not one.patched)
        if rule.scope is Scope.APP:
            return ((app, app.file) for app in self._apps)
        subject = self.repo if rule.scope is Scope.REPO else self.change
        return [(subject, self.repo.files[0])] if self.repo.files and subject is not None else []

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

    def _resources_for(self, rule: Rule) -> Iterable[Resource]:
        if not (rule.kinds or rule.annotated):
            return self.repo.resources
        by_kind, by_annotation = self._sorted
        lists = [by_kind.get(kind, ()) for kind in rule.kinds]
        lists += [by_annotation.get(key, ()) for key in rule.annotated]
        return {id(resource): resource for found in lists for resource in found}.values()

    @lazy
    def _sorted(self) -> tuple[dict[str, list[Resource]], dict[str, list[Resource]]]:
        """By what rules ask for, so that a rule about Jobs is never called for the thousand others."""
        by_kind: dict[str, list[Resource]] = {}
        by_annotation: dict[str, list[Resource]] = {}
        for resource in self.repo.resources:
            by_kind.setdefault(resource.kind, []).append(resource)
            for key in resource.annotation_keys:
                by_annotation.setdefault(key, []).append(resource)
        return by_kind, by_annotation

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
        if resource is not None and resource.patched and not rule.literal:
            return
        if resource is not None and resource.unrendered:
            known = literally(finding)
            if known is None:
                return
            finding = known
        if resource is not None and resource.tentative:
            finding = tentatively(finding, grade(rule, finding))
        if resource is not None and resource.built:
            self._tracer.add(self._reported(rule, finding, resource))
            return
        # The same object may be part of several apps; its finding is one.
        key = (rule.code, at.file.path, at.span, finding.message)
        if key not in self._seen:
            self._seen.add(key)
            self.reported.append(self._reported(rule, finding, resource))

    def _reported(self, rule: Rule, finding: Finding, resource: Resource | None) -> Reported:
        apps = self.repo.apps_of.get(id(resource), ()) if resource is not None else ()
        return Reported(rule, finding, grade(rule, finding), resource, apps[0].name if apps else "")
