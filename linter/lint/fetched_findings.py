"""Findings in what was fetched: told where a person can act, at the line that names the chart or the base.

Whoever uses a chart cannot change its templates. What a rule says of one stands
at the Application, the dependency or the entry that brings it, with the template
as a second place; rules about how a chart is written say nothing there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from ..files.elsewhere import SHELF, fetched_root, is_fetched, shown
from ..kubernetes.resource import Resource
from ..repo.model import Repo
from ..repo.sources.application_sources import Rendered
from ..repo.sources.kustomize_builds import NotAnalysed
from ..yaml.source import Node, Place, SourceFile, Spot
from .result import Reported
from .rule import Finding, Note

_DEEPEST: Final = 20
_ORIGIN: Final = "what is fetched from here has it there"


def told_where_it_is_named(reported: Iterable[Reported], repo: Repo) -> Iterator[Reported]:
    """The findings, none of them in a file that is not of this repository."""
    if not repo.brought_by:
        yield from reported
        return
    seen: set[tuple[object, ...]] = set()
    for item in reported:
        moved = _moved(item, repo)
        if moved is None:
            continue
        at = moved.finding.at
        key = (moved.rule.code, at.file.path, at.span, moved.finding.message)
        if moved is item or key not in seen:
            seen.add(key)
            yield moved


def without_fetched_paths(items: Iterable[NotAnalysed]) -> Iterator[NotAnalysed]:
    yield from (item._replace(path=shown(item.path)) if is_fetched(item.path) else item for item in items)


def _moved(item: Reported, repo: Repo) -> Reported | None:
    finding, place = item.finding, _written(item.finding.at)
    is_inside = is_fetched(place.file.path)
    if is_inside and not item.rule.speaks_of_fetched:
        return None
    if not is_inside and not any(is_fetched(_written(note.at).file.path) for note in finding.related):
        is_named = SHELF in finding.message
        return replace(item, finding=finding.reworded(_readable_text)) if is_named else item
    at = named_at(place, item.resource, repo) if is_inside else finding.at
    if at is None:
        return None
    related = [note._replace(at=_readable(note.at)) for note in finding.related]
    if is_inside:
        related.insert(0, Note(_readable(place), _ORIGIN))
    cause = finding.cause
    if cause is not None and cause.at is not None and is_fetched(_written(cause.at).file.path):
        cause = cause._replace(at=at)
    fixes = () if is_inside else finding.fixes
    moved: Finding = replace(finding, at=at, related=tuple(related), fixes=fixes, cause=cause)
    return replace(item, finding=moved.reworded(_readable_text))


def _readable_text(text: str) -> str:
    return text.replace(SHELF, "")


def named_at(place: Place, resource: Resource | None, repo: Repo) -> Place | None:
    """The line of this repository that brings a file; of several Applications that do, the one that has the object."""
    for _ in range(_DEEPEST):
        root = fetched_root(place.file.path)
        if not root:
            return place
        own = _source_of(resource, root, repo) if resource is not None else None
        found = own or repo.brought_by.get(root)
        if found is None:
            return None
        place = _written(found)
    return None


def _source_of(resource: Resource, root: str, repo: Repo) -> Place | None:
    for app in repo.apps_with(resource):
        for one in app.rendered:
            if app.application and _root_of(one) == root and any(resource is other for other in one.resources):
                pointer = one.source.pointer
                for field in ("targetRevision", "chart", "repoURL"):
                    place = app.application.place(f"{pointer}/{field}")
                    if place.present:
                        return place
    return None


def _root_of(one: Rendered) -> str:
    if one.chart is not None:
        return fetched_root(one.chart.folder)
    if one.build is not None:
        return fetched_root(one.build.folder)
    first = next(iter(one.resources), None)
    return fetched_root(first.file.path) if first is not None else ""


def _written(place: Place) -> Place:
    return place.origin if isinstance(place, Node) else place


def _readable(place: Place) -> Place:
    """The same place, in a file with a name that people can read."""
    origin = _written(place)
    if not is_fetched(origin.file.path):
        return place
    return Spot(SourceFile(shown(origin.file.path), origin.file.text), origin.span, origin.pointer)
