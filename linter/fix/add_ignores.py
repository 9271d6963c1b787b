"""Findings that somebody accepts, as ignores in comments: a line above each, that changes no value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ..lint.result import Reported
from ..lint.sealed_files import encryption_of
from ..lint.triage.coverage import Coverage
from ..lint.triage.ignore_directives import IGNORE, MARK, in_comment
from ..yaml.source import SourceFile
from .apply_fixes import FileFix


class Ignored(NamedTuple):
    changes: tuple[FileFix, ...]
    left: tuple[tuple[Reported, str], ...]
    """What got no ignore, and why."""


def add_ignores(reported: Iterable[Reported], reason: str) -> Ignored:
    by_file: dict[SourceFile, list[Reported]] = {}
    for item in reported:
        by_file.setdefault(item.file, []).append(item)
    changes: list[FileFix] = []
    left: list[tuple[Reported, str]] = []
    for file, items in by_file.items():
        why_not = _problem(file)
        taken = [] if why_not else [item for item in items if _can_stand_above(item)]
        left += [
            (item, why_not or "a comment has no room in a text of several lines") for item in items if item not in taken
        ]
        after = _with_comments(file, taken, reason)
        if taken and _says_the_same(file, after):
            changes.append(FileFix(file, file.text, after, tuple(taken), ()))
        elif taken:
            left += [(item, "a comment above it would change what the file says") for item in taken]
    return Ignored(tuple(changes), tuple(left))


def _problem(file: SourceFile) -> str:
    if file.is_template:
        return "a template of Helm; write the comment by hand"
    if file.problems or not file.documents:
        return "the file cannot be read whole"
    if encryption_of(file) is not None:
        return "the file is encrypted"
    if file.path.endswith(".json"):
        return "JSON has no comments"
    return ""


def _can_stand_above(item: Reported) -> bool:
    """The comment covers the finding: it is about something that begins on its line."""
    file, line = item.file, item.start.line
    text = _inserted(file.text, {line: ["x"]}, "")
    added = SourceFile(file.path, text)
    start = added.line_span(line).start
    comment = next((one for one in added.comments if start <= one.span.start < added.line_span(line).end + 1), None)
    if comment is None:
        return False
    covers = Coverage(added).of(comment, False)
    shift = len(text) - len(file.text)
    return covers is not None and covers.start <= item.finding.at.span.start + shift < covers.end


def _with_comments(file: SourceFile, items: Iterable[Reported], reason: str) -> str:
    rules: dict[int, list[str]] = {}
    for item in items:
        names = rules.setdefault(item.start.line, [])
        if item.rule.name not in names:
            names.append(item.rule.name)
    return _inserted(file.text, rules, reason)


def _inserted(text: str, rules: dict[int, list[str]], reason: str) -> str:
    return "".join(_lines(text.splitlines(keepends=True), rules, reason))


def _lines(lines: list[str], rules: dict[int, list[str]], reason: str) -> Iterator[str]:
    for number, line in enumerate(lines, 1):
        if number in rules:
            indent = line[: len(line) - len(line.lstrip(" "))]
            end = "\r\n" if line.endswith("\r\n") else "\n"
            yield f"{indent}# {MARK}: {IGNORE}[{', '.join(rules[number])}]{' ' + reason if reason else ''}{end}"
        yield line


def _says_the_same(file: SourceFile, after: str) -> bool:
    read = SourceFile(file.path, after)
    if read.problems or any(one.problem for comment in read.comments for one in in_comment(comment.text)):
        return False
    return [one.root.value for one in read.documents] == [one.root.value for one in file.documents]
