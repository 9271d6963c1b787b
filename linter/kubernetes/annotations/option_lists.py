"""Adding to the list of options in an annotation."""

from __future__ import annotations

from ...dialects.spelling import respelled
from .hooks import split


def with_option(text: str, option: str) -> str:
    """The list with the option in it; the rest stays as it was written.

    Of several items of one name the first is the one that counts, so that one gives way.
    """
    items = split(text)
    if not items:
        return option
    name = option.partition("=")[0]
    written = next((item for item in items if item.startswith(f"{name}=")), None)
    if written is not None:
        return respelled(text.strip(), {written: option})
    separator = ", " if ", " in text else ","
    return f"{text.strip().rstrip(', ')}{separator}{option}"
