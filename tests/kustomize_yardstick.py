"""How a build of ours is held against one of the real Kustomize: same objects, same values, same order."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from gitops_lint.linter.files.disk import decode
from gitops_lint.linter.kustomize.builder import Builder
from gitops_lint.linter.kustomize.release import Release
from gitops_lint.linter.kustomize.trees import value
from gitops_lint.linter.yaml.source import SourceFile

NOT_BUILT = "NOT_BUILT"
"""In place of a cause: what our build leaves out on purpose."""
NO_NETWORK = {"http_proxy": "http://127.0.0.1:9", "https_proxy": "http://127.0.0.1:9", "GIT_TERMINAL_PROMPT": "0"}
MISSING = object()
"""Stands for a value that one side does not have; null is a value."""


class Refusal(NamedTuple):
    """Why a build gave nothing."""

    cause: str
    """The name of a Cause, or NOT_BUILT."""
    message: str
    path: str = ""
    line: int = 0


@dataclass
class Outcome:
    objects: list[Any] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)


class Difference(NamedTuple):
    object: str
    pointer: str
    ours: object
    theirs: object

    def __str__(self) -> str:
        return f"{self.object} {self.pointer or '/'}: ours {_short(self.ours)}, theirs {_short(self.theirs)}"


# -- the two builds


def read_objects(text: str) -> list[Any]:
    """What Kubernetes reads in the output of the real tool."""
    file = SourceFile("output.yaml", text)
    assert not file.problems, file.problems[0].message
    return [document.root.value for document in file.documents]


def run_real(kubectl: Path, folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Without network and without git: a build of ours has neither."""
    env = {**NO_NETWORK, "PATH": os.devnull, "HOME": str(folder), "LC_ALL": "C.UTF-8"}
    command = [str(kubectl), "kustomize", *options, str(folder)]
    return subprocess.run(command, capture_output=True, encoding="utf-8", env=env, timeout=120)


def real_build(kubectl: Path, folder: Path) -> Outcome:
    done = run_real(kubectl, folder)
    return outcome_of(done.returncode, done.stdout, done.stderr)


def outcome_of(code: int, printed: str, errors: str) -> Outcome:
    if code == 0:
        return Outcome(read_objects(printed))
    message = errors[errors.find("error: ") :].strip()  # warnings stand before it
    return Outcome(refusals=[Refusal(cause_of(message), message)])


class Folder:
    """A repository on disk, as a build wants its files; each is read once."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._sources: dict[str, SourceFile | None] = {}

    def source(self, path: str) -> SourceFile | None:
        if path not in self._sources:
            data = self.data(path)
            self._sources[path] = None if data is None else decode(path, data)
        return self._sources[path]

    def data(self, path: str) -> bytes | None:
        try:
            return (self._root / path).read_bytes()
        except OSError:
            return None

    def is_folder(self, path: str) -> bool:
        return (self._root / path).is_dir()

    def real(self, path: str) -> str:
        return os.path.relpath(os.path.realpath(self._root / path), os.path.realpath(self._root))


def open_repository(root: Path, release: Release = Release.V5_7) -> Builder:
    return Builder(Folder(root), release=release)


def our_build(builder: Builder, folder: str) -> Outcome:
    build = builder.build(folder)
    refusals = []
    for error in build.errors:
        line = error.at.file.position(error.at.span.start).line
        refusals.append(Refusal(error.cause.name, error.message, error.at.file.path, line))
    for left_out in build.not_built:
        line = left_out.at.file.position(left_out.at.span.start).line
        message = f"{left_out.reason} {left_out.detail}".strip()
        refusals.append(Refusal(NOT_BUILT, message, left_out.at.file.path, line))
    return Outcome([value(one.root) for one in build.objects], refusals)


# -- what the real tool means

MEANINGS: dict[str, list[str]] = {
    NOT_BUILT: ["proxyconnect", "no 'git' program", "HelmChartInflation", "external plugin", "HTTP Error"],
    "CYCLE": ["cycle detected", "cycle not allowed"],
    "SEVERAL_FILES": ["Found multiple kustomization files"],
    "OUTSIDE_ROOT": ["is not in or below"],
    "EMPTY": [r"kustomization(\.ya?ml)? is empty"],
    "WRONG_KIND": ["expected kind .* for path", "(expected|requires) kind '(Component|Kustomization)'"],
    "DUPLICATE_ID": ["already registered id", "exists; behavior must be", "multiple matches for Id", "produces ID conflict"],
    "BAD_GENERATOR": [
        "does not exist; cannot merge or replace",
        "illegally repeats the key",
        "merging from generator .* found multiple objects",
        "must have a name",
        "invalid (literal|file) source",
        "missing key name|contains '='",
    ],
    "BAD_REPLACEMENT": ["nothing selected by", "multiple matches for selector", r"options\.index", "replacement", "to select", "delimiter option"],
    "BAD_REFERENCE": ["multiple possible referral", "updating name reference"],
    "BAD_VARIABLE": ["var '", "variable", "field specified in var"],
    "NO_MATCH": ["no matches for Id", "no resource matches", "failed to find unique target", "with the following GVK"],
    "UNKNOWN_FIELD": ["invalid Kustomization", "unknown field", r"apiVersion for \w+ should be", "kind should be", "'sortOptions"],
    "MISSING_FILE": ["no such file or directory", "not a valid directory"],
    "NO_KUSTOMIZATION": ["unable to find one of 'kustomization"],
    "BAD_TRANSFORMER": ["conflicting fieldspecs", "considering field"],
    "BAD_PATCH": ["patch", "operation does not apply", r"error in \w+ for path", "testing value", "Unexpected kind", "wrong node kind"],
    "BAD_MANIFEST": ["yaml: ", "json: ", r"missing metadata\.name", "missing kind", "MalformedYAML"],
}  # fmt: skip
"""By cause, patterns in messages of the real tool; the first cause with one that matches is meant."""


def cause_of(message: str) -> str:
    """The cause that a message of the real tool stands for; the words themselves when none is known."""
    told = re.sub(r"accumulation err='.*?must resolve to a file'", "", message)  # said of every base
    for cause, patterns in MEANINGS.items():
        if re.search("|".join(patterns), told):
            return cause
    return message


# -- the comparison


def differences(ours: list[Any], theirs: list[Any]) -> list[Difference]:
    """Object by object; the order counts only when the objects are the same ones."""
    left, right = _by_identity(ours), _by_identity(theirs)
    found = []
    for name in {**left, **right}:
        found += _compare(name, "", left.get(name, MISSING), right.get(name, MISSING))
    if not found and list(left) != list(right):
        first = next(pair for pair in zip(left, right, strict=True) if pair[0] != pair[1])
        found.append(Difference("(order)", "", *first))
    return found


def _by_identity(objects: list[Any]) -> dict[str, Any]:
    named: dict[str, Any] = {}
    for one in objects:
        name = _identity(one)
        while name in named:
            name += "+"
        named[name] = one
    return named


def _identity(one: Any) -> str:
    if not isinstance(one, dict):
        return "(no object)"
    meta = one.get("metadata") or {}
    name = meta.get("name") or f"{meta.get('generateName')}*"
    return f"{one.get('apiVersion')} {one.get('kind')} {meta.get('namespace', '')}/{name}"


def _compare(name: str, pointer: str, ours: Any, theirs: Any) -> Iterator[Difference]:
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for key in {**theirs, **ours}:
            step = str(key).replace("~", "~0").replace("/", "~1")
            yield from _compare(name, f"{pointer}/{step}", ours.get(key, MISSING), theirs.get(key, MISSING))
    elif isinstance(ours, list) and isinstance(theirs, list):
        for index in range(max(len(ours), len(theirs))):
            here = ours[index] if index < len(ours) else MISSING
            there = theirs[index] if index < len(theirs) else MISSING
            yield from _compare(name, f"{pointer}/{index}", here, there)
    elif not _same_scalar(ours, theirs):
        yield Difference(name, pointer, ours, theirs)


def _same_scalar(ours: Any, theirs: Any) -> bool:
    """JSON knows one kind of number; true is none."""
    if isinstance(ours, bool) or isinstance(theirs, bool):
        return ours is theirs
    return bool(ours == theirs)


def _short(one: object) -> str:
    if one is MISSING:
        return "nothing"
    text = repr(one)
    return text if len(text) <= 200 else f"{text[:150]} … {text[-40:]}"
