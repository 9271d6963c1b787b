"""IP addresses and networks, which Kubernetes adds to CEL."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from .cel_conversions import as_string
from .cel_values import Failed, Function, Spend, need, need_text, succeeds

if TYPE_CHECKING:
    from ipaddress import IPv4Address, IPv6Address


@dataclass(frozen=True)
class Address:
    ip: IPv4Address | IPv6Address


@dataclass(frozen=True)
class Network:
    ip: IPv4Address | IPv6Address
    bits: int


def address(spend: Spend, value: Any) -> Address:
    from ipaddress import ip_address

    if isinstance(value, Network):
        return Address(value.ip)
    text = need_text(value)
    try:
        found = ip_address(text)
    except ValueError:
        raise Failed("the text is no IP address") from None
    if "%" in text or getattr(found, "ipv4_mapped", None) is not None:
        raise Failed("IP addresses with a zone, and IPv4 in IPv6, are not taken")
    return Address(found)


def network(spend: Spend, value: Any) -> Network:
    text, slash, bits = need_text(value).partition("/")
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
    outer = need(value, Network)
    inner = other if isinstance(other, Address) else address(spend, need_text(other))
    return bool(type(inner.ip) is type(outer.ip)) and _masked(Network(inner.ip, outer.bits)) == _masked(outer)


def contains_network(spend: Spend, value: Any, other: Any) -> bool:
    outer = need(value, Network)
    inner = other if isinstance(other, Network) else network(spend, other)
    return outer.bits <= inner.bits and contains_ip(spend, outer, Address(inner.ip))


def as_text(spend: Spend, value: Any) -> str:
    if isinstance(value, Network):
        return f"{value.ip}/{value.bits}"
    return str(value.ip) if isinstance(value, Address) else as_string(spend, value)


def is_canonical(spend: Spend, value: Any) -> bool:
    return str(address(spend, need_text(value)).ip) == need_text(value)


def _link_local_multicast(ip: IPv4Address | IPv6Address) -> bool:
    return int(ip) >> 8 == 0xE00000 if ip.version == 4 else (int(ip) >> 112) & 0xFF0F == 0xFF02


def _link_local(ip: IPv4Address | IPv6Address) -> bool:
    return int(ip) >> 16 == 0xA9FE if ip.version == 4 else int(ip) >> 118 == 0xFE80 >> 6


def _global_unicast(ip: IPv4Address | IPv6Address) -> bool:
    everyone = ip.version == 4 and int(ip) == 2**32 - 1
    return not (ip.is_unspecified or ip.is_loopback or ip.is_multicast or _link_local(ip) or everyone)


FUNCTIONS: Final[dict[str, Function]] = {
    "ip": address,
    "isIP": succeeds(lambda spend, value: address(spend, need_text(value))),
    "ip.isCanonical": is_canonical,
    "cidr": network,
    "isCIDR": succeeds(network),
}

METHODS: Final[dict[str, Function]] = {
    "ip": lambda spend, value: Address(need(value, Network).ip),
    "family": lambda spend, value: need(value, Address).ip.version,
    "isUnspecified": lambda spend, value: need(value, Address).ip.is_unspecified,
    "isLoopback": lambda spend, value: need(value, Address).ip.is_loopback,
    "isLinkLocalMulticast": lambda spend, value: _link_local_multicast(need(value, Address).ip),
    "isLinkLocalUnicast": lambda spend, value: _link_local(need(value, Address).ip),
    "isGlobalUnicast": lambda spend, value: _global_unicast(need(value, Address).ip),
    "containsIP": contains_ip,
    "containsCIDR": contains_network,
    "prefixLength": lambda spend, value: need(value, Network).bits,
    "masked": lambda spend, value: _masked(need(value, Network)),
}
