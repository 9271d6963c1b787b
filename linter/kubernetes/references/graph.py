"""The graph: every reference from one object of an app to another that the app also has."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple

from ...yaml.lazy import lazy
from ...yaml.source import Node
from ..resource import Resource
from .table import Effect, Order

ANYWHERE: Final = "anywhere"


class Reference(NamedTuple):
    """One object needs, or just names, another."""

    consumer: Resource
    at: Node
    """Where the name is written."""
    provider: Resource
    made: bool
    """The provider is not what is named: its controller makes that."""
    target: str
    """What is named, as messages say it: ``Secret 'db'``."""
    via: str
    """By which field, as messages say it: ``env``, ``a volume``."""
    optional: bool
    effect: Effect
    """What becomes of the consumer while the target is missing."""
    ready: bool
    """That the provider exists is not enough: it must have done its work."""
    guessed: bool = False
    """Read from what a container is told to run, not from a field that means an object."""

    @property
    def blocks(self) -> bool:
        """The consumer cannot start or become healthy without it."""
        return self.effect.blocks

    @property
    def until(self) -> str:
        """What becomes of the consumer, to stand after "until then"."""
        return self.effect.until.replace("{kind}", self.consumer.kind)

    @property
    def order(self) -> Order:
        return Order.NEVER if self.optional else self.effect.order


class Graph:
    """The references of one app, in the order of its objects."""

    def __init__(self, named: Iterable[Reference] = (), selected: Callable[[], Iterable[Reference]] = tuple) -> None:
        self._named = tuple(named)
        self._select = selected

    @lazy
    def references(self) -> tuple[Reference, ...]:
        """All of them. Those by label selectors order nothing, so they are looked for only here."""
        return (*self._select(), *self._named)

    @lazy
    def _by_consumer(self) -> dict[int, list[Reference]]:
        found: dict[int, list[Reference]] = defaultdict(list)
        for reference in self.references:
            found[id(reference.consumer)].append(reference)
        return found

    @lazy
    def _by_provider(self) -> dict[int, list[Reference]]:
        found: dict[int, list[Reference]] = defaultdict(list)
        for reference in self.references:
            found[id(reference.provider)].append(reference)
        return found

    @property
    def consumers(self) -> Iterator[Resource]:
        """Every object that needs another, once."""
        for needs in self._needs.values():
            yield next(iter(needs.values()))[0].consumer

    def of(self, consumer: Resource) -> tuple[Reference, ...]:
        return tuple(self._by_consumer.get(id(consumer), ()))

    def needs(self, consumer: Resource) -> dict[str, list[Reference]]:
        """What it needs, each with all that offer it: the first of them to be applied is the one that counts."""
        return self._needs.get(id(consumer), {})

    @lazy
    def _needs(self) -> dict[int, dict[str, list[Reference]]]:
        found: dict[int, dict[str, list[Reference]]] = defaultdict(lambda: defaultdict(list))
        for reference in self._named:
            if reference.order is not Order.NEVER:
                found[id(reference.consumer)][reference.target].append(reference)
        return found

    def to(self, provider: Resource) -> tuple[Reference, ...]:
        return tuple(self._by_provider.get(id(provider), ()))
