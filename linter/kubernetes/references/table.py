"""Typed access to schemas/references.json; rows are compiled for the kinds that a repository has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import IntEnum
from fnmatch import fnmatchcase
from functools import cache
from typing import Any, NamedTuple

from ...facts.tables import table
from ..resource import Resource
from .paths import PathTree, steps

RUNS_NOW = "now"
RUNS_LATER = "later"


class Order(IntEnum):
    """When it matters that the named object comes first."""

    NEVER = 0
    LATER = 1
    """Only when it comes in a later wave or phase."""
    GATED = 2
    """Also in the same wave, where Argo CD waits for that wave's health: Degraded fails the sync."""
    SAME = 3
    """Also in the same wave."""


class Effect(NamedTuple):
    """What becomes of an object while one that it names is missing."""

    until: str
    """In words, to stand after "until then"."""
    blocks: bool
    """It cannot start or become healthy."""
    order: Order
    mild: bool
    """Nothing is lost: it works as soon as the other is there."""


class Row(NamedTuple):
    """One way in which objects of a kind name others. Keys are siblings of the one that holds the name."""

    to: str
    via: str
    effect: Effect
    of_pod: bool
    """It is the pods that need it, so a workload that starts none does not."""
    ready: bool
    """That the other exists is not enough."""
    optional_key: str
    kind_key: str
    group_key: str
    namespace: str
    """A key; or ``anywhere``, or ``=name`` for a fixed one; empty for the object's own."""
    kinds: Mapping[str, str]
    cluster_kind: str
    """The kind that is meant where the sibling `clusterScope` is true."""
    form: str
    beside: str
    """The name counts only with this key beside it."""
    only: Mapping[str, Any]


class Workload(NamedTuple):
    """Where a kind holds its pods, and when they start."""

    pod: tuple[str, ...]
    labels: tuple[str, ...]
    runs: str
    idle: Mapping[str, Any]
    """Where a field has such a value, no pod starts."""
    not_awaited: Mapping[str, Any]
    """Where a field has such a value, Argo CD calls it healthy whatever its pods do."""
    calls_out: bool
    """It runs once and does its work at once, so it needs the Services that it calls."""


class Maker(NamedTuple):
    """A Secret or ConfigMap that a kind's controller makes."""

    to: str
    kind_at: tuple[str, ...]
    at: tuple[str, ...]
    keys_at: tuple[str, ...]
    else_at: tuple[str, ...]
    template: str
    otherwise: str
    namespace_at: tuple[str, ...]
    everywhere: bool
    quick: bool
    """Made at once, or only for the pod that asks: an earlier wave would bring nothing."""
    when: tuple[tuple[str, ...], ...]
    only: Mapping[str, Any]
    unless: Mapping[str, list[Any]]


class Selector(NamedTuple):
    at: tuple[str, ...]
    is_plain: bool
    """A map of labels, not a LabelSelector."""
    to_pods: bool
    """Else to Services."""
    via: str


def _data() -> Any:
    return table("references.json")


@cache
def effect(name: str) -> Effect:
    entry = _data()["effects"][name]
    return Effect(entry["until"], entry["blocks"], Order[entry["order"].upper()], entry.get("mild", False))


@cache
def canonical(group: str, kind: str) -> str:
    """``group/Kind`` as the table writes it, whatever name the group goes by."""
    group = _data()["aliases"].get(group, group)
    return f"{group}/{kind}" if group else kind


@cache
def is_always_there(kind: str, name: str) -> bool:
    return name in _data()["alwaysThere"].get(kind, ())


def _entry(section: str, kind: str) -> Any:
    entries = _data()[section]
    if kind in entries:
        return entries[kind]
    return next((entry for key, entry in entries.items() if "*" in key and fnmatchcase(kind, key)), None)


@cache
def workload(kind: str) -> Workload | None:
    entry = _data()["workloads"].get(kind)
    if entry is None:
        return None
    return Workload(
        pod=steps(entry["pod"]),
        labels=steps(entry.get("labels", "")),
        runs=entry.get("runs", RUNS_NOW),
        idle=entry.get("idle", {}),
        not_awaited=entry.get("notAwaited", {}),
        calls_out=entry.get("callsOut", False),
    )


@cache
def rows(kind: str) -> PathTree[Row] | None:
    """Everything that objects of a kind can name, or None when that is nothing."""
    tree: PathTree[Row] = PathTree()
    found = list(_expand(_entry("references", kind) or [], (), False))
    runner = _data()["workloads"].get(kind)
    if runner:
        found += _expand(_data()["shapes"][runner.get("shape", "pod")], steps(runner["pod"]), True)
    for path, row in found:
        tree.add(path, row)
    return tree if found else None


def _expand(entries: list[Any], prefix: tuple[str, ...], of_pod: bool) -> Iterator[tuple[tuple[str, ...], Row]]:
    for entry in entries:
        path = prefix + steps(entry["path"])
        if "shape" in entry:
            yield from _expand(_data()["shapes"][entry["shape"]], path, of_pod)
        else:
            yield path, _row(entry, of_pod)


def _row(entry: Mapping[str, Any], of_pod: bool) -> Row:
    return Row(
        to=entry["to"],
        via=entry["via"],
        effect=effect(entry["effect"]),
        of_pod=of_pod,
        ready=entry.get("ready", False),
        optional_key=entry.get("optional", ""),
        kind_key=entry.get("kind", ""),
        group_key=entry.get("group", ""),
        namespace=entry.get("namespace", ""),
        kinds=entry.get("kinds", {}),
        cluster_kind=entry.get("clusterScope", ""),
        form=entry.get("form", ""),
        beside=entry.get("beside", ""),
        only=entry.get("only", {}),
    )


@cache
def makers(kind: str) -> tuple[Maker, ...]:
    return tuple(
        Maker(
            to=entry["to"],
            kind_at=steps(entry.get("kind", "")),
            at=steps(entry.get("at", "")),
            keys_at=steps(entry.get("keysAt", "")),
            else_at=steps(entry.get("elseAt", "")),
            template=entry.get("as", "{}"),
            otherwise=entry.get("else", ""),
            namespace_at=steps(entry.get("namespace", "")),
            everywhere=entry.get("everywhere", False),
            quick=entry.get("quick", False),
            when=tuple(steps(path) for path in entry.get("when", ())),
            only=entry.get("only", {}),
            unless=entry.get("unless", {}),
        )
        for entry in _entry("makes", kind) or ()
    )


@cache
def selector(kind: str) -> Selector | None:
    entry = _data()["selectors"].get(kind)
    if entry is None:
        return None
    return Selector(steps(entry["at"]), entry["form"] == "labels", entry["to"] == "pods", entry["via"])


def has_value(resource: Resource, wanted: Mapping[str, Any]) -> bool:
    """Whether any of these fields has the value given for it."""
    for path, value in wanted.items():
        actual = resource.node.at(*steps(path)).value
        if actual == value and type(actual) is type(value):
            return True
    return False


def not_blocking(of: Effect) -> Effect:
    return of._replace(blocks=False)
