"""The repository itself, named by its own address: what others would fetch lies here already.

Kustomizations do that, most of all those that argocd-autopilot writes: `github.com/owner/this-one/base?ref=main`.
Only the main line counts as what is checked out; a tag, a commit or another branch may hold something else.
"""

from __future__ import annotations

from collections.abc import Iterable
from posixpath import normpath
from typing import Final

from ..dialects.target_revision import follows_main_line
from ..facts.regexes import regex
from ..files.disk import Reader
from .wanted import FILE, GIT, Wanted, remote_entry, repository_wanted

_RAW: Final = (
    regex(r"https?://raw\.githubusercontent\.com/(?P<name>[^/]+/[^/]+)/(?:refs/heads/)?(?P<branch>[^/]+)/(?P<path>.+)"),
    regex(r"https?://(?P<host>[^/]+)/(?P<name>[^/]+/[^/]+)/raw/(?:refs/heads/)?(?P<branch>[^/]+)/(?P<path>.+)"),
    regex(r"https?://(?P<host>[^/]+)/(?P<name>.+)/-/raw/(?P<branch>[^/]+)/(?P<path>.+)"),
)
"""Where forges serve a file of a branch: GitHub in two ways, GitLab."""
_GITHUB: Final = "github.com"


def address_key(url: str) -> str:
    """The same for each spelling of the address of one git repository."""
    wanted = repository_wanted(url, "")
    return wanted.url.lower() if wanted else url


class OwnAddress:
    def __init__(self, urls: Iterable[str] = (), here: Reader | None = None) -> None:
        self._urls = frozenset(map(address_key, urls))
        self._here = here

    def path(self, entry: str) -> str:
        """The folder or file of the repository that an entry of a kustomization means; empty if it is none."""
        if not self._urls or self._here is None:
            return ""
        found = remote_entry(entry)
        if found is None:
            return ""
        if found.wanted.kind == GIT:
            return found.path if self._is_own(found.wanted) and self._here.is_folder(found.path) else ""
        return self.file(found.wanted.url) if found.wanted.kind == FILE else ""

    def file(self, address: str) -> str:
        """The file that an address of a forge means; empty if it is none of the repository."""
        plain = address.partition("#")[0].partition("?")[0]
        for pattern in _RAW:
            raw = pattern.fullmatch(plain)
            if raw is None or self._here is None:
                continue
            host = raw.groupdict().get("host") or _GITHUB
            wanted = repository_wanted(f"https://{host}/{raw['name']}", raw["branch"])
            if wanted is not None and self._is_own(wanted) and self._here.is_file(path := normpath(raw["path"])):
                return path
        return ""

    def _is_own(self, wanted: Wanted) -> bool:
        return wanted.url.lower() in self._urls and follows_main_line(wanted.version) is True
