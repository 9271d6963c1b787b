"""Kustomizations that give objects another name or namespace; what comes out is not computed yet."""

from __future__ import annotations

from typing import Final

from .sources import Rendered
from .tree import Tree

RENAMING: Final = ("namespace", "namePrefix", "nameSuffix")


def renames(one: Rendered, tree: Tree) -> bool:
    """Whether the objects of a source go by other names in the cluster than in their files."""
    if one.tool != "kustomize":
        return False
    return any(one.source.tool("kustomize").get(field) for field in RENAMING) or _reaches(one.path, tree, set())


def _reaches(folder: str, tree: Tree, seen: set[str]) -> bool:
    kustomization = tree.kustomizations.get(folder)
    if kustomization is None or folder in seen:
        return False
    seen.add(folder)
    if any(kustomization.root[field].present for field in RENAMING):
        return True
    return any(_reaches(path, tree, seen) for _, path in kustomization.inputs() if path)
