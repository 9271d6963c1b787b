"""Values out of libyaml's tree: scalars by Kubernetes' table, merge keys resolved, the last of equal keys."""

from __future__ import annotations

from typing import Any

from . import compose
from .compose import Mapping, Raw, RawScalar, Sequence
from .scalars import NULLS, NUMBER_STARTS, WORDS, as_key, resolve

# Every value that anybody looks at passes here, so what could be said by calls is written out.


def scalar_value(raw: RawScalar) -> str | int | float | bool | None:
    if raw.tag == compose.PLAIN:
        text: str = raw.value
        return resolve(text) if text in WORDS or text[0] in NUMBER_STARTS else text
    return raw.value if raw.tag == compose.TEXT else compose.tagged(raw)


def text_of(raw: Raw | None) -> str:
    if not isinstance(raw, RawScalar):
        return ""
    if raw.tag == compose.TEXT:
        return raw.value  # type: ignore[no-any-return]
    value = scalar_value(raw)
    return value if isinstance(value, str) else ""


def json_value(raw: Raw) -> Any:
    if isinstance(raw, Mapping):
        return {name: json_value(value) for name, (_, value) in members(raw).items()}
    return [json_value(value) for value in raw.value] if isinstance(raw, Sequence) else scalar_value(raw)


def is_surely_text(raw: Raw) -> bool:
    if not isinstance(raw, RawScalar):
        return False
    text = raw.value
    return raw.tag == compose.TEXT or (raw.tag == compose.PLAIN and text not in WORDS and text[0] not in NUMBER_STARTS)


def shape_of(raw: Raw) -> object:
    if isinstance(raw, RawScalar):
        return raw.tag == compose.PLAIN and raw.value in NULLS
    if isinstance(raw, Mapping):
        return tuple((key.value if isinstance(key, RawScalar) else "", shape_of(value)) for key, value in raw.value)
    return (len(raw.value), *map(shape_of, raw.value))


def key_text(key: Raw) -> str:
    text = key.value
    if not isinstance(text, str):
        return ""  # a mapping or a list as a key: JSON has none
    if key.tag == compose.PLAIN and (text in WORDS or text[0] in NUMBER_STARTS):
        return as_key(resolve(text))
    return text


def by_key(raw: Mapping) -> dict[str, tuple[RawScalar, Raw]]:
    """Key and value by the key as it is written, the last of equal ones. Kept at the mapping: rules ask often."""
    found: dict[str, tuple[RawScalar, Raw]] = {pair[0].value: pair for pair in raw.value if type(pair[0].value) is str}
    raw.by_key = found  # type: ignore[attr-defined]
    return found


def members(raw: Mapping) -> dict[str, tuple[RawScalar, Raw]]:
    """Name → key and value: own keys before merged ones, the last of equal own keys."""
    own: dict[str, tuple[RawScalar, Raw]] = {}
    merged: dict[str, tuple[RawScalar, Raw]] = {}
    for key, value in raw.value:
        if key.tag == compose.PLAIN and key.value == "<<":
            # In a list of maps the first one that has the key wins.
            for source in reversed(value.value) if isinstance(value, Sequence) else (value,):
                if isinstance(source, Mapping):
                    merged |= members(source)
        else:
            own[key_text(key)] = (key, value)
    return {**merged, **own} if merged else own
