"""Code quality of GitLab: an entry a cause, so that a merge request tells a new cause from one that has moved.

GitLab compares reports by their fingerprints and keeps one entry of each. The
cause has one that stays when its places change.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from itertools import islice
from typing import Final

from ..dialects.phrases import counted
from ..facts.severity import Severity
from ..lint.causes import Group
from ..lint.result import Result
from .advice import to_do
from .escape import json_text, markdown, visible
from .heading import WHEN
from .links import rule_url
from .region import region_of
from .report_options import TOOL, ReportOptions

_SEVERITY: Final = {Severity.ERROR: "critical", Severity.WARNING: "major", Severity.NOTE: "info"}
_SHOWN_PLACES: Final = 20

Json = dict[str, object]


def render(result: Result, options: ReportOptions) -> str:
    told: set[str] = set()
    # What is known of the branch as a whole: GitLab itself finds out what is new.
    entries = [_entry(group, told, options) for group in result.whole.groups]
    return json_text(json.dumps(entries, indent=2)) + "\n"


def _entry(group: Group, told: set[str], options: ReportOptions) -> Json:
    item = group.first
    region = region_of(item.finding.at)
    wording = item.finding.wording
    return {
        "type": "issue",
        "engine_name": TOOL,
        "check_name": f"{group.rule.code} {group.rule.name}",
        "description": visible(" ".join(filter(None, (_sentence(group.headline), wording.happens)))),
        "content": {"body": "\n\n".join(_body(group, options))},
        "categories": ["Bug Risk"],
        "severity": _SEVERITY[group.severity],
        "fingerprint": _fingerprint(group, told),
        "location": {
            "path": visible(options.repository_path(item.file.path)),
            "lines": {"begin": region.line, "end": region.line},
        },
    }


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _fingerprint(group: Group, told: set[str]) -> str:
    """A cause that is worse at some places is two groups; the worse one comes first and has the fingerprint."""
    found = group.fingerprint
    if found in told:
        found = hashlib.sha256(f"{found}\0{group.severity}".encode()).hexdigest()[:32]
    told.add(found)
    return found


def _body(group: Group, options: ReportOptions) -> Iterator[str]:
    """In Markdown."""
    yield markdown(f"{WHEN[group.moment].capitalize()}.")
    for advice in islice(to_do(group.first), 1):
        yield f"Do: {markdown(advice)}"
    others = group.places[1:_SHOWN_PLACES]
    if others:
        named = (f"{options.repository_path(one.file.path)}:{region_of(one.finding.at).line}" for one in others)
        left = len(group.places) - 1 - len(others)
        more = f" and {counted(left, 'more place')}" if left else ""
        yield f"Also: {', '.join(map(markdown, named))}{more}"
    url = rule_url(group.rule, options)
    if url:
        yield f"[{group.rule.name}]({url})"
