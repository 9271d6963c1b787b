"""What two renderings of the same chart with the same values do not agree on."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from itertools import zip_longest
from typing import TYPE_CHECKING, Final, NamedTuple

from ...argocd.ignored_differences import is_ignored
from ...helm.answer import NotYet
from ...kubernetes.resource import resources_in
from ...yaml.compose import RawScalar
from ...yaml.json_pointer import steps
from ...yaml.source import SourceFile
from .charts import ChartBuild, Charts

if TYPE_CHECKING:
    from ...argocd.argocd_settings import Settings

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
    ignored: Mapping[str, frozenset[int]] = {}
    """By template: lines that came out differently, where every Application ignores that."""
    stable: frozenset[str] = frozenset()
    """Folders of charts that came out the same twice, in all that they are rendered in, with all values; what is
    ignored does not count."""
    seen: frozenset[str] = frozenset()
    """Folders of charts whose every use was rendered twice: what is random in them shows in `lines`."""


class _Differences(NamedTuple):
    """By template and line; None if nobody can tell."""

    told: dict[tuple[str, int], Proof] | None
    ignored: frozenset[tuple[str, int]] = frozenset()


def prove(charts: Charts, builds: Iterable[ChartBuild], folders: Iterable[str], settings: Settings) -> Proofs:
    wanted = frozenset(folders)
    lines: dict[str, dict[int, Proof]] = {}
    ignored: dict[str, set[int]] = {}
    verdicts: dict[str, bool] = {}
    unseen: set[str] = set()
    for build in builds:
        parts = wanted & {build.folder, *(folder for _, folder in charts.layout(build.folder).keyed_subcharts())}
        if not parts:
            continue
        is_seen = build.is_rendered and build.request is not None
        found, left_out = _differences(charts, build, settings) if is_seen else _Differences(None)
        for folder in parts:
            verdicts[folder] = verdicts.get(folder, True) and found == {}
        unseen.update(parts if found is None else ())
        for (path, line), proof in (found or {}).items():
            lines.setdefault(path, {}).setdefault(line, proof)
        for path, line in left_out:
            ignored.setdefault(path, set()).add(line)
    everywhere = {path: frozenset(found - lines.get(path, {}).keys()) for path, found in ignored.items()}
    stable = (folder for folder, is_stable in verdicts.items() if is_stable)
    return Proofs(lines, everywhere, frozenset(stable), frozenset(verdicts.keys() - unseen))


def _differences(charts: Charts, build: ChartBuild, settings: Settings) -> _Differences:
    assert build.request is not None
    both = charts.twice(build.request)
    if both is None:
        return _Differences(None)
    if both[0] == both[1]:
        return _Differences({})
    origins = charts.origins(build.request)
    try:
        marks = origins.lines(both[0])
    except NotYet:
        return _Differences(None)
    pairs = enumerate(zip_longest(both[0].split("\n"), both[1].split("\n"), fillvalue=""))
    changed = {number: Proof(one.strip(), other.strip()) for number, (one, other) in pairs if one != other}
    unseen = _ignored_lines(both[0], changed.keys(), build, settings)
    told: dict[tuple[str, int], Proof] = {}
    ignored: set[tuple[str, int]] = set()
    for number, proof in changed.items():
        for mark in marks[number].marks if marks is not None and number < len(marks) else ():
            file = origins.numbered(mark.file)
            if file is not None and number in unseen:
                ignored.add((file.path, mark.line))
            elif file is not None:
                told.setdefault((file.path, mark.line), proof)
    if told:
        return _Differences(told, frozenset(ignored))
    return _Differences({} if unseen.issuperset(changed) else None, frozenset(ignored))


def _ignored_lines(text: str, changed: Collection[int], build: ChartBuild, settings: Settings) -> set[int]:
    """Of the lines that changed, counted from 0, those with values that Argo CD is told not to compare."""
    if build.application is None:
        return set()
    file = SourceFile("", text)
    values = (
        (file.position(one.key_span.start).line - 1, file.position(one.raw.end_mark.index - 1).line, resource, one)
        for document in file.documents
        for resource in resources_in(document.root)
        for one in resource.node.walk()
        if isinstance(one.raw, RawScalar)
    )
    return {
        number
        for start, end, resource, one in values
        for number in range(start, end)
        if number in changed and is_ignored(settings, build.application, resource, steps(one.pointer))
    }


def _short(text: str) -> str:
    return repr(text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}…")
