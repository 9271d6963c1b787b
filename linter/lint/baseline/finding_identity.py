"""What stays the same about a finding when the text around it changes.

The line may shift and the file may move; the rule, the object and the place in
the object stay. The object is the one that a person wrote at the place, not
the one that a build made of it: a line of a base feeds many builds, and a new
overlay must not turn an old finding into a new one. An item of a list is known
by its name or its text rather than by its number, since a new item at the top
would renumber all of them.
"""

from __future__ import annotations

from posixpath import basename
from typing import Final

from ...kubernetes.resource import Resource
from ...yaml.source import Node, Place
from ..result import Reported
from .baseline_entries import Entry

LONGEST_MESSAGE: Final = 160
_NAMES: Final = ("name", "path")
"""Keys that tell the items of a list apart, the better one first."""


def entry_of(item: Reported, path: str = "") -> Entry:
    """The finding as an entry; `path` is given where the baseline counts paths from another folder."""
    at = item.finding.at
    written = written_object(at)
    if written is not None:
        resource, steps = written
        parts = ("object", resource.group, resource.kind, resource.namespace, resource.display_name, *steps)
    else:
        line = item.file.line_text(item.start.line).strip()
        parts = ("line", basename(item.file.path).partition(".")[0], line)
    return Entry(
        path=path or item.file.path,
        code=item.rule.code,
        rule=item.rule.name,
        object=written[0].identity if written else "",
        pointer=at.pointer,
        message=_shortened(item.finding.message),
        fingerprint=_hash(item.rule.code, *parts),
    )


def _hash(*parts: str) -> str:
    import hashlib  # loads a library of its own, which takes longer than most runs of a rule

    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _shortened(message: str) -> str:
    return message if len(message) <= LONGEST_MESSAGE else f"{message[: LONGEST_MESSAGE - 3]}..."


def written_object(at: Place) -> tuple[Resource, tuple[str, ...]] | None:
    """The object of the document that the place is in, and the way from it to the place; None if there is none."""
    if not isinstance(at, Node):
        return None
    way = _way(at)
    start = 0
    while _is_list(way[start]) and len(way) > start + 2 and way[start + 1].key == "items":
        start += 2
    kind, api_version = way[start].texts("kind", "apiVersion")
    if not kind or not api_version:
        return None
    return Resource(way[start], api_version, kind), tuple(_step(node) for node in way[start + 1 :])


def _way(node: Node) -> list[Node]:
    """From the root of the document to the place."""
    way = [node]
    while way[-1].parent is not None:
        way.append(way[-1].parent)
    return way[::-1]


def _is_list(node: Node) -> bool:
    return node["kind"].text.endswith("List") and node["items"].is_sequence


def _step(node: Node) -> str:
    if not isinstance(node.key, int):
        return node.key
    names = node.texts(*_NAMES) if node.is_mapping else [node.scalar_text]
    name = next(filter(None, names), "")
    return f"[{name}]" if name else f"#{node.key}"
