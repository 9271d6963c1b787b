"""Schedules as sync windows write them, read as robfig/cron reads them with Argo CD's settings.

Five fields; no seconds, no ``@daily``. Names of months and days of the week
are known, Sunday is 0 and never 7. If both the day of the month and the day of
the week are restricted, one of the two is enough. ``*/2`` is a restriction,
``*`` and ``?`` are none.

Everything here happens on one clock that never jumps: whoever has a time zone
shifts the time first, as Argo CD does. A library (croniter) takes more than
robfig/cron does, 7 for Sunday among it, and would call broken windows good.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import Final, NamedTuple

from ..yaml.scalars import atoi

_MONTHS: Final = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_WEEKDAYS: Final = "sun mon tue wed thu fri sat".split()
_LONGEST_MONTHS: Final = {2: 29, 4: 30, 6: 30, 9: 30, 11: 30}
YEARS_AHEAD: Final = 5
"""After so many years robfig/cron stops looking for the next time."""
DESCRIPTORS: Final = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}
"""What others accept and Argo CD does not, with what to write instead."""


class CronError(ValueError):
    """Why a schedule cannot be parsed: one clause."""


class _Field(NamedTuple):
    name: str
    low: int
    high: int
    names: Mapping[str, int] = MappingProxyType({})


class _Values(NamedTuple):
    values: frozenset[int]
    unrestricted: bool
    """A star is in it; what else is in it then adds nothing."""


_FIELDS: Final = (
    _Field("minute", 0, 59),
    _Field("hour", 0, 23),
    _Field("day of the month", 1, 31),
    _Field("month", 1, 12, {name: number for number, name in enumerate(_MONTHS, 1)}),
    _Field("day of the week", 0, 6, {name: number for number, name in enumerate(_WEEKDAYS)}),
)


@dataclass(frozen=True)
class Schedule:
    minutes: frozenset[int]
    hours: frozenset[int]
    days: _Values
    months: frozenset[int]
    weekdays: _Values
    zone: str = ""
    """From a leading ``TZ=`` or ``CRON_TZ=``; nothing here takes it into account."""

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """The seconds of a day at which it is time, on every day that matches."""
        return tuple(sorted(hour * 3600 + minute * 60 for hour in self.hours for minute in self.minutes))

    def is_day(self, day: date) -> bool:
        if day.month not in self.months:
            return False
        by_month, by_week = day.day in self.days.values, day.isoweekday() % 7 in self.weekdays.values
        if self.days.unrestricted or self.weekdays.unrestricted:
            return by_month and by_week
        return by_month or by_week

    @cached_property
    def is_impossible(self) -> bool:
        """No date matches, as on 30 February. For Argo CD the window of such a schedule is open all the time."""
        if not self.starts or not self.months:
            return True
        by_month = any(day <= _LONGEST_MONTHS.get(month, 31) for month in self.months for day in self.days.values)
        if self.days.unrestricted or self.weekdays.unrestricted:
            return not (by_month and self.weekdays.values)
        return not (by_month or self.weekdays.values)

    def next_after(self, moment: datetime) -> datetime | None:
        """The first time after the moment; None if there is none in the five years that robfig/cron looks ahead."""
        if self.is_impossible:
            return None
        first = moment.replace(microsecond=0) + timedelta(seconds=1)
        day, earliest = first.date(), first.hour * 3600 + first.minute * 60 + first.second
        while day.year <= first.year + YEARS_AHEAD:
            index = bisect_left(self.starts, earliest)
            if index < len(self.starts) and self.is_day(day):
                midnight = datetime.combine(day, time(), moment.tzinfo)
                return midnight + timedelta(seconds=self.starts[index])
            day, earliest = self._following(day), 0
        return None

    def _following(self, day: date) -> date:
        if day.month in self.months:
            return day + timedelta(days=1)
        return date(day.year + day.month // 12, day.month % 12 + 1, 1)

    def covers(self, moment: datetime, seconds: float) -> bool:
        """Whether a window that opens on this schedule and lasts so long is open at the moment.

        Argo CD asks whether the next time after (moment - duration) lies before
        the moment. No next time at all is Go's year 1, which lies before any.
        The very instant of opening counts here, and does not there.
        """
        following = self.next_after(moment - timedelta(seconds=seconds))
        return following is None or following <= moment


@lru_cache(maxsize=256)
def parse_schedule(text: str) -> Schedule:
    """Raises CronError."""
    if not text:
        raise CronError("it is empty")
    zone, rest = _split_zone(text)
    if rest.startswith("@"):
        raise CronError("descriptors such as @daily are not accepted")
    words = rest.split()
    if len(words) != len(_FIELDS):
        hint = "; there is none for seconds" if len(words) == len(_FIELDS) + 1 else ""
        count = "one field" if len(words) == 1 else f"{len(words)} fields"
        raise CronError(f"it has {count} instead of five (minute hour day month weekday){hint}")
    minutes, hours, days, months, weekdays = (_values(word, field) for word, field in zip(words, _FIELDS, strict=True))
    return Schedule(minutes.values, hours.values, days, months.values, weekdays, zone)


def _split_zone(text: str) -> tuple[str, str]:
    if not text.startswith(("TZ=", "CRON_TZ=")):
        return "", text
    prefix, blank, rest = text.partition(" ")
    if not blank:
        raise CronError("nothing comes after the time zone")
    return prefix.partition("=")[2], rest.strip()


def _values(word: str, field: _Field) -> _Values:
    values: set[int] = set()
    unrestricted = False
    for part in word.split(","):
        if part:  # empty ones are passed over
            found = _range(part, field)
            values |= found.values
            unrestricted = unrestricted or found.unrestricted
    return _Values(frozenset(values), unrestricted)


def _range(part: str, field: _Field) -> _Values:
    """``*``, ``5``, ``1-5``, each with a step; ``5/15`` goes on to the end of the field."""
    span, *steps = part.split("/")
    bounds = span.split("-")
    star = bounds[0] in ("*", "?")
    if len(steps) > 1 or (len(bounds) > 2 and not star):
        raise CronError(f"{part!r} is no range of the {field.name}")
    step = _number(steps[0], field, {}) if steps else 1
    if step == 0:
        raise CronError(f"the step of {part!r} is 0")
    low = field.low if star else _number(bounds[0], field, field.names)
    high = low if len(bounds) == 1 else 0
    if star or (steps and len(bounds) == 1):
        high = field.high
    elif len(bounds) == 2:
        high = _number(bounds[1], field, field.names)
    if low < field.low or high > field.high:
        raise CronError(f"{part!r} is not within {field.low}-{field.high}, the range of the {field.name}")
    if low > high:
        raise CronError(f"{part!r} ends before it begins")
    return _Values(frozenset(range(low, high + 1, min(step, field.high + 1))), star and step == 1)


def _number(text: str, field: _Field, names: Mapping[str, int]) -> int:
    number = names.get(text.lower(), atoi(text))
    if number is None or number < 0:
        raise CronError(f"{text!r} is no {field.name}")
    return number


def meant_schedule(text: str) -> str | None:
    """What to write instead of a schedule that others accept and Argo CD does not; None when no one can tell."""
    words = text.split()
    if len(words) == 1:
        return DESCRIPTORS.get(words[0].lower())
    if len(words) == 6 and words[0] == "0" and words[5] in ("*", "?"):
        words = words[1:]  # seconds first, as Quartz has it; its numbers of weekdays differ, so only without any
    if len(words) != len(_FIELDS):
        return None
    *others, weekdays = words
    respelled = " ".join([*others, _without_seven(weekdays)])
    return respelled if respelled != text and _is_schedule(respelled) else None


def _without_seven(weekdays: str) -> str:
    """Sunday as 0; a range that ends with it becomes two."""
    single = re.sub(r"(?<![^,])7(?=,|$)", "0", weekdays)
    pair = re.sub(r"(?<![^,])6-7(?=,|$)", "6,0", single)
    return re.sub(r"(?<![^,])([0-5])-7(?=,|$)", r"\1-6,0", pair)


def _is_schedule(text: str) -> bool:
    try:
        parse_schedule(text)
    except CronError:
        return False
    return True
