"""The text edits behind a fix, for the formats that carry them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from ..lint.redaction import shows_secret
from ..lint.rule import Fix

if TYPE_CHECKING:
    from ..fix import TextEdit

MOST_JUDGED: Final = 100_000
"""Characters of documents. Every edit is proved by a second parser, which takes 10 to 16 us for each of them: a report
of a thousand fixes would take longer than the whole run. Those left out are still applied by `--fix`."""


class Lowered:
    """Fixes as edits, until the report has had its share of time."""

    def __init__(self) -> None:
        self._left = MOST_JUDGED

    def edits(self, fix: Fix) -> list[TextEdit] | None:
        """None when the patch cannot be written into the file as it is, would tell a secret, or time is up."""
        from ..fix import text_edits

        if shows_secret(fix):
            return None
        raw = fix.patch.document.raw
        self._left -= raw.end_mark.index - raw.start_mark.index
        return text_edits(fix) if self._left >= 0 else None


def is_json(fix: Fix) -> bool:
    """False when the patch moves an infinity or a NaN, which YAML has and JSON has not, or a secret."""
    if shows_secret(fix):
        return False
    try:
        json.dumps(fix.patch.operations, allow_nan=False)
    except ValueError:
        return False
    return True
