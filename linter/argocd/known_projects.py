"""The AppProjects that the repository shows, each with what its Secrets add to it, and the clusters."""

from __future__ import annotations

import base64
import binascii
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Final

from .applications import GROUP
from .clusters import SECRET_TYPE
from .projects import AppProject

if TYPE_CHECKING:
    from ..kubernetes.resource import Resource
    from ..yaml.source import SourceFile

GLOBAL: Final = "globalProjects"


def known_projects(resources: Iterable[Resource], files: Iterable[SourceFile]) -> Mapping[str, tuple[AppProject, ...]]:
    """By name; several of one name belong to several Argo CDs.

    None at all where global projects are set up, in argocd-cm or what it is made of: they add to the lists of others.
    """
    if any(GLOBAL in file.text for file in files):
        return {}
    projects: list[Resource] = []
    repositories: dict[str, list[str]] = defaultdict(list)
    clusters: dict[str, list[str]] = defaultdict(list)
    for resource in resources:
        if resource.kind == "AppProject" and resource.group == GROUP:
            projects.append(resource)
        elif resource.kind == "Secret" and (purpose := resource.labels[SECRET_TYPE].text):
            name = _value(resource, "project")
            if purpose == "repository":
                repositories[name].append(_value(resource, "url"))
            elif purpose == "cluster":
                clusters[name].append(_value(resource, "server"))
    found: dict[str, tuple[AppProject, ...]] = {}
    for resource in projects:
        project = AppProject.read(resource).with_scoped(repositories[resource.name], clusters[resource.name])
        found[resource.name] = (*found.get(resource.name, ()), project)
    return found


def known_clusters(resources: Iterable[Resource]) -> Mapping[str, str]:
    """The URL of a cluster by its name, and its name by its URL, as far as Secrets show both."""
    found: dict[str, str] = {}
    for resource in resources:
        if resource.kind == "Secret" and resource.labels[SECRET_TYPE].text == "cluster" and not resource.patched:
            name, server = _value(resource, "name"), _value(resource, "server").rstrip("/")
            if name and server:
                found[name], found[server] = server, name
    return found


def _value(secret: Resource, key: str) -> str:
    text = secret["stringData"][key].text
    if text:
        return text
    try:
        return base64.b64decode(secret["data"][key].text, validate=True).decode("utf-8", "replace")
    except binascii.Error:
        return ""
