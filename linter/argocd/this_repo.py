"""Whether a repoURL means the repository that is linted."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Final, NamedTuple

SEVERAL: Final = 2
"""Paths, before they show that an unknown address is this repository's, too: one may be here by chance."""


class Belief(Enum):
    """How it is known that a URL is this repository."""

    CERTAIN = "certain"
    """A git remote or the config says so."""
    ONLY_ONE = "only one"
    """No other repository is used by any Application."""
    BY_PATH = "by path"
    """Nothing says so, but the paths that Applications name exist here."""
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


class Asked(NamedTuple):
    """How many of the paths that Applications look for under one address are here, and how many are not."""

    found: int = 0
    missing: int = 0

    def tells(self, *, beside_a_known_one: bool) -> bool:
        """Whether that shows an address to be this repository's: where a known one is in use, it takes more."""
        if beside_a_known_one:
            return self.found >= SEVERAL and not self.missing
        return self.found > self.missing


class ThisRepo(NamedTuple):
    known: frozenset[str]
    """Normalised: git remotes and the config's repo-urls."""
    only: str
    """Normalised: the one repository that all git sources name, if it is one."""
    is_used: bool
    """Some source names a known address; then another one must show that it is this repository, too."""
    by_paths: frozenset[str] = frozenset()
    """Normalised: addresses of which most paths are here."""
    elsewhere: frozenset[str] = frozenset()
    """Normalised: addresses of which most paths are not here."""

    @classmethod
    def decide(cls, remotes: Iterable[str], configured: Iterable[str], used: Mapping[str, Asked]) -> ThisRepo:
        """`used` are the addresses that Applications name."""
        known = frozenset(normal_url(url) for url in (*remotes, *configured))
        different: dict[str, Asked] = {}
        for url, asked in used.items():
            if url:
                before = different.get(normal_url(url), Asked())
                different[normal_url(url)] = Asked(before.found + asked.found, before.missing + asked.missing)
        is_used = not known.isdisjoint(different)
        by_paths = {url for url, asked in different.items() if asked.tells(beside_a_known_one=is_used)}
        elsewhere = {url for url, (found, missing) in different.items() if missing and missing >= found}
        only = next(iter(different)) if len(different) == 1 else ""
        return cls(known, only, is_used, frozenset(by_paths), frozenset(elsewhere))

    def belief(self, url: str, path_exists: bool) -> Belief:
        text = normal_url(url)
        if text in self.known:
            return Belief.CERTAIN
        if text and text == self.only:
            return Belief.ONLY_ONE
        if text in self.by_paths:
            return Belief.BY_PATH
        by_path = not text or (not self.only and not self.is_used) or _is_in_cluster(text)
        return Belief.BY_PATH if path_exists and by_path else Belief.NO

    def lends(self, url: str) -> bool:
        """Whether files that others take from there are to be looked for here."""
        return self.belief(url, path_exists=normal_url(url) not in self.elsewhere) is not Belief.NO


def _is_in_cluster(url: str) -> bool:
    """A git server beside Argo CD: it holds a copy, most often of the repository that has the paths."""
    host = re.split(r"[:/]", url, maxsplit=1)[0]
    return host.endswith((".svc", ".svc.cluster.local"))
