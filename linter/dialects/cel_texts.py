"""CEL's functions on texts."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from .cel_conversions import as_string
from .cel_values import (
    Failed,
    Function,
    Spend,
    equal,
    is_number,
    only,
)
from .go_regexp import BadPattern, NotJudged, Regexp

_DIRECTIVE: Final = re.compile(r"%(?:%|(?:\.(\d{1,2}))?([a-zA-Z]))")


def matches(spend: Spend, text: Any, pattern: Any) -> bool:
    regexp = regular(spend, text, pattern)
    found = regexp.is_in(text)
    spend(len(regexp.program.code) * (len(text) + 1) // 20)
    return found


def regular(spend: Spend, text: Any, pattern: Any) -> Regexp:
    only(text, str)
    only(pattern, str)
    spend(len(pattern))
    try:
        return Regexp(pattern, spend)
    except BadPattern as error:
        raise Failed(f"error parsing regexp: {error}") from None


def on_texts(method: Callable[[str, str], bool]) -> Function:
    def ask(spend: Spend, text: Any, other: Any) -> bool:
        only(text, str)
        only(other, str)
        spend((len(text) + len(other)) // 100)
        return method(text, other)

    return ask


def char_at(spend: Spend, text: Any, at: Any) -> str:
    only(text, str)
    only(at, int)
    if not 0 <= at <= len(text):
        raise Failed("index out of range")
    return str(text[at : at + 1])


def index_of(spend: Spend, value: Any, item: Any, offset: Any = 0) -> int:
    if isinstance(value, list):
        return next((at for at, one in enumerate(value) if equal(one, item, spend)), -1)
    only(value, str)
    only(item, str)
    only(offset, int)
    if item == "":
        return int(offset)
    if offset < 0:
        raise Failed("index out of range")
    spend(len(value) // 10)
    return int(value.find(item, offset))


def last_index_of(spend: Spend, value: Any, item: Any, *offset: Any) -> int:
    if isinstance(value, list) and not offset:
        return next((at for at in range(len(value) - 1, -1, -1) if equal(value[at], item, spend)), -1)
    only(value, str)
    only(item, str)
    if offset:
        raise NotJudged("lastIndexOf() with an offset")
    spend(len(value) // 10)
    return int(value.rfind(item))


def joined(spend: Spend, items: Any, between: Any = "") -> str:
    only(items, list)
    only(between, str)
    for item in items:
        only(item, str)
        spend(1 + (len(item) + len(between)) // 10)
    return str(between.join(items))


def split(spend: Spend, text: Any, between: Any, most: Any = -1) -> list[str]:
    only(text, str)
    only(between, str)
    only(most, int)
    spend(len(text))
    if most == 0:
        return []
    if between == "":
        pieces = list(text)
        return pieces if most < 0 or len(pieces) <= most else [*pieces[: most - 1], "".join(pieces[most - 1 :])]
    return list(text.split(between, most - 1 if most > 0 else -1))


def replaced(spend: Spend, text: Any, old: Any, new: Any, most: Any = -1) -> str:
    for one in (text, old, new):
        only(one, str)
    only(most, int)
    count = text.count(old)
    spend((len(text) + count * len(new)) // 10)
    return str(text.replace(old, new, most if most >= 0 else -1))


def substring(spend: Spend, text: Any, start: Any, end: Any = None) -> str:
    only(text, str)
    only(start, int)
    end = len(text) if end is None else end
    only(end, int)
    if not 0 <= start <= end <= len(text):
        raise Failed("index out of range")
    spend(len(text) // 100)
    return str(text[start:end])


def ascii_only(change: Callable[[str], str]) -> Function:
    def changed(spend: Spend, text: Any) -> str:
        only(text, str)
        spend(len(text))
        return "".join(change(one) if one.isascii() else one for one in text)

    return changed


_SPACE: Final = "\t\n\v\f\r \u0085\u00a0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))


def trimmed(spend: Spend, text: Any) -> str:
    only(text, str)
    spend(len(text) // 100)
    return str(text.strip(_SPACE))


def formatted(spend: Spend, text: Any, values: Any) -> str:
    only(text, str)
    only(values, list)
    left = list(values)

    def one(match: re.Match[str]) -> str:
        if match[0] == "%%":
            return "%"
        if not left:
            raise Failed("too few values to format")
        value = left.pop(0)
        if match[2] == "s" and match[1] is None and isinstance(value, (str, bool, int)):
            written = as_string(spend, value)
        elif match[2] == "d" and match[1] is None and is_number(value) and not isinstance(value, float):
            written = str(int(value))
        elif match[2] == "f" and is_number(value):
            written = f"{float(value):.{match[1] or 6}f}"
        else:
            raise NotJudged("a value written in a form that is not known here")
        spend(1 + len(written) // 10)
        return written

    spend(len(text) // 10)
    return _DIRECTIVE.sub(one, text)
