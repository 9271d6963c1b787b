"""What a repository takes from elsewhere, as those who build it ask for it: here nothing was brought."""

from __future__ import annotations

from typing import Final

from ..yaml.source import Place

BRINGS_IT: Final = "`gitops-lint fetch` brings it"
"""In every reason that a fetch would remove: reports count by it."""


LACKING: Final = "the lock names it, and the store lacks it"
SHELF: Final = ".git/fetched/"
"""What the path of everything that was brought begins with.

Git keeps its own things there, so no file of a repository has such a path, and none can be taken for a fetched one.
"""


def is_fetched(path: str) -> bool:
    return path.startswith(SHELF)


def fetched_root(path: str) -> str:
    """The folder of the thing that a path is part of; empty for one of the repository itself."""
    return SHELF + path[len(SHELF) :].partition("/")[0] if is_fetched(path) else ""


def shown(path: str) -> str:
    """As people read it: the thing that was brought, and the file in it."""
    return path.removeprefix(SHELF)


class Elsewhere:
    """Each question gives a folder or a file, by its path as a reader of the repository takes it, or None.

    `at` is the line that names it: what is wrong with it is told there.
    """

    def __init__(self) -> None:
        self.brought_by: dict[str, Place] = {}
        """The first line that names it, by the folder of what was brought."""

    def chart(self, at: Place, repository: str, name: str, version: str) -> str | None:
        """The folder of a chart."""
        return None

    def repository(self, at: Place, url: str, revision: str) -> str | None:
        """The root of a git repository."""
        return None

    def artifact(self, at: Place, url: str, version: str) -> str | None:
        """The folder of a chart that an address of a registry names by itself."""
        return None

    def here(self, entry: str) -> str:
        """The folder or file of the repository itself that an entry of a kustomization names by its address."""
        return ""

    def base(self, at: Place, entry: str) -> str | None:
        """The folder that an entry of a kustomization means."""
        return None

    def file(self, at: Place, entry: str) -> str | None:
        """The file that an entry of a kustomization means."""
        return None

    def is_mapped(self, url: str) -> bool:
        """Whether somebody said where a repository is checked out: then it is not this one."""
        return False

    def why_not(self, words: str) -> str:
        """Why something is not here, after what it is."""
        return f"{words}: {BRINGS_IT}"


NOTHING: Final = Elsewhere()
