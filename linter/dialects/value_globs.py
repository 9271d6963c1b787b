"""Patterns in valueFiles: which files they take, and in which order, since a later file wins.

``*`` and ``?`` stay within a name, ``**`` as a whole name goes through folders,
``{a,b}`` is either. The order is that of the walk: a folder's own matches come
before those in its folders when ``**`` stands before the last name. Libraries
(glob, wcmatch) match alike, but walk in another order, and the order decides.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from .generator_globs import matches_folder

_SIGNS: Final = frozenset("*?[")
_MOST_ALTERNATIVES: Final = 64
_MOST_STEPS: Final = 200_000


class TooMuch(Exception):
    """More than any pattern of a chart needs: what it matches is not looked for."""


@dataclass
class _Folder:
    folders: dict[str, _Folder] = field(default_factory=dict)
    files: set[str] = field(default_factory=set)


def is_pattern(path: str) -> bool:
    return not _SIGNS.isdisjoint(path)


def fixed_folder(pattern: str) -> str:
    """The folder that everything the pattern can match is in."""
    names = pattern.split("/")
    fixed = next((number for number, name in enumerate(names) if not _SIGNS.isdisjoint(name) or "{" in name), 0)
    return "/".join(names[:fixed]) or "."


def expand(pattern: str, paths: Iterable[str]) -> tuple[list[str], list[str]]:
    """The files that match, in order, and the folders that do. Raises BadPattern and TooMuch."""
    root = _tree(paths)
    files: dict[str, None] = {}
    folders: dict[str, None] = {}
    budget = [_MOST_STEPS]
    for one in _alternatives(pattern):
        for path, is_file in _matching(root, "", one.split("/"), budget):
            (files if is_file else folders)[path] = None
    return list(files), list(folders)


def _tree(paths: Iterable[str]) -> _Folder:
    root = _Folder()
    for path in paths:
        *above, name = path.split("/")
        folder = root
        for one in above:
            folder = folder.folders.setdefault(one, _Folder())
        folder.files.add(name)
    return root


def _matching(folder: _Folder, prefix: str, names: list[str], budget: list[int]) -> Iterator[tuple[str, bool]]:
    budget[0] -= 1
    if budget[0] < 0:
        raise TooMuch
    first, rest = names[0], names[1:]
    if first == "**":
        yield from _through(folder, prefix, rest, budget)
        return
    for name in sorted({*folder.folders, *folder.files}):
        if not matches_folder(_with_caret(first), name):
            continue
        if not rest:
            yield f"{prefix}{name}", name in folder.files
        elif name in folder.folders:
            yield from _matching(folder.folders[name], f"{prefix}{name}/", rest, budget)


def _through(folder: _Folder, prefix: str, rest: list[str], budget: list[int]) -> Iterator[tuple[str, bool]]:
    if not rest:
        yield prefix.rstrip("/") or ".", False
        yield from _everything(folder, prefix)
        return
    yield from _matching(folder, prefix, rest, budget)
    if rest[0] != "**":
        for name in sorted(folder.folders):
            yield from _through(folder.folders[name], f"{prefix}{name}/", rest, budget)


def _everything(folder: _Folder, prefix: str) -> Iterator[tuple[str, bool]]:
    for name in sorted({*folder.folders, *folder.files}):
        if name in folder.files:
            yield f"{prefix}{name}", True
        else:
            yield f"{prefix}{name}", False
            yield from _everything(folder.folders[name], f"{prefix}{name}/")


@lru_cache(maxsize=64)
def _with_caret(name: str) -> str:
    """Both signs negate a class in these patterns; Go's own know one."""
    return name.replace("[!", "[^")


def _alternatives(pattern: str) -> list[str]:
    """Without braces. Raises TooMuch when they make too many."""
    done: list[str] = []
    waiting = [pattern]
    while waiting:
        one = waiting.pop(0)
        close = one.find("}")
        start = one.rfind("{", 0, close)
        if close < 0 or start < 0:
            done.append(one)
        else:
            waiting += [f"{one[:start]}{option}{one[close + 1 :]}" for option in one[start + 1 : close].split(",")]
        if len(waiting) + len(done) > _MOST_ALTERNATIVES:
            raise TooMuch
    return done
