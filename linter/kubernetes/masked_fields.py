"""Which values of an object are not for everybody's eyes: a report may be read by more people than the repository.

Rather too much is hidden than too little: whatever stands under a name for a credential, whatever looks
like one, and every text that holds one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from ..dialects.secrets_in_text import decoded, judge, names_a_credential
from ..facts.regexes import regex

HIDDEN: Final = "(hidden)"
_BELOW: Final = ("data", "stringData")
_SETTING: Final = regex(r"(?P<key>[A-Za-z_][\w.-]{0,80})(?:[\"']?\s{0,5}=|[\"']\s{0,5}:|:\s)\s{0,5}\S")
_LONGEST: Final = 200_000
_MARKS: Final = ("PRIVATE KEY", "kind: Secret", '"kind":"Secret"', '"kind": "Secret"')
_IN_ADDRESS: Final = regex(r"://[^\s/:@]{0,100}:[^\s/@]{1,200}@")


def is_below_secret(holder: Any, key: Any) -> bool:
    """Whether a part of a mapping is what a Secret holds; a Secret may stand inside another object."""
    return isinstance(holder, Mapping) and holder.get("kind") == "Secret" and key in _BELOW


def name_of(holder: Any, key: Any) -> str:
    """By which a value is known: in ``{name: A, value: b}`` that is the name."""
    named = holder.get("name") if isinstance(holder, Mapping) and key == "value" else None
    return named if isinstance(named, str) else str(key)


def name_in_list(items: Sequence[Any], index: int, name: str) -> str:
    """Of ``[--password, hunter2]`` the second is known by the first."""
    before = items[index - 1] if index and index <= len(items) else None
    return before.lstrip("-") if isinstance(before, str) and before.startswith("-") else name


def is_secret(name: str, value: Any) -> bool:
    """Of one value, under the name it is known by."""
    if value is None or isinstance(value, (bool, Mapping, list)):
        return False
    text = str(value)
    if not text.strip():
        return False
    if names_a_credential(name) or len(text) > _LONGEST:
        return True
    return judge(name, text) is not None or _holds_one(text) or _holds_one(decoded(text) or "")


def _holds_one(text: str) -> bool:
    if any(mark in text for mark in _MARKS) or _IN_ADDRESS.search(text) or judge("", text):
        return True
    return any(names_a_credential(found["key"]) for found in _SETTING.finditer(text))


def masked(value: Any, name: str, *, hidden: bool = False) -> Any:
    """The value with everything hidden that is to be."""
    if isinstance(value, Mapping):
        return {
            str(key): masked(part, name_of(value, key), hidden=hidden or is_below_secret(value, key))
            for key, part in value.items()
        }
    if isinstance(value, list):
        return [masked(part, name_in_list(value, at, name), hidden=hidden) for at, part in enumerate(value)]
    return HIDDEN if value is not None and (hidden or is_secret(name, value)) else value
