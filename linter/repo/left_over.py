"""What no Application reads: applied by somebody else, or by nobody, and why."""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Final

from ..argocd.this_repo import Belief
from ..facts.regexes import regex
from ..yaml.lazy import lazy
from .flux_paths import flux_files, flux_folders, is_kustomization
from .followed_applications import SEVERAL, Followed, is_in, path_of
from .open_paths import OpenPath
from .unread import ARGO_KINDS, Unread

if TYPE_CHECKING:
    from ..argocd.applications import Source

_ARGO_KIND: Final = regex(rf"""\bkind["']?:\s*["']?(?:{"|".join(sorted(ARGO_KINDS))})\b""")
"""In text, since templates are no YAML; JSON has it in quotes."""
_OF_SERVERS: Final = regex(r"(?:https?|ssh|git|oci)://|[^/:]+@[^/:]+:")
"""Addresses as git servers and registries have them; other tools have their own for «this folder»."""


class LeftOver:
    def __init__(self, followed: Followed) -> None:
        self._followed = followed
        self._tree, self._charts, self._owners = followed.tree, followed.charts, followed.owners
        self._suspicion, self._reason = followed.suspicion, followed.reason
        self._read, self._live = followed.read, followed.live

    # -- what is left

    def rest(self, paths: Collection[OpenPath]) -> tuple[dict[str, Unread], dict[str, Unread]]:
        """Of what no Application reads: what is surely not applied, and what may not be."""
        knows_all = not any(self._may_bring_more())
        kept = self._read | {path_of(one.application.resource) for one in self._live}
        idle: dict[str, Unread] = {}
        doubtful: dict[str, Unread] = {}
        apart: set[str] = set()
        for folder, files in self._roots():
            reason = self._verdict(folder, files, paths)
            if reason is Unread.UNUSED and not knows_all:
                doubtful.update(dict.fromkeys(files, reason))
                continue
            if reason is Unread.UNUSED and not self._has_read_neighbours(folder):
                apart |= files
            if reason is None:
                kept |= files
            else:
                (idle if self._is_sure(reason) else doubtful).update(dict.fromkeys(files, reason))
        seen = kept | idle.keys() | doubtful.keys()
        for path in (*self._tree.sources, *self._tree.templates):
            if path not in seen and (reason := self._reason(path)) is not None:
                (idle if self._is_sure(reason) else doubtful)[path] = reason
        if len(apart - kept) > len(self._read | self._of_flux):  # whoever applies so much has more than is here
            doubtful |= {path: reason for path, reason in idle.items() if path in apart}
            idle = {path: reason for path, reason in idle.items() if path not in apart}
        surely = {path: reason for path, reason in idle.items() if path not in kept}
        return surely, {path: reason for path, reason in doubtful.items() if path not in kept and path not in surely}

    def reads_more_than_is_left(self, known: Collection[str]) -> bool:
        """Of files with objects; `known` are those that nobody applies, or somebody else does."""
        by_hand = {path_of(one.application.resource) for one in self._live} - self._read
        whole = (path for path, objects in self._tree.by_file.items() if objects)
        objects = {path for path in (*whole, *self._tree.templates) if path not in known and path not in by_hand}
        return 2 * len(objects & self._read) > len(objects)

    def _is_sure(self, reason: Unread) -> bool:
        """A name counts where Applications show what is real, or Flux does."""
        return (
            reason is not Unread.SAMPLE
            or self._followed.rules_here
            or self._followed.has_real_sets
            or bool(self._flux_folders)
        )

    # -- what is not Argo CD's

    def by_flux(self) -> Iterator[str]:
        """Without what an Application reads as well."""
        yield from (path for path in self._of_flux if path not in self._read)

    @lazy
    def _of_flux(self) -> frozenset[str]:
        files = (*self._tree.sources, *self._tree.templates)
        return frozenset(flux_files(self._flux_folders, files, self._followed.built) if self._flux_folders else ())

    @property
    def _flux_tells(self) -> bool:
        """Whether Flux names what it applies, folder by folder: then what nobody names is nobody's."""
        return len(self._flux_folders) >= SEVERAL

    @lazy
    def _flux_folders(self) -> frozenset[str]:
        found = (one for objects in self._tree.by_file.values() for one in objects if is_kustomization(one))
        return flux_folders((one for one in found if self._reason(path_of(one)) is None), self._tree.folders)

    def _may_bring_more(self) -> Iterator[bool]:
        """Whether others may come from where nobody looks: a chart of Applications that was not rendered as somebody
        installs it, or another repository that is synced into Argo CD's own namespace.
        """
        for build in (*self._owners.unused_charts, *(s.chart for one in self._live for s in one.rendered if s.chart)):
            if self._charts.brings_applications(build.folder) and self._reason(f"{build.folder}/Chart.yaml") is None:
                yield not build.is_rendered or build.lacks_dependencies or any(r.tentative for r in build.resources)
        for app in (one.application for one in self._live):
            into_argocd = app.destination.namespace == app.namespace and app.destination.is_local
            for source in filter(self._is_elsewhere, app.sources):
                yield into_argocd or _OF_SERVERS.match(source.repo_url) is None

    def _is_elsewhere(self, source: Source) -> bool:
        """Whether it is a folder of another git repository; charts of registries bring no Applications."""
        url = source.repo_url
        return bool(url and not source.chart) and self._owners.this_repo.belief(url, path_exists=False) is Belief.NO

    @lazy
    def _names_of_others(self) -> tuple[str, ...]:
        """Folders that Applications read under an address that is not known: it may be one more of this repository."""
        sources = (source for one in self._live for source in one.application.sources if self._is_elsewhere(source))
        return tuple({path for source in sources if (path := posixpath.normpath(source.path or ".")) != "."})

    def _roots(self) -> Iterator[tuple[str, frozenset[str]]]:
        """What would be a sync of its own, and its files."""
        yield from self._followed.built.items()
        for build in self._owners.unused_charts:
            yield build.folder, frozenset(self._followed.files_of_chart(build.folder))
        named = frozenset().union(*self._followed.built.values())
        folders: dict[str, set[str]] = {}
        for path, objects in self._tree.by_file.items():
            elsewhere = path in named or path in self._tree.in_charts or path in self._tree.not_objects
            if objects and not elsewhere and self._reason(path) is None:
                folders.setdefault(posixpath.dirname(path) or ".", set()).add(path)
        yield from ((folder, frozenset(files)) for folder, files in folders.items())

    def _verdict(self, folder: str, files: frozenset[str], paths: Collection[OpenPath]) -> Unread | None:
        samples = self._suspicion.sample_folder(f"{folder}/x")
        if samples and samples not in self._followed.lively and all(is_in(path, samples) for path in files):
            return Unread.SAMPLE
        if (
            not (self._followed.rules_here or self._flux_tells)
            or self._is_owned(folder)
            or not files.isdisjoint(self._of_flux)
        ):
            return None
        if self._flux_folders and not self._flux_tells:
            return None
        if any(is_in(folder, path) for path in self._names_of_others):
            return None
        if any(one.covers(folder) for one in paths) or self._is_published(folder):
            return None
        return (
            None
            if self._brings_argo(files - self._followed.rendered_from) and not self._is_of_the_dead(files)
            else Unread.UNUSED
        )

    def _is_of_the_dead(self, files: frozenset[str]) -> bool:
        """Whether an Application that nobody applies reads some of it, and none that somebody does."""
        return not files.isdisjoint(self._files_of_the_dead) and files.isdisjoint(self._read)

    @lazy
    def _files_of_the_dead(self) -> frozenset[str]:
        return self._followed.read_by_the_dead()

    def _is_owned(self, folder: str) -> bool:
        return folder in self._followed.folders_of_live

    def _is_published(self, folder: str) -> bool:
        """Whether an Application takes a chart of that name from a registry: it may be built from here.

        Of several such folders, the one with the version.
        """
        while folder and folder != ".":
            chart = self._tree.root_of(f"{folder}/Chart.yaml") if folder in self._tree.charts else None
            if chart is not None and (wanted := self._wanted_charts.get(chart["name"].text)):
                return self._chart_names[chart["name"].text] == 1 or chart["version"].text in wanted
            folder = posixpath.dirname(folder)
        return False

    @lazy
    def _wanted_charts(self) -> Mapping[str, set[str]]:
        """Versions by the names of charts that Applications take from registries."""
        found: dict[str, set[str]] = {}
        for source in (source for one in self._live for source in one.application.sources if source.chart):
            found.setdefault(source.chart.rpartition("/")[2], set()).add(source.target_revision)
        return found

    @lazy
    def _chart_names(self) -> Counter[str]:
        roots = (self._tree.root_of(f"{folder}/Chart.yaml") for folder in self._tree.chart_roots)
        return Counter(root["name"].text for root in roots if root is not None)

    def _brings_argo(self, files: Iterable[str]) -> bool:
        """Whoever installs Argo CD, or its first Application, does that by hand; so it is with Flux."""
        for path in files:
            text = file.text if (file := self._tree.sources.get(path) or self._tree.templates.get(path)) else ""
            if ("argoproj.io/" in text and _ARGO_KIND.search(text)) or "kustomize.toolkit.fluxcd.io/" in text:
                return True
        return False

    def _has_read_neighbours(self, folder: str) -> bool:
        """Whether Applications read several folders beside it, or beside the one that it is in."""
        parts = folder.split("/")
        above = "/".join(parts[:-2]) if len(parts) > 2 else "/".join(parts[:-1])
        depth = above.count("/") + 1 if above else 0
        return len(self._read_below.get(above, frozenset()) - {parts[depth]}) >= SEVERAL

    @lazy
    def _read_below(self) -> Mapping[str, set[str]]:
        """By folder: those of its folders in which Applications, or Flux, read something."""
        found: dict[str, set[str]] = {}
        for folder in {posixpath.dirname(path) for path in self._read | self._of_flux}:
            while folder.strip("/"):  # somebody may name an absolute path, which has no end above it
                folder, name = posixpath.split(folder)
                found.setdefault(folder, set()).add(name)
        return found
