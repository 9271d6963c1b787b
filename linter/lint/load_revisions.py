"""Files → the model: of one revision, or of two that share what they have in common."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence
from dataclasses import replace
from time import monotonic
from typing import TYPE_CHECKING, Final

from ..dialects.phrases import and_more
from ..facts.file_names import KUSTOMIZATIONS
from ..facts.limits import READING_GRACE
from ..fetch.lock_file import LOCK_NAME
from ..files.discover import Found
from ..files.elsewhere import NOTHING, Elsewhere
from ..helm.dependencies import CHART
from ..kubernetes.crds import Schemas
from ..kubernetes.resource import resources_in
from ..programs import watch
from ..repo.build_repo import Surroundings, build_repo
from ..repo.model import Repo
from ..repo.sources.kustomize_builds import NotAnalysed
from ..yaml.source import SourceFile
from .config import Config
from .credentials import Credentials
from .progress import Progress

if TYPE_CHECKING:
    from ..change import Change
    from ..fetch.shelf_choice import ShelfChoice
    from ..files.revision import Base
    from ..helm.run.helm_choice import HelmChoice
    from ..kustomize.kustomize_binary import RealKustomize
    from ..repo.reuse import Reuse

LOOK_AFTER: Final = 256 * 1024
"""Characters that are read between two looks at the memory: their values take some 20 MB."""
_MAKERS: Final = (*KUSTOMIZATIONS, CHART)
"""Files whose folders are built."""


def read_change(
    head: Repo, base: Base, config: Config, helm: HelmChoice | None, fetched: ShelfChoice | None = None
) -> Change:
    """Our own builds only: what is not on the disk no other program can build."""
    from ..change import Change  # most runs look at one revision

    has_other_lock = base.differences.touched(LOCK_NAME)  # then one address may mean two things
    reuse = head.reused_by(base.differences.touched) if head.reused_by and not has_other_lock else None
    around = _around(base.found, config, helm, fetched)
    before = build_repo(base.found.files, config.versions, Schemas(config.schema_dir), around, reuse)
    return Change(judging_what_is_asked(before, base.found, config), head, base.differences.files)


def failing_builds(change: Change, base: Base) -> Iterator[str]:
    """Builds of the base that fail, and that the head does not have in the same way."""
    ours = {id(build) for build in change.head.kustomize.builds}
    failing = [build for build in change.base.kustomize.builds if build.errors and id(build) not in ours]
    failing = [build for build in failing if any(base.differences.touched(folder) for folder in build.folders)]
    if failing:
        first = failing[0]
        more = and_more(len(failing) - 1, " (and {} more)")
        yield (
            f"the build of {first.folder} fails as {base.revision} has it{more}, so its objects are not compared:"
            f" {first.errors[0].message}"
        )


def read_repo(
    found: Found,
    config: Config,
    progress: Progress = Progress(),
    kustomize: RealKustomize | None = None,
    helm: HelmChoice | None = None,
    reuse: Reuse | None = None,
    fetched: ShelfChoice | None = None,
) -> Repo:
    """`reuse` is what a look at nearly the same files has made of those that are the same."""
    if found.stopped:
        raise watch.RunOver(found.stopped)
    found = _read_within_memory(found, progress)
    around = _around(found, config, helm, fetched)._replace(kustomize=kustomize)
    with progress.during("Building what Argo CD would apply"):
        repo = build_repo(found.files, config.versions, Schemas(config.schema_dir), around, reuse)
    if found.unread:
        repo = replace(repo, not_analysed=(*repo.not_analysed, _unread(found)))
    return judging_what_is_asked(repo, found, config)


def judging_what_is_asked(repo: Repo, found: Found, config: Config) -> Repo:
    """Whoever names a file, or a folder of which nobody reads anything, wants to hear about it."""
    unread = repo.reach.unread
    folders = [below for below in found.requested_below if not any(p.startswith(below) for p in repo.reach.read)]
    files = found.requested_files
    reach = repo.reach.judging(
        lambda path: path in files or path.startswith(tuple(folders)), everything=config.show_unread
    )
    return repo if reach.unread is unread else replace(repo, reach=reach)


def _read_within_memory(found: Found, progress: Progress) -> Found:
    """As many files as fit into what a run may need for them."""
    since = 0
    for number, file in enumerate(progress.each(found.files, "Reading files"), start=1):
        _ = file.documents
        since += len(file.text)
        if since < LOOK_AFTER or number == len(found.files):
            continue
        since = 0
        if full := watch.reading_has_its_share():
            unread = found.unread + len(found.files) - number
            return replace(found, files=found.files[:number], unread=unread, unread_since=full, whole=False)
    return found


def _unread(found: Found) -> NotAnalysed:
    files = "1 file is" if found.unread == 1 else f"{found.unread:,} files are"
    return NotAnalysed(found.base, "more files than a run reads", f"{files} not read: {found.unread_since}", True)


def read_so_far(found: Found, config: Config, reason: str) -> Repo:
    """Of a run whose time is over: the files that were parsed by then, and objects where they stand as they are.

    In the folders of a kustomization or a chart a file may be a part of something, which is not known yet.
    """
    if found.stopped:  # before anything was parsed
        _parse_some(found.files)
    files = [file for file in found.files if file.is_parsed]
    makers = {folder for folder, name in (posixpath.split(file.path) for file in found.files) if name in _MAKERS}
    plain = [file for file in files if makers.isdisjoint(_folders_above(file.path))]
    resources = tuple(r for file in plain for document in file.documents for r in resources_in(document.root))
    every = len(found.files) + found.unread
    unread = every - len(files)
    detail = f"nothing was built, {unread} of {every} files were not read" if unread else "nothing was built"
    return Repo(
        files=tuple(files),
        resources=resources,
        apps=(),
        versions=config.versions,
        not_analysed=(NotAnalysed(found.base, reason, detail, True),),
        owners={id(one.node.raw): one for one in resources},
    )


def _parse_some(files: Sequence[SourceFile]) -> None:
    end = monotonic() + READING_GRACE
    for file in files:
        _ = file.documents
        if monotonic() > end:
            return


def _folders_above(path: str) -> Iterator[str]:
    while path:
        path = posixpath.dirname(path)
        yield path


def _around(found: Found, config: Config, helm: HelmChoice | None, fetched: ShelfChoice | None) -> Surroundings:
    reader = found.reader or found.disk
    elsewhere: Elsewhere = NOTHING
    has_charts = found.has_charts
    if fetched is not None:
        shelf, reader = fetched.at(reader, config.repos, (*found.remotes, *config.repo_urls))
        elsewhere, has_charts = shelf, has_charts or shelf.is_filled
    return Surroundings(
        folders=found.folders,
        passed_over=found.passed_over,
        empty=found.empty,
        templates=found.templates,
        others=found.others,
        jsonnet=found.jsonnet,
        reader=reader,
        remotes=found.remotes,
        repo_urls=config.repo_urls,
        supplied=config.applicationset_parameters,
        clusters=config.clusters,
        roots=config.roots,
        plugins=config.plugins,
        data_kinds=config.data_kinds,
        helm=helm.at(found.root, reader, elsewhere, Credentials(found.files).are_in)
        if helm is not None and has_charts
        else None,
        elsewhere=elsewhere,
        base=found.base,
        whole=found.whole,
        is_ignored=found.versioned.would_ignore if found.versioned else lambda path: False,
    )
