"""Writes docs/rules.md, docs/rules/ and rules/index.json from the rules; with --check, only compares."""

from __future__ import annotations

import sys
from pathlib import Path

from gitops_lint.linter.lint.rule import Rule
from gitops_lint.linter.report import rule_page
from gitops_lint.rules import INDEX, index, load

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
sys.path.insert(0, str(ROOT / "tests"))  # what was seen of the rules is kept there

from lab import records, told  # noqa: E402


def pages() -> dict[Path, str]:
    rules = load()
    made = {DOCS / "rules" / f"{rule.name}.md": rule_page.markdown(rule) + seen(rule) for rule in rules}
    return {INDEX: index(), DOCS / "rules.md": rule_page.index(rules), **made}


def seen(rule: Rule) -> str:
    """What a real Argo CD made of the rule's Bad example (docs/lab.md)."""
    return told.section(records.read(rule.name), records.not_shown().get(rule.name))


def main() -> int:
    wanted = pages()
    present = {*(DOCS / "rules").glob("*.md"), DOCS / "rules.md"}
    stale = sorted(
        path for path in {*wanted, *present} if not path.exists() or wanted.get(path) != path.read_text("utf-8")
    )
    if "--check" in sys.argv:
        for path in stale:
            print(f"{path.relative_to(DOCS.parent)} is not what the rules say; run `make docs`")
        return 1 if stale else 0
    for path in stale:
        if path in wanted:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(wanted[path], "utf-8")
        else:
            path.unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main())
