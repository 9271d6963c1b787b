"""What may be said of a Helm template that was not rendered, or with values that nobody may use: what is literal."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from ..facts.regexes import regex
from ..facts.severity import Severity
from ..helm.masked_templates import UNKNOWN, is_unknown
from ..helm.template_conditions import conditions_at
from ..helm.template_file import TemplateFile
from ..helm.value_sources import is_literal
from ..yaml.compose import RawScalar
from ..yaml.source import Node
from .rule import Confidence, Finding

_RUN: Final = regex(f"{UNKNOWN}+|(?:{re.escape(repr(UNKNOWN)[1:-1])})+")
"""As it is, or as a message quotes it."""


def literally(finding: Finding) -> Finding | None:
    """The finding as far as a render cannot make it untrue; None if it can.

    What is missing in a template may be printed by an action, and so may the
    rest of a value that an action has a part in. Two places that do not go
    together may stand in two branches, and what depends on the cluster may
    have been left out for exactly this reason.
    """
    at = finding.at
    if isinstance(at, Node) and (at.absent or _has_unknown_text(at)):
        return None
    if any(note.at.file is at.file for note in finding.related):
        return None
    if isinstance(at.file, TemplateFile) and conditions_at(at.file, at.span.start).of_the_cluster:
        return None
    known = finding.reworded(lambda text: _RUN.sub("…", text))
    return replace(known, confidence=min(finding.confidence, Confidence.MEDIUM))


def tentatively(finding: Finding, severity: Severity, *, knows_users: bool) -> Finding:
    """As far as it holds for a chart whose values nobody knows: what a value decides is not more than a note.

    `knows_users`: there are Applications, and none of them is seen to use it; then the rest is a step lower.
    """
    at = finding.at
    if severity is Severity.NOTE or not isinstance(at, Node):
        return finding
    if not at.document.is_built or _is_written(at):
        return doubtfully(finding, severity) if knows_users else finding
    told = finding.with_remark("with the chart's own values, which no Application here uses")
    return replace(told, severity=Severity.NOTE, confidence=Confidence.LOW)


def _is_written(at: Node) -> bool:
    """Whether no value has a part in the place, nor in what stands right beside it, of which it may be said to lack."""
    around = at if at.is_mapping or at.parent is None else at.parent
    return is_literal(at.origin) and all(is_literal(beside.origin) for _, beside in around.items())


def doubtfully(finding: Finding, severity: Severity) -> Finding:
    """Of what looks as if nobody applied it, in a repository that does not say who applies what."""
    return replace(finding, severity=Severity(max(severity - 1, Severity.NOTE)))


def _has_unknown_text(node: Node) -> bool:
    texts = (raw.value for raw in (node.raw, node.key_raw) if isinstance(raw, RawScalar))
    return any(is_unknown(text) for text in texts)
