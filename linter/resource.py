"""One Kubernetes object as git has it: who it is and what its annotations tell Argo CD."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

from .argo import hooks
from .argo.hooks import Hook
from .knowledge import is_cluster_scoped
from .lazy import lazy
from .scalars import UNKNOWN
from .source import Node, SourceFile
from .versions import Versions

_UNKNOWN: Final = re.compile(f"{UNKNOWN}+")


class Resource:
    """A document, or an item of a List, that is a Kubernetes object."""

    def __init__(self, node: Node, api_version: str, kind: str, versions: Versions = Versions()) -> None:
        self.node = node
        self.versions = versions
        self.api_version = api_version
        self.kind = kind
        self.group, _, self.version = self.api_version.rpartition("/")
        self.metadata = node["metadata"]
        self.name, namespace = self.metadata.texts("name", "namespace")
        # Argo CD takes the namespace off an object whose kind has none.
        self.namespace = "" if namespace and is_cluster_scoped(self.group, self.kind) else namespace
        self.patched = False
        """True when a kustomization changes it after this text: what is absent here may come from there."""
        self.built = False
        """True when a kustomization or a chart made it: what is said of it belongs to the files it was made from."""
        self.unrendered = False
        """True for what stands in a Helm template that was not rendered: actions in it are unknown."""
        self.tentative = False
        """True for what a chart makes with its own values, which no known Application renders it with."""
        self.kustomized = False
        """True when it reaches the cluster through a kustomization, which makes texts of all annotations."""

    def __getitem__(self, key: str) -> Node:
        return self.node[key]

    def __repr__(self) -> str:
        return f"<Resource {self.identity}>"

    @property
    def file(self) -> SourceFile:
        return self.node.document.file

    @lazy
    def generate_name(self) -> str:
        return self.metadata["generateName"].text

    @property
    def display_name(self) -> str:
        name = self.name or (f"{self.generate_name}*" if self.generate_name else "")
        return _UNKNOWN.sub("…", name) if self.unrendered else name

    @property
    def identity(self) -> str:
        """``group/Kind/namespace/name``, empty parts left out."""
        return "/".join(part for part in (self.group, self.kind, self.namespace, self.display_name) if part)

    def __str__(self) -> str:
        """How messages name it."""
        return f"{self.kind} {self.display_name!r}" if self.display_name else self.kind

    @property
    def group_kind(self) -> str:
        return f"{self.group}/{self.kind}" if self.group else self.kind

    # -- annotations and labels

    @lazy
    def annotations(self) -> Node:
        return self.metadata["annotations"]

    def annotation(self, key: str) -> Node:
        return self.annotations[key]

    @property
    def labels(self) -> Node:
        return self.metadata["labels"]

    @lazy
    def _annotation_texts(self) -> dict[str, str]:
        annotations = self.annotations
        if annotations.absent:
            return {}
        return {key: node.scalar_text if self.kustomized else node.text for key, node in annotations.items()}

    @property
    def annotation_keys(self) -> Collection[str]:
        return self._annotation_texts.keys()

    # -- what Argo CD makes of them

    @lazy
    def hook(self) -> Hook:
        return hooks.read_hook(self._annotation_texts)

    @property
    def is_hook(self) -> bool:
        return self.hook.is_hook

    @property
    def hook_annotation(self) -> Node:
        """The annotation that makes it a hook."""
        argo = self.annotation(hooks.HOOK)
        return argo if argo.present else self.annotation(hooks.HELM_HOOK)

    @lazy
    def wave(self) -> int:
        return hooks.read_wave(self._annotation_texts)

    @property
    def wave_place(self) -> Node:
        """Where the wave is written, or else the kind: something to point at."""
        for key in (hooks.WAVE, hooks.HELM_WEIGHT):
            if self.annotation(key).present:
                return self.annotation(key)
        return self.node["kind"]

    @lazy
    def sync_options(self) -> tuple[str, ...]:
        """The items of its own sync-options annotation."""
        return tuple(hooks.split(self._annotation_texts.get(hooks.SYNC_OPTIONS, "")))

    def sync_option(self, name: str) -> str | None:
        """The value of the first item ``NAME=value``."""
        prefix = f"{name}="
        return next((item.removeprefix(prefix) for item in self.sync_options if item.startswith(prefix)), None)

    @property
    def runs_to_an_end(self) -> bool:
        """A kind that does its work once, and is done."""
        return self.group_kind in hooks.RUN_TO_AN_END

    # -- what it is to others

    @property
    def is_crd(self) -> bool:
        return self.kind == "CustomResourceDefinition" and self.group == "apiextensions.k8s.io"

    @lazy
    def defines(self) -> str | None:
        """``group/Kind`` of the custom resources that this CRD brings."""
        if not self.is_crd:
            return None
        spec = self.node["spec"]
        return f"{spec['group'].text}/{spec['names']['kind'].text}"


def resources_in(root: Node, versions: Versions = Versions()) -> list[Resource]:
    """The objects of one document: itself, or the items of a List; nothing if it has no kind."""
    kind, api_version = root.texts("kind", "apiVersion")
    if not kind or not api_version:
        return []
    if kind.endswith("List") and root["items"].is_sequence:
        return [resource for item in root["items"] for resource in resources_in(item, versions)]
    return [Resource(root, api_version, kind, versions)]
