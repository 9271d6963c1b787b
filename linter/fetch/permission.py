"""Whom a fetch may ask: hosts that somebody allowed, and no private address that nobody named."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from typing import Final, NamedTuple

from ..facts.regexes import regex

_HOST: Final = regex(r"(?P<host>\[[0-9a-f:.]+\]|[a-z0-9_](?:[a-z0-9._-]*[a-z0-9_.])?)(?::(?P<port>\d{1,5}))?")
_LOCAL_NAMES: Final = ("localhost", "localhost.localdomain")
_STANDARD: Final = frozenset((80, 443))


class NotAllowed(Exception):
    """Why somebody is not asked."""


class Target(NamedTuple):
    host: str
    port: int

    def __str__(self) -> str:
        return self.host if self.port in _STANDARD else f"{self.host}:{self.port}"


def target_of(text: str, port: int = 443) -> Target:
    """``host`` or ``host:port``. Raises NotAllowed for anything else."""
    found = _HOST.fullmatch(text.strip().lower())
    number = int(found["port"] or port) if found else 0
    if found is None or not 0 < number < 65_536:
        raise NotAllowed(f"{text[:200]!r} is no host")
    return Target(found["host"].strip("[]").rstrip("."), number)


class Permission(NamedTuple):
    hosts: frozenset[str]
    """As they are written: a host, one with a port, or ``*.example.com``."""

    @classmethod
    def of(cls, hosts: Iterable[str]) -> Permission:
        return cls(frozenset(host.strip().lower() for host in hosts if host.strip()))

    def demand(self, target: Target) -> None:
        """Raises NotAllowed for a host that nobody allowed."""
        if not self._is_named(target) and not self._is_below_a_star(target):
            raise NotAllowed(f"{target} is not among the allowed hosts")

    def demand_address(self, target: Target, address: str) -> None:
        """Raises NotAllowed for an address inside of somebody's network, unless the host is named by itself."""
        if not is_public(address) and not self._is_named(target):
            raise NotAllowed(f"{target} has a private address, and is not among the allowed hosts by its own name")

    @property
    def local_ports(self) -> tuple[int, ...]:
        """Of servers on this very machine that are allowed: these must be named with their port."""
        found = (target_of(host) for host in self.hosts if "*" not in host and ":" in host)
        return tuple(sorted({one.port for one in found if is_this_machine(one.host)}))

    def _is_named(self, target: Target) -> bool:
        with_port = f"{target.host}:{target.port}"
        if is_this_machine(target.host):
            return with_port in self.hosts
        bracketed = f"[{target.host}]:{target.port}"
        usual = target.port in _STANDARD and target.host in self.hosts
        return usual or with_port in self.hosts or bracketed in self.hosts

    def _is_below_a_star(self, target: Target) -> bool:
        stars = (host[1:] for host in self.hosts if host.startswith("*."))
        return target.port in _STANDARD and any(target.host.endswith(end) for end in stars)


def is_this_machine(host: str) -> bool:
    if host in _LOCAL_NAMES or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def is_public(address: str) -> bool:
    """Whether it is an address of the internet, also behind the ways to write an old address as a new one."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if isinstance(found, ipaddress.IPv6Address):
        inner = found.ipv4_mapped or found.sixtofour or (found.teredo[1] if found.teredo else None)
        if inner is not None:
            return is_public(str(inner))
        if found in ipaddress.ip_network("64:ff9b::/96"):
            return is_public(str(ipaddress.IPv4Address(int(found) & 0xFFFFFFFF)))
    return found.is_global and not found.is_multicast
