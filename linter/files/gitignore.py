"""Which paths git ignores: the patterns of `.gitignore` files, matched without asking git.

A pull request may bring a git configuration that runs commands, and plain
folders have no git at all. What a pattern means is `globs`'; here is which one
counts: the last that matches, of those without wildcards by looking it up.
"""

from __future__ import annotations

from typing import Final

from ..facts.regexes import regex
from .path_globs import Globs

_WILDCARD: Final = regex(r"[*?\[\\]")


class Ignores:
    """The patterns of one folder's file, for paths relative to that folder.

    Most ask for a name, wherever it is: what they say of a name is kept, since
    a repository has the same few names in many folders.
    """

    def __init__(self, text: str) -> None:
        lines = [line.removesuffix("\r").rstrip(" ") if not line.endswith("\\ ") else line for line in text.split("\n")]
        self._patterns = [line for line in lines if line and not line.startswith("#")]
        self._plain: dict[str, int] = {}
        by_name: list[int] = []
        by_path: list[int] = []
        for index, line in enumerate(self._patterns):
            pattern = line.removeprefix("!")
            is_anchored = "/" in pattern.rstrip("/")
            if not _WILDCARD.search(pattern):
                self._plain[f"/{pattern.removeprefix('/')}" if is_anchored else pattern] = index
            else:
                (by_path if is_anchored else by_name).append(index)
        self._by_name, self._by_path = self._globs(by_name), self._globs(by_path)
        self._named: dict[str, int] = {}

    def _globs(self, indexes: list[int]) -> tuple[list[int], Globs] | None:
        patterns = [self._patterns[index].removeprefix("!") for index in indexes]
        return (indexes, Globs(patterns)) if patterns else None

    def verdict(self, path: str, is_folder: bool) -> bool | None:
        """True: ignored, False: kept by a negation, None: not mentioned. The last match counts."""
        _, _, name = path.rpartition("/")
        spelled = f"{name}/" if is_folder else name
        if spelled not in self._named:
            self._named[spelled] = max(self._looked_up(name, is_folder), _last(self._by_name, spelled))
        last = max(self._named[spelled], self._looked_up(f"/{path}", is_folder))
        if self._by_path:
            last = max(last, _last(self._by_path, f"{path}/" if is_folder else path))
        return None if last < 0 else not self._patterns[last].startswith("!")

    def _looked_up(self, text: str, is_folder: bool) -> int:
        found = self._plain.get(text, -1)
        return max(found, self._plain.get(f"{text}/", -1)) if is_folder else found


def _last(patterns: tuple[list[int], Globs] | None, path: str) -> int:
    if patterns is None:
        return -1
    indexes, globs = patterns
    found = globs.last(path)
    return -1 if found is None else indexes[found]
