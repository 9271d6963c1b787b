"""A chart of the repository: what its files say, read when somebody asks."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

from ..yaml.lazy import lazy
from ..yaml.source import Node, SourceFile
from .dependencies import CHART, REQUIREMENTS, Dependency, Vendored, declared, joined, root_of, vendored_in

if TYPE_CHECKING:
    from .template_file import TemplateFile
    from .templates import Templates

_LOCKS: Final = ("Chart.lock", "requirements.lock")


class Files(Protocol):
    """What a chart may read: the files of the repository, whatever they are called."""

    def source(self, path: str) -> SourceFile | None: ...

    def template(self, path: str) -> TemplateFile | None:
        """The same one whoever asks."""
        ...

    def below(self, folder: str) -> Iterable[str]:
        """The paths of all files in a folder and its folders."""
        ...


@dataclass(frozen=True, eq=False)
class Chart:
    folder: str
    """``.`` for the root."""
    root: Node
    """Of Chart.yaml."""
    files: Files

    def path(self, name: str) -> str:
        return joined(self.folder, name)

    @property
    def name(self) -> str:
        return self.root["name"].text

    @property
    def version(self) -> str:
        return self.root["version"].text

    @property
    def api_version(self) -> str:
        return self.root["apiVersion"].text

    @property
    def is_library(self) -> bool:
        return self.root["type"].text == "library"

    @property
    def says_its_home(self) -> bool:
        """Charts that are published say where they come from; one that was written for a repository seldom does."""
        return bool(self.root["home"].text) or any(True for _ in self.root["sources"])

    @property
    def is_subchart(self) -> bool:
        """Whether it lies in the `charts/` of another chart."""
        return posixpath.basename(posixpath.dirname(self.folder)) == "charts" and self.parent_folder is not None

    @lazy
    def parent_folder(self) -> str | None:
        above, name = posixpath.split(posixpath.dirname(self.folder))
        if name != "charts":
            return None
        parent = above or "."
        return parent if self.files.source(joined(parent, CHART)) is not None else None

    @lazy
    def dependencies(self) -> tuple[Dependency, ...]:
        return declared(self.root, root_of(self.files.source(self.path(REQUIREMENTS))))

    @lazy
    def lock(self) -> Node | None:
        for name in _LOCKS if self.api_version == "v1" else _LOCKS[:1]:
            root = root_of(self.files.source(self.path(name)))
            if root is not None:
                return root
        return None

    @lazy
    def _paths(self) -> tuple[str, ...]:
        """All files in its folder."""
        return tuple(sorted(self.files.below(self.folder)))

    @lazy
    def vendored(self) -> tuple[Vendored, ...]:
        return tuple(vendored_in(self.folder, self._paths, lambda path: root_of(self.files.source(path))))

    @lazy
    def not_vendored(self) -> tuple[Dependency, ...]:
        """What Argo CD has to fetch before it can render the chart."""
        named = (one for one in self.dependencies if one.name)
        return tuple(one for one in named if not any(there.goes_by(one.name) for there in self.vendored))

    @lazy
    def values(self) -> Node | None:
        """The root of values.yaml."""
        return root_of(self.files.source(self.path("values.yaml")))

    @property
    def schema(self) -> SourceFile | None:
        return self.files.source(self.path("values.schema.json"))

    @lazy
    def templates(self) -> Templates:
        from .templates import Templates  # all that is known of templates; not every rule asks

        found = (self.files.template(path) for path in self._paths if path.startswith(self.path("templates/")))
        return Templates(tuple(file for file in found if file is not None and not file.refused))


def chart_in(files: Files, folder: str) -> Chart | None:
    """The chart of a folder; None if it has none that can be read."""
    root = root_of(files.source(joined(folder, CHART)))
    return Chart(folder, root, files) if root is not None else None


def is_notes(path: str) -> bool:
    """Printed for people, and left out by Argo CD."""
    return path.endswith("NOTES.txt")
