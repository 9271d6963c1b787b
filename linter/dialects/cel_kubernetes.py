"""What Kubernetes adds to CEL: quantities, versions, URLs, formats, finding by regular expressions."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from . import cel_addresses
from .cel_texts import regular
from .cel_values import (
    LEAST,
    MOST,
    Failed,
    Function,
    Optional,
    Spend,
    Unsaid,
    equal,
    need,
    need_text,
    succeeds,
    wrong_types,
)
from .go_regexp import NotJudged
from .quantities import amount

if TYPE_CHECKING:
    from fractions import Fraction

_LONGEST_QUANTITY: Final = 60
_VERSION: Final = re.compile(
    r"(0|[1-9][0-9]{0,17})\.(0|[1-9][0-9]{0,17})\.(0|[1-9][0-9]{0,17})"
    r"(?:-((?:0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)(?:\.(?:0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*))*))?"
    r"(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?"
)
_LOOSE_VERSION: Final = re.compile(r"v?([0-9]{1,17})(?:\.([0-9]{1,17}))?(?:\.([0-9]{1,17}))?([-+][0-9A-Za-z.+-]*)?")
_URL: Final = re.compile(
    r"(?:(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://"
    r"(?:[A-Za-z0-9._~!$&'()*+,;=:-]*@)?(?P<host>(?P<name>[A-Za-z0-9._-]*|\[[0-9A-Fa-f:.]+\])(?::(?P<port>[0-9]*))?))?"
    r"(?P<path>/[A-Za-z0-9._~!$&'()*+,;=:@/-]*)?(?:\?(?P<query>[A-Za-z0-9._~!$'()*+,:@/?&=-]*))?(?:#[^ %]*)?"
)
"""Addresses that are written without anything that would have to be escaped."""
_LABEL: Final = re.compile(r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?")
_LABEL_1035: Final = re.compile(r"[a-z](?:[-a-z0-9]*[a-z0-9])?")
_LABEL_VALUE: Final = re.compile(r"(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?)?")
_UUID: Final = re.compile(r"[0-9a-fA-F]{8}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{12}")
_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


@dataclass(frozen=True)
class Quantity:
    number: Fraction


@dataclass(frozen=True)
class Version:
    numbers: tuple[int, int, int]
    before: tuple[str, ...]

    def key(self) -> tuple[Any, ...]:
        """Versions before a release come first, numbers before words."""
        words = tuple((0, int(one), "") if one.isdecimal() else (1, 0, one) for one in self.before)
        return (self.numbers, not self.before, words)


@dataclass(frozen=True)
class Url:
    scheme: str
    host: str
    name: str
    port: str
    path: str
    query: str


@dataclass(frozen=True)
class Format:
    name: str


# -- quantities


def quantity(spend: Spend, value: Any) -> Quantity:
    number = amount(need_text(value))
    if number is None:
        if len(value) > _LONGEST_QUANTITY or not re.search(r"[0-9]", value):
            raise NotJudged("a quantity with so many digits, or with none")
        raise Failed("the text is no quantity")
    if (number * 10**9).denominator != 1:
        raise NotJudged("a quantity of less than a billionth")
    return Quantity(number)


def _number(value: Any) -> Fraction:
    from fractions import Fraction

    if isinstance(value, int) and not isinstance(value, bool):
        return Fraction(value)
    number: Fraction = need(value, Quantity).number
    return number


def is_integer(spend: Spend, value: Any) -> bool:
    number = need(value, Quantity).number
    return bool(number.denominator == 1 and LEAST <= number <= MOST)


def as_integer(spend: Spend, value: Any) -> int:
    if not is_integer(spend, value):
        raise Failed("cannot convert value to integer")
    return int(value.number)


def _ordered(spend: Spend, left: Any, right: Any) -> int:
    if isinstance(left, Version) and isinstance(right, Version):
        return (left.key() > right.key()) - (left.key() < right.key())
    if isinstance(left, Quantity) and isinstance(right, Quantity):
        return (left.number > right.number) - (left.number < right.number)
    raise wrong_types("a comparison")


# -- versions


def version(spend: Spend, value: Any, loose: Any = False) -> Version:
    text = need_text(value)
    spend(len(text) // 10)
    if len(text) > 200:
        raise NotJudged("a version of so many characters")
    if need(loose, bool):
        match = _LOOSE_VERSION.fullmatch(text)
        if match is None:
            raise Failed("the text is no version")
        text = ".".join(str(int(match[at] or "0")) for at in (1, 2, 3)) + (match[4] or "")
    found = _VERSION.fullmatch(text)
    if found is None:
        raise Failed("the text is no version")
    return Version((int(found[1]), int(found[2]), int(found[3])), tuple(found[4].split(".")) if found[4] else ())


# -- URLs


def url(spend: Spend, value: Any) -> Url:
    text = need_text(value)
    spend(len(text))
    if not text or re.search(r"[\x00-\x1f\x7f]", text) or not (text.startswith("/") or re.match(r"[A-Za-z]", text)):
        raise Failed("the text is no absolute URL")
    if ":" not in text and not text.startswith("/"):
        raise Failed("the text is no absolute URL")
    match = _URL.fullmatch(text)
    if match is None or "#" in text or text.startswith("//"):
        raise NotJudged("a URL that only Go can tell more of")
    parts = {name: match[name] or "" for name in ("scheme", "host", "name", "port", "path", "query")}
    parts["name"] = parts["name"].strip("[]")
    parts["scheme"] = parts["scheme"].lower()
    return Url(**parts)


def _query(spend: Spend, value: Any) -> dict[str, list[str]]:
    if "+" in need(value, Url).query:
        raise NotJudged("a query with something escaped")
    found: dict[str, list[str]] = {}
    for one in filter(None, value.query.split("&")):
        key, _, rest = one.partition("=")
        found.setdefault(key, []).append(rest)
    return found


# -- formats


def _subdomain(text: str) -> bool:
    return len(text) <= 253 and all(_LABEL.fullmatch(part) for part in text.split("."))


def _qualified(text: str) -> bool:
    prefix, slash, name = text.rpartition("/")
    return (
        text.count("/") <= 1
        and (not slash or (prefix != "" and _subdomain(prefix)))
        and 0 < len(name) <= 63
        and _LABEL_VALUE.fullmatch(name) is not None
    )


_FORMATS: Final[dict[str, Callable[[str], bool]]] = {
    "dns1123Label": lambda text: len(text) <= 63 and _LABEL.fullmatch(text) is not None,
    "dns1123Subdomain": _subdomain,
    "dns1035Label": lambda text: len(text) <= 63 and _LABEL_1035.fullmatch(text) is not None,
    "qualifiedName": _qualified,
    "labelValue": lambda text: len(text) <= 63 and _LABEL_VALUE.fullmatch(text) is not None,
    "uuid": lambda text: _UUID.fullmatch(text) is not None,
}
_OTHER_FORMATS: Final = (
    "dns1123LabelPrefix",
    "dns1123SubdomainPrefix",
    "dns1035LabelPrefix",
    "uri",
    "byte",
    "date",
    "datetime",
)


def named_format(spend: Spend, name: Any) -> Optional:
    known = need_text(name) in _FORMATS or name in _OTHER_FORMATS
    return Optional(Format(name), True) if known else Optional()


def validated(spend: Spend, value: Any, text: Any) -> Optional:
    """Empty where the text is right. What Kubernetes says otherwise is not said again here."""
    name = need(value, Format).name
    if name not in _FORMATS:
        raise NotJudged(f"the format {name}")
    spend(len(need_text(text)))
    return Optional() if _FORMATS[name](text) else Optional(Unsaid(), True)


# -- finding


def find(spend: Spend, text: Any, pattern: Any) -> str:
    slots = regular(spend, text, pattern).search(text, 0)
    return "" if slots is None else str(text[slots[0] : slots[1]])


def find_all(spend: Spend, text: Any, pattern: Any, most: Any = -1) -> list[str]:
    need(most, int)
    return [str(text[slots[0] : slots[1]]) for slots in regular(spend, text, pattern).find_all(text, most)]


def included(spend: Spend, value: Any, item: Any) -> bool:
    if isinstance(value, list):
        return any(equal(item, one, spend) for one in value)
    return equal(value, item, spend)


FUNCTIONS: Final[dict[str, Function]] = {
    **cel_addresses.FUNCTIONS,
    "quantity": quantity,
    "isQuantity": succeeds(quantity),
    "sign": lambda spend, value: (need(value, Quantity).number > 0) - (value.number < 0),
    "string": cel_addresses.as_text,
    "semver": version,
    "isSemver": succeeds(version),
    "url": url,
    "isURL": succeeds(url),
    "format.named": named_format,
    **{f"format.{name}": lambda spend, name=name: Format(name) for name in (*_FORMATS, *_OTHER_FORMATS)},
}

METHODS: Final[dict[str, Function]] = {
    **cel_addresses.METHODS,
    "add": lambda spend, value, other: Quantity(need(value, Quantity).number + _number(other)),
    "sub": lambda spend, value, other: Quantity(need(value, Quantity).number - _number(other)),
    "isLessThan": lambda spend, value, other: _ordered(spend, value, other) < 0,
    "isGreaterThan": lambda spend, value, other: _ordered(spend, value, other) > 0,
    "compareTo": _ordered,
    "isInteger": is_integer,
    "asInteger": as_integer,
    "asApproximateFloat": lambda spend, value: float(need(value, Quantity).number),
    "major": lambda spend, value: need(value, Version).numbers[0],
    "minor": lambda spend, value: need(value, Version).numbers[1],
    "patch": lambda spend, value: need(value, Version).numbers[2],
    "getScheme": lambda spend, value: need(value, Url).scheme,
    "getHost": lambda spend, value: need(value, Url).host,
    "getHostname": lambda spend, value: need(value, Url).name,
    "getPort": lambda spend, value: need(value, Url).port,
    "getEscapedPath": lambda spend, value: need(value, Url).path,
    "getQuery": _query,
    "validate": validated,
    "find": find,
    "findAll": find_all,
    "includes": included,
}
