"""Fixes real repositories and looks what became of them: `try_fixes.py FOLDER [--only NAME] [--kustomize]`.

FOLDER holds repositories, one a folder; each is copied, so they stay as they are. A repository is fixed twice,
with the safe fixes and with all of them, and each time is held against what fixing promises: what
`--diff` showed is what was written, every file still parses and keeps its comments and its end, sealed
files are as they were, a second run has nothing to do, no error or warning is new, and every kustomization
that was built is built, with no other difference than the fields that fixes name.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import zip_longest
from pathlib import Path
from typing import Any, Final

import click
import yaml

TOOL: Final = Path(sys.executable).with_name("gitops-lint")
MODES: Final = {"safe": ("--fix",), "all": ("--fix", "--unsafe-fixes")}
KUSTOMIZATIONS: Final = ("kustomization.yaml", "kustomization.yml", "Kustomization")
COMMENT: Final = re.compile(r"(?:^|\s)#(.*)$")
SEALED: Final = re.compile(rb"^sops:|\A\x00GITCRYPT|ENC\[AES256_GCM", re.MULTILINE)
HUNK: Final = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
ESCAPED: Final = re.compile(r"\\[xu]")
LINE: Final = re.compile(r"\bline \d+")
Build = dict[str, Any] | None


@click.command(help=__doc__)
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--only", multiple=True, help="Only repositories of these names.")
@click.option("--kustomize", type=click.Path(exists=True, path_type=Path), help="A kubectl: it builds, too.")
@click.option("--timeout", default=900, show_default=True, help="Seconds for one run.")
def cli(folder: Path, only: Sequence[str], kustomize: Path | None, timeout: int) -> None:
    faults = 0
    for source in sorted(path for path in folder.iterdir() if path.is_dir() and (not only or path.name in only)):
        with tempfile.TemporaryDirectory() as scratch:
            trial = Trial(source, Path(scratch) / "tree", kustomize, timeout)
            for mode, options in MODES.items():
                began = time.monotonic()
                found = list(trial.faults(options))
                faults += len(found)
                took = time.monotonic() - began
                print(f"{source.name} {mode}: {trial.summary}, {took:.0f} s, {len(found)} faults", flush=True)
                for fault in found:
                    print(f"    {fault}", flush=True)
    sys.exit(1 if faults else 0)


class Trial:
    def __init__(self, source: Path, tree: Path, kustomize: Path | None, timeout: int) -> None:
        self.tree, self.kustomize, self.timeout = tree, kustomize, timeout
        shutil.copytree(source, tree, symlinks=True, ignore=shutil.ignore_patterns(".git"))
        owner, _, name = source.name.partition("+")
        self.git("init", "-q", "-b", "main")
        self.git("remote", "add", "origin", f"https://github.com/{owner}/{name}.git")
        self.git("-c", "core.autocrlf=false", "add", "-A", "-f")
        self.git("commit", "-q", "--no-verify", "-m", "as it was")
        self.summary = ""
        self._before: dict[str, Any] | None = None
        self._builds: dict[str, Build] | None = None

    def git(self, *words: str) -> str:
        own = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "core.quotePath=false"]
        own += ["-c", "gc.auto=0"]
        done = subprocess.run([*own, *words], cwd=self.tree, capture_output=True, check=True)
        return done.stdout.decode("utf-8", "surrogateescape")

    def tool(self, *words: str) -> tuple[int, str]:
        try:
            command = [str(TOOL), *words, "--no-progress"]
            done = subprocess.run(command, cwd=self.tree, capture_output=True, timeout=self.timeout)
        except subprocess.TimeoutExpired:
            return -1, "took too long"
        if b"internal error" in done.stderr:
            return -2, done.stderr.decode("utf-8", "replace")
        return done.returncode, done.stdout.decode("utf-8", "surrogateescape")

    def report(self, *options: str) -> tuple[int, dict[str, Any]]:
        code, text = self.tool("check", ".", "--isolated", "--output-format", "json", *options)
        try:
            return code, json.loads(text)
        except json.JSONDecodeError:
            return -3 if code >= 0 else code, {"findings": [], "failed": text[-600:]}

    # -- one mode

    def faults(self, options: Sequence[str]) -> Iterator[str]:
        self.git("checkout", "-q", "-f", "HEAD")
        if self._before is None:
            code, self._before = self.report()
            if code not in (0, 1):
                yield f"check ends with {code}: {self._before.get('failed', self._before.get('notAnalysed'))}"[:600]
        before = self._before
        if self._builds is None:
            self._builds = self.builds()
        shown = self.tool("check", ".", "--isolated", "--diff", *options)[1]
        code, after = self.report(*options)
        if code not in (0, 1) and self._before.get("summary", {}).get("complete"):
            yield f"{' '.join(options)} ends with {code}: {after.get('failed', '')}"[:600]
        changed = [name for name in self.git("diff", "--name-only", "-z").split("\0") if name]
        if added := self.git("status", "--porcelain", "--untracked-files=all").count("??"):
            yield f"{added} new files"
        gone, came = _difference(before, after)
        self.summary = f"{len(changed)} files, {gone} findings gone, {len(came)} new"
        yield from (f"new: {one}" for one in came if not one.startswith("note"))
        yield from self.not_as_shown(shown, changed)
        for name in changed:
            old = subprocess.run(["git", "show", f"HEAD:{name}"], cwd=self.tree, capture_output=True, check=True).stdout
            yield from (f"{name}: {fault}" for fault in _of_text(old, (self.tree / name).read_bytes()))
        yield from self.other_builds(_meant(before, after))
        done = {name: (self.tree / name).read_bytes() for name in changed}
        _, again = self.report(*options)
        if self.git("diff", "--name-only", "-z").split("\0")[:-1] != changed or any(
            (self.tree / name).read_bytes() != text for name, text in done.items()
        ):
            yield "a second run changes something"
        yield from (f"a second run finds more: {one}" for one in _difference(after, again)[1])

    def not_as_shown(self, shown: str, changed: Sequence[str]) -> Iterator[str]:
        """Whether the difference that was printed, applied to the files as they were, makes what was written."""
        parts = [part for part in re.split(r"^(?=--- a/)", shown, flags=re.MULTILINE) if part.startswith("--- a/")]
        names = [part.split("\n", 1)[0][len("--- a/") :] for part in parts]
        if sorted(names) != sorted(changed):
            yield f"--diff shows other files: {sorted(set(names) ^ set(changed))[:5]}"
        for name, part in zip(names, parts, strict=True):
            if name in changed:
                old = subprocess.run(["git", "show", f"HEAD:{name}"], cwd=self.tree, capture_output=True, check=True)
                texts = [
                    one.decode("utf-8", "surrogateescape") for one in (old.stdout, (self.tree / name).read_bytes())
                ]
                if (line := _first_untrue(part, *texts)) is not None:
                    yield f"{name}: --diff shows something else than is written: {line[:200]}"

    # -- builds

    def builds(self) -> dict[str, Build]:
        found = (path.parent for name in KUSTOMIZATIONS for path in self.tree.rglob(name))
        folders = sorted({folder.relative_to(self.tree).as_posix() for folder in found})
        built = dict(zip(folders, _ours(self.tree, folders), strict=True))
        if self.kustomize:
            with ThreadPoolExecutor(2) as pool:
                theirs = pool.map(self.real_build, folders[:: max(1, len(folders) // 40)])
                built.update(theirs)
        return built

    def real_build(self, folder: str) -> tuple[str, Build]:
        try:
            command = [str(self.kustomize), "kustomize", folder]
            done = subprocess.run(command, cwd=self.tree, capture_output=True, timeout=60)
        except subprocess.TimeoutExpired:
            return f"kubectl {folder}", None
        objects = list(yaml.load_all(done.stdout, _Loader)) if not done.returncode else None
        return f"kubectl {folder}", None if objects is None else _by_name(objects)

    def other_builds(self, meant: set[str]) -> Iterator[str]:
        assert self._builds is not None
        after = self.builds()
        self.summary += f", {sum(one is not None for one in self._builds.values())} builds"
        for folder, old in self._builds.items():
            new = after.get(folder)
            if old is None:
                continue
            if new is None:
                yield f"{folder} is no longer built"
                continue
            for path in _differing(old, new):
                if not any(step in meant for step in path):
                    yield f"{folder}: {'.'.join(map(str, path))} differs"


def _first_untrue(part: str, before: str, after: str) -> str | None:
    """The first line of a printed difference that does not lead from one text to the other; None if all do."""
    old, new = before.split("\n"), after.split("\n")
    at = to = 0
    for line in [*part.split("\n")[2:], "@@ -0,0 +0,0 @@"]:
        sign, text = line[:1], line[1:]
        if hunk := HUNK.match(line):
            start = int(hunk[1]) - (hunk[2] != "0") if int(hunk[1]) else len(old)
            if old[at:start] != new[to : to + start - at]:
                return "lines between those shown differ"
            at, to = start, to + start - at
        elif sign in (" ", "-", "+"):
            if (sign != "+" and not _is_shown_as(old[at : at + 1], text)) or (
                sign != "-" and not _is_shown_as(new[to : to + 1], text)
            ):
                return line
            at, to = at + (sign != "+"), to + (sign != "-")
    return None if to == len(new) else "lines at the end differ"


def _is_shown_as(line: list[str], text: str) -> bool:
    """A line may have stars for what is secret, letter by letter, and escapes for what is no letter."""
    if not line or ESCAPED.search(text):
        return bool(line)
    there = line[0].removesuffix("\r")
    return len(there) == len(text) and all(a == b or b == "*" for a, b in zip(there, text, strict=True))


def _ours(tree: Path, folders: Sequence[str]) -> Iterator[Build]:
    from gitops_lint.linter.cli.rendered_objects import render_kustomization

    for folder in folders:
        rendering = render_kustomization(tree / folder)
        yield None if rendering.refused else _by_name([one.value for one in rendering.objects])


def _by_name(objects: Sequence[Any]) -> dict[str, Any]:
    def name(one: Any) -> str:
        metadata = one.get("metadata") or {}
        return f"{one.get('kind')} {metadata.get('namespace', '')}/{metadata.get('name')}"

    return {name(one): one for one in objects if isinstance(one, dict)}


def _differing(old: Any, new: Any, steps: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    if isinstance(old, dict) and isinstance(new, dict):
        for key in {**old, **new}:
            if key in old and key in new:
                yield from _differing(old[key], new[key], (*steps, key))
            else:
                yield (*steps, key)
    elif isinstance(old, list) and isinstance(new, list):
        for index, (one, other) in enumerate(zip_longest(old, new)):
            yield from _differing(one, other, (*steps, index))
    elif old != new or type(old) is not type(new):
        yield steps


def _meant(*reports: dict[str, Any]) -> set[str]:
    """The names of fields that fixes change."""
    pointers = [
        operation[field]
        for report in reports
        for finding in report["findings"]
        for fix in finding.get("fixes", ())
        for operation in fix["patch"]
        for field in ("path", "from")
        if field in operation
    ]
    names = {_name(pointer) for pointer in pointers}
    return names


def _name(pointer: str) -> str:
    parts = [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/") if not part.isdecimal()]
    return next((part for part in reversed(parts) if part != "-"), "")


# -- findings and texts


def _difference(before: dict[str, Any], after: dict[str, Any]) -> tuple[int, list[str]]:
    def all_of(report: dict[str, Any]) -> Counter[str]:
        found = report["findings"]
        lines = (f"{one['severity']} {one['code']} {one['path']}: {one['headline']}" for one in found)
        return Counter(LINE.sub("line …", line) for line in lines)  # a fix above moves what is below

    old, new = all_of(before), all_of(after)
    return (old - new).total(), sorted((new - old).elements())


class _Loader(yaml.CSafeLoader):
    """Reads scalars of any tag."""


_Loader.add_multi_constructor("", lambda loader, suffix, node: str(getattr(node, "value", "")))
_Loader.add_constructor("tag:yaml.org,2002:value", lambda loader, node: str(node.value))


def _of_text(old: bytes, new: bytes) -> Iterator[str]:
    if SEALED.search(old):
        yield "is sealed, and was changed"
    if _parses(old) and not _parses(new):
        yield "does not parse any more"
    if old.endswith(b"\n") != new.endswith(b"\n"):
        yield "gained or lost its last line break"
    if (old.count(b"\r\n") > 0) != (new.count(b"\r\n") > 0):
        yield "has other line ends"
    if lost := _comments(old) - _comments(new):
        yield f"lost comments: {list(lost)[:3]}"


def _parses(text: bytes) -> bool:
    try:
        for _ in yaml.parse(text, yaml.CSafeLoader):
            pass
    except (yaml.YAMLError, UnicodeDecodeError):
        return False
    return True


def _comments(text: bytes) -> Counter[str]:
    lines = text.decode("utf-8", "replace").splitlines()
    return Counter(found[1].strip() for line in lines if (found := COMMENT.search(line)))


if __name__ == "__main__":
    cli()
