"""Two trees of one object: which parts of them belong together, and whether they come to the same value."""

from __future__ import annotations

from .compose import Mapping, Raw, RawScalar, Sequence
from .source import Node
from .values import members, scalar_value

# -- items of lists


def same_item(index: int, items: Node, others: Node) -> int:
    """The index that an item has in another list: that of its namesake; without names, the same."""
    key = _telling_key(items, others)
    if not key or items[index].absent:
        return index
    wanted = _scalar(items[index][key])
    return next((number for number, other in enumerate(others) if _scalar(other[key]) == wanted), len(list(others)))


def _telling_key(items: Node, others: Node) -> str:
    """The key by which the items of both lists can be told apart; the name, if there is one."""
    first = next(iter(items), None)
    keys = [key for key, _ in first.items()] if first is not None else []
    keys.sort(key=lambda key: key != "name")
    return next((key for key in keys if _tells_apart(key, items) and _tells_apart(key, others)), "")


def _tells_apart(key: str, items: Node) -> bool:
    values = [_scalar(item[key]) for item in items]
    return None not in values and len(set(values)) == len(values)


def _scalar(node: Node) -> tuple[type, object] | None:
    if not isinstance(node.raw, RawScalar):
        return None
    value = scalar_value(node.raw)
    return type(value), value


def is_surely_twin(node: Node, twin: Node) -> bool:
    """Whether no item on the way was matched by its number alone, in lists that differ in length."""
    while node.parent is not None and twin.parent is not None:
        items, others = node.parent, twin.parent
        by_number = isinstance(node.key, int) and not _telling_key(items, others)
        if by_number and len(list(items)) != len(list(others)):
            return False
        node, twin = items, others
    return True


# -- values


def same(one: Raw, other: Raw) -> bool:
    """Whether two trees come to the same value."""
    if one is other:
        return True
    if isinstance(one, RawScalar) and isinstance(other, RawScalar):
        value, wanted = scalar_value(one), scalar_value(other)
        return value == wanted and isinstance(value, bool) is isinstance(wanted, bool)
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        found, others = members(one), members(other)
        return found.keys() == others.keys() and all(same(raw, others[key][1]) for key, (_, raw) in found.items())
    if isinstance(one, Sequence) and isinstance(other, Sequence):
        return len(one.value) == len(other.value) and all(map(same, one.value, other.value))
    return False
