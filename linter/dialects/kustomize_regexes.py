"""Regular expressions as Go writes them, made into Python's.

Go's take time in proportion to the text, Python's may take for ever: those that
could are told apart from the rest, and nobody tries them.
"""

from __future__ import annotations

import re
import warnings
from functools import lru_cache
from typing import Final

_UNKNOWN_TO_GO: Final = re.compile(
    r"\(\?(?:[=!>#(]|<[=!]|P[=>])"  # looking around, conditions, comments
    r"|\\[1-9Z]"
    r"|(?<!\\)[*+?}]\+"  # possessive
)
_UNKNOWN_TO_PYTHON: Final = re.compile(r"\\[pPC]|\\[0-7]{3}|\(\?[a-zA-Z]*(?:U|-[a-zA-Z]+\))")
_LITERALLY: Final = re.compile(r"\\Q(.*?)(?:\\E|\Z)", re.DOTALL)
_REPEATS: Final = re.compile(r"\{(\d+)(?:,(\d*))?\}")
_MOST: Final = 1000
_FLAGS: Final = re.compile(r"\(\?([ims]+)\)")
_CLASS: Final = re.compile(r"\[\^?\]?(?:\\.|\[:\w+:\]|[^\]\\])*\]?")
_ESCAPE_OR_CLASS: Final = re.compile(rf"(\\.)|{_CLASS.pattern}")
_MANY_TIMES: Final = re.compile(r"[*+]|\{\d*,\}|\{\d*,?\d{3,}\}")
_MOST_REPEATS: Final = 3
_DEEPEST_HERE: Final = 50
_DEEPEST_IN_GO: Final = 1000
LONGEST: Final = 253
"""Of a text that is matched; no name in Kubernetes is longer."""
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
    if "\\Q" in pattern:
        pattern = _LITERALLY.sub(lambda found: re.escape(found[1]), pattern)
    unknown = _UNKNOWN_TO_GO.search(_ESCAPE_OR_CLASS.sub(lambda found: found[1] or "x", pattern))
    if unknown:
        raise re.error(f"Go's regular expressions know no {unknown[0]}")
    if any(int(count or 0) > _MOST for found in _REPEATS.findall(pattern) for count in found):
        raise re.error(f"Go repeats nothing more than {_MOST} times")
    if pattern.count("(") > _DEEPEST_IN_GO:
        raise re.error("the expression nests too deeply")
    pattern = pattern.replace("(?<", "(?P<").replace("{,", r"\{,")
    for name, characters in _CLASSES.items():
        pattern = pattern.replace(name, characters)
    flags = _FLAGS.match(pattern)
    if flags:
        pattern = f"(?{flags[1]}:{pattern[flags.end() :]})"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # Python may read [[ otherwise one day; Go will not
            return re.compile(rf"(?:{pattern})\Z".replace(r"\z", r"\Z"), re.ASCII)
    except (RecursionError, OverflowError):
        raise re.error("the expression nests too deeply") from None


def is_beyond_python(pattern: str) -> bool:
    """Whether it has something that Go has and Python has not, or goes deeper than Python can."""
    return _UNKNOWN_TO_PYTHON.search(pattern) is not None or _DEEPEST_HERE < pattern.count("(") <= _DEEPEST_IN_GO


def may_take_long(pattern: str) -> bool:
    """Whether something that repeats, or has alternatives, is repeated itself; or too much is."""
    groups = [False]
    is_after_such_group = False
    repeats = index = 0
    while index < len(pattern):
        character = pattern[index]
        many = _MANY_TIMES.match(pattern, index)
        if many:
            if is_after_such_group:
                return True
            repeats += 1
            groups[-1] = True
        elif character == "(":
            groups.append(False)
        elif character == "|":
            groups[-1] = True
        is_after_such_group = character == ")" and len(groups) > 1 and groups.pop()
        groups[-1] = groups[-1] or is_after_such_group
        index += _length(pattern, index, many)
    return repeats > _MOST_REPEATS


def _length(pattern: str, index: int, many: re.Match[str] | None) -> int:
    """Of the piece that begins here."""
    if many:
        return len(many[0])
    if pattern[index] == "[" and (found := _CLASS.match(pattern, index)):
        return len(found[0])
    return 2 if pattern[index] == "\\" else 1
