"""One Kubernetes object as git has it: who it is and what its annotations tell Argo CD."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, Final, NamedTuple, NoReturn, TypeVar

from ..facts.regexes import regex
from ..facts.tables import is_cluster_scoped
from ..facts.versions import Versions
from ..yaml.lazy import lazy
from ..yaml.scalars import UNKNOWN
from ..yaml.source import Node, SourceFile
from .annotations import hooks
from .annotations.hooks import Hook

Value = TypeVar("Value")
_UNKNOWN: Final = regex(f"{UNKNOWN}+")


class Provenance(NamedTuple):
    """How objects came about, and so what may be believed of them: one value for all that a build makes."""

    built: bool = False
    """A kustomization or a chart made them: what is said of them belongs to the files they were made from."""
    kustomized: bool = False
    """They reach the cluster through a kustomization, which makes texts of all annotations."""
    unsure: bool = False
    """They are not all that they will be: something changes them that nobody can follow."""
    unrendered: bool = False
    """They stand in a Helm template that was not rendered: actions in it are unknown."""
    tentative: bool = False
    """A chart makes them with its own values, which no known Application renders it with."""


WRITTEN: Final = Provenance()
"""As a file has it."""
RENDERED: Final = Provenance(built=True)
KUSTOMIZED: Final = Provenance(built=True, kustomized=True)
TEMPLATE: Final = Provenance(unsure=True, unrendered=True)


class Resource:
    """A document, or an item of a List, that is a Kubernetes object. A value: nothing of it changes later."""

    node: Node
    api_version: str
    kind: str
    versions: Versions
    provenance: Provenance
    group: str
    version: str
    metadata: Node
    name: str
    namespace: str
    _fields: dict[str, Node]

    def __init__(
        self,
        node: Node,
        api_version: str,
        kind: str,
        versions: Versions = Versions(),
        provenance: Provenance = WRITTEN,
    ) -> None:
        group, _, version = api_version.rpartition("/")
        metadata = node["metadata"]
        name, namespace = metadata.texts("name", "namespace")
        # Argo CD takes the namespace off an object whose kind has none.
        namespace = "" if namespace and is_cluster_scoped(group, kind) else namespace
        self.__dict__.update(
            node=node, api_version=api_version, kind=kind, versions=versions, provenance=provenance, group=group,
            version=version, metadata=metadata, name=name, namespace=namespace, _fields={"metadata": metadata},
        )  # fmt: skip

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"{name} of a Resource cannot be set: other builds and revisions share it")

    def judged_by(self, versions: Versions) -> Resource:
        """The same object, for other versions of Argo CD and Kubernetes."""
        return Resource(self.node, self.api_version, self.kind, versions, self.provenance)

    @lazy
    def tentatively(self) -> Resource:
        """The same object, made by a chart with values that nobody may use."""
        provenance = self.provenance._replace(tentative=True)
        return Resource(self.node, self.api_version, self.kind, self.versions, provenance)

    @property
    def patched(self) -> bool:
        """Its build changes it in a way that nobody can follow: what is absent here may come from there."""
        return self.provenance.unsure

    @property
    def built(self) -> bool:
        return self.provenance.built

    @property
    def unrendered(self) -> bool:
        return self.provenance.unrendered

    @property
    def tentative(self) -> bool:
        return self.provenance.tentative

    @property
    def kustomized(self) -> bool:
        return self.provenance.kustomized

    def __getitem__(self, key: str) -> Node:
        # Remembered: many rules ask every object for the same few fields.
        found = self._fields.get(key)
        if found is None:
            found = self._fields[key] = self.node[key]
        return found

    def remembered(self, work_out: Callable[[Resource], Value]) -> Value:
        """What follows from the object alone, worked out once, however many apps it is part of."""
        kept = self._remembered
        if work_out not in kept:
            kept[work_out] = work_out(self)
        return kept[work_out]  # type: ignore[no-any-return]

    @lazy
    def _remembered(self) -> dict[Callable[[Resource], object], Any]:
        return {}

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

    @lazy
    def said(self) -> str:
        """All that its spec and its annotations say, to be compared."""
        return repr((self["spec"].value, self.annotations.value))

    @lazy
    def group_kind(self) -> str:
        return f"{self.group}/{self.kind}" if self.group else self.kind

    # -- annotations and labels

    @lazy
    def annotations(self) -> Node:
        return self.metadata["annotations"]

    def annotation(self, key: str) -> Node:
        return self.annotations[key]

    @lazy
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
    def is_sealed(self) -> bool:
        """Encrypted as a whole: not even the kind is known, and no field is what it says."""
        return self.kind.startswith("ENC[")

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


def resources_in(root: Node, versions: Versions = Versions(), provenance: Provenance = WRITTEN) -> list[Resource]:
    """The objects of one document: itself, or the items of a List; nothing if it has no kind."""
    kind, api_version = root.texts("kind", "apiVersion")
    if not kind or not api_version:
        return []
    if kind.endswith("List") and root["items"].is_sequence:
        return [resource for item in root["items"] for resource in resources_in(item, versions, provenance)]
    return [Resource(root, api_version, kind, versions, provenance)]
