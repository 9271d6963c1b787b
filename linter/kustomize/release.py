"""The releases of Kustomize that builds follow, and which Argo CD ships which."""

from __future__ import annotations

from enum import Enum
from typing import Final

from ..facts.versions import Versions

_NEWER_SHIPPED: Final = "kustomize-5.8"


class Release(Enum):
    """Older ones than the first build what people write today just like it."""

    V5_7 = "v5.7.1"
    V5_8 = "v5.8.1"
    """Gives a kustomization's namespace to Helm, and changes no namespace that Helm has set; replacements select by
    regular expressions and reach into YAML and JSON in a text; an empty file is a patch that does nothing."""

    @property
    def is_newer(self) -> bool:
        return self is Release.V5_8


def shipped_with(versions: Versions) -> Release:
    """Where nobody knows the version of Argo CD it is the newest, as for everything."""
    return Release.V5_7 if versions.lacks(_NEWER_SHIPPED) else Release.V5_8
