"""Entries of valueFiles and fileParameters: which file of which repository they mean.

A path counts from the folder of the chart, with a leading slash from the root of
the repository, with ``$ref/`` from the root of the source of that ref. Variables of
the build environment are put in first; one that is not set becomes nothing. A text
with a scheme is an address. From Argo CD 3.5 on ``*``, ``?`` and ``[`` make a pattern.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from enum import Enum
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ..globs import match_names
from .spelling import is_placeholder

if TYPE_CHECKING:
    from .applications import Application, Source

_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_VARIABLE: Final = re.compile(r"\$(?:\{(\w+)\}|(\w+)|(\$))")
_BRACES: Final = re.compile(r"\{([^{},]*(?:,[^{},]*)+)\}")
_MOST_CHOICES: Final = 64
WILD: Final = frozenset("*?[")


class Kind(Enum):
    """What an entry comes to."""

    FILE = "a file"
    PATTERN = "a pattern"
    ADDRESS = "an address, which is not looked at"
    OUTSIDE = "a path that leads out of the repository"
    UNKNOWN = "a text that something else fills in"
    NO_REF = "a reference to a source that does not exist"


class ValueFile(NamedTuple):
    text: str
    """As the Application has it."""
    pointer: str
    """In the Application."""
    kind: Kind
    path: str = ""
    """From the root of the repository."""
    ref: str = ""
    """The source whose repository it is in; empty for the one that has the entry."""
    is_parameter: bool = False
    """True for an entry of fileParameters: ignoreMissingValueFiles is not for these."""


def value_files(
    source: Source, folder: str, refs: Collection[str], environment: Mapping[str, str | None]
) -> Iterator[ValueFile]:
    """All entries of a source whose chart is in this folder of its repository, in order."""
    helm = source.tool("helm")
    for index, text in enumerate(_list(helm.get("valueFiles"))):
        if isinstance(text, str):
            yield resolve(text, f"{source.pointer}/helm/valueFiles/{index}", folder, refs, environment)
    for index, one in enumerate(_list(helm.get("fileParameters"))):
        text = one.get("path") if isinstance(one, Mapping) else None
        if isinstance(text, str):
            pointer = f"{source.pointer}/helm/fileParameters/{index}/path"
            yield resolve(text, pointer, folder, refs, environment)._replace(is_parameter=True)


def resolve(
    text: str, pointer: str, folder: str, refs: Collection[str], environment: Mapping[str, str | None]
) -> ValueFile:
    ref, rest = "", text
    first, slash, below = text.partition("/")
    if first.startswith("$") and first[1:] in refs:
        ref, rest = first[1:], f"/{below}"
    elif re.fullmatch(r"\$[\w-]+", first) and slash and first[1:] not in environment:
        return ValueFile(text, pointer, Kind.NO_REF)
    path = _substituted(rest, environment)
    if path is None or is_placeholder(path):
        return ValueFile(text, pointer, Kind.UNKNOWN)
    if _SCHEME.match(path):
        return ValueFile(text, pointer, Kind.ADDRESS)
    joined = path.lstrip("/") if path.startswith("/") or ref else posixpath.join(folder, path)
    inside = posixpath.normpath(joined) if joined else "."
    if inside == ".." or inside.startswith("../") or inside == ".":
        return ValueFile(text, pointer, Kind.OUTSIDE, inside, ref)
    kind = Kind.PATTERN if WILD.intersection(path) else Kind.FILE
    return ValueFile(text, pointer, kind, inside, ref)


def environment_of(application: Application, source: Source) -> dict[str, str | None]:
    """The build environment; None for what only Argo CD knows."""
    return {
        "ARGOCD_APP_NAME": application.name,
        "ARGOCD_APP_NAMESPACE": application.destination.namespace,
        "ARGOCD_APP_PROJECT_NAME": application.project,
        "ARGOCD_APP_SOURCE_PATH": source.path,
        "ARGOCD_APP_SOURCE_REPO_URL": source.repo_url,
        "ARGOCD_APP_SOURCE_TARGET_REVISION": source.target_revision,
        "ARGOCD_APP_REVISION": None,
        "ARGOCD_APP_REVISION_SHORT": None,
        "ARGOCD_APP_REVISION_SHORT_8": None,
        "KUBE_VERSION": None,
        "KUBE_API_VERSIONS": None,
    }


def matching(pattern: str, paths: Iterable[str]) -> list[str]:
    """The files that a pattern means, in their order of names."""
    choices = [tuple(one.split("/")) for one in _choices(pattern)]
    return sorted(path for path in paths if any(match_names(parts, tuple(path.split("/"))) for parts in choices))


def _choices(pattern: str) -> list[str]:
    """Without braces: one pattern for each of the words in them."""
    waiting = [pattern]
    done: list[str] = []
    while waiting and len(waiting) + len(done) <= _MOST_CHOICES:
        one = waiting.pop()
        braces = _BRACES.search(one)
        if braces is None:
            done.append(one)
        else:
            waiting += [one[: braces.start()] + word + one[braces.end() :] for word in braces[1].split(",")]
    return done


def _substituted(text: str, environment: Mapping[str, str | None]) -> str | None:
    """With the variables put in; None if the value of one of them is not known."""
    unknown = False

    def put_in(match: re.Match[str]) -> str:
        nonlocal unknown
        if match[3]:
            return "$"
        value = environment.get(match[1] or match[2], "")
        unknown = unknown or value is None
        return value or ""

    found = _VARIABLE.sub(put_in, text)
    return None if unknown else found


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
