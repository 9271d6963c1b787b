"""Kustomizations that are written otherwise: whether everything that is built from them stays the same.

For one kustomization it is enough to look at what it hands to those that
include it: if that is the same, so is every build, here and elsewhere. A
component changes what others have brought together, so it is looked at in each
kustomization that uses it.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from ...kustomize import BuildError, Kustomization, Object
from ...kustomize.build_files import joined
from ...kustomize.trees import from_value
from ...yaml.same import same
from ...yaml.source import Document, Patch
from ..tree import Tree
from .kustomize_builds import Builds

if TYPE_CHECKING:
    from ...kustomize.accumulated import Accumulated, Build
    from ...kustomize.builder import Builder

UNKNOWN: Final = "not all of its objects are known here, so nobody can tell whether they stay the same"


class Rewrites:
    def __init__(self, tree: Tree, builds: Builds) -> None:
        self._tree = tree
        self._builds = builds

    def difference(self, patch: Patch) -> str:
        """Why what is built would not stay the same after a patch of a kustomization; empty if it would."""
        builder = self._tree.builder
        folder = posixpath.dirname(patch.document.file.path) or "."
        try:
            kustomization = builder.kustomization(folder)
        except BuildError:
            return UNKNOWN
        if kustomization is None:
            return UNKNOWN
        users = list(self._users(folder)) if kustomization.is_component else [folder]
        if not users:
            return "no kustomization here uses the component"
        if any(builder.whole(user).has_gaps for user in users):
            return UNKNOWN
        other = builder.instead(_patched(kustomization, patch))
        return next(filter(None, (self._compared(builder, other, user, folder) for user in users)), "")

    def labels_go_alike(self, folder: str) -> bool:
        """Whether `labels` with includeSelectors surely go where `commonLabels` do: nothing there configures labels."""
        try:
            whole = self._tree.builder.whole(folder)
        except BuildError:
            return False
        return not whole.has_gaps and not whole.configuration.labels.specs

    def _compared(self, builder: Builder, other: Builder, user: str, folder: str) -> str:
        before, after = builder.whole(user), other.whole(user)
        if after.errors:
            return f"Kustomize would refuse it: {after.errors[0].message}"
        reason = _first_change(before.objects, after.objects)
        if reason:
            return reason
        if not _lead_to_the_same(before, after):
            roots = (build.folder for build in self._builds.done if folder in build.folders)
            reason = _first_built_change((builder.build(root), other.build(root)) for root in roots)
        changes = self._builds.changes.get(user, ())
        return reason or _first_built_change((builder.build(user, one), other.build(user, one)) for one in changes)

    def _users(self, component: str) -> Iterator[str]:
        """The kustomizations that are built with a component, be it through others."""
        for folder, one in self._tree.kustomizations.items():
            if not one.is_component and component in self._components_of(folder, set()):
                yield folder

    def _components_of(self, folder: str, seen: set[str]) -> set[str]:
        one = self._tree.kustomizations.get(folder)
        for entry in one.root["components"] if one else ():
            path = joined(folder, entry.text)
            if path not in seen:
                seen.add(path)
                self._components_of(path, seen)
        return seen


def _patched(kustomization: Kustomization, patch: Patch) -> Kustomization:
    from jsonpatch import apply_patch  # only where something may be rewritten

    old = kustomization.document
    value = apply_patch(old.root.value, list(patch.operations))
    new = Document(old.file, old.index, from_value(value, old.raw))
    return replace(kustomization, document=new, root=new.root)


def _first_change(before: list[Object], after: list[Object]) -> str:
    if len(before) != len(after):
        return "there would be other objects"
    for old, new in zip(before, after, strict=True):
        if not same(old.root, new.root):
            return f"{old.id} would come out otherwise"
    return ""


def _first_built_change(builds: Iterator[tuple[Build, Build]]) -> str:
    for before, after in builds:
        if [error.message for error in before.errors] != [error.message for error in after.errors]:
            return f"the build of {before.folder} would fail otherwise than now"
        reason = _first_change(list(before.objects), list(after.objects))
        if reason:
            return f"in the build of {before.folder} {reason}"
    return ""


def _lead_to_the_same(before: Accumulated, after: Accumulated) -> bool:
    """Whether equal objects also have the same past, by which the kustomizations above may find or change them."""
    pairs = zip(before.objects, after.objects, strict=True)
    return all(_past(old) == _past(new) and _shared(old) == _shared(new) for old, new in pairs)


def _past(one: Object) -> tuple[object, ...]:
    traits = (one.behavior, one.needs_hash, one.allow_name_change, one.allow_kind_change, one.was_json)
    return (one.previous, one.prefixes, one.suffixes, one.variables, traits)


def _shared(one: Object) -> set[tuple[object, ...]]:
    return {(text.key, text.paths) for text in one.shared.texts} if one.shared else set()
