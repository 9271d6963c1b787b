"""Go's fmt: Sprint, Sprintln and Sprintf."""

from __future__ import annotations

import re
from typing import Final

from ...facts.regexes import regex
from .go_values import Value, check_text, plain, type_name
from .template_errors import CannotEvaluate

_VERB: Final = regex(
    r"%(?P<flags>[-+# 0]*)(?P<width>\d+|\*)?(?P<precision>\.(?:\d+|\*)?)?(?P<index>\[)?(?P<verb>.|$)", re.DOTALL
)
_MAX_WIDTH: Final = 10_000
_SHORT: Final = {"\a": "\\a", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\v": "\\v"}


def sprint(values: tuple[Value, ...]) -> str:
    """A space only between two operands that are both no strings."""
    parts: list[str] = []
    for index, value in enumerate(values):
        if index and not isinstance(value, str) and not isinstance(values[index - 1], str):
            parts.append(" ")
        parts.append(plain(value))
    check_text(sum(map(len, parts)))
    return "".join(parts)


def sprintln(values: tuple[Value, ...]) -> str:
    return " ".join(map(plain, values)) + "\n"


def sprintf(pattern: str, values: tuple[Value, ...]) -> str:
    rest = list(values)
    total = len(pattern)

    def replace(match: re.Match[str]) -> str:
        nonlocal total
        text = _formatted(match, rest)
        total += len(text)
        check_text(total)
        return text

    result = _VERB.sub(replace, pattern)
    if rest:
        extra = ", ".join(f"{type_name(value)}={plain(value)}" if value is not None else "<nil>" for value in rest)
        result += f"%!(EXTRA {extra})"
    return result


def _formatted(match: re.Match[str], rest: list[Value]) -> str:
    verb, flags, width, precision = match["verb"], match["flags"], match["width"], match["precision"]
    if not verb:
        return "%!(NOVERB)"
    if verb == "%":
        return "%"
    if match["index"] or "*" in (width or "") or "*" in (precision or "") or "#" in flags:
        raise CannotEvaluate(f"the format {match[0]!r}")
    if not rest:
        return f"%!{verb}(MISSING)"
    columns = int(width) if width and len(width) < 6 else _MAX_WIDTH + 1 if width else 0
    places = int(precision[1:] or 0) if precision and len(precision) < 6 else None if not precision else _MAX_WIDTH + 1
    if columns > _MAX_WIDTH or (places or 0) > _MAX_WIDTH:
        raise CannotEvaluate(f"the format {match[0]!r}")
    value = rest.pop(0)
    text = _verb(verb, flags, places, value)
    if text is None:
        return f"%!{verb}({'<nil>' if value is None else f'{type_name(value)}={plain(value)}'})"
    return _padded(text, flags, columns, isinstance(value, int | float))


def _verb(verb: str, flags: str, places: int | None, value: Value) -> str | None:
    """The text without padding; None where the verb does not fit the value."""
    if isinstance(value, list | dict) and verb not in "vT":
        raise CannotEvaluate(f"%{verb} of a list or a map")
    if verb == "T":
        return type_name(value)
    if verb == "v":
        text = plain(value)
        return _signed(text, flags) if isinstance(value, int | float) and not isinstance(value, bool) else text
    if isinstance(value, bool):
        return plain(value) if verb == "t" else None
    if isinstance(value, str):
        return _of_string(verb, places, value)
    if isinstance(value, int):
        return _of_int(verb, flags, places, value)
    if isinstance(value, float):
        return _of_float(verb, flags, places, value)
    return None


def _of_string(verb: str, places: int | None, value: str) -> str | None:
    cut = value if places is None else value[:places]
    if verb == "s":
        return cut
    if verb == "q":
        return quoted(cut)
    if verb in "xX":
        text = cut.encode().hex()
        return text.upper() if verb == "X" else text
    return None


def _of_int(verb: str, flags: str, places: int | None, value: int) -> str | None:
    if verb == "c":
        return chr(value) if 0 <= value <= 0x10FFFF and not 0xD800 <= value <= 0xDFFF else "\ufffd"
    if verb not in "dxXob":
        if verb in "qU":
            raise CannotEvaluate(f"%{verb} of a number")
        return None
    digits = format(abs(value), verb)
    if places is not None:
        digits = digits.rjust(places, "0")
    return _signed(f"-{digits}" if value < 0 else digits, flags)


def _of_float(verb: str, flags: str, places: int | None, value: float) -> str | None:
    if verb not in "eEfFgG":
        if verb in "xXb":
            raise CannotEvaluate(f"%{verb} of a number")
        return None
    if verb in "gG":
        if places is not None:
            raise CannotEvaluate(f"%.{places}{verb}")
        text = plain(value)
        return _signed(text.upper() if verb == "G" else text, flags)
    return _signed(format(value, f".{6 if places is None else places}{verb}"), flags)


def _signed(text: str, flags: str) -> str:
    if text.startswith(("-", "+")):
        return text
    return f"+{text}" if "+" in flags else f" {text}" if " " in flags else text


def _padded(text: str, flags: str, columns: int, number: bool) -> str:
    if "-" in flags:
        return text.ljust(columns)
    if "0" in flags and number:
        sign, digits = (text[0], text[1:]) if text[:1] in ("+", "-", " ") else ("", text)
        return sign + digits.rjust(columns - len(sign), "0")
    return text.rjust(columns, "0" if "0" in flags else " ")


def quoted(text: str) -> str:
    """Go's %q."""
    parts = []
    for character in text:
        if character in '"\\':
            parts.append(f"\\{character}")
        elif character in _SHORT:
            parts.append(_SHORT[character])
        elif character.isprintable():
            parts.append(character)
        elif ord(character) < 0x80:
            parts.append(f"\\x{ord(character):02x}")
        else:
            parts.append(f"\\u{ord(character):04x}" if ord(character) < 0x10000 else f"\\U{ord(character):08x}")
    check_text(len(parts))
    return f'"{"".join(parts)}"'
