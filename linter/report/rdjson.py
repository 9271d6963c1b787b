"""Reviewdog's JSON: a comment a place, with the text of the fix as a suggestion.

Its columns count bytes of UTF-8.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from typing import Final

from ..facts.severity import Severity
from ..lint.result import Reported, Result
from ..yaml.source import SourceFile
from .advice import to_do
from .escape import json_text, visible
from .fix_edits import Lowered
from .links import rule_url
from .region import region_of
from .report_options import TOOL, ReportOptions

_SEVERITY: Final = {Severity.ERROR: "ERROR", Severity.WARNING: "WARNING", Severity.NOTE: "INFO"}

Json = dict[str, object]


def render(result: Result, options: ReportOptions) -> str:
    lowered = Lowered()
    report: Json = {
        "source": {"name": TOOL, "url": options.homepage},
        "diagnostics": [_diagnostic(item, options, lowered) for item in result.nearest_first],
    }
    return json_text(json.dumps(report, indent=2)) + "\n"


def _diagnostic(item: Reported, options: ReportOptions, lowered: Lowered) -> Json:
    region = region_of(item.finding.at)
    code: Json = {"value": f"{item.rule.code} {item.rule.name}"}
    url = rule_url(item.rule, options)
    found: Json = {
        "message": "\n".join(map(visible, _sentences(item))),
        "location": {
            "path": options.repository_path(item.file.path),
            "range": _range(item.file, region.start, region.end),
        },
        "severity": _SEVERITY[item.severity],
        "code": {**code, "url": url} if url else code,
    }
    related = [
        {
            "message": visible(note.message),
            "location": {
                "path": options.repository_path(note.at.file.path),
                "range": _range(note.at.file, region_of(note.at).start, region_of(note.at).end),
            },
        }
        for note in item.finding.related
    ]
    if related:
        found["relatedLocations"] = related
    suggestions = list(_suggestions(item, lowered))
    return {**found, "suggestions": suggestions} if suggestions else found


def _sentences(item: Reported) -> Iterator[str]:
    wording = item.finding.wording
    yield wording.headline
    yield from filter(None, (wording.happens,))
    yield from (f"Do: {advice}" for advice in islice(to_do(item), 1))


def _suggestions(item: Reported, lowered: Lowered) -> Iterator[Json]:
    """Of the best fix, if it is one edit of the file that the comment stands in: they are taken one by one."""
    for fix in islice(item.finding.fixes, 1):
        file = fix.patch.document.file
        edits = lowered.edits(fix) if file is item.file else None
        for edit in edits if edits and len(edits) == 1 else ():
            yield {"range": _range(file, edit.start, edit.end), "text": edit.text}


def _range(file: SourceFile, start: int, end: int) -> Json:
    return {"start": _position(file, start), "end": _position(file, end)}


def _position(file: SourceFile, offset: int) -> Json:
    place = file.position(offset)
    before = file.text[offset - place.column + 1 : offset]
    return {"line": place.line, "column": len(before.encode("utf-8", "surrogatepass")) + 1}
