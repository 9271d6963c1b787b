"""For which kinds the repository gives Argo CD a health check of its own.

The setting has many homes: the ConfigMap argocd-cm, a patch of it, the values
of Argo CD's chart, the ArgoCD object of its operator. So the texts are searched
for it, wherever it stands; what is commented out does not count.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from ..source import SourceFile

_KEY: Final = re.compile(r"^[^#\n]*\bresource\.customizations\.health\.([\w.*-]+)", re.MULTILINE)
_COMBINED: Final = "health.lua"
_KIND_IN_COMBINED: Final = re.compile(r"^[^#\n\w]*([\w.*-]+/[\w*]+|[A-Z]\w+)[\"']?:", re.MULTILINE)
_OF_THE_OPERATOR: Final = "resourceHealthChecks"


def find_health_overrides(files: Iterable[SourceFile]) -> frozenset[str]:
    """``group/Kind``, either of which may hold stars; core kinds begin with the slash."""
    return frozenset(kind for file in files for kind in _in_file(file))


def is_overridden(group: str, kind: str, overrides: Iterable[str]) -> bool:
    return any(fnmatchcase(f"{group}/{kind}", pattern) for pattern in overrides)


def _in_file(file: SourceFile) -> Iterator[str]:
    text = file.text
    if "resource.customizations.health." in text:
        for key in _KEY.findall(text):
            group, _, kind = key.rpartition("_")
            yield f"{group}/{kind}"
    if _COMBINED in text:
        for key in _KIND_IN_COMBINED.findall(text):
            yield key if "/" in key else f"/{key}"
    if _OF_THE_OPERATOR in text:
        for document in file.documents:
            for check in document.root["spec"][_OF_THE_OPERATOR]:
                yield f"{check['group'].text}/{check['kind'].text}"
