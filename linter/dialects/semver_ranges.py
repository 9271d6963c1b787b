"""Versions and ranges of them as Helm reads them (Masterminds' semver).

Python's libraries (semantic-version, packaging) read ranges of npm and of PyPI:
``1.x || >=2 <3`` and what a pre-release falls into come out differently there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Final

from ..facts.regexes import regex

_VERSION: Final = regex(r"v?(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?")
_PART: Final = r"(?:\d{1,9}|[xX*])"
_RANGE: Final = regex(
    rf"(?P<operator>=|!=|>=?|=>|<=?|=<|~>?|\^|)\s*v?(?P<major>{_PART})(?:\.(?P<minor>{_PART}))?(?:\.(?P<patch>{_PART}))?"
    r"(?:-(?P<pre>[0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?"
)
_HYPHEN: Final = regex(r"\s*(v?[\d.xX*]+(?:-[0-9A-Za-z.-]+)?)\s+-\s+(v?[\d.xX*]+(?:-[0-9A-Za-z.-]+)?)\s*")
_EXACT: Final = regex(r"=?\s*v?\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?")
_LONGEST: Final = 200

Numbers = tuple[int, int, int]
_INFINITE: Final = 10**9


def is_exact(constraint: str) -> bool:
    """Whether only one version can be meant."""
    return _EXACT.fullmatch(constraint.strip()) is not None


def satisfies(version: str, constraint: str) -> bool | None:
    """None where either is not understood."""
    found = _VERSION.fullmatch(version.strip())
    if found is None or len(constraint) > _LONGEST:
        return None
    numbers = (int(found[1]), int(found[2] or 0), int(found[3] or 0))
    verdicts = [_all_of(part, numbers, found[4] or "") for part in constraint.split("||")]
    return None if None in verdicts else any(verdicts)


def is_range(text: str) -> bool:
    """Whether it may mean one version today and another tomorrow: ``1.x``, ``>=1.2``, ``*``; ``1.2`` is a version."""
    return _VERSION.fullmatch(text.strip()) is None and satisfies("0.0.0", text) is not None


def newest(versions: Iterable[str], constraint: str) -> str | None:
    """The highest of those that satisfy it, as it is written; None if none does."""
    fitting = [one for one in versions if satisfies(one, constraint)]
    return max(fitting, key=_rank, default=None)


def _rank(version: str) -> tuple[Numbers, tuple[int, tuple[tuple[int, int, str], ...]]]:
    found = _VERSION.fullmatch(version.strip())
    assert found is not None
    return (int(found[1]), int(found[2] or 0), int(found[3] or 0)), _pre_key(found[4] or "")


def _all_of(text: str, numbers: Numbers, pre: str) -> bool | None:
    hyphen = _HYPHEN.fullmatch(text)
    if hyphen:
        text = f">={hyphen[1]} <={hyphen[2]}"
    parts = list(_RANGE.finditer(text))
    rest = _RANGE.sub("", text)
    if not parts or rest.strip(" ,\t"):
        return None
    return all(_one(part, numbers, pre) for part in parts)


def _one(part: re.Match[str], numbers: Numbers, pre: str) -> bool:
    written = [part[name] for name in ("major", "minor", "patch")]
    known = [int(one) for one in _until_wild(written)]
    low: Numbers = (*known, 0, 0, 0)[:3]  # type: ignore[assignment]
    if pre and not part["pre"]:
        return False  # a version before a release is taken only by a range that names one
    order = (numbers, _pre_key(pre))
    edge = (low, _pre_key(part["pre"] or ""))
    tests: dict[str, Callable[[], bool]] = {
        ">": lambda: order > edge if len(known) == 3 else numbers >= _next(known),
        ">=": lambda: order >= edge,
        "<": lambda: order < edge,
        "<=": lambda: order <= edge if len(known) == 3 else numbers < _next(known),
        "~": lambda: order >= edge and numbers < _next(known[:2]),
        "^": lambda: order >= edge and numbers < _caret(known),
        "!=": lambda: not (order == edge if len(known) == 3 else low <= numbers < _next(known)),
        "=": lambda: order == edge if len(known) == 3 else low <= numbers < _next(known),
    }
    operator = {"": "=", "~>": "~", "=>": ">=", "=<": "<="}.get(part["operator"], part["operator"])
    return tests[operator]()


def _until_wild(written: list[str | None]) -> list[str]:
    found: list[str] = []
    for one in written:
        if one is None or one in "xX*":
            break
        found.append(one)
    return found


def _next(known: list[int]) -> Numbers:
    """The first version beyond all that begin so."""
    if not known:
        return (_INFINITE, 0, 0)
    raised = [*known[:-1], known[-1] + 1]
    return (*raised, 0, 0, 0)[:3]  # type: ignore[return-value]


def _caret(known: list[int]) -> Numbers:
    """The next version that may break something: the first number that is not zero goes up."""
    for at, number in enumerate(known):
        if number or at == len(known) - 1:
            return _next(known[: at + 1])
    return _next(known)


def _pre_key(pre: str) -> tuple[int, tuple[tuple[int, int, str], ...]]:
    if not pre:
        return (1, ())
    return (0, tuple((0, int(one), "") if one.isdecimal() else (1, 0, one) for one in pre.split(".")))
