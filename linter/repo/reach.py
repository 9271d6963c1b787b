"""Is it applied at all? The one place that decides it, for every rule.

A file is read if an Application reads it, or a kustomization or a chart that
one uses. Where Applications of the repository are known, what none of them
reads is out of judgement: test data, copies of charts, what a kustomization
leaves out. Names alone decide nothing: they count where nothing reads the file.
"""

from __future__ import annotations

import json
import posixpath
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from ..argocd.this_repo import Belief
from ..facts.regexes import regex
from ..kubernetes.resource import Resource
from ..yaml.lazy import lazy
from .flux_paths import flux_files, flux_folders, is_kustomization
from .open_paths import OpenPath, open_paths
from .sources.charts import Charts
from .sources.directory import kept_out
from .sources.kustomize_builds import Builds, KustomizeBuild
from .tree import Tree
from .unread import ARGO_KINDS, NEVER_APPLIED, Suspicion, Unread, is_for_argo, is_of_tests

if TYPE_CHECKING:
    from ..argocd.applications import Application, Source
    from .ownership import Owned, Owners

_ARGO_KIND: Final = regex(rf"""\bkind["']?:\s*["']?(?:{"|".join(sorted(ARGO_KINDS))})\b""")
"""In text, since templates are no YAML; JSON has it in quotes."""
SEVERAL: Final = 2
"""Folders that Applications read, before one among them that none reads is out of use."""
MEANT: Final = frozenset(
    (Unread.LEFT_OUT, Unread.PASSED_OVER, Unread.COMMENTED_OUT, Unread.UNUSED, Unread.SAMPLE, Unread.EXPORT)
)
"""Whole objects all the same: where somebody asks for them, they can be judged."""
NAMED: Final = MEANT - NEVER_APPLIED
"""Those that somebody may mean to apply one day, so that the name alone is asking for them."""
TAKEN_OUT: Final = frozenset((Unread.COMMENTED_OUT, Unread.LEFT_OUT, Unread.PASSED_OVER, Unread.EXCLUDED))
"""Somebody saw to it that they are not applied."""
_OF_SERVERS: Final = regex(r"(?:https?|ssh|git|oci)://|[^/:]+@[^/:]+:")
"""Addresses as git servers and registries have them; other tools have their own for «this folder»."""


@dataclass(frozen=True, eq=False)
class Reach:
    read: frozenset[str] = frozenset()
    """Files that an Application reads."""
    unread: Mapping[str, Unread] = field(default_factory=dict)
    """Files that nobody applies: out of judgement."""
    doubtful: Mapping[str, Unread] = field(default_factory=dict)
    """Files that look as if nobody applied them, where no Application says more."""
    by_flux: frozenset[str] = frozenset()
    """Files that Flux applies, and no Application reads."""
    asked_for: frozenset[str] = frozenset()
    """Of the doubtful files those that nobody applies, and somebody wants judged."""
    open_paths: tuple[OpenPath, ...] = ()
    """What Applications may read that cannot be told from the files: sets that are not expanded."""
    tells_most: bool = False
    """Whether Applications read more than is left over: then hardly anybody applies the rest."""

    def templates_for(self, folder: str) -> tuple[Application, ...]:
        """What sets that are not expanded may make of a folder."""
        return tuple(one.application for one in self._fitting(folder))

    def options_for(self, folder: str) -> Application | None:
        """The template that tells how a folder is synced, if all that may be meant agree, and are about it."""
        found = self._fitting(folder)
        said = {_options(one.application) for one in found}
        agreed = len(said) == 1 and not any(one.is_anything for one in found)
        return found[0].application if agreed else None

    def _fitting(self, folder: str) -> list[OpenPath]:
        """Many sets have one path, so it is tried once."""
        fits = {one.pattern for one in self._different_paths if one.covers(folder)}
        return [one for one in self.open_paths if one.pattern in fits]

    @lazy
    def _different_paths(self) -> list[OpenPath]:
        return list({one.pattern: one for one in self.open_paths}.values())

    def by_reason(self, wanted: Callable[[str], bool]) -> dict[str, tuple[str, ...]]:
        """Of some files those that nobody applies, judged or not, by the reason in words, the commonest first."""
        files = {**self.unread, **{path: self.doubtful[path] for path in self.asked_for}}
        files = {path: why for path, why in files.items() if wanted(path)}
        found = {reason: tuple(sorted(p for p, why in files.items() if why is reason)) for reason in Unread}
        return {
            reason.value: found[reason] for reason in sorted(Unread, key=lambda one: -len(found[one])) if found[reason]
        }

    def judging(self, asked: Callable[[str], bool], *, everything: bool = False) -> Reach:
        """With the unread files that somebody asks for judged all the same, as doubtful ones: one step lower."""
        meant = MEANT if everything else NAMED
        found = {path: why for path, why in self.unread.items() if why in meant and (everything or asked(path))}
        if not found:
            return self
        unread = {path: why for path, why in self.unread.items() if path not in found}
        return replace(self, unread=unread, doubtful={**self.doubtful, **found}, asked_for=frozenset(found))

    def is_read(self, resource: Resource) -> bool:
        """False for what nobody applies."""
        return resource.node.origin.file.path not in self.unread

    def is_left_out(self, path: str) -> bool:
        """Whether it lies beside a kustomization that does not name it."""
        return self.unread.get(path) is Unread.LEFT_OUT


def find_reach(tree: Tree, builds: Builds, charts: Charts, owners: Owners) -> tuple[Reach, Owners]:
    """Also the owners without those that nobody applies."""
    found = _Finding(tree, builds, charts, owners)
    found.follow_applications()
    live = owners.of(found.live, [one for one in owners.sets if found.is_live(one.resource)])
    paths = tuple(open_paths(live.sets, live.owned, live.this_repo))
    unread, doubtful = found.rest(paths)
    by_flux = frozenset(found.by_flux())
    tells_most = found.reads_more_than_is_left(unread.keys() | by_flux)
    reach = Reach(frozenset(found.read), unread, doubtful, by_flux, open_paths=paths, tells_most=tells_most)
    return reach, live


class _Finding:
    def __init__(self, tree: Tree, builds: Builds, charts: Charts, owners: Owners) -> None:
        self._tree = tree
        self._builds = builds
        self._charts = charts
        self._owners = owners
        self._suspicion = Suspicion(tree)
        self.read: set[str] = set()
        self.live: list[Owned] = []
        self._folders_known: tuple[list[Owned], int, dict[str, bool]] = ([], -1, {})
        self._dead: list[Owned] = []
        self._lively: set[str] = set()
        """Folders of samples with Applications, where there are no others."""
        self._buried: set[str] = set()
        """Folders of Applications that were deployed once."""
        self._taken_out: set[int] = set()
        """By id: Applications that only such bring as somebody took out."""
        self._rendered_from: set[str] = set()
        """Files of Applications that others bring as they are, out of what was rendered of them."""

    # -- from Applications

    def follow_applications(self) -> None:
        """First those that nothing speaks against; then those that these read."""
        self._dead = list(self._owners.owned)
        self._revive([one for one in self._dead if not self._is_suspect(one.application.resource)])
        if not (self._rules_here or self._has_real_sets):  # a repository of samples: they are all there is
            everyone = (one.application.resource for one in self._owners.owned)
            self._lively = {self._suspicion.sample_folder(_path_of(one)) for one in everyone}
            self._lively -= {""} if self.live else set()  # a file called example beside real ones is still one
            self._lively = {folder for folder in self._lively if not is_of_tests(folder)}  # these are wrong on purpose
            self._revive([one for one in self._dead if self._reason(_path_of(one.application.resource)) is None])
        while found := [one for one in self._dead if _path_of(one.application.resource) in self.read]:
            self._revive(found)
        self._bury_archives()
        self._follow_the_dead()
        self._leave_copies()

    def _follow_the_dead(self) -> None:
        """What only Applications bring that somebody took out, nobody applies either."""
        while files := self._read_by_the_dead():
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
        path = _path_of(owned.application.resource)
        return path in read_by_the_dead and path not in self.read and not self._brings_applications(owned)

    def _read_by_the_dead(self) -> frozenset[str]:
        """Nothing where no Application is left that brings others: the one that was taken out is applied by hand."""
        if not any(map(self._brings_applications, self.live)):
            return frozenset()
        return frozenset(path for one in self._dead if self._is_taken_out(one) for path in self._files_of(one))

    def _is_taken_out(self, owned: Owned) -> bool:
        return id(owned) in self._taken_out or self._reason(_path_of(owned.application.resource)) in TAKEN_OUT

    def _leave_copies(self) -> None:
        """Where the same Application is in a file that is read, nobody applies the one that it was rendered from."""
        read = [one for one in self.live if _path_of(one.application.resource) in self.read]
        known = {_written(one) for one in read}
        copies = [one for one in self.live if _path_of(one.application.resource) not in self.read]
        copies = [one for one in copies if not self._brings_applications(one) and _written(one) in known]
        self._rendered_from.update(_path_of(one.application.resource) for one in copies)
        ids = {id(one) for one in copies}
        self.live = [one for one in self.live if id(one) not in ids]
        self._dead += copies

    def _bury_archives(self) -> None:
        """Where Applications bring Applications: a folder that none of them reads, of some that mostly lead nowhere."""
        if all(_path_of(one.application.resource) not in self.read for one in self.live):
            return
        folders: dict[str, list[Owned]] = {}
        for one in self.live:
            path = _path_of(one.application.resource)
            if path not in self.read:
                folders.setdefault(posixpath.dirname(path), []).append(one)
        for found in (*folders.values(), *_lone_ones(folders)):
            local = [one for one in found if any(source.path for source in one.rendered)]
            lost = [one for one in local if any(source.missing for source in one.rendered)]
            if len(lost) >= SEVERAL and 2 * len(lost) >= len(local):
                self._buried.update(posixpath.dirname(_path_of(one.application.resource)) for one in lost)
        if self._buried:
            self._dead += [one for one in self.live if self._is_buried(_path_of(one.application.resource))]
            kept = [one for one in self.live if not self._is_buried(_path_of(one.application.resource))]
            self.live, self.read = [], set()
            self._revive(kept)

    def _is_buried(self, path: str) -> bool:
        return path not in self.read and any(_is_in(path, folder) for folder in self._buried)

    @property
    def _rules_here(self) -> bool:
        """Whether an Application is known that reads this repository."""
        return any(is_built for folder, is_built in self._folders_of_live.items() if folder)

    @property
    def _folders_of_live(self) -> Mapping[str, bool]:
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
    def _has_real_sets(self) -> bool:
        """Sets count even if what they make cannot be told: whoever has them syncs more than samples."""
        return any(self._reason(_path_of(one.resource)) is None for one in self._owners.sets)

    def _revive(self, found: list[Owned]) -> None:
        ids = {id(one) for one in found}
        self._dead = [one for one in self._dead if id(one) not in ids]
        self.live += found
        self.read.update(path for one in found for path in self._files_of(one))

    def is_live(self, resource: Resource) -> bool:
        return not self._is_suspect(resource) or _path_of(resource) in self.read

    def _is_suspect(self, resource: Resource) -> bool:
        path = _path_of(resource)
        return self._reason(path) is not None and (not resource.kustomized or self._is_sample_build(path))

    def _reason(self, path: str) -> Unread | None:
        """Why nobody would read a file, if nobody does."""
        if self._is_buried(path):
            return Unread.UNUSED
        reason = self._suspicion.of(path)
        if reason is Unread.LEFT_OUT and not self._is_left_out(path):
            reason = self._suspicion.by_itself(path)
        if reason in (None, Unread.SAMPLE) and path in self._kept_out:
            return Unread.EXCLUDED
        if reason is None and self._is_passed_over(path):
            return Unread.PASSED_OVER
        return None if reason is Unread.SAMPLE and self._suspicion.sample_folder(path) in self._lively else reason

    @lazy
    def _kept_out(self) -> frozenset[str]:
        """What an Application of Applications excludes, unless it is one itself, which somebody applies by hand.

        Of what it does not include, only more of its kind: the rest is for others to read.
        """
        parents = [one for one in self._owners.owned if self._brings_applications(one)]
        sources = [source for one in parents for source in one.rendered if source.tool == "directory" and source.path]
        excluded: set[str] = set()
        for one in sources:
            options = one.source.tool("directory")
            out, rest = kept_out(self._tree, one.path, options)
            excluded.update(out, (path for path in rest if any(self._suspicion.argo_objects(path))))
        return frozenset(excluded) - {_path_of(one.application.resource) for one in parents}

    def _is_sample_build(self, path: str) -> bool:
        """Whether only builds within a folder of samples have a part in a file."""
        folder = self._suspicion.sample_folder(path)
        return bool(folder) and not any(
            path in files for root, files in self._built.items() if not _is_in(root, folder)
        )

    def _is_left_out(self, path: str) -> bool:
        """Somebody applies the first Application by hand: that its neighbour does not name it tells nothing.

        It does where the neighbour names others of its kind, or another Application builds the neighbour.
        """
        kustomization = self._tree.kustomizations[posixpath.dirname(path) or "."]
        named = (entry for _, entry in kustomization.inputs() if entry)
        names_others = any(kind in ARGO_KINDS for entry in named for kind in self._suspicion.argo_objects(entry))
        if not names_others and not self._is_built_by_others(path):
            return not any(self._suspicion.argo_objects(path))
        return not self._is_first(path)

    def _is_passed_over(self, path: str) -> bool:
        """Whether kustomizations name, file by file, others of its kind that lie in its folder, and not this one."""
        if (posixpath.dirname(path) or ".") not in self._picked_from or path in self._tree.kustomized:
            return False
        return any(self._suspicion.argo_objects(path)) and not self._is_first(path)

    @lazy
    def _picked_from(self) -> frozenset[str]:
        """Folders without a kustomization, out of which others take Argo CD's objects by their files."""
        named = (path for path in self._tree.kustomized if any(self._suspicion.argo_objects(path)))
        return frozenset(posixpath.dirname(path) or "." for path in named) - self._tree.kustomizations.keys()

    def _is_first(self, path: str) -> bool:
        """Whether it has an Application of Applications, which somebody applies by hand."""
        found = (one for one in self._owners.owned if _path_of(one.application.resource) == path)
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
        for one in self._owners.owned:
            for source in one.rendered:
                if source.build is not None:
                    for folder in {source.path, *source.build.folders}:
                        found.setdefault(folder, set()).add(_path_of(one.application.resource))
        return found

    def _files_of(self, owned: Owned) -> Iterator[str]:
        for one in owned.rendered:
            if one.build is not None:
                yield from self._files_of_build(one.build)
            elif one.tool == "helm" and one.path:
                yield from self._files_of_chart(one.path)
            elif one.tool == "plugin" and one.path in self._tree.kustomizations:  # it builds it, and does more
                yield from self._files_of_build(self._builds.of(one.path))
            elif one.tool == "plugin":
                yield from self._tree.below(one.path)
            yield from (_path_of(resource) for resource in one.resources)
            yield from (failure.path for failure in one.failures)
            if one.asked is not None:
                yield from one.asked.value_files

    def _files_of_build(self, build: KustomizeBuild) -> Iterator[str]:
        yield from build.files
        for folder in build.folders:
            kustomization = self._tree.kustomizations.get(folder)
            if kustomization is not None:
                yield kustomization.file.path
                yield from (path for _, path in kustomization.inputs() if path in self._tree.sources)
                yield from kustomization.other_files()
        for path in build.charts:
            yield from self._files_of_chart(path) if path in self._tree.charts else (path,)

    def _files_of_chart(self, folder: str) -> Iterator[str]:
        inner = (one for _, one in self._charts.layout(folder).keyed_subcharts())
        for chart in (folder, *inner):
            yield from (path for path in self._tree.below(chart) if self._is_of_chart(path))

    def _is_of_chart(self, path: str) -> bool:
        """Not what only lies in its folder: objects beside the templates, data of tests."""
        is_object = bool(self._tree.by_file.get(path)) and path not in self._tree.in_charts
        return not is_object and self._suspicion.of(path) is not Unread.CHART_DATA

    @lazy
    def _built(self) -> Mapping[str, frozenset[str]]:
        """By folder: what each kustomization that no other one includes is built from."""
        roots = self._tree.build_roots
        return {folder: frozenset(self._files_of_build(self._builds.of(folder))) for folder in roots}

    # -- what is left

    def rest(self, paths: Collection[OpenPath]) -> tuple[dict[str, Unread], dict[str, Unread]]:
        """Of what no Application reads: what is surely not applied, and what may not be."""
        knows_all = not any(self._may_bring_more())
        kept = self.read | {_path_of(one.application.resource) for one in self.live}
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
        if len(apart - kept) > len(self.read | self._of_flux):  # whoever applies so much has more than is here
            doubtful |= {path: reason for path, reason in idle.items() if path in apart}
            idle = {path: reason for path, reason in idle.items() if path not in apart}
        surely = {path: reason for path, reason in idle.items() if path not in kept}
        return surely, {path: reason for path, reason in doubtful.items() if path not in kept and path not in surely}

    def reads_more_than_is_left(self, known: Collection[str]) -> bool:
        """Of files with objects; `known` are those that nobody applies, or somebody else does."""
        by_hand = {_path_of(one.application.resource) for one in self.live} - self.read
        whole = (path for path, objects in self._tree.by_file.items() if objects)
        objects = {path for path in (*whole, *self._tree.templates) if path not in known and path not in by_hand}
        return 2 * len(objects & self.read) > len(objects)

    def _is_sure(self, reason: Unread) -> bool:
        """A name counts where Applications show what is real, or Flux does."""
        return reason is not Unread.SAMPLE or self._rules_here or self._has_real_sets or bool(self._flux_folders)

    # -- what is not Argo CD's

    def by_flux(self) -> Iterator[str]:
        """Without what an Application reads as well."""
        yield from (path for path in self._of_flux if path not in self.read)

    @lazy
    def _of_flux(self) -> frozenset[str]:
        files = (*self._tree.sources, *self._tree.templates)
        return frozenset(flux_files(self._flux_folders, files, self._built) if self._flux_folders else ())

    @property
    def _flux_tells(self) -> bool:
        """Whether Flux names what it applies, folder by folder: then what nobody names is nobody's."""
        return len(self._flux_folders) >= SEVERAL

    @lazy
    def _flux_folders(self) -> frozenset[str]:
        found = (one for objects in self._tree.by_file.values() for one in objects if is_kustomization(one))
        return flux_folders((one for one in found if self._reason(_path_of(one)) is None), self._tree.folders)

    def _may_bring_more(self) -> Iterator[bool]:
        """Whether others may come from where nobody looks: a chart of Applications that was not rendered as somebody
        installs it, or another repository that is synced into Argo CD's own namespace.
        """
        for build in (*self._owners.unused_charts, *(s.chart for one in self.live for s in one.rendered if s.chart)):
            if self._charts.brings_applications(build.folder) and self._reason(f"{build.folder}/Chart.yaml") is None:
                yield not build.is_rendered or build.lacks_dependencies or any(r.tentative for r in build.resources)
        for app in (one.application for one in self.live):
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
        sources = (source for one in self.live for source in one.application.sources if self._is_elsewhere(source))
        return tuple({path for source in sources if (path := posixpath.normpath(source.path or ".")) != "."})

    def _roots(self) -> Iterator[tuple[str, frozenset[str]]]:
        """What would be a sync of its own, and its files."""
        yield from self._built.items()
        for build in self._owners.unused_charts:
            yield build.folder, frozenset(self._files_of_chart(build.folder))
        named = frozenset().union(*self._built.values())
        folders: dict[str, set[str]] = {}
        for path, objects in self._tree.by_file.items():
            elsewhere = path in named or path in self._tree.in_charts or path in self._tree.not_objects
            if objects and not elsewhere and self._reason(path) is None:
                folders.setdefault(posixpath.dirname(path) or ".", set()).add(path)
        yield from ((folder, frozenset(files)) for folder, files in folders.items())

    def _verdict(self, folder: str, files: frozenset[str], paths: Collection[OpenPath]) -> Unread | None:
        samples = self._suspicion.sample_folder(f"{folder}/x")
        if samples and samples not in self._lively and all(_is_in(path, samples) for path in files):
            return Unread.SAMPLE
        if not (self._rules_here or self._flux_tells) or self._is_owned(folder) or not files.isdisjoint(self._of_flux):
            return None
        if self._flux_folders and not self._flux_tells:
            return None
        if any(_is_in(folder, path) for path in self._names_of_others):
            return None
        if any(one.covers(folder) for one in paths) or self._is_published(folder):
            return None
        return (
            None
            if self._brings_argo(files - self._rendered_from) and not self._is_of_the_dead(files)
            else Unread.UNUSED
        )

    def _is_of_the_dead(self, files: frozenset[str]) -> bool:
        """Whether an Application that nobody applies reads some of it, and none that somebody does."""
        return not files.isdisjoint(self._files_of_the_dead) and files.isdisjoint(self.read)

    @lazy
    def _files_of_the_dead(self) -> frozenset[str]:
        return self._read_by_the_dead()

    def _is_owned(self, folder: str) -> bool:
        return folder in self._folders_of_live

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
        for source in (source for one in self.live for source in one.application.sources if source.chart):
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
        for folder in {posixpath.dirname(path) for path in self.read | self._of_flux}:
            while folder.strip("/"):  # somebody may name an absolute path, which has no end above it
                folder, name = posixpath.split(folder)
                found.setdefault(folder, set()).add(name)
        return found


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


def _options(template: Application) -> tuple[object, ...]:
    return template.prunes, template.server_side_apply, template.server_side_diff


def _path_of(resource: Resource) -> str:
    return resource.node.origin.file.path


def _is_in(path: str, folder: str) -> bool:
    return not folder or path == folder or path.startswith(f"{folder}/")
