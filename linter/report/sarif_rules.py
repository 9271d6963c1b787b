"""Rules as SARIF's reporting descriptors: what GitHub shows beside an alert."""

from __future__ import annotations

import re
from typing import Final

from ..facts.severity import Severity
from ..lint.grading import usual_severity
from ..lint.manual import Manual
from ..lint.rule import Rule
from .links import evidence_url, rule_url
from .report_options import ReportOptions

Json = dict[str, object]

LEVEL: Final = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "note"}
_PROBLEM_SEVERITY: Final = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "recommendation"}
_LONGEST_DESCRIPTION: Final = 1024
"""GitHub refuses the whole file for a longer one."""


def descriptor(rule: Rule, options: ReportOptions) -> Json:
    """From the rule alone, so that it is the same for every repository."""
    manual, usual = rule.manual, usual_severity(rule)
    found: Json = {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": _shortened(manual.summary or rule.name)},
        "fullDescription": {"text": _shortened(_one_line(manual.why) or manual.summary or rule.name)},
        "help": {"text": _help_text(manual), "markdown": _help_markdown(manual)},
        "defaultConfiguration": {"level": LEVEL[usual]},
        "properties": {
            "tags": ["argocd", "gitops", rule.topic, str(rule.moment)],
            "precision": "very-high" if rule.literal else "high",
            "problem.severity": _PROBLEM_SEVERITY[usual],
        },
    }
    url = rule_url(rule, options)
    if url:
        found["helpUri"] = url
    return found


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _shortened(text: str) -> str:
    """Whole sentences, as many as GitHub takes."""
    if len(text) <= _LONGEST_DESCRIPTION:
        return text
    end = max(text.rfind(mark, 0, _LONGEST_DESCRIPTION) for mark in (". ", "? ", "! "))
    return text[: end + 1] if end > 0 else text[: _LONGEST_DESCRIPTION - 1] + "…"


def _paragraphs(text: str) -> str:
    """Lines that the source code wraps are joined, so that the page can wrap them itself."""
    return "\n\n".join(_one_line(paragraph) for paragraph in re.split(r"\n[ \t]*\n", text) if paragraph.strip())


def _help_text(manual: Manual) -> str:
    parts = [manual.summary, _paragraphs(manual.why)]
    if manual.fix:
        parts.append(f"Fix: {_paragraphs(manual.fix)}")
    if manual.see:
        parts.append(f"See: {', '.join(manual.see)}")
    return "\n\n".join(filter(None, parts))


def _help_markdown(manual: Manual) -> str:
    parts = [f"**{manual.summary}**" if manual.summary else "", _paragraphs(manual.why)]
    if manual.fix:
        parts.append(f"**Fix:** {_paragraphs(manual.fix)}")
    for title, example in (("Bad", manual.bad), ("Good", manual.good)):
        if example:
            parts.append(f"**{title}:**\n\n```yaml\n{example}```")
    if manual.see:
        links = ((reference, evidence_url(reference)) for reference in manual.see)
        parts.append("**See:** " + ", ".join(f"[{text}]({url})" if url else text for text, url in links))
    return "\n\n".join(filter(None, parts))
