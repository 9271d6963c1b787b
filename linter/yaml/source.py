"""Text → nodes: every value with its pointer and its place in the file.

A `Node` is a place in a document. It exists whether or not the file has a
value there: ``job["spec"]["activeDeadlineSeconds"]`` always gives a Node. When
the value is missing the node is `absent`, still knows its pointer, and its
span is the key of the nearest ancestor that is there. So a rule never guards
against None, a finding always has a line, and ``node.set(600)`` *is* the patch.

Nodes are thin views on libyaml's composed tree, made when somebody looks:
most values of most files are never looked at.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, ClassVar, Final, NamedTuple, Protocol, TypeVar

from ..facts.regexes import regex
from . import compose
from .compose import Mapping, Raw, RawScalar, Sequence
from .json_pointer import escaped, steps
from .lazy import lazy
from .scalars import NUMBER_STARTS
from .separators import Oddity, escaped_slash, oddities
from .values import by_key, is_surely_text, json_value, key_text, members, shape_of, text_of

Answer = TypeVar("Answer")
_SURROGATE_PAIR: Final = regex(r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}")
ODD_KEYS: Final = frozenset(("true", "false", "null"))
"""Names that a key written otherwise may come to."""
BYTE_ORDER_MARK: Final = "\ufeff"
EXTENSIONS: Final = (".yaml", ".yml", ".json")
"""Of the files that Argo CD takes for manifests."""


class Position(NamedTuple):
    """Line and column as people count them: from 1, in code points."""

    line: int
    column: int


class Span(NamedTuple):
    """A half-open stretch of a file's text, in code points from 0."""

    start: int
    end: int


class Place(Protocol):
    """What a finding can point at."""

    @property
    def file(self) -> SourceFile: ...
    @property
    def span(self) -> Span: ...
    @property
    def pointer(self) -> str: ...


class Spot(NamedTuple):
    """A place that is no node: where parsing stopped, a comment, a whole file."""

    file: SourceFile
    span: Span
    pointer: str = ""


class Problem(NamedTuple):
    """Why a file, or a part of it, could not be read."""

    span: Span
    message: str
    unreadable: bool = False
    """True when the file was not read at all, False when its text is at fault."""


class Comment(NamedTuple):
    span: Span
    text: str
    trailing: bool
    """True when something else stands before it on its line."""


class SourceFile:
    """One file: its text, its documents, and what was wrong with it."""

    is_template: ClassVar[bool] = False
    """True for a file that becomes YAML only when it is rendered."""

    def __init__(self, path: str, text: str, problem: Problem | None = None) -> None:
        self.path = path
        """Relative to the root, with forward slashes: how reports name it."""
        self.has_bom = text.startswith(BYTE_ORDER_MARK)
        self.text = text[1:] if self.has_bom else text
        self._problem = problem
        self._answers: dict[object, Any] = {}

    @property
    def refused(self) -> bool:
        """Known to be unreadable before anyone parsed it."""
        return self._problem is not None

    @property
    def is_parsed(self) -> bool:
        return "_parsed" in self.__dict__

    @lazy
    def _parsed(self) -> tuple[list[Document], list[Problem]]:
        if self._problem:
            return [], [self._problem]
        roots, errors = compose.documents(self.text)
        if errors and self.path.endswith(".json"):
            # JSON spells characters beyond 16 bits as two escapes, which YAML does not know.
            roots, errors = compose.documents(_SURROGATE_PAIR.sub("?" * 12, self.text))
        documents = [Document(self, index, root) for index, root in enumerate(roots)]
        return documents, [Problem(Span(error.offset, error.offset), error.message) for error in errors]

    @lazy
    def oddities(self) -> list[Oddity]:
        """What Kubernetes refuses, or leaves out, of a file of manifests that other readers of YAML take."""
        if self.path.endswith(".json") or self.text.lstrip()[:1] == "{" or self._problem:
            return []  # read by a parser of JSON
        found = list(oddities(self.text))
        if "\\/" in self.text:
            for span in (span for document in self.documents for span in document.scalar_spans()):
                at = escaped_slash(self.text, *span) if self.text.startswith('"', span.start) else None
                if at is not None:
                    found.append(Oddity(at, at + 2, "found unknown escape character: YAML in Kubernetes has no \\/"))
        return sorted(found)

    def mentions(self, pattern: re.Pattern[str]) -> bool:
        """Whether it is anywhere in the text. Remembered: each of a file's many objects may ask."""
        found: bool | None = self._answers.get(pattern)
        if found is None:
            found = self._answers[pattern] = pattern.search(self.text) is not None
        return found

    def once(self, question: Callable[[SourceFile], Answer]) -> Answer:
        """What a function says of this file, which it is given and nothing else. Editors ask again after each pause."""
        if question not in self._answers:
            self._answers[question] = question(self)
        answer: Answer = self._answers[question]
        return answer

    @property
    def yaml_text(self) -> str:
        """The text that the documents are read from, place by place: its own, unless it is a template."""
        return self.text

    @property
    def documents(self) -> list[Document]:
        return self._parsed[0]

    @property
    def problems(self) -> list[Problem]:
        return self._parsed[1]

    @lazy
    def _line_starts(self) -> list[int]:
        # Only line feeds count, as in editors; libyaml would also count NEL, LS and PS.
        return [0, *accumulate(len(line) + 1 for line in self.text.split("\n"))][:-1]

    def position(self, offset: int) -> Position:
        line = bisect_right(self._line_starts, offset)
        return Position(line, offset - self._line_starts[line - 1] + 1)

    def line_text(self, line: int) -> str:
        starts = self._line_starts
        end = starts[line] - 1 if line < len(starts) else len(self.text)
        return self.text[starts[line - 1] : end].removesuffix("\r")

    def line_span(self, line: int) -> Span:
        start = self._line_starts[line - 1]
        return Span(start, start + len(self.line_text(line)))

    @lazy
    def comments(self) -> list[Comment]:
        """Every comment; a ``#`` inside a scalar is none."""
        if "#" not in self.text:
            return []
        scalars = sorted(span for document in self.documents for span in document.scalar_spans())
        starts = [span.start for span in scalars]
        found = []
        for number in range(1, len(self._line_starts) + 1):
            line, base = self.line_text(number), self._line_starts[number - 1]
            at = line.find("#")
            while at >= 0:
                offset = base + at
                before = bisect_right(starts, offset) - 1
                inside = before >= 0 and scalars[before].end > offset
                if not inside and (at == 0 or line[at - 1] in " \t"):
                    found.append(Comment(Span(offset, base + len(line)), line[at:], bool(line[:at].strip())))
                    break
                at = line.find("#", at + 1)
        return found


@dataclass(frozen=True, eq=False)
class Document:
    """One YAML document, or the one value of a JSON file."""

    file: SourceFile
    index: int
    raw: Raw

    is_built: ClassVar[bool] = False
    """True for what a build made: its places lead back to the files that they were written in."""
    is_embedded: ClassVar[bool] = False
    """True for text within a scalar of another document: it cannot be changed by a patch of its own."""

    @lazy
    def root(self) -> Node:
        return Node(self, None, "", self.raw, None)

    def origin(self, node: Node) -> Node:
        """Where a place of this document was written: itself, unless a build made the document."""
        return node

    def agrees(self, node: Node) -> bool:
        """Whether what a build says of a place follows from its origin: only then can it be changed there."""
        return True

    def stands_in_git(self, node: Node) -> bool:
        """Whether a value is known to be written in a file: a chart may make one up whenever it is rendered."""
        return True

    def story(self, node: Node) -> Iterator[tuple[Node, str]]:
        """Other places that have a part in a value, and what part."""
        return iter(())

    @lazy
    def by_mark(self) -> dict[int, Node]:
        """By the identity of its start mark: every place, the outermost of those that begin with the same one."""
        places: dict[int, Node] = {}
        for node in self.root.walk():
            if node.raw is not None:
                places.setdefault(id(node.raw.start_mark), node)
            if node.key_raw is not None:
                places.setdefault(id(node.key_raw.start_mark), node)
        return places

    def scalar_spans(self) -> Iterator[Span]:
        """Where the scalars stand, keys included; each shared one once."""
        seen: set[int] = set()
        stack: list[Raw] = [self.raw]
        while stack:
            raw = stack.pop()
            if id(raw) in seen:
                continue
            seen.add(id(raw))
            if isinstance(raw, RawScalar):
                yield Span(self._content_start(raw), raw.end_mark.index)
            elif isinstance(raw, Mapping):
                for key, value in raw.value:
                    stack += (key, value)
            else:
                stack += raw.value

    def _content_start(self, raw: RawScalar) -> int:
        """Behind the header of a block scalar: a comment may stand there."""
        if raw.style not in ("|", ">"):
            return int(raw.start_mark.index)
        return self.file.text.find("\n", raw.start_mark.index) + 1 or int(raw.end_mark.index)


class Patch(NamedTuple):
    """A JSON Patch on one document."""

    document: Document
    operations: tuple[dict[str, Any], ...]
    torn: bool = False
    """True when its parts belong to several documents, of which a build made one."""
    differs: bool = False
    """True when what a build has does not follow from what is written at the place."""

    @property
    def can_be_applied(self) -> bool:
        return not (self.torn or self.differs)

    def also(self, other: Patch) -> Patch:
        torn = self.torn or other.torn or other.document is not self.document
        return Patch(self.document, self.operations + other.operations, torn, self.differs or other.differs)


class Node:
    """A place in a document, present or absent."""

    __slots__ = ("document", "key", "key_raw", "parent", "raw")

    def __init__(
        self, document: Document, parent: Node | None, key: str | int, raw: Raw | None, key_raw: RawScalar | None
    ) -> None:
        self.document = document
        self.parent = parent
        self.key = key
        self.raw = raw
        self.key_raw = key_raw

    def __repr__(self) -> str:
        state = "absent" if self.absent else type(self.raw).__name__
        return f"<Node {self.document.file.path}{self.pointer or '/'} {state}>"

    # -- going down

    def __getitem__(self, key: str | int) -> Node:
        raw = self.raw
        if raw.__class__ is Mapping:
            # The innermost step of every rule: the last of equal keys is the one that counts.
            try:
                found = raw.by_key  # type: ignore[attr-defined]
            except AttributeError:
                found = by_key(raw)
            pair = found.get(key)
            if pair is None and ("<<" in found or key in ODD_KEYS or str(key)[:1] in NUMBER_STARTS):
                pair = members(raw).get(str(key))
            if pair is not None:
                return Node(self.document, self, key, pair[1], pair[0])
        elif isinstance(key, int) and isinstance(raw, Sequence) and -len(raw.value) <= key < len(raw.value):
            return Node(self.document, self, key % len(raw.value), raw.value[key], None)
        return Node(self.document, self, key, None, None)

    def at(self, *keys: str | int) -> Node:
        node = self
        for key in keys:
            node = node[key]
        return node

    def find(self, pointer: str) -> Node:
        """What a JSON Pointer, counted from here, leads to."""
        node = self
        for key in steps(pointer):
            node = node[int(key)] if node.is_sequence and key.isdecimal() else node[key]
        return node

    def items(self) -> Iterator[tuple[str, Node]]:
        """The members of a mapping, merge keys resolved, the last of equal keys; nothing for other nodes."""
        if isinstance(self.raw, Mapping):
            for key, (key_raw, value) in members(self.raw).items():
                yield key, Node(self.document, self, key, value, key_raw)

    def __iter__(self) -> Iterator[Node]:
        """The items of a sequence; nothing for other nodes."""
        if isinstance(self.raw, Sequence):
            for index, value in enumerate(self.raw.value):
                yield Node(self.document, self, index, value, None)

    def walk(self) -> Iterator[Node]:
        """This node and everything below it."""
        yield self
        for _, child in self.items():
            yield from child.walk()
        for child in self:
            yield from child.walk()

    # -- what is here

    @property
    def absent(self) -> bool:
        return self.raw is None

    @property
    def present(self) -> bool:
        return self.raw is not None

    @property
    def is_mapping(self) -> bool:
        return isinstance(self.raw, Mapping)

    @property
    def is_sequence(self) -> bool:
        return isinstance(self.raw, Sequence)

    @property
    def value(self) -> Any:
        """The value as JSON has it; None when absent."""
        return None if self.raw is None else json_value(self.raw)

    @property
    def text(self) -> str:
        """The value if it is a string, else the empty string."""
        return text_of(self.raw)

    @property
    def scalar_text(self) -> str:
        """A scalar of any type as it is written; what Kustomize makes of the value of an annotation."""
        return self.raw.value if isinstance(self.raw, RawScalar) else ""

    def texts(self, *keys: str) -> list[str]:
        """The texts at several keys; the same as asking for each, in one pass."""
        raw = self.raw
        if not isinstance(raw, Mapping):
            return [""] * len(keys)
        found = [""] * len(keys)
        for key, value in raw.value:
            name = key.value
            if name in keys:
                found[keys.index(name)] = text_of(value)
            elif name == "<<":
                return [self[key].text for key in keys]
        return found

    @property
    def holds_only_text(self) -> bool:
        """Whether every value of this mapping is surely a string; a quick look that most mappings pass."""
        raw = self.raw
        return raw is None or (
            isinstance(raw, Mapping) and all(is_surely_text(value) and key.value != "<<" for key, value in raw.value)
        )

    @property
    def shape(self) -> object:
        """What is left of the value without its scalars: keys, items and nulls. Equal shapes lack the same fields."""
        return None if self.raw is None else shape_of(self.raw)

    @property
    def duplicates(self) -> list[Node]:
        """The keys of this mapping that a later equal key overrides, as nodes at their own place."""
        if not isinstance(self.raw, Mapping):
            return []
        effective = members(self.raw)
        return [
            Node(self.document, self, name, value, key)
            for key, value in self.raw.value
            if isinstance(key, RawScalar) and (name := key_text(key)) != "<<" and effective[name][0] is not key
        ]

    # -- where it is

    @property
    def origin(self) -> Node:
        """The place in a file that a person wrote this at."""
        return self.document.origin(self)

    @property
    def file(self) -> SourceFile:
        return self.origin.document.file if self.document.is_built else self.document.file

    @property
    def pointer(self) -> str:
        if self.parent is None:
            return ""
        key = self.key if isinstance(self.key, int) else escaped(self.key)
        return f"{self.parent.pointer}/{key}"

    @property
    def key_span(self) -> Span:
        """The key, or for an item of a sequence its first word."""
        if self.document.is_built:
            return self.origin.key_span
        if self.key_raw is not None:
            return Span(self.key_raw.start_mark.index, self.key_raw.end_mark.index)
        if self.raw is not None:
            return _first_word(self.raw)
        return self.parent.key_span if self.parent else Span(0, 0)

    @property
    def span(self) -> Span:
        """The scalar itself; for anything longer the key that names it; for nothing, the nearest key above."""
        if self.document.is_built:
            return self.origin.span
        if isinstance(self.raw, RawScalar):
            span = Span(self.raw.start_mark.index, self.raw.end_mark.index)
            return span if span.end > span.start else self.key_span
        return self.key_span

    # -- changing it

    def set(self, value: Any) -> Patch:
        """The patch that puts this value here, with the parents it needs."""
        if self.document.is_built:
            return self._as_built(self.origin.set(value))
        if self.raw is not None:
            return Patch(self.document, ({"op": "replace", "path": self.pointer, "value": value},))
        parent = self.parent
        if parent is not None and not isinstance(self.key, int) and not parent.is_mapping:
            return parent.set({self.key: value})
        return Patch(self.document, ({"op": "add", "path": self.pointer, "value": value},))

    def append(self, value: Any) -> Patch:
        """The patch that adds an item to this sequence."""
        if self.document.is_built:
            return self._as_built(self.origin.append(value))
        if not self.is_sequence:
            return self.set([value])
        return Patch(self.document, ({"op": "add", "path": f"{self.pointer}/-", "value": value},))

    def remove(self) -> Patch:
        if self.document.is_built:
            return self._as_built(self.origin.remove())
        return Patch(self.document, ({"op": "remove", "path": self.pointer},))

    def rename(self, key: str) -> Patch:
        """The patch that gives this member of a mapping another key, in its place."""
        assert self.parent is not None
        operation = {"op": "move", "from": self.pointer, "path": self.parent[key].pointer}
        return Patch(self.document, (operation,))

    def _as_built(self, patch: Patch) -> Patch:
        # What is not there has no place of its own; the origin of something around it is not to be changed for it.
        is_beside = self.absent and self.origin.key != self.key
        return patch._replace(differs=True) if is_beside or not self.document.agrees(self) else patch


def _first_word(raw: Raw) -> Span:
    """Something short to point at: the first key of a block mapping, the first line of anything else."""
    while not isinstance(raw, RawScalar) and raw.value and not raw.flow_style:
        first = raw.value[0]
        raw = first[0] if isinstance(raw, Mapping) else first
    return Span(raw.start_mark.index, raw.end_mark.index)
