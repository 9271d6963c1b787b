"""Whether a repoURL means the repository that is linted."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from enum import Enum
from typing import NamedTuple


class Belief(Enum):
    """How it is known that a URL is this repository."""

    CERTAIN = "certain"
    """A git remote or the config says so."""
    ONLY_ONE = "only one"
    """No other repository is used by any Application."""
    BY_PATH = "by path"
    """Nothing says so, but the path that the Application names exists here."""
    NO = "no"


def normal_url(url: str) -> str:
    """Two spellings of one repository come to the same, ssh and https as well.

    Argo CD itself keeps those two apart where a project permits sources: that is `git_urls`.
    """
    text = url.strip().lower().removesuffix("/").removesuffix(".git")
    match = re.fullmatch(r"(?:ssh://)?(?:[^@/]+@)?(?P<host>[^:/]+)(?::(?:\d+/)?|/)(?P<path>.+)", text)
    if match and not re.match(r"https?://|oci://|file://", text):
        return f"{match['host']}/{match['path']}"
    return re.sub(r"^[a-z]+://(?:[^@/]+@)?", "", text)


class ThisRepo(NamedTuple):
    known: frozenset[str]
    """Normalised: git remotes and the config's repo-urls."""
    only: str
    """Normalised: the one repository that all git sources name, if it is one."""
    is_used: bool
    """Some source names a known address; then every other address is another repository."""

    @classmethod
    def decide(cls, remotes: Iterable[str], configured: Iterable[str], used: Collection[str]) -> ThisRepo:
        known = frozenset(normal_url(url) for url in (*remotes, *configured))
        different = {normal_url(url) for url in used if url}
        return cls(known, min(different) if len(different) == 1 else "", bool(known & different))

    def belief(self, url: str, path_exists: bool) -> Belief:
        text = normal_url(url)
        if text in self.known:
            return Belief.CERTAIN
        if text and text == self.only:
            return Belief.ONLY_ONE
        if path_exists and ((not self.only and not self.is_used) or _is_in_cluster(text)):
            return Belief.BY_PATH
        return Belief.NO


def _is_in_cluster(url: str) -> bool:
    """A git server beside Argo CD: it holds a copy, most often of the repository that has the paths."""
    host = re.split(r"[:/]", url, maxsplit=1)[0]
    return host.endswith((".svc", ".svc.cluster.local"))
