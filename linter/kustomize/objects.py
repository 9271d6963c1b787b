"""An object on its way through a build: its tree, the names it had, what was done to it."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from functools import lru_cache
from operator import attrgetter
from typing import Final, NamedTuple

from ..yaml.compose import Mapping, Raw
from ..yaml.source import Document, Node, Spot
from .scopes import is_cluster_scoped
from .shared_labels import Shared, spread
from .trees import at, member, pairs, text

LOCAL_CONFIG: Final = "config.kubernetes.io/local-config"


class Gvk(NamedTuple):
    group: str
    version: str
    kind: str


@lru_cache(maxsize=4096)
def gvk(api_version: str, kind: str) -> Gvk:
    group, _, version = api_version.rpartition("/")
    return Gvk(group, version, kind)


class Id(NamedTuple):
    """By which Kustomize knows an object: two objects of a build never have equal ones."""

    gvk: Gvk
    name: str
    namespace: str

    @property
    def effective_namespace(self) -> str:
        if is_cluster_scoped(self.gvk):
            return "_non_namespaceable_"
        return self.namespace or "default"

    def equals(self, other: Id) -> bool:
        """As Kustomize compares them: no namespace is `default`, and kinds without namespaces have none."""
        return (
            self.gvk == other.gvk and self.name == other.name and self.effective_namespace == other.effective_namespace
        )

    def __str__(self) -> str:
        """As Kustomize writes it in its errors: Deployment.v1.apps/web.shop."""
        kind = ".".join((self.gvk.kind, self.gvk.version or "[noVer]", self.gvk.group or "[noGrp]"))
        return f"{kind}/{self.name or '[noName]'}.{self.namespace or '[noNs]'}"


class Step(NamedTuple):
    """One thing that a kustomization did to an object."""

    what: str
    """In words, after the object's name: "patched", "namespace set" …"""
    at: Node
    """Where a person wrote it."""
    sources: tuple[Document, ...] = ()
    """Other documents that values came from: the file of a patch."""


@dataclass(slots=True)
class Object:
    """The tree is never changed, only replaced by another one; a copy of an object is therefore cheap."""

    root: Mapping
    document: Document
    """Where it was written; of a generated object, the kustomization."""
    previous: tuple[Id, ...] = ()
    """The ids it had before its name, namespace or kind changed; the oldest first."""
    prefixes: tuple[str, ...] = ()
    suffixes: tuple[str, ...] = ()
    behavior: str = ""
    """Of a generated object: create, merge, replace; empty for all others."""
    needs_hash: bool = False
    allow_name_change: bool = False
    allow_kind_change: bool = False
    repeated: Spot | None = None
    """A key among its annotations that is there twice, which Kustomize minds only before a JSON patch."""
    was_json: bool = False
    """A JSON patch has changed it, and it was not read again since."""
    variables: tuple[str, ...] = ()
    """The names of those that take their values from it."""
    steps: tuple[Step, ...] = ()
    asked_by: Document | None = None
    """Of an object from a chart: the kustomization, or the config of the generator, that asks for the chart."""
    shared: Shared | None = None
    """Labels that Kustomize changes in several places at once; a JSON patch puts an end to it."""
    known: tuple[Mapping, Id] | None = field(default=None, compare=False)
    """Who it is, and the tree that says so: asked far more often than it changes."""

    def copy(self) -> Object:
        # As `dataclasses.replace` has it, in a fifth of its time: a build copies every object of its bases.
        return Object(*_FIELDS(self))

    # -- who it is

    @property
    def id(self) -> Id:
        known, root = self.known, self.root
        if known is None or known[0] is not root:
            metadata = member(root, "metadata")
            own = gvk(text(member(root, "apiVersion")), text(member(root, "kind")))
            known = self.known = (root, Id(own, text(member(metadata, "name")), text(member(metadata, "namespace"))))
        return known[1]

    @property
    def gvk(self) -> Gvk:
        return self.id.gvk

    @property
    def name(self) -> str:
        return self.id.name

    @property
    def namespace(self) -> str:
        return self.id.namespace

    @property
    def original_id(self) -> Id:
        return self.previous[0] if self.previous else self.id

    @property
    def ids(self) -> tuple[Id, ...]:
        """Every id it had, the oldest first, the present one last."""
        return (*self.previous, self.id)

    @property
    def labels(self) -> dict[str, str]:
        return {key.value: text(one) for key, one in pairs(at(self.root, "metadata", "labels"))}

    @property
    def annotations(self) -> dict[str, str]:
        return {key.value: text(one) for key, one in pairs(at(self.root, "metadata", "annotations"))}

    def remember_id(self) -> None:
        """To be called before a name, a namespace or a kind changes."""
        now = self.id
        self.previous = (*self.previous, now._replace(namespace=now.effective_namespace))

    def put(self, root: Raw, what: str, where: Node, *sources: Document) -> None:
        """Take a new tree, and note who made it, and from which other documents values came.

        A patch is noted even when it changes nothing now: it would undo a change of the base.
        """
        if root is not self.root:
            assert isinstance(root, Mapping)
            if self.shared is not None:
                root, self.shared = spread(root, self.shared)
            self.root = root
        elif not sources:
            return
        self.steps = (*self.steps, Step(what, where, sources))


_FIELDS: Final = attrgetter(*(one.name for one in fields(Object)))
