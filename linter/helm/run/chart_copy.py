"""A chart as Helm gets it: a copy in a scratch folder, with what the repository can add and without what it cannot.

Files keep their paths below the root of the copy, so that relative paths mean
the same. Nothing is ever written into the repository, no link is copied, and
what is too much is left out and named.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final, NamedTuple

from ...files.disk import LFS_POINTER
from ...files.elsewhere import NOTHING, Elsewhere
from ...yaml.lazy import lazy
from ..answer import LeftOut, MissingDependency
from ..dependencies import CHART, joined
from ..helm_request import Request
from ..sealed_values import unsealed
from .lent_dependencies import ChartFiles, dependencies_of, root_at
from .remote_schemas import ARCHIVE, looks_elsewhere

MAX_FILES: Final = 5000
MAX_BYTES: Final = 64 * 1024**2
_UNREADABLE: Final = "cannot be read: a link that leads out of the repository, no regular file, or over 10 MB"
_TEMPLATE: Final = re.compile(r"(?:charts/[^/]+/)*templates/.")
_NOTES: Final = "NOTES.txt"
_IN_LFS: Final = "is kept by Git LFS and was not checked out: `git lfs pull` brings it"
_ODD: Final = re.compile(r"[^A-Za-z0-9._-]")
_FIRST: Final = re.compile(r"(?:Chart\.yaml|values\.yaml|values\.schema\.json|requirements\.yaml|\.helmignore)$")

Mark = Callable[[str, int], str]


class Entry(NamedTuple):
    """One file: its path in the copy, its path in the repository."""

    target: str
    source: str


class Written(NamedTuple):
    digests: Mapping[str, str]
    """By path in the copy, of what was really written."""
    left_out: tuple[LeftOut, ...]
    has_remote_schema: bool


@dataclass(frozen=True)
class ChartCopy:
    """What is going to be copied; nothing is yet, and only few files were read."""

    request: Request
    entries: tuple[Entry, ...]
    rewritten: Mapping[str, bytes] = field(default_factory=dict)
    missing: tuple[MissingDependency, ...] = ()
    left_out: tuple[LeftOut, ...] = ()

    def write(self, files: ChartFiles, root: str, mark: Mark | None = None, omitted: Iterable[str] = ()) -> Written:
        """`omitted` are paths in the copy."""
        skipped = frozenset(omitted)
        digests: dict[str, str] = {}
        left_out = list(self.left_out)
        remote = False
        total = 0
        for target, source in self.entries:
            if target in skipped:
                continue
            data = self.content(files, target, source)
            if data is None or total + len(data) > MAX_BYTES:
                reason = _UNREADABLE if data is None else f"the chart has more than {MAX_BYTES // 1024**2} MB"
                left_out.append(LeftOut(source, reason))
                continue
            total += len(data)
            remote = remote or looks_elsewhere(target, data)
            digests[target] = sha256(data).hexdigest()
            number = self.templates.get(target) if mark is not None else None
            _put(os.path.join(root, target), data if mark is None or number is None else _marked(data, mark, number))
        return Written(digests, tuple(left_out), remote)

    def content(self, files: ChartFiles, target: str, source: str) -> bytes | None:
        """Without marks: what they say follows from it."""
        return self.rewritten.get(target) or files.data(source)

    @lazy
    def templates(self) -> dict[str, int]:
        """Their paths in the copy, and the numbers that go into marks."""
        found = (entry.target for entry in self.entries if self._is_template(entry.target))
        return {target: number for number, target in enumerate(found)}

    def source_of(self, target: str) -> str:
        return next((entry.source for entry in self.entries if entry.target == target), target)

    def unreadable_input(self, left_out: Iterable[LeftOut]) -> str:
        """Why Helm cannot be given a file that the request names."""
        named = {*self.request.value_files, *(path for _, path in self.request.set_file)}
        found = next((one for one in left_out if one.path in named), None)
        return f"{found.path} {found.reason}" if found else ""

    def target_of(self, files: ChartFiles, template: str) -> str | None:
        """The path in the copy of a template as Helm names it: by the names of charts, not of their folders."""
        targets = {entry.target for entry in self.entries}
        folder, rest = self.request.chart, template.partition("/")[2]
        while rest.startswith("charts/"):
            name, _, rest = rest.removeprefix("charts/").partition("/")
            inner = self._subchart(files, folder, name)
            if inner is None:
                return None
            folder = inner
        target = joined(folder, rest)
        return target if target in targets else None

    def _subchart(self, files: ChartFiles, folder: str, name: str) -> str | None:
        prefix = joined(folder, "charts/")
        for target, source in self.entries:
            inner = target.removesuffix(f"/{CHART}")
            is_chart = inner != target and inner.startswith(prefix) and "/" not in inner[len(prefix) :]
            if is_chart and (root := root_at(files, source)) is not None and root["name"].text == name:
                return inner
        return None

    def _is_template(self, target: str) -> bool:
        prefix = "" if self.request.chart == "." else f"{self.request.chart}/"
        return target.startswith(prefix) and bool(_TEMPLATE.match(target, len(prefix))) and not target.endswith(_NOTES)


def plan(
    files: ChartFiles, request: Request, not_there: Collection[str] = (), elsewhere: Elsewhere = NOTHING
) -> ChartCopy:
    """`not_there` are dependencies that Helm itself did not find, though it looks as if they were there."""
    own, more = _bounded(files.below(request.chart), request.chart)
    elsewhere_kept = [path for path in own if path.endswith(ARCHIVE) and _is_pointer(files, path)]
    entries = {path: path for path in own if path not in elsewhere_kept}
    dependencies = dependencies_of(files, request.chart, entries, not_there, elsewhere)
    left_out = [*more, *(LeftOut(path, _IN_LFS) for path in elsewhere_kept)]
    for name, folder in dependencies.borrowed:
        lent, too_many = _bounded(files.below(folder), folder)
        # Helm goes by the name inside; the folder must be one that stays in the copy and that Helm looks into.
        plain = _ODD.sub("-", name).lstrip("._-") or "chart"
        place = _free_folder(joined(request.chart, f"charts/{plain}"), entries)
        prefix = "" if folder == "." else f"{folder}/"
        entries.update((f"{place}/{path[len(prefix) :]}", path) for path in lent)
        left_out += too_many
    for path in (*request.value_files, *(path for _, path in request.set_file)):
        entries.setdefault(path, path)
    opened = ((path, unsealed(files, path)) for path in request.value_files)
    rewritten = {**dependencies.rewritten, **{path: one.data for path, one in opened if one is not None}}
    pairs = tuple(Entry(target, source) for target, source in entries.items())
    return ChartCopy(request, pairs, rewritten, dependencies.missing, tuple(left_out))


def _bounded(paths: Iterable[str], folder: str) -> tuple[list[str], list[LeftOut]]:
    found: list[str] = []
    for path in paths:
        if len(found) >= MAX_FILES:
            return sorted(found, key=_weight), [LeftOut(folder, f"has more than {MAX_FILES} files")]
        found.append(path)
    return sorted(found, key=_weight), []


def _is_pointer(files: ChartFiles, path: str) -> bool:
    return (files.data(path) or b"").startswith(LFS_POINTER)


def _weight(path: str) -> tuple[int, str]:
    """What makes the chart comes before what merely lies in it."""
    return (0 if _FIRST.search(path) else 1 if "/templates/" in f"/{path}" else 2, path)


def _free_folder(wanted: str, taken: Iterable[str]) -> str:
    number, folder = 1, wanted
    while any(path.startswith(f"{folder}/") for path in taken):
        number, folder = number + 1, f"{wanted}-{number}"
    return folder


def _marked(data: bytes, mark: Mark, number: int) -> bytes:
    try:
        return mark(data.decode("utf-8"), number).encode("utf-8")
    except UnicodeDecodeError:
        return data


def _put(path: str, data: bytes) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)
