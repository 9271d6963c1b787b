"""The digest in Chart.lock, computed as Helm does: whether the lock is of these dependencies."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

from ..yaml.source import Node
from .chart import Chart
from .dependencies import Dependency

_FIELDS: Final = ("name", "version", "repository", "condition", "tags", "enabled", "import-values", "alias")
"""In the order that Helm writes them."""
_ALWAYS: Final = ("name", "repository")
_TEXTS: Final = frozenset({"name", "version", "repository", "condition", "alias"})


class NotKnown(Exception):
    """Something that Helm would read in a way that is not known here."""


def is_current(chart: Chart, lock: Node) -> bool | None:
    """Whether the digest in the lock is the one of the chart's dependencies; None where nobody can tell."""
    digest = lock["digest"].text
    if not digest.startswith("sha256:"):
        return None
    try:
        declared = [_as_helm_has_it(one.node) for one in chart.dependencies]
        locked = [_as_helm_has_it(node) for node in lock["dependencies"]]
    except NotKnown:
        return None
    if any(_is_alias(one) for one in chart.dependencies):
        return None  # the address behind a name is in the settings of Helm, and goes into the digest
    possible = {_digest([declared, locked])}
    if chart.api_version == "v1":
        possible.add(_digest({"dependencies": declared}))  # of Helm 2
    return digest in possible


def _is_alias(dependency: Dependency) -> bool:
    return dependency.repository.startswith(("@", "alias:"))


def _as_helm_has_it(node: Node) -> dict[str, Any]:
    value = node.value
    if not isinstance(value, dict) or not value.keys() <= set(_FIELDS):
        raise NotKnown
    found: dict[str, Any] = {}
    for key in _FIELDS:
        one = value.get(key)
        if key in _TEXTS and not isinstance(one, str) and one is not None:
            raise NotKnown
        if one:
            found[key] = one
        elif key in _ALWAYS:
            found[key] = ""
    return found


def _digest(value: Sequence[Any] | dict[str, Any]) -> str:
    # Go escapes what could end a script, and knows no blanks between the signs.
    text = json.dumps(_sorted_below(value), separators=(",", ":"), ensure_ascii=False)
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    import hashlib  # loads a library of its own, which takes longer than most runs of a rule

    return "sha256:" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _sorted_below(value: Any) -> Any:
    """Mappings within import-values are sorted; a dependency has the order of its fields."""
    if isinstance(value, dict):
        keys = value if value.keys() & {"name", "dependencies"} else sorted(value)
        return {key: _sorted_below(value[key]) for key in keys}
    return [_sorted_below(one) for one in value] if isinstance(value, list) else value
