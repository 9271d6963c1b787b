"""The files of the repository as sources see them: by path, by folder, with their objects."""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from ..facts.file_names import KUSTOMIZATIONS
from ..facts.regexes import regex
from ..files.elsewhere import NOTHING, Elsewhere
from ..kubernetes.resource import Resource
from ..kustomize import API_GROUP
from ..kustomize.outline import Outline, find_outlines
from ..kustomize.release import Release
from ..kustomize.sealed_secrets import is_decrypting
from ..yaml.lazy import lazy
from ..yaml.source import Document, Node, SourceFile
from .sources.reachable_files import RepositoryFiles

if TYPE_CHECKING:
    from ..files.disk import Reader
    from ..helm.template_file import TemplateFile
    from ..kustomize.builder import Builder
    from ..kustomize.inflation import Inflate

_COMMENTED_OUT: Final = regex(r"^[ \t]*#[ \t]*-[ \t]+['\"]?([\w./-]+\.ya?ml)\b", re.MULTILINE)
_OF_OVERLAYS: Final = frozenset(("overlays", "clusters", "environments", "envs", "stages"))
_A_BASE: Final = regex(r"(?i)base|common|shared|default|core|template|all\b")
"""In names of folders that others build on, and nobody installs."""


def folder_of(path: str) -> str | None:
    """The folder that a path means; None if it leads out of the repository."""
    folder = posixpath.normpath(path.strip("/") or ".")
    return None if folder.startswith("..") else folder


class Tree:
    def __init__(
        self,
        files: Sequence[SourceFile],
        by_file: Mapping[str, Sequence[Resource]],
        folders: Collection[str] = (),
        templates: Sequence[SourceFile] = (),
        others: Sequence[SourceFile] = (),
        base: str = ".",
        *,
        jsonnet: Sequence[str] = (),
        passed_over: Sequence[str] = (),
        whole: bool = False,
        reader: Reader | None = None,
        restricted: bool = True,
        elsewhere: Elsewhere = NOTHING,
    ) -> None:
        self.sources = {file.path: file for file in files}
        self.by_file = by_file
        self.templates = {file.path: file for file in templates}
        self._template_files: dict[str, TemplateFile | None] = {}
        self._others = {file.path: file for file in others}
        self._jsonnet = tuple(sorted(jsonnet))
        self.whole = whole
        """False when only a part of the repository was read: what is missing may lie outside."""
        self.reader = reader
        """Opens what the run did not find by itself; None where there is no disk."""
        self.restricted = restricted
        """Kustomizations may name only files of their own folder; Argo CD can be told to allow others."""
        self.elsewhere = elsewhere
        """What the repository takes from elsewhere, as far as somebody brought it."""
        self.inflate: Inflate | None = None
        """Renders the charts that kustomizations ask for; to be set before the first of them is built."""
        self.kustomize = Release.V5_8
        """The release that builds; to be set before, too."""
        self._walked = frozenset(folders)
        self._base = base
        self._passed_over = tuple(passed_over)

    @lazy
    def kustomizations(self) -> dict[str, Outline]:
        """By folder."""
        return find_outlines(self.sources.values(), self.elsewhere.here)

    @lazy
    def builder(self) -> Builder:
        """Builds kustomizations; what several of them share is built once."""
        from ..kustomize.builder import Builder  # a third of the tool; not every repository has a kustomization

        return Builder(
            self.reachable,
            restricted=self.restricted,
            inflate=self.inflate,
            elsewhere=self.elsewhere,
            release=self.kustomize,
        )

    @lazy
    def reachable(self) -> RepositoryFiles:
        """Whatever a kustomization may name."""
        return RepositoryFiles(self)

    @lazy
    def not_objects(self) -> frozenset[str]:
        """Patches, values and the like: they look like manifests, and nobody applies them as they are."""
        others = frozenset(path for one in self.kustomizations.values() for path in one.other_files())
        return others | self._named_by_plugins(is_decrypting)

    @lazy
    def kustomized(self) -> frozenset[str]:
        """Files and folders that some kustomization builds from."""
        return frozenset(path for one in self.kustomizations.values() for _, path in one.inputs() if path)

    @lazy
    def build_roots(self) -> tuple[str, ...]:
        """Folders with a kustomization that no other one includes, and one of every circle."""
        buildable = [folder for folder, one in self.kustomizations.items() if not one.is_component]
        roots = [folder for folder in buildable if folder not in self.kustomized]
        reached: set[str] = set()
        for folder in roots:
            self._reach(folder, reached)
        for folder in buildable:
            if folder not in reached:
                roots.append(folder)
                self._reach(folder, reached)
        return tuple(roots)

    @lazy
    def overlays_of_their_own(self) -> tuple[str, ...]:
        """Folders among the overlays with a kustomization on which one beside it builds: a cluster takes each of them.

        So `overlays/test` may be `overlays/prod` with a patch, and both are installed.
        """
        beside = {
            path
            for folder, one in self.kustomizations.items()
            for _, path in one.inputs()
            if path and posixpath.dirname(path) == posixpath.dirname(folder)
        }
        return tuple(
            folder
            for folder in sorted(beside)
            if folder in self.kustomizations
            and not self.kustomizations[folder].is_component
            and posixpath.basename(posixpath.dirname(folder)) in _OF_OVERLAYS
            and not _A_BASE.search(posixpath.basename(folder))
        )

    def _reach(self, folder: str, reached: set[str]) -> None:
        waiting = [folder]
        while waiting:
            one = waiting.pop()
            if one not in reached and one in self.kustomizations:
                reached.add(one)
                waiting += (path for _, path in self.kustomizations[one].inputs() if path)

    @lazy
    def unnamed(self) -> frozenset[str]:
        """Files beside a kustomization that no kustomization names: Argo CD does not read them."""
        named = self.kustomized | self.not_objects | self._named_by_generators
        return frozenset(
            path
            for path in self.sources
            if (posixpath.dirname(path) or ".") in self.kustomizations
            and path not in named
            and posixpath.basename(path) not in KUSTOMIZATIONS
        )

    @lazy
    def commented_out(self) -> frozenset[str]:
        """Files that stand in a comment where a kustomization would name them, and that none names."""
        found = {
            posixpath.normpath(posixpath.join(one.folder, entry))
            for one in self.kustomizations.values()
            for entry in _COMMENTED_OUT.findall(one.file.text)
        }
        return frozenset(found - self.kustomized - self.not_objects)

    @lazy
    def _named_by_generators(self) -> frozenset[str]:
        return self._named_by_plugins(lambda config: True)

    def _named_by_plugins(self, counts: Callable[[Document], bool]) -> frozenset[str]:
        """Values, encrypted files and the like: each plugin has fields of its own, and all name files beside them."""
        found = set()
        for kustomization in self.kustomizations.values():
            for file in map(self.sources.get, kustomization.plugin_files()):
                configs = filter(counts, file.documents) if file else ()
                texts = (node.text for config in configs for node in config.root.walk())
                named = (text for text in texts if text.endswith((".yaml", ".yml", ".json")))
                found |= {posixpath.normpath(posixpath.join(kustomization.folder, text)) for text in named}
        return frozenset(found)

    def objects_in(self, paths: Iterable[str]) -> tuple[Resource, ...]:
        return tuple(r for path in paths for r in self.by_file.get(path, ()) if r.group != API_GROUP)

    @lazy
    def folders(self) -> frozenset[str]:
        """Every folder, ``.`` for the root."""
        found = {"."} | set(self._walked)
        for path in (*self.sources, *self.templates):
            folder = posixpath.dirname(path)
            while folder and folder not in found:
                found.add(folder)
                folder = posixpath.dirname(folder)
        return frozenset(found)

    def was_passed_over(self, path: str) -> bool:
        """Whether a folder is there, or may be, but was not walked."""
        return any(path == folder or path.startswith(f"{folder}/") for folder in self._passed_over)

    def locate(self, path: str, file: str = "") -> str | None:
        """The folder that a path of an Application, written in a file, means; None if there is none."""
        inside = posixpath.normpath(posixpath.join(self._base_of(file), path))
        if path == ".":
            return inside
        return next((folder for folder in (path, inside) if folder in self.folders), None)

    def root_for(self, path: str, file: str = "") -> str:
        """The folder that the paths of an Application count from, by one of them."""
        return "." if folder_of(path) in self.folders else self._base_of(file)

    def _base_of(self, file: str) -> str:
        """A repository within the repository is one for its own Applications, not for those around it."""
        return self._base if not file or file.startswith(f"{self._base}/") else "."

    @lazy
    def charts(self) -> frozenset[str]:
        """Folders with a file that Argo CD takes for a chart's."""
        return frozenset(posixpath.dirname(path) or "." for path in self.sources if path.endswith("Chart.yaml"))

    @lazy
    def chart_roots(self) -> tuple[str, ...]:
        """Folders with a chart of their own: not one that lies in the `charts/` of another."""
        folders = [posixpath.dirname(path) or "." for path in self.sources if posixpath.basename(path) == "Chart.yaml"]
        return tuple(sorted(folder for folder in folders if not self._is_subchart(folder)))

    def _is_subchart(self, folder: str) -> bool:
        above, _, _ = f"/{folder}".rpartition("/charts/")
        return "/charts/" in f"/{folder}" and (above.removeprefix("/") or ".") in self.charts

    @lazy
    def in_charts(self) -> frozenset[str]:
        """Files that Helm renders or adds: nobody applies them as they are."""
        return frozenset(path for path in (*self.sources, *self.templates) if self._is_in_chart(path))

    def _is_in_chart(self, path: str) -> bool:
        parts = path.split("/")
        return any(
            part in ("templates", "crds") and ("/".join(parts[:at]) or ".") in self.charts
            for at, part in enumerate(parts[:-1])
        )

    def template(self, path: str) -> TemplateFile | None:
        """A file of a chart as Helm's templates are read, the same one whoever asks; None if there is none."""
        if path not in self._template_files:
            from ..helm.template_file import TemplateFile  # not every repository has a chart

            file = self.templates.get(path) or self.reachable.source(path)
            self._template_files[path] = TemplateFile.of(file) if file is not None else None
        return self._template_files[path]

    def root_of(self, path: str) -> Node | None:
        """The top of a YAML file that may be anywhere in the repository."""
        file = self.reachable.source(path)
        return file.documents[0].root if file is not None and file.documents else None

    @lazy
    def in_folder(self) -> Mapping[str, list[str]]:
        """Files by the folder that holds them, in the order of a walk."""
        found: dict[str, list[str]] = defaultdict(list)
        for path in self._walked_files:
            found[posixpath.dirname(path) or "."].append(path)
        return found

    def below(self, folder: str) -> list[str]:
        """All files in the folder and its folders."""
        if folder == ".":
            return self._walked_files
        return [path for path in self._walked_files if path.startswith(f"{folder}/")]

    @lazy
    def _walked_files(self) -> list[str]:
        """In the order of a walk, folder by folder: of objects that are repeated the last one counts."""
        return sorted((*self.sources, *self.templates), key=lambda path: path.split("/"))

    # -- as the generators of ApplicationSets see it

    def directories(self) -> Iterable[str]:
        return sorted(self.folders - {"."})

    def files(self) -> Iterable[str]:
        return sorted({*self.sources, *self.templates, *self._others})

    def other_json(self, folder: str, *, recurse: bool) -> list[str]:
        """JSON in a folder that is no manifest."""
        return _inside(folder, sorted(self._others), recurse=recurse)

    def jsonnet(self, folder: str, *, recurse: bool) -> list[str]:
        """Programs in a folder that Argo CD would run."""
        return _inside(folder, self._jsonnet, recurse=recurse)

    def file(self, path: str) -> SourceFile | None:
        return self.sources.get(path) or self._others.get(path)

    def read(self, path: str) -> str | None:
        file = self.file(path)
        return None if file is None or file.refused else file.text


def _inside(folder: str, paths: Iterable[str], *, recurse: bool) -> list[str]:
    prefix = "" if folder == "." else f"{folder}/"
    inside = (path for path in paths if path.startswith(prefix))
    return [path for path in inside if recurse or "/" not in path[len(prefix) :]]
