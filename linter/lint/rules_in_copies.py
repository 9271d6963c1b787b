"""Rules in several processes: copies of this one, made when the model is built, so that nothing of it is sent.

What a copy finds is told when it is done, and taken in rule by rule in the order in which one process alone would
have come to it. A rule of which nobody has told anything is simply looked at again.
"""

from __future__ import annotations

import pickle
from collections.abc import Mapping, Sequence
from typing import Final

from ..programs import watch
from ..programs.copies import MOST_TASKS, can_copy, shared_out
from .engine import Run
from .looked import Crash, Looked
from .rule import Finding, Rule, Scope
from .sent_findings import CannotBeTold, Tellers

WORTH_IT: Final = 600
"""Objects from which on a copy saves more than it costs."""
_FIRST: Final = (Scope.REPO, Scope.APP, Scope.RESOURCE)
"""Those that take longest are begun first."""


def looked_in_copies(run: Run, rules: Sequence[Rule], jobs: int) -> Mapping[str, Looked]:
    """By the code of a rule, for as many as somebody could tell of; nothing where it is not worth it."""
    if len(run.repo.resources) < WORTH_IT or len(rules) > MOST_TASKS or not can_copy():
        return {}
    copies = watch.copies_within_memory(jobs - 1)
    if not copies:
        return {}
    return _Sharing(run, rules).looked(copies)


class _Sharing:
    def __init__(self, run: Run, rules: Sequence[Rule]) -> None:
        self._run = run
        self._rules = [rule for rule in rules if rule.scope in _FIRST]
        self._tellers = Tellers(run.repo.files, run.repo.resources)
        self._mine: dict[int, Looked] = {}
        self._stopped = ""

    def looked(self, copies: int) -> Mapping[str, Looked]:
        run = self._run
        run.know_subjects()
        order = sorted(range(len(self._rules)), key=lambda number: _FIRST.index(self._rules[number].scope))
        theirs: list[bytes] = []
        try:
            theirs = shared_out(order, copies, self._look, self._told, enough=lambda: bool(self._stopped))
        except watch.RunOver as reason:
            self._stopped = str(reason)
        run.stopped = self._stopped
        found = {self._rules[number].code: looked for number, looked in self._mine.items()}
        for told in theirs:
            found |= self._heard(told)
        return found

    def _look(self, number: int) -> None:
        apart = _Apart(self._run)
        rule = self._rules[number]
        looked = apart.look_at_all(rule)
        if apart.stopped:
            self._stopped = apart.stopped
        else:
            self._mine[number] = looked

    # -- what a copy says

    def _told(self) -> bytes:
        """Each rule by itself: one that cannot be told does not keep back the others."""
        told = {}
        for number, looked in () if self._stopped else self._mine.items():
            try:
                crashes = [(self._tellers.told(one.file), one.error, one.trace) for one in looked.crashes]
                told[number] = self._tellers.told(tuple(looked._replace(crashes=()))), crashes
            except CannotBeTold:
                continue
        held = [self._tellers.told(helm.held) for helm in self._run.helms]
        return pickle.dumps((told, held))

    def _heard(self, told: bytes) -> Mapping[str, Looked]:
        found: dict[str, Looked] = {}
        if not told:
            return found
        rules, held = pickle.loads(told)  # of a copy of this very process
        for helm, asked in zip(self._run.helms, held, strict=True):
            helm.hold(self._tellers.heard(asked))
        for number, (looked, crashes) in rules.items():
            rule = self._rules[number]
            try:
                ended = [Crash(rule, self._tellers.heard(file), error, trace) for file, error, trace in crashes]
                found[rule.code] = Looked(*self._tellers.heard(looked))._replace(crashes=ended)
            except CannotBeTold:
                continue
        return found


class _Apart(Run):
    """Looks as the run does, and keeps what it finds to itself."""

    def __init__(self, run: Run) -> None:
        self.__dict__.update(run.__dict__)
        self.crashes, self.overruns, self._again = [], [], []
        self.seconds = dict.fromkeys(run.seconds, 0.0)
        self._findings: list[Finding] = []

    def look_at_all(self, rule: Rule) -> Looked:
        subjects = list(self._subjects(rule))
        self.seconds[rule.code] = 0.0
        self._timed(rule, subjects)
        numbers = {id(subject): number for number, (subject, _) in enumerate(subjects)}
        again = [numbers[id(subject)] for _, subject, _ in self._again]
        return Looked(self._findings, self.crashes, self.overruns, again, self.seconds[rule.code])

    def _add(self, rule: Rule, finding: Finding) -> None:
        self._findings.append(finding)
