"""What `check` said, kept for the next run over the very same files.

The name of an answer is a digest of all that it can rest on: our own code and the packages around it,
what was typed and where, the day, and a stamp of every file of the repository. A stamp holds the time of
the last change of any kind, which nobody can set to what it was, so that no content has to be read. What
reaches beyond the repository (another revision, a checkout elsewhere, a program, what was fetched) is
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
from ..files.tops import common_root, located
from .options import OFF, STDIN, Options
from .output import CLEAN, FINDINGS, Said, recorded, say_again

FORMAT: Final = "gitops-lint answer 1"
MOST_KEPT: Final = 100
MOST_BYTES: Final = 16 * 1024**2
"""Of one answer."""
MOST_ENTRIES: Final = 200_000
"""Files of a repository; looking at more takes longer than it saves."""
SETTLED: Final = 2_000_000_000
"""Nanoseconds after a change from which on another one would show in a file's stamp."""

_FREE: Final = frozenset(
    """outputs output_format select ignore extend_select fail_on min_severity show app group_by strict exit_zero
    exclude isolated argocd_version kubernetes_version helm cache_dir respect_gitignore no_context sarif_category
    sarif_fold color no_progress quiet""".split()
)
"""Options that leave an answer to the files alone; with any other there is none to keep."""
_VARIABLES: Final = ("COLUMNS", "CLICOLOR_FORCE", "FORCE_COLOR", "HOME", "NO_COLOR", "PATH", "TERM", "XDG_CONFIG_HOME")
_PREFIXES: Final = ("GIT_", "GITOPS_LINT_", "HELM_")
_NEVER_WALKED: Final = frozenset((".git", ".hg", ".svn"))
_OF_GIT: Final = ("config", "index", "info/exclude")
_OF_USER: Final = ("~/.gitconfig", "~/.config/git/config", "~/.config/git/ignore")
_FETCHES: Final = "gitops-lint.lock"


class _NotKept(Exception):
    """Nothing to be kept here."""


def answered(paths: Sequence[Path], options: Options, ask: Callable[[], int]) -> int:
    """The exit code, and everything said: again if it is known, else by asking."""
    try:
        file = _file_of(paths, options)
    except (_NotKept, OSError, RuntimeError):
        return ask()
    kept = _read(file)
    if kept is not None:
        code, said = kept
        say_again(said)
        return code
    with recorded() as heard:
        code = ask()
    if code in (CLEAN, FINDINGS) and not heard.rests_on_more:
        _write(file, code, heard)
    return code


def _file_of(paths: Sequence[Path], options: Options) -> Path:
    defaults = Options()
    others = (one.name for one in fields(Options) if one.name not in _FREE)
    if any(getattr(options, name) != getattr(defaults, name) for name in others):
        raise _NotKept
    if STDIN in map(str, paths) or any(output.file is not None for output in options.outputs):
        raise _NotKept
    root = common_root([located(path) for path in paths])
    folder = _own_folder(options.cache_dir, root)
    typed = {name: str(getattr(options, name)) for name in sorted(_FREE)}
    around = [FORMAT, VERSION, sys.version, date.today().isoformat(), os.getcwd(), [str(path) for path in paths], typed]
    told = {name: value for name, value in os.environ.items() if name in _VARIABLES or name.startswith(_PREFIXES)}
    terminal = os.get_terminal_size() if sys.stdout.isatty() else None
    digest = sha256(json.dumps([*around, told, terminal], sort_keys=True).encode("utf-8", "surrogatepass"))
    for stamp in (*_ours(), *_of_git(root), *_of_helm(options), *_below(root, SETTLED)):
        digest.update(stamp.encode("utf-8", "surrogateescape"))
    return folder / f"{digest.hexdigest()}.json"


# -- stamps


def _stamp(path: str, status: os.stat_result) -> str:
    times = f"{status.st_mtime_ns:x} {status.st_ctime_ns:x}"
    return f"{path}\0{status.st_mode:x} {status.st_size:x} {status.st_ino:x} {times}\0"


def _below(root: Path, settled: int = 0) -> Iterator[str]:
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
            if entry.name == _FETCHES or (settled and status.st_ctime_ns > latest):
                raise _NotKept
            if not stat.S_ISDIR(status.st_mode):
                yield _stamp(entry.path, status)
            elif entry.name not in _NEVER_WALKED:
                yield f"{entry.path}\0"
                waiting.append(entry.path)


def _each(paths: Iterable[str]) -> Iterator[str]:
    for path in paths:
        try:
            yield _stamp(path, os.stat(path))
        except OSError:
            yield f"{path}\0"


def _of_git(root: Path) -> Iterator[str]:
    git = root / ".git"
    if git.is_file():
        raise _NotKept  # the rest of it lies elsewhere
    yield from _each(f"{git}/{name}" for name in _OF_GIT)
    yield from _each(map(os.path.expanduser, _OF_USER))


def _of_helm(options: Options) -> Iterator[str]:
    if options.helm != OFF:
        folders = os.environ.get("PATH", "").split(os.pathsep)
        yield from _each([options.helm, *(os.path.join(folder, "helm") for folder in folders)])


def _ours() -> Iterator[str]:
    """Our own code, and the names of all packages beside it: their versions are in them."""
    package = Path(__file__).parents[2]
    for name in ("linter", "rules", "schemas"):
        yield from (one for one in _below(package / name) if ".pyc" not in one)
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
    folder = home / "answers"
    if Path(os.path.realpath(folder)).is_relative_to(os.path.realpath(root)):
        raise _NotKept
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    if not _is_private(os.lstat(folder)):
        raise _NotKept
    return folder


def _is_private(status: os.stat_result) -> bool:
    return status.st_uid == os.getuid() and not status.st_mode & 0o077


def _read(file: Path) -> tuple[int, list[Said]] | None:
    try:
        handle = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(handle, "rb") as opened:
            status = os.fstat(handle)
            if not (stat.S_ISREG(status.st_mode) and _is_private(status)) or status.st_size > MOST_BYTES:
                return None
            return _checked(json.loads(opened.read()), file.stem)
    except (OSError, ValueError, RecursionError):
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
    if len(text) > MOST_BYTES:
        return
    with suppress(OSError):
        handle, scratch = tempfile.mkstemp(dir=file.parent)  # for its owner only
        with os.fdopen(handle, "w", encoding="ascii") as opened:
            opened.write(text)
        os.replace(scratch, file)
        with os.scandir(file.parent) as found:
            oldest = sorted((entry.stat().st_mtime_ns, entry.path) for entry in found)
        for _, path in oldest[:-MOST_KEPT]:
            os.unlink(path)
