"""A real kustomize or kubectl does the builds, when whoever runs us asks for it.

It gets nothing of the environment but what fetching a remote base needs, and
no plugin is switched on.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final, NamedTuple

from ..facts.regexes import regex
from ..programs.outcomes import Failed, Outcome
from ..programs.processes import MAX_AT_ONCE, Limits, NoBinary, Processes, answer, on_path, program_at
from ..programs.processes import environment as only

TIME_LIMIT: Final = 60.0
"""Seconds for one build; Argo CD gives it 90."""
MAX_OUTPUT: Final = 32 * 1024**2

_KEPT: Final = frozenset(
    "HOME USERPROFILE SYSTEMROOT TMPDIR TEMP TMP SSL_CERT_FILE SSL_CERT_DIR HTTP_PROXY HTTPS_PROXY NO_PROXY".split()
)
_ON_THE_PATH: Final = ("kubectl", "kustomize")
_ERROR: Final = regex(r"^error: ", re.IGNORECASE | re.MULTILINE)
_SCRATCH: Final = regex(r"/\S*?/kustomize-\d+/")
"""Where Kustomize puts what it fetches: another name in every run."""


class Binary(NamedTuple):
    command: tuple[str, ...]
    """The program and its subcommand; the folder comes after it."""

    @property
    def name(self) -> str:
        return Path(self.command[0]).name

    def at(self, root: Path) -> RealKustomize:
        return RealKustomize(self, root)


def find_binary(word: str) -> Binary:
    """What `--kustomize-binary` names; raises NoBinary."""
    program = _on_path(word) if word in _ON_THE_PATH else program_at(word)
    name = Path(program).name.lower()
    kinds = [("kustomize", ("version",), "build"), ("kubectl", ("version", "--client"), "kustomize")]
    kinds = [kind for kind in kinds if name.startswith(kind[0])] or kinds
    for _, question, subcommand in kinds:
        if answer([program, *question], _environment()) is not None:
            return Binary((program, subcommand))
    raise NoBinary(f"{word}: does not tell its version as a kustomize or a kubectl would")


def _on_path(word: str) -> str:
    found = on_path(word)
    if found is None:
        raise NoBinary(f"there is no {word} on the PATH")
    return found


def _environment() -> Mapping[str, str]:
    # Nobody is there to answer when git asks for a password.
    return only(_KEPT, GIT_TERMINAL_PROMPT="0")


class RealKustomize:
    """Builds folders of one repository, each once, several at a time if they are known beforehand."""

    def __init__(self, binary: Binary, root: Path) -> None:
        self.name = binary.name
        self._binary = binary
        self._root = str(root)
        self._done: dict[str, Outcome] = {}
        self._processes = Processes()

    def build(self, folder: str) -> Outcome:
        if folder not in self._done:
            self._done[folder] = self._run(folder)
        return self._done[folder]

    def prepare(self, folders: Iterable[str]) -> None:
        """Build these at once: most of a build is waiting."""
        wanted = [folder for folder in dict.fromkeys(folders) if folder not in self._done]
        pool = ThreadPoolExecutor(max(1, min(MAX_AT_ONCE, os.cpu_count() or 1)))
        try:
            self._done.update(zip(wanted, pool.map(self._run, wanted), strict=True))
        finally:  # also when somebody presses Ctrl-C
            pool.shutdown(wait=False, cancel_futures=True)
            self._processes.stop_all()

    def _run(self, folder: str) -> Outcome:
        # An absolute path, since Kustomize takes some relative ones for addresses to fetch from.
        command = (*self._binary.command, os.path.normpath(os.path.join(self._root, folder)))
        ended = self._processes.run(command, self._root, _environment(), Limits(TIME_LIMIT, MAX_OUTPUT))
        return ended if isinstance(ended, Failed) else ended.outcome(self._message)

    def _message(self, complained: str) -> str:
        """From its last error on, in one line, without the paths of this machine; empty if there is none."""
        last = max((found.end() for found in _ERROR.finditer(complained)), default=len(complained))
        text = complained[last:].replace(f"{self._root}{os.sep}", "").replace(self._root, ".")
        return " ".join(_SCRATCH.sub("", text).split())
