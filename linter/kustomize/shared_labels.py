"""Labels that stand in several places of an object and are one value to Kustomize.

A label that a transformer adds to several maps of an object (its own labels,
its selector, its pods) is one value in Kustomize's memory. Whatever changes it
in one place afterwards, a patch or another label, changes it in all of them.
A JSON patch ends that: it writes the object out and reads it again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from ..yaml.compose import Mapping, Raw, Sequence
from .trees import Pair, Rewritten, member, sequence, with_member

Path = tuple[str | int, ...]
"""Keys, and the places of items in lists."""


_ANNOTATIONS: Final[Path] = ("metadata", "annotations")


class SharedText(NamedTuple):
    key: str
    text: Raw
    paths: tuple[Path, ...]
    """Of the maps that have it, in the order in which a patch goes through them."""


class Shared(NamedTuple):
    texts: tuple[SharedText, ...]
    maps: tuple[tuple[Path, Raw | None], ...]
    """All maps that have any of them, as they were at the last look: the same ones need no second look."""


def shared_texts(root: Raw, paths: Iterable[tuple[str, ...]], added: Iterable[Pair]) -> list[SharedText]:
    """Which of the pairs just added are in several of the maps at these paths."""
    maps = sorted({place: found for path in paths for place, found in _maps_at(root, path, ())}.items(), key=_by_path)
    texts = []
    for key, text in added:
        places = tuple(place for place, found in maps if member(found, key.value) is text)
        if len(places) > 1:
            texts.append(SharedText(key.value, text, places))
    return texts


def _by_path(place: tuple[Path, Mapping]) -> list[str]:
    return [f"{part:06}" if isinstance(part, int) else part for part in place[0]]


def _maps_at(raw: Raw | None, path: tuple[str, ...], so_far: Path) -> Iterator[tuple[Path, Mapping]]:
    if isinstance(raw, Sequence):
        for index, item in enumerate(raw.value):
            yield from _maps_at(item, path, (*so_far, index))
    elif isinstance(raw, Mapping):
        if path:
            key = path[0].removesuffix("[]")
            yield from _maps_at(member(raw, key), path[1:], (*so_far, key))
        else:
            yield so_far, raw


def joined(shared: Shared | None, texts: Iterable[SharedText], root: Raw) -> Shared | None:
    """With more of them."""
    all_texts = (*(shared.texts if shared else ()), *texts)
    paths = dict.fromkeys(path for text in all_texts for path in text.paths)
    return Shared(all_texts, tuple((path, _at(root, path)) for path in paths)) if all_texts else None


def without_annotations(shared: Shared | None, root: Raw) -> Shared | None:
    """`buildMetadata` keeps notes among the annotations of an object, which are written anew with each of them."""
    if shared is None:
        return None
    texts = []
    for one in shared.texts:
        paths = tuple(path for path in one.paths if path != _ANNOTATIONS)
        if len(paths) > 1:
            texts.append(one._replace(paths=paths))
    return joined(None, texts, root)


def spread(root: Mapping, shared: Shared) -> tuple[Mapping, Shared | None]:
    """Bring a change of a shared text to all its places; what else took the place of one is no longer shared."""
    if all(_at(root, path) is seen for path, seen in shared.maps):
        return root, shared
    texts = []
    for one in shared.texts:
        values = ((path, member(_at(root, path), one.key)) for path in one.paths)
        now = {path: value for path, value in values if value is not None and _came_from(value, one.text)}
        text = next((value for value in reversed(now.values()) if value is not one.text), one.text)
        for path, value in now.items():
            if value is not text:
                root = _with(root, path, one.key, text)
        if len(now) > 1:
            texts.append(SharedText(one.key, text, tuple(now)))
    return root, joined(None, texts, root)


def _came_from(value: Raw | None, text: Raw) -> bool:
    while isinstance(value, Rewritten) and value is not text:
        value = value.before
    return value is text


def _at(raw: Raw | None, path: Path) -> Raw | None:
    for part in path:
        if isinstance(part, str):
            raw = member(raw, part)
        else:
            raw = raw.value[part] if isinstance(raw, Sequence) and part < len(raw.value) else None
    return raw


def _with(root: Mapping, path: Path, key: str, text: Raw) -> Mapping:
    changed = _set(root, (*path, key), text)
    assert isinstance(changed, Mapping)
    return changed


def _set(raw: Raw, path: Path, new: Raw) -> Raw:
    if not path:
        return new
    part = path[0]
    if isinstance(raw, Mapping) and isinstance(part, str):
        inner = member(raw, part)
        assert inner is not None
        return with_member(raw, part, _set(inner, path[1:], new))
    assert isinstance(part, int)
    return sequence([*raw.value[:part], _set(raw.value[part], path[1:], new), *raw.value[part + 1 :]], raw)
