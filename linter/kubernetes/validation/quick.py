"""A quick look that most manifests pass, so that only the others are read with care.

It works on libyaml's nodes, without a Node for each of them, and knows only what is surely right: false means
that somebody has to look, not that something is wrong.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from ...yaml.compose import PLAIN, TEXT, Mapping, Raw, RawScalar, Sequence
from ...yaml.scalars import NULLS, NUMBER_STARTS, WORDS, resolve
from .shapes import Kind, Shape
from .typed_scalars import fits, is_quantity

# Bound here and compared by identity: looking up a member of an Enum, or hashing it, costs more than all the rest.
_STRUCT: Final = Kind.STRUCT
_LIST: Final = Kind.LIST
_MAP: Final = Kind.MAP
_STRING: Final = Kind.STRING
_BOOL: Final = Kind.BOOL
_INT32: Final = Kind.INT32
_INT64: Final = Kind.INT64
_INT_OR_STRING: Final = Kind.INT_OR_STRING
_QUANTITY: Final = Kind.QUANTITY
_OBJECT: Final = Kind.OBJECT
_ANY: Final = Kind.ANY
_LONGEST_SURE_NUMBER: Final = 9
"""Digits: no number of that length is too large for 32 bits."""


def is_surely_fine(raw: Raw, shape: Shape) -> bool:
    kind = shape.kind
    if kind is _STRUCT:
        return _is_fine_struct(raw, shape)
    if kind is _LIST:
        return _are_fine(raw.value, shape.inner) if isinstance(raw, Sequence) else _is_null(raw)
    if kind is _MAP:
        if not isinstance(raw, Mapping):
            return _is_null(raw)
        return _are_fine([value for _, value in raw.value], shape.inner)
    return kind is _ANY or _is_fine_scalar(raw, kind)


def _are_fine(values: Iterable[Raw], shape: Shape) -> bool:
    for value in values:  # all() with a generator takes half as long again
        if not is_surely_fine(value, shape):
            break
    else:
        return True
    return False


def _is_fine_struct(raw: Raw, shape: Shape) -> bool:
    if not isinstance(raw, Mapping):
        return _is_null(raw)
    fields = shape.fields
    for key, value in raw.value:
        inner = fields.get(key.value)
        if inner is None:
            return False
        kind = inner.kind
        if kind is _STRING:
            # Most of what there is: not worth a call of its own.
            if not isinstance(value, RawScalar):
                return False
            text = value.value
            if value.tag != TEXT and (text[:1] in NUMBER_STARTS or text in WORDS) and not _is_fine_scalar(value, kind):
                return False
        elif kind is not _ANY and not is_surely_fine(value, inner):
            return False
    return True


def _is_fine_scalar(raw: Raw, kind: Kind) -> bool:
    if not isinstance(raw, RawScalar):
        return kind is _OBJECT and isinstance(raw, Mapping)
    text = raw.value
    if raw.tag != PLAIN:
        return raw.tag == TEXT and _is_fine_text(text, kind)
    if kind is _BOOL:
        return text in ("true", "false") or fits(resolve(text), kind)
    if (kind is _STRING or kind is _INT_OR_STRING) and text[:1] not in NUMBER_STARTS and text not in WORDS:
        return True
    if (kind is _INT32 or kind is _INT64 or kind is _INT_OR_STRING) and _is_small_number(text):
        return True
    return fits(resolve(text), kind) and kind is not _OBJECT


def _is_fine_text(text: str, kind: Kind) -> bool:
    return kind is _STRING or kind is _INT_OR_STRING or (kind is _QUANTITY and is_quantity(text))


def _is_small_number(text: str) -> bool:
    return text.isdecimal() and len(text) <= _LONGEST_SURE_NUMBER and text.isascii()


def _is_null(raw: Raw) -> bool:
    return isinstance(raw, RawScalar) and raw.tag == PLAIN and raw.value in NULLS
