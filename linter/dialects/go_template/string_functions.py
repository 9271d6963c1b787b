"""Sprig's functions on texts."""

from __future__ import annotations

import re
from typing import Final

from .function_types import Function, Type
from .go_print import quoted
from .go_values import StringList, StringMap, Value, check_text, plain
from .template_errors import CannotEvaluate, TemplateError

_S: Final = Type.STRING
_I: Final = Type.INT
_SPACES: Final = " \t\n\v\f\r\x85\xa0\u2028\u2029"
_OUT_OF_RANGE: Final = "runtime error: slice bounds out of range"


def text_of(value: Value) -> str:
    return value if isinstance(value, str) else plain(value)


def texts(value: Value) -> list[str]:
    """A list's items as texts, without the nulls; any other value as a list of one."""
    if isinstance(value, list):
        return [text_of(item) for item in value if item is not None]
    return [] if value is None else [text_of(value)]


def cut(text: str, start: int, end: int) -> str:
    """Go counts bytes, so a cut may go through a character."""
    data = text.encode()
    if not 0 <= start <= end <= len(data):
        raise TemplateError(_OUT_OF_RANGE)
    try:
        return data[start:end].decode()
    except UnicodeDecodeError:
        raise CannotEvaluate("a cut through a character that is not ASCII") from None


def _trunc(count: int, text: str) -> str:
    length = len(text.encode())
    if count < 0 < length + count:
        return cut(text, length + count, length)
    return cut(text, 0, count) if 0 <= count < length else text


def _substr(start: int, end: int, text: str) -> str:
    length = len(text.encode())
    if start < 0:
        return cut(text, 0, end)
    return cut(text, start, length if end < 0 or end > length else end)


def _abbrev(width: int, text: str) -> str:
    return text if width < 4 or len(text.encode()) <= width else cut(text, 0, width - 3) + "..."


def _trim_all(cutset: str, text: str) -> str:
    if len(cutset) > 200:
        raise CannotEvaluate("so many characters to trim")
    return text.strip(cutset)


def _repeat(count: int, text: str) -> str:
    if count < 0:
        raise TemplateError("strings: negative Repeat count")
    check_text(len(text) * count)
    return text * count


def _indent(spaces: int, text: str) -> str:
    pad = _repeat(spaces, " ")
    check_text(len(text) + len(pad) * (text.count("\n") + 1))
    return pad + text.replace("\n", "\n" + pad)


def _replace(old: str, new: str, text: str) -> str:
    check_text(len(text) + len(new) * text.count(old))
    return text.replace(old, new)


def _title(text: str) -> str:
    """The first letter of each word; a word ends at anything but a letter, a digit or an underscore."""
    return re.sub(r"(?<!\w)\w", lambda match: match[0].upper(), text)


def _untitle(text: str) -> str:
    return re.sub(r"(?<!\S)\S", lambda match: match[0].lower(), text)


def split_list(separator: str, text: str) -> StringList:
    return StringList(text.split(separator) if separator else list(text))


def _numbered(parts: list[Value]) -> StringMap:
    return StringMap((f"_{index}", part) for index, part in enumerate(parts))


def _splitn(separator: str, count: int, text: str) -> StringMap:
    if count == 0:
        return StringMap()
    if not separator:
        raise CannotEvaluate("splitn between all characters")
    return _numbered(list(text.split(separator, count - 1 if count > 0 else -1)))


def _join(separator: str, value: Value) -> str:
    parts = texts(value)
    check_text(sum(map(len, parts)) + len(separator) * len(parts))
    return separator.join(parts)


def _quote(*values: Value) -> str:
    return " ".join(quoted(text_of(value)) for value in values if value is not None)


def _squote(*values: Value) -> str:
    return " ".join(f"'{plain(value)}'" for value in values if value is not None)


def _cat(*values: Value) -> str:
    parts = [plain(value) for value in values if value is not None]
    check_text(sum(map(len, parts)))
    return " ".join(parts)


def _initials(text: str) -> str:
    if not text.isascii():
        raise CannotEvaluate("initials of a text that is not ASCII")
    return "".join(word[0] for word in text.split())


def _separated(text: str, separator: str) -> str:
    """snakecase, kebabcase: only where all versions of the library agree where a word ends."""
    if not text.isascii() or (re.search(r"[A-Z]", text) and not re.fullmatch(r"[A-Za-z _-]*", text)):
        raise CannotEvaluate("the case of a text with capitals and other characters than letters")
    words = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", separator, text)
    return re.sub(r"[ _-]", separator, words).lower()


def _camelcase(text: str) -> str:
    if not re.fullmatch(r"[a-z]+(?:[ _-][a-z]+)*|", text):
        raise CannotEvaluate("the camel case of a text with other characters than small letters")
    return "".join(word.capitalize() for word in re.split(r"[ _-]", text))


FUNCTIONS: Final = {
    "hello": Function(lambda: "Hello!"),
    "lower": Function(str.lower, (_S,)),
    "upper": Function(str.upper, (_S,)),
    "title": Function(_title, (_S,)),
    "untitle": Function(_untitle, (_S,)),
    "trim": Function(lambda text: text.strip(_SPACES), (_S,)),
    "trimAll": Function(_trim_all, (_S, _S)),
    "trimall": Function(_trim_all, (_S, _S)),
    "trimPrefix": Function(lambda prefix, text: text.removeprefix(prefix), (_S, _S)),
    "trimSuffix": Function(lambda suffix, text: text.removesuffix(suffix), (_S, _S)),
    "contains": Function(lambda part, text: part in text, (_S, _S)),
    "hasPrefix": Function(lambda prefix, text: text.startswith(prefix), (_S, _S)),
    "hasSuffix": Function(lambda suffix, text: text.endswith(suffix), (_S, _S)),
    "replace": Function(_replace, (_S, _S, _S)),
    "trunc": Function(_trunc, (_I, _S)),
    "substr": Function(_substr, (_I, _I, _S)),
    "abbrev": Function(_abbrev, (_I, _S)),
    "repeat": Function(_repeat, (_I, _S)),
    "indent": Function(_indent, (_I, _S)),
    "nindent": Function(lambda spaces, text: "\n" + _indent(spaces, text), (_I, _S)),
    "nospace": Function(lambda text: "".join(text.split()), (_S,)),
    "initials": Function(_initials, (_S,)),
    "plural": Function(lambda one, many, count: one if count == 1 else many, (_S, _S, _I)),
    "quote": Function(_quote, (), Type.ANY),
    "squote": Function(_squote, (), Type.ANY),
    "cat": Function(_cat, (), Type.ANY),
    "toString": Function(text_of, (Type.ANY,)),
    "split": Function(lambda separator, text: _numbered(split_list(separator, text)), (_S, _S)),
    "splitList": Function(split_list, (_S, _S)),
    "splitn": Function(_splitn, (_S, _I, _S)),
    "join": Function(_join, (_S, Type.ANY)),
    "snakecase": Function(lambda text: _separated(text, "_"), (_S,)),
    "kebabcase": Function(lambda text: _separated(text, "-"), (_S,)),
    "camelcase": Function(_camelcase, (_S,)),
}
