"""What two renderings of the same chart with the same values do not agree on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import zip_longest
from typing import Final, NamedTuple

from ...helm.answer import NotYet
from .charts import ChartBuild, Charts

MAX_SHOWN: Final = 60


class Proof(NamedTuple):
    """A line as it was printed first, and the second time."""

    first: str
    second: str

    def __str__(self) -> str:
        return f"two renderings of it differ: {_short(self.first)} and {_short(self.second)}"


class Proofs(NamedTuple):
    lines: Mapping[str, Mapping[int, Proof]] = {}
    """By template and line."""
    stable: frozenset[str] = frozenset()
    """Folders of charts that came out the same twice, in all that they are rendered in, with all values."""
    seen: frozenset[str] = frozenset()
    """Folders of charts whose every use was rendered twice: what is random in them shows in `lines`."""


def prove(charts: Charts, builds: Iterable[ChartBuild], folders: Iterable[str]) -> Proofs:
    wanted = frozenset(folders)
    lines: dict[str, dict[int, Proof]] = {}
    verdicts: dict[str, bool] = {}
    unseen: set[str] = set()
    for build in builds:
        parts = wanted & {build.folder, *(folder for _, folder in charts.layout(build.folder).keyed_subcharts())}
        if not parts:
            continue
        found = _differences(charts, build) if build.is_rendered and build.request is not None else None
        for folder in parts:
            verdicts[folder] = verdicts.get(folder, True) and found == {}
        unseen.update(parts if found is None else ())
        for (path, line), proof in (found or {}).items():
            lines.setdefault(path, {}).setdefault(line, proof)
    stable = (folder for folder, is_stable in verdicts.items() if is_stable)
    return Proofs(lines, frozenset(stable), frozenset(verdicts.keys() - unseen))


def _differences(charts: Charts, build: ChartBuild) -> dict[tuple[str, int], Proof] | None:
    """None if nobody can tell."""
    assert build.request is not None
    both = charts.twice(build.request)
    if both is None:
        return None
    if both[0] == both[1]:
        return {}
    origins = charts.origins(build.request)
    try:
        marks = origins.lines(both[0])
    except NotYet:
        return None
    found: dict[tuple[str, int], Proof] = {}
    for number, (one, other) in enumerate(zip_longest(both[0].split("\n"), both[1].split("\n"), fillvalue="")):
        if one == other or marks is None or number >= len(marks):
            continue
        for mark in marks[number].marks:
            file = origins.numbered(mark.file)
            if file is not None:
                found.setdefault((file.path, mark.line), Proof(one.strip(), other.strip()))
    return found or None


def _short(text: str) -> str:
    return repr(text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}…")
