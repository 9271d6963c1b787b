"""What an editor asks about a place: what is wrong, what mends it, when it is applied, where it comes from."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import Final, NamedTuple

from ..argocd.waits import wait_for
from ..fix import TextEdit, text_edits
from ..fix.add_ignores import add_ignores
from ..lint.redaction import shows_secret
from ..lint.result import Reported
from ..lint.rule import Fix
from ..plan.views.plan_words import remarks
from ..repo.model import Repo
from ..report.advice import to_do
from ..report.escape import markdown
from ..report.heading import WHEN
from ..report.links import rule_url
from ..report.region import region_of
from ..report.report_options import ReportOptions
from ..yaml.source import Node, SourceFile, Span
from .editor_state import EditorState

REASON: Final = "TODO: say why"
"""Left to whoever accepts the finding: an ignore without a reason helps nobody later."""


class Target(NamedTuple):
    path: str
    span: Span | None
    """None for the whole file."""


class Mend(NamedTuple):
    title: str
    safe: bool
    path: str
    edits: tuple[TextEdit, ...]
    item: Reported


def at(items: list[Reported], offset: int, end: int) -> list[Reported]:
    """The findings whose marked text touches this stretch."""
    return [item for item in items if (region := region_of(item.finding.at)).start <= end and region.end >= offset]


def mends(state: EditorState, path: str, start: int, end: int) -> Iterator[Mend]:
    for item in at(state.findings(path), start, end):
        for fix in item.finding.fixes:
            yield from _by_fix(item, fix)
        for change in add_ignores([item], REASON).changes:
            line = change.file.line_span(item.start.line)
            added = change.after[line.start : line.start + len(change.after) - len(change.before)]
            edit = TextEdit(line.start, line.start, added)
            yield Mend(f"accept it: ignore {item.rule.name} here", False, change.file.path, (edit,), item)


def _by_fix(item: Reported, fix: Fix) -> Iterator[Mend]:
    edits = None if shows_secret(fix) else text_edits(fix)
    if edits:
        unsure = "" if fix.safe else " (unsafe)"
        yield Mend(f"{fix.title}{unsure}", fix.safe, fix.patch.document.file.path, tuple(edits), item)


def hover(state: EditorState, path: str, offset: int, options: ReportOptions) -> str:
    """In Markdown; empty where there is nothing to say."""
    parts = [_about(item, options) for item in at(state.findings(path), offset, offset)]
    file = state.file(path)
    if file is not None:
        parts += _places(state.repo, file, offset)
    return "\n\n---\n\n".join(dict.fromkeys(parts))


def _about(item: Reported, options: ReportOptions) -> str:
    wording = item.finding.wording
    url = rule_url(item.rule, options)
    name = f"{item.rule.code} {item.rule.name}"
    lines = [f"**{markdown(wording.headline)}**", markdown(wording.happens)]
    lines += [f"Do: {markdown(todo)}" for todo in to_do(item)]
    lines.append(f"{markdown(item.rule.manual.summary)} *{item.severity}, {WHEN[item.moment]}*")
    lines.append(f"[{name}]({url})" if url else name)
    return "\n\n".join(filter(None, lines))


def _places(repo: Repo, file: SourceFile, offset: int) -> Iterator[str]:
    """When the object under the cursor is applied, by each Application that has it."""
    span = next((span for span in _documents(file) if span.start <= offset <= span.end), None)
    for app in repo.apps if span is not None else ():
        steps = app.plan.steps
        for number, step in enumerate(steps, 1):
            for task in step.tasks:
                kind = task.resource["kind"]
                if span is None or kind.file.path != file.path or not span.start <= kind.span.start < span.end:
                    continue
                who = f"Application {app.name}" if app.application else f"folder {app.name}, which nobody syncs"
                wave = f"wave {step.waves[0]}" if len(step.waves) == 1 else "all waves at once"
                place = f"step {number} of {len(steps)} ({step.phase}, {wave}) in the sync of {who}"
                said = [f"{task.resource}: {place}."]
                health = repo.argocd.settings.health_check(task.resource.group, task.resource.kind) is not None
                wait = wait_for(task.resource, health) if step.is_waited_for(task) else None
                if wait is not None:
                    said.append(f"The sync waits here: {wait}.")
                said += (f"{remark[:1].upper()}{remark[1:]}." for remark in remarks(task, app.plan))
                yield markdown(" ".join(said))


def _documents(file: SourceFile) -> Iterator[Span]:
    for document in file.documents:
        yield Span(document.raw.start_mark.index, document.raw.end_mark.index)


def origins(state: EditorState, path: str, offset: int) -> Iterator[Target]:
    """Where a value comes from, or goes: bases, patches, templates and values of one field; a file that is named."""
    yield from dict.fromkeys((*_of_builds(state.repo, path, offset), *_named_file(state, path, offset)))


def _of_builds(repo: Repo, path: str, offset: int) -> Iterator[Target]:
    """Of each object that is built with this file: the other places that have a part in the field."""
    for resource in (resource for app in repo.apps for resource in app.resources):
        if not resource.node.document.is_built:
            continue
        for node in resource.node.walk():
            if node.raw is None or node.is_mapping or node.is_sequence:
                continue
            parts = [node, *(other for other, _ in node.document.story(node))]
            if any(_holds(part, path, offset) for part in parts):
                yield from (Target(part.file.path, part.span) for part in parts if not _holds(part, path, offset))


def _holds(node: Node, path: str, offset: int) -> bool:
    return node.file.path == path and node.span.start <= offset <= node.span.end


def _named_file(state: EditorState, path: str, offset: int) -> Iterator[Target]:
    """A kustomization, an Application and a values list name files and folders, from their own folder or the root."""
    file = state.file(path)
    scalars = (node for document in file.documents for node in document.root.walk() if node.text) if file else ()
    text = next((node.text for node in scalars if node.span.start <= offset <= node.span.end), "")
    if not text or "://" in text or len(text) > 300:
        return
    folder = path.rpartition("/")[0]
    for base in (f"{folder}/" if folder else "", ""):
        target = _normal(f"{base}{text}")
        for candidate in (
            target,
            *(f"{target}/{name}" for name in ("kustomization.yaml", "kustomization.yml", "Chart.yaml")),
        ):
            if candidate != path and state.file(candidate) is not None:
                yield Target(candidate, None)
                return


def _normal(path: str) -> str:
    return posixpath.normpath(path)
