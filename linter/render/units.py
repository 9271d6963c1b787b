"""Files → units: the objects that one sync would apply together.

A kustomization that no other one includes is a unit, with everything it
includes; so is a chart; so is each folder of plain manifests, without its
sub-folders, as Argo CD reads a folder.
"""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ..resource import Resource
from ..source import SourceFile
from .kustomize import API_GROUP, FILE_NAMES, Kustomization, PatchTarget, find_kustomizations


class Unit(NamedTuple):
    name: str
    resources: tuple[Resource, ...]


class NotAnalysed(NamedTuple):
    """Something in the repository that was recognised and not looked into."""

    path: str
    reason: str
    """The same words for the same reason: reports count them."""
    detail: str = ""


@dataclass
class _Build:
    """What following one kustomization brings together."""

    folders: set[str] = field(default_factory=set)
    files: dict[str, None] = field(default_factory=dict)
    targets: list[PatchTarget] = field(default_factory=list)
    not_analysed: list[NotAnalysed] = field(default_factory=list)


class Grouped(NamedTuple):
    units: list[Unit]
    not_analysed: list[NotAnalysed]
    unnamed: frozenset[str]
    """Files beside a kustomization that no kustomization names: Argo CD does not read them."""


def group(
    files: Sequence[SourceFile], by_file: Mapping[str, Sequence[Resource]]
) -> Grouped:
    """Every object goes into at least one unit, unless it is a patch or a kustomization."""
    kustomizations = find_kustomizations(files)
    sources = {file.path: file for file in files}
    included = {path for k in kustomizations.values() for _, path in k.inputs() if path in kustomizations}
    no_objects = {path for k in kustomizations.values() for path in k.other_files()}
    units: list[Unit] = []
    not_analysed: dict[NotAnalysed, None] = {}
    taken: set[str] = set()
    for folder, kustomization in kustomizations.items():
        build = _Build()
        _follow(kustomization, kustomizations, sources, build)
        _mark(build, by_file)
        taken.update(build.files)
        not_analysed.update(dict.fromkeys(build.not_analysed))
        if folder not in included and not kustomization.is_component:
            units.append(_unit(folder, build.files, by_file))
    units += _plain_units(by_file, taken | no_objects, _charts(files))
    named = {path for k in kustomizations.values() for _, path in k.inputs()} | no_objects
    unnamed = (path for path in sources if _folder(path) in kustomizations and _is_unnamed(path, named))
    return Grouped(units, list(not_analysed), frozenset(unnamed))


def _folder(path: str) -> str:
    return posixpath.dirname(path) or "."


def _is_unnamed(path: str, named: Container[str]) -> bool:
    return path not in named and posixpath.basename(path) not in FILE_NAMES


def _follow(
    kustomization: Kustomization,
    known: Mapping[str, Kustomization],
    sources: Mapping[str, SourceFile],
    build: _Build,
) -> None:
    if kustomization.folder in build.folders:
        return
    build.folders.add(kustomization.folder)
    build.targets += kustomization.targets(sources)
    if kustomization.root["helmCharts"].present:
        build.not_analysed.append(NotAnalysed(kustomization.file.path, "helmCharts: charts are not rendered yet"))
    for entry, path in kustomization.inputs():
        if not path:
            build.not_analysed.append(
                NotAnalysed(kustomization.file.path, "a remote base: nothing is fetched", entry.text)
            )
        elif path in known:
            _follow(known[path], known, sources, build)
        elif path in sources:
            build.files[path] = None


def _mark(build: _Build, by_file: Mapping[str, Sequence[Resource]]) -> None:
    for path in build.files:
        for resource in by_file[path]:
            resource.kustomized = True
            if not resource.patched and any(target.matches(resource) for target in build.targets):
                resource.patched = True


def _charts(files: Iterable[SourceFile]) -> list[str]:
    return sorted(posixpath.dirname(file.path) for file in files if posixpath.basename(file.path) == "Chart.yaml")


def _plain_units(by_file: Mapping[str, Sequence[Resource]], elsewhere: set[str], charts: Sequence[str]) -> list[Unit]:
    members: dict[str, list[str]] = defaultdict(list)
    chart_set = set(charts)
    for path, resources in by_file.items():
        if resources and path not in elsewhere and posixpath.basename(path) not in FILE_NAMES:
            folder = posixpath.dirname(path)
            members[_chart_above(folder, chart_set) or folder or "."].append(path)
    return [_unit(name, paths, by_file) for name, paths in members.items()]


def _chart_above(folder: str, charts: set[str]) -> str:
    """The chart whose `templates/` or `crds/` this folder is in."""
    parts = folder.split("/")
    for index in range(len(parts) - 1, -1, -1):
        if parts[index] in ("templates", "crds"):
            chart = "/".join(parts[:index])
            if chart in charts:
                return chart or "."
    return ""


def _unit(name: str, paths: Iterable[str], by_file: Mapping[str, Sequence[Resource]]) -> Unit:
    objects = (resource for path in paths for resource in by_file[path] if resource.group != API_GROUP)
    return Unit(name, tuple(objects))
