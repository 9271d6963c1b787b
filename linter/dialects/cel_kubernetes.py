"""What Kubernetes adds to CEL: quantities, addresses, versions, URLs, formats, finding by regular expressions."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from .cel_conversions import as_string
from .cel_texts import regular
from .cel_values import LEAST, MOST, Failed, Function, Optional, Spend, Unsaid, equal, wrong_types
from .go_regexp import NotJudged
from .quantities import amount

if TYPE_CHECKING:
    from fractions import Fraction
    from ipaddress import IPv4Address, IPv6Address

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
class Address:
    ip: IPv4Address | IPv6Address


@dataclass(frozen=True)
class Network:
    ip: IPv4Address | IPv6Address
    bits: int


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


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise wrong_types("a function")
    return value


def _is(value: Any, kind: type) -> Any:
    if not isinstance(value, kind):
        raise wrong_types("a function")
    return value


def _or_none(make: Function) -> Function:
    """Whether making one of it succeeds."""

    def ask(spend: Spend, *arguments: Any) -> bool:
        try:
            make(spend, *arguments)
        except Failed:
            return False
        return True

    return ask


# -- quantities


def quantity(spend: Spend, value: Any) -> Quantity:
    number = amount(_text(value))
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
    number: Fraction = _is(value, Quantity).number
    return number


def is_integer(spend: Spend, value: Any) -> bool:
    number = _is(value, Quantity).number
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


# -- addresses


def address(spend: Spend, value: Any) -> Address:
    from ipaddress import ip_address

    if isinstance(value, Network):
        return Address(value.ip)
    text = _text(value)
    try:
        found = ip_address(text)
    except ValueError:
        raise Failed("the text is no IP address") from None
    if "%" in text or getattr(found, "ipv4_mapped", None) is not None:
        raise Failed("IP addresses with a zone, and IPv4 in IPv6, are not taken")
    return Address(found)


def network(spend: Spend, value: Any) -> Network:
    text, slash, bits = _text(value).partition("/")
    found = address(spend, text).ip
    if not slash or not bits.isascii() or not bits.isdecimal() or (bits[0] == "0" and len(bits) > 1) or len(bits) > 3:
        raise Failed("the text is no CIDR")
    if int(bits) > found.max_prefixlen:
        raise Failed("the text is no CIDR")
    return Network(found, int(bits))


def _masked(found: Network) -> Network:
    shift = found.ip.max_prefixlen - found.bits
    return Network(type(found.ip)(int(found.ip) >> shift << shift), found.bits)


def contains_ip(spend: Spend, value: Any, other: Any) -> bool:
    outer = _is(value, Network)
    inner = other if isinstance(other, Address) else address(spend, _text(other))
    return bool(type(inner.ip) is type(outer.ip)) and _masked(Network(inner.ip, outer.bits)) == _masked(outer)


def contains_network(spend: Spend, value: Any, other: Any) -> bool:
    outer = _is(value, Network)
    inner = other if isinstance(other, Network) else network(spend, other)
    return outer.bits <= inner.bits and contains_ip(spend, outer, Address(inner.ip))


def as_text(spend: Spend, value: Any) -> str:
    if isinstance(value, Network):
        return f"{value.ip}/{value.bits}"
    return str(value.ip) if isinstance(value, Address) else as_string(spend, value)


def is_canonical(spend: Spend, value: Any) -> bool:
    return str(address(spend, _text(value)).ip) == _text(value)


def _link_local_multicast(ip: IPv4Address | IPv6Address) -> bool:
    return int(ip) >> 8 == 0xE00000 if ip.version == 4 else (int(ip) >> 112) & 0xFF0F == 0xFF02


def _link_local(ip: IPv4Address | IPv6Address) -> bool:
    return int(ip) >> 16 == 0xA9FE if ip.version == 4 else int(ip) >> 118 == 0xFE80 >> 6


def _global_unicast(ip: IPv4Address | IPv6Address) -> bool:
    everyone = ip.version == 4 and int(ip) == 2**32 - 1
    return not (ip.is_unspecified or ip.is_loopback or ip.is_multicast or _link_local(ip) or everyone)


# -- versions


def version(spend: Spend, value: Any, loose: Any = False) -> Version:
    text = _text(value)
    spend(len(text) // 10)
    if len(text) > 200:
        raise NotJudged("a version of so many characters")
    if _is(loose, bool):
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
    text = _text(value)
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
    if "+" in _is(value, Url).query:
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
    known = _text(name) in _FORMATS or name in _OTHER_FORMATS
    return Optional(Format(name), True) if known else Optional()


def validated(spend: Spend, value: Any, text: Any) -> Optional:
    """Empty where the text is right. What Kubernetes says otherwise is not said again here."""
    name = _is(value, Format).name
    if name not in _FORMATS:
        raise NotJudged(f"the format {name}")
    spend(len(_text(text)))
    return Optional() if _FORMATS[name](text) else Optional(Unsaid(), True)


# -- finding


def find(spend: Spend, text: Any, pattern: Any) -> str:
    slots = regular(spend, text, pattern).search(text, 0)
    return "" if slots is None else str(text[slots[0] : slots[1]])


def find_all(spend: Spend, text: Any, pattern: Any, most: Any = -1) -> list[str]:
    _is(most, int)
    return [str(text[slots[0] : slots[1]]) for slots in regular(spend, text, pattern).find_all(text, most)]


def included(spend: Spend, value: Any, item: Any) -> bool:
    if isinstance(value, list):
        return any(equal(item, one, spend) for one in value)
    return equal(value, item, spend)


FUNCTIONS: Final[dict[str, Function]] = {
    "quantity": quantity,
    "isQuantity": _or_none(quantity),
    "sign": lambda spend, value: (_is(value, Quantity).number > 0) - (value.number < 0),
    "ip": address,
    "isIP": _or_none(lambda spend, value: address(spend, _text(value))),
    "ip.isCanonical": is_canonical,
    "string": as_text,
    "cidr": network,
    "isCIDR": _or_none(network),
    "semver": version,
    "isSemver": _or_none(version),
    "url": url,
    "isURL": _or_none(url),
    "format.named": named_format,
    **{f"format.{name}": lambda spend, name=name: Format(name) for name in (*_FORMATS, *_OTHER_FORMATS)},
}

METHODS: Final[dict[str, Function]] = {
    "add": lambda spend, value, other: Quantity(_is(value, Quantity).number + _number(other)),
    "sub": lambda spend, value, other: Quantity(_is(value, Quantity).number - _number(other)),
    "isLessThan": lambda spend, value, other: _ordered(spend, value, other) < 0,
    "isGreaterThan": lambda spend, value, other: _ordered(spend, value, other) > 0,
    "compareTo": _ordered,
    "isInteger": is_integer,
    "asInteger": as_integer,
    "asApproximateFloat": lambda spend, value: float(_is(value, Quantity).number),
    "ip": lambda spend, value: Address(_is(value, Network).ip),
    "family": lambda spend, value: _is(value, Address).ip.version,
    "isUnspecified": lambda spend, value: _is(value, Address).ip.is_unspecified,
    "isLoopback": lambda spend, value: _is(value, Address).ip.is_loopback,
    "isLinkLocalMulticast": lambda spend, value: _link_local_multicast(_is(value, Address).ip),
    "isLinkLocalUnicast": lambda spend, value: _link_local(_is(value, Address).ip),
    "isGlobalUnicast": lambda spend, value: _global_unicast(_is(value, Address).ip),
    "containsIP": contains_ip,
    "containsCIDR": contains_network,
    "prefixLength": lambda spend, value: _is(value, Network).bits,
    "masked": lambda spend, value: _masked(_is(value, Network)),
    "major": lambda spend, value: _is(value, Version).numbers[0],
    "minor": lambda spend, value: _is(value, Version).numbers[1],
    "patch": lambda spend, value: _is(value, Version).numbers[2],
    "getScheme": lambda spend, value: _is(value, Url).scheme,
    "getHost": lambda spend, value: _is(value, Url).host,
    "getHostname": lambda spend, value: _is(value, Url).name,
    "getPort": lambda spend, value: _is(value, Url).port,
    "getEscapedPath": lambda spend, value: _is(value, Url).path,
    "getQuery": _query,
    "validate": validated,
    "find": find,
    "findAll": find_all,
    "includes": included,
}
