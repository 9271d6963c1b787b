"""From objects to the graph: who offers what, and who names it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from ...facts.tables import is_cluster_scoped
from ...yaml.lazy import lazy
from ...yaml.source import Node
from ..resource import Resource
from . import hosts, table
from .graph import Graph, Reference
from .making import Made, made_by
from .scripts import made_by_commands
from .selectors import Labelled, LabelSelector, label_texts
from .table import Effect, Row

ANYWHERE: Final = "anywhere"


def build_graph(resources: Iterable[Resource], namespace: str = "") -> Graph:
    """`namespace` is the Application's destination: objects without one are there.

    Only what a sync applies counts. A target that several objects offer gives a
    reference to each; which of them matters is the reader's question.
    """
    applied = [resource for resource in resources if resource.hook.phases]
    builder = _Builder(applied, namespace)
    return Graph(builder.named(), lambda: builder.selected)


class _Grant(NamedTuple):
    """Something that gives rights to a ServiceAccount: a binding, or its role."""

    by: Resource
    where: str
    """The namespace that the rights hold in; empty for all of them."""


class _Offer(NamedTuple):
    """An object that is, or whose controller makes, what somebody may name."""

    provider: Resource
    made: bool
    quick: bool
    guessed: bool = False


class _Builder:
    def __init__(self, resources: list[Resource], destination: str) -> None:
        self.resources = resources
        self.destination = destination
        self.offers: dict[tuple[str, str, str], list[_Offer]] = defaultdict(list)
        self.by_name: dict[tuple[str, str], list[_Offer]] = defaultdict(list)
        """Whatever the namespace."""
        self.everywhere: dict[tuple[str, str], list[_Offer]] = defaultdict(list)
        """What is made in every namespace."""
        self.kinds = [table.canonical(resource.group, resource.kind) for resource in resources]
        for resource, kind in zip(resources, self.kinds, strict=True):
            self._offer(resource, kind)
        self.names = {name for _, name in self.by_name if name}

    def _offer(self, resource: Resource, kind: str) -> None:
        namespace = self._namespace(resource)
        itself = _Offer(resource, False, False)
        self.offers[kind, namespace, resource.name].append(itself)
        self.by_name[kind, resource.name].append(itself)
        for made, guessed in resource.remembered(_all_made_from):
            offer = _Offer(resource, True, made.quick, guessed)
            self.by_name[made.kind, made.name].append(offer)
            if made.everywhere:
                self.everywhere[made.kind, made.name].append(offer)
            else:
                self.offers[made.kind, made.namespace or namespace, made.name].append(offer)

    def _namespace(self, resource: Resource) -> str:
        if resource.namespace:
            return resource.namespace
        return "" if is_cluster_scoped(resource.group, resource.kind) else self.destination

    # -- what is named by fields

    @lazy
    def selected(self) -> list[Reference]:
        return list(self._selected())

    @lazy
    def behind(self) -> dict[int, list[Resource]]:
        """By the id of a Service: what its pods come from."""
        found: dict[int, list[Resource]] = defaultdict(list)
        for reference in self.selected:
            if reference.consumer.group_kind == "Service":
                found[id(reference.consumer)].append(reference.provider)
        return found

    def named(self) -> Iterator[Reference]:
        bindings = self._bindings()
        for resource, kind in zip(self.resources, self.kinds, strict=True):
            if table.rows(kind) is not None:
                yield from self._named(resource, kind, bindings)

    def _named(
        self, resource: Resource, kind: str, bindings: dict[tuple[str, str], list[_Grant]]
    ) -> Iterator[Reference]:
        seen: set[tuple[int, int]] = set()
        for row, node in resource.remembered(_names_in):
            if row.only and not table.has_value(resource, row.only):
                continue
            for reference in self._resolve(resource, kind, row, node):
                # Two rows may lead to one name, and an anchor makes one name of two places.
                key = (id(node.raw), id(reference.provider))
                if key not in seen:
                    seen.add(key)
                    yield reference
            if row.of_pod and row.to == "ServiceAccount":
                yield from self._rights(resource, row, node, bindings)
        yield from self._calls(resource, kind)

    def _resolve(self, resource: Resource, kind: str, row: Row, node: Node) -> Iterator[Reference]:
        name, spelled = _spelled(row, node)
        parent = node.parent
        if name not in self.names or parent is None or (row.beside and parent[row.beside].absent):
            return
        target = _target_kind(row, parent)
        if table.is_always_there(target, name):
            return
        offers = self._offers(resource, row, target, name, spelled or _sibling_namespace(row, parent))
        if not offers:
            return
        optional = bool(row.optional_key) and parent[row.optional_key].value is True
        effect = _effect(resource, kind, row) if row.of_pod else row.effect
        words = f"{target.rpartition('/')[2]} {name!r}"
        for offer in offers:
            if offer.provider is resource:
                continue
            ready = row.ready or (offer.made and not offer.quick)
            provider, made, guessed = offer.provider, offer.made, offer.guessed
            yield Reference(resource, node, provider, made, words, row.via, optional, effect, ready, guessed)
            if row.ready and offer.provider.group_kind == "Service":
                yield from self._pods_behind(offer.provider, resource, node, row.via, effect)

    def _offers(self, resource: Resource, row: Row, target: str, name: str, namespace: str) -> list[_Offer]:
        group, _, kind = target.rpartition("/")
        if is_cluster_scoped(group, kind):
            return self.offers.get((target, "", name), [])
        if namespace == ANYWHERE and row.namespace == ANYWHERE:
            return self.by_name.get((target, name), [])
        own = self._namespace(resource)
        if not namespace and not own and is_cluster_scoped(resource.group, resource.kind):
            return []
        return self.offers.get((target, namespace or own, name), []) + self.everywhere.get((target, name), [])

    def _pods_behind(
        self, service: Resource, consumer: Resource, at: Node, via: str, effect: Effect, guessed: bool = False
    ) -> Iterator[Reference]:
        """Who needs an answering Service needs its pods."""
        for workload in self.behind.get(id(service), ()):
            if workload is not consumer:
                words = f"the pods behind {service}"
                yield Reference(consumer, at, workload, False, words, via, False, effect, True, guessed)

    # -- what is named otherwise

    def _selected(self) -> Iterator[Reference]:
        pods, services = Labelled(), Labelled()
        selecting = []
        for resource, kind in zip(self.resources, self.kinds, strict=True):
            workload = table.workload(kind)
            if workload and workload.labels:
                pods.add(resource, self._namespace(resource), label_texts(resource.node.at(*workload.labels)))
            elif kind == "Service":
                services.add(resource, self._namespace(resource), label_texts(resource.labels))
            rule = table.selector(kind)
            if rule:
                selecting.append((resource, rule))
        free = table.effect("free")
        for resource, rule in selecting:
            at = resource.node.at(*rule.at)
            labelled = pods if rule.to_pods else services
            for other in labelled.select(LabelSelector.read(at, rule.is_plain), self._namespace(resource)):
                if other is not resource:
                    yield Reference(resource, at, other, False, str(other), rule.via, False, free, False)

    def _bindings(self) -> dict[tuple[str, str], list[_Grant]]:
        """What gives rights to a ServiceAccount, by its namespace and name."""
        found: dict[tuple[str, str], list[_Grant]] = defaultdict(list)
        for resource in self.resources:
            if resource.kind in ("RoleBinding", "ClusterRoleBinding"):
                where = self._namespace(resource) if resource.kind == "RoleBinding" else ""
                grants = [_Grant(one, where) for one in (resource, *self._role_of(resource))]
                for subject in resource["subjects"]:
                    if subject["kind"].text == "ServiceAccount":
                        namespace = subject["namespace"].text or self._namespace(resource)
                        found[namespace, subject["name"].text] += grants
        return found

    def _role_of(self, binding: Resource) -> list[Resource]:
        role = binding["roleRef"]
        kind = role["kind"].text
        namespace = self._namespace(binding) if kind == "Role" else ""
        key = (f"{binding.group}/{kind}", namespace, role["name"].text)
        return [offer.provider for offer in self.offers.get(key, ())]

    def _rights(
        self, resource: Resource, row: Row, node: Node, bindings: dict[tuple[str, str], list[_Grant]]
    ) -> Iterator[Reference]:
        """In its own namespace or in all; of an account that comes with it, for another may have all it needs."""
        rights, namespace = table.effect("rights"), self._namespace(resource)
        if node.text != "default" and not self.offers.get(("ServiceAccount", namespace, node.text)):
            return
        for by, where in bindings.get((namespace, node.text), ()):
            if where in ("", namespace):
                yield Reference(resource, node, by, False, str(by), row.via, False, rights, False)

    def _calls(self, resource: Resource, kind: str) -> Iterator[Reference]:
        """Services that a Job or a hook Pod calls: it runs once, so they must answer by then."""
        pod_spec = _run_once(resource, kind)
        if pod_spec is None:
            return
        effect = table.effect("polls" if hosts.waits_by_itself(pod_spec) else "calls")
        own = self._namespace(resource)
        seen: set[str] = set()
        for at, host in hosts.calls(pod_spec):
            named = hosts.service_and_namespace(host)
            if named is None or host in seen:
                continue
            seen.add(host)
            for offer in self.offers.get(("Service", named[1] or own, named[0]), ()):
                service, via = offer.provider, f"it calls {host}"
                no_host = table.effect("no-host")
                yield Reference(resource, at, service, False, str(service), via, False, no_host, False, guessed=True)
                yield from self._pods_behind(service, resource, at, via, effect, guessed=True)


def _run_once(resource: Resource, kind: str) -> Node | None:
    """The pod spec of what runs its commands once and at once: a Job, a hook Pod."""
    workload = table.workload(kind)
    if workload is None or not (workload.calls_out or (kind == "Pod" and resource.is_hook)):
        return None
    return resource.node.at(*workload.pod)


def _names_in(resource: Resource) -> list[tuple[Row, Node]]:
    """Where it names others."""
    found: list[tuple[Row, Node]] = []
    rows = table.rows(table.canonical(resource.group, resource.kind))
    if rows is not None:
        rows.find(resource.node, found)
    return found


def _all_made_from(resource: Resource) -> tuple[tuple[Made, bool], ...]:
    return tuple(_made_from(resource, table.canonical(resource.group, resource.kind)))


def _made_from(resource: Resource, kind: str) -> Iterator[tuple[Made, bool]]:
    """What an object's controller makes for sure, and what its commands seem to make."""
    if table.makers(kind):
        yield from ((made, False) for made in made_by(resource, kind))
    pod_spec = _run_once(resource, kind)
    if pod_spec is not None:
        yield from ((made, True) for made in made_by_commands(pod_spec))


def _effect(resource: Resource, kind: str, row: Row) -> Effect:
    workload = table.workload(kind)
    if workload is None or table.has_value(resource, workload.idle):
        return table.effect("free")
    if workload.runs != table.RUNS_NOW:
        return table.effect("run" if workload.runs == table.RUNS_LATER else "free")
    return table.not_blocking(row.effect) if table.has_value(resource, workload.not_awaited) else row.effect


def _spelled(row: Row, node: Node) -> tuple[str, str]:
    """The name and, where it is written in one with it, the namespace."""
    text = node.text
    if row.form == "host":
        return hosts.service_and_namespace(text) or ("", "")
    if row.form == "namespace/name" and "/" in text:
        namespace, _, name = text.partition("/")
        return name, namespace
    return text, ""


def _target_kind(row: Row, parent: Node) -> str:
    if row.cluster_kind and parent["clusterScope"].value is True:
        return row.cluster_kind
    if not row.kind_key:
        return row.to
    default_group, _, default_kind = row.to.rpartition("/")
    kind = parent[row.kind_key].text or default_kind
    if kind in row.kinds:
        return row.kinds[kind]
    group = default_group
    if row.group_key and parent[row.group_key].present:
        written = parent[row.group_key].text
        # A group, or an apiVersion; the core group's apiVersion is its version alone.
        group = written.rpartition("/")[0] if row.group_key == "apiVersion" else written
    return table.canonical(group, kind)


def _sibling_namespace(row: Row, parent: Node) -> str:
    if row.namespace.startswith("="):
        return row.namespace[1:]
    if row.namespace == ANYWHERE or not row.namespace:
        return row.namespace
    return parent[row.namespace].text
