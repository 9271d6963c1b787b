"""How deep and how large a document is: by a look at its text before it is parsed, and exactly after.

libyaml's composer, and much of what walks over its trees, calls itself once a
level. So the depth is bounded before anything is composed. The look at the
text may take a flat file for a deep one, never a deep one for flat:

- a block collection begins further to the right than the one around it, but
  for lists, which may begin where their mapping does: two levels a column;
- where no line is indented as far as N columns, what begins further to the
  right stands on one line, each level behind a ``-``, ``?`` or ``:`` of its own;
- every level of a flow collection has a bracket.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from ..facts.limits import MAX_DEPTH, MAX_VALUES
from ..facts.regexes import regex

_CHAIN: Final = 50
_CHAINED: Final = regex(rf"(?:[-?:][ \t]+){{{_CHAIN}}}")
_SURELY_COMPOSED: Final = 2_000
"""Levels that fit on the stack of any thread, several times."""
_VERY_WIDE: Final = " " * (_SURELY_COMPOSED // 4)
_ALIASES_COUNT_FROM: Final = 1_000
_FEW: Final = 400_000
_MANY: Final = 4_000_000
NULL_KEYS: Final = frozenset(("", "~", "null", "Null", "NULL"))
PLAIN: Final = "?"
"""The tag of a scalar written without quotes and without a tag."""
_TAGS_OF_NULL: Final = frozenset((PLAIN, "tag:yaml.org,2002:null"))


class Fault(NamedTuple):
    """What Kubernetes, or we, refuse of a document that parses."""

    offset: int
    message: str


def may_break_us(text: str) -> bool:
    """Whether a text may be too much for what calls itself once a level, or keeps all before it can be counted."""
    if text.count("[") + text.count("{") > _SURELY_COMPOSED or _VERY_WIDE in text:
        return True
    if len(text) > MAX_VALUES and 2 * sum(map(text.count, ("[", "{", ",", ":", "\n", "- ", "? "))) > MAX_VALUES:
        return True
    return len(text) > 2 * _CHAIN and _has_chain(text)


def _has_chain(text: str) -> bool:
    lines = text.split("\n")
    return max(map(len, lines)) >= 2 * _CHAIN and any(
        _CHAINED.search(line) for line in lines if len(line) >= 2 * _CHAIN
    )


def too_deep(offset: int) -> Fault:
    return Fault(offset, f"nested more than {MAX_DEPTH} levels deep")


def too_many(offset: int) -> Fault:
    return Fault(offset, f"more than {MAX_VALUES:,} values in one file are not read")


def fault_in(root: Node, *, any_key: bool = False) -> Fault | None:
    """Of a document without aliases, level by level: too deep, or a key that JSON cannot have."""
    level, depth = [root], 0
    while level:
        below: list[Node] = []
        for raw in level:
            if raw.__class__ is MappingNode:
                for key, value in raw.value:
                    if key.__class__ is not ScalarNode or (key.value in NULL_KEYS and key.tag in _TAGS_OF_NULL):
                        if not any_key:
                            return _bad_key(key)
                        below.append(key)
                    if value.__class__ is not ScalarNode:
                        below.append(value)
            elif raw.__class__ is SequenceNode:
                below += [value for value in raw.value if value.__class__ is not ScalarNode]
        depth += 1
        if depth > MAX_DEPTH and below:
            return too_deep(below[0].start_mark.index)
        level = below
    return None


def _bad_key(key: Node) -> Fault:
    kind = "null" if isinstance(key, ScalarNode) else "a list" if isinstance(key, SequenceNode) else "a mapping"
    return Fault(key.start_mark.index, f"invalid map key: {kind} cannot be a key in Kubernetes")


# -- documents with aliases


def fault_in_shared(root: Node, *, any_key: bool = False) -> Fault | None:
    """Aliases make a tree into a graph: refuse one that holds itself, or that unfolds beyond measure."""
    sizes: dict[int, int] = {}
    heights: dict[int, int] = {}
    open_nodes: set[int] = set()
    stack: list[tuple[Node, bool]] = [(root, False)]
    while stack:
        raw, leaving = stack.pop()
        if isinstance(raw, ScalarNode):
            sizes[id(raw)], heights[id(raw)] = 1, 0
        elif leaving:
            open_nodes.discard(id(raw))
            sizes[id(raw)] = 1 + sum(sizes[id(child)] for child in _children(raw))
            heights[id(raw)] = 1 + max((heights[id(child)] for child in _children(raw)), default=0)
            if sizes[id(raw)] > MAX_VALUES or (raw is root and _is_mostly_aliases(sizes[id(raw)], len(sizes))):
                return Fault(raw.start_mark.index, "the document grows beyond measure through its aliases")
            if heights[id(raw)] > MAX_DEPTH:
                return too_deep(raw.start_mark.index)
        elif id(raw) in open_nodes:
            return Fault(raw.start_mark.index, "an anchor contains its own alias")
        elif id(raw) not in sizes:
            if not any_key and (bad := _odd_key(raw)):
                return _bad_key(bad)
            open_nodes.add(id(raw))
            stack.append((raw, True))
            stack += ((child, False) for child in _children(raw) if id(child) not in sizes)
    return None


def _odd_key(raw: Node) -> Node | None:
    keys = [key for key, _ in raw.value] if isinstance(raw, MappingNode) else []
    return next(
        (k for k in keys if not isinstance(k, ScalarNode) or (k.value in NULL_KEYS and k.tag in _TAGS_OF_NULL)), None
    )


def _is_mostly_aliases(unfolded: int, written: int) -> bool:
    """As go-yaml measures it: 99 of 100 values of a small document may come from aliases, 1 in 10 of a huge one."""
    if unfolded <= _ALIASES_COUNT_FROM:
        return False
    share = min(max((unfolded - _FEW) / (_MANY - _FEW), 0.0), 1.0)
    return (unfolded - written) / unfolded > 0.99 - 0.89 * share


def _children(raw: Node) -> Iterator[Node]:
    for child in raw.value:
        if isinstance(raw, MappingNode):
            yield from child
        else:
            yield child
