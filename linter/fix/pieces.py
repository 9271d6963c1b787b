"""What a document is made of, as it is written: pieces of text with their places."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

MERGE: Final = "<<"


class Refused(Exception):
    """This change is not made; the message says why."""


@dataclass(frozen=True, eq=False)
class Piece:
    """A scalar or an alias, or one of the collections below."""

    start: int
    """With the anchor and the tag."""
    inner: int
    """After them; the same as `start` where there are none."""
    body: int
    """The first character of the value itself."""
    end: int
    """After the last character that is not a comment, blank line or line break."""
    style: str = ""
    """The quote or block sign of a scalar, ``*`` for an alias."""
    name: str = ""
    """What the scalar is as a key."""

    @property
    def is_alias(self) -> bool:
        return self.style == "*"

    @property
    def is_block_scalar(self) -> bool:
        return self.style in ("|", ">")

    @property
    def is_empty(self) -> bool:
        return self.body == self.end

    @property
    def quote(self) -> str:
        return self.style if self.style in ("'", '"') else ""


@dataclass(frozen=True, eq=False)
class Entry:
    """A member of a mapping or an item of a sequence."""

    start: int
    """The key, or the dash; in a flow sequence the value itself."""
    head: int
    """After the colon or the dash, where a value may begin."""
    value: Piece
    key: Piece | None = None
    has_colon: bool = True
    is_explicit: bool = False
    """Written with a ``?``, or without a colon."""

    @property
    def end(self) -> int:
        return self.value.end


@dataclass(frozen=True, eq=False)
class Collection(Piece):
    entries: tuple[Entry, ...] = ()
    is_mapping: bool = False
    is_flow: bool = False

    def find(self, name: str) -> Entry | None:
        """The member of this name that counts: the last one."""
        return next((entry for entry in reversed(self.entries) if entry.key and entry.key.name == name), None)

    @property
    def common_quote(self) -> str:
        """The quotes around every item: a new one gets them too."""
        quotes = {entry.value.quote for entry in self.entries}
        return quotes.pop() if len(quotes) == 1 else ""
