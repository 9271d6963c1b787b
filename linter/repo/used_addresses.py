"""Which addresses Applications name, and how many of the paths that they look for there are here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from ..argocd.applications import Application
from ..argocd.source_references import named_sources, references_of
from ..argocd.this_repo import Asked
from ..dialects.spelling import is_placeholder
from ..facts.regexes import regex
from ..kubernetes.resource import Resource
from .tree import Tree, folder_of

_PATTERN: Final = regex(r"[*?\[\\{]")


class UsedAddresses:
    """Grows with every Application that is found."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._paths: dict[str, set[str]] = {}

    def add(self, applications: Iterable[Application], makers: Iterable[Resource]) -> None:
        for application in applications:
            for url, path in _of_application(application):
                self._paths.setdefault(url, set()).add(path)
        for maker in makers:
            for url, path in _of_set(maker.node.value):
                self._paths.setdefault(url, set()).add(path)

    def asked(self) -> dict[str, Asked]:
        return {url: self._asked(paths) for url, paths in self._paths.items()}

    def _asked(self, paths: Iterable[str]) -> Asked:
        telling = [path for path in paths if path and not is_placeholder(path)]
        found = sum(1 for path in telling if self._exists(path))
        return Asked(found, len(telling) - found)

    def _exists(self, path: str) -> bool:
        folder = folder_of(path)
        if folder is None:
            return False
        return self._tree.locate(folder) is not None or self._tree.reachable.source(folder) is not None


def _of_application(application: Application) -> Iterator[tuple[str, str]]:
    for source in application.sources:
        if not source.chart:
            yield source.repo_url, _telling(source.path)
    lenders = named_sources(application.sources)
    for source in application.sources:
        for reference in references_of(source):
            lender = lenders.get(reference.name)
            if lender is not None and not lender.chart:
                yield lender.repo_url, _telling(reference.path)


def _of_set(value: Any) -> Iterator[tuple[str, str]]:
    """Every repoURL of a set, those of its git generators included."""
    if isinstance(value, Mapping):
        url = value.get("repoURL")
        if isinstance(url, str) and not value.get("chart"):
            yield from ((url, path) for path in _paths_beside(value))
        for member in value.values():
            yield from _of_set(member)
    elif isinstance(value, list):
        for item in value:
            yield from _of_set(item)


def _paths_beside(value: Mapping[str, Any]) -> Iterator[str]:
    """Of a source, or of a git generator; at least one, be it empty."""
    yield _telling(value.get("path"))
    for key in ("directories", "files"):
        for item in value.get(key) or () if isinstance(value.get(key), list) else ():
            if isinstance(item, Mapping) and item.get("exclude") is not True:
                yield _telling(item.get("path"))


def _telling(path: Any) -> str:
    """The part that names one place; empty for the root, which every repository has."""
    text = path.strip("/") if isinstance(path, str) else ""
    if not is_placeholder(text) and (pattern := _PATTERN.search(text)):
        text = text[: pattern.start()].rpartition("/")[0]
    return "" if text in (".", "./") else text
