"""What is known of storage classes: as objects, as patches of them, and in values of the charts that make them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final, NamedTuple

from ..argocd.application_spec import application_spec
from ..yaml.source import Node, SourceFile

if TYPE_CHECKING:
    from .model import Repo

KEYS: Final = ("storageClass", "storageClasses")
"""Under which charts of provisioners take a class, or a list of them."""


class StorageClass(NamedTuple):
    reclaim_policy: str
    """Empty where it is not said."""
    binding_mode: str


def storage_classes(repo: Repo) -> Mapping[str, StorageClass]:
    """By name; an object says more than values do."""
    documents = [document for file in repo.files if _is_values(file.path) for document in file.documents]
    roots = [*(document.root for document in documents), *_inline_values(repo)]
    found = {name: read for root in roots for name, read in _in_values(root)}
    for resource in repo.resources:
        if resource.kind == "StorageClass":
            found[resource.name] = _read(resource.node)
    return found


def _is_values(path: str) -> bool:
    return "values" in path.rpartition("/")[2]


def _inline_values(repo: Repo) -> Iterator[Node]:
    """What Applications give their charts themselves."""
    for resource in repo.resources:
        spec = application_spec(resource)
        for source in (spec["source"], *spec["sources"]) if spec is not None else ():
            yield source["helm"]["valuesObject"]
            text = source["helm"]["values"].text
            if any(key in text for key in KEYS):
                yield from (document.root for document in SourceFile("values.yaml", text).documents)


def _in_values(root: Node) -> Iterator[tuple[str, StorageClass]]:
    for key in KEYS:
        value = root[key]
        for entry in (value,) if value.is_mapping else value:
            if entry["name"].text:
                yield entry["name"].text, _read(entry)


def _read(node: Node) -> StorageClass:
    return StorageClass(node["reclaimPolicy"].text, node["volumeBindingMode"].text)
