"""Markup that is safe by construction: whatever is not markup already is escaped on its way in."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping

from ...report.escape import visible


class Html(str):
    """Text that is markup, because `tag` or `join` made it."""

    __slots__ = ()


NOTHING = Html("")


def text(value: str) -> Html:
    return value if isinstance(value, Html) else Html(html.escape(visible(value)))


def tag(name: str, attributes: Mapping[str, str], *children: str) -> Html:
    written = "".join(f' {key}="{html.escape(visible(value))}"' for key, value in attributes.items())
    return Html(f"<{name}{written}>{''.join(map(text, children))}</{name}>")


def later(body: Html) -> Html:
    """Markup as text for the script, in an element that no browser runs; what ends it cannot be in what `tag` made."""
    assert "</script" not in body
    return Html(f'<script type="text/plain">{body}</script>')


def join(parts: Iterable[str]) -> Html:
    return Html("".join(map(text, parts)))
