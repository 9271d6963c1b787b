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

from .. import compose
from ..compose import Mapping, Raw, RawScalar
from ..kustomize.printed import FetchedDocument
from ..kustomize.trees import mapping
from ..lazy import lazy
from ..source import Document, Node, SourceFile, Span
from ..twins import same
from ..values import key_text, members
from .actions import Kind
from .locating import Stretch, nodes_by_line, place_on, stretch
from .marking import Lines, Mark, Origin, bearing_lines
from .matching import Match, choose, follow
from .template_file import TemplateFile

if TYPE_CHECKING:
    from .values import Layers

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

    @lazy
    def lines(self) -> Lines | None:
        found = self._ask()
        return found if found is not None and len(found) == len(self.printed) else None

    @lazy
    def layers(self) -> Layers | None:
        """The values that it was rendered with."""
        return self._layers()

    def origin(self, line: int) -> Origin:
        return self.lines[line] if self.lines is not None and line < len(self.lines) else Origin()


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
        return self._found(node).node

    def certain(self, node: Node) -> bool:
        """Whether the origin is the place itself; else the place is somewhere below it, or on that line."""
        return self._found(node).is_sure

    def included_at(self, node: Node) -> Node | None:
        """The place in the document's own template that includes the named one where a node is written."""
        present = _nearest(node)
        own = self.render.origin(self._line(present))
        if not own.marks or self._file(own.marks[0]) is self.file:
            return None
        for line in range(self._line(present), self.last):
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

    def _found(self, node: Node) -> Match:
        if node.raw is None and node.parent is not None:
            above = self._found(node.parent)
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
        number = self._line(node)
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

    def _line(self, node: Node) -> int:
        """The printed line of a node that is there; of an item that is a mapping, that of its first key."""
        if node.parent is None:
            return self.first
        raw: Raw | None = node.key_raw if node.key_raw is not None else node.raw
        assert raw is not None
        return int(raw.start_mark.line)

    # -- whether it can be changed there

    def agrees(self, node: Node) -> bool:
        found = self._found(node)
        written = found.node
        if not found.is_sure or written.document.file is not self.file or isinstance(written.document, Stretch):
            return False
        if written.document is not self.template and self.template is not None and self.render.lines is None:
            return False
        if not _same_path(node, written) or self._is_repeated(node, written):
            return False
        return self._lacks(node) if node.raw is None else self._says(node, written)

    def _says(self, node: Node, written: Node) -> bool:
        assert node.raw is not None
        if written.raw is None or not same(node.raw, written.raw):
            return False
        file = self.file
        if not isinstance(file, TemplateFile):
            return True
        if isinstance(written.raw, RawScalar):
            return file.literal(written)
        return file.literal(written) and not file.is_acted_on(
            written.raw.start_mark.index, file.content_end(written.raw)
        )

    def _lacks(self, node: Node) -> bool:
        """Whether a field is missing in the template as it is in the object, and can only be missing there."""
        above = node.parent
        while above is not None and above.raw is None:
            above = above.parent
        if above is None:
            return False
        found = self._found(above)
        raw = found.node.raw
        if not found.is_sure or not isinstance(raw, Mapping) or not isinstance(above.raw, Mapping):
            return False
        names = [key_text(key) for key, _ in raw.value]
        if len(set(names)) != len(names) or set(names) != set(members(above.raw)):
            return False
        if found.node.document is not self.template or self.render.made[id(self.template.raw)] > 1:
            return False
        file = self.file
        if not isinstance(file, TemplateFile):
            return True
        start = found.node.key_raw.end_mark.index if found.node.key_raw is not None else raw.start_mark.index
        inside = file.actions_in(start, file.content_end(raw))
        if any(one.kind is Kind.CONTROL for one in inside) or file.may_go_on(found.node):
            return False
        return file.literal(found.node)

    def _is_repeated(self, node: Node, written: Node) -> bool:
        """Whether the line that a node is written on was printed more than once in this object."""
        present = _nearest(node)
        if self.render.lines is None:
            return _differs_in_length(node, written)
        if present.parent is None:
            return False
        wanted = self.render.origin(self._line(present)).marks[:1]
        times = sum(
            1
            for line in range(self.first, self.last)
            if (origin := self.render.origin(line)).is_own and origin.marks[:1] == wanted
        )
        return times > 1


def _prints(file: TemplateFile, line: int) -> bool:
    return any(not one.is_silent for one in file.actions_in(*file.line_span(line)))


def _nearest(node: Node) -> Node:
    """The node, or the nearest one above it that is there."""
    while node.raw is None and node.parent is not None:
        node = node.parent
    return node


def _same_path(node: Node, written: Node) -> bool:
    """Whether both have the same keys above them, and no key on the way is written twice."""
    one: Node | None = node
    other: Node | None = written
    while one is not None and other is not None and one.parent is not None and other.parent is not None:
        if isinstance(one.key, str) or isinstance(other.key, str):
            if one.key != other.key:
                return False
            holder = other.parent.raw
            if isinstance(holder, Mapping) and sum(key_text(key) == other.key for key, _ in holder.value) > 1:
                return False
        one, other = one.parent, other.parent
    return one is not None and other is not None and one.parent is None and other.parent is None


def _differs_in_length(node: Node, written: Node) -> bool:
    """Whether a list on the way has more or fewer items than in the template."""
    while node.parent is not None and written.parent is not None:
        if isinstance(node.key, int) and len(list(node.parent)) != len(list(written.parent)):
            return True
        node, written = node.parent, written.parent
    return False


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
