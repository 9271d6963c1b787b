"""Text → libyaml's composed tree, whatever the text is.

The quick way is libyaml's own composer with the type resolution taken out:
it leaves scalars as text and we resolve the few we look at. The slow way, for
the rare files it cannot take, builds the same tree from parser events.
"""

from __future__ import annotations

import base64
import binascii
import operator
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import yaml
from yaml.events import (
    AliasEvent,
    CollectionStartEvent,
    DocumentStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from .scalars import resolve

Raw = ScalarNode | MappingNode | SequenceNode
RawScalar = ScalarNode
Mapping = MappingNode
Sequence = SequenceNode

PLAIN: Final = "?"
"""The tag of a scalar written without quotes and without a tag."""
TEXT: Final = "!"
"""The tag of a quoted or block scalar."""

MAX_DEPTH: Final = 250
MAX_NODES: Final = 2_000_000
"""After aliases are followed. go-yaml stops documents that grow by aliases, too."""

_CORE: Final = "tag:yaml.org,2002:"
_ANCHOR: Final = re.compile(r"(?:^|[\s,\[{])&[^\s,\[\]{}]", re.MULTILINE)
_SEPARATOR: Final = re.compile(r"^---(?=\s|$)", re.MULTILINE)


class ComposeError(NamedTuple):
    offset: int
    message: str


class _Rejected(Exception):
    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message)
        self.error = ComposeError(offset, message)


class _NoTypes:
    """What a loader asks about types, answered as cheaply as can be."""

    def resolve(self, kind: type[Node], value: Any, implicit: Any) -> str:
        return PLAIN if kind is ScalarNode and implicit[0] else TEXT

    # Called for every node to no purpose of ours: the quickest callables there are.
    descend_resolver = staticmethod(operator.is_)
    ascend_resolver = staticmethod(tuple)


if TYPE_CHECKING:

    class _Loader(_NoTypes):
        """The one of the two below that this installation has."""

        def __init__(self, stream: str) -> None: ...
        def check_node(self) -> bool: ...
        def get_node(self) -> Raw: ...
        def get_event(self) -> Event | None: ...

elif yaml.__with_libyaml__:

    class _Loader(_NoTypes, yaml.cyaml.CParser):
        pass

else:

    class _Loader(_NoTypes, yaml.reader.Reader, yaml.scanner.Scanner, yaml.parser.Parser):
        def __init__(self, stream):
            yaml.reader.Reader.__init__(self, stream)
            yaml.scanner.Scanner.__init__(self)
            yaml.parser.Parser.__init__(self)


def documents(text: str) -> tuple[list[Raw], list[ComposeError]]:
    """Every document that can be read, and why the others cannot.

    Kubernetes decodes a file document by document, so an error ends one
    document and reading goes on at the next line that begins with ``---``.
    """
    roots: list[Raw] = []
    errors: list[ComposeError] = []
    rest: str | None = text
    has_aliases = "&" in text and "*" in text and _ANCHOR.search(text) is not None
    while rest is not None:
        before = len(roots)
        error = _compose_into(roots, rest)
        kept = []
        for root in roots[before:]:
            problem = _check_sharing(root) if has_aliases else None
            if problem:
                errors.append(problem)
            else:
                kept.append(root)
        roots[before:] = kept
        if error is None:
            break
        errors.append(error)
        rest = _after_next_separator(rest, error.offset)
    return roots, sorted(errors)


def _compose_into(roots: list[Raw], text: str) -> ComposeError | None:
    try:
        if yaml.__with_libyaml__ and not _may_be_deep(text):
            done = len(roots)
            try:
                loader = _Loader(text)
                while loader.check_node():
                    roots.append(loader.get_node())
                return None
            except yaml.composer.ComposerError as error:
                if "duplicate anchor" not in str(error):
                    raise
                del roots[done:]  # go-yaml allows it: a later anchor replaces an earlier one
        roots += _from_events(text)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        offset = min(mark.index, len(text)) if mark else 0
        return ComposeError(_visible(text, offset), _explain(error))
    except (yaml.reader.ReaderError, UnicodeEncodeError) as error:  # half of a character that takes two
        return _bad_character(text, error)
    except _Rejected as rejected:
        return rejected.error
    return None


def _explain(error: yaml.MarkedYAMLError) -> str:
    parts = [part for part in (error.problem, error.context) if part]
    return ", ".join(parts) or "not YAML"


def _visible(text: str, offset: int) -> int:
    """An error at the very end of a file belongs to the last line that has something on it."""
    if text[offset:].strip():
        return offset
    return max(len(text[:offset].rstrip()) - 1, 0)


_FORBIDDEN: Final = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def _bad_character(text: str, error: yaml.reader.ReaderError | UnicodeEncodeError) -> ComposeError:
    bad = _FORBIDDEN.search(text)
    if bad is None:
        return ComposeError(0, str(error.reason))
    return ComposeError(bad.start(), f"the control character U+{ord(bad[0]):04X} is not allowed in YAML")


def _after_next_separator(text: str, offset: int) -> str | None:
    """The text from the next ``---`` on, the part before it blanked so that places stay right."""
    separator = _SEPARATOR.search(text, offset)
    if separator and not text[: separator.start()].strip():
        separator = _SEPARATOR.search(text, separator.end())
    if separator is None:
        return None
    return re.sub(r"[^\n]", " ", text[: separator.start()]) + text[separator.start() :]


# -- deep nesting, aliases


def _may_be_deep(text: str) -> bool:
    """A cheap test that no ordinary file meets: libyaml's composer recurses on the C stack."""
    return text.count("[") + text.count("{") > MAX_DEPTH or " " * MAX_DEPTH in text or "- " * 50 in text


def _check_sharing(root: Raw) -> ComposeError | None:
    """Aliases make a tree into a graph: refuse one that holds itself, or that unfolds beyond measure."""
    sizes: dict[int, int] = {}
    open_nodes: set[int] = set()
    stack: list[tuple[Raw, bool]] = [(root, False)]
    while stack:
        raw, leaving = stack.pop()
        if isinstance(raw, ScalarNode):
            sizes[id(raw)] = 1
            continue
        if leaving:
            open_nodes.discard(id(raw))
            sizes[id(raw)] = 1 + sum(sizes[id(child)] for child in _children(raw))
            if sizes[id(raw)] > MAX_NODES:
                return ComposeError(raw.start_mark.index, "the document grows beyond measure through its aliases")
        elif id(raw) in open_nodes:
            return ComposeError(raw.start_mark.index, "an anchor contains its own alias")
        elif id(raw) not in sizes:
            open_nodes.add(id(raw))
            stack.append((raw, True))
            stack += ((child, False) for child in _children(raw) if id(child) not in sizes)
    return None


def _children(raw: MappingNode | SequenceNode) -> Iterator[Raw]:
    for child in raw.value:
        if isinstance(raw, MappingNode):
            yield from child
        else:
            yield child


# -- the slow way


def _from_events(text: str) -> list[Raw]:
    """Compose without recursion, with a limit on depth, and with anchors that may repeat."""
    loader = _Loader(text)
    roots: list[Raw] = []
    anchors: dict[str, Raw] = {}
    open_nodes: list[MappingNode | SequenceNode] = []
    pending: list[Raw | None] = []  # the key that waits for its value, one entry an open mapping
    while (event := loader.get_event()) is not None:
        if isinstance(event, DocumentStartEvent):
            anchors = {}
        elif isinstance(event, MappingEndEvent | SequenceEndEvent):
            open_nodes.pop().end_mark = event.end_mark
            pending.pop()
        elif isinstance(event, NodeEvent):
            raw = _node(event, anchors, loader)
            _attach(raw, roots, open_nodes, pending)
            if isinstance(event, CollectionStartEvent) and not isinstance(raw, ScalarNode):
                open_nodes.append(raw)
                pending.append(None)
                if len(open_nodes) > MAX_DEPTH:
                    raise _Rejected(f"nested more than {MAX_DEPTH} levels deep", _index(event))
    return roots


def _node(event: NodeEvent, anchors: dict[str, Raw], loader: _Loader) -> Raw:
    start: Any = event.start_mark
    end: Any = event.end_mark
    raw: Raw
    if isinstance(event, AliasEvent):
        if event.anchor not in anchors:
            raise _Rejected(f"found undefined alias {event.anchor!r}", _index(event))
        return anchors[event.anchor]
    if isinstance(event, ScalarEvent):
        tag = event.tag or loader.resolve(ScalarNode, event.value, event.implicit)
        raw = ScalarNode(tag, event.value, start, end, style=event.style)
    elif isinstance(event, MappingStartEvent):
        raw = MappingNode(event.tag or TEXT, [], start, end, flow_style=event.flow_style)
    elif isinstance(event, SequenceStartEvent):
        raw = SequenceNode(event.tag or TEXT, [], start, end, flow_style=event.flow_style)
    else:
        raise TypeError(f"not the event of a node: {event!r}")
    if event.anchor:
        anchors[event.anchor] = raw
    return raw


def _index(event: Event) -> int:
    return event.start_mark.index if event.start_mark else 0


def _attach(
    raw: Raw, roots: list[Raw], open_nodes: list[MappingNode | SequenceNode], pending: list[Raw | None]
) -> None:
    if not open_nodes:
        roots.append(raw)
    elif isinstance(open_nodes[-1], SequenceNode):
        open_nodes[-1].value.append(raw)
    elif pending[-1] is None:
        pending[-1] = raw
    else:
        open_nodes[-1].value.append((pending[-1], raw))
        pending[-1] = None


# -- explicit tags


def tagged(raw: ScalarNode) -> str | int | float | bool | None:
    """The value of a scalar that is quoted or has a tag of its own."""
    text: str = raw.value
    kind = raw.tag.removeprefix(_CORE)
    if kind in ("int", "float", "bool", "null"):
        return resolve(text)
    if kind == "binary":
        try:
            return base64.b64decode(text).decode("utf-8", "replace")
        except (binascii.Error, ValueError):
            return text
    return text
