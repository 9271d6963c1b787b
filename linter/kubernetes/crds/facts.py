"""Defaults of well-known CRDs, by the releases of the operator that has them.

``schemas/crd-defaults.json`` holds, for each ``group/version/Kind``, its source
and rows ``[path, default, releases]``. A path is made of field names and marks:

    a.b    a member            l[]        items of a list that is replaced whole
    m{}    values of a map     l[=]       items of a list that is merged by keys
    f?     nullable            l[k,...]   the same, and these of its keys have a default
    f*     keeps unknown       f!         an object that is replaced whole
           fields

Releases are ranges of minor releases, ``0.16-2.8``, open at an end that is the
oldest or newest release looked at; no third element: all of them. A kind that
an operator stopped serving has no open range.

From the rows of one release comes a schema that is exact about these defaults
and silent about all other fields.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache, cached_property
from typing import Any, Final, NamedTuple

from ...facts.regexes import regex
from ...facts.tables import table
from ...facts.versions import Version
from ..defaulting import LIST_KEYS, LIST_TYPE, MAP_TYPE, PRESERVE, Schema

TABLE: Final = "crd-defaults.json"
OLDER: Final = "kinds-before-defaults.json"
OTHER_KEY: Final = "*"
"""Stands for the keys of a list that have no default: which ones they are does not matter."""

_STEP: Final = regex(r"(?P<name>[^.\[\]{}!?*]+)(?P<marks>(?:\[[^\]]*\]|\{\}|[!?*])*)(?:\.|$)")
_MARK: Final = regex(r"\[[^\]]*\]|\{\}|[!?*]")


class Row(NamedTuple):
    path: str
    default: Any
    releases: str = "-"

    def holds_for(self, release: Version) -> bool:
        return any(
            (not since or Version.parse(since) <= release) and (not until or release <= Version.parse(until))
            for since, until in self.ranges
        )

    @property
    def ranges(self) -> Iterable[tuple[str, str]]:
        return ((since, until) for since, _, until in (text.partition("-") for text in self.releases.split(",")))


class Era(NamedTuple):
    """Releases in a row that have the same defaults for a kind; None where the source has no releases."""

    first: Version | None
    last: Version | None
    schema: Schema


class Facts:
    """What the table says of one group/version/Kind."""

    def __init__(self, source: str, oldest: str, newest: str, rows: Sequence[Row], is_older: bool = False) -> None:
        """`is_older`: there were releases with the kind and without any default of it."""
        self.source = source
        self.oldest = Version.parse(oldest) if oldest else None
        self.newest = Version.parse(newest) if newest else None
        self._rows = rows
        self._is_older = is_older
        self._known: dict[Version, Era | None] = {}

    @cached_property
    def eras(self) -> tuple[Era, ...]:
        """In the order of releases, only those that have the kind."""
        if self.oldest is None or self.newest is None:
            return (Era(None, None, schema_of(self._rows)),)
        # Something changes only where a range begins or ends, so these releases stand for all.
        ends = {end for row in self._rows for pair in row.ranges for end in pair if end}
        eras: list[Era] = []
        before: Sequence[Row] = ()
        for release in sorted({self.oldest, self.newest, *map(Version.parse, ends)}):
            rows = self._rows_at(release)
            if rows and rows == before:
                eras[-1] = eras[-1]._replace(last=release)
            elif rows or (self._is_older and not eras):
                eras.append(Era(release, release, schema_of(rows)))
            before = rows
        return tuple(eras)

    @cached_property
    def last(self) -> Version | None:
        """The last release that has one of the defaults, so surely the kind."""
        ends = [until for row in self._rows for _, until in row.ranges]
        return max(map(Version.parse, ends)) if ends and all(ends) else self.newest

    def at(self, release: Version) -> Era | None:
        """None if nothing is known of that release, or if it does not have the kind."""
        if self.oldest is None or self.newest is None or release < self.oldest or release.major > self.newest.major:
            return None
        if release not in self._known:
            rows = self._rows_at(release)
            self._known[release] = Era(release, release, schema_of(rows)) if rows or self._is_older else None
        return self._known[release]

    def _rows_at(self, release: Version) -> list[Row]:
        return [row for row in self._rows if row.holds_for(release)]

    def releases(self, having: Sequence[int]) -> str:
        """``0.16 to 2.8``: the eras with these numbers, as people name releases; empty if the source has none."""
        runs: list[tuple[int, int]] = []
        for index in having:
            if runs and runs[-1][1] == index - 1:
                runs[-1] = (runs[-1][0], index)
            else:
                runs.append((index, index))
        return " and ".join(self._run(self.eras[first].first, self.eras[last].last) for first, last in runs)

    def _run(self, first: Version | None, last: Version | None) -> str:
        if last and last == self.newest != self.oldest:
            return f"{first} and later"
        return str(first or "") if first == last else f"{first} to {last}"


@cache
def facts_of(api_version: str, kind: str) -> Facts | None:
    facts = table(TABLE)
    entry = facts["kinds"].get(f"{api_version}/{kind}")
    if entry is None:
        return None
    oldest, newest = facts["sources"][entry["source"]]
    is_older = f"{api_version}/{kind}" in table(OLDER)["kinds"]
    return Facts(entry["source"], oldest, newest, [Row(*row) for row in entry["rows"]], is_older)


def schema_of(rows: Iterable[Row]) -> Schema:
    root: dict[str, Any] = {}
    for row in rows:
        node = root
        for step in _STEP.finditer(row.path):
            node = node.setdefault("properties", {}).setdefault(step["name"], {})
            for mark in _MARK.findall(step["marks"]):
                node = _marked(node, mark)
        node["default"] = row.default
    return root


def _marked(node: dict[str, Any], mark: str) -> dict[str, Any]:
    if mark == "!":
        node[MAP_TYPE] = "atomic"
    elif mark == "?":
        node["nullable"] = True
    elif mark == "*":
        node[PRESERVE] = True
    elif mark == "{}":
        inner: dict[str, Any] = node.setdefault("additionalProperties", {})
        return inner
    else:
        if mark != "[]":
            node[LIST_TYPE] = "map"
            node.setdefault(LIST_KEYS, [OTHER_KEY])
        if mark not in ("[]", "[=]"):
            node[LIST_KEYS] = sorted({*node[LIST_KEYS], *mark[1:-1].split(",")})
        items: dict[str, Any] = node.setdefault("items", {})
        return items
    return node
