"""Changes real files at random and looks whether a command fails on them: `fuzz.py SECONDS [SEED]`.

Seeds are the examples and the pages of cases; for `fetch` also what a server answers: an index, a chart, a file,
and the lock and the store that came of it. A failure is an exception, a
rule that threw, or a command that takes longer than it may; the repository
that showed it is kept, and named.
"""

from __future__ import annotations

import contextlib
import io
import os
import random
import re
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import click
from gitops_lint.linter.cli import main as command_line
from gitops_lint.linter.programs import watch

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"^```yaml ?(\S*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
COMMANDS = (
    ("check",), ("check", "--output-format", "sarif"), ("plan",), ("render",), ("apps",), ("check", "--fix", "--unsafe-fixes"),
    ("fetch",),
)  # fmt: skip
TOKENS = (
    "? ", "- ", ": ", "[", "]", "{", "}", "&a ", "*a", "<<: *a", "---\n", "...\n", "|", ">", "'", '"', "\\", "!", "!!str ", "%", "@", "`",
    "~", "null", "\0", "\t", "\r", "\u2028", "\ufeff", "\x1b[31m", "{{", "}}", "{{ range until 1000 }}", "../", "/", "*" * 50, "(" * 200,
    "9" * 400, "-1", "1e999", "0x", "x" * 30_000, "a: " * 40, "\n  ",
)  # fmt: skip
LONGEST = 30.0
"""Seconds for one command on one small repository."""


APPLICATION = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: shop, namespace: argocd}
spec:
  project: default
  source: {repoURL: 'SERVER', chart: shop, targetRevision: ^1.0.0, helm: {valueFiles: ['SERVER/values.yaml']}}
  destination: {server: https://kubernetes.default.svc, namespace: shop}
"""
INDEX = "apiVersion: v1\nentries:\n  shop:\n  - {apiVersion: v2, name: shop, version: 1.0.0, urls: [shop-1.0.0.tgz]}\n"
CHART = {
    "shop/Chart.yaml": "apiVersion: v2\nname: shop\nversion: 1.0.0\n",
    "shop/values.yaml": "wave: '1'\n",
    "shop/templates/a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: {{ .Values.wave }}}\n",
}


class Failure(NamedTuple):
    command: tuple[str, ...]
    error: str
    files: dict[str, bytes]


def seeds() -> list[dict[str, str]]:
    """Small repositories by path and text."""
    found = []
    for page in sorted((ROOT / "tests" / "cases").glob("*.md")):
        for case in re.split(r"^## ", page.read_text("utf-8"), flags=re.MULTILINE)[1:]:
            blocks = BLOCK.findall(case)
            files = {name or f"manifest{i}.yaml": text for i, (name, text) in enumerate(blocks)}
            if files and all(re.fullmatch(r"[\w./-]+", name) and not name.startswith("/") for name in files):
                found.append(files)
    shop = ROOT / "examples" / "shop"
    found.append({p.relative_to(shop).as_posix(): p.read_text("utf-8") for p in sorted(shop.rglob("*.y*ml"))})
    return found


def mutated(files: dict[str, str], others: list[str], choice: random.Random) -> dict[str, str]:
    changed = dict(files)
    for _ in range(choice.randint(1, 4)):
        name = choice.choice(sorted(changed))
        changed[name] = _changed(changed[name], others, choice)
    return changed


def _changed(text: str, others: list[str], choice: random.Random) -> str:
    at, to = sorted(choice.randint(0, len(text)) for _ in range(2))
    to = min(to, at + choice.choice((0, 1, 5, 40, 400)))
    kind = choice.randrange(6)
    if kind == 0:
        return text[:at] + choice.choice(TOKENS) + text[to:]
    if kind == 1:
        return text[:at] + text[at:to] * choice.choice((0, 2, 30)) + text[to:]
    if kind == 2:  # a value becomes something else
        values = [found.span(1) for found in re.finditer(r": (\S[^\n]*)$", text, re.MULTILINE)]
        start, end = choice.choice(values) if values else (at, to)
        return text[:start] + choice.choice(TOKENS) + text[end:]
    lines = text.split("\n")
    line = choice.randrange(len(lines))
    if kind == 3:
        lines[line] = " " * choice.randrange(8) + lines[line].lstrip()
    elif kind == 4:
        lines.insert(line, choice.choice(choice.choice(others).split("\n")))
    else:
        del lines[line]
    return "\n".join(lines)


def tried(command: tuple[str, ...], *words: str) -> str:
    """Why a command failed; empty if it did not."""
    said = io.StringIO()
    with watch.Piece(LONGEST) as piece:
        try:
            with contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO())), contextlib.redirect_stderr(said):
                command_line.cli.main([*command, *words, "--isolated", "--timeout", "0"], standalone_mode=False)
        except (SystemExit, click.exceptions.Exit, click.ClickException) as done:
            code = getattr(done, "code", getattr(done, "exit_code", 0))
            if code == 2 and "error:" not in said.getvalue() and not isinstance(done, click.ClickException):
                return f"exit code 2: {said.getvalue()[-300:] or 'a rule threw, or took too long'}"
        except Exception as error:  # what is looked for
            return f"{type(error).__name__}: {error}"
    return piece.over


# -- what a server answers


def fetched(root: Path, choice: random.Random, helm: str) -> str:
    """Why `fetch` failed on an odd server, or `check` on what it brought; empty if neither did."""
    from loopback import serving

    served = root / "served"
    answers = {"index.yaml": INDEX.encode(), "values.yaml": b"wave: '2'\n", "shop-1.0.0.tgz": _chart(choice)}
    odd = choice.choice((*answers, ""))
    if odd:
        answers[odd] = _odd_bytes(answers[odd], choice)
    written(served, answers)
    with serving(served) as server:
        repository = {"app.yaml": APPLICATION.replace("SERVER", server.url).encode()}
        repository["kustomization.yaml"] = f"resources: [app.yaml, '{server.url}/values.yaml']\n".encode()
        written(root / "repository", repository)
        kept = ("--store", str(root / "store"))
        error = tried(("fetch",), str(root / "repository"), "--helm", helm, "--allow-host", server.host, *kept)
    lock = root / "repository" / "gitops-lint.lock"
    for path in (lock, *(root / "store").rglob("*")):
        if path.is_file() and choice.random() < 0.3:
            path.chmod(0o600)
            path.write_bytes(_odd_bytes(path.read_bytes(), choice))
    return error or tried(("check",), str(root / "repository"), "--helm", "off", *kept)


def _chart(choice: random.Random) -> bytes:
    """With a member that is odd."""
    texts = dict(CHART)
    name = choice.choice(sorted(texts))
    texts[name] = _changed(texts[name], list(CHART.values()), choice)
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        for path, text in texts.items():
            data = text.encode("utf-8", "surrogatepass")
            member = tarfile.TarInfo(
                choice.choice((path,) * 20 + ("../x", "/x", "shop/../../x", "shop/templates/b.yaml"))
            )
            member.size = len(data)
            member.type = choice.choice((tarfile.REGTYPE,) * 20 + (tarfile.SYMTYPE, tarfile.FIFOTYPE, b"Z"))
            archive.addfile(member, io.BytesIO(data))
    return out.getvalue()


def _odd_bytes(data: bytes, choice: random.Random) -> bytes:
    if choice.random() < 0.5:
        text = data.decode("latin-1")
        return _changed(text, [text], choice).encode("utf-8", "surrogatepass")
    at = choice.randint(0, len(data))
    return data[:at] + choice.randbytes(choice.choice((0, 1, 30))) + data[at + choice.choice((0, 1, 500)) :]


# -- all of it


def failures(seconds: float, seed: int) -> Iterator[Failure | int]:
    """Each failure, and at last the number of runs."""
    choice = random.Random(seed)
    known, helm = seeds(), _helm()
    texts = [text for files in known for text in files.values()]
    end, runs = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        command = choice.choice(COMMANDS)
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            if command == ("fetch",):
                error = fetched(root, choice, helm)
            else:
                files = mutated(choice.choice(known), texts, choice)
                written(root, {name: text.encode("utf-8", "surrogatepass") for name, text in files.items()})
                error = tried(command, folder, "--helm", "off")
            runs += 1
            if error:
                kept = (path for path in sorted(root.rglob("*")) if path.is_file())
                yield Failure(command, error, {path.relative_to(root).as_posix(): path.read_bytes() for path in kept})
    yield runs


def written(root: Path, files: Mapping[str, bytes]) -> None:
    for name, data in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data)


def _helm() -> str:
    from real_tools import NoTool, tool

    try:
        return str(tool("helm3"))
    except NoTool:
        return "off"


def main() -> int:
    seconds, seed = float(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else int.from_bytes(os.urandom(4), "big")
    found = 0
    for one in failures(seconds, seed):
        if isinstance(one, int):
            print(f"seed {seed}: {one} runs, {found} failures")
            continue
        found += 1
        kept = tempfile.mkdtemp(prefix="gitops-lint-fuzz-")
        written(Path(kept), one.files)
        print(f"{' '.join(one.command)}: {one.error}\n  in {kept}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT / "tests"))
    sys.setrecursionlimit(command_line.DEEPEST_CALLS)
    sys.exit(main())
