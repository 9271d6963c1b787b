"""Files → units: the objects that one sync would apply together.

A kustomization that no other one includes is a unit: what it builds; so is a
chart; so is each folder of plain manifests, without its sub-folders, as Argo
CD reads a folder. Where Applications are known they say what belongs
together, and units are made of the rest.
"""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import NamedTuple

from ..kustomize import FILE_NAMES
from ..resource import Resource
from .builds import Builds
from .charts import ChartBuild
from .tree import Tree


class Unit(NamedTuple):
    name: str
    resources: tuple[Resource, ...]


def remaining_units(
    tree: Tree,
    builds: Builds,
    charts: Iterable[ChartBuild],
    owned_folders: Collection[str],
    owned_files: Collection[str],
) -> list[Unit]:
    """What no Application owns, so that every object is in some unit, unless it is a patch or a kustomization."""
    units = [Unit(folder, builds.of(folder).resources) for folder in tree.build_roots if folder not in owned_folders]
    units += [Unit(build.title, build.resources) for build in charts]
    members: dict[str, list[str]] = defaultdict(list)
    for path, resources in tree.by_file.items():
        elsewhere = path in tree.kustomized or path in tree.not_objects or path in owned_files or path in tree.in_charts
        if resources and not elsewhere and posixpath.basename(path) not in FILE_NAMES:
            members[posixpath.dirname(path) or "."].append(path)
    return units + [Unit(name, tree.objects_in(paths)) for name, paths in members.items()]
