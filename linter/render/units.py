"""Files → units: the objects that one sync would apply together.

A kustomization that no other one includes is a unit: what it builds; so is a
chart; so is each folder of plain manifests, without its sub-folders, as Argo
CD reads a folder. Where Applications are known they say what belongs
together, and units are made of the rest.
"""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Collection
from typing import NamedTuple

from ..kustomize import FILE_NAMES
from ..resource import Resource
from .builds import Builds
from .tree import Tree


class Unit(NamedTuple):
    name: str
    resources: tuple[Resource, ...]


def remaining_units(
    tree: Tree, builds: Builds, owned_folders: Collection[str], owned_files: Collection[str]
) -> list[Unit]:
    """What no Application owns, so that every object is in some unit, unless it is a patch or a kustomization."""
    units = [Unit(folder, builds.of(folder).resources) for folder in tree.build_roots if folder not in owned_folders]
    members: dict[str, list[str]] = defaultdict(list)
    for path, resources in tree.by_file.items():
        elsewhere = path in tree.kustomized or path in tree.not_objects or path in owned_files
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
