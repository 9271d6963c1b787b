"""Text → libyaml's composed tree, whatever the text is.

The quick way is libyaml's own composer with the type resolution taken out:
it leaves scalars as text and we resolve the few we look at. The slow way, for
the rare files it cannot take, builds the same tree from parser events. ruamel keeps
places, too, and takes ten times as long.
"""

from __future__ import annotations

import base64
import binascii
import operator
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import yaml
from yaml.events import (
    AliasEvent,
    CollectionStartEvent,
    DocumentEndEvent,
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

from ..facts.limits import MAX_BROKEN_DOCUMENTS, MAX_DEPTH, MAX_VALUES
from ..facts.regexes import regex
from .nesting import PLAIN as PLAIN
from .nesting import fault_in, fault_in_shared, may_break_us, too_deep, too_many
from .scalars import resolve
from .separators import SEPARATOR, without_leftovers

Raw = ScalarNode | MappingNode | SequenceNode
RawScalar = ScalarNode
Mapping = MappingNode
Sequence = SequenceNode

TEXT: Final = "!"
"""The tag of a quoted or block scalar."""

_CORE: Final = "tag:yaml.org,2002:"
_ANCHOR: Final = regex(r"&(?<![^\s,\[{]&)[0-9A-Za-z_-]")
_ALIAS: Final = regex(r"\*(?<![^\s,\[{]\*)[0-9A-Za-z_-]")
"""Both begin with what is rare in a text, which is found quickly; what stands before it is looked at then."""
_ESCAPED_QUOTE: Final = regex(r"(?<!\\)((?:\\\\)*)\\'")
_STAND_IN: Final = "\ue001"
"""For the backslash of ``\\'``, which go-yaml takes in double quotes and libyaml does not."""
_UNENDED: Final = regex(r"\n[ \t]+\Z")
"""go-yaml takes the end of the text for the end of such a line, and a block scalar has one line break more."""
_STRICTLY_TEXT: Final = regex(r"[-:,?\[{][ \t]+! ")


class ComposeError(NamedTuple):
    offset: int
    message: str
    is_last: bool = False
    """Whether nothing after it is read."""


class _Rejected(Exception):
    def __init__(self, message: str, offset: int, *, is_last: bool = False) -> None:
        super().__init__(message)
        self.error = ComposeError(offset, message, is_last)


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


def documents(text: str, *, any_key: bool = False) -> tuple[list[Raw], list[ComposeError]]:
    """Every document that can be read, and why the others cannot.

    Kubernetes decodes a file document by document, so an error ends one
    document and reading goes on at the next line that begins with ``---``.
    `any_key` takes keys that Kubernetes does not: those of a template may be others once it is rendered.
    """
    text = without_leftovers(text)
    if text[-1:] in (" ", "\t") and _UNENDED.search(text, text.rfind("\n")):
        text += "\n"
    roots, errors = _read(text)
    quotes = any("unknown escape character" in error.message for error in errors) and _STAND_IN not in text
    if quotes:
        text = _ESCAPED_QUOTE.sub(rf"\1{_STAND_IN}'", text)
        roots, errors = _read(text)
    has_aliases = "&" in text and "*" in text and bool(_ANCHOR.search(text) and _ALIAS.search(text))
    kept = []
    for root in roots:
        fault = (fault_in_shared if has_aliases else fault_in)(root, any_key=any_key)
        if fault:
            errors.append(ComposeError(*fault))
        else:
            kept.append(root)
    if quotes or ("! " in text and _STRICTLY_TEXT.search(text)):
        for root in kept:
            _settle_scalars(root, text)
    return kept, sorted(dict.fromkeys(errors))


def _read(text: str) -> tuple[list[Raw], list[ComposeError]]:
    roots: list[Raw] = []
    careful = not yaml.__with_libyaml__ or may_break_us(text)
    error = _compose_into(roots, text, careful)
    if error is None or error.is_last:
        return roots, [error] if error else []
    errors = [error]
    for start, line, part in _parts_after(text, error.offset):
        before = len(roots)
        error = _compose_into(roots, part, careful)
        roots[before:] = [_moved(root, start, line) for root in roots[before:]]
        if error is not None:
            errors.append(error._replace(offset=start + error.offset))
        if len(errors) >= MAX_BROKEN_DOCUMENTS:
            message = f"after {MAX_BROKEN_DOCUMENTS} documents that cannot be read the rest of the file is not read"
            errors.append(ComposeError(start + len(part.rstrip()), message, True))
        if errors[-1].is_last:
            break
    return roots, errors


def _compose_into(roots: list[Raw], text: str, careful: bool) -> ComposeError | None:
    done = len(roots)
    try:
        if not careful:
            try:
                loader = _Loader(text)
                while loader.check_node():
                    roots.append(loader.get_node())
                return None
            except yaml.composer.ComposerError as error:
                if "duplicate anchor" not in str(error):
                    raise
                del roots[done:]  # go-yaml allows it: a later anchor replaces an earlier one
        for root in _from_events(text):
            roots.append(root)  # one by one: those before an error count
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


_FORBIDDEN: Final = regex("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def _bad_character(text: str, error: yaml.reader.ReaderError | UnicodeEncodeError) -> ComposeError:
    bad = _FORBIDDEN.search(text)
    if bad is None:
        return ComposeError(0, str(error.reason))
    return ComposeError(bad.start(), f"the control character U+{ord(bad[0]):04X} is not allowed in YAML")


def _parts_after(text: str, offset: int) -> Iterator[tuple[int, int, str]]:
    """Document by document from the next ``---`` on: where each begins, on which line, and its text."""
    found = SEPARATOR.search(text, offset)
    line = text.count("\n", 0, found.start()) if found else 0
    while found:
        after = SEPARATOR.search(text, found.end())
        part = text[found.start() : after.start() if after else len(text)]
        yield found.start(), line, part
        line += part.count("\n")
        found = after


def _nodes(root: Raw) -> Iterator[Raw]:
    """Each once, however many aliases lead to it."""
    seen: set[int] = set()
    stack: list[Raw] = [root]
    while stack:
        raw = stack.pop()
        if id(raw) not in seen:
            seen.add(id(raw))
            yield raw
            if isinstance(raw, MappingNode):
                stack += (child for pair in raw.value for child in pair)
            elif isinstance(raw, SequenceNode):
                stack += raw.value


def _moved(root: Raw, offset: int, line: int) -> Raw:
    """A document that was read alone, at its place in the file."""
    for raw in _nodes(root):
        for name in ("start_mark", "end_mark"):
            mark = getattr(raw, name)
            there = yaml.Mark(mark.name, mark.index + offset, mark.line + line, mark.column, None, 0)
            setattr(raw, name, there)
    return root


def _settle_scalars(root: Raw, text: str) -> None:
    """``! 12`` is a text for go-yaml, and a plain scalar for libyaml; a stand-in gives way to what it stands for."""
    for raw in _nodes(root):
        if isinstance(raw, ScalarNode):
            if _STAND_IN in raw.value:
                raw.value = raw.value.replace(_STAND_IN, "" if raw.style == '"' else "\\")
            start = raw.start_mark.index
            if raw.tag == PLAIN and text[start : start + 1] == "!" and text[start + 1 : start + 2].isspace():
                raw.tag = TEXT


# -- the slow way


def _from_events(text: str) -> Iterator[Raw]:
    """Compose without recursion, with a limit on depth and number, and with anchors that may repeat."""
    loader = _Loader(text)
    roots: list[Raw] = []
    count = 0
    anchors: dict[str, Raw] = {}
    open_nodes: list[MappingNode | SequenceNode] = []
    pending: list[Raw | None] = []  # the key that waits for its value, one entry an open mapping
    while (event := loader.get_event()) is not None:
        if isinstance(event, DocumentStartEvent):
            anchors = {}
        elif isinstance(event, DocumentEndEvent):
            yield roots.pop()
        elif isinstance(event, MappingEndEvent | SequenceEndEvent):
            open_nodes.pop().end_mark = event.end_mark
            pending.pop()
        elif isinstance(event, NodeEvent):
            count += 1
            if count > MAX_VALUES:
                raise _Rejected(too_many(0).message, _index(event), is_last=True)
            raw = _node(event, anchors, loader)
            _attach(raw, roots, open_nodes, pending)
            if isinstance(event, CollectionStartEvent) and not isinstance(raw, ScalarNode):
                open_nodes.append(raw)
                pending.append(None)
                if len(open_nodes) > MAX_DEPTH:
                    raise _Rejected(too_deep(0).message, _index(event))


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
