"""Changes real files at random and looks whether a command fails on them: `fuzz.py SECONDS [SEED]`.

Seeds are the examples and the pages of cases. A failure is an exception, a
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
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import click
from gitops_lint.linter.cli import main as command_line
from gitops_lint.linter.programs import watch

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"^```yaml ?(\S*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
COMMANDS = (
    ("check",), ("check", "--output-format", "sarif"), ("plan",), ("render",), ("apps",), ("check", "--fix", "--unsafe-fixes"),
)  # fmt: skip
TOKENS = (
    "? ", "- ", ": ", "[", "]", "{", "}", "&a ", "*a", "<<: *a", "---\n", "...\n", "|", ">", "'", '"', "\\", "!", "!!str ", "%", "@", "`",
    "~", "null", "\0", "\t", "\r", "\u2028", "\ufeff", "\x1b[31m", "{{", "}}", "{{ range until 1000 }}", "../", "/", "*" * 50, "(" * 200,
    "9" * 400, "-1", "1e999", "0x", "x" * 30_000, "a: " * 40, "\n  ",
)  # fmt: skip
LONGEST = 30.0
"""Seconds for one command on one small repository."""


class Failure(NamedTuple):
    command: tuple[str, ...]
    error: str
    files: dict[str, str]


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


def tried(files: dict[str, str], command: tuple[str, ...], root: str) -> str:
    """Why a command failed; empty if it did not."""
    said = io.StringIO()
    with watch.Piece(LONGEST) as piece:
        try:
            with contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO())), contextlib.redirect_stderr(said):
                command_line.cli.main(
                    [*command, root, "--isolated", "--helm", "off", "--timeout", "0"], standalone_mode=False
                )
        except (SystemExit, click.exceptions.Exit, click.ClickException) as done:
            code = getattr(done, "code", getattr(done, "exit_code", 0))
            if code == 2 and "error:" not in said.getvalue() and not isinstance(done, click.ClickException):
                return f"exit code 2: {said.getvalue()[-300:] or 'a rule threw, or took too long'}"
        except Exception as error:  # what is looked for
            return f"{type(error).__name__}: {error}"
    return piece.over


def failures(seconds: float, seed: int) -> Iterator[Failure | int]:
    """Each failure, and at last the number of runs."""
    choice = random.Random(seed)
    known = seeds()
    texts = [text for files in known for text in files.values()]
    end, runs = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        files = mutated(choice.choice(known), texts, choice)
        command = choice.choice(COMMANDS)
        with tempfile.TemporaryDirectory() as root:
            for name, text in files.items():
                path = Path(root, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, "utf-8", "surrogatepass")
            error = tried(files, command, root)
        runs += 1
        if error:
            yield Failure(command, error, files)
    yield runs


def main() -> int:
    seconds, seed = float(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else int.from_bytes(os.urandom(4), "big")
    found = 0
    for one in failures(seconds, seed):
        if isinstance(one, int):
            print(f"seed {seed}: {one} runs, {found} failures")
            continue
        found += 1
        kept = tempfile.mkdtemp(prefix="gitops-lint-fuzz-")
        for name, text in one.files.items():
            path = Path(kept, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8", "surrogatepass")
        print(f"{' '.join(one.command)}: {one.error}\n  in {kept}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.setrecursionlimit(command_line.DEEPEST_CALLS)
    sys.exit(main())
