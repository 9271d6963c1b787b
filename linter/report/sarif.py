"""SARIF 2.1.0 as GitHub code scanning and the editors read it: plain JSON, since no library for it is kept up."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from ..facts.regexes import regex
from ..lint.causes import Group
from ..lint.result import Reported, Result
from ..lint.rule import Fix, Note, Rule
from .escape import json_text, visible
from .fix_edits import Lowered
from .region import region_of
from .report_options import TOOL, ReportOptions
from .sarif_notifications import notifications
from .sarif_places import BASE, SarifFiles
from .sarif_rules import LEVEL, descriptor

Json = dict[str, object]

MOST_RESULTS: Final = 5000
"""GitHub keeps no more of a run, and chooses for itself if it is given more."""
_MOST_RELATED: Final = 100
_LINKS_A_MESSAGE: Final = 10
_LINK: Final = regex(r"\[(?=[^\[\]]*\]\()")
_PLACEHOLDER: Final = regex(r"\{(\d+)\}")


def render(result: Result, options: ReportOptions) -> str:
    log: Json = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        # A report is what is known of a revision: GitHub takes for mended what it lacks.
        "runs": [_run(result.whole, options)],
    }
    return json_text(json.dumps(log, separators=(",", ":"))) + "\n"


def _run(result: Result, options: ReportOptions) -> Json:
    rules = _rules(result)
    index = {rule.code: number for number, rule in enumerate(rules)}
    files, lowered = SarifFiles(options), Lowered()
    told = _told(result, options)
    kept = told[:MOST_RESULTS]
    run: Json = {
        "tool": {"driver": _driver(rules, options)},
        "invocations": [
            {
                # False makes GitHub refuse the file: findings are no failure of the tool.
                "executionSuccessful": not result.crashed,
                "toolExecutionNotifications": notifications(result, len(told) - len(kept), len(told), files),
            }
        ],
        "originalUriBaseIds": {BASE: {"description": {"text": "The top folder of the git repository."}}},
        "columnKind": "utf16CodeUnits",
        "results": [_result(one, index[one.item.rule.code], files, lowered) for one in kept],
    }
    if options.sarif_category:
        run["automationDetails"] = {"id": f"{options.sarif_category.rstrip('/')}/"}
    return run


class _Told(NamedTuple):
    """One result: a place of a cause, or, folded, the first place of it with all others."""

    item: Reported
    cause: Group
    related: tuple[Note, ...]


def _told(result: Result, options: ReportOptions) -> list[_Told]:
    if options.sarif_fold:
        return [_Told(one.first, one, (*one.first.finding.related, *_other_places(one))) for one in result.groups]
    causes = {id(item): group for group in result.groups for item in group.places}
    return [_Told(item, causes[id(item)], item.finding.related) for item in result.nearest_first]


def _other_places(group: Group) -> Iterator[Note]:
    for item in group.places[1:]:
        yield Note(item.finding.at, item.finding.wording.headline)


def _rules(result: Result) -> list[Rule]:
    """All that ran, fired or not; each once, or GitHub refuses the file."""
    rules = {rule.code: rule for rule in (*result.rules, *(item.rule for item in result.reported))}
    return [rules[code] for code in sorted(rules)]


def _driver(rules: Sequence[Rule], options: ReportOptions) -> Json:
    driver: Json = {
        "name": TOOL,
        "semanticVersion": options.tool_version,
        "rules": [descriptor(rule, options) for rule in rules],
    }
    if options.homepage:
        driver["informationUri"] = options.homepage
    return driver


def _result(one: _Told, rule_index: int, files: SarifFiles, lowered: Lowered) -> Json:
    item, cause = one.item, one.cause
    region = region_of(item.finding.at)
    file = files.of(item.file)
    location: Json = {"physicalLocation": file.location(region)}
    if item.resource is not None:
        identity = visible(item.resource.identity)
        name = visible(item.resource.display_name) or item.resource.kind
        location["logicalLocations"] = [{"name": name, "fullyQualifiedName": identity, "kind": "resource"}]
    related = one.related[:_MOST_RELATED]
    fingerprints = {f"{TOOL}/v1": item.fingerprint, f"{TOOL}/cause/v1": cause.fingerprint}
    found: Json = {
        "ruleId": item.rule.code,
        "ruleIndex": rule_index,
        "level": LEVEL[item.severity],
        "message": {"text": message(item.finding.message, related)},
        "locations": [location],
        "partialFingerprints": fingerprints,
        "properties": {"confidence": str(item.confidence), "tags": [str(item.moment)], **_cause(cause)},
    }
    if item.is_new is not None:  # GitHub does not look at it, editors can filter by it
        found["baselineState"] = "new" if item.is_new else "unchanged"
    line_hash = file.line_hash(region.line)
    if line_hash:
        found["partialFingerprints"] = {"primaryLocationLineHash": line_hash, **fingerprints}
    if related:
        found["relatedLocations"] = [_related(number, note, files) for number, note in enumerate(related, 1)]
    fixes = list(_fixes(item.finding.fixes, files, lowered))
    if fixes:
        found["fixes"] = fixes
    return found


def _cause(group: Group) -> Json:
    """Of one that has several places, or a name."""
    return {"cause": visible(group.what), "places": len(group.places)} if group.what else {}


def message(text: str, related: Sequence[Note]) -> str:
    """The finding as sentences, then links to the other places by their ids."""
    links = [f"[{_link_text(note.message)}]({number})" for number, note in enumerate(related[:_LINKS_A_MESSAGE], 1)]
    return _plain(text) + (f" See {', '.join(links)}." if links else "")


def _plain(text: str) -> str:
    """A sentence in which a viewer finds neither a link nor a placeholder to fill in."""
    text = _PLACEHOLDER.sub(r"{{\1}}", _LINK.sub(r"\\[", visible(text)))
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _link_text(text: str) -> str:
    return re.sub(r"([\[\]\\])", r"\\\1", visible(text)) or "this place"


def _related(number: int, note: Note, files: SarifFiles) -> Json:
    return {
        "id": number,
        "physicalLocation": files.physical_location(note.at),
        "message": {"text": _plain(note.message)},
    }


def _fixes(fixes: Sequence[Fix], files: SarifFiles, lowered: Lowered) -> Iterator[Json]:
    """Alternatives, as in the finding; those that cannot be written as text are left out."""
    for fix in fixes:
        edits = lowered.edits(fix)
        if edits:
            file = files.of(fix.patch.document.file)
            change = {"artifactLocation": file.artifact, "replacements": [file.replacement(edit) for edit in edits]}
            yield {"description": {"text": _plain(fix.title)}, "artifactChanges": [change]}
