"""One cause on a terminal: in full with its source line, or in one line."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import Final

from ..dialects.phrases import counted, some
from ..lint.causes import Group, pattern_of
from ..lint.redaction import shown_line
from ..lint.result import Reported
from ..lint.rule import Moment
from .advice import to_do
from .cells import fit
from .escape import code_of, terminal, terminal_path
from .heading import WHEN
from .links import rule_url
from .region import Region, region_of
from .report_options import ReportOptions
from .style import BLUE, BOLD, CYAN, SEVERITY, Paint

PLACES: Final = 3
"""Other places that are named; `--show` names all."""
RELATED: Final = 2
APPLICATIONS: Final = 3


def in_full(group: Group, options: ReportOptions, paint: Paint, *, excerpt: bool) -> Iterator[str]:
    item = group.first
    region = region_of(item.finding.at)
    gutter = gutter_width(region)
    yield from _title(group, options, paint)
    yield f"{' ' * gutter}{paint('-->', BLUE)} {_place(item, options)}"
    if excerpt:
        yield from marked_line(region, gutter, options.width, "^", SEVERITY[group.severity], paint)
    for label, text in _sentences(group, options):
        yield from _wrapped(label, text, gutter, options, paint)


def in_brief(group: Group, options: ReportOptions, paint: Paint, others: int = 0) -> list[str]:
    """In one line, or in two where the place does not fit behind the headline; `others` are like it."""
    more = f" and {counted(len(group.places) - 1, 'more place')}" if len(group.places) > 1 else ""
    like_it = f", {others} like it (--show {group.rule.code})" if others else ""
    where = f"{_place(group.first, options)}{more}{like_it}"
    headline = f"{_label(group, Paint(False))} {terminal(group.headline)}"
    if len(headline) + len(where) + 3 <= options.width:
        return [f"{_label(group, paint)} {terminal(group.headline)} ({where})"]
    return [*_title(group, options, paint), f"  {paint('-->', BLUE)} {where}"]


def others_of_its_rule(told: Group, groups: Sequence[Group], options: ReportOptions, paint: Paint) -> list[str]:
    """What a rule has found besides the one that was told, in line with it."""
    names = dict.fromkeys(name for group in groups for name in group.applications)
    where = f" in {counted(len(names), 'Application')}" if names else ""
    rule = groups[0].rule
    named = ", ".join(_place(group.first, options) for group in groups[:PLACES])
    left = ", …" if len(groups) > PLACES else ""
    text = f"{len(groups)} like it{where}: {named}{left} (--show {rule.code})"
    return list(_wrapped("more", text, gutter_width(region_of(told.first.finding.at)), options, paint))


def _label(group: Group, paint: Paint) -> str:
    new = "new " if group.is_new else ""
    return f"{paint(new + str(group.severity), SEVERITY[group.severity])}[{group.rule.code}]:"


def _title(group: Group, options: ReportOptions, paint: Paint) -> Iterator[str]:
    plain = f"{_label(group, Paint(False))} {terminal(group.headline)}"
    first, *rest = wrapped(plain, options.width, "  ")
    label = _label(group, Paint(False))
    yield f"{_label(group, paint)}{paint(first.removeprefix(label), BOLD)}"
    yield from (paint(_harmless(line), BOLD) for line in rest)


def _place(item: Reported, options: ReportOptions) -> str:
    region = region_of(item.finding.at)
    return f"{terminal_path(options.shown_path(item.file.path))}:{region.line}:{region.column}"


def _whose(group: Group) -> str:
    names = group.applications
    noun = "Application" if len(names) == 1 else "Applications"
    return f"{noun} {some(names, APPLICATIONS)}"


def _sentences(group: Group, options: ReportOptions) -> Iterator[tuple[str, str]]:
    """What stands below the place, each with its label."""
    item = group.first
    wording = item.finding.wording
    if wording.happens:
        yield "", wording.happens if wording.happens.endswith((".", "!", "?", ")")) else f"{wording.happens}."
    related = item.finding.related
    for note in related if options.every else related[:RELATED]:
        region = region_of(note.at)
        same = note.at is item.finding.at  # what is said of the place itself needs no second look at it
        where = "" if same else f"{options.shown_path(region.file.path)}:{region.line}: "
        yield "note", f"{where}{note.message}"
    yield from (("do", text) for text in to_do(group.first))
    if len(group.places) > 1:
        yield "also", _others(group, options)
    if group.applications:
        yield "in", _whose(group)
    # What a change brings meets the cluster for the first time, whenever that was built.
    is_next = group.moment is Moment.SYNC or (group.is_new and group.moment is Moment.INSTALL)
    when = "" if is_next else f", {WHEN[group.moment]}"
    url = rule_url(group.rule, options) if options.every else None  # `gitops-lint rule` shows the page, too
    yield "rule", f"{group.rule.name}{when}{f', {url}' if url else ''}"


def _others(group: Group, options: ReportOptions) -> str:
    others = group.places[1:]
    shown = others if options.every else others[:PLACES]
    named = ", ".join(_place(item, options) + _otherwise(item, group) for item in shown)
    more = f" and {len(others) - len(shown)} more (--show {group.rule.code})" if len(others) > len(shown) else ""
    what = f", {group.what}" if group.what.startswith("the same") else ""
    return f"{counted(len(others), 'more place')}{what}: {named}{more}"


def _otherwise(item: Reported, group: Group) -> str:
    """What is said of a place, if it is not what is said of the first."""
    if pattern_of(item) == pattern_of(group.first):
        return ""
    return f" ({item.finding.wording.headline})"


def _wrapped(label: str, text: str, gutter: int, options: ReportOptions, paint: Paint) -> Iterator[str]:
    head = f"{label}: " if label else ""
    indent = " " * (gutter + 3)
    room = max(options.width - len(indent), 40)
    for number, line in enumerate(wrapped(head + terminal(text), room)):
        if number:
            yield f"{indent}  {_harmless(line)}"
        else:
            rest = line.removeprefix(head.rstrip()).lstrip()  # nothing, where a path is too long to stand beside it
            yield f"{margin(gutter, paint, '=')} {paint(head, CYAN)}{rest}".rstrip()


def wrapped(text: str, room: int, indent: str = "") -> list[str]:
    """Wrapped between words only: paths and names are to be copied."""
    wrapped = textwrap.wrap(text, room, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
    return wrapped or [text]


def _harmless(line: str) -> str:
    """A line may begin where a text was wrapped: the runner would take `::` there for a command."""
    return f"{code_of(':')}{line[1:]}" if line.lstrip().startswith("::") else line


# -- source lines as a terminal shows them, with a part of one line underlined

_LEAST_ROOM: Final = 30


def gutter_width(region: Region) -> int:
    return len(str(region.line))


def marked_line(region: Region, gutter: int, width: int, mark: str, underline: str, paint: Paint) -> Iterator[str]:
    line = shown_line(region.file, region.line)
    cut = fit(line, region.column - 1, region.end_column - 1, _room(gutter, width))
    yield _source_line(region.line, cut.text, gutter, paint)
    yield f"{margin(gutter, paint)} {' ' * cut.before}{paint(mark * max(cut.marked, 1), underline)}"


def margin(gutter: int, paint: Paint, sign: str = "|") -> str:
    return f"{' ' * gutter} {paint(sign, BLUE)}"


def _source_line(number: int, text: str, gutter: int, paint: Paint) -> str:
    return f"{paint(str(number).rjust(gutter), BLUE)} {paint('|', BLUE)} {text}".rstrip()


def _room(gutter: int, width: int) -> int:
    return max(width - gutter - 3, _LEAST_ROOM)
