"""Regular expressions as Go writes them, made into Python's."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

_UNKNOWN_TO_GO: Final = re.compile(
    r"\(\?(?:[=!>#(]|<[=!]|P[=>])"  # looking around, conditions, comments
    r"|\\[1-9Z]"
    r"|(?<!\\)[*+?}]\+"  # possessive
)
_FLAGS: Final = re.compile(r"\(\?([ims]+)\)")
_CLASSES: Final = {
    "[:alnum:]": "0-9A-Za-z",
    "[:alpha:]": "A-Za-z",
    "[:digit:]": "0-9",
    "[:lower:]": "a-z",
    "[:upper:]": "A-Z",
    "[:word:]": r"\w",
    "[:space:]": r"\s",
}


@lru_cache(maxsize=1024)
def whole(pattern: str) -> re.Pattern[str]:
    """What must match a text from its beginning to its end. Raises re.error for what Go refuses."""
    unknown = _UNKNOWN_TO_GO.search(pattern)
    if unknown:
        raise re.error(f"Go's regular expressions know no {unknown[0]}")
    for name, characters in _CLASSES.items():
        pattern = pattern.replace(name, characters)
    flags = _FLAGS.match(pattern)
    if flags:
        pattern = f"(?{flags[1]}:{pattern[flags.end() :]})"
    return re.compile(rf"(?:{pattern})\Z".replace(r"\z", r"\Z"), re.ASCII)
