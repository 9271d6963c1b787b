"""Where a jq expression leads in a document, as far as that can be told without running it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, IntEnum
from typing import Final, NamedTuple

_MOST: Final = 64
"""Paths of one expression; nobody writes more, and a product of commas may have any number."""

Constant = str | float | bool | None


class Mark(Enum):
    EACH = "[]"
    """All items of a list, or all members of a mapping."""


class Where(NamedTuple):
    """Only where the value at a path from here is this constant: ``select(.name == "proxy")``."""

    path: Path
    value: Constant


Step = str | int | Mark | Where
Path = tuple[Step, ...]


class Fresh(IntEnum):
    """Whether it gives a value of its own, which has no path."""

    UNKNOWN = 0
    AT_ROOT = 1
    """If it looks at the whole document. Elsewhere the value may happen to be the one that is there."""
    ALWAYS = 2


@dataclass(frozen=True)
class Filter:
    paths: tuple[Path, ...] | None = None
    """None where jq has to be run to tell."""
    fresh: Fresh = Fresh.UNKNOWN
    constant: tuple[Constant] | None = None
    """In a tuple, since null is a constant, too."""
    condition: Where | None = None
    """It is true where this holds."""
    deletes: Filter | None = None
    """For a call of del: its argument."""

    @property
    def is_no_path(self) -> bool:
        """jq takes it, but refuses to delete it: what it gives is no place in the document."""
        return self.fresh is not Fresh.UNKNOWN

    def then(self, step: Step) -> Filter:
        return self.piped(Filter(((step,),)))

    def piped(self, other: Filter) -> Filter:
        """A path into a value that is fresh is refused like the value itself."""
        if self.fresh is Fresh.ALWAYS and other.paths is not None:
            return FRESH
        if self.paths is None or other.paths is None or len(self.paths) * len(other.paths) > _MOST:
            return FRESH if other.fresh is Fresh.ALWAYS else UNKNOWN
        return Filter(tuple(one + another for one in self.paths for another in other.paths))

    def or_else(self, other: Filter) -> Filter:
        """With a comma between the two: all paths of both."""
        paths = self.paths + other.paths if self.paths is not None and other.paths is not None else None
        if paths is not None and len(paths) > _MOST:
            paths = None
        return Filter(paths, min(self.fresh, other.fresh))

    def equals(self, other: Filter) -> Filter:
        for path, constant in ((self, other), (other, self)):
            if path.paths is not None and len(path.paths) == 1 and constant.constant is not None:
                return Filter(fresh=Fresh.AT_ROOT, condition=Where(path.paths[0], constant.constant[0]))
        return VALUE


UNKNOWN: Final = Filter()
VALUE: Final = Filter(fresh=Fresh.AT_ROOT)
FRESH: Final = Filter(fresh=Fresh.ALWAYS)
IDENTITY: Final = Filter(((),))


def constant(value: Constant) -> Filter:
    return Filter(fresh=Fresh.AT_ROOT, constant=(value,))


def selected(by: Filter) -> Filter:
    return Filter(((by.condition,),)) if by.condition is not None else UNKNOWN
