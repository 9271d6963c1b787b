"""One git repository: which revision a word means, what is in it, and in the index."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, Final, NamedTuple

from ..facts.regexes import regex
from ..programs.processes import Ended
from ..yaml.lazy import lazy
from .process import Git, GitError, last_line

LINK: Final = "120000"
SUBMODULE: Final = "160000"
EMPTY: Final = "empty"
MAX_TOTAL: Final = 1024**3
"""Bytes of all contents that are read from git in one run."""
_OBJECT: Final = regex(r"[0-9a-f]{40}|[0-9a-f]{64}")
_NO_REPOSITORY: Final = "not a git repository"
_DUBIOUS: Final = "dubious ownership"


class Entry(NamedTuple):
    """A file, a link or a submodule, as git has it."""

    mode: str
    oid: str

    @property
    def is_link(self) -> bool:
        return self.mode == LINK

    @property
    def is_submodule(self) -> bool:
        return self.mode == SUBMODULE


Listing = Mapping[str, Entry]
"""By path, counted from the root of the run; names that are no UTF-8 as Python has them from the disk."""


class Revision(NamedTuple):
    name: str
    """As it was asked for."""
    oid: str
    """Of the commit, or of a tree; EMPTY before the first commit."""

    def __str__(self) -> str:
        return self.name


class Index(NamedTuple):
    entries: Listing
    unmerged: tuple[str, ...] = ()
    """Paths of a merge that is not finished."""
    left_out: frozenset[str] = frozenset()
    """Files that a sparse checkout leaves out of the working tree."""


class Repository:
    """`root` is the top of the run: the top of the working tree, or a folder in it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._git = Git(root)
        self._read = 0
        answer = self._git.ask("rev-parse", "--is-shallow-repository", "--show-object-format", "--show-prefix")
        if answer.code != 0:
            raise GitError(self._refusal(answer))
        shallow, algorithm, prefix = answer.printed.split(b"\n", 2)
        self.is_shallow = shallow == b"true"
        self.algorithm = "sha256" if algorithm == b"sha256" else "sha1"
        """That names are made by; a git that does not know the question knows sha1 only."""
        self._prefix = prefix.removesuffix(b"\n")

    def _refusal(self, answer: Ended) -> str:
        if _DUBIOUS in answer.complained:
            return (
                f"git does not trust {self.root}, which another user owns; if you do: "
                f"`git config --global --add safe.directory {self.root}`"
            )
        if _NO_REPOSITORY in answer.complained:
            return f"{self.root} is in no git repository, so there is no revision to compare with"
        return f"git cannot read the repository: {last_line(answer.complained)}"

    # -- revisions

    def revision(self, word: str) -> Revision:
        """What `REV` means; `REV...` is where the history of HEAD left that of REV."""
        name = word.removesuffix("...")
        if not name or name.startswith("-") or ".." in name or "\0" in name or "\n" in name:
            raise GitError(f"{word!r} names no revision; give a branch, a tag or a commit, or `REV...`")
        if not word.endswith("..."):
            return Revision(word, self._resolved(name))
        ours, theirs = self._resolved("HEAD"), self._resolved(name)
        answer = self._git.ask("merge-base", ours, theirs)
        found = answer.printed.decode("ascii", "replace").split()
        if answer.code != 0 or not found:
            raise GitError(without_ancestor(name, self.is_shallow))
        return Revision(word, found[0])

    def _resolved(self, name: str) -> str:
        for kind in ("commit", "tree"):
            answer = self._git.ask("rev-parse", "--verify", "--quiet", f"{name}^{{{kind}}}")
            found = answer.printed.decode("ascii", "replace").strip()
            if answer.code == 0 and _OBJECT.fullmatch(found):
                return found
        if name == "HEAD" and self._git.ask("symbolic-ref", "--quiet", "HEAD").code == 0:
            return EMPTY  # a branch without a commit
        raise GitError(not_here(name, self.is_shallow))

    # -- what is in them

    def listing(self, revision: Revision) -> Listing:
        """Everything below the root of the run."""
        if revision.oid == EMPTY:
            return {}
        folder = [os.fsdecode(self._prefix)] if self._prefix else []
        answer = self._git.ask("ls-tree", "-r", "-z", "--full-tree", revision.oid, *folder)
        if answer.code != 0:
            raise GitError(f"{revision}: {_missing(last_line(answer.complained))}")
        return dict(self._entries(answer.printed))

    def _entries(self, printed: bytes) -> Iterator[tuple[str, Entry]]:
        for line in printed.split(b"\0"):
            facts, tab, name = line.partition(b"\t")
            if tab and name.startswith(self._prefix):
                mode, _, oid = facts.decode("ascii").split()
                yield os.fsdecode(name[len(self._prefix) :]), Entry(mode, oid)

    @lazy
    def index(self) -> Index:
        """What the next commit would have; during a commit, what git tells its hooks to look at."""
        own = os.environ.get("GIT_INDEX_FILE")
        answer = self._git.ask("ls-files", "-s", "-t", "-z", index=os.path.abspath(own) if own else None)
        if answer.code != 0:
            raise GitError(f"the index cannot be read: {last_line(answer.complained)}")
        entries: dict[str, Entry] = {}
        unmerged: dict[str, None] = {}
        left_out = set()
        for line in answer.printed.split(b"\0"):
            facts, tab, name = line.partition(b"\t")
            if not tab:
                continue
            tag, mode, oid, stage = facts.decode("ascii").split()
            path = os.fsdecode(name)  # counted from the folder that git runs in
            entries.setdefault(path, Entry(mode, oid))
            if stage != "0":
                unmerged[path] = None
            if tag == "S":
                left_out.add(path)
        return Index(entries, tuple(unmerged), frozenset(left_out))

    def contents(self, oids: Iterable[str], most: int) -> dict[str, bytes | int | None]:
        """By name: the bytes, of what is larger than `most` the size, None for what git lacks. One process for all."""
        found: dict[str, bytes | int | None] = {}
        wanted = list(dict.fromkeys(oids))

        def take(stream: IO[bytes]) -> None:
            for oid in wanted:
                found[oid] = self._content(stream, oid, most)

        if wanted:
            self._git.feed(("cat-file", "--batch", "--buffer"), wanted, take)
        return found

    @lazy
    def _leaves_objects_out(self) -> bool:
        """Whether it is a clone with a filter, which lacks just what differs."""
        return self._git.ask("config", "--get-regexp", r"^(extensions\.partialclone|remote\..*\.promisor)$").code == 0

    def _content(self, stream: IO[bytes], oid: str, most: int) -> bytes | int | None:
        words = stream.readline(1000).split()
        if len(words) != 3 or not words[2].isdigit():
            if self._leaves_objects_out:
                raise GitError(_missing(f"the object {oid} is not here"))
            return None
        size = int(words[2])
        if size <= most:
            self._read += size
            if self._read > MAX_TOTAL:
                raise GitError(f"more than {MAX_TOTAL // 1024**2} MB differ between the revisions: not read")
            data = stream.read(size)
            stream.read(1)
            return data
        left = size + 1
        while left > 0 and (piece := stream.read(min(left, 1024**2))):
            left -= len(piece)
        return size


def blob_id(data: bytes, algorithm: str) -> str:
    """The name that git would give to a file's content."""
    return hashlib.new(algorithm, b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def _missing(reason: str) -> str:
    return (
        f"{reason}; a clone that leaves objects out (`--filter`, or `filter` of actions/checkout)"
        " cannot be compared: nothing is fetched here"
    )


# -- what to do when a revision is not in the clone

_ALL_HISTORY: Final = "with actions/checkout: `fetch-depth: 0`"


def not_here(name: str, is_shallow: bool) -> str:
    if is_shallow:
        return f"{name} is not in this clone, which is shallow (not all history is there). {_fetch(name, True)}"
    return f"{name}: git knows no such revision here. {_fetch(name, False)}"


def _fetch(name: str, is_shallow: bool) -> str:
    depth = " --depth=1" if is_shallow else ""
    checkout = f", or {_ALL_HISTORY}" if is_shallow else ""
    remote, _, branch = name.partition("/")
    if name.startswith(("HEAD", "@")):
        wanted = "`git fetch --deepen=1`" if is_shallow else ""
        return f"Fetch its parent: {wanted}, or with actions/checkout: `fetch-depth: 2`" if wanted else ""
    if _OBJECT.fullmatch(name):
        return f"Fetch it: `git fetch{depth} origin {name}`{checkout}"
    if branch and re.fullmatch(r"[\w.-]+", remote) and remote != "refs" and re.fullmatch(r"[\w./+-]+", branch):
        return f"If it is a branch there, fetch it: `git fetch{depth} {remote} {branch}:{_tracking(name)}`{checkout}"
    if re.fullmatch(r"[\w./+-]+", name):
        return f"If it is a branch of the remote, fetch it: `git fetch{depth} origin {name}:{name}`{checkout}"
    return ""


def _tracking(name: str) -> str:
    return f"refs/remotes/{name}"


def without_ancestor(name: str, is_shallow: bool) -> str:
    if is_shallow:
        return (
            f"where HEAD left {name} is not in this clone, which is shallow (not all history is there)."
            f" Fetch the rest: `git fetch --unshallow`, or {_ALL_HISTORY}"
        )
    return f"HEAD and {name} have no history in common; give the commit to compare with, without the dots"
