"""A Helm template as a file with places: what is literal in it can be read, what actions print is unknown."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import ClassVar, Final

from yaml import Mark

from ..yaml import compose
from ..yaml.compose import Mapping, Raw, RawScalar
from ..yaml.lazy import lazy
from ..yaml.source import BYTE_ORDER_MARK, Comment, Document, Node, Problem, SourceFile
from .actions import Action, Kind, actions
from .masked_templates import Hole
from .repairs import Readable, readable

NEVER_YAML: Final = (".txt", ".md")


class TemplateFile(SourceFile):
    """One template. Its documents are read from the masked text, which has every place where the template has it."""

    is_template: ClassVar[bool] = True

    @classmethod
    def of(cls, file: SourceFile) -> TemplateFile:
        """A file that was read already."""
        mark = BYTE_ORDER_MARK if file.has_bom else ""
        return cls(file.path, mark + file.text, file.problems[0] if file.refused else None)

    @lazy
    def actions(self) -> tuple[Action, ...]:
        return () if self.refused else actions(self.text)

    @lazy
    def _readable(self) -> Readable:
        if self.refused or self.path.endswith(NEVER_YAML):
            return Readable(self.text, (), ((0, len(self.text)),))
        return readable(self.text)

    @property
    def masked(self) -> str:
        """Text of the same length without actions, that is YAML where it was not given up."""
        return self._readable.text

    @property
    def yaml_text(self) -> str:
        return self.masked

    @property
    def holes(self) -> tuple[Hole, ...]:
        return self._readable.holes

    @property
    def given_up(self) -> tuple[tuple[int, int], ...]:
        """The stretches of which nothing is known."""
        return self._readable.given_up

    @lazy
    def _parsed(self) -> tuple[list[Document], list[Problem]]:
        if self._problem:
            return [], [self._problem]
        if self.given_up == ((0, len(self.text)),):
            return [], []
        roots = self._readable.roots
        if roots is None:
            roots, _ = compose.documents(self.masked, any_key=True)
        if self.actions:
            # Between two named templates there is nothing, which is no document.
            roots = [root for root in roots if not (isinstance(root, RawScalar) and not root.value)]
        return [Document(self, index, root) for index, root in enumerate(roots)], []

    @lazy
    def comments(self) -> list[Comment]:
        """Those of YAML and those of the template; the latter as if they began with the sign of the former."""
        if "#" not in self.text and "/*" not in self.text:
            return []
        found = []
        for comment in self._plain.comments:
            # The mask has comments of its own, too.
            if self.text[comment.span.start] == "#" and self.action_at(comment.span.start) is None:
                found.append(comment._replace(text=self.text[slice(*comment.span)]))
        starts = [comment.span.start for comment in found]
        for action in self.actions:
            if action.kind is not Kind.COMMENT:
                continue
            above = bisect_right(starts, action.span.start) - 1
            if above < 0 or found[above].span.end <= action.span.start:  # else a part of another one
                found.append(self._in_action(action))
        return sorted(found)

    def _in_action(self, action: Action) -> Comment:
        text = action.body.removeprefix("/*").removesuffix("*/").strip()
        before = self.text[self.text.rfind("\n", 0, action.span.start) + 1 : action.span.start]
        return Comment(action.span, text[text.find("#") :] if "#" in text else f"# {text}", bool(before.strip()))

    @lazy
    def _plain(self) -> SourceFile:
        """The masked text as a file of its own, to be read as any other."""
        return SourceFile(self.path, self.masked)

    @lazy
    def whole(self) -> Mapping:
        """All of the file as one thing, for what was made from a part of it that cannot be read."""
        return Mapping(compose.TEXT, [], Mark(self.path, 0, 0, 0, None, 0), Mark(self.path, 0, 0, 0, None, 0))

    # -- what stands there literally

    @lazy
    def _action_starts(self) -> list[int]:
        return [action.span.start for action in self.actions]

    def actions_in(self, start: int, end: int) -> tuple[Action, ...]:
        """The actions that have a part in a stretch of the text."""
        first = bisect_right(self._action_starts, start) - 1
        if first < 0 or self.actions[first].span.end <= start:
            first += 1
        return self.actions[first : bisect_left(self._action_starts, end)]

    def action_at(self, offset: int) -> Action | None:
        return next(iter(self.actions_in(offset, offset + 1)), None)

    def holes_in(self, start: int, end: int) -> list[Hole]:
        first = bisect_left(self.holes, start, key=lambda hole: hole.start)
        return list(self.holes[first : bisect_left(self.holes, end, key=lambda hole: hole.start)])

    @lazy
    def _token_starts(self) -> list[int]:
        """Where scalars that are written begin."""
        spans = (span for document in self.documents for span in document.scalar_spans())
        return sorted(span.start for span in spans if span.end > span.start)

    def next_token(self, offset: int) -> int:
        """Where the next scalar begins, at the offset or after it."""
        index = bisect_left(self._token_starts, offset)
        return self._token_starts[index] if index < len(self._token_starts) else len(self.text)

    def is_acted_on(self, start: int, end: int) -> bool:
        """Whether an action other than a comment, or a hole, has a part in a stretch."""
        return any(action.kind is not Kind.COMMENT for action in self.actions_in(start, end)) or bool(
            self.holes_in(start, end)
        )

    def literal(self, node: Node) -> bool:
        """Whether a node's text, or of a mapping its own keys, all of them, stand in the template as they are."""
        raw = node.raw
        if raw is None or node.document.file is not self:
            return False
        if node.key_raw is not None and self.is_acted_on(node.key_raw.start_mark.index, node.key_raw.end_mark.index):
            return False
        if isinstance(raw, RawScalar):
            return self._is_literal_scalar(raw)
        if raw.flow_style:
            return not self.is_acted_on(raw.start_mark.index, raw.end_mark.index)
        if isinstance(raw, Mapping):
            keys = (key for key, _ in raw.value)
            if any(self.is_acted_on(key.start_mark.index, key.end_mark.index) for key in keys):
                return False
        return not any(self._holes_directly_in(node))

    def _is_literal_scalar(self, raw: RawScalar) -> bool:
        start, end = raw.start_mark.index, raw.end_mark.index
        if end == start:  # no value at all, unless a hole prints one
            return not self.is_acted_on(start, self.next_token(start))
        return not self.is_acted_on(start, start + len(self.masked[start:end].rstrip()))

    def _holes_directly_in(self, node: Node) -> Iterator[Hole]:
        """The holes in a block mapping or list that may print a key or an item of its own."""
        raw = node.raw
        assert raw is not None
        start = raw.start_mark.index
        if node.key_raw is not None:
            start = node.key_raw.end_mark.index
        column = raw.start_mark.column
        for hole in self.holes_in(start, self.next_token(self.content_end(raw))):
            if hole.depth is None or hole.depth == column:
                yield hole

    def may_go_on(self, node: Node) -> bool:
        """Whether more of a collection, or of its last entry, may be printed behind what is written of it."""
        raw = node.raw
        if raw is None:
            return True
        end = self.content_end(raw)
        holes = self.holes_in(end, self.next_token(end))
        return any(hole.depth is None or hole.depth >= raw.start_mark.column for hole in holes)

    def content_end(self, raw: Raw) -> int:
        """After the last character of a value that is neither blank nor comment."""
        while not isinstance(raw, RawScalar) and raw.value and not raw.flow_style:
            last = raw.value[-1]
            raw = last[1] if isinstance(raw, Mapping) else last
        start, end = raw.start_mark.index, raw.end_mark.index
        return int(start + len(self.masked[start:end].rstrip()))
