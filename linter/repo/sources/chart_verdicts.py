"""Whether an action of a template is reached, over all the values that its chart is rendered with."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ...helm.expressions import Expression, Path
from ...helm.statements import Statement
from .chart_views import ChartView


class Verdict(NamedTuple):
    reached: bool | None
    """True if surely, for some values; None where only a render can tell."""
    view: ChartView | None = None
    """For which values."""
    path: Path | None = None
    """Where it is not reached: the value that keeps it from that, because it is set."""


def verdict(views: Iterable[ChartView], statement: Statement, part: Expression | None = None) -> Verdict:
    """The worst over all views: what one Application comes to is enough."""
    best = Verdict(False)
    for view in views:
        one = _of_view(view, statement, part)
        if one.reached is True:
            return one
        if (one.reached is None and best.reached is False) or (best.reached is False and best.path is None):
            best = one
    return best


def _of_view(view: ChartView, statement: Statement, part: Expression | None) -> Verdict:
    if not view.is_enabled:
        return Verdict(False, view)
    ways = view.reach.ways(statement, part)
    holds = [way.holds for way in ways]
    if False in holds:
        path = next((way.path for way in ways if way.holds is False and way.path is not None), None)
        blocked = [way for way in ways if way.holds is False]
        # A value that is set keeps it away only if nothing else does.
        return Verdict(None if not view.is_known else False, view, path if len(blocked) == 1 else None)
    certain = all(holds) and (view.is_known or not ways)
    return Verdict(True if certain else None, view)
