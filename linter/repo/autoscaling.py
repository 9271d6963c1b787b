"""Autoscalers, and the workloads whose number of replicas they set."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from ..facts.tables import table
from ..kubernetes.resource import Resource
from ..yaml.source import Node
from .app import App
from .model import Repo

Key = tuple[object, str, str, str]
"""Where (a cluster, or the app if none is known), namespace, kind, name."""


class Scaled(NamedTuple):
    workload: Resource
    app: App
    """The one that syncs the workload."""
    autoscaler: Resource
    target: Node
    """Where the autoscaler names the workload."""
    least: int
    most: int | None


def scaled_workloads(repo: Repo) -> Iterator[Scaled]:
    """Every workload with the autoscalers that name it, within an app or across Applications of one cluster.

    Only those with replicas in git.
    """
    return _scaled(repo, lambda one: one["spec"]["replicas"].present)


def scaled_without_number(repo: Repo) -> Iterator[Scaled]:
    """The same, of workloads that leave the number to the autoscaler."""
    return _scaled(repo, lambda one: one["spec"].present and one["spec"]["replicas"].value is None)


def _scaled(repo: Repo, counts: Callable[[Resource], bool]) -> Iterator[Scaled]:
    found = [(app, one) for app in repo.apps for one in app.resources if one.group_kind in _kinds()]
    if not found:
        return
    workloads = _workloads(repo, counts)
    for app, autoscaler in found:
        facts = _kinds()[autoscaler.group_kind]
        target = autoscaler.node.at(*facts["target"].split("."))
        kind = target["kind"].text or facts["default"]["kind"]
        key = (_place(app), autoscaler.namespace or app.namespace, kind, target["name"].text)
        for owner, workload in workloads.get(key, ()):
            if _are_near(app, owner, repo):
                least = _number(autoscaler, facts["least"], facts["default"]["least"])
                most = _number(autoscaler, facts["most"], facts["default"]["most"])
                yield Scaled(workload, owner, autoscaler, target["name"], least or 0, most)


def _kinds() -> Mapping[str, Mapping[str, Any]]:
    kinds: Mapping[str, Mapping[str, Any]] = table("autoscalers.json")["kinds"]
    return kinds


def _workloads(repo: Repo, counts: Callable[[Resource], bool]) -> Mapping[Key, list[tuple[App, Resource]]]:
    found: dict[Key, list[tuple[App, Resource]]] = defaultdict(list)
    for app in repo.apps:
        for resource in app.resources:
            if resource.name and counts(resource):
                namespace = resource.namespace or app.namespace
                found[_place(app), namespace, resource.kind, resource.name].append((app, resource))
    return found


def _place(app: App) -> object:
    """Where its objects are: the cluster, if the files tell which; else nowhere but in the app itself."""
    return (app.application.destination.cluster if app.application else "") or id(app)


def _are_near(one: App, other: App, repo: Repo) -> bool:
    if one is other or one.application is None or other.application is None:
        return one is other
    return repo.deploy_to_one_cluster(one.application, other.application)


def _number(autoscaler: Resource, path: str, otherwise: int | None) -> int | None:
    value = autoscaler.node.at(*path.split(".")).value
    return value if isinstance(value, int) and not isinstance(value, bool) else otherwise
