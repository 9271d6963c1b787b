"""The substitution that is used when goTemplate is off: a name between braces, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ...facts.regexes import regex
from .go_values import Value, check_text
from .template_errors import TemplateError

_TEMPLATED: Final = regex(r"\{\{.*\}\}")


def _parts(text: str) -> Iterator[tuple[str, str | None]]:
    """The literal stretches, each with the tag that follows it."""
    at = 0
    while True:
        left = text.find("{{", at)
        if left < 0:
            yield text[at:], None
            return
        right = text.find("}}", left + 2)
        if right < 0:
            where = f'in the template="{text}" starting from "{text[left + 2 :]}"'
            raise TemplateError(f'invalid template: Cannot find end tag="}}}}" {where}')
        yield text[at:left], text[left + 2 : right]
        at = right + 2


def tags(text: str) -> list[str]:
    """The names that stand between braces."""
    if not _TEMPLATED.search(text):
        return []
    return [tag.strip() for _, tag in _parts(text) if tag is not None]


def render(text: str, parameters: dict[str, Value]) -> str:
    """What names no parameter, or one that is no text, stays as it is, braces and all."""
    if not _TEMPLATED.search(text):
        return text
    result: list[str] = []
    for literal, tag in _parts(text):
        value = parameters.get(tag.strip()) if tag else None
        result += [literal, value if isinstance(value, str) and tag and tag.strip() else _braced(tag)]
    check_text(sum(map(len, result)))
    return "".join(result)


def _braced(tag: str | None) -> str:
    return "" if tag is None else f"{{{{{tag}}}}}"
