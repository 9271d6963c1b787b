"""CEL's macros: calls that bind a name and ask about each item of a list or a map."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from . import cel_lists
from .cel_values import Failed, Optional, TooMuch, wrong_types
from .go_regexp import NotJudged


class Run:
    """One evaluation: what names stand for, and what may still be spent."""

    __slots__ = ("left", "values")

    def __init__(self, values: dict[str, Any], steps: int) -> None:
        self.values = values
        self.left = steps

    def spend(self, steps: int) -> None:
        self.left -= 1 + steps
        if self.left < 0:
            raise TooMuch("an expression that takes too many steps")


Evaluate = Callable[[Run], Any]
Names = tuple[str, ...]
Bodies = list[Evaluate]


def optional_of(value: Any) -> Optional:
    if not isinstance(value, Optional):
        raise wrong_types("an optional entry")
    return value


def put(found: dict[Any, Any], key: Any, value: Any) -> None:
    if isinstance(key, bool) or not isinstance(key, (str, int)):
        raise NotJudged("a map with such keys")
    if key in found:
        raise Failed(f"insert failed: key {key} already exists")
    found[key] = value


def until(by: bool, parts: Any) -> bool:
    """`&&`, `||`, all() and exists(): one part can decide, and what fails beside it does not count."""
    pending: Failed | NotJudged | None = None
    for part in parts:
        try:
            value = part()
            if not isinstance(value, bool):
                raise wrong_types("and, or or all()")
        except TooMuch:
            raise
        except NotJudged as error:
            pending = error
        except Failed as error:
            pending = pending or error
        else:
            if value is by:
                return by
    if pending is not None:
        raise pending
    return not by


def _steps(run: Run, value: Any, names: Names) -> Any:
    """Goes through a list or a map, and binds the names at each step."""
    if not isinstance(value, (list, dict)):
        raise wrong_types("a loop")
    if len(names) == 1:
        pairs: Any = ((one,) for one in value)
    else:
        pairs = value.items() if isinstance(value, dict) else enumerate(value)
    for bound in pairs:
        run.spend(1)
        for name, one in zip(names, bound, strict=True):
            run.values[name] = one
        yield bound


def _all(run: Run, value: Any, names: Names, bodies: Bodies) -> bool:
    return until(False, ((lambda: bodies[0](run)) for _ in _steps(run, value, names)))


def _exists(run: Run, value: Any, names: Names, bodies: Bodies) -> bool:
    return until(True, ((lambda: bodies[0](run)) for _ in _steps(run, value, names)))


def _true(value: Any) -> bool:
    if not isinstance(value, bool):
        raise wrong_types("a condition")
    return value


def _exists_one(run: Run, value: Any, names: Names, bodies: Bodies) -> bool:
    return sum(_true(bodies[0](run)) for _ in _steps(run, value, names)) == 1


def _mapped(run: Run, value: Any, names: Names, bodies: Bodies) -> list[Any]:
    *conditions, body = bodies
    return [body(run) for _ in _steps(run, value, names) if all(_true(one(run)) for one in conditions)]


def _filtered(run: Run, value: Any, names: Names, bodies: Bodies) -> list[Any]:
    return [bound[0] for bound in _steps(run, value, names) if _true(bodies[0](run))]


def _to_map(run: Run, value: Any, names: Names, bodies: Bodies) -> dict[Any, Any]:
    *conditions, body = bodies
    found: dict[Any, Any] = {}
    for bound in _steps(run, value, names):
        if all(_true(one(run)) for one in conditions):
            put(found, bound[0], body(run))
    return found


def _to_entries(run: Run, value: Any, names: Names, bodies: Bodies) -> dict[Any, Any]:
    *conditions, body = bodies
    found: dict[Any, Any] = {}
    for _ in _steps(run, value, names):
        if all(_true(one(run)) for one in conditions):
            entry = body(run)
            if not isinstance(entry, dict):
                raise wrong_types("transformMapEntry()")
            for key, one in entry.items():
                put(found, key, one)
    return found


def _sorted_by(run: Run, value: Any, names: Names, bodies: Bodies) -> list[Any]:
    keys = [bodies[0](run) for _ in _steps(run, value, names)]
    return cel_lists.sort_by(run.spend, value, keys)


def _opt_map(run: Run, value: Any, names: Names, bodies: Bodies) -> Optional:
    if not optional_of(value).present:
        return Optional()
    run.values[names[0]] = value.value
    return Optional(bodies[0](run), True)


def _opt_flat_map(run: Run, value: Any, names: Names, bodies: Bodies) -> Optional:
    found = _opt_map(run, value, names, bodies)
    return optional_of(found.value) if found.present else found


MACROS: Final[dict[str, Callable[[Run, Any, Names, Bodies], Any]]] = {
    "all": _all,
    "exists": _exists,
    "exists_one": _exists_one,
    "existsOne": _exists_one,
    "map": _mapped,
    "filter": _filtered,
    "transformList": _mapped,
    "transformMap": _to_map,
    "transformMapEntry": _to_entries,
    "sortBy": _sorted_by,
    "optMap": _opt_map,
    "optFlatMap": _opt_flat_map,
}
