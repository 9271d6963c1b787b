"""What Helm said once need not be asked again: outcomes on disk, by the content of everything that went into them.

A key is made of Helm's version, its arguments and the content of every file
that it saw. A second table spares the reading: the digest of a file whose size,
times and number on disk are the same as before is known. It is never believed
about a file that changed just before it was written down.

What lies in the cache is data like any other: plain JSON, checked, and ignored
when it is broken. A cache that cannot be read or written is as good as none.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from ...facts.regexes import regex
from ...programs.outcomes import Failed, Outcome, Printed, Refused
from ..answer import LeftOut, MissingDependency, Rendering
from .lent_dependencies import ChartFiles

FORMAT: Final = "gitops-lint helm 2"
"""Part of every key; another number when an outcome comes to mean something else."""
MAX_CACHE: Final = 200 * 1024**2
MAX_ENTRY: Final = 64 * 1024**2
SETTLED: Final = 2_000_000_000
"""Nanoseconds after a change from which on another change would show in a file's times."""
_KIND: Final = regex(r"""^["']?kind["']?:\s*["']?(?:Sealed)?Secret\b""", re.MULTILINE)
_HELD: Final = regex(r"""^\s*["']?(?:data|stringData)["']?:""", re.MULTILINE)


def default_folder() -> Path | None:
    """Of the user; None when nothing says where that is."""
    named = os.environ.get("XDG_CACHE_HOME", "")
    with suppress(RuntimeError):
        home = Path(named) if os.path.isabs(named) else Path.home() / ".cache"
        return home / "gitops-lint"
    return None


class RenderCache:
    """For one repository. Without a folder, or with one inside the repository, it remembers nothing."""

    def __init__(
        self, folder: Path | None, root: Path, tells_secret: Callable[[str], bool] = lambda text: False
    ) -> None:
        inside = folder is not None and Path(os.path.realpath(folder)).is_relative_to(os.path.realpath(root))
        self._folder = None if folder is None or inside else folder / "helm"
        self._known_file = self._folder and self._folder / f"files-{_digest(os.path.realpath(root))[:32]}.json"
        self._programs_file = self._folder and self._folder / "programs.json"
        self._known: dict[str, Any] = _object_in(self._known_file)
        self._programs: dict[str, Any] = _object_in(self._programs_file)
        self._changed: set[Path] = set()
        self._kept = 0
        self._tells_secret = tells_secret

    # -- the content of files

    def digest(self, files: ChartFiles, path: str) -> str:
        """Of a file's content; empty when it cannot be read."""
        stamp = files.stamp(path)
        if stamp is None:
            return ""
        known = self._known.get(path)
        if isinstance(known, list) and len(known) == 2 and known[0] == stamp.text and isinstance(known[1], str):
            return known[1]
        data = files.data(path)
        if data is None:
            return ""
        digest = sha256(data).hexdigest()
        if self._known_file is not None and time.time_ns() - stamp.changed > SETTLED:
            self._known[path] = [stamp.text, digest]
            self._changed.add(self._known_file)
        return digest

    # -- what Helm said

    def rendering(self, key: str) -> Rendering | None:
        if self._folder is None:
            return None
        path = self._entry(key)
        found = _rendering(_object_in(path))
        if found is not None:
            with suppress(OSError):
                os.utime(path)  # the oldest go first
        return found

    def keep(self, key: str, rendering: Rendering) -> None:
        if self._folder is None or isinstance(rendering.outcome, Failed):
            return
        if _holds_secret(rendering.outcome[0]) or self._tells_secret(rendering.outcome[0]):
            return
        outcome = {type(rendering.outcome).__name__: rendering.outcome[0]}
        text = json.dumps({**rendering._asdict(), "outcome": outcome})
        if len(text) <= MAX_ENTRY and _put(self._entry(key), text):
            self._kept += len(text)

    def _entry(self, key: str) -> Path:
        assert self._folder is not None
        return self._folder / "renders" / f"{key}.json"

    # -- which version a program is

    def version_of(self, program: str) -> str | None:
        known = self._programs.get(program)
        if not isinstance(known, list) or len(known) != 2 or known[0] != _program_stamp(program):
            return None
        return known[1] if isinstance(known[1], str) else None

    def keep_version(self, program: str, version: str) -> None:
        if self._programs_file is not None:
            self._programs[program] = [_program_stamp(program), version]
            self._changed.add(self._programs_file)

    def save(self) -> None:
        """The tables, and not more than the cache may hold."""
        for path, table in ((self._known_file, self._known), (self._programs_file, self._programs)):
            if path is not None and path in self._changed:
                _put(path, json.dumps(table))
        self._changed.clear()
        if self._kept and self._folder is not None:
            self._kept = 0
            _drop_oldest(self._folder / "renders")


def _holds_secret(printed: str) -> bool:
    """What a Secret holds is not left on the disk: such a chart is rendered again."""
    documents = re.split(r"^---", printed, flags=re.MULTILINE) if "Secret" in printed else ()
    return any(_KIND.search(one) and _HELD.search(one) for one in documents)


def key_of(version: str, arguments: tuple[str, ...], inline: str, digests: Mapping[str, str]) -> str:
    return _digest(json.dumps([FORMAT, version, arguments, inline, sorted(digests.items())]))


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _program_stamp(program: str) -> str:
    try:
        status = os.stat(program)
    except OSError:
        return ""
    return f"{status.st_mtime_ns:x}-{status.st_ctime_ns:x}-{status.st_size:x}-{status.st_ino:x}"


def _object_in(path: Path | None) -> dict[str, Any]:
    """Empty for whatever is not an object of JSON."""
    if path is None:
        return {}
    try:
        if path.stat().st_size > MAX_ENTRY:
            return {}
        found = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _rendering(found: dict[str, Any]) -> Rendering | None:
    """None for what was not written by us."""
    outcome = _outcome(found.get("outcome"))
    try:
        if outcome is None:
            return None
        (unchecked,) = _texts([found["schema_unchecked"]])
        return Rendering(
            outcome,
            tuple(MissingDependency(*_texts(one)) for one in found["missing"]),
            tuple(LeftOut(*_texts(one)) for one in found["left_out"]),
            _texts(found["marked"]),
            unchecked,
            _texts(found["warnings"]),
        )
    except (KeyError, TypeError, ValueError):
        return None


def _outcome(found: Any) -> Outcome | None:
    for kind in (Printed, Refused):
        if isinstance(found, dict) and list(found) == [kind.__name__]:
            (text,) = found.values()
            return kind(text) if isinstance(text, str) else None
    return None


def _texts(found: Any) -> tuple[str, ...]:
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
        raise ValueError
    return tuple(found)


def _put(path: Path, text: str) -> bool:
    """In one step: two runs may write at the same time, and neither may see half a file."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, scratch = tempfile.mkstemp(dir=path.parent)
        try:
            with os.fdopen(handle, "w", encoding="ascii") as file:
                file.write(text)
            os.replace(scratch, path)
        except OSError:
            os.unlink(scratch)
            return False
    except OSError:
        return False
    return True


def _drop_oldest(folder: Path) -> None:
    with suppress(OSError):
        with os.scandir(folder) as found:
            entries = sorted(((entry.stat(), entry.path) for entry in found), key=lambda one: -one[0].st_mtime_ns)
        total = 0
        for status, path in entries:
            total += status.st_size
            if total > MAX_CACHE:
                os.unlink(path)
