"""Which paths there are, and which addresses lead here."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from ..argocd.this_repo import normal_url
from ..helm.chart import Files
from ..yaml.lazy import lazy
from ..yaml.source import SourceFile
from .app import App


@dataclass(frozen=True, eq=False)
class KnownPaths:
    applications: tuple[App, ...] = ()
    files: tuple[SourceFile, ...] = ()
    folders: frozenset[str] = frozenset()
    """Every folder, ``.`` for the root."""
    empty_folders: frozenset[str] = frozenset()
    """Perhaps submodules that are not checked out: git itself keeps no empty folder."""
    known_urls: frozenset[str] = frozenset()
    """Addresses of this repository, normalised: what git and the config say."""
    reachable: Files | None = field(default=None, repr=False)
    """Opens any file of the repository, also such that a run does not look at by itself."""

    is_ignored: Callable[[str], bool] = field(default=lambda path: False, repr=False)
    """Whether `.gitignore` keeps a file of that name out of git."""

    def has_file(self, path: str) -> bool:
        return self.reachable is not None and self.reachable.source(path) is not None

    def folders_in(self, folder: str) -> Sequence[str]:
        """The names of the folders in a folder, which is empty for the root."""
        return self._folders[0].get(folder, ())

    def folders_called(self, name: str) -> Sequence[str]:
        return self._folders[1].get(name, ())

    @lazy
    def _folders(self) -> tuple[Mapping[str, list[str]], Mapping[str, list[str]]]:
        """Names by folder, and folders by name. Every path that is not there asks, and there may be thousands."""
        by_folder: dict[str, list[str]] = {}
        by_name: dict[str, list[str]] = {}
        for path in sorted(self.folders):
            above, _, name = path.rpartition("/")
            by_folder.setdefault(above, []).append(name)
            by_name.setdefault(name, []).append(path)
        return by_folder, by_name

    def may_be_in_submodule(self, path: str) -> bool:
        """Whether the last folder on the way to what is missing is there and empty."""
        while path and path not in self.folders:
            path = posixpath.dirname(path)
        return path in self.empty_folders

    def is_here(self, url: str) -> bool:
        """Whether an address is surely this repository's: git or the config says so, or a path of it is found here."""
        return normal_url(url) in self._own_urls

    def path_here(self, address: str) -> str | None:
        """The path that an address leads to, if it leads into this repository: of a base, or of a file of GitHub's."""
        text = normal_url(address.partition("?")[0]).replace("raw.githubusercontent.com/", "github.com/", 1)
        for url in self._own_urls:
            if text == url or text.startswith((f"{url}/", f"{url}.git/")):
                length = len(text) - len(text.removeprefix(url).removeprefix(".git").lstrip("/"))
                return address.partition("?")[0].rstrip("/")[length - len(text) :] if length < len(text) else "."
        return None

    @lazy
    def _own_urls(self) -> frozenset[str]:
        seen = (one for app in self.applications for one in app.rendered if one.path not in ("", ".") and one.tool)
        return self.known_urls | {normal_url(one.source.repo_url) for one in seen}

    def nearest_path(self, path: str) -> str | None:
        """What may be meant by a path that is not there: something of a like name beside it, or the only namesake."""
        from difflib import get_close_matches  # only for what is wrong

        by_folder, by_name = self._paths
        above, name = posixpath.split(path)
        close = get_close_matches(name, by_folder.get(above, ()), n=1, cutoff=0.75)
        if close:
            return posixpath.join(above, close[0])
        namesakes = by_name.get(name, ())
        return namesakes[0] if len(namesakes) == 1 else None

    @lazy
    def _paths(self) -> tuple[Mapping[str, list[str]], Mapping[str, list[str]]]:
        """Names by folder, and paths by name, of all files and folders."""
        by_folder: dict[str, list[str]] = {}
        by_name: dict[str, list[str]] = {}
        for path in sorted({*self.folders, *(file.path for file in self.files)} - {"."}):
            above, name = posixpath.split(path)
            by_folder.setdefault(above, []).append(name)
            by_name.setdefault(name, []).append(path)
        return by_folder, by_name
