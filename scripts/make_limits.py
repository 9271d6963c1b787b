"""Writes docs/limits.md: every limit of linter/facts/limits.py and of modules that have their own, with its reason."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "limits.md"
TABLE = ROOT / "linter" / "facts" / "limits.py"
NAMED_LIKE_A_LIMIT = re.compile(r"_?(?:MAX|MOST|LARGEST|LONGEST|DEEPEST|TIME_LIMIT|TRIES|PROBE_LIMIT)(?:_[A-Z_]+)?$")

HEAD = """\
# Limits

A repository may come from a stranger, so a run takes on only so much. What
meets a limit is told with its place, the rest goes on, and where something was
begun and not brought to an end the exit code is 2. `--timeout SECONDS` and
`--max-memory MB` bound the whole run; 0 takes the bound away.

Time and memory are watched by a signal, which Windows does not have: there only
the counts below hold.

This page is written by `make docs`.

## The table

| limit | value | why |
|---|---|---|
"""
MORE = """
## Of single modules

| module | limit | value | why |
|---|---|---|---|
"""


class Limit(NamedTuple):
    module: str
    name: str
    value: str
    why: str


def limits_in(path: Path) -> Iterator[Limit]:
    """The constants of a module, with the words below them."""
    body = ast.parse(path.read_text("utf-8")).body
    for node, after in zip(body, [*body[1:], None], strict=True):
        if not (isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value):
            continue
        if path != TABLE and not NAMED_LIKE_A_LIMIT.match(node.target.id):
            continue
        is_said = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
        why = " ".join(str(after.value.value).split()) if is_said else ""  # type: ignore[union-attr]
        yield Limit(path.relative_to(ROOT).as_posix(), node.target.id, ast.unparse(node.value), why)


def words(name: str) -> str:
    return name.strip("_").replace("_", " ").lower()


def amount(value: str) -> str:
    """12_000 as people read it; a product as it is written, for that says the unit."""
    return f"{ast.literal_eval(value):,}".removesuffix(".0") if re.fullmatch(r"[\d_.]+", value) else value


def page() -> str:
    rows = "".join(f"| {words(one.name)} | {amount(one.value)} | {one.why} |\n" for one in limits_in(TABLE))
    others = [path for path in sorted((ROOT / "linter").rglob("*.py")) if path != TABLE]
    more = "".join(
        f"| `{one.module}` | {words(one.name)} | {amount(one.value)} | {one.why} |\n"
        for path in others
        for one in limits_in(path)
    )
    return HEAD + rows + MORE + more


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
