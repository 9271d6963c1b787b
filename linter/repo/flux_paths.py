"""What Flux syncs of the repository: the folders that its Kustomizations name.

Argo CD and Flux may share a repository. What Flux applies is not Argo CD's, and
nothing that a rule says of a sync of Argo CD holds of it.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from ..kubernetes.resource import Resource

_GROUP: Final = "kustomize.toolkit.fluxcd.io"


def flux_folders(resources: Iterable[Resource]) -> frozenset[str]:
    """The root only where it is all there is: a path that is left out means it, and says little."""
    found = {_folder(one) for one in resources if is_kustomization(one)}
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
