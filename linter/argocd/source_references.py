"""``$name/file``: how one source of an Application takes value files from another one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ..facts.regexes import regex

if TYPE_CHECKING:
    from .applications import Source

REF_NAME: Final = regex(r"[A-Za-z0-9_-]+")
_REFERENCE: Final = regex(r"\$(?P<name>[A-Za-z0-9_-]+)(?:/(?P<path>.*))?", re.DOTALL)
_BUILD_ENVIRONMENT: Final = ("ARGOCD_", "KUBE_")


class Reference(NamedTuple):
    name: str
    path: str
    """From the root of the repository that the named source is in."""
    text: str
    pointer: str
    """In the Application."""


def references_of(source: Source) -> Iterator[Reference]:
    """Those in valueFiles and fileParameters; variables of the build environment are none."""
    helm = source.tool("helm")
    for index, text in enumerate(_list(helm.get("valueFiles"))):
        yield from _reference(text, f"{source.pointer}/helm/valueFiles/{index}")
    for index, parameter in enumerate(_list(helm.get("fileParameters"))):
        text = parameter.get("path") if isinstance(parameter, dict) else None
        yield from _reference(text, f"{source.pointer}/helm/fileParameters/{index}/path")


def named_sources(sources: Sequence[Source]) -> dict[str, Source]:
    """By their ref. A source that stands alone lends nothing to anybody."""
    return {source.ref: source for source in sources if source.ref} if len(sources) > 1 else {}


def _reference(text: Any, pointer: str) -> Iterator[Reference]:
    match = _REFERENCE.fullmatch(text) if isinstance(text, str) else None
    if match is not None and not match["name"].startswith(_BUILD_ENVIRONMENT):
        yield Reference(match["name"], match["path"] or "", match[0], pointer)


def _list(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list) else ()
