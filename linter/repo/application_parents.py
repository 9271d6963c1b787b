"""What brings an Application to its Argo CD: Applications above it, as far up as that is the same Argo CD.

Hundreds of Applications may hold one folder, and each other. What the same ones bring is looked at once.
"""

from __future__ import annotations

from collections.abc import Callable

from ..kubernetes.resource import Resource
from .app import App

_Group = tuple[int, ...]
"""Ids of the apps that some objects are part of, all of them of the same ones."""


class ApplicationParents:
    def __init__(self, apps_with: Callable[[Resource], tuple[App, ...]]) -> None:
        self._apps_with = apps_with
        self._group_of: dict[int, int] = {}
        """By the id of an object the number of its group: to compare the apps again each time would take long."""
        self._numbers: dict[_Group, int] = {}
        self._apps: list[tuple[App, ...]] = []
        self._above: dict[int, frozenset[int]] = {}
        self._shared: dict[tuple[int, int], bool] = {}

    def are_shared(self, first: Resource, second: Resource) -> bool:
        """Whether some Application brings both."""
        pair = (self._group(first), self._group(second))
        if pair not in self._shared:
            self._shared[pair] = not self._all_above(pair[0]).isdisjoint(self._all_above(pair[1]))
        return self._shared[pair]

    def _group(self, resource: Resource) -> int:
        if id(resource) not in self._group_of:
            apps = self._apps_with(resource)
            number = self._numbers.setdefault(tuple(map(id, apps)), len(self._apps))
            if number == len(self._apps):
                self._apps.append(apps)
            self._group_of[id(resource)] = number
        return self._group_of[id(resource)]

    def _all_above(self, group: int) -> frozenset[int]:
        """Ids of the apps of a group, of those that bring these, and so on."""
        if group not in self._above:
            found: set[int] = set()
            seen, waiting = {group}, [group]
            while waiting:
                for holder in self._apps[waiting.pop()]:
                    if id(holder) in found:
                        continue
                    found.add(id(holder))
                    if holder.application and holder.application.destination.is_local:
                        above = self._group(holder.application.resource)
                        if above not in seen:
                            seen.add(above)
                            waiting.append(above)
            self._above[group] = frozenset(found)
        return self._above[group]
