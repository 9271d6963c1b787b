"""Findings, put to the objects and the apps that they concern."""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Iterable, Iterator

from ...kubernetes.resource import Resource
from ...lint.result import Reported
from ...repo.app import App


class Placing:
    def __init__(self, reported: Iterable[Reported]) -> None:
        self._all = tuple(reported)
        self._of_objects: dict[int, list[Reported]] = defaultdict(list)
        self._below: dict[str, list[Reported]] = defaultdict(list)
        """What concerns no object, by its file and by every folder above that."""
        self._taken: set[int] = set()
        for item in self._all:
            if item.resource is not None:
                self._of_objects[id(item.resource)].append(item)
            else:
                for path in _upwards(item.file.path):
                    self._below[path].append(item)

    def of_object(self, resource: Resource) -> tuple[Reported, ...]:
        return self._take(self._of_objects.get(id(resource), ()))

    def of_app(self, app: App) -> tuple[Reported, ...]:
        """About the Application itself, and about its files where no object is concerned."""
        own = self._of_objects.get(id(app.application.resource), ()) if app.application else ()
        inside = (item for path in _reads(app) for item in self._below.get(path, ()))
        return self._take({id(item): item for item in (*own, *inside)}.values())

    def rest(self) -> tuple[Reported, ...]:
        """What none of the apps that were asked about has taken."""
        return tuple(item for item in self._all if id(item) not in self._taken)

    def _take(self, items: Iterable[Reported]) -> tuple[Reported, ...]:
        taken = tuple(items)
        self._taken.update(map(id, taken))
        return taken


def _upwards(path: str) -> Iterator[str]:
    while path:
        yield path
        path = posixpath.dirname(path)


def _reads(app: App) -> dict[str, None]:
    """The files and folders that it is made from, in a fixed order."""
    folders = [one.path for one in app.rendered if one.path] if app.application else [app.name]
    return dict.fromkeys((*folders, *(resource.file.path for resource in app.resources)))
