"""When syncs are allowed: what all the sync windows of one Application come to.

An open deny window blocks. Otherwise an open allow window allows. Otherwise
the mere existence of an allow window blocks. A window that cannot be parsed
blocks whatever else is open. No time is read here: callers bring their own.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime, timedelta, timezone
from functools import lru_cache
from typing import Final, NamedTuple

from ..dialects.cron import YEARS_AHEAD, Schedule
from .windows import SyncWindow

REFERENCE: Final = datetime(2024, 1, 1, tzinfo=timezone.utc)
"""Where a look into all times begins: two leap days lie within the five years from here."""
DAY: Final = 86400
_QUARTER_HOUR: Final = 900
_MOST_OPENINGS: Final = 150
"""Of one day, all windows together: beyond it nobody waits for the answer."""


class _Span(NamedTuple):
    """From and until, in seconds on the calendar of `date.toordinal`."""

    start: float
    end: float


def next_allowed(windows: Sequence[SyncWindow], after: datetime) -> datetime | None:
    """The first time from here on at which an automated sync may start; None if it is not known or years away."""
    if not _can_be_computed(windows, after):
        return None
    start = _seconds(after)
    allows = [window for window in windows if window.kind == "allow"]
    denies = [window for window in windows if window.kind == "deny"]
    for span in _stretches(start, [*allows, *denies]):
        allowed = _joined(_openings(allows, span)) if allows else [span]
        found = _first_free(allowed, _joined(_openings(denies, span)))
        if found is not None:
            return _moment(found)
    return None


def ever_allows(windows: Sequence[SyncWindow], since: datetime = REFERENCE) -> bool | None:
    """Whether an automated sync may start at any time in five years; None when it is not known."""
    if any(window.is_broken for window in windows):
        return False
    return next_allowed(windows, since) is not None if _can_be_computed(windows, since) else None


def is_always_open(window: SyncWindow, since: datetime = REFERENCE) -> bool | None:
    """Whether the window leaves no gap in five years; None when it is not known."""
    if window.is_broken or not _can_be_computed([window], since):
        return None
    return all(_first_free([span], _joined(_openings([window], span))) is None
               for span in _stretches(_seconds(since), [window]))  # fmt: skip


def _can_be_computed(windows: Sequence[SyncWindow], at: datetime) -> bool:
    return (
        len(windows) <= _MOST_OPENINGS
        and all(window.is_open(at) is not None for window in windows)
        and sum(len(_runs_of(window)) for window in windows) <= _MOST_OPENINGS
    )


def _stretches(start: float, windows: Sequence[SyncWindow]) -> Iterator[_Span]:
    """Five years, cut so that no time zone changes its offset within one piece."""
    last = start + YEARS_AHEAD * 366 * DAY
    zoned = [window for window in windows if window.time_zone]
    while start < last:
        end = (start // DAY + 1) * DAY
        if any(window.offset(_moment(start)) != window.offset(_moment(end - 1)) for window in zoned):
            end = min(end, (start // _QUARTER_HOUR + 1) * _QUARTER_HOUR)
        yield _Span(start, end)
        start = end


def _openings(windows: Iterable[SyncWindow], span: _Span) -> Iterator[_Span]:
    """When the windows are open within the span."""
    for window in windows:
        shift = _offset(window, span)
        for start, end in _local_openings(window, _Span(span.start + shift, span.end + shift)):
            if end - shift > span.start and start - shift < span.end:
                yield _Span(max(start - shift, span.start), min(end - shift, span.end))


def _offset(window: SyncWindow, span: _Span) -> float:
    offset = window.offset(_moment(span.start)) if window.time_zone else None
    return offset.total_seconds() if offset else 0


def _local_openings(window: SyncWindow, span: _Span) -> Iterator[_Span]:
    schedule, seconds = window.parsed_schedule, window.seconds or 0
    if schedule is None or schedule.is_impossible:
        yield span
        return
    first, last = int(span.start // DAY), int((span.end - 1) // DAY)
    days = _days(schedule, date.fromordinal(first).year)
    index = bisect_left(days, first)
    if index:
        opened = days[index - 1] * DAY + schedule.starts[-1]
        yield _Span(opened, opened + seconds)
    for day in days[index : bisect_left(days, last + 1)]:
        for start, end in _runs_of(window):
            yield _Span(day * DAY + start, day * DAY + end)


@lru_cache(maxsize=1024)
def _days(schedule: Schedule, year: int) -> list[int]:
    """The days that match, from long enough before the year to its end and the day after."""
    first, last = date(year - YEARS_AHEAD, 1, 1).toordinal(), date(year + 1, 1, 1).toordinal()
    return [number for number in range(first, last + 1) if schedule.is_day(date.fromordinal(number))]


def _runs_of(window: SyncWindow) -> tuple[_Span, ...]:
    return _runs(window.parsed_schedule, window.seconds or 0) if window.parsed_schedule else ()


@lru_cache(maxsize=256)
def _runs(schedule: Schedule, seconds: float) -> tuple[_Span, ...]:
    """One day's openings, those that touch made one; the last may reach far into the following days."""
    return tuple(_joined(_Span(start, start + seconds) for start in schedule.starts))


# -- spans


def _joined(spans: Iterable[_Span]) -> list[_Span]:
    joined: list[_Span] = []
    for span in sorted(span for span in spans if span.end > span.start):
        if joined and span.start <= joined[-1].end:
            joined[-1] = _Span(joined[-1].start, max(joined[-1].end, span.end))
        else:
            joined.append(span)
    return joined


def _first_free(spans: Iterable[_Span], taken: Sequence[_Span]) -> float | None:
    """The first place in the spans that is not taken; both are sorted, and nothing in them touches its neighbour."""
    index = 0
    for start, end in spans:
        while index < len(taken) and taken[index].end <= start:
            index += 1
        free = taken[index].end if index < len(taken) and taken[index].start <= start else start
        if free < end:
            return free
    return None


def _seconds(moment: datetime) -> float:
    moment = moment.astimezone(timezone.utc)
    midnight = moment.replace(hour=0, minute=0, second=0, microsecond=0)
    return moment.toordinal() * DAY + (moment - midnight).total_seconds()


def _moment(seconds: float) -> datetime:
    midnight = datetime.fromordinal(int(seconds // DAY)).replace(tzinfo=timezone.utc)
    return midnight + timedelta(seconds=seconds % DAY)
