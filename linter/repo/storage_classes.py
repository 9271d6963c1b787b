"""What is known of storage classes: as objects, as patches of them, and in values of the charts that make them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Final, NamedTuple

from ..yaml.source import Document, Node

if TYPE_CHECKING:
    from .model import Repo

KEYS: Final = ("storageClass", "storageClasses")
"""Under which charts of provisioners take a list of classes."""


class StorageClass(NamedTuple):
    reclaim_policy: str
    """Empty where it is not said."""
    binding_mode: str


def storage_classes(repo: Repo) -> Mapping[str, StorageClass]:
    """By name; an object says more than values do."""
    found = {name: read for file in repo.files if _is_values(file.path) for name, read in _in_values(file.documents)}
    for resource in repo.resources:
        if resource.kind == "StorageClass":
            found[resource.name] = _read(resource.node)
    return found


def _is_values(path: str) -> bool:
    return "values" in path.rpartition("/")[2]


def _in_values(documents: Iterable[Document]) -> Iterator[tuple[str, StorageClass]]:
    for document in documents:
        for key in KEYS:
            for entry in document.root[key]:
                if entry["name"].text:
                    yield entry["name"].text, _read(entry)


def _read(node: Node) -> StorageClass:
    return StorageClass(node["reclaimPolicy"].text, node["volumeBindingMode"].text)
