"""Markup that is safe by construction: whatever is not markup already is escaped on its way in."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping

from ...report.escape import COMMAND_BRACKET, visible


class Html(str):
    """Text that is markup, because `tag` or `join` made it."""

    __slots__ = ()


NOTHING = Html("")


def text(value: str) -> Html:
    return value if isinstance(value, Html) else Html(_escaped(value))


def _escaped(value: str) -> str:
    """A page may be printed, too, where a runner reads it."""
    return COMMAND_BRACKET.sub("&#91;", html.escape(visible(value)))


def tag(name: str, attributes: Mapping[str, str], *children: str) -> Html:
    written = "".join(f' {key}="{_escaped(value)}"' for key, value in attributes.items())
    return Html(f"<{name}{written}>{''.join(map(text, children))}</{name}>")


def later(body: Html) -> Html:
    """Markup as text for the script, in an element that no browser runs; what ends it cannot be in what `tag` made."""
    assert "</script" not in body
    return Html(f'<script type="text/plain">{body}</script>')


def fold(title: str, body: Html, *, lazy: bool = False, name: str = "fold") -> Html:
    """Closed until somebody opens it; a lazy one is laid out only then."""
    return tag("details", {"class": name}, tag("summary", {}, title), later(body) if lazy else body)


def prose(words: str) -> Html:
    """A sentence with `commands` in it, as all reports have them."""
    parts = words.split("`")
    if len(parts) % 2 == 0:
        return text(words)
    return join(tag("code", {}, part) if number % 2 else part for number, part in enumerate(parts))


def join(parts: Iterable[str]) -> Html:
    return Html("".join(map(text, parts)))
