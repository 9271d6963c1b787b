"""Whether a rendered node can be changed in its template: it is written there, literally, once, and for this object."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..yaml.compose import Mapping, RawScalar
from ..yaml.same import same
from ..yaml.source import Node
from ..yaml.values import key_text, members
from .actions import Kind
from .template_file import TemplateFile
from .template_places import Stretch, nearest

if TYPE_CHECKING:
    from .printed_documents import RenderedDocument


def agrees(document: RenderedDocument, node: Node) -> bool:
    found = document.found_at(node)
    written = found.node
    if not found.is_sure or written.document.file is not document.file or isinstance(written.document, Stretch):
        return False
    if written.document is not document.template and document.template is not None and document.render.lines is None:
        return False
    if not _same_path(node, written) or _is_repeated(document, node, written):
        return False
    return _lacks(document, node) if node.raw is None else _says(document, node, written)


def _says(document: RenderedDocument, node: Node, written: Node) -> bool:
    assert node.raw is not None
    if written.raw is None or not same(node.raw, written.raw):
        return False
    file = document.file
    if not isinstance(file, TemplateFile):
        return True
    if isinstance(written.raw, RawScalar):
        return file.literal(written)
    return file.literal(written) and not file.is_acted_on(written.raw.start_mark.index, file.content_end(written.raw))


def _lacks(document: RenderedDocument, node: Node) -> bool:
    """Whether a field is missing in the template as it is in the object, and can only be missing there."""
    above = node.parent
    while above is not None and above.raw is None:
        above = above.parent
    if above is None:
        return False
    found = document.found_at(above)
    raw = found.node.raw
    if not found.is_sure or not isinstance(raw, Mapping) or not isinstance(above.raw, Mapping):
        return False
    names = [key_text(key) for key, _ in raw.value]
    if len(set(names)) != len(names) or set(names) != set(members(above.raw)):
        return False
    if found.node.document is not document.template or document.render.made[id(document.template.raw)] > 1:
        return False
    file = document.file
    if not isinstance(file, TemplateFile):
        return True
    start = found.node.key_raw.end_mark.index if found.node.key_raw is not None else raw.start_mark.index
    inside = file.actions_in(start, file.content_end(raw))
    if any(one.kind is Kind.CONTROL for one in inside) or file.may_go_on(found.node):
        return False
    return file.literal(found.node)


def _is_repeated(document: RenderedDocument, node: Node, written: Node) -> bool:
    """Whether the line that a node is written on was printed more than once in this object."""
    present = nearest(node)
    if document.render.lines is None:
        return _differs_in_length(node, written)
    if present.parent is None:
        return False
    wanted = document.render.origin(document.line_of(present)).marks[:1]
    times = sum(
        1
        for line in range(document.first, document.last)
        if (origin := document.render.origin(line)).is_own and origin.marks[:1] == wanted
    )
    return times > 1


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
