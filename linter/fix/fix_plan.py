"""From findings to the texts that files get, and onto the disk.

Fixes are tried out in memory first. What does not hold there (`proving`) is
left out, and the others are tried without it. A fix may make room for another
one, so this goes on until nothing changes: a second run finds nothing to do.
What is shown by `--diff` and what is written are the same plan.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, NamedTuple

from ...rules import load as load_rules
from ..files.discover import Found
from ..lint.new_since import known_before
from ..lint.result import Reported
from ..lint.rule import Scope
from ..lint.run import Linted
from ..lint.session import Session
from ..programs import watch
from ..yaml.source import SourceFile
from . import FileFix, NotWritten, demand_writable, fix_files, write
from .edited_repo import folders_and, with_texts
from .fix_proof import Objection, left_over, objections

MAX_PASSES: Final = 10
"""A fix may make room for another one; none of ours needs more than two passes."""
MOST_LOOKS: Final = 60
"""At the whole repository. What is still in doubt then stays as it is."""


class Held(NamedTuple):
    """A finding that could be fixed and is not, and why."""

    reported: Reported
    reason: str

    def __str__(self) -> str:
        item = self.reported
        return f"{item.file.path}:{item.start.line}: {item.rule.code} {item.rule.name}: {self.reason}"


@dataclass(frozen=True)
class Plan:
    """What files become."""

    changes: tuple[FileFix, ...]
    """By file, from the text that was read to the last one."""
    held: tuple[Held, ...]
    linted: Linted
    """What is found then."""
    followed: int = 0
    """Findings that came up through other fixes, and were fixed with them."""
    is_whole: bool = False
    """Whether `linted` is just what the session would find."""

    @property
    def count(self) -> int:
        return sum(len(change.applied) for change in self.changes)


@dataclass(frozen=True)
class Fixed:
    """What fixing came to: the last look at the files, and what became of the plan."""

    linted: Linted
    changes: tuple[FileFix, ...]
    not_written: tuple[str, ...]
    """Files that stayed as they were, and findings that were not fixed, each with the reason."""
    followed: int = 0

    @property
    def count(self) -> int:
        return sum(len(change.applied) for change in self.changes)

    @property
    def files(self) -> int:
        return len(self.changes)


def fix_in_place(session: Session, paths: Sequence[Path], *, unsafe: bool) -> Fixed:
    """Lint, plan, write."""
    found = session.find(paths)
    plan = plan_fixes(session, found, session.lint(found), unsafe=unsafe)
    written: list[FileFix] = []
    not_written = list(map(str, plan.held))
    for change in plan.changes:
        try:
            write(found.root, change)
            written.append(change)
        except NotWritten as reason:
            not_written.append(str(reason))
    is_known = plan.is_whole and len(written) == len(plan.changes)
    linted = plan.linted if is_known else session.lint(session.find(paths))
    return Fixed(linted, tuple(written), tuple(not_written), plan.followed)


def plan_fixes(session: Session, found: Found, linted: Linted, *, unsafe: bool, on_disk: bool = True) -> Plan:
    """`linted` is what the session says of the files; with `on_disk` those that cannot be written are left out."""
    return _Planner(session, found, linted, unsafe, on_disk).plan()


class _State(NamedTuple):
    found: Found
    linted: Linted


class _Step(NamedTuple):
    """From one state to another, and what is to be said against it."""

    after: _State
    fixes: tuple[FileFix, ...]
    left: Sequence[Reported]
    """Findings that are still there."""
    objections: Sequence[Objection]
    followed: int = 0

    @property
    def applied(self) -> list[Reported]:
        return [item for fix in self.fixes for item in fix.applied]

    @property
    def holds(self) -> bool:
        return not self.left and not self.objections


@dataclass
class _Planner:
    session: Session
    found: Found
    linted: Linted
    unsafe: bool
    on_disk: bool
    looks: int = 0
    followed: int = 0
    held: dict[tuple[str, str], Held] = field(default_factory=dict)
    applied: dict[str, list[Reported]] = field(default_factory=dict)
    unwritable: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.prover = self._prover()
        self.codes = frozenset(rule.code for rule in self.session.rules)
        self.known = frozenset(_texts(self.found))

    def plan(self) -> Plan:
        if self.linted.stopped or not any(self._is_fixable(item) for item in self.linted.result.reported):
            return Plan((), self._held(), self.linted, is_whole=True)
        state = self.start = self._start()
        for _ in range(MAX_PASSES):
            # What did not hold may hold beside what was done since.
            self.held.clear()
            step = self._next(state)
            if step is None:
                break
            state = step.after
            self.followed += step.followed
            for fix in step.fixes:
                self.applied.setdefault(fix.file.path, []).extend(fix.applied)
        return Plan(
            self._changes(state), self._held(), state.linted, self.followed, is_whole=self.prover is self.session
        )

    # -- looking

    def _prover(self) -> Session:
        """All rules look at the result, whatever was asked for, and nothing that is known already is left out."""
        session = self.session
        wanted = {
            rule.code: rule
            for rule in (*session.config.known(load_rules()), *session.rules)
            if rule.scope is not Scope.CHANGE
        }
        rules = tuple(rule for rule in wanted.values() if rule.default or rule in session.rules)
        is_same = {rule.code for rule in rules} <= {rule.code for rule in session.rules}
        unusual = session.kustomize or session.diff_base or session.staged or session.baseline
        if is_same and not unusual and self.found.requested is None:
            return session
        return replace(session, rules=rules, kustomize=None, diff_base="", staged=False, new_only=False, baseline=None)

    def _start(self) -> _State:
        if self.prover is self.session:
            return _State(self.found, self.linted)
        found = replace(self.found, requested=None)
        return _State(found, self.prover.lint(found))

    def _look(self, state: _State, fixes: Sequence[FileFix]) -> _State:
        self.looks += 1
        found = with_texts(state.found, {fix.file.path: fix.after for fix in fixes})
        touched = folders_and(fix.file.path for fix in fixes)
        repo = state.linted.repo
        reuse = repo.reused_by(touched.__contains__) if repo.reused_by else None
        linted = self.prover.lint(found, reuse)
        if linted.stopped:
            raise watch.RunOver(linted.stopped)  # what it did not come to may be what speaks against the fixes
        return _State(found, linted)

    # -- what is to be fixed

    def _wanted(self, state: _State) -> list[Reported]:
        asked = self.linted.result.reported
        if state is self.start:
            return [item for item in asked if self._is_fixable(item)]
        items = [item for item in state.linted.result.reported if self._is_fixable(item)]
        if self.prover is self.session:
            return items
        # What nobody asked for at the start (it is in the baseline, or not new) nobody asks for now.
        shown = known_before(self.start.linted.result.reported, asked)
        hidden = [item for item in self.start.linted.result.reported if id(item) not in shown]
        unasked = known_before(items, hidden)
        return [item for item in items if id(item) not in unasked]

    def _is_fixable(self, item: Reported) -> bool:
        if item.rule.code not in self.codes or not self.found.wants(item.file.path):
            return False
        usable = [fix for fix in item.finding.fixes if (self.unsafe or fix.safe) and fix.patch.can_be_applied]
        paths = {fix.patch.document.file.path for fix in usable}
        if not paths <= self.known:
            return False  # excluded, and read as a part of something else
        reason = next((why for path in sorted(paths) if (why := self._why_not_written(path))), "")
        if reason:
            self.held[item.rule.code, item.fingerprint] = Held(item, reason)
        return bool(usable) and not reason

    def _why_not_written(self, path: str) -> str:
        if self.on_disk and path not in self.unwritable:
            try:
                demand_writable(self.found.root, path)
                self.unwritable[path] = ""
            except NotWritten as reason:
                self.unwritable[path] = str(reason)
        return self.unwritable.get(path, "")

    # -- one step

    def _next(self, state: _State) -> _Step | None:
        """All fixes that hold together; None if there is none."""
        items = self._wanted(state)
        step = self._tried(state, items)
        if step is None or step.holds:
            return step
        left = set(map(id, step.left))
        for item in step.left:
            self._hold(item, "the finding would still be there")
        suspect = frozenset(path for objection in step.objections for path in objection.paths)
        rest = [item for item in items if id(item) not in left]
        doubtful = [item for item in rest if not suspect.isdisjoint(_paths(item))]
        good: list[Reported] = []
        best = self._add(state, good, [item for item in rest if item not in doubtful])
        # Those of a rule are mostly all right or all wrong: beside each other, halving parts them soon.
        return self._add(state, good, sorted(doubtful, key=lambda item: item.rule.code)) or best

    def _add(self, state: _State, good: list[Reported], items: Sequence[Reported]) -> _Step | None:
        """The good ones and as many of the items as hold with them: without those at fault, else found by halving."""
        if not items:
            return None
        if self.looks >= MOST_LOOKS:
            for item in items:
                self._hold(item, "whether it does harm was not found out in time")
            return None
        step = self._tried(state, [*good, *items])
        if step is None or step.holds:
            good += items
            return step
        if len(items) == 1:
            reason = step.objections[0].reason if step.objections else "the finding would still be there"
            self._hold(items[0], reason)
            return None
        if at_fault := _at_fault(step.objections, items):
            for item, reason in at_fault.values():
                self._hold(item, reason)
            return self._add(state, good, [item for item in items if id(item) not in at_fault])
        middle = len(items) // 2
        first = self._add(state, good, items[:middle])
        return self._add(state, good, items[middle:]) or first

    def _tried(self, state: _State, items: Sequence[Reported]) -> _Step | None:
        """None if nothing would change."""
        fixes = self._fixes(items)
        if not fixes:
            return None
        after = self._look(state, fixes)
        applied = [item for fix in fixes for item in fix.applied]
        step = _Step(
            after,
            fixes,
            left_over(state.linted, after.linted, applied),
            objections(state.linted, after.linted, fixes),
        )
        return step if step.holds else self._followed(state, step)

    def _followed(self, state: _State, step: _Step) -> _Step:
        """With fixes for what came up, if that puts all of it right: to protect a claim asks for its namespace, too."""
        new = [objection.finding for objection in step.objections]
        items = [item for item in new if item is not None and self._is_fixable(item)]
        if step.left or len(items) < len(new):
            return step
        fixes = self._fixes(items)
        if sum(len(fix.applied) for fix in fixes) < len(items):
            return step
        after = self._look(step.after, fixes)
        both = (*step.fixes, *fixes)
        then = _Step(
            after,
            both,
            left_over(step.after.linted, after.linted, items),
            objections(state.linted, after.linted, both),
            len(items),
        )
        return then if then.holds else step

    def _fixes(self, items: Sequence[Reported]) -> tuple[FileFix, ...]:
        return tuple(fix for fix in fix_files(items, unsafe=self.unsafe) if fix.changes)

    def _hold(self, item: Reported, reason: str) -> None:
        self.held[item.rule.code, item.fingerprint] = Held(item, reason)

    # -- the outcome

    def _held(self) -> tuple[Held, ...]:
        return tuple(sorted(self.held.values(), key=lambda one: one.reported.sort_key))

    def _changes(self, state: _State) -> tuple[FileFix, ...]:
        before, after = _texts(self.found), _texts(state.found)
        return tuple(
            FileFix(file, file.text, after[path].text, tuple(self.applied.get(path, ())), ())
            for path, file in sorted(before.items())
            if after[path].text != file.text
        )


def _texts(found: Found) -> Mapping[str, SourceFile]:
    return {file.path: file for group in (found.files, found.templates, found.others) for file in group}


def _paths(item: Reported) -> Iterable[str]:
    return {item.file.path, *(fix.patch.document.file.path for fix in item.finding.fixes)}


def _at_fault(objections: Iterable[Objection], items: Sequence[Reported]) -> dict[int, tuple[Reported, str]]:
    """Items that an objection is about, and no other item: by their ids, with the reason."""
    by_path: dict[str, list[Reported]] = {}
    for item in items:
        for path in _paths(item):
            by_path.setdefault(path, []).append(item)
    found: dict[int, tuple[Reported, str]] = {}
    for objection in objections:
        suspects = {id(item): item for path in objection.paths for item in by_path.get(path, ())}
        if len(suspects) == 1:
            found.update((key, (item, objection.reason)) for key, item in suspects.items())
    return found
