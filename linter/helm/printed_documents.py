"""What Helm printed as documents, whose places lead back to the lines of the templates.

A line that was printed is looked up among the marks first, which tell the very
line; where there are none, by its key path. Nothing is looked up until
somebody asks, which is when there is a finding.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

from ..kustomize.printed import FetchedDocument
from ..kustomize.trees import mapping
from ..yaml import compose
from ..yaml.compose import Mapping, Raw, RawScalar
from ..yaml.lazy import lazy
from ..yaml.source import Document, Node, SourceFile, Span
from .actions import Kind
from .answer import NotYet
from .line_marks import Lines, Mark, Origin, bearing_lines
from .matching_templates import Match, choose, follow
from .template_file import TemplateFile
from .template_places import nearest, nodes_by_line, place_on, stretch

if TYPE_CHECKING:
    from .value_layers import Layers

_SOURCE: Final = "# Source: "


class Render:
    """One output of Helm: its lines, where they came from, and how many objects each template document made."""

    def __init__(
        self,
        text: str,
        lines: Callable[[], Lines | None],
        numbered: Callable[[int], SourceFile | None],
        layers: Callable[[], Layers | None],
    ) -> None:
        self.printed = text.split("\n")
        self._layers = layers
        self._ask = lines
        self.numbered = numbered
        self.made: Counter[int] = Counter()
        self.bearing: dict[SourceFile, set[int]] = {}
        """The lines of a template that get marks."""

    @property
    def lines(self) -> Lines | None:
        """None where nothing tells them, or does not yet."""
        try:
            return self._told
        except NotYet:
            return None

    @lazy
    def _told(self) -> Lines | None:
        found = self._ask()
        return found if found is not None and len(found) == len(self.printed) else None

    @lazy
    def layers(self) -> Layers | None:
        """The values that it was rendered with."""
        return self._layers()

    def origin(self, line: int) -> Origin:
        lines = self.lines
        return lines[line] if lines is not None and line < len(lines) else Origin()


@dataclass(frozen=True, eq=False)
class PackedDocument(FetchedDocument):
    """An object of a chart that is packed away in an archive."""

    def stands_in_git(self, node: Node) -> bool:
        return False


@dataclass(frozen=True, eq=False)
class RenderedDocument(Document):
    """An object that Helm printed; `file` is the template that it came from."""

    render: Render
    first: int
    """Its first printed line, counted from 0."""
    last: int
    template: Document | None
    """The document of the template; None where the template cannot be read."""
    is_only_choice: bool = True
    chart: tuple[str, ...] = ()
    """The names of the charts on the way to the subchart that the template belongs to."""

    is_built: ClassVar[bool] = True

    # -- where it is written

    def origin(self, node: Node) -> Node:
        return self.found_at(node).node

    def certain(self, node: Node) -> bool:
        """Whether the origin is the place itself; else the place is somewhere below it, or on that line."""
        return self.found_at(node).is_sure

    def included_at(self, node: Node) -> Node | None:
        """The place in the document's own template that includes the named one where a node is written."""
        present = nearest(node)
        own = self.render.origin(self.line_of(present))
        if not own.marks or self._file(own.marks[0]) is self.file:
            return None
        for line in range(self.line_of(present), self.last):
            for mark in self.render.origin(line).marks:
                if self._file(mark) is self.file:
                    start, end = self.file.line_span(mark.line)
                    if not isinstance(self.file, TemplateFile):
                        return None
                    calls = [one for one in self.file.actions_in(start, end) if one.kind is Kind.VALUE]
                    return stretch(self.file, Span(*calls[0].span), present) if calls else None
        return None

    def stands_in_git(self, node: Node) -> bool:
        from .value_sources import is_literal, source_of_value  # few rules ask

        if self.certain(node) and is_literal(self.origin(node)):
            return True
        layers = self.render.layers
        return layers is not None and source_of_value(self, node, layers, self.chart) is not None

    def story(self, node: Node) -> Iterator[tuple[Node, str]]:
        from .value_sources import source_of_value  # only for findings

        if not self.certain(node):
            yield self.origin(node), "what is meant is somewhere below this line: Helm does not tell the line itself"
        including = self.included_at(node)
        if including is not None:
            yield including, f"it is included here, in {self.file.path}"
        value = source_of_value(self, node, self.render.layers, self.chart) if self.render.layers is not None else None
        if value is not None:
            yield value, "the value comes from here"

    def found_at(self, node: Node) -> Match:
        if node.raw is None and node.parent is not None:
            above = self.found_at(node.parent)
            return Match(above.node[node.key], is_sure=True) if above.is_sure and isinstance(node.key, str) else above
        return self._marked(node) or self._followed(node)

    def _followed(self, node: Node) -> Match:
        if self.template is None:
            return Match(stretch(self.file, self.file.line_span(1), node), is_sure=False)
        return follow(node, self.template.root, sure=self.is_only_choice)

    def _marked(self, node: Node) -> Match | None:
        if node.parent is None:
            root = self._root_place()
            return None if root is None else Match(root, is_sure=True)
        number = self.line_of(node)
        origin = self.render.origin(number)
        if not origin.marks:
            return None
        if not origin.is_own:
            return self._unmarked(number, origin.marks[0], node)
        for mark in origin.marks:
            file = self._file(mark)
            if file is not None:
                return Match(place_on(file, mark.line, node), is_sure=True)
        return None

    def _unmarked(self, number: int, below: Mark, node: Node) -> Match | None:
        """A line without a mark: part of what the next one printed, or one of the lines before that cannot bear any."""
        file = self._file(below)
        if not isinstance(file, TemplateFile):
            return None
        previous = 0
        for line in range(number - 1, self.first - 1, -1):
            if (above := self.render.origin(line)).is_own and above.marks:
                previous = above.marks[-1].line if above.marks[-1].file == below.file else 0
                break
        text = self.render.printed[number].strip()
        between = [line for line in range(previous + 1, below.line) if line not in self._bearing(file)]
        alike = [line for line in between if file.line_text(line).strip() == text]
        if alike:
            return Match(place_on(file, alike[0], node), is_sure=True) if len(alike) == 1 else None
        if any(_prints(file, line) for line in between) or not _prints(file, below.line):
            return None
        return Match(place_on(file, below.line, node), is_sure=True)

    def _bearing(self, file: TemplateFile) -> set[int]:
        known = self.render.bearing.get(file)
        if known is None:
            lines = bearing_lines(file)
            known = self.render.bearing[file] = {*lines, *lines.values()}
        return known

    def _root_place(self) -> Node | None:
        """The root of the template document that the first line with a mark belongs to."""
        for line in range(self.first, self.last):
            for mark in self.render.origin(line).marks:
                if self._file(mark) is self.file:
                    nodes = nodes_by_line(self.file).get(mark.line)
                    return (
                        nodes[0].document.root
                        if nodes
                        else stretch(self.file, self.file.line_span(mark.line), self.root)
                    )
        return None

    def _file(self, mark: Mark) -> SourceFile | None:
        return self.render.numbered(mark.file)

    def line_of(self, node: Node) -> int:
        """The printed line of a node that is there; of an item that is a mapping, that of its first key."""
        if node.parent is None:
            return self.first
        raw: Raw | None = node.key_raw if node.key_raw is not None else node.raw
        assert raw is not None
        return int(raw.start_mark.line)

    def agrees(self, node: Node) -> bool:
        from .agreement import agrees  # only for what is to be changed

        return agrees(self, node)


def _prints(file: TemplateFile, line: int) -> bool:
    return any(not one.is_silent for one in file.actions_in(*file.line_span(line)))


# -- documents


def documents_of(
    printed: str,
    file_of: Callable[[str], SourceFile | Node],
    lines: Callable[[], Lines | None] = lambda: None,
    numbered: Callable[[int], SourceFile | None] = lambda number: None,
    layers: Callable[[], Layers | None] = lambda: None,
    chart_of: Callable[[str], tuple[str, ...]] = lambda source: (),
) -> list[Document]:
    """The objects of an output of Helm, in its order.

    `file_of` is given what a ``# Source:`` comment says, and gives the file, or
    for one that is not in the repository the place that brings it in. `lines`
    is asked when an origin is, and `numbered` gives the files of its marks.
    `layers` are the values, and `chart_of` says to which subchart a source belongs.
    """
    render = Render(printed, lines, numbered, layers)
    sources = _sources(render.printed)
    starts = [number for number, line in enumerate(render.printed) if line.startswith("---")]
    starts.append(len(render.printed))
    found: list[Document] = []
    for raw in compose.documents(printed)[0]:
        if isinstance(raw, RawScalar) and not raw.value:
            continue
        first = raw.start_mark.line
        last = starts[bisect_right(starts, first)]
        path = sources[bisect_right(sources, (first, "\U0010ffff")) - 1][1]
        found.append(_document(render, raw, file_of(path), chart_of(path), first, last))
    return found


def _sources(printed: list[str]) -> list[tuple[int, str]]:
    """The lines that say which template the next ones are of."""
    found = [(-1, "")]
    for number, line in enumerate(printed):
        if line.startswith(_SOURCE) and number and printed[number - 1].startswith("---"):
            found.append((number, line.removeprefix(_SOURCE).strip()))
    return found


def _document(
    render: Render, raw: Raw, source: SourceFile | Node, chart: tuple[str, ...], first: int, last: int
) -> Document:
    if isinstance(source, Node):
        return PackedDocument(source.file, source.document.index, raw, source)
    template, is_only = choose(source.documents, raw) if isinstance(raw, Mapping) else (None, False)
    if template is not None:
        render.made[id(template.raw)] += 1
    if isinstance(raw, Mapping):
        # It keeps the mark of the text that it was made from: by that the renders of one text are known.
        if template is not None:
            raw = mapping(raw.value, template.raw)
        elif isinstance(source, TemplateFile):
            raw = mapping(raw.value, source.whole)
    return RenderedDocument(
        source, template.index if template else 0, raw, render, first, last, template, is_only, chart
    )
