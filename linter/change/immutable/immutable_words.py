"""Words that the rules on immutable fields share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...dialects.phrases import some
from ...facts.tables import table
from ...yaml.source import Node
from .outcome import Outcome
from .updated_objects import Rewritten


def place_of(pair: Rewritten, at: Node) -> Node:
    """Where a person wrote what is there: a label that the Application adds is written in the Application."""
    application = pair.app.application
    for source in application.sources if application and at.present else ():
        label = application.place(f"{source.pointer}/kustomize/commonLabels")[at.key] if application else at
        if label.present and label.scalar_text == at.scalar_text:
            return label
    return at


def others(found: Sequence[Rewritten]) -> str:
    """What else one line changes in the same way; empty if nothing."""
    rest = [str(one.after) for one in found[1:] if one.after is not found[0].after]
    names = [name for name in dict.fromkeys(rest) if name != str(found[0].after)]
    if not names:
        return ""
    return f" (the same holds for {some(names, 2)})"


def answer(says: str, result: Outcome, by: str = "") -> str:
    """What the API server says, on whose word, and what follows."""
    return f"the API server refuses it ({says!r}{by}), and {result.words}"


def advice(kind: str) -> dict[str, Any]:
    """What to do, and what is lost where the object is made anew."""
    entries: dict[str, dict[str, Any]] = table("immutable-fields.json")["advice"]
    return entries.get(kind, entries[""])
