"""How severe a finding is in the end: how bad it is, and when it bites. Decided here and nowhere else.

An error fails the next sync, or loses data. What can only bite a cluster that is
built from nothing is a note; where a change brings it, a warning, since that is
when somebody can act on it. What bites when something is removed, fails or is
upgraded is at most a warning. What never heals, and what loses data, is as bad as it
is, whenever that may be.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ..facts.severity import Severity
from .rule import Finding, Moment, Rule, Scope

WORST: Final[Mapping[Moment, Severity]] = {
    Moment.SYNC: Severity.ERROR,
    Moment.INSTALL: Severity.NOTE,
    Moment.REMOVAL: Severity.WARNING,
    Moment.TROUBLE: Severity.WARNING,
    Moment.UPGRADE: Severity.WARNING,
}
"""What a finding can be at most by default; the option `moments` says otherwise."""


def grade(
    rule: Rule,
    finding: Finding,
    *,
    is_new: bool | None = None,
    moments: Mapping[Moment, Severity] | None = None,
    given: Severity | None = None,
) -> Severity:
    """`given` is what the config says of the rule, `moments` what it says of moments."""
    if rule.scope is Scope.CRASH:
        return rule.severity
    if given is not None:
        return given
    said = finding.severity or (Severity.ERROR if finding.never_heals else rule.severity)
    if finding.never_heals or finding.loses_data:
        return said
    return min(said, worst_at(moment_of(rule, finding), bool(is_new or rule.scope is Scope.CHANGE), moments or {}))


def moment_of(rule: Rule, finding: Finding) -> Moment:
    return finding.moment or rule.moment


def worst_at(moment: Moment, is_new: bool = False, moments: Mapping[Moment, Severity] | None = None) -> Severity:
    """What a finding of the moment can be at most."""
    if moments and moment in moments:
        return moments[moment]
    return Severity.WARNING if moment is Moment.INSTALL and is_new else WORST[moment]


def usual_severity(rule: Rule) -> Severity:
    """Of a finding that says nothing else, in a run without a config and without a base."""
    return min(rule.severity, worst_at(rule.moment, rule.scope is Scope.CHANGE))
