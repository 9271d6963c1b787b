"""Objects that take data with them when they are deleted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from ..facts.tables import table
from ..kubernetes.references.selectors import LabelSelector, label_texts
from ..kubernetes.resource import Resource
from ..yaml.lazy import lazy
from .model import Repo
from .storage_classes import StorageClass, storage_classes


class Loss(NamedTuple):
    """What becomes of the data of an object that is deleted."""

    words: str
    """To stand after "it is deleted, ..."."""
    certain: bool
    """False where the repository shows that the data outlive it, or come from elsewhere."""


class StatefulObjects:
    """What deleting an object of a repository would lose."""

    def __init__(self, repo: Repo) -> None:
        self._repo = repo

    def loss(self, resource: Resource) -> Loss | None:
        """None for an object that takes no data along."""
        said = self._repo.data_kinds.get(resource.group_kind)
        entry = _kinds().get(resource.group_kind)
        if said is False or (entry is None and said is None):
            return None
        if entry is None:
            return Loss("and its data with it", True)
        if said is None and not _applies(entry, resource):
            return None
        kept = self._kept(resource) if resource.kind == "PersistentVolumeClaim" else self._kept_by_class(resource)
        return Loss(kept, False) if kept else Loss(f"and {entry['loses']} with it", True)

    def _kept(self, claim: Resource) -> str:
        """Why a claim does not take its data along; empty if nothing speaks for it."""
        spec = claim["spec"]
        volume = spec["volumeName"].text
        waiting = self._waiting_for(claim)
        bound = [self._volumes[volume]] if volume in self._volumes else waiting
        if self._retains(spec["storageClassName"].text) or (bound and all(one != "Delete" for one in bound)):
            return "and its volume, which is retained, has to be bound again by hand"
        if (volume and volume not in self._volumes) or spec["storageClassName"].value == "":
            return "and its volume, which no class provides, has to be bound again by hand"
        if spec["dataSourceRef"].present or spec["dataSource"].present:
            return "and what its source does not have is lost"
        return ""

    def _waiting_for(self, claim: Resource) -> list[str]:
        """What becomes of the volumes, written by hand, that a claim may be bound to: those of its class and labels."""
        name, labels = claim["spec"]["storageClassName"].text, claim["spec"]["selector"]
        found = [one for one in self._written if name and one["spec"]["storageClassName"].text == name]
        if labels.present:
            wanted = LabelSelector.read(labels, is_plain=False)
            found = [one for one in found if wanted.matches(label_texts(one.labels))]
        elif name in self._classes:
            return []  # a class that makes volumes
        return [_policy(one) for one in found]

    def _kept_by_class(self, resource: Resource) -> str:
        """The same for an operator's object, whose claims name a class somewhere in it."""
        named = [one.text for one in resource["spec"].walk() if one.key in ("storageClass", "storageClassName")]
        if named and all(self._retains(name) for name in named):
            return "and its volumes, which are retained, have to be bound again by hand"
        return ""

    def _retains(self, name: str) -> bool:
        known = self._classes.get(name)
        return known is not None and known.reclaim_policy == "Retain"

    @lazy
    def _classes(self) -> Mapping[str, StorageClass]:
        return storage_classes(self._repo)

    @lazy
    def _written(self) -> tuple[Resource, ...]:
        return tuple(one for one in self._repo.resources if one.kind == "PersistentVolume")

    @lazy
    def _volumes(self) -> Mapping[str, str]:
        return {one.name: _policy(one) for one in self._written}


def _policy(volume: Resource) -> str:
    return volume["spec"]["persistentVolumeReclaimPolicy"].text or "Retain"


def _kinds() -> Mapping[str, Mapping[str, Any]]:
    kinds: Mapping[str, Mapping[str, Any]] = table("stateful-kinds.json")["kinds"]
    return kinds


def _applies(entry: Mapping[str, Any], resource: Resource) -> bool:
    condition = entry.get("if")
    return condition is None or resource.node.at(*condition["path"]).value in condition["values"]
