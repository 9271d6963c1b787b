"""Applications: what is synced, from where, to where, and with which options.

An Application stands in git as an object of its own, or an ApplicationSet
makes it. Either way it is read from plain JSON, and every field leads back to
the line where a person wrote it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ..dialects.spelling import is_to_be_written
from ..kubernetes.annotations.hooks import COMPARE_OPTIONS, split
from ..yaml.lazy import lazy
from .application_places import PATCH, TEMPLATE

if TYPE_CHECKING:
    from ..kubernetes.resource import Resource
    from ..yaml.source import Node

GROUP: Final = "argoproj.io"
FINALIZER: Final = "resources-finalizer.argocd.argoproj.io"
IN_CLUSTER: Final = "https://kubernetes.default.svc"
TOOLS: Final = ("helm", "kustomize", "directory", "plugin")


@dataclass(frozen=True, eq=False)
class Source:
    """One source of an Application."""

    value: Mapping[str, Any]
    pointer: str

    @property
    def repo_url(self) -> str:
        return _text(self.value.get("repoURL"))

    @property
    def path(self) -> str:
        return _text(self.value.get("path"))

    @property
    def chart(self) -> str:
        return _text(self.value.get("chart"))

    @property
    def target_revision(self) -> str:
        return _text(self.value.get("targetRevision"))

    @property
    def ref(self) -> str:
        return _text(self.value.get("ref"))

    @property
    def explicit_tools(self) -> tuple[str, ...]:
        """The tool blocks that count. More than one is an error.

        From a single source Argo CD takes a block that says nothing away before it looks (NormalizeSource): with
        ``directory: {recurse: false}`` Kustomize builds a folder that has a kustomization. In a list it counts.
        """
        there = (tool for tool in TOOLS if self.value.get(tool) is not None)
        return tuple(one for one in there if one == "plugin" or self.is_listed or not _is_zero(self.value[one]))

    @property
    def is_listed(self) -> bool:
        return "/sources/" in self.pointer

    def tool(self, name: str) -> Mapping[str, Any]:
        return _map(self.value.get(name))


def _is_zero(value: Any) -> bool:
    """What Go has where nothing is written."""
    if isinstance(value, Mapping):
        return all(map(_is_zero, value.values()))
    return not value


class Destination(NamedTuple):
    server: str
    name: str
    namespace: str

    @property
    def cluster(self) -> str:
        """One word for the cluster: the local one goes by two names."""
        server = self.server.rstrip("/")
        if server == IN_CLUSTER or self.name == "in-cluster":
            return "in-cluster"
        return "" if is_to_be_written(server) else server or self.name

    @property
    def is_local(self) -> bool:
        """The cluster that Argo CD itself runs in."""
        return self.cluster == "in-cluster"

    def __str__(self) -> str:
        return f"{self.cluster or '?'}/{self.namespace or '-'}"


@dataclass(frozen=True, eq=False)
class Application:
    value: Mapping[str, Any]
    resource: Resource
    """The object in git that it is, or that makes it."""
    origin: Callable[[str], str] | None = None
    """For a generated one: the pointer in the ApplicationSet where a place of it is written."""
    is_open: bool = False
    """It stands for all that its set makes of what is not known, such as clusters; its fields may have blanks."""
    home: str = ""
    """The cluster that its Argo CD runs in; empty where nobody said which."""

    @property
    def target(self) -> str:
        """Where it deploys to, in words: in-cluster has a name where one is known."""
        is_here = self.home and self.destination.is_local
        return f"{self.home}/{self.destination.namespace or '-'}" if is_here else str(self.destination)

    @property
    def home_of_children(self) -> str:
        """The cluster whose Argo CD takes the Applications that this one brings."""
        return self.home if not self.home or self.destination.is_local else self.destination.cluster

    @property
    def is_generated(self) -> bool:
        return self.origin is not None

    @lazy
    def name(self) -> str:
        return _text(_map(self.value.get("metadata")).get("name"))

    @lazy
    def namespace(self) -> str:
        """Where the Application itself lives; for a generated one that of its set."""
        own = _text(_map(self.value.get("metadata")).get("namespace"))
        return self.resource.namespace if self.is_generated else own

    @lazy
    def spec(self) -> Mapping[str, Any]:
        return _map(self.value.get("spec"))

    @property
    def project(self) -> str:
        return _text(self.spec.get("project")) or "default"

    @lazy
    def sources(self) -> tuple[Source, ...]:
        """What counts: a hydrator's dry source before `sources`, those before `source`."""
        hydrator = self.spec.get("sourceHydrator")
        if isinstance(hydrator, Mapping):
            return (Source(_map(hydrator.get("drySource")), "/spec/sourceHydrator/drySource"),)
        several = self.spec.get("sources")
        if isinstance(several, list) and several:
            return tuple(Source(_map(one), f"/spec/sources/{index}") for index, one in enumerate(several))
        single = self.spec.get("source")
        return (Source(single, "/spec/source"),) if isinstance(single, Mapping) else ()

    @lazy
    def destination(self) -> Destination:
        value = _map(self.spec.get("destination"))
        return Destination(_text(value.get("server")), _text(value.get("name")), _text(value.get("namespace")))

    # -- how it syncs

    @lazy
    def _policy(self) -> Mapping[str, Any]:
        return _map(self.spec.get("syncPolicy"))

    @lazy
    def is_automated(self) -> bool:
        automated = self._policy.get("automated")
        return isinstance(automated, Mapping) and automated.get("enabled") is not False

    @property
    def prunes(self) -> bool:
        """Automatically, that is; whoever syncs by hand decides then."""
        return self.is_automated and _map(self._policy.get("automated")).get("prune") is True

    @property
    def heals(self) -> bool:
        return self.is_automated and _map(self._policy.get("automated")).get("selfHeal") is True

    @property
    def allows_empty(self) -> bool:
        """Whether an automatic sync may prune everything there is."""
        return self.is_automated and _map(self._policy.get("automated")).get("allowEmpty") is True

    @property
    def retries(self) -> bool:
        """Whether a sync that fails is tried again: by default it is, and not where `retry` has no limit."""
        retry = self._policy.get("retry")
        return not isinstance(retry, Mapping) or retry.get("limit") not in (None, 0)

    @lazy
    def sync_options(self) -> tuple[str, ...]:
        """Compared as they stand: Argo CD neither trims nor splits them."""
        options = self._policy.get("syncOptions")
        return tuple(option for option in options if isinstance(option, str)) if isinstance(options, list) else ()

    @lazy
    def compare_options(self) -> tuple[str, ...]:
        annotations = _map(_map(self.value.get("metadata")).get("annotations"))
        return tuple(split(_text(annotations.get(COMPARE_OPTIONS))))

    @property
    def server_side_apply(self) -> bool:
        return "ServerSideApply=true" in self.sync_options

    @property
    def server_side_diff(self) -> bool | None:
        """None where only the controller's own setting decides."""
        if "ServerSideDiff=false" in self.compare_options:
            return False
        return True if "ServerSideDiff=true" in self.compare_options else None

    @lazy
    def ignored_differences(self) -> tuple[Mapping[str, Any], ...]:
        """The items of ignoreDifferences; their numbers are those in the list."""
        items = self.spec.get("ignoreDifferences")
        return tuple(map(_map, items)) if isinstance(items, list) else ()

    @lazy
    def cascades(self) -> bool:
        """Whether deleting it deletes what it manages."""
        finalizers = _map(self.value.get("metadata")).get("finalizers")
        return isinstance(finalizers, list) and any(_text(one).split("/")[0] == FINALIZER for one in finalizers)

    # -- where it is written

    def place(self, pointer: str = "") -> Node:
        """The line that a person wrote for a place in the Application."""
        return self.resource.node.find(self.origin(pointer) if self.origin else pointer)

    def place_of_value(self, pointer: str, text: str) -> Node:
        """The line that a text of it comes from: the element of a generator, if just one has all of it."""
        place = self.place(pointer)
        if self.origin is None or text in place.text:
            return place
        found = [one for one in self.resource.node["spec"]["generators"].walk() if one.scalar_text == text]
        return found[0] if len(found) == 1 else place

    def field(self, pointer: str) -> Node | None:
        """The place to change a field at, which may be absent; None where a templatePatch decides about it.

        Not `place`, which leads to the nearest line that is there: a patch of that would put it in place of all it has.
        """
        if self.origin is None:
            return self.resource.node.find(pointer)
        written = self.origin(pointer)
        if written == PATCH:
            return None
        return self.resource.node.find(written if written.endswith(pointer) else f"{TEMPLATE}{pointer}")

    def __str__(self) -> str:
        return f"Application {self.name!r}"


def template_application(resource: Resource) -> Application | None:
    """The template of an ApplicationSet as an Application, placeholders and all; None if something else adds to it."""
    spec = resource["spec"]
    if spec["templatePatch"].present or any(node.key == "template" for node in spec["generators"].walk()):
        return None
    value = spec["template"].value
    return Application(value, resource, lambda pointer: f"{TEMPLATE}{pointer}") if isinstance(value, dict) else None


def _map(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
