"""What an ApplicationSet that is not wholly expanded may read: its path, with blanks for what only a cluster knows."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from ..argocd.applications import Application, template_application
from ..argocd.this_repo import Belief, ThisRepo
from ..dialects.spelling import is_placeholder
from ..facts.regexes import regex

if TYPE_CHECKING:
    from .ownership import ApplicationSet, Owned

_BLANK: Final = regex(r"\{\{.*?\}\}|\$\{[^}]*\}|<[A-Za-z_][^>]*>|\$[A-Za-z_]\w*")
_VALUE: Final = regex(r"\{\{-?\s*\.?(?:values\.)?([\w-]+)\s*-?\}\}")
_GIT_PATH: Final = regex(r"\{\{-?\s*\.?(?:\w+\.)?path(?:\.path)?\s*-?\}\}")
"""The parameter of git generators that is a whole folder; with a prefix of its own where several are combined."""
_ANYTHING: Final = ".*"
_ONE_NAME: Final = "[^/]*"
_GLOB: Final = {"*": _ONE_NAME, "?": "[^/]", "**": _ANYTHING}
_MOST_BLANKS: Final = 4
"""With more, whatever follows is taken to fit: a pattern of many blanks takes long to try."""


@dataclass(frozen=True, eq=False)
class OpenPath:
    application: Application
    """The template."""
    pattern: str

    @property
    def is_anything(self) -> bool:
        """Whether the path tells nothing: then it may well be of other folders than those it fits."""
        return self.pattern == _ANYTHING

    def covers(self, folder: str) -> bool:
        """Whether the folder, or one that it is in, may be the path."""
        return _compiled(self.pattern).fullmatch(folder) is not None


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """For a folder that fits, and for all below it."""
    return re.compile(rf"(?:{pattern})(?:/[\s\S]*)?")


def open_paths(sets: Iterable[ApplicationSet], owned: Iterable[Owned], this_repo: ThisRepo) -> Iterator[OpenPath]:
    """Of sets whose Applications are not all known, and of Applications with a blank in their path."""
    for one in sets:
        if one.expansion.unresolved or one.expansion.has_more or one.resource.patched:
            template = template_application(one.resource) or Application(
                one.resource["spec"]["template"].value or {}, one.resource, lambda pointer: f"/spec/template{pointer}"
            )
            yield from _of(template, one.resource["spec"]["generators"].value, this_repo)
    for app in owned:
        if any(is_placeholder(source.path) or is_placeholder(source.repo_url) for source in app.application.sources):
            yield from _of(app.application, None, this_repo)


def _of(application: Application, generators: Any, this_repo: ThisRepo) -> Iterator[OpenPath]:
    known: dict[str, set[str]] = {}
    _collect(generators, known)
    folders = "|".join(sorted(set(_git_folders(generators))))
    for source in application.sources:
        url = source.repo_url
        is_here = is_placeholder(url) or this_repo.belief(url, path_exists=True) is not Belief.NO
        if source.path and not source.chart and is_here:
            yield OpenPath(application, _pattern(source.path.strip("/"), known, folders))


def _collect(value: Any, known: dict[str, set[str]]) -> None:
    """Every text that a generator itself gives, by the last part of its name."""
    if isinstance(value, dict):
        for key, member in value.items():
            if isinstance(member, str):
                known.setdefault(key, set()).add(member)
            else:
                _collect(member, known)
    elif isinstance(value, list):
        for item in value:
            _collect(item, known)


def _git_folders(value: Any) -> Iterator[str]:
    """Patterns of the folders that git generators find; what they leave out is not looked at."""
    if isinstance(value, list):
        for item in value:
            yield from _git_folders(item)
    elif isinstance(value, dict):
        git = value.get("git")
        if isinstance(git, dict):
            for key, is_file in (("directories", False), ("files", True)):
                entries = git.get(key)
                for entry in entries if isinstance(entries, list) else ():
                    path = entry.get("path") if isinstance(entry, dict) else None
                    if isinstance(path, str) and not entry.get("exclude"):
                        yield _folder_pattern(posixpath.dirname(path) if is_file else path)
        for member in value.values():
            yield from _git_folders(member)


def _folder_pattern(path: str) -> str:
    """Wider than Argo CD's own reading of a glob, where the two differ."""
    parts = re.split(r"(\*\*|\*|\?|[\[{].*)", path.strip("/"))[: 2 * _MOST_BLANKS]
    return "".join(_GLOB.get(part, _ANYTHING) if at % 2 else re.escape(part) for at, part in enumerate(parts))


def _pattern(path: str, known: dict[str, set[str]], folders: str) -> str:
    parts: list[str] = []
    end = 0
    for number, blank in enumerate(_BLANK.finditer(path)):
        if number == _MOST_BLANKS:
            return "".join((*parts, _ANYTHING))
        parts += (re.escape(path[end : blank.start()]), _filled(blank[0], known, folders))
        end = blank.end()
    return "".join((*parts, re.escape(path[end:])))


def _filled(blank: str, known: dict[str, set[str]], folders: str) -> str:
    """What the generator says itself; a plain name may be another one in each cluster."""
    if folders and _GIT_PATH.fullmatch(blank):
        return f"(?:{folders})"
    name = _VALUE.fullmatch(blank)
    texts = known.get(name[1], set()) if name else set()
    if not texts or any(is_placeholder(text) for text in texts):
        return _ANYTHING
    if any("/" in text for text in texts):
        return f"(?:{'|'.join(re.escape(text.strip('/')) for text in sorted(texts))})"
    return _ONE_NAME
