"""The charts that a chart needs: which are there, which the repository can lend, which are missing.

Helm renders nothing while one that Chart.yaml names is not in `charts/`,
whatever conditions and tags say. Argo CD then runs `helm dependency build`,
which packs charts with a ``file://`` address as they are: what such a chart
needs itself is not built, and Helm does not ask for it.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final, NamedTuple, Protocol

from ..helm.rendering import MissingDependency
from ..reading import Stamp
from ..source import SourceFile

CHART: Final = "Chart.yaml"
REQUIREMENTS: Final = "requirements.yaml"
"""Where charts of the first kind name them; Helm reads it for all."""
_LOCAL: Final = "file://"


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


def mapping_in(files: ChartFiles, path: str) -> dict[str, Any]:
    """The first document of a YAML file; empty if it is no mapping."""
    data = files.data(path)
    return _mapping(data, path) if data is not None else {}


def _mapping(data: bytes, path: str) -> dict[str, Any]:
    documents = SourceFile(path, data.decode("utf-8", "replace")).documents
    value = documents[0].root.value if documents else None
    return value if isinstance(value, dict) else {}


def dependencies_of(files: ChartFiles, chart: str, own: Collection[str], not_there: Collection[str]) -> Dependencies:
    """`own` are the files of the chart; `not_there` are known to be missing, whatever it looks like."""
    declared = {
        name: value
        for name in (CHART, REQUIREMENTS)
        if (path := joined(chart, name)) in own and (value := mapping_in(files, path)).get("dependencies")
    }
    entries = [entry for entry in _entries(next(reversed(declared.values()), {})) if entry.get("name")]
    if not entries:
        return Dependencies()
    vendored = _Vendored(files, chart, own)
    borrowed: dict[str, str] = {}
    missing: list[MissingDependency] = []
    for entry in entries:
        name = str(entry["name"])
        if name not in not_there and (vendored.has(name) or name in borrowed):
            continue
        folder = None if name in not_there else _local_folder(files, chart, str(entry.get("repository") or ""))
        if folder is not None:
            borrowed[name] = folder
        else:
            missing.append(_missing(entry))
    absent = {one.name for one in missing}
    return Dependencies(tuple(borrowed.items()), tuple(missing), _without(declared, chart, absent) if absent else {})


def _without(declared: Mapping[str, Mapping[str, Any]], chart: str, names: Collection[str]) -> dict[str, bytes]:
    """The files of a chart that name dependencies, without these."""
    return {
        joined(chart, name): json.dumps(
            {**value, "dependencies": [one for one in _entries(value) if one.get("name") not in names]}
        ).encode()
        for name, value in declared.items()
    }


def joined(folder: str, name: str) -> str:
    return name if folder == "." else f"{folder}/{name}"


def _entries(value: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    found = value.get("dependencies")
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _missing(entry: Mapping[str, Any]) -> MissingDependency:
    words = (str(entry.get(key) or "") for key in ("name", "version", "repository", "alias"))
    return MissingDependency(*words)


def _local_folder(files: ChartFiles, chart: str, repository: str) -> str | None:
    """The folder of this repository that a ``file://`` address means."""
    if not repository.startswith(_LOCAL) or repository.startswith(f"{_LOCAL}/") or "\0" in repository:
        return None
    folder = posixpath.normpath(posixpath.join(chart, repository.removeprefix(_LOCAL)))
    if folder.startswith("../") or folder == "..":
        return None
    return folder if files.stamp(joined(folder, CHART)) else None


class _Vendored:
    """What lies in `charts/`: a folder goes by the name in its Chart.yaml, an archive by its own name."""

    def __init__(self, files: ChartFiles, chart: str, own: Collection[str]) -> None:
        prefix = joined(chart, "charts/")
        inside = [path[len(prefix) :] for path in own if path.startswith(prefix)]
        folders = [path.removesuffix(f"/{CHART}") for path in inside if path.count("/") == 1 and path.endswith(CHART)]
        self._archives = [path for path in inside if "/" not in path and path.endswith(".tgz")]
        # Helm passes over those.
        seen = (folder for folder in folders if not folder.startswith(("_", ".")))
        self._names = {str(mapping_in(files, f"{prefix}{folder}/{CHART}").get("name") or "") for folder in seen}

    def has(self, name: str) -> bool:
        archive = re.compile(rf"{re.escape(name)}-v?\d.*\.tgz")
        return name in self._names or any(archive.fullmatch(path) for path in self._archives)
