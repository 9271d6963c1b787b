"""Paths → files: what a run looks at."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from ..facts.file_names import JSONNET, KUSTOMIZATIONS
from ..facts.limits import MAX_TEXT
from ..programs import watch
from ..yaml.source import EXTENSIONS, SourceFile
from .disk import Reader, beginning, read_file
from .tops import NoSuchPath, common_root, located
from .tracked_files import Listing, Versioned

_KUSTOMIZATION: Final = "Kustomization"
_NEVER_WALKED: Final = frozenset({".git", ".hg", ".svn"})
FILLED_BY_TOOLS: Final = frozenset({"node_modules", ".venv", "venv", ".terraform", "__pycache__"})
"""Read where git tracks something in them, or an Application names them: then Argo CD reads them, too."""


def is_read(name: str) -> bool:
    """Whether a file of that name may hold what a run looks at, on the disk and in a revision."""
    return name.endswith(EXTENSIONS) or name == _KUSTOMIZATION


def is_never_walked(name: str) -> bool:
    return name in _NEVER_WALKED


@dataclass
class Found:
    root: Path
    files: list[SourceFile] = field(default_factory=list)
    templates: list[SourceFile] = field(default_factory=list)
    """Helm templates: no YAML yet, so they are kept apart from the files."""
    others: list[SourceFile] = field(default_factory=list)
    """JSON that is no manifest; a generator may read parameters from it."""
    jsonnet: list[str] = field(default_factory=list)
    """Programs that make manifests: they are known to be there, and never read."""
    folders: list[str] = field(default_factory=list)
    """Every folder that was walked, whatever it holds."""
    passed_over: list[str] = field(default_factory=list)
    """Folders that exist and were not walked: excluded, ignored by git, or links."""
    empty: list[str] = field(default_factory=list)
    """Folders with nothing in them. Git keeps none, so they are submodules that were not checked out, or litter."""
    base: str = "."
    """The one folder that was asked for, seen from the root."""
    remotes: list[str] = field(default_factory=list)
    """The addresses that git knows for this repository."""
    requested: frozenset[str] | None = None
    """When files or folders were named, the files to report on; the others are their context."""
    requested_files: frozenset[str] = frozenset()
    """The files that were named."""
    requested_below: tuple[str, ...] = ()
    """The folders that were named, with a slash at the end: also what is no longer in them counts."""
    whole: bool = False
    """True when all of the repository was read, so that what was not found is not there."""
    below: tuple[str, ...] = ("",)
    """The folders that were walked, with a slash at the end; empty for the root."""
    reader: Reader | None = None
    """Opens other files of the same revision; None: those on the disk."""
    versioned: Versioned | None = None
    """Which files on the disk are git's."""
    unread: int = 0
    """Files that were found and not read."""
    unread_since: str = ""
    """Why: what the others come to."""
    stopped: str = ""
    """Why looking for files ended before it was through: the time of the run was over."""

    @property
    def has_charts(self) -> bool:
        """Whether there is one, or a kustomization asks for one, which may lie where nobody has walked."""
        return any(
            file.path.endswith("Chart.yaml") or (file.path.endswith(KUSTOMIZATIONS) and "helmChart" in file.text)
            for file in self.files
        )

    @property
    def disk(self) -> Reader:
        return Reader(self.root, self.versioned.hides) if self.versioned else Reader(self.root)

    def wants(self, path: str) -> bool:
        return self.requested is None or path in self.requested or path.startswith(self.requested_below)


def discover(
    paths: Sequence[Path],
    is_excluded: Callable[[str], bool] = lambda path: False,
    *,
    respect_gitignore: bool = True,
    tracked: Listing | None = None,
    context: bool = False,
) -> Found:
    """Everything below the folders given; for files given, and for folders that want it, the whole repository around
    them as context.

    What git has under control it does not ignore, whatever is written in `.gitignore`; `tracked` may know that already.
    """
    resolved = []
    for path in paths:
        if not os.path.lexists(path):
            raise NoSuchPath(f"{path}: no such file or folder")
        resolved.append(located(path))
    root = common_root(resolved)
    versioned = Versioned(root, respect_gitignore=respect_gitignore, tracked=tracked)
    found = Found(root, versioned=versioned)
    files = [path for path in resolved if not path.is_dir()]
    given = [path for path in resolved if path.is_dir()]
    folders = [root] if files or (context and given) else given
    found.whole = root in folders
    if len(resolved) == 1 and given == resolved:
        found.base = resolved[0].relative_to(root).as_posix()
    found.below = tuple("" if folder == root else f"{folder.relative_to(root).as_posix()}/" for folder in folders)
    walk = _Walk(root, is_excluded, versioned)
    names: dict[str, None] = {}
    try:
        for folder in (*given, *folders):  # those that are named first: they are meant, whatever git ignores
            for name in walk.below(folder):
                names[name] = None
    except watch.RunOver as reason:
        found.stopped = str(reason)
    found.remotes = _remotes(root)
    asked = [path.relative_to(root).as_posix() for path in files]
    names.update(dict.fromkeys(asked))  # a file that is named is read even where a pattern excludes it
    charts = {os.path.dirname(name) for name in names if os.path.basename(name) == "Chart.yaml"}
    _read_all_into(found, str(root), sorted(names), charts)
    named = [path for folder in dict.fromkeys(walk.filled_by_tools) for path in walk.if_named(folder, found.files)]
    _read_all_into(found, str(root), named, charts)
    if named:
        names.update(dict.fromkeys(named))
        found.files.sort(key=lambda file: file.path)
    found.folders, found.passed_over, found.empty = list(walk.folders), list(walk.passed_over), list(walk.empty)
    found.jsonnet = list(walk.jsonnet)
    found.requested_files = frozenset(asked)
    if root in folders and root not in given:
        found.requested_below = tuple(f"{folder.relative_to(root).as_posix()}/" for folder in given)
        found.requested = frozenset((*asked, *(name for name in names if name.startswith(found.requested_below))))
    return found


class _Walk:
    def __init__(self, root: Path, is_excluded: Callable[[str], bool], versioned: Versioned) -> None:
        self.root = root
        self.is_excluded = is_excluded
        self.versioned = versioned
        self.folders: dict[str, None] = {}
        self.passed_over: dict[str, None] = {}
        self.empty: dict[str, None] = {}
        self.jsonnet: dict[str, None] = {}
        self.filled_by_tools: list[str] = []

    def below(self, folder: Path) -> Iterator[str]:
        relative = "" if folder == self.root else folder.relative_to(self.root).as_posix()
        self.versioned.mean(relative)
        yield from self._walk(relative)

    def if_named(self, folder: str, files: Sequence[SourceFile]) -> Iterator[str]:
        """Of a folder that was passed over, in case that an Application has it as its path."""
        as_path = re.compile(rf"(?<![\w./-])(?:\./|/)?{re.escape(folder)}(?![\w.-])")
        if any(folder in file.text and "argoproj.io/" in file.text and as_path.search(file.text) for file in files):
            del self.passed_over[folder]
            yield from self._walk(folder)

    def _walk(self, top: str) -> Iterator[str]:
        waiting = [top]
        while waiting:  # by a list of our own: folders may be nested deeper than calls
            found: list[str] = []
            yield from self._look_into(waiting.pop(), found)
            waiting += reversed(found)

    def _look_into(self, relative: str, found: list[str]) -> Iterator[str]:
        """The files of one folder; its folders are found, and not looked into."""
        prefix = f"{relative}/" if relative else ""
        self.folders[relative or "."] = None
        try:
            with os.scandir(f"{self.root}/{relative}") as entries:
                listed = sorted(entries, key=lambda entry: entry.name)
        except OSError:
            return
        if not listed:
            self.empty[relative] = None
        for entry in listed:
            name = entry.name
            path = prefix + name
            is_folder = entry.is_dir(follow_symlinks=False)
            if entry.is_symlink() and os.path.isdir(self.root / path):
                self.passed_over[path] = None  # Argo CD does not walk linked folders, either
            elif is_folder:
                if is_never_walked(name) or self._left_out(path, True) or self._is_only_of_tools(path, name):
                    self.passed_over[path] = None
                else:
                    found.append(path)
            elif is_read(name) and not self._left_out(path, False):
                yield path
            elif name.endswith(JSONNET) and not self._left_out(path, False):
                self.jsonnet[path] = None

    def _left_out(self, path: str, is_folder: bool) -> bool:
        return self.is_excluded(path) or self.versioned.leaves_out(path, is_folder)

    def _is_only_of_tools(self, path: str, name: str) -> bool:
        if name not in FILLED_BY_TOOLS:
            return False
        if path in self.versioned.tracked:
            self.versioned.take_only_tracked(path)
            return False
        self.filled_by_tools.append(path)
        return True


def _read_all_into(found: Found, root: str, names: Sequence[str], charts: set[str]) -> None:
    """As many as a run takes on: what was read is judged, and the rest is counted."""
    done, room = 0, MAX_TEXT - sum(len(file.text) for file in (*found.files, *found.templates, *found.others))
    try:
        for name in names:
            if room < 0:
                found.unread_since = f"the others have more than {MAX_TEXT // 1024**2} MB together"
                break
            file = read_file(root, name)
            if file is not None:
                room -= len(file.text)
                sort_in(found, file, charts)
            done += 1
    except watch.RunOver as reason:
        found.stopped = str(reason)
    if done < len(names):
        found.unread += len(names) - done
        found.whole = False


def sort_in(found: Found, file: SourceFile, charts: Collection[str]) -> None:
    """Manifests, templates of charts, or other JSON."""
    name = file.path
    if charts and "{{" in file.text and _in_templates(name, charts):
        found.templates.append(file)
    elif not name.endswith(".json") or ('"kind"' in file.text and '"apiVersion"' in file.text) or file.refused:
        found.files.append(file)
    else:
        found.others.append(file)


def _remotes(root: Path) -> list[str]:
    """From git's own config, as text: asking git would run what the config says."""
    try:
        config = beginning(_git_folder(root) / "config")
    except (OSError, ValueError):
        return []
    sections = re.split(r"^\[", config, flags=re.MULTILINE)
    remotes = [section for section in sections if section.startswith("remote ")]
    return [url for section in remotes for url in re.findall(r"^\s*(?:push)?url\s*=\s*(\S+)", section, re.MULTILINE)]


def _git_folder(root: Path) -> Path:
    """In a worktree and in a submodule `.git` is a file that says where the rest is."""
    git = root / ".git"
    if not git.is_file():
        return git
    said = re.match(r"gitdir: (.+)", beginning(git))
    folder = (root / said[1]).resolve() if said else git
    common = folder / "commondir"
    if common.is_file():
        folder = (folder / beginning(common).strip()).resolve()
    return folder if ".git" in folder.parts else git


def _in_templates(name: str, charts: Collection[str]) -> bool:
    parts = name.split("/")
    return any(part == "templates" and "/".join(parts[:at]) in charts for at, part in enumerate(parts[:-1]))
