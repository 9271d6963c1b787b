"""What `check` said, kept for the next run over the very same files.

The name of an answer is a digest of all that it can rest on: our own code and the packages around it,
what was typed and where, the day, and every file of the repository, by its content. So a fresh checkout in the
same place is answered, too. Where nothing was touched no content has to be read: a stamp of a file holds the time
of its last change of any kind, which nobody can set to what it was, and a digest of all stamps leads to the answer.
What reaches beyond the repository (another revision, a checkout elsewhere, a program, what was fetched) is
asked anew each time.

What is kept is what was printed, in which no secret stands: plain JSON in a folder that is the user's
alone, read with care, and as good as none where it cannot be.
"""

from __future__ import annotations

import json
import os
import stat
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import fields
from datetime import date
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from .. import VERSION
from ..facts.regexes import regex
from ..files.tops import common_root, located
from .options import OFF, STDIN, Options
from .output import CLEAN, FINDINGS, Said, recorded, say_again

FORMAT: Final = "gitops-lint answer 2"
MOST_KEPT: Final = 100
MOST_BYTES: Final = 16 * 1024**2
"""Of one answer."""
MOST_ENTRIES: Final = 200_000
"""Files of a repository; looking at more takes longer than it saves."""
MOST_CONTENT: Final = 64 * 1024**2
"""Bytes of a repository that are read to know it again when it was touched."""
SETTLED: Final = 2_000_000_000
"""Nanoseconds after a change from which on another one would show in a file's stamp."""

_FREE: Final = frozenset(
    """outputs output_format select ignore extend_select fail_on min_severity show app group_by strict exit_zero
    exclude isolated argocd_version kubernetes_version helm cache_dir respect_gitignore no_context sarif_category
    sarif_fold color no_progress quiet""".split()
)
"""Options that leave an answer to the files alone; with any other there is none to keep."""
_OF_NO_ACCOUNT: Final = frozenset(("jobs",))
"""Options that no word of an answer rests on."""
_VARIABLES: Final = ("COLUMNS", "CLICOLOR_FORCE", "FORCE_COLOR", "HOME", "NO_COLOR", "PATH", "TERM", "XDG_CONFIG_HOME")
_PREFIXES: Final = ("GIT_", "GITOPS_LINT_", "HELM_")
_NEVER_WALKED: Final = frozenset((".git", ".hg", ".svn"))
_OF_GIT: Final = ("config", "index", "info/exclude")
_OF_USER: Final = ("~/.gitconfig", "~/.config/git/config", "~/.config/git/ignore")
_HEADER: Final = regex(r"(?mi)^[ \t]*extraheader[ \t]*=.*$")
"""In git's settings: the token that a job left there, another one each time."""
_NAME: Final = regex(r"[0-9a-f]{64}\.json")
_FETCHES: Final = "gitops-lint.lock"


class _NotKept(Exception):
    """Nothing to be kept here."""


class _Unsettled(_NotKept):
    """Something was changed just now, and may change again without another stamp."""


class _TooMuch(_NotKept):
    """More than is read to know a repository again."""


def answered(paths: Sequence[Path], options: Options, ask: Callable[[], int]) -> int:
    """The exit code, and everything said: again if it is known, else by asking."""
    try:
        question = _Question(paths, options)
        shortcut = question.by_stamps()
        file = _led_to(shortcut, question.folder) or question.answer(shortcut)
    except (_NotKept, OSError, RuntimeError):
        return ask()
    kept = _read(file)
    if kept is not None:
        code, said = kept
        _lead(shortcut, file)
        say_again(said)
        return code
    with recorded() as heard:
        code = ask()
    if code in (CLEAN, FINDINGS) and not heard.rests_on_more and _still(question, shortcut, file):
        _write(file, code, heard)
        _lead(shortcut, file)
    return code


def _still(question: _Question, shortcut: Path | None, file: Path) -> bool:
    """Whether the files are what they were: a content may come back, and must not find what was said of another."""
    try:
        return question.by_stamps() == shortcut if shortcut else question.answer(None) == file
    except (_NotKept, OSError, RuntimeError):
        return False


class _Question:
    """What is asked: all that an answer rests on."""

    def __init__(self, paths: Sequence[Path], options: Options) -> None:
        defaults = Options()
        others = (one.name for one in fields(Options) if one.name not in _FREE | _OF_NO_ACCOUNT)
        if any(getattr(options, name) != getattr(defaults, name) for name in others):
            raise _NotKept
        if STDIN in map(str, paths) or any(output.file is not None for output in options.outputs):
            raise _NotKept
        self._options = options
        self._root = common_root([located(path) for path in paths])
        self.folder = _own_folder(options.cache_dir, self._root)
        typed = {name: str(getattr(options, name)) for name in sorted(_FREE)}
        where = [os.getcwd(), [str(path) for path in paths], typed]
        told = {name: value for name, value in os.environ.items() if name in _VARIABLES or name.startswith(_PREFIXES)}
        terminal = os.get_terminal_size() if sys.stdout.isatty() else None
        around = [FORMAT, VERSION, sys.version, date.today().isoformat(), *where, told, terminal]
        self._around = json.dumps(around, sort_keys=True)

    def by_stamps(self) -> Path | None:
        """What leads to the answer, if nothing was touched; None if something was, just now."""
        root = self._root
        try:
            name = self._name(*_ours(_stamped), *_of_git(root), *self._of_helm(), *_below(root, _stamped, SETTLED))
        except _Unsettled:
            return None
        return self.folder.with_name("stamps") / name

    def answer(self, shortcut: Path | None) -> Path:
        """By the content of all; where that is too much to read, by the stamps."""
        try:
            git, helm = _content_of_git(self._root), self._of_helm()
            name = self._name(*_below(self._root, _Content()), *git, *helm, *_ours(_Content()))
        except _TooMuch:
            if shortcut is None:
                raise
            name = shortcut.name
        return self.folder / f"{name}.json"

    def _of_helm(self) -> Iterator[str]:
        if self._options.helm != OFF:
            folders = os.environ.get("PATH", "").split(os.pathsep)
            yield from _each([self._options.helm, *(os.path.join(folder, "helm") for folder in folders)])

    def _name(self, *parts: str) -> str:
        digest = sha256(self._around.encode("utf-8", "surrogatepass"))
        for part in parts:
            digest.update(part.encode("utf-8", "surrogateescape"))
        return digest.hexdigest()


# -- stamps


Told = Callable[[str, os.stat_result], str]
"""What stands for a file: its stamp, or its content."""


def _stamped(path: str, status: os.stat_result) -> str:
    times = f"{status.st_mtime_ns:x} {status.st_ctime_ns:x}"
    return f"{path}\0{status.st_mode:x} {status.st_size:x} {status.st_ino:x} {times}\0"


class _Content:
    """Of so many bytes together: reading more takes longer than it saves."""

    def __init__(self) -> None:
        self._left = MOST_CONTENT

    def __call__(self, path: str, status: os.stat_result) -> str:
        self._left -= status.st_size
        if self._left < 0:
            raise _TooMuch
        what = ""
        if stat.S_ISLNK(status.st_mode):
            what = os.readlink(path)
        elif stat.S_ISREG(status.st_mode):
            what = sha256(_bytes_of(path)).hexdigest()
        return f"{path}\0{status.st_mode:x} {what}\0"


def _bytes_of(path: str) -> bytes:
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(handle, "rb") as opened:
        return opened.read(MOST_CONTENT)


def _below(root: Path, told: Told, settled: int = 0) -> Iterator[str]:
    """Of all that is below a folder; links are not followed, since nobody follows one out of the repository."""
    latest = time.time_ns() - settled
    waiting, count = [str(root)], 0
    while waiting:
        folder = waiting.pop()
        with os.scandir(folder) as found:
            entries = sorted(found, key=lambda entry: entry.name)
        count += len(entries)
        if count > MOST_ENTRIES:
            raise _NotKept
        for entry in entries:
            status = entry.stat(follow_symlinks=False)
            if entry.name == _FETCHES:
                raise _NotKept
            if settled and status.st_ctime_ns > latest:
                raise _Unsettled
            if not stat.S_ISDIR(status.st_mode):
                yield told(entry.path, status)
            elif entry.name not in _NEVER_WALKED:
                yield f"{entry.path}\0"
                waiting.append(entry.path)


def _each(paths: Iterable[str]) -> Iterator[str]:
    for path in paths:
        try:
            yield _stamped(path, os.stat(path))
        except OSError:
            yield f"{path}\0"


def _of_git(root: Path) -> Iterator[str]:
    git = root / ".git"
    if git.is_file():
        raise _NotKept  # the rest of it lies elsewhere
    yield from _each(f"{git}/{name}" for name in _OF_GIT)
    yield from _each(map(os.path.expanduser, _OF_USER))


def _content_of_git(root: Path) -> Iterator[str]:
    """What is set and what is tracked, without when it was checked out."""
    git = root / ".git"
    for path in (f"{git}/config", f"{git}/info/exclude", *map(os.path.expanduser, _OF_USER)):
        try:
            settings = _HEADER.sub("", _bytes_of(path).decode("latin-1"))
            yield f"{path}\0{sha256(settings.encode('latin-1')).hexdigest()}\0"
        except OSError:
            yield f"{path}\0"
    if git.is_dir():
        from ..git import GitError, Repository  # starts a process

        try:
            entries = Repository(root).index.entries
        except GitError as error:
            yield f"{error}\0"
        else:
            yield from (f"{path}\0" for path in sorted(entries))


def _ours(told: Told) -> Iterator[str]:
    """Our own code, and the names of all packages beside it: their versions are in them."""
    package = Path(__file__).parents[2]
    for name in ("linter", "rules", "schemas"):
        yield from (one for one in _below(package / name, told) if ".pyc" not in one)
    for folder in sys.path:
        with suppress(OSError):
            yield from sorted(name for name in os.listdir(folder or ".") if name.endswith((".dist-info", ".egg-link")))


# -- the folder


def _own_folder(chosen: Path | None, root: Path) -> Path:
    """The user's alone: what somebody else can write, or a repository holds, is not believed."""
    if not hasattr(os, "getuid"):
        raise _NotKept
    named = os.environ.get("XDG_CACHE_HOME", "")
    home = chosen or (Path(named) if os.path.isabs(named) else Path.home() / ".cache") / "gitops-lint"
    if Path(os.path.realpath(home / "answers")).is_relative_to(os.path.realpath(root)):
        raise _NotKept
    for folder in (home / "answers", home / "stamps"):
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not _is_private(os.lstat(folder)):
            raise _NotKept
    return home / "answers"


def _is_private(status: os.stat_result) -> bool:
    return status.st_uid == os.getuid() and not status.st_mode & 0o077


def _led_to(shortcut: Path | None, folder: Path) -> Path | None:
    """The answer that these stamps had."""
    name = _own_bytes(shortcut) if shortcut else None
    if name is None or not _NAME.fullmatch(name.decode("ascii", "replace")):
        return None
    return folder / name.decode("ascii")


def _read(file: Path) -> tuple[int, list[Said]] | None:
    try:
        found = _own_bytes(file)
        return _checked(json.loads(found), file.stem) if found is not None else None
    except (ValueError, RecursionError):
        return None


def _own_bytes(file: Path) -> bytes | None:
    """None for what is not there, or not the user's alone."""
    try:
        handle = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(handle, "rb") as opened:
            status = os.fstat(handle)
            if not (stat.S_ISREG(status.st_mode) and _is_private(status)) or status.st_size > MOST_BYTES:
                return None
            return opened.read()
    except OSError:
        return None


def _checked(found: Any, name: str) -> tuple[int, list[Said]] | None:
    """None for what was not written by us."""
    if not isinstance(found, dict) or found.get("name") != name or found.get("code") not in (CLEAN, FINDINGS):
        return None
    said = found.get("said")
    if not isinstance(said, list):
        return None
    whole = [Said(one[0], one[1]) for one in said if isinstance(one, list) and [*map(type, one)] == [bool, str]]
    return (found["code"], whole) if len(whole) == len(said) else None


def _write(file: Path, code: int, said: Sequence[Said]) -> None:
    text = json.dumps({"name": file.stem, "code": code, "said": said})
    if len(text) <= MOST_BYTES:
        _put(file, text)


def _lead(shortcut: Path | None, file: Path) -> None:
    if shortcut is not None and not shortcut.exists():
        _put(shortcut, file.name)


def _put(file: Path, text: str) -> None:
    with suppress(OSError):
        handle, scratch = tempfile.mkstemp(dir=file.parent)  # for its owner only
        with os.fdopen(handle, "w", encoding="ascii") as opened:
            opened.write(text)
        os.replace(scratch, file)
        with os.scandir(file.parent) as found:
            oldest = sorted((entry.stat().st_mtime_ns, entry.path) for entry in found)
        for _, path in oldest[:-MOST_KEPT]:
            os.unlink(path)
