"""A rule's manual as a page: for the terminal, for docs/, and as data."""

from __future__ import annotations

from typing import Any

from ..facts.severity import Severity
from ..lint.grading import usual_severity, worst_at
from ..lint.manual import unmarked
from ..lint.rule import Moment, Rule, Scope
from .heading import WHEN
from .links import evidence_url


def markdown(rule: Rule) -> str:
    """The page in docs/rules/, also what `gitops-lint rule NAME` prints."""
    manual = rule.manual
    parts = [
        f"# {rule.name} ({rule.code})",
        manual.summary,
        f"Severity: {rule.severity}. It bites {WHEN[rule.moment]}{_graded(rule)}."
        + ("" if rule.default else " It runs only when it is selected."),
        manual.why,
        f"## What to do\n\n{manual.fix}",
    ]
    if manual.bad:
        parts += [f"## Found\n\n```yaml\n{manual.bad}```", f"## Not found\n\n```yaml\n{unmarked(manual.good)}```"]
    if manual.see:
        parts.append("## Evidence\n\n" + "\n".join(f"- {_link(reference)}" for reference in manual.see))
    parts.append(
        f"## Ignore it\n\n`# gitops-lint: ignore[{rule.name}] reason`, on the line or above it."
        if rule.code != "GL000"
        else "It cannot be ignored."
    )
    return "\n\n".join(parts) + "\n"


def _graded(rule: Rule) -> str:
    """What the moment makes of the severity."""
    usual = usual_severity(rule)
    if usual is rule.severity:
        return ""
    if rule.moment is Moment.INSTALL and rule.scope is not Scope.CHANGE:
        return f", so it is reported as a {usual}; as a warning in a change that brings it (`--diff-base`)"
    return f", so it is reported as a {usual}"


def _link(reference: str) -> str:
    url = evidence_url(reference)
    return f"[{reference}]({url})" if url and url != reference else reference


def as_lines(rules: tuple[Rule, ...]) -> str:
    """A rule in a line: code, name, how severe it usually is, what it finds."""
    width = max(len(rule.name) for rule in rules)
    off = {rule: "" if rule.default else " (off unless selected)" for rule in rules}
    lines = (
        f"{one.code:6} {one.name:{width}} {usual_severity(one)!s:8} {one.manual.summary}{off[one]}" for one in rules
    )
    return "\n".join(lines)


def as_data(rule: Rule) -> dict[str, Any]:
    return {
        "code": rule.code,
        "name": rule.name,
        "topic": rule.topic,
        "severity": str(rule.severity),
        "moment": str(rule.moment),
        "default": rule.default,
        "summary": rule.manual.summary,
        "why": rule.manual.why,
        "fix": rule.manual.fix,
        "bad": unmarked(rule.manual.bad),
        "good": rule.manual.good,
        "see": list(rule.manual.see),
    }


def index(rules: tuple[Rule, ...]) -> str:
    """docs/rules.md: every rule in one table, by topic."""
    lines = ["# Rules", "", "Made from the rules by `make docs`. Each name leads to the rule's manual.", ""]
    lines += ["The severity says how bad it is, the moment when it bites:", ""]
    lines += [f"- `{moment}`: {WHEN[moment]}; at most {_article(worst_at(moment))}" for moment in Moment]
    lines += ["", "What never heals or loses data is as bad as it is at any moment.", ""]
    topic = ""
    for rule in rules:
        if rule.topic != topic:
            topic = rule.topic
            lines += ["", f"## {topic.capitalize()}", ""]
            lines += ["| code | name | severity | moment | what it finds |", "|---|---|---|---|---|"]
        name = f"[{rule.name}](rules/{rule.name}.md)"
        lines.append(f"| {rule.code} | {name} | {rule.severity} | {rule.moment} | {rule.manual.summary} |")
    return "\n".join(lines).replace("\n\n\n", "\n\n") + "\n"


def _article(severity: Severity) -> str:
    return f"an {severity}" if severity is Severity.ERROR else f"a {severity}"
