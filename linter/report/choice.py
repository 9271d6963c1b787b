"""The part of a result that somebody asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ..facts.severity import Severity
from ..lint.result import Reported, Result
from ..lint.selection import exactness


def chosen(result: Result, least: Severity | None = None, rules: Sequence[str] = (), app: str | None = None) -> Result:
    """Findings that are at least so severe, of one of these rules, and touch the Application or are in the unit."""

    def wanted(item: Reported) -> bool:
        return (
            (least is None or item.severity >= least)
            and (not rules or exactness(rules, item.rule) >= 0)
            and (app is None or app in (item.app, *_names(item)))
        )

    if least is None and not rules and app is None:
        return result
    reported = tuple(item for item in result.reported if wanted(item))
    return replace(
        result,
        reported=reported,
        unasked=len(result.reported) - len(reported),
        left_out=tuple(item for item in result.left_out if wanted(item)),
    )


def _names(item: Reported) -> Iterator[str]:
    """Of the Applications, with the namespace and without."""
    for name in item.applications:
        yield from (name, name.rpartition("/")[2])
