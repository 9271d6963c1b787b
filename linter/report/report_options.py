"""What a report may know besides the result."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from typing import Final

from ..facts.severity import Severity

TOOL: Final = "gitops-lint"
"""Part of an analysis's identity on GitHub: another name would open every alert anew."""

HOMEPAGE: Final = "https://github.com/gitops-lint/gitops-lint"


@dataclass(frozen=True)
class ReportOptions:
    """Nothing here says when or on which machine: equal results give equal reports."""

    tool_version: str = "0"
    color: bool = False
    width: int = 120
    """Of the terminal, in cells: longer source lines are cut around what is marked."""
    root: str = ""
    """The run's root as a person at the terminal would write it, put before paths there."""
    seen_from: str = ""
    """The folder below the root that the person is in: paths are shown from there."""
    uri_prefix: str = ""
    """The run's root seen from the top of the git repository, put before paths for GitHub."""
    sarif_category: str | None = None
    sarif_fold: bool = False
    """One result a cause, not one a place."""
    show_unread: bool = False
    """The files that no Application reads are listed."""
    every: bool = False
    """Everything in full, notes and all places: somebody asked for less, so that all of it has room."""
    group_by: str = ""
    """file, rule or app; empty for the order of what matters."""
    quiet: bool = False
    """Findings only."""
    threshold: Severity | None = Severity.WARNING
    """What fails the run; None for nothing."""
    homepage: str = HOMEPAGE
    rule_page: str = f"{HOMEPAGE}/blob/main/docs/rules/{{name}}.md"
    """The address of a rule's page, with `{name}` and `{code}` to be filled in."""

    def shown_path(self, path: str) -> str:
        return posixpath.relpath(path, self.seen_from) if self.seen_from else _joined(self.root, path)

    def repository_path(self, path: str) -> str:
        return _joined(self.uri_prefix, path)


def _joined(folder: str, path: str) -> str:
    folder = folder.rstrip("/")
    return path if folder in ("", ".") else f"{folder}/{path}"
