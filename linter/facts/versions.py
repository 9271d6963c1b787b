"""The Argo CD and Kubernetes versions that statements hold for."""

from __future__ import annotations

import re
from typing import NamedTuple

from .tables import table


class Version(NamedTuple):
    major: int
    minor: int

    @classmethod
    def parse(cls, text: str) -> Version:
        """``3.4``, ``v3.4.1``: patches are never looked at. Raises ValueError on anything else."""
        match = re.fullmatch(r"v?(\d{1,9})\.(\d{1,9})(?:\.\d+)?(?:[-+].*)?", str(text).strip())
        if not match:
            raise ValueError(f"{text!r} is not a version like 3.4")
        return cls(int(match[1]), int(match[2]))

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}"


class Versions(NamedTuple):
    """None where nobody said and nothing in the repository shows it."""

    argocd: Version | None = None
    kubernetes: Version | None = None
    oldest_argocd: Version | None = None
    """Where it is not known which, but that it is no older than this one."""

    @property
    def argocd_words(self) -> str:
        """``3.5``, ``3.4 or later``."""
        return str(self.argocd) if self.argocd is not None else f"{self.oldest_argocd} or later"

    def argocd_before(self, version: str) -> bool:
        """Known to be older."""
        return self.argocd is not None and self.argocd < Version.parse(version)

    def argocd_at_least(self, version: str) -> bool:
        """Known to be as new."""
        known = self.argocd or self.oldest_argocd
        return known is not None and known >= Version.parse(version)

    def lacks(self, change: str) -> bool:
        """Known to be too old for a change of schemas/argocd-versions.json."""
        return self.argocd_before(since(change))

    def has(self, change: str) -> bool:
        """Known to have a change of schemas/argocd-versions.json."""
        return self.argocd_at_least(since(change))


def since(change: str) -> str:
    """The first Argo CD version with a change."""
    return str(table("argocd-versions.json")[change]["since"])
