"""Regular expressions that are compiled when they are first used.

The rooms and rules have some three hundred, a run needs a few dozen of them, and compiling all of
them would take longer than everything else that happens before the first file is read.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any


class _Later:
    """Stands for a pattern: a method that is asked for is the pattern's own from then on."""

    def __init__(self, text: str, flags: int = 0) -> None:
        self._text = text
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        found = getattr(re.compile(self._text, self._flags), name)  # `re` keeps those of one text
        setattr(self, name, found)
        return found


if TYPE_CHECKING:

    def regex(text: str, flags: int = 0) -> re.Pattern[str]: ...

else:
    regex = _Later
