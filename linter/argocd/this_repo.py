"""Whether a repoURL means the repository that is linted."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Final, NamedTuple

SEVERAL: Final = 2
"""Paths, before they show that an unknown address is this repository's, too: one may be here by chance."""
MANY: Final = 8
"""The same for an address of another name, unless the known one has fewer: repositories of one house look alike."""


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

    @property
    def tells(self) -> bool:
        """Whether that shows an address to be this repository's, where no other one is known to be in use."""
        return self.found > self.missing

    def tells_beside(self, known: int, *, has_its_name: bool) -> bool:
        """The same where one is, with so many paths: it takes more, unless the repositories go by the same name."""
        least = SEVERAL if has_its_name else max(SEVERAL, min(known, MANY))
        return self.found >= least and not self.missing


class ThisRepo(NamedTuple):
    known: frozenset[str]
    """Normalised: git remotes and the config's repo-urls."""
    only: str
    """Normalised: the one repository that all git sources name, if it is one."""
    is_used: bool
    """Some source names a known address, or most do the same; then another one must show that it is this one, too."""
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
        in_use = known & different.keys() or _leader(different)
        is_used, names = bool(in_use), {_name(url) for url in (*known, *in_use)}
        most = max((different[url].found for url in in_use), default=0)
        by_paths = in_use | {
            url
            for url, asked in different.items()
            if (asked.tells_beside(most, has_its_name=_name(url) in names) if is_used else asked.tells)
        }
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

    def gives_sets(self, url: str) -> bool:
        """Whether a generator that reads it reads these files: no path shows that, and a known name may deny it."""
        names = {_name(one) for one in self.known if "." in one.partition("/")[0]}
        path_exists = not self.by_paths and (not names or _name(normal_url(url)) in names)
        return self.belief(url, path_exists) is not Belief.NO

    def lends(self, url: str) -> bool:
        """Whether files that others take from there are to be looked for here."""
        return self.belief(url, path_exists=normal_url(url) not in self.elsewhere) is not Belief.NO


def _leader(used: Mapping[str, Asked]) -> set[str]:
    """The address that stands out among all by what of it is here; none if several do."""
    first, *others = sorted(used.items(), key=lambda one: one[1].found, reverse=True) or [("", Asked())]
    next_best = others[0][1].found if others else 0
    stands_out = first[1].tells and first[1].found >= MANY and first[1].found >= SEVERAL * next_best
    return {first[0]} if stands_out else set()


def _name(url: str) -> str:
    return url.rpartition("/")[2]


def _is_in_cluster(url: str) -> bool:
    """A git server beside Argo CD: it holds a copy, most often of the repository that has the paths."""
    host = re.split(r"[:/]", url, maxsplit=1)[0]
    return host.endswith((".svc", ".svc.cluster.local"))
