"""JUnit's XML, which every CI shows: a suite a rule that ran, a case a cause, or one that passes where there is none.

A case fails if the finding fails the run. One that does not is marked as
skipped, with its text: readers of this format know no third state.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple
from xml.sax.saxutils import escape, quoteattr

from ..lint.causes import Group
from ..lint.result import Result
from ..lint.rule import Rule
from .advice import to_do
from .escape import terminal, terminal_line
from .heading import WHEN
from .links import rule_url
from .region import region_of
from .report_options import TOOL, ReportOptions
from .summary import not_analysed


class _Case(NamedTuple):
    name: str
    classname: str
    outcome: str = ""
    """failure, error or skipped; empty for one that passes."""
    message: str = ""
    text: tuple[str, ...] = ()
    """Line by line: a name may have a line break in it, and begin the next one with a command."""
    file: str = ""
    line: int = 0


class _Suite(NamedTuple):
    name: str
    cases: list[_Case]

    def count(self, outcome: str) -> int:
        return sum(1 for case in self.cases if case.outcome == outcome)


def render(result: Result, options: ReportOptions) -> str:
    suites = [*_suites(result, options), *_unseen(result)]
    totals = _attributes(
        name=TOOL,
        tests=sum(len(suite.cases) for suite in suites),
        failures=sum(suite.count("failure") for suite in suites),
        errors=sum(suite.count("error") for suite in suites),
    )
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f"<testsuites {totals}>"]
    for suite in suites:
        lines += _suite_lines(suite)
    return "\n".join([*lines, "</testsuites>"]) + "\n"


def _suites(result: Result, options: ReportOptions) -> Iterator[_Suite]:
    found: dict[Rule, list[_Case]] = {rule: [] for rule in sorted(result.rules, key=lambda rule: rule.code)}
    for group in result.groups:
        found.setdefault(group.rule, []).append(_case(group, options))
    for rule, cases in found.items():
        name = f"{rule.code} {rule.name}"
        yield _Suite(name, cases or [_Case("nothing found", _class_of(rule))])


def _class_of(rule: Rule) -> str:
    """Most readers make a tree of the dots."""
    return f"{TOOL}.{rule.topic}.{rule.name}"


def _case(group: Group, options: ReportOptions) -> _Case:
    item = group.first
    region = region_of(item.finding.at)
    path = options.repository_path(item.file.path)
    failing = options.threshold is not None and group.severity >= options.threshold
    return _Case(
        f"{path}:{region.line} {group.headline}",
        _class_of(group.rule),
        "failure" if failing else "skipped",
        f"{group.severity}: {group.headline}",
        tuple(_text(group, options)),
        path,
        region.line,
    )


def _text(group: Group, options: ReportOptions) -> Iterator[str]:
    for item in group.places:
        region = region_of(item.finding.at)
        path = options.repository_path(item.file.path)
        yield f"{path}:{region.line}:{region.column}: {item.severity} {item.rule.code} {item.finding.wording.headline}"
    wording = group.first.finding.wording
    yield from filter(None, (wording.happens,))
    yield f"When: {WHEN[group.moment]}"
    yield from (f"Do: {advice}" for advice in to_do(group.first))
    if group.applications:
        yield f"In: {', '.join(group.applications)}"
    url = rule_url(group.rule, options)
    if url:
        yield f"Docs: {url}"


def _unseen(result: Result) -> Iterator[_Suite]:
    """What was not looked into: nothing is known of it, so it neither passes nor fails."""
    cases = [
        _Case(reason, f"{TOOL}.not-analysed", "skipped", f"not analysed: {reason}", tuple(paths))
        for reason, paths in not_analysed(result).items()
    ]
    if result.crashed:
        said = "gitops-lint could not do all of its job"
        cases.append(_Case("every rule ran", f"{TOOL}.run", "error", said))
    if cases:
        yield _Suite("the run", cases)


def _suite_lines(suite: _Suite) -> Iterator[str]:
    numbers = {f"{word}s" if word != "skipped" else word: suite.count(word) for word in ("failure", "error", "skipped")}
    yield f"  <testsuite {_attributes(name=suite.name, tests=len(suite.cases), **numbers)}>"
    for case in suite.cases:
        where = {"file": case.file, "line": case.line} if case.file else {}
        opening = f"    <testcase {_attributes(name=case.name, classname=case.classname, **where)}"
        if not case.outcome:
            yield f"{opening}/>"
            continue
        kind = {} if case.outcome == "skipped" else {"type": case.message.partition(":")[0]}
        text = "\n".join(map(terminal_line, case.text))
        yield f"{opening}>"
        yield f"      <{case.outcome} {_attributes(message=case.message, **kind)}>{escape(text)}</{case.outcome}>"
        yield "    </testcase>"
    yield "  </testsuite>"


def _attributes(**values: object) -> str:
    return " ".join(f"{name}={quoteattr(terminal(str(value)))}" for name, value in values.items())
