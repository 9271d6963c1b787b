"""What may stand where: the fields of kinds whose types are known, by release.

A table of schemas/ has, for each type, its fields in one line:

    name:string            a scalar: string, bool, int32, int64, number, quantity, int-or-string
    spec:core.v1.PodSpec   a type of the same table
    args:[]string          a list          labels:{}string   a map
    raw:object             any mapping     status:any        anything     none:empty   a mapping without fields
    field:type@1.30        since that release; @-1.28 until, @1.26-1.28 both

A line is read when a walk first comes to its type: most manifests need a few of many hundred.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from enum import Enum
from functools import cache
from typing import Any, Final, NamedTuple

from ...facts.regexes import regex
from ...facts.tables import table
from ...facts.versions import Version
from ...yaml.lazy import lazy

_FIELD: Final = regex(r"(?P<name>\S+?):(?P<type>[^\s@]+)(?:@(?P<since>[\d.]*)(?:-(?P<until>[\d.]+))?)?(?:\s|$)")
_KIND: Final = regex(r"(?P<type>[^@]+)(?:@(?P<since>[\d.]*)(?:-(?P<until>[\d.]+))?)?")


class Kind(Enum):
    STRUCT = "a mapping"
    LIST = "a list"
    MAP = "a mapping of names"
    OBJECT = "any mapping"
    STRING = "string"
    BOOL = "bool"
    INT32 = "int32"
    INT64 = "int64"
    NUMBER = "number"
    QUANTITY = "quantity"
    INT_OR_STRING = "int-or-string"
    ANY = "any"


SCALARS: Final = {
    kind.value: kind
    for kind in (Kind.STRING, Kind.BOOL, Kind.INT32, Kind.INT64, Kind.NUMBER, Kind.QUANTITY, Kind.INT_OR_STRING)
}


class Releases(NamedTuple):
    """From one release to another, both included; None where it is open."""

    since: Version | None = None
    until: Version | None = None

    @classmethod
    def of(cls, match: re.Match[str]) -> Releases:
        since, until = match["since"], match["until"]
        return cls(Version.parse(since) if since else None, Version.parse(until) if until else None)

    def __contains__(self, release: object) -> bool:
        if not isinstance(release, Version):
            return True  # of no release in particular
        return (self.since is None or self.since <= release) and (self.until is None or release <= self.until)

    def __str__(self) -> str:
        if self.since is None:
            return f"up to {self.until}"
        if self.until is None:
            return f"{self.since} and later"
        return str(self.since) if self.since == self.until else f"from {self.since} to {self.until}"


class Shape:
    """What a value has to look like."""

    def __init__(self, kind: Kind, types: FieldTypes, name: str = "", inner: Shape | None = None) -> None:
        self.kind = kind
        self.name = name
        """Of a type in the table."""
        self.inner: Final = inner or self
        """Of the items of a list, of the values of a map; nobody asks the others."""
        self.types: Final = types

    @lazy
    def fields(self) -> Mapping[str, Shape]:
        """Of a mapping, in the release that is asked about."""
        return {match["name"]: self.types.shape(match["type"]) for match in self._declared() if self._is_there(match)}

    @lazy
    def elsewhere(self) -> Mapping[str, Releases]:
        """The fields that only other releases have."""
        return {match["name"]: Releases.of(match) for match in self._declared() if not self._is_there(match)}

    def _declared(self) -> Iterator[re.Match[str]]:
        return _FIELD.finditer(self.types.line(self.name))

    def _is_there(self, match: re.Match[str]) -> bool:
        return not (match["since"] or match["until"]) or self.types.release in Releases.of(match)


class FieldTypes:
    """A table, seen from one release; from none in particular it has what any release has."""

    def __init__(self, data: Mapping[str, Any], release: Version | None) -> None:
        first, last = (Version.parse(text) for text in data["releases"])
        self.releases: Final = Releases(first, last)
        """Those that the table knows."""
        self.release: Final = release if release in self.releases else None
        self._data = data
        self._kinds: dict[tuple[str, str], Shape | None] = {}
        self._shapes: dict[str, Shape] = {}

    @lazy
    def groups(self) -> frozenset[str]:
        """Those that the kinds of the table are in."""
        return frozenset(kind.rpartition("/")[0].rpartition("/")[0] for kind in self._data["kinds"])

    @lazy
    def kinds(self) -> frozenset[str]:
        """``apps/v1/Deployment``, for all that the release has."""
        found = ((name, _KIND.fullmatch(type_)) for name, type_ in self._data["kinds"].items())
        return frozenset(name for name, match in found if match and self.release in Releases.of(match))

    def line(self, name: str) -> str:
        return str(self._data["types"].get(name, ""))

    def of_kind(self, api_version: str, kind: str) -> Shape | None:
        """None for a kind that the table, or that release, does not have."""
        key = (api_version, kind)
        if key not in self._kinds:
            match = _KIND.fullmatch(self._data["kinds"].get(f"{api_version}/{kind}", ""))
            self._kinds[key] = self.shape(match["type"]) if match and self.release in Releases.of(match) else None
        return self._kinds[key]

    def versions_of(self, group: str, kind: str) -> Iterator[Shape]:
        """Of a kind, in every version that its group has; the newest in name first."""
        for name in sorted(self.kinds, reverse=True):
            api_version, _, there = name.rpartition("/")
            if there == kind and api_version.rpartition("/")[0] == group:
                found = self.of_kind(api_version, kind)
                if found is not None:
                    yield found

    def shape(self, type_: str) -> Shape:
        found = self._shapes.get(type_)
        if found is None:
            found = self._shapes[type_] = self._make(type_)
        return found

    def _make(self, type_: str) -> Shape:
        if type_ in SCALARS:
            return Shape(SCALARS[type_], self)
        if type_.startswith(("[]", "{}")):
            return Shape(Kind.LIST if type_[0] == "[" else Kind.MAP, self, inner=self.shape(type_[2:]))
        if type_ in ("any", "object"):
            return Shape(Kind.ANY if type_ == "any" else Kind.OBJECT, self)
        return Shape(Kind.STRUCT, self, type_)


@cache
def field_types(name: str, release: Version | None) -> FieldTypes:
    """A table of schemas/ by its file name."""
    return FieldTypes(table(name), release)
