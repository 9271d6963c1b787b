"""A chart of the repository: what its files say, read when somebody asks."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple, Protocol

from ..lazy import lazy
from ..source import Node, SourceFile
from .expressions import Call, Path
from .statements import Statement, includes, statements_of
from .template_file import TemplateFile

_ARCHIVE: Final = re.compile(r"(?P<name>.+?)-(?P<version>v?\d+\.\d+.*)\.tgz")
_DECLARED: Final = ("Chart.yaml", "requirements.yaml")
_LOCKS: Final = ("Chart.lock", "requirements.lock")
FILE: Final = "Chart.yaml"


class Files(Protocol):
    """What a chart may read: the files of the repository, whatever they are called."""

    def source(self, path: str) -> SourceFile | None: ...

    def template(self, path: str) -> TemplateFile | None:
        """The same one whoever asks."""
        ...

    def below(self, folder: str) -> Iterable[str]:
        """The paths of all files in a folder and its folders."""
        ...


class Dependency(NamedTuple):
    """A chart that another one declares; every field is a place in Chart.yaml or requirements.yaml."""

    node: Node

    @property
    def name(self) -> str:
        return self.node["name"].text

    @property
    def version(self) -> str:
        return self.node["version"].text

    @property
    def repository(self) -> str:
        return self.node["repository"].text

    @property
    def key(self) -> str:
        """Where its values are in those of the parent."""
        return self.node["alias"].text or self.name

    @property
    def conditions(self) -> tuple[str, ...]:
        return tuple(one.strip() for one in self.node["condition"].text.split(",") if one.strip())

    @property
    def tags(self) -> tuple[str, ...]:
        return tuple(one.text for one in self.node["tags"])

    @property
    def local_path(self) -> str | None:
        """The folder of a ``file://`` dependency, as it is written."""
        return self.repository.removeprefix("file://") if self.repository.startswith("file://") else None


class Vendored(NamedTuple):
    """A chart within `charts/`."""

    name: str
    version: str
    path: str


class Templates:
    """The templates of a chart and what is known of all of them together."""

    def __init__(self, files: tuple[TemplateFile, ...]) -> None:
        self.files = files

    @lazy
    def statements(self) -> tuple[Statement, ...]:
        return tuple(statement for file in self.files for statement in statements_of(file))

    @lazy
    def users(self) -> Mapping[str, list[Statement]]:
        """By the name of a named template: the statements that use it."""
        found: dict[str, list[Statement]] = {}
        for statement in self.statements:
            for name in includes(statement):
                if name is not None:
                    found.setdefault(name, []).append(statement)
        return found

    @lazy
    def has_made_up_names(self) -> bool:
        """Whether some named template is used by a name that only a render knows."""
        return any(name is None for statement in self.statements for name in includes(statement))

    @lazy
    def uses_unknown(self) -> bool:
        """Whether a named template is used that is made nowhere here, so that a file is missing."""
        made = {statement.define for statement in self.statements if statement.define}
        return any(name not in made for name in self.users)

    @lazy
    def calls(self) -> Mapping[str, list[tuple[Statement, Call]]]:
        """By the name of a function: where it is called."""
        found: dict[str, list[tuple[Statement, Call]]] = {}
        for statement in self.statements:
            for call in statement.calls:
                found.setdefault(call.name, []).append((statement, call))
        return found

    @lazy
    def together(self) -> Mapping[tuple[int, str], list[Statement]]:
        """By file and named template: the statements that see each other's variables."""
        found: dict[tuple[int, str], list[Statement]] = {}
        for statement in self.statements:
            found.setdefault((id(statement.file), statement.define), []).append(statement)
        return found

    @lazy
    def variable_uses(self) -> Mapping[tuple[int, str, str], list[tuple[Statement, Path]]]:
        """By file, named template and variable: where it is read."""
        found: dict[tuple[int, str, str], list[tuple[Statement, Path]]] = {}
        for statement in self.statements:
            for path in statement.paths:
                if path.base not in ("", "$"):
                    found.setdefault((id(statement.file), statement.define, path.base), []).append((statement, path))
        return found

    @lazy
    def by_variable(self) -> Mapping[tuple[int, str, str], list[Statement]]:
        """By file, named template and variable: what assigns to it."""
        found: dict[tuple[int, str, str], list[Statement]] = {}
        for statement in self.statements:
            if statement.variable:
                found.setdefault((id(statement.file), statement.define, statement.variable), []).append(statement)
        return found


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
    def is_subchart(self) -> bool:
        """Whether it lies in the `charts/` of another chart."""
        return posixpath.basename(posixpath.dirname(self.folder)) == "charts" and self.parent_folder is not None

    @lazy
    def parent_folder(self) -> str | None:
        above, name = posixpath.split(posixpath.dirname(self.folder))
        if name != "charts":
            return None
        parent = above or "."
        return parent if self.files.source(joined(parent, FILE)) is not None else None

    @lazy
    def dependencies(self) -> tuple[Dependency, ...]:
        """Those of Chart.yaml; of a chart of Helm 2, those of requirements.yaml."""
        listed = self.root["dependencies"]
        if not listed.is_sequence and self.api_version == "v1":
            other = root_of(self.files.source(self.path(_DECLARED[1])))
            listed = other["dependencies"] if other is not None else listed
        return tuple(Dependency(node) for node in listed if node.is_mapping)

    @lazy
    def lock(self) -> Node | None:
        for name in _LOCKS if self.api_version == "v1" else _LOCKS[:1]:
            root = root_of(self.files.source(self.path(name)))
            if root is not None:
                return root
        return None

    @lazy
    def _inside(self) -> tuple[str, ...]:
        """Paths from the chart's own folder."""
        prefix = self.path("")
        return tuple(sorted(path[len(prefix) :] for path in self.files.below(self.folder)))

    @lazy
    def vendored(self) -> tuple[Vendored, ...]:
        found = []
        for path in self._inside:
            parts = path.split("/")
            if parts[0] != "charts":
                continue
            if len(parts) == 3 and parts[2] == FILE:
                root = root_of(self.files.source(self.path(path)))
                name = root["name"].text if root is not None else ""
                version = root["version"].text if root is not None else ""
                found.append(Vendored(name or parts[1], version, self.path(f"charts/{parts[1]}")))
            elif len(parts) == 2 and (archive := _ARCHIVE.fullmatch(parts[1])):
                found.append(Vendored(archive["name"], archive["version"], self.path(path)))
        return tuple(found)

    @lazy
    def not_vendored(self) -> tuple[Dependency, ...]:
        """What Argo CD has to fetch before it can render the chart."""
        there = {one.name for one in self.vendored}
        return tuple(one for one in self.dependencies if one.name and one.name not in there)

    @lazy
    def values(self) -> Node | None:
        """The root of values.yaml."""
        return root_of(self.files.source(self.path("values.yaml")))

    @property
    def schema(self) -> SourceFile | None:
        return self.files.source(self.path("values.schema.json"))

    @lazy
    def templates(self) -> Templates:
        return Templates(tuple(self._templates()))

    def _templates(self) -> Iterator[TemplateFile]:
        for path in self._inside:
            if path.startswith("templates/"):
                file = self.files.template(self.path(path))
                if file is not None and not file.refused:
                    yield file


def joined(folder: str, name: str) -> str:
    """The path of something in a folder, which may be the root."""
    return name if folder == "." else f"{folder}/{name}"


def root_of(file: SourceFile | None) -> Node | None:
    """The one mapping that a file of a chart holds."""
    if file is None or not file.documents:
        return None
    root = file.documents[0].root
    return root if root.is_mapping else None


def is_notes(path: str) -> bool:
    """Printed for people, and left out by Argo CD."""
    return path.endswith("NOTES.txt")
