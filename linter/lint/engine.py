"""Runs rules over what they look at. The one place that catches a rule that throws."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

from ..argocd.applications import GROUP as ARGO_GROUP
from ..facts import limits
from ..facts.regexes import regex
from ..facts.severity import Severity
from ..kubernetes.resource import Resource
from ..programs import watch
from ..repo.app import App
from ..repo.model import Repo
from ..repo.sources.kustomize_builds import NotAnalysed
from ..repo.unread import NEVER_APPLIED, is_for_argo
from ..yaml.lazy import lazy
from ..yaml.source import Node, Place, SourceFile
from .grading import grade
from .looked import Crash, Looked, file_in_hand, without_quotations
from .origins import Tracer, places_of
from .progress import Progress
from .result import Reported
from .rule import Finding, Rule, Scope
from .sealed_files import without_sealed_fixes
from .unrendered_templates import doubtfully, literally, tentatively

if TYPE_CHECKING:
    from ..change import Change
    from ..helm.run.real_helm import RealHelm

_OF_FILES: Final = frozenset((Scope.RESOURCE, Scope.APP, Scope.REPO, Scope.CHANGE))


def _file_of(place: Place) -> SourceFile:
    return place.origin.file if isinstance(place, Node) else place.file


LONG_WORD: Final = 300
LONGEST_MESSAGE: Final = 3000
_LONG_WORD: Final = regex(rf"\S{{{LONG_WORD + 1},}}")
"""Also what is no word: letters and digits mixed, or more letters than a word has."""


_ORDER: Final = (Scope.RESOURCE, Scope.APP, Scope.REPO, Scope.CHANGE)


Look = Callable[[Rule, Any, SourceFile], None]


def shortened(finding: Finding) -> Finding:
    """Names may be as long as a stranger likes; nobody reads them to their end."""
    if len(finding.message) <= LONG_WORD and all(len(note.message) <= LONG_WORD for note in finding.related):
        return finding
    related = tuple(note._replace(message=_short(note.message)) for note in finding.related)
    return replace(finding.reworded(_short), related=related)


def _short(message: str) -> str:
    message = _LONG_WORD.sub(lambda word: f"{word[0][: LONG_WORD - 40]}…{word[0][-20:]}", message)
    return message if len(message) <= LONGEST_MESSAGE else f"{message[:LONGEST_MESSAGE]}…"


class Run:
    """One run over one repository: findings, crashes, and the time that each rule took."""

    def __init__(self, repo: Repo, change: Change | None = None, apps: Sequence[App] | None = None) -> None:
        self.repo = repo
        self.change = change
        self._apps = repo.apps if apps is None else apps
        """That rules about apps look at; all, unless somebody wants to know about some only."""
        self._resources: Sequence[Resource] = repo.resources
        """The same, of rules about objects."""
        self.reported: list[Reported] = []
        self.crashes: list[Crash] = []
        self.overruns: list[NotAnalysed] = []
        """What was not looked at to the end, since it takes too long."""
        self.stopped = ""
        """Why the run had to end; the rules that had not run by then are in `not_run`."""
        self.not_run: list[Rule] = []
        self.seconds: dict[str, float] = defaultdict(float)
        self._seen: set[tuple[object, ...]] = set()
        self._tracer = Tracer(repo)
        self._again: list[tuple[Rule, Any, SourceFile]] = []

    def check(self, rules: Sequence[Rule], progress: Progress = Progress(), jobs: int = 1) -> None:
        """In so many processes, where that is worth it; what is found, and its order, is the same."""
        wanted = sorted((rule for rule in rules if rule.scope in _ORDER), key=lambda rule: _ORDER.index(rule.scope))
        if any(rule.scope is Scope.APP for rule in wanted):
            self._prepare()
        with self._holding():
            looked = self._looked_in_copies(wanted, jobs) if jobs > 1 else {}
            for rule in progress.each(wanted, "Checking rules"):
                if rule.code in looked:
                    self._take_in(rule, looked[rule.code])
                else:
                    self._timed(rule, self._subjects(rule))
        while self._again:
            again, self._again = self._again, []
            with self._holding():
                for rule, subject, file in again:
                    self._timed(rule, [(subject, file)])
        self.reported += self._tracer.settled()

    def _looked_in_copies(self, rules: Sequence[Rule], jobs: int) -> Mapping[str, Looked]:
        from .rules_in_copies import looked_in_copies  # for large repositories only

        return looked_in_copies(self, rules, jobs)

    def _take_in(self, rule: Rule, looked: Looked) -> None:
        """What somebody else found out, as if it were found here."""
        self.seconds[rule.code] += looked.seconds
        self.crashes += looked.crashes
        self.overruns += looked.overruns
        subjects = list(self._subjects(rule)) if looked.again else []
        self._again += [(rule, *subjects[number]) for number in looked.again]
        found = [(finding, _file_of(finding.at)) for finding in looked.findings]
        self._timed(rule, found, lambda rule, finding, file: self._add(rule, finding))

    @contextmanager
    def _holding(self) -> Iterator[None]:
        """Rules start no process. What they want to know of Helm is asked when they are done, all at once."""
        with ExitStack() as stack:
            for helm in self.helms:
                stack.enter_context(helm.holding())
            yield

    @lazy
    def helms(self) -> list[RealHelm]:
        repos = [self.repo] if self.change is None else [self.repo, self.change.base, self.change.head]
        found = (one.charts.helm for one in repos)
        return list({id(helm): helm for helm in found if helm is not None}.values())

    def _put_off(self) -> int:
        return sum(helm.put_off for helm in self.helms)

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
            with suppress(Exception), watch.Piece(limits.RULE_SECONDS):  # the rule that asks for it will be reported
                _ = app.graph

    def check_one(self, rules: Iterable[Rule], scope: Scope, subject: Any, file: SourceFile) -> None:
        """For the few scopes that exist once: suppressions, crashes."""
        for rule in rules:
            if rule.scope is scope:
                self._timed(rule, [(subject, file)])

    def know_subjects(self) -> None:
        """Before copies are made, which would each have to find them."""
        _ = self._sorted, self.helms, self.repo.apps_of, self.repo.siblings(None)

    def _resources_for(self, rule: Rule) -> Iterable[Resource]:
        if not (rule.kinds or rule.annotated):
            return self._resources
        by_kind, by_annotation = self._sorted
        lists = [by_kind.get(kind, ()) for kind in rule.kinds]
        lists += [by_annotation.get(key, ()) for key in rule.annotated]
        return {id(resource): resource for found in lists for resource in found}.values()

    @lazy
    def _sorted(self) -> tuple[dict[str, list[Resource]], dict[str, list[Resource]]]:
        """By what rules ask for, so that a rule about Jobs is never called for the thousand others."""
        by_kind: dict[str, list[Resource]] = {}
        by_annotation: dict[str, list[Resource]] = {}
        for resource in self._resources:
            by_kind.setdefault(resource.kind, []).append(resource)
            for key in resource.annotation_keys:
                by_annotation.setdefault(key, []).append(resource)
        return by_kind, by_annotation

    def _timed(self, rule: Rule, subjects: Iterable[tuple[Any, SourceFile]], look: Look | None = None) -> None:
        if self.stopped:
            self.not_run.append(rule)
            return
        start = perf_counter()
        piece = watch.Piece(limits.RULE_SECONDS)  # begun anew for each subject
        look = look or self._look
        for subject, file in subjects:
            try:
                with piece:
                    look(rule, subject, file)
                if piece.over:
                    where = "." if subject is self.repo or subject is self.change else file.path
                    self.overruns.append(NotAnalysed(where, f"{rule.name} {piece.over}", "", True))
            except watch.RunOver as reason:
                self.stopped = str(reason)
                break
            except Exception as error:  # the only one: a rule must not take the others down with it
                import traceback

                if subject is self.repo or subject is self.change:
                    file = file_in_hand(error) or file
                self.crashes.append(Crash(rule, file, without_quotations(error), traceback.format_exc()))
        self.seconds[rule.code] += perf_counter() - start

    def _look(self, rule: Rule, subject: Any, file: SourceFile) -> None:
        """What rests on an answer of Helm's that is not there yet is looked at again."""
        if not self.helms:
            for finding in rule.findings(subject):
                self._add(rule, finding)
            return
        before = self._put_off()
        findings = list(rule.findings(subject))
        for finding in findings:
            places_of(finding)
        if self._put_off() > before:
            self._again.append((rule, subject, file))
        else:
            for finding in findings:
                self._add(rule, finding)

    def _add(self, rule: Rule, finding: Finding) -> None:
        at = finding.at
        finding = without_sealed_fixes(finding)
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
            finding = tentatively(finding, grade(rule, finding), knows_users=bool(self.repo.applications))
        finding = self._as_applied(rule, finding, at, resource)
        if resource is not None and resource.built:
            self._tracer.add(self._reported(rule, finding, resource))
            return
        # The same object may be part of several apps; its finding is one.
        key = (rule.code, at.file.path, at.span, finding.message)
        if key not in self._seen:
            self._seen.add(key)
            self.reported.append(self._reported(rule, finding, resource))

    def _as_applied(self, rule: Rule, finding: Finding, at: Place, resource: Resource | None) -> Finding:
        """Lower where it looks as if nobody applied it; a note where Applications read most of what is here, not it."""
        severity, reach, path = grade(rule, finding), self.repo.reach, _file_of(at).path
        tells_most = reach.tells_most and path not in reach.asked_for and not _is_argos(resource)
        if self._is_doubtful(rule, at, resource):
            is_note = self._is_sample(path) or (tells_most and path in reach.doubtful)
            return doubtfully(finding, Severity.NOTE if is_note else severity)
        if (tells_most or severity is Severity.ERROR) and self._is_nobodys(rule, resource):
            return doubtfully(finding, Severity.NOTE if tells_most else severity)
        return finding

    def _is_applied(self, rule: Rule, at: Place, resource: Resource | None) -> bool:
        """Whether somebody applies what is at the place, or the rule holds all the same."""
        reach = self.repo.reach
        path = _file_of(at).path
        if rule.scope not in _OF_FILES:
            return True
        if rule.any_file:
            return (reach.unread.get(path) or reach.doubtful.get(path)) not in NEVER_APPLIED
        if path in reach.unread or (rule.needs_argocd and path in reach.by_flux and not _is_argos(resource)):
            return False
        # What an Application reads is judged as it syncs it, not as an overlay has it that nobody deploys.
        apps = self.repo.apps_of.get(id(resource), ()) if resource is not None and resource.built else ()
        return path not in reach.read or not apps or any(app.application or app.template for app in apps)

    def _is_doubtful(self, rule: Rule, at: Place, resource: Resource | None) -> bool:
        """Whether it looks as if nobody applied what is at the place, and that matters to the rule."""
        if rule.any_file:
            return False
        if _file_of(at).path in self.repo.reach.doubtful:
            return True
        if rule.scope is Scope.CHANGE:
            return False
        if resource is None:  # somewhere in its text, which may be of another language
            return _file_of(at).path in self._files_left_behind
        return self.repo.is_left_behind(resource)

    def _is_sample(self, path: str) -> bool:
        """What nobody means to apply, and nobody asks for: tests may be wrong on purpose."""
        reach = self.repo.reach
        return path not in reach.asked_for and reach.doubtful.get(path) in NEVER_APPLIED

    @lazy
    def _files_left_behind(self) -> frozenset[str]:
        applications = (app.application.resource for app in self.repo.applications if app.application is not None)
        return frozenset(one.node.origin.file.path for one in applications if self.repo.is_left_behind(one))

    def _is_nobodys(self, rule: Rule, resource: Resource | None) -> bool:
        """Whether Applications are known, and none of them, nor a set, is seen to sync the object.

        Whoever applies Applications by hand applies what is beside them, too.
        """
        if rule.any_file or rule.scope is Scope.CHANGE or resource is None or _is_argos(resource):
            return False
        apps = self.repo.apps_with(resource)
        return bool(self.repo.applications) and not any(
            app.application or app.template or any(map(is_for_argo, app.resources)) for app in apps
        )

    def _reported(self, rule: Rule, finding: Finding, resource: Resource | None) -> Reported:
        finding = shortened(finding)
        apps = self.repo.apps_with(resource) if resource is not None else ()
        return Reported(rule, finding, grade(rule, finding), resource, apps[0].name if apps else "")


def _is_argos(resource: Resource | None) -> bool:
    """Whoever applies an Application, what is in it is for Argo CD."""
    return resource is not None and resource.group == ARGO_GROUP
