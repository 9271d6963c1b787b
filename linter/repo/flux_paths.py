"""What Flux syncs of the repository: the folders that its Kustomizations name.

Argo CD and Flux may share a repository. What Flux applies is not Argo CD's, and
nothing that a rule says of a sync of Argo CD holds of it.
"""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Final

from ..kubernetes.resource import Resource

_GROUP: Final = "kustomize.toolkit.fluxcd.io"
_ARTEFACTS: Final = frozenset(("OCIRepository", "Bucket", "ExternalArtifact"))
"""Sources that hold what somebody packed: paths count from there."""


def flux_folders(resources: Iterable[Resource], folders: Collection[str]) -> frozenset[str]:
    """The root only where it is all there is: a path that is left out means it, and says little.

    `folders` are all of the repository: within an artefact, which was packed from one that nobody names, a path
    may be any of those that end like it.
    """
    found: set[str] = set()
    for one in filter(is_kustomization, resources):
        path = _folder(one)
        if one["spec"]["sourceRef"]["kind"].text in _ARTEFACTS and path != ".":
            found.update(folder for folder in folders if f"/{folder}".endswith(f"/{path}"))
        else:
            found.add(path)
    return frozenset(found - {"."} or found)


def is_kustomization(resource: Resource) -> bool:
    return resource.kind == "Kustomization" and resource.group == _GROUP and not resource.patched


def _folder(kustomization: Resource) -> str:
    return posixpath.normpath(kustomization["spec"]["path"].text.lstrip("/") or ".")


def flux_files(folders: frozenset[str], files: Iterable[str], built: Mapping[str, frozenset[str]]) -> Iterator[str]:
    """Files in these folders, and what kustomizations in them are built from; `built` by the folder of each."""
    for folder, parts in built.items():
        if _is_in_one(folder, folders):
            yield from parts
    yield from (path for path in files if _is_in_one(posixpath.dirname(path) or ".", folders))


def _is_in_one(folder: str, folders: frozenset[str]) -> bool:
    return any(one in (".", folder) or folder.startswith(f"{one}/") for one in folders)
