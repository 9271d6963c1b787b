"""An object that Kustomize wrote out as JSON for a JSON patch, and read again.

It means the same as before, but a few things that a later strategic merge goes
by are lost: quotes that a text does not need, and the difference between
nothing and null.
"""

from __future__ import annotations

from operator import is_
from typing import Final

from ..facts.regexes import regex
from ..yaml.compose import PLAIN, TEXT, Raw, RawScalar, Sequence
from ..yaml.scalars import NULLS, resolve
from .objects_in_file import ReadAnew, rfc3339
from .trees import Blank, Rewritten, mapping, sequence

_NEEDS_QUOTES: Final = regex(r"""[ ,\[\]{}#&*!|>'"%@`]|[-?:](?: |\Z)|---|\.\.\.|.*(?:: | #|[: ]\Z|[^ -~\xa0-\uffef])""")
_BASE_60: Final = regex(r"[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?")


def reread(raw: Raw) -> Raw:
    """The same tree, as it is after that; itself where it is so already."""
    if isinstance(raw, RawScalar):
        return _scalar(raw)
    if isinstance(raw, Sequence):
        items = [reread(item) for item in raw.value]
        return raw if all(map(is_, items, raw.value)) else sequence(items, raw)
    values = [reread(value) for _, value in raw.value]
    if all(new is old for new, (_, old) in zip(values, raw.value, strict=True)):
        return raw
    return mapping(((key, new) for new, (key, _) in zip(values, raw.value, strict=True)), raw)


def _scalar(raw: RawScalar) -> RawScalar:
    text: str = raw.value
    if raw.tag == PLAIN:
        return _made(raw, PLAIN, "null", None) if text in NULLS and text != "null" else raw
    if isinstance(raw, Blank | ReadAnew):
        return _made(raw, TEXT, text, _style(text))
    style = _style(text)
    return raw if (raw.style or None) == style or raw.tag != TEXT else _made(raw, TEXT, text, style)


def _style(text: str) -> str | None:
    if "\n" in text:
        return "|"
    needs_quotes = (
        not text or not isinstance(resolve(text), str) or rfc3339(text) or _BASE_60.fullmatch(text)
    ) or _NEEDS_QUOTES.match(text)
    return '"' if needs_quotes else None


def _made(old: RawScalar, tag: str, text: str, style: str | None) -> RawScalar:
    if not isinstance(old, Rewritten):
        return RawScalar(tag, text, old.start_mark, old.end_mark, style=style)
    made = Rewritten(tag, text, old.start_mark, old.end_mark, style=style)
    made.before = old.before
    return made
