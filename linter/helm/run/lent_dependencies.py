"""The charts that a chart needs: which are there, which the repository can lend, which are missing.

Helm renders nothing while one that Chart.yaml names is not in `charts/`,
whatever conditions and tags say. Argo CD then runs `helm dependency build`,
which packs charts with a ``file://`` address as they are: what such a chart
needs itself is not built, and Helm does not ask for it.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final, NamedTuple, Protocol

from ...files.disk import Stamp
from ...files.elsewhere import NOTHING, Elsewhere
from ...yaml.source import Node, SourceFile
from ..answer import MissingDependency
from ..dependencies import CHART, REQUIREMENTS, brought, declared, joined, root_of, vendored_in

_LOCK: Final = "Chart.lock"


class ChartFiles(Protocol):
    """The files of one state of a repository."""

    def below(self, folder: str) -> Iterable[str]:
        """All files in a folder and its folders, of any name, from the root of the repository."""

    def data(self, path: str) -> bytes | None: ...

    def stamp(self, path: str) -> Stamp | None:
        """None when there is no such file."""


class Dependencies(NamedTuple):
    borrowed: tuple[tuple[str, str], ...] = ()
    """Name, folder of the repository."""
    missing: tuple[MissingDependency, ...] = ()
    rewritten: Mapping[str, bytes] = {}
    """Files of the chart as they read without the missing ones."""


def root_at(files: ChartFiles, path: str) -> Node | None:
    """The top of a YAML file; None if it is no mapping."""
    data = files.data(path)
    return root_of(SourceFile(path, data.decode("utf-8", "replace"))) if data is not None else None


def dependencies_of(
    files: ChartFiles, chart: str, own: Collection[str], not_there: Collection[str], elsewhere: Elsewhere = NOTHING
) -> Dependencies:
    """`own` are the files of the chart; `not_there` are known to be missing, whatever it looks like."""
    paths = [path for name in (CHART, REQUIREMENTS) if (path := joined(chart, name)) in own]
    tops = ((path, root_at(files, path)) for path in paths)
    roots = {path: root for path, root in tops if root is not None and root["dependencies"].is_sequence}
    wanted = [one for one in declared(*(roots.get(joined(chart, name)) for name in (CHART, REQUIREMENTS))) if one.name]
    if not wanted:
        return Dependencies()
    vendored = list(vendored_in(chart, own, lambda path: root_at(files, path)))
    borrowed: dict[str, str] = {}
    missing: list[MissingDependency] = []
    for one in wanted:
        is_there = any(there.goes_by(one.name) for there in vendored) or one.name in borrowed
        if one.name in not_there or not is_there:
            folder = None
            if one.name not in not_there:
                folder = one.local_folder(chart) or brought(one, root_at(files, joined(chart, _LOCK)), elsewhere)
            if folder is not None and files.stamp(joined(folder, CHART)):
                borrowed[one.name] = folder
            else:
                missing.append(MissingDependency(one.name, one.version, one.repository, one.node["alias"].text))
    absent = {one.name for one in missing}
    return Dependencies(tuple(borrowed.items()), tuple(missing), _without(roots, absent) if absent else {})


def _without(roots: Mapping[str, Node], names: Collection[str]) -> dict[str, bytes]:
    """The files of a chart that name dependencies, without these."""
    return {path: json.dumps(_stripped(root.value, names)).encode() for path, root in roots.items()}


def _stripped(value: Mapping[str, Any], names: Collection[str]) -> dict[str, Any]:
    kept = [one for one in value["dependencies"] if isinstance(one, dict) and one.get("name") not in names]
    return {**value, "dependencies": kept}
