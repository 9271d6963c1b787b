"""What a merge does, for the summary of a workflow job or a comment: a table, a chart, a section an app."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ...report.change_table import affected_table
from ...report.escape import markdown, visible
from ...report.report_options import TOOL, ReportOptions
from ..changes import affected_apps
from ..changes.change_views import SIGNS, Action, AppChangeView, ChangedObject, ChangeView
from ..changes.changed_fields import Field
from . import change_words
from .change_mermaid import chart

LARGEST: Final = 900 * 1024
"""Bytes. GitHub drops a step's summary above 1 MiB, and others may write to it as well."""
_CLOSING: Final = 500
"""Bytes kept for what closes a cut page."""
MOST_OBJECTS: Final = 400
MOST_FIELDS: Final = 40
_DIFF: Final = {
    Action.CREATE: "+",
    Action.PRUNE: "-",
    Action.CHANGE: "!",
    Action.MOVE: "!",
    Action.RECREATE: "!",
    Action.REFUSED: "!",
}


def render(view: ChangeView, options: ReportOptions) -> str:
    parts = [
        f"## {TOOL}: what the next sync does\n\n",
        f"{markdown(change_words.closing(view))}\n\n",
        affected_table(affected_apps(view)),
    ]
    if any(app.steps for app in view.apps):
        parts.append(f"```mermaid\n{chart(view.apps)}```\n\n")
    room = LARGEST - _CLOSING - sum(map(_size, parts))
    shown = 0
    for app in view.apps:
        section = "".join(_section(app, options))
        room -= _size(section)
        if room < 0:
            break
        parts.append(section)
        shown += 1
    if shown < len(view.apps):
        parts.append(f"\n{len(view.apps) - shown} more apps are left out: a job summary holds 1 MiB.\n")
    return "".join(parts)


def _size(text: str) -> int:
    return len(text.encode("utf-8", "replace"))


def _section(app: AppChangeView, options: ReportOptions) -> Iterator[str]:
    counts = ", ".join(f"{number} {action.value}" for action in Action if (number := app.counts[action]))
    yield f"<details><summary><b>{markdown(change_words.title(app))}</b>{f': {counts}' if counts else ''}</summary>\n\n"
    lines = [markdown(words) for words in app.words]
    if app.is_application:
        lines.append(f"{markdown(app.source)} to {markdown(app.destination)}; {markdown(app.how)}.")
    else:
        lines.append(f"{markdown(app.how)}.")
    if app.where:
        lines.append(f"Written in <code>{markdown(options.repository_path(str(app.where)))}</code>.")
    yield "".join(f"{line}\n\n" for line in lines)
    yield _listed("Argo CD cannot generate the manifests, so nothing of this happens:", app.failures)
    yield _listed("Not everything is known, objects may be missing here:", app.unresolved)
    block = [*_fields(app.fields, ""), *_objects(app)]
    if block:
        yield "".join(f"{line}\n" for line in ("```diff", *map(_code, block), "```", ""))
    yield "".join(f"{markdown(note)}\n\n" for note in app.notes)
    yield "</details>\n\n"


def _listed(title: str, items: tuple[str, ...]) -> str:
    return "\n".join([title, "", *(f"- {markdown(item)}" for item in items), "", ""]) if items else ""


def _objects(app: AppChangeView) -> Iterator[str]:
    left = MOST_OBJECTS
    for title, objects in app.groups:
        if left > 0:
            yield f"@@ {title} @@"
        for one in objects[: max(left, 0)]:
            yield from _object(one)
        left -= len(objects)
    if left < 0:
        yield f"# and {-left} more objects"


def _object(one: ChangedObject) -> Iterator[str]:
    remark = f" ({change_words.remarks(one)})" if one.remarks else ""
    first = _DIFF.get(one.action, " ")
    sign = "" if first.strip() and first == SIGNS[one.action] else f"{SIGNS[one.action]} "
    yield f"{first} {sign}{one.action.value} {one.resource.kind} {one.name}{remark}"
    yield from _fields(one.fields, "    ")


def _fields(fields: tuple[Field, ...], indent: str) -> Iterator[str]:
    """Lines of a diff: the sign comes first, whatever the indent."""
    for field in fields[:MOST_FIELDS]:
        if field.hidden:
            yield f"! {indent}{field.path}: {field.what} (not shown)"
        elif field.lines:
            yield f"  {indent}{field.path}: {field.before} become {field.after}"
            yield from (f"{line[0]} {indent}  {line[1:]}" for line in field.lines)
        else:
            if field.before is not None:
                yield f"- {indent}{field.path}: {field.before}"
            if field.after is not None:
                yield f"+ {indent}{field.path}: {field.after}"
    if len(fields) > MOST_FIELDS:
        yield f"# {indent}and {len(fields) - MOST_FIELDS} more fields"


def _code(line: str) -> str:
    """In a fenced block everything is text but the fence: every line begins with a sign, so that none is one."""
    return visible(line).rstrip()
