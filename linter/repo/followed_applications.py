"""Which Applications there really are, and what they read: without copies, samples and archives."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Final

from ..kubernetes.resource import Resource
from ..yaml.lazy import lazy
from .sources.charts import Charts
from .sources.directory import kept_out
from .sources.kustomize_builds import Builds, KustomizeBuild
from .tree import Tree
from .unread import ARGO_KINDS, Suspicion, Unread, is_for_argo, is_of_tests

if TYPE_CHECKING:
    from .ownership import Owned, Owners

SEVERAL: Final = 2
"""Folders that Applications read, before one among them that none reads is out of use."""
TAKEN_OUT: Final = frozenset((Unread.COMMENTED_OUT, Unread.LEFT_OUT, Unread.PASSED_OVER, Unread.EXCLUDED))
"""Somebody saw to it that they are not applied."""


class Followed:
    def __init__(self, tree: Tree, builds: Builds, charts: Charts, owners: Owners) -> None:
        self.tree = tree
        self._builds = builds
        self.charts = charts
        self.owners = owners
        self.suspicion = Suspicion(tree)
        self.read: set[str] = set()
        self.live: list[Owned] = []
        self._folders_known: tuple[list[Owned], int, dict[str, bool]] = ([], -1, {})
        self._dead: list[Owned] = []
        self.lively: set[str] = set()
        """Folders of samples with Applications, where there are no others."""
        self._buried: set[str] = set()
        """Folders of Applications that were deployed once."""
        self._taken_out: set[int] = set()
        """By id: Applications that only such bring as somebody took out."""
        self.rendered_from: set[str] = set()
        """Files of Applications that others bring as they are, out of what was rendered of them."""

    # -- from Applications

    def follow_applications(self) -> None:
        """First those that nothing speaks against; then those that these read."""
        self._dead = list(self.owners.owned)
        self._revive([one for one in self._dead if not self._is_suspect(one.application.resource)])
        if not (self.rules_here or self.has_real_sets):  # a repository of samples: they are all there is
            everyone = (one.application.resource for one in self.owners.owned)
            self.lively = {self.suspicion.sample_folder(path_of(one)) for one in everyone}
            self.lively -= {""} if self.live else set()  # a file called example beside real ones is still one
            self.lively = {folder for folder in self.lively if not is_of_tests(folder)}  # these are wrong on purpose
            self._revive([one for one in self._dead if self.reason(path_of(one.application.resource)) is None])
        while found := [one for one in self._dead if path_of(one.application.resource) in self.read]:
            self._revive(found)
        self._bury_archives()
        self._follow_the_dead()
        self._leave_copies()

    def _follow_the_dead(self) -> None:
        """What only Applications bring that somebody took out, nobody applies either."""
        while files := self.read_by_the_dead():
            found = [one for one in self.live if self._is_orphan(one, files)]
            if not found:
                return
            self._dead += found
            self._taken_out.update(map(id, found))
            ids = {id(one) for one in found}
            kept = [one for one in self.live if id(one) not in ids]
            self.live, self.read = [], set()
            self._revive(kept)

    def _is_orphan(self, owned: Owned, read_by_the_dead: Collection[str]) -> bool:
        path = path_of(owned.application.resource)
        return path in read_by_the_dead and path not in self.read and not self._brings_applications(owned)

    def read_by_the_dead(self) -> frozenset[str]:
        """Nothing where no Application is left that brings others: the one that was taken out is applied by hand."""
        if not any(map(self._brings_applications, self.live)):
            return frozenset()
        return frozenset(path for one in self._dead if self._is_taken_out(one) for path in self._files_of(one))

    def _is_taken_out(self, owned: Owned) -> bool:
        return id(owned) in self._taken_out or self.reason(path_of(owned.application.resource)) in TAKEN_OUT

    def _leave_copies(self) -> None:
        """Where the same Application is in a file that is read, nobody applies the one that it was rendered from."""
        read = [one for one in self.live if path_of(one.application.resource) in self.read]
        known = {_written(one) for one in read}
        copies = [one for one in self.live if path_of(one.application.resource) not in self.read]
        copies = [one for one in copies if not self._brings_applications(one) and _written(one) in known]
        self.rendered_from.update(path_of(one.application.resource) for one in copies)
        ids = {id(one) for one in copies}
        self.live = [one for one in self.live if id(one) not in ids]
        self._dead += copies

    def _bury_archives(self) -> None:
        """Where Applications bring Applications: a folder that none of them reads, of some that mostly lead nowhere."""
        if all(path_of(one.application.resource) not in self.read for one in self.live):
            return
        folders: dict[str, list[Owned]] = {}
        for one in self.live:
            path = path_of(one.application.resource)
            if path not in self.read:
                folders.setdefault(posixpath.dirname(path), []).append(one)
        for found in (*folders.values(), *_lone_ones(folders)):
            local = [one for one in found if any(source.path for source in one.rendered)]
            lost = [one for one in local if any(source.missing for source in one.rendered)]
            if len(lost) >= SEVERAL and 2 * len(lost) >= len(local):
                self._buried.update(posixpath.dirname(path_of(one.application.resource)) for one in lost)
        if self._buried:
            self._dead += [one for one in self.live if self._is_buried(path_of(one.application.resource))]
            kept = [one for one in self.live if not self._is_buried(path_of(one.application.resource))]
            self.live, self.read = [], set()
            self._revive(kept)

    def _is_buried(self, path: str) -> bool:
        return path not in self.read and any(is_in(path, folder) for folder in self._buried)

    @property
    def rules_here(self) -> bool:
        """Whether an Application is known that reads this repository."""
        return any(is_built for folder, is_built in self.folders_of_live.items() if folder)

    @property
    def folders_of_live(self) -> Mapping[str, bool]:
        """By what live Applications read of the repository: whether one of them is known to build it.

        Every folder asks, so it is remembered until there are more of them, or others.
        """
        live, count, found = self._folders_known
        if live is not self.live or count != len(self.live):
            found = {}
            for source in (source for one in self.live for source in one.rendered):
                found[source.path] = bool(source.tool) or found.get(source.path, False)
            self._folders_known = self.live, len(self.live), found
        return found

    @property
    def has_real_sets(self) -> bool:
        """Sets count even if what they make cannot be told: whoever has them syncs more than samples."""
        return any(self.reason(path_of(one.resource)) is None for one in self.owners.sets)

    def _revive(self, found: list[Owned]) -> None:
        ids = {id(one) for one in found}
        self._dead = [one for one in self._dead if id(one) not in ids]
        self.live += found
        self.read.update(path for one in found for path in self._files_of(one))

    def is_live(self, resource: Resource) -> bool:
        return not self._is_suspect(resource) or path_of(resource) in self.read

    def _is_suspect(self, resource: Resource) -> bool:
        path = path_of(resource)
        return self.reason(path) is not None and (not resource.kustomized or self._is_sample_build(path))

    def reason(self, path: str) -> Unread | None:
        """Why nobody would read a file, if nobody does."""
        if self._is_buried(path):
            return Unread.UNUSED
        reason = self.suspicion.of(path)
        if reason is Unread.LEFT_OUT and not self._is_left_out(path):
            reason = self.suspicion.by_itself(path)
        if reason in (None, Unread.SAMPLE) and path in self._kept_out:
            return Unread.EXCLUDED
        if reason is None and self._is_passed_over(path):
            return Unread.PASSED_OVER
        return None if reason is Unread.SAMPLE and self.suspicion.sample_folder(path) in self.lively else reason

    @lazy
    def _kept_out(self) -> frozenset[str]:
        """What an Application of Applications excludes, unless it is one itself, which somebody applies by hand.

        Of what it does not include, only more of its kind: the rest is for others to read.
        """
        parents = [one for one in self.owners.owned if self._brings_applications(one)]
        sources = [source for one in parents for source in one.rendered if source.tool == "directory" and source.path]
        excluded: set[str] = set()
        for one in sources:
            options = one.source.tool("directory")
            out, rest = kept_out(self.tree, one.path, options)
            excluded.update(out, (path for path in rest if any(self.suspicion.argo_objects(path))))
        return frozenset(excluded) - {path_of(one.application.resource) for one in parents}

    def _is_sample_build(self, path: str) -> bool:
        """Whether only builds within a folder of samples have a part in a file."""
        folder = self.suspicion.sample_folder(path)
        return bool(folder) and not any(path in files for root, files in self.built.items() if not is_in(root, folder))

    def _is_left_out(self, path: str) -> bool:
        """Somebody applies the first Application by hand: that its neighbour does not name it tells nothing.

        It does where the neighbour names others of its kind, or another Application builds the neighbour.
        """
        kustomization = self.tree.kustomizations[posixpath.dirname(path) or "."]
        named = (entry for _, entry in kustomization.inputs() if entry)
        names_others = any(kind in ARGO_KINDS for entry in named for kind in self.suspicion.argo_objects(entry))
        if not names_others and not self._is_built_by_others(path):
            return not any(self.suspicion.argo_objects(path))
        return not self._is_first(path)

    def _is_passed_over(self, path: str) -> bool:
        """Whether kustomizations name, file by file, others of its kind that lie in its folder, and not this one."""
        if (posixpath.dirname(path) or ".") not in self._picked_from or path in self.tree.kustomized:
            return False
        return any(self.suspicion.argo_objects(path)) and not self._is_first(path)

    @lazy
    def _picked_from(self) -> frozenset[str]:
        """Folders without a kustomization, out of which others take Argo CD's objects by their files."""
        named = (path for path in self.tree.kustomized if any(self.suspicion.argo_objects(path)))
        return frozenset(posixpath.dirname(path) or "." for path in named) - self.tree.kustomizations.keys()

    def _is_first(self, path: str) -> bool:
        """Whether it has an Application of Applications, which somebody applies by hand."""
        found = (one for one in self.owners.owned if path_of(one.application.resource) == path)
        return any(map(self._brings_applications, found))

    def _brings_applications(self, owned: Owned) -> bool:
        return any(map(is_for_argo, owned.resources))

    def _is_built_by_others(self, path: str) -> bool:
        """Whether an Application that stands elsewhere builds the kustomization beside a file."""
        return any(builder != path for builder in self._builders.get(posixpath.dirname(path) or ".", ()))

    @lazy
    def _builders(self) -> Mapping[str, set[str]]:
        """By folder: where the Applications stand whose builds read the kustomization in it."""
        found: dict[str, set[str]] = {}
        for one in self.owners.owned:
            for source in one.rendered:
                if source.build is not None:
                    for folder in {source.path, *source.build.folders}:
                        found.setdefault(folder, set()).add(path_of(one.application.resource))
        return found

    def _files_of(self, owned: Owned) -> Iterator[str]:
        for one in owned.rendered:
            if one.build is not None:
                yield from self._files_of_build(one.build)
            elif one.tool == "helm" and one.path:
                yield from self.files_of_chart(one.path)
            elif one.tool == "plugin" and one.path in self.tree.kustomizations:  # it builds it, and does more
                yield from self._files_of_build(self._builds.of(one.path))
            elif one.tool == "plugin":
                yield from self.tree.below(one.path)
            yield from (path_of(resource) for resource in one.resources)
            yield from (failure.path for failure in one.failures)
            if one.asked is not None:
                yield from one.asked.value_files

    def _files_of_build(self, build: KustomizeBuild) -> Iterator[str]:
        yield from build.files
        for folder in build.folders:
            kustomization = self.tree.kustomizations.get(folder)
            if kustomization is not None:
                yield kustomization.file.path
                yield from (path for _, path in kustomization.inputs() if path in self.tree.sources)
                yield from kustomization.other_files()
        for path in build.charts:
            yield from self.files_of_chart(path) if path in self.tree.charts else (path,)

    def files_of_chart(self, folder: str) -> Iterator[str]:
        inner = (one for _, one in self.charts.layout(folder).keyed_subcharts())
        for chart in (folder, *inner):
            yield from (path for path in self.tree.below(chart) if self._is_of_chart(path))

    def _is_of_chart(self, path: str) -> bool:
        """Not what only lies in its folder: objects beside the templates, data of tests."""
        is_object = bool(self.tree.by_file.get(path)) and path not in self.tree.in_charts
        return not is_object and self.suspicion.of(path) is not Unread.CHART_DATA

    @lazy
    def built(self) -> Mapping[str, frozenset[str]]:
        """By folder: what each kustomization that no other one includes is built from."""
        roots = self.tree.build_roots
        return {folder: frozenset(self._files_of_build(self._builds.of(folder))) for folder in roots}


def _lone_ones(folders: Mapping[str, list[Owned]]) -> Iterator[list[Owned]]:
    """Of folders with one Application each: those that lie in one folder, as `unused/*/application.yaml` do."""
    above: dict[str, list[Owned]] = {}
    for folder, (first, *more) in folders.items():
        if folder and not more:
            above.setdefault(posixpath.dirname(folder), []).append(first)
    yield from above.values()


def _written(owned: Owned) -> tuple[str, str]:
    """What an Application is, however it came to be; its namespace may be given to it."""
    return owned.application.name, json.dumps(owned.application.spec, sort_keys=True, default=str)


def path_of(resource: Resource) -> str:
    return resource.node.origin.file.path


def is_in(path: str, folder: str) -> bool:
    return not folder or path == folder or path.startswith(f"{folder}/")
