"""The text of a template: no YAML until Helm has run, so it has lines and comments, and no documents."""

from __future__ import annotations

import re
from typing import Final

from ..lazy import lazy
from ..source import Comment, Document, Problem, SourceFile, Span

_TEMPLATE_COMMENT: Final = re.compile(r"\{\{-?\s{0,9}/\*(.{0,1000}?)\*/\s{0,9}-?\}\}", re.DOTALL)
_SEPARATOR: Final = re.compile(r"^---", re.MULTILINE)
_YAML_COMMENT: Final = re.compile(r"^(?P<before>[^#\n]*?)(?:^|(?<=[ \t]))(?P<comment>#[^\n]*)", re.MULTILINE)


class TemplateText(SourceFile):
    """A template, a partial or the notes of a chart."""

    @lazy
    def _parsed(self) -> tuple[list[Document], list[Problem]]:
        return [], [self._problem] if self._problem else []

    @lazy
    def comments(self) -> list[Comment]:
        """Those of YAML and those of templates; the latter as if they began with the sign of the former."""
        found = []
        for match in _TEMPLATE_COMMENT.finditer(self.text):
            span = Span(*match.span())
            found.append(Comment(span, f"# {match[1].strip()}", self._is_trailing(span.start)))
        for match in _YAML_COMMENT.finditer(self.text):
            span = Span(*match.span("comment"))
            if "{{" not in match["comment"] or "gitops-lint" in match["comment"].partition("{{")[0]:
                found.append(Comment(span, match["comment"].rstrip("\r"), bool(match["before"].strip())))
        return sorted(found)

    @lazy
    def separators(self) -> list[int]:
        """Where documents begin, the first at 0."""
        return [0, *(match.start() for match in _SEPARATOR.finditer(self.text))]

    def _is_trailing(self, offset: int) -> bool:
        return bool(self.text[self.text.rfind("\n", 0, offset) + 1 : offset].strip())
