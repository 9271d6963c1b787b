"""Files → units: the objects that one sync would apply together.

A kustomization that no other one includes is a unit, with everything it
includes; so is a chart; so is each folder of plain manifests, without its
sub-folders, as Argo CD reads a folder. Where Applications are known they say
what belongs together, and units are made of the rest.
"""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import NamedTuple

from ..resource import Resource
from .kustomize import FILE_NAMES, Kustomization, PatchTarget
from .tree import Tree


class Unit(NamedTuple):
    name: str
    resources: tuple[Resource, ...]


class NotAnalysed(NamedTuple):
    """Something in the repository that was recognised and not looked into."""

    path: str
    reason: str
    """The same words for the same reason: reports count them."""
    detail: str = ""


class KustomizeBuild(NamedTuple):
    """What one kustomization brings together, as it stands in the files: its patches are not applied."""

    files: tuple[str, ...]
    resources: tuple[Resource, ...]
    not_analysed: tuple[NotAnalysed, ...]


@dataclass
class _Following:
    folders: set[str] = field(default_factory=set)
    files: dict[str, None] = field(default_factory=dict)
    targets: list[PatchTarget] = field(default_factory=list)
    not_analysed: dict[NotAnalysed, None] = field(default_factory=dict)


def build_kustomizations(tree: Tree) -> dict[str, KustomizeBuild]:
    """By folder; every object that a patch may still change is marked on the way."""
    return {folder: _build(tree, one) for folder, one in tree.kustomizations.items()}


def _build(tree: Tree, kustomization: Kustomization) -> KustomizeBuild:
    following = _Following()
    _follow(kustomization, tree, following)
    resources = tree.objects_in(following.files)
    for resource in resources:
        resource.kustomized = True
        if not resource.patched and any(target.matches(resource) for target in following.targets):
            resource.patched = True
    return KustomizeBuild(tuple(following.files), resources, tuple(following.not_analysed))


def _follow(kustomization: Kustomization, tree: Tree, following: _Following) -> None:
    if kustomization.folder in following.folders:
        return
    following.folders.add(kustomization.folder)
    following.targets += kustomization.targets(tree.sources)
    path = kustomization.file.path
    if kustomization.root["helmCharts"].present:
        following.not_analysed[NotAnalysed(path, "helmCharts: charts are not rendered yet")] = None
    for entry, target in kustomization.inputs():
        if not target:
            following.not_analysed[NotAnalysed(path, "a remote base: nothing is fetched", entry.text)] = None
        elif target in tree.kustomizations:
            _follow(tree.kustomizations[target], tree, following)
        elif target in tree.sources:
            following.files[target] = None


def remaining_units(
    tree: Tree, builds: dict[str, KustomizeBuild], owned_folders: Collection[str], owned_files: Collection[str]
) -> list[Unit]:
    """What no Application owns, so that every object is in some unit, unless it is a patch or a kustomization."""
    included = {path for one in tree.kustomizations.values() for _, path in one.inputs()}
    units = [
        Unit(folder, build.resources)
        for folder, build in builds.items()
        if folder not in included and folder not in owned_folders and not tree.kustomizations[folder].is_component
    ]
    built = {path for build in builds.values() for path in build.files}
    members: dict[str, list[str]] = defaultdict(list)
    for path, resources in tree.by_file.items():
        elsewhere = path in built or path in tree.not_objects or path in owned_files
        if resources and not elsewhere and posixpath.basename(path) not in FILE_NAMES:
            folder = posixpath.dirname(path)
            members[chart_above(tree, folder) or folder or "."].append(path)
    return units + [Unit(name, tree.objects_in(paths)) for name, paths in members.items()]


def chart_above(tree: Tree, folder: str) -> str:
    """The chart whose `templates/` or `crds/` this folder is in."""
    parts = folder.split("/")
    for index in range(len(parts) - 1, -1, -1):
        if parts[index] in ("templates", "crds") and ("/".join(parts[:index]) or ".") in tree.charts:
            return "/".join(parts[:index]) or "."
    return ""


def chart_files(tree: Tree, chart: str) -> tuple[list[str], list[str]]:
    """The manifests of a chart that can be read as they are, and its templates."""
    prefix = "" if chart == "." else f"{chart}/"
    inside = [path for path in tree.below(chart) if path.startswith((f"{prefix}templates/", f"{prefix}crds/"))]
    return [path for path in inside if path in tree.sources], [path for path in inside if path in tree.templates]


def has_dependencies(tree: Tree, chart: str) -> bool:
    file = tree.sources.get("Chart.yaml" if chart == "." else f"{chart}/Chart.yaml")
    return bool(file and file.documents and file.documents[0].root["dependencies"].is_sequence)
