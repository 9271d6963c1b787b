"""The clusters that Argo CD knows: a Secret each, or an entry of the config."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from ..dialects.spelling import is_placeholder, is_to_be_written
from .applications import IN_CLUSTER

if TYPE_CHECKING:
    from ..kubernetes.resource import Resource

SECRET_TYPE: Final = "argocd.argoproj.io/secret-type"
LOCAL_NAME: Final = "in-cluster"
_SEALED: Final = "ENC["
_SECRETS: Final = frozenset(("Secret", "SealedSecret", "ExternalSecret"))


@dataclass(frozen=True)
class Cluster:
    name: str
    """Empty where it is not known: what a Secret holds may be sealed."""
    server: str
    labels: Mapping[str, str] = field(default_factory=dict)
    annotations: Mapping[str, str] = field(default_factory=dict)
    project: str = ""

    @classmethod
    def configured(cls, entry: Mapping[str, Any]) -> Cluster:
        """As the config has it. The one that Argo CD runs in needs no address."""
        name = entry["name"]
        server = entry.get("server") or (IN_CLUSTER if name == LOCAL_NAME else "")
        return cls(
            name, server, _texts(entry.get("labels")), _texts(entry.get("annotations")), entry.get("project", "")
        )

    @property
    def entry(self) -> dict[str, Any]:
        """As the config has it."""
        every = {"name": self.name, "server": self.server, "labels": dict(self.labels)}
        every |= {"annotations": dict(self.annotations), "project": self.project}
        return {key: value for key, value in every.items() if value}

    @property
    def is_local(self) -> bool:
        return self.server.rstrip("/") == IN_CLUSTER


LOCAL: Final = Cluster(LOCAL_NAME, IN_CLUSTER)


def clusters_in(resources: Iterable[Resource]) -> tuple[Cluster, ...]:
    """Those that stand in git as Secrets, or as what becomes one; of two with one name the last counts."""
    found: dict[object, Cluster] = {}
    for one in _clusters(resources):
        found[one.name or id(one)] = one
    return tuple(found.values())


def _clusters(resources: Iterable[Resource]) -> Iterator[Cluster]:
    for resource in resources:
        if resource.kind not in _SECRETS:
            continue
        body = _secret_of(resource)
        metadata = _map(body.get("metadata"))
        labels = _texts(metadata.get("labels"))
        if labels.get(SECRET_TYPE) == "cluster":
            held = _held(body)
            name, server, project = (held.get(key, "") for key in ("name", "server", "project"))
            if is_placeholder(name) or is_to_be_written(name):
                continue  # somebody makes clusters of it
            # One stand-in in the Secrets of many clusters would make one cluster of them.
            address = "" if is_placeholder(server) or is_to_be_written(server) else server
            yield Cluster(name, address, labels, _texts(metadata.get("annotations")), project)


def _secret_of(resource: Resource) -> Mapping[str, Any]:
    """The Secret that an object is, or becomes."""
    value = _map(resource.node.value)
    if resource.kind == "Secret" and not resource.group:
        return value
    spec = _map(value.get("spec"))
    if resource.kind == "SealedSecret":
        return _map(spec.get("template"))
    if resource.kind == "ExternalSecret":
        template = _map(_map(spec.get("target")).get("template"))
        return {"metadata": template.get("metadata"), "stringData": template.get("data")}
    return {}


def _held(secret: Mapping[str, Any]) -> dict[str, str]:
    """What can be read of it."""
    found = {key: _decoded(text) for key, text in _texts(secret.get("data")).items()} | _texts(secret.get("stringData"))
    return {key: text for key, text in found.items() if not text.startswith(_SEALED) and "{{" not in text}


def _decoded(text: str) -> str:
    try:
        return base64.b64decode(text, validate=True).decode()
    except (binascii.Error, UnicodeDecodeError, ValueError):
        return ""


def _texts(value: Any) -> dict[str, str]:
    return {key: text for key, text in _map(value).items() if isinstance(text, str)}


def _map(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
