"""The format for programs; `schemas/findings.schema.json` is its contract."""

from __future__ import annotations

import json
from io import StringIO
from typing import Final

from ..facts.severity import Severity
from ..lint.causes import Group
from ..lint.result import Reported, Result
from ..lint.rule import Fix, Note
from ..yaml.source import Position
from .advice import to_do
from .escape import json_text
from .fix_edits import Lowered, is_json
from .links import rule_url
from .region import Region, region_of
from .report_options import TOOL, ReportOptions

VERSION: Final = 2
"""Grows when a reader of the old form would go wrong; new properties come with a new version too."""

Json = dict[str, object]


def render(result: Result, options: ReportOptions) -> str:
    lowered = Lowered()
    causes = {id(item): group for group in result.groups for item in group.places}
    report: Json = {
        "version": VERSION,
        "tool": {"name": TOOL, "version": options.tool_version},
        "summary": _summary(result),
        "causes": [_cause(group, options) for group in result.groups],
        "findings": [_finding(item, causes[id(item)], options, lowered) for item in result.reported],
        "notAnalysed": [
            {"path": item.path, "reason": item.reason, "detail": item.detail} for item in result.not_analysed
        ],
        "remarks": list(result.remarks),
        "outOfReach": [{"reason": reason, "paths": list(paths)} for reason, paths in result.out_of_reach.items()],
    }
    text = StringIO()  # `dumps` would keep every piece of a long report in a list
    json.dump(report, text, indent=2, allow_nan=False)
    return json_text(text.getvalue()) + "\n"


def _summary(result: Result) -> Json:
    sight = result.sight
    return {
        "files": len(result.files),
        "objects": result.resources,
        "applications": sight.applications,
        "applicationsSeenWhole": sight.seen_whole,
        "applicationSets": sight.sets,
        "applicationSetsExpanded": sight.sets_expanded,
        "applicationSetsOpen": sight.sets_open,
        "looseUnits": sight.loose_units,
        "rules": len(result.rules),
        "errors": result.count(Severity.ERROR),
        "warnings": result.count(Severity.WARNING),
        "notes": result.count(Severity.NOTE),
        "places": len(result.reported),
        "suppressed": result.suppressed,
        "baselined": result.baselined,
        "fixable": {"safe": result.fixable(safe=True), "unsafe": result.fixable(safe=False)},
        **_versions(result),
        "complete": result.is_complete,
        "outOfReach": sum(map(len, result.out_of_reach.values())),
        "fluxOnly": result.is_flux_only,
        **_change(result),
    }


def _versions(result: Result) -> Json:
    found: Json = {"argocdVersion": None, "kubernetesVersion": None}
    for one in result.assumed:
        key = f"{one.option.partition('-')[0]}Version"
        found |= {key: str(one.version) if one.version else None, f"{key}From": one.why or None}
    return found


def _change(result: Result) -> Json:
    """Nothing where nothing is compared."""
    if result.changed_apps is None:
        return {}
    new = sum(1 for item in result.reported if item.is_new)
    return {"new": new, "notNew": len(result.left_out), "changedApplications": result.changed_apps}


def _cause(group: Group, options: ReportOptions) -> Json:
    wording = group.first.finding.wording
    cause = group.first.finding.cause
    at = cause.at if cause is not None and cause.at is not None else None
    return {
        "fingerprint": group.fingerprint,
        "what": group.what or None,
        "at": None if at is None else {"path": at.file.path, "range": _range(region_of(at))},
        "code": group.rule.code,
        "name": group.rule.name,
        "severity": str(group.severity),
        "moment": str(group.moment),
        "headline": group.headline,
        "happens": wording.happens or None,
        "do": group.first.finding.wording.do or next(to_do(group.first), None),
        "applications": list(group.applications),
        "places": [
            {"path": item.file.path, "range": _range(region_of(item.finding.at)), "fingerprint": item.fingerprint}
            for item in group.places
        ],
        "url": rule_url(group.rule, options),
        **({} if group.is_new is None else {"new": group.is_new}),
    }


def _finding(item: Reported, cause: Group, options: ReportOptions, lowered: Lowered) -> Json:
    finding = item.finding
    return {
        "code": item.rule.code,
        "name": item.rule.name,
        "severity": str(item.severity),
        "moment": str(item.moment),
        "confidence": str(item.confidence),
        "message": finding.message,
        "headline": finding.wording.headline,
        "cause": cause.fingerprint,
        "applications": list(item.applications),
        "path": item.file.path,
        "range": _range(region_of(finding.at)),
        "pointer": finding.at.pointer,
        "object": _object(item),
        "related": [_related(note) for note in finding.related],
        "fixes": [_fix(fix, lowered) for fix in finding.fixes if is_json(fix)],
        "fingerprint": item.fingerprint,
        "url": rule_url(item.rule, options),
        **({} if item.is_new is None else {"new": item.is_new}),
    }


def _object(item: Reported) -> Json | None:
    resource = item.resource
    if resource is None:
        return None
    return {
        "group": resource.group,
        "version": resource.version,
        "kind": resource.kind,
        "namespace": resource.namespace,
        "name": resource.display_name,
    }


def _related(note: Note) -> Json:
    region = region_of(note.at)
    return {
        "message": note.message,
        "path": region.file.path,
        "range": _range(region),
        "pointer": note.at.pointer,
    }


def _fix(fix: Fix, lowered: Lowered) -> Json:
    document = fix.patch.document
    found: Json = {
        "title": fix.title,
        "safe": fix.safe,
        "path": document.file.path,
        "document": document.index,
        "patch": list(fix.patch.operations),
    }
    edits = lowered.edits(fix)
    if edits is not None:
        place = document.file.position
        found["edits"] = [
            {"range": _between(place(edit.start), place(edit.end)), "newText": edit.text} for edit in edits
        ]
    return found


def _range(region: Region) -> Json:
    return _between(Position(region.line, region.column), Position(region.line, region.end_column))


def _between(start: Position, end: Position) -> Json:
    return {"start": start._asdict(), "end": end._asdict()}
