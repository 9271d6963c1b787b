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
from typing import TYPE_CHECKING, NamedTuple

from ..facts.file_names import KUSTOMIZATIONS
from ..helm.printed_documents import RenderedDocument
from ..kubernetes.resource import Resource
from ..kustomize.build_origin import BuiltDocument
from .sources.kustomize_builds import Builds
from .tree import Tree

if TYPE_CHECKING:
    from .ownership import Owners
    from .reach import Reach


class Unit(NamedTuple):
    name: str
    resources: tuple[Resource, ...]
    folder: str


def remaining_units(tree: Tree, builds: Builds, owners: Owners, reach: Reach) -> list[Unit]:
    """What no Application owns, so that every object is in some unit, unless it is a patch or a kustomization."""
    owned_folders, owned_files = owners.folders, owners.files
    roots = [folder for folder in tree.build_roots if folder not in owned_folders]
    units = [Unit(folder, builds.of(folder).resources, folder) for folder in roots]
    units += [Unit(build.title, build.resources, build.folder) for build in owners.unused_charts]
    owned = {_text_of(resource) for one in owners.owned for resource in one.resources}
    units = [one for one in units if reach.templates_for(one.folder) or not _is_owned(one, owned)]
    members: dict[str, list[str]] = defaultdict(list)
    for path, resources in tree.by_file.items():
        elsewhere = path in tree.kustomized or path in tree.not_objects or path in owned_files or path in tree.in_charts
        if resources and not elsewhere and posixpath.basename(path) not in KUSTOMIZATIONS:
            members[posixpath.dirname(path) or "."].append(path)
    built = {one.folder for one in units}
    units += [Unit(_beside(name, built), tree.objects_in(paths), name) for name, paths in members.items()]
    return [one for one in units if one.resources]


def _beside(folder: str, built: Collection[str]) -> str:
    """A name of their own for files that the kustomization or chart of their folder leaves out."""
    return f"{folder} (beside what is built there)" if folder in built else folder


def _is_owned(unit: Unit, owned: Collection[object]) -> bool:
    """An overlay that nobody deploys says nothing of objects that Applications deploy."""
    return all(_text_of(resource) in owned for resource in unit.resources)


def _text_of(resource: Resource) -> object:
    """The identity of the text that an object was made from, whatever was made of it.

    Of what Helm printed it is the template: which of its lines would take a second rendering to tell.
    """
    node = resource.node
    if isinstance(node.document, BuiltDocument):
        node = node.document.source(node)
    if isinstance(node.document, RenderedDocument):
        return node.document.file.path
    raw = node.origin.raw
    return id(raw.start_mark) if raw is not None else id(resource)
