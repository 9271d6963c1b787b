"""Which fields differ between two values, and how to show it in a line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final, NamedTuple

from ...facts.regexes import regex
from ...kubernetes.masked_fields import is_below_secret, is_secret, masked, name_in_list, name_of

MOST_FIELDS: Final = 500
LONGEST_VALUE: Final = 160
MOST_LINES: Final = 60
_COMPARED_LINES: Final = 2_000
_PLAIN_KEY: Final = regex(r"[A-Za-z_][\w-]*")
_ABSENT: Final = object()

Step = tuple[str, str]
"""What a reader sees of a step of the way, and what a JSON pointer says."""


class Field(NamedTuple):
    path: str
    """``spec.template.spec.containers[web].image``"""
    pointer: str
    """In the object as it is now; of what is removed, as it was."""
    before: str | None
    """None if it was not there."""
    after: str | None
    hidden: bool = False
    """The values are not shown, since they may be secret; `before` and `after` say only whether there is one."""
    lines: tuple[str, ...] = ()
    """Of texts of several lines: those that differ, with - or + in front."""

    @property
    def what(self) -> str:
        return "added" if self.before is None else "removed" if self.after is None else "changed"


def differences(before: Any, after: Any) -> tuple[Field, ...]:
    return tuple(islice(_differ(before, after, (), "", False), MOST_FIELDS))


def _differ(before: Any, after: Any, steps: tuple[Step, ...], name: str, hidden: bool) -> Iterator[Field]:
    if before is after or _is_same(before, after):
        return
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for key in (*before, *(key for key in after if key not in before)):
            below = hidden or is_below_secret(before, key) or is_below_secret(after, key)
            one, other = before.get(key, _ABSENT), after.get(key, _ABSENT)
            own = name_of(after if key in after else before, key)
            yield from _differ(one, other, (*steps, _key(str(key))), own, below)
    elif isinstance(before, list) and isinstance(after, list):
        yield from _lists(before, after, steps, name, hidden)
    else:
        yield _field(before, after, steps, name, hidden)


def _is_same(before: Any, after: Any) -> bool:
    return bool(type(before) is type(after) and before == after)


def _lists(before: list[Any], after: list[Any], steps: tuple[Step, ...], name: str, hidden: bool) -> Iterator[Field]:
    old, new = _by_name(before), _by_name(after)
    if old is not None and new is not None:
        for key, at in {**new, **{key: at for key, at in old.items() if key not in new}}.items():
            one = before[old[key]] if key in old else _ABSENT
            other = after[new[key]] if key in new else _ABSENT
            yield from _differ(one, other, (*steps, (f"[{key}]", str(at))), name, hidden)
        kept = [key for key in old if key in new]
        if kept != [key for key in new if key in old]:
            yield _field(list(old), list(new), (*steps, (" (their order)", "")), "", hidden)._replace(
                pointer=_pointer(steps)
            )
        return
    for at in range(max(len(before), len(after))):
        one = before[at] if at < len(before) else _ABSENT
        other = after[at] if at < len(after) else _ABSENT
        own = name_in_list(after if at < len(after) else before, at, name)
        yield from _differ(one, other, (*steps, (f"[{at}]", str(at))), own, hidden)


def _by_name(items: Sequence[Any]) -> dict[str, int] | None:
    """Of a list of things that have names, each another: where they stand."""
    names = [item.get("name") if isinstance(item, Mapping) else None for item in items]
    if not all(isinstance(name, str) for name in names) or len(set(names)) < len(names):
        return None
    return {str(name): at for at, name in enumerate(names)}


def _field(before: Any, after: Any, steps: tuple[Step, ...], name: str, hidden: bool) -> Field:
    path, pointer = _path(steps), _pointer(steps)
    if hidden or is_secret(name, _value(before)) or is_secret(name, _value(after)):
        return Field(path, pointer, _there(before), _there(after), hidden=True)
    if isinstance(before, str) and isinstance(after, str) and "\n" in before + after:
        lines = tuple(_changed_lines(before.splitlines(), after.splitlines()))
        return Field(path, pointer, _extent(before), _extent(after), lines=lines)
    return Field(path, pointer, _words(before, name), _words(after, name))


def _value(value: Any) -> Any:
    return None if value is _ABSENT else value


def _there(value: Any) -> str | None:
    return None if value is _ABSENT else ""


def _extent(text: str) -> str:
    number = len(text.splitlines())
    return "1 line" if number == 1 else f"{number} lines"


def _words(value: Any, name: str) -> str | None:
    if value is _ABSENT:
        return None
    if isinstance(value, str):
        return _short(value if _is_plain(value) else json.dumps(value, ensure_ascii=False))
    return _short(json.dumps(masked(value, name), ensure_ascii=False, default=str))


def _is_plain(text: str) -> bool:
    """Whether nobody takes it for a number, a list, or nothing at all."""
    if not text or text != text.strip() or "\n" in text:
        return False
    return (
        text not in ("true", "false", "null")
        and text[0] not in '[{"'
        and not re.fullmatch(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", text)
    )


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_VALUE else text[: LONGEST_VALUE - 1] + "…"


def _changed_lines(before: list[str], after: list[str]) -> Iterator[str]:
    if len(before) + len(after) > _COMPARED_LINES:
        return
    from difflib import unified_diff  # only for texts that differ

    found = [
        line for line in unified_diff(before, after, n=0, lineterm="") if not line.startswith(("---", "+++", "@@"))
    ]
    yield from (_short(line) for line in found[:MOST_LINES])


# -- the way there


def _key(key: str) -> Step:
    shown = f".{key}" if _PLAIN_KEY.fullmatch(key) else f"[{json.dumps(key, ensure_ascii=False)}]"
    return shown, key


def _path(steps: tuple[Step, ...]) -> str:
    return "".join(shown for shown, _ in steps).lstrip(".")


def _pointer(steps: tuple[Step, ...]) -> str:
    return "".join(f"/{key.replace('~', '~0').replace('/', '~1')}" for _, key in steps)
