"""Writes docs/rules.md and docs/rules/ from the rules' manuals; with --check, only compares."""

from __future__ import annotations

import sys
from pathlib import Path

from gitops_lint.linter.report import rule_page
from gitops_lint.rules import load

DOCS = Path(__file__).parents[1] / "docs"


def pages() -> dict[Path, str]:
    rules = load()
    made = {DOCS / "rules" / f"{rule.name}.md": rule_page.markdown(rule) for rule in rules}
    return {DOCS / "rules.md": rule_page.index(rules), **made}


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
