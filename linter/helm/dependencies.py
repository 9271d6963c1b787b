"""The charts that a chart needs: what it declares, and what lies in its `charts/`."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple

from ..facts.regexes import regex
from ..files.elsewhere import Elsewhere, fetched_root
from ..yaml.source import Node, SourceFile

CHART: Final = "Chart.yaml"
REQUIREMENTS: Final = "requirements.yaml"
"""Where charts of Helm 2 name them; Helm reads it for all, and before Chart.yaml."""
_LOCAL: Final = "file://"
_ARCHIVE: Final = regex(r"(?P<name>.+?)-(?P<version>v?\d+\.\d+.*)\.tgz")


class Dependency(NamedTuple):
    """A chart that another one declares; every field is a place in Chart.yaml or requirements.yaml."""

    node: Node

    @property
    def name(self) -> str:
        return self.node["name"].text

    @property
    def version(self) -> str:
        return self.node["version"].text

    @property
    def repository(self) -> str:
        return self.node["repository"].text

    @property
    def key(self) -> str:
        """Where its values are in those of the parent."""
        return self.node["alias"].text or self.name

    @property
    def conditions(self) -> tuple[str, ...]:
        return tuple(one.strip() for one in self.node["condition"].text.split(",") if one.strip())

    @property
    def tags(self) -> tuple[str, ...]:
        return tuple(one.text for one in self.node["tags"])

    @property
    def local_path(self) -> str | None:
        """The folder of a ``file://`` dependency, as it is written."""
        return self.repository.removeprefix(_LOCAL) if self.repository.startswith(_LOCAL) else None

    @property
    def is_remote(self) -> bool:
        """Whether an address is written, and none that only the settings of somebody's Helm know."""
        return "://" in self.repository and self.local_path is None

    def local_folder(self, chart: str) -> str | None:
        """The folder of this repository that it means, for a chart in a folder; None if it leads out of it."""
        path = self.local_path
        if path is None or path.startswith("/") or "\0" in path:
            return None
        folder = posixpath.normpath(posixpath.join(chart, path))
        leads_out = folder == ".." or folder.startswith("../") or fetched_root(folder) != fetched_root(chart)
        return None if leads_out else folder


class Vendored(NamedTuple):
    """A chart within `charts/`."""

    name: str
    """In its Chart.yaml; of an archive as far as its file name tells."""
    version: str
    path: str
    is_packed: bool = False

    def goes_by(self, name: str) -> bool:
        if not self.is_packed:
            return self.name == name
        return re.fullmatch(rf"{re.escape(name)}-v?\d.*\.tgz", posixpath.basename(self.path)) is not None


def brought(dependency: Dependency, lock: Node | None, elsewhere: Elsewhere) -> str | None:
    """The folder of a dependency that was fetched; Chart.lock says which version Argo CD takes."""
    if not dependency.is_remote:
        return None
    entries = lock["dependencies"] if lock is not None else ()
    same = (one for one in entries if one["name"].text == dependency.name)
    locked = next((one["version"].text for one in same), "") or dependency.version
    return elsewhere.chart(dependency.node, dependency.repository, dependency.name, locked)


def declared(chart: Node | None, requirements: Node | None) -> tuple[Dependency, ...]:
    """Given the tops of Chart.yaml and requirements.yaml: the latter counts if it names any."""
    for root in (requirements, chart):
        nodes = [node for node in root["dependencies"] if node.is_mapping] if root is not None else []
        if nodes:
            return tuple(Dependency(node) for node in nodes)
    return ()


def vendored_in(folder: str, paths: Iterable[str], root_at: Callable[[str], Node | None]) -> Iterator[Vendored]:
    """Given the files of a chart; `root_at` gives the top of a YAML file. Helm passes over names with `_` or `.`."""
    prefix = joined(folder, "charts/")
    for path in sorted(path for path in paths if path.startswith(prefix)):
        name, _, rest = path[len(prefix) :].partition("/")
        if name.startswith(("_", ".")):
            continue
        if rest == CHART:
            root = root_at(path)
            own, version = (root["name"].text, root["version"].text) if root is not None else ("", "")
            yield Vendored(own or name, version, f"{prefix}{name}")
        elif not rest and name.endswith(".tgz"):
            archive = _ARCHIVE.fullmatch(name)
            yield (
                Vendored(archive["name"], archive["version"], path, True)
                if archive
                else Vendored(name.removesuffix(".tgz"), "", path, True)
            )


def joined(folder: str, name: str) -> str:
    """The path of something in a folder, which may be the root."""
    return name if folder == "." else f"{folder}/{name}"


def root_of(file: SourceFile | None) -> Node | None:
    """The one mapping that a file of a chart holds."""
    if file is None or not file.documents:
        return None
    root = file.documents[0].root
    return root if root.is_mapping else None
