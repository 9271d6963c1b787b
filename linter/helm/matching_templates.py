"""From a rendered object to the template by what both say: the same kind and name, the same keys on the way.

Used where no mark tells the line. What an action prints fits anything; where
several places of the template fit equally well, nobody knows which it was.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from ..facts.regexes import regex
from ..yaml.compose import Mapping, Raw, RawScalar
from ..yaml.compose import Sequence as RawSequence
from ..yaml.source import Document, Node
from ..yaml.values import key_text, members, scalar_value
from .masked_templates import UNKNOWN, is_unknown

_RUNS: Final = regex(f"{UNKNOWN}+")
MAX_DEPTH: Final = 6
_EQUAL: Final = 3
_OPEN: Final = 1
_OTHER: Final = -4
_ANOTHER: Final = -400
"""For what is another object altogether."""
_TELLING: Final = frozenset(("apiVersion", "kind", "name", "namespace", "key"))


class Match(NamedTuple):
    node: Node
    is_sure: bool


def may_print(masked: str, printed: str) -> bool:
    """Whether a text with unknown stretches can have come to another one."""
    first, *rest = _RUNS.split(masked)
    if not rest:
        return masked == printed
    if not printed.startswith(first):
        return False
    at = len(first)
    for part in rest[:-1]:
        at = printed.find(part, at)
        if at < 0:
            return False
        at += len(part)
    return len(printed) - at >= len(rest[-1]) and printed.endswith(rest[-1])


def fit(printed: Raw, written: Raw, depth: int = 0) -> int:
    """How well a rendered value and a written one go together; below zero if they do not."""
    if isinstance(written, RawScalar):
        if is_unknown(written.value):
            fits = not isinstance(printed, RawScalar) or may_print(written.value, printed.value)
            return _OPEN if fits else _OTHER
        if not written.value:  # a hole may print the value
            return 0
        if not isinstance(printed, RawScalar):
            return _OTHER
        return _EQUAL if scalar_value(printed) == scalar_value(written) else _OTHER
    if isinstance(written, Mapping):
        return _fit_members(printed, written, depth) if isinstance(printed, Mapping) else _OTHER
    if not isinstance(printed, RawSequence):
        return _OTHER
    if depth >= MAX_DEPTH or not printed.value or not written.value:
        return 0
    return max(fit(printed.value[0], one, depth + 1) for one in written.value[:8])


def _fit_members(printed: Mapping, written: Mapping, depth: int) -> int:
    if depth >= MAX_DEPTH:
        return 0
    has = members(printed)
    score = 0
    for key, value in written.value:
        name = key_text(key)
        if name in has:
            found = fit(has[name][1], value, depth + 1)
            if found <= _ANOTHER or (found < 0 and name in _TELLING and depth < 2):
                return _ANOTHER
            score += found
    return score


# -- documents


def choose(documents: Iterable[Document], root: Mapping) -> tuple[Document | None, bool]:
    """The template document that an object came from, and whether there is no other that fits as well."""
    scored = [(_score(one.raw, root), one) for one in documents]
    best = max((score for score, _ in scored), default=_ANOTHER)
    if best <= _ANOTHER:
        return None, False
    found = [one for score, one in scored if score == best]
    return found[0], len(found) == 1


def _score(written: Raw, root: Mapping) -> int:
    if not isinstance(written, Mapping) or not members(written).keys() & {"apiVersion", "kind", "metadata", "spec"}:
        return _ANOTHER
    return fit(root, written)


# -- places


def follow(node: Node, root: Node, *, sure: bool) -> Match:
    """The place of a template document at the key path of a rendered one, or the nearest above it."""
    if node.parent is None:
        return Match(root, sure)
    above = follow(node.parent, root, sure=sure)
    if not above.is_sure or not _is_at(above.node, node.parent):
        return above._replace(is_sure=False)
    found = _member(above.node, node) if isinstance(node.key, str) else _item(above.node, node)
    if found is None and node.raw is None and isinstance(node.key, str):
        return Match(above.node[node.key], above.is_sure)
    return found or Match(above.node, is_sure=False)


def _is_at(written: Node, printed: Node) -> bool:
    """Whether both are at the same place: `follow` may have stopped above it."""
    return written.parent is None if printed.parent is None else isinstance(written.key, type(printed.key))


def _member(above: Node, node: Node) -> Match | None:
    assert isinstance(node.key, str)
    if not isinstance(above.raw, Mapping):
        return None
    found = [(key, value) for key, value in above.raw.value if key_text(key) == node.key]
    if not found:
        return None
    made = [Node(above.document, above, node.key, value, key) for key, value in found]
    return _best(made, node)


def _item(above: Node, node: Node) -> Match | None:
    items = list(above)
    if not items or node.raw is None:
        return None
    return _best(items, node)


def _best(candidates: Sequence[Node], node: Node) -> Match | None:
    if len(candidates) == 1 and isinstance(node.key, str):
        return Match(candidates[0], is_sure=True)
    if node.raw is None:
        return None
    scored = [(fit(node.raw, one.raw), one) for one in candidates if one.raw is not None]
    best = max((score for score, _ in scored), default=-1)
    found = [one for score, one in scored if score == best]
    return Match(found[0], len(found) == 1) if best >= 0 else None
