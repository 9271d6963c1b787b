"""Addresses that reports and rule pages point to."""

from __future__ import annotations

from typing import Final

from ..facts.regexes import regex
from ..lint.rule import Rule
from .report_options import ReportOptions

_ISSUE: Final = regex(r"(?:(?P<owner>[\w.-]+)/)?(?P<name>[\w.-]+)#(?P<number>\d+)")
_OWNERS: Final = dict.fromkeys(("argo-cd", "argo-helm", "argo-workflows", "gitops-engine"), "argoproj")


def evidence_url(reference: str) -> str | None:
    """The address behind an entry of a manual's `See:`; None for one that only names something."""
    if reference.startswith("https://"):
        return reference.split()[0]
    issue = _ISSUE.fullmatch(reference)
    owner = issue and (issue["owner"] or _OWNERS.get(issue["name"]))
    # GitHub leads from an issue's address to the pull request of the same number.
    return f"https://github.com/{owner}/{issue['name']}/issues/{issue['number']}" if issue and owner else None


def rule_url(rule: Rule, options: ReportOptions) -> str | None:
    """The rule's page, or else the first evidence for it."""
    if options.rule_page and rule.is_ours:
        return options.rule_page.format(name=rule.name, code=rule.code)
    return next(filter(None, map(evidence_url, rule.manual.see)), None)
