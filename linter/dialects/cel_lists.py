"""CEL's functions on lists and sets."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from .cel_operators import contained, plus
from .cel_values import (
    Duration,
    Failed,
    Optional,
    Spend,
    compare,
    equal,
    is_number,
    only,
    wrong_types,
)


def _each_compared(spend: Spend, items: Any) -> list[Any]:
    only(items, list)
    spend(len(items))
    for one, next_one in pairwise(items):
        compare(one, next_one, spend)
    return list(items)


def is_sorted(spend: Spend, items: Any) -> bool:
    found = _each_compared(spend, items)
    return all(compare(one, next_one, spend) <= 0 for one, next_one in pairwise(found))


def least(spend: Spend, items: Any) -> Any:
    return _extreme(spend, items, -1)


def most(spend: Spend, items: Any) -> Any:
    return _extreme(spend, items, 1)


def _extreme(spend: Spend, items: Any, side: int) -> Any:
    found = _each_compared(spend, items)
    if not found:
        raise Failed("the list is empty")
    best = found[0]
    for one in found[1:]:
        best = one if compare(one, best, spend) == side else best
    return best


def total(spend: Spend, items: Any) -> Any:
    only(items, list)
    if not items:
        return 0
    result = items[0]
    if not is_number(result) and not isinstance(result, Duration):
        raise wrong_types("a sum")
    for one in items[1:]:
        spend(1)
        result = plus(spend, result, one)
    return result


def sliced(spend: Spend, items: Any, start: Any, end: Any) -> list[Any]:
    only(items, list)
    only(start, int)
    only(end, int)
    if not 0 <= start <= end <= len(items):
        raise Failed("index out of range")
    spend(end - start)
    return list(items[start:end])


def flattened(spend: Spend, items: Any, depth: Any = 1) -> list[Any]:
    only(items, list)
    only(depth, int)
    if depth < 0:
        raise Failed("level must be non-negative")
    spend(len(items))
    found: list[Any] = []
    for one in items:
        found += flattened(spend, one, depth - 1) if isinstance(one, list) and depth > 0 else [one]
    return found


def sort(spend: Spend, items: Any) -> list[Any]:
    return sort_by(spend, items, items)


def sort_by(spend: Spend, items: Any, keys: Any) -> list[Any]:
    """The items in the order of their keys."""
    from functools import cmp_to_key

    only(items, list)
    _each_compared(spend, keys)
    order = sorted(range(len(items)), key=cmp_to_key(lambda a, b: compare(keys[a], keys[b], spend)))
    return [items[at] for at in order]


def distinct(spend: Spend, items: Any) -> list[Any]:
    only(items, list)
    found: list[Any] = []
    for one in items:
        if not any(equal(one, other, spend) for other in found):
            found.append(one)
    return found


def reverse(spend: Spend, items: Any) -> list[Any]:
    only(items, list)
    spend(len(items))
    return list(items[::-1])


def numbers_to(spend: Spend, end: Any) -> list[int]:
    only(end, int)
    spend(max(0, end))
    return list(range(end))


def first(spend: Spend, items: Any) -> Optional:
    only(items, list)
    return Optional(items[0], True) if items else Optional()


def last(spend: Spend, items: Any) -> Optional:
    only(items, list)
    return Optional(items[-1], True) if items else Optional()


def contains_all(spend: Spend, items: Any, others: Any) -> bool:
    only(items, list)
    only(others, list)
    return all(contained(spend, one, items) for one in others)


def same_set(spend: Spend, items: Any, others: Any) -> bool:
    return contains_all(spend, items, others) and contains_all(spend, others, items)


def intersect(spend: Spend, items: Any, others: Any) -> bool:
    only(items, list)
    only(others, list)
    return any(contained(spend, one, items) for one in others)
