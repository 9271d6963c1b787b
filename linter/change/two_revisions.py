"""Two revisions of one repository, seen object by object: what a merge will do."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ..files.file_changes import FileChange, FileStatus, compare
from ..kubernetes.resource import Resource
from ..repo.app import App
from ..repo.model import Repo
from ..yaml.lazy import lazy
from ..yaml.source import Place, SourceFile, Spot
from .app_pairs import AppChange, match_apps
from .changed_lines import LineChanges
from .departures import Departure, find_departures
from .fate import Fates
from .matched_objects import match_objects
from .object_pairs import ObjectChange, Renaming, key_of
from .removal_places import place_of_removal
from .renames import find_renamings
from .stakes import Stakes


class Change:
    """From `base`, what is deployed now, to `head`, what will be. Both are whole: a rule may ask either anything.

    A file that is the same in both is one SourceFile, and what comes of it one Resource, so that `is` tells.
    """

    def __init__(self, base: Repo, head: Repo, files: Sequence[FileChange] | None = None) -> None:
        self.base = base
        self.head = head
        self._files = files

    @lazy
    def objects(self) -> tuple[ObjectChange, ...]:
        """Every object that is added, removed, written otherwise, or moved; not those that stayed as they are.

        Nor those that only seem so, since a file of the other revision does not parse, or a build there fails.
        """
        found = match_objects(self.base, self.head, self.path_after)
        before, after = Unknown(self.base), Unknown(self.head)
        return tuple(
            one
            for one in found
            if not (one.is_removed and after.covers(one.app, one.resource, self.path_after))
            and not (one.is_added and before.covers(one.app, one.resource, self.path_before))
        )

    @lazy
    def renamings(self) -> tuple[Renaming, ...]:
        """Pairs of a removed and an added object that people would call one."""
        names = {key_of(one.before): key_of(one.after) for one in self.apps if one.before and one.after}
        return find_renamings(self.objects, lambda app: names.get(app, app))  # type: ignore[call-overload]

    @lazy
    def apps(self) -> tuple[AppChange, ...]:
        """Every Application of either revision, generated ones included."""
        return tuple(match_apps(self.base, self.head))

    @lazy
    def changed_apps(self) -> tuple[AppChange, ...]:
        """Applications to which a merge does something: new, gone, written otherwise, or with another object."""
        moved = (one for one in self.objects if not one.is_kept or one.is_rewritten or one.moved_app)
        touched = {id(app) for one in moved for app in (one.before_app, one.after_app)}
        return tuple(
            one
            for one in self.apps
            if not one.is_kept or one.is_renamed or one.is_rewritten or not touched.isdisjoint(map(id, one))
        )

    def still_in(self, change: ObjectChange) -> tuple[App, ...]:
        """The apps of head that have an object: where one is removed from an app, others may still bring it."""
        return self._apps_by_identity.get(change.identity, ()) if change.identity else ()

    @lazy
    def _apps_by_identity(self) -> Mapping[object, tuple[App, ...]]:
        wanted = {one.identity for one in self.objects if one.is_removed and one.identity}
        found: dict[object, list[App]] = {}
        for app in self.head.apps if wanted else ():
            for resource in app.resources:
                if (identity := app.identity(resource)) in wanted:
                    found.setdefault(identity, []).append(app)
        return {identity: tuple(apps) for identity, apps in found.items()}

    # -- what leaves

    @lazy
    def fates(self) -> Fates:
        """Who deletes what is gone, and what keeps it."""
        return Fates(self)

    @lazy
    def stakes(self) -> Stakes:
        """What is lost with it."""
        return Stakes(self)

    @lazy
    def departures(self) -> tuple[Departure, ...]:
        """Objects that leave an Application which is still there, each with the reason."""
        return tuple(find_departures(self))

    # -- files and lines

    @lazy
    def changed_files(self) -> tuple[FileChange, ...]:
        return tuple(self._files) if self._files is not None else compare(self.base_files, self.head_files)

    @lazy
    def base_files(self) -> Mapping[str, SourceFile]:
        return {file.path: file for file in self.base.files}

    @lazy
    def head_files(self) -> Mapping[str, SourceFile]:
        return {file.path: file for file in self.head.files}

    def is_changed(self, path: str) -> bool:
        """Whether a file of head is new, written otherwise or renamed; its permissions do not count."""
        return path in self._before_of

    def path_after(self, path: str) -> str:
        """What a file of the base is called in head; its own name if it is gone."""
        return self._after_of.get(path, path)

    def path_before(self, path: str) -> str:
        """What a file of head is called in the base; its own name if it is new."""
        return self._before_of.get(path) or path

    @lazy
    def _before_of(self) -> Mapping[str, str]:
        return {one.after: one.before for one in self.changed_files if one.after and one.status is not FileStatus.MODE}

    @lazy
    def _after_of(self) -> Mapping[str, str]:
        return {one.before: one.after for one in self.changed_files if one.before and one.after}

    def changed_lines(self, path: str) -> frozenset[int]:
        """Numbers of lines of head, from 1; all of a new file, none where lines were only taken out."""
        if not self.is_changed(path):
            return frozenset()
        lines = self._lines(path)
        if lines is not None:
            return lines.changed
        file = self.head_files.get(path)
        return frozenset(range(1, file.text.count("\n") + 2)) if file else frozenset()

    def first_change(self, path: str) -> Spot | None:
        """The first changed line of a file of head; None if the file was not changed, or is new."""
        lines = self._lines(path) if self.is_changed(path) else None
        return lines.first() if lines else None

    def place_of_line(self, path: str, line: int) -> Spot | None:
        """Where a line of the base was changed or taken out; None if it still stands there, or its file is gone."""
        after = self.path_after(path)
        lines = self._lines(after) if self.is_changed(after) and self._before_of[after] == path else None
        return lines.place_of(line) if lines else None

    def place_of_removal(self, change: ObjectChange) -> Place:
        """Where in head people see that an object is gone: on the changed line where there is one."""
        return place_of_removal(self, change)

    def _lines(self, path: str) -> LineChanges | None:
        """None where there is nothing to compare with."""
        if path not in self._compared:
            before = self.base_files.get(self._before_of.get(path, ""))
            after = self.head_files.get(path)
            self._compared[path] = LineChanges(before, after) if before and after else None
        return self._compared[path]

    @lazy
    def _compared(self) -> dict[str, LineChanges | None]:
        return {}


# -- what cannot be said to be added or removed, because the other revision is not known there


class Unknown:
    """Of one revision: what is not known."""

    def __init__(self, repo: Repo) -> None:
        self._repo = repo

    def covers(self, app: App | None, resource: Resource, name_here: Callable[[str], str]) -> bool:
        """Whether an object of the other revision may be here all the same."""
        if name_here(resource.file.path) in self._files:
            return True
        return app is not None and key_of(app) in self._apps

    @lazy
    def _files(self) -> frozenset[str]:
        return frozenset(file.path for file in self._repo.files if file.problems)

    @lazy
    def _apps(self) -> frozenset[tuple[str, str, str]]:
        failing = {build.folder for build in self._repo.kustomize.builds if build.errors}
        if not failing:
            return frozenset()
        return frozenset(key_of(app) for app in self._repo.apps if _is_built_from(app, failing)) | {
            ("unit", "", folder) for folder in failing
        }


def _is_built_from(app: App, failing: set[str]) -> bool:
    if app.application is None:
        return app.name in failing
    return any(one.build is not None and one.build.errors for one in app.rendered)
