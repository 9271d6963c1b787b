"""Schedules, read as robfig/cron reads them, and compared with a scan of every minute."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime, timedelta
from typing import NamedTuple

import pytest
from gitops_lint.linter.dialects.cron import CronError, Schedule, meant_schedule, parse_schedule
from hypothesis import given, settings
from hypothesis import strategies as st

MINUTE = timedelta(minutes=1)


def error_of(text: str) -> str:
    with pytest.raises(CronError) as caught:
        parse_schedule(text)
    return str(caught.value)


# -- parsing


@pytest.mark.parametrize(
    "text",
    [
        "* * * * *",
        "0 22 * * *",
        "*/15 0-6,22 ? JAN-mar sun,Sat",
        "5/15 * * * 1-5/2",
        "+5 007 * * ?",
        "0  0\t1 1 *",
        " 0 0 * * * ",
        "*/100 * * * *",
        "1,,2 * * * *",
        "*-9 * * * *",
        "TZ=Europe/Berlin 0 9 * * *",
        "CRON_TZ=UTC 0 9 * * *",
    ],
)
def test_what_robfig_accepts(text: str) -> None:
    assert isinstance(parse_schedule(text), Schedule)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "empty"),
        ("@daily", "descriptors"),
        ("@every 1h", "descriptors"),
        ("TZ=UTC @daily", "descriptors"),
        ("TZ=UTC", "nothing comes after"),
        ("0 22 * *", "4 fields"),
        ("daily", "one field"),
        ("0 0 22 * * *", "none for seconds"),
        ("0 22 * * 7", "not within 0-6"),
        ("0 22 * * 1-7", "not within 0-6"),
        ("60 * * * *", "not within 0-59"),
        ("* 24 * * *", "not within 0-23"),
        ("* * 0 * *", "not within 1-31"),
        ("* * 32 * *", "not within 1-31"),
        ("* * * 13 *", "not within 1-12"),
        ("* * * * fri-mon", "ends before it begins"),
        ("30-10 * * * *", "ends before it begins"),
        ("*/0 * * * *", "step"),
        ("1-2-3 * * * *", "no range"),
        ("*/2/3 * * * *", "no range"),
        ("*/x * * * *", "no minute"),
        ("-5 * * * *", "no minute"),
        ("jan * * * *", "no minute"),
        ("* * * monday *", "no month"),
        ("* * * * monday", "no day of the week"),
        ("0 22 * * 5L", "no day of the week"),
        ("0 22 L * *", "no day of the month"),
        ("99999999999999999999 * * * *", "no minute"),
        ("\u0661 * * * *", "no minute"),
    ],
)
def test_what_robfig_refuses(text: str, reason: str) -> None:
    assert reason in error_of(text)


@pytest.mark.parametrize(
    ("text", "instead"),
    [
        ("@daily", "0 0 * * *"),
        ("@Hourly", "0 * * * *"),
        ("@every 1h", None),
        ("0 22 * * 7", "0 22 * * 0"),
        ("0 22 * * 5-7", "0 22 * * 5-6,0"),
        ("0 22 * * 6-7", "0 22 * * 6,0"),
        ("0 22 * * 6,7", "0 22 * * 6,0"),
        ("0 22 * * 1-7", "0 22 * * 1-6,0"),
        ("0 0 22 * * *", "0 22 * * *"),
        ("0 0 22 * * 2", None),
        ("30 0 22 * * *", None),
        ("0 22 * * fri-mon", None),
        ("0 22 * *", None),
        ("", None),
    ],
)
def test_what_was_probably_meant(text: str, instead: str | None) -> None:
    assert meant_schedule(text) == instead
    if instead:
        parse_schedule(instead)


# -- the next time


@pytest.mark.parametrize(
    ("text", "after", "expected"),
    [
        ("0 22 * * *", "2024-05-01 21:59:59", "2024-05-01 22:00"),
        ("0 22 * * *", "2024-05-01 22:00:00", "2024-05-02 22:00"),
        ("* * * * *", "2024-05-01 22:00:30", "2024-05-01 22:01"),
        ("0 0 29 2 *", "2024-03-01 00:00:00", "2028-02-29 00:00"),
        ("0 0 31 * *", "2024-04-01 00:00:00", "2024-05-31 00:00"),
        ("0 0 1 1 *", "2024-12-31 23:59:59", "2025-01-01 00:00"),
        # Friday or the 13th, since both are restricted.
        ("0 0 13 * 5", "2024-05-01 00:00:00", "2024-05-03 00:00"),
        ("0 0 13 * 5", "2024-05-11 00:00:00", "2024-05-13 00:00"),
        # A star with a step is a restriction as well ...
        ("0 0 */10 * 5", "2024-05-03 00:00:00", "2024-05-10 00:00"),
        ("0 0 */10 * 5", "2024-05-10 00:00:00", "2024-05-11 00:00"),
        # ... and a question mark, a step of one or a star in a list is none.
        ("0 0 ? * 5", "2024-05-03 00:00:00", "2024-05-10 00:00"),
        ("0 0 */1 * 5", "2024-05-03 00:00:00", "2024-05-10 00:00"),
        ("0 0 1,* * 5", "2024-05-03 00:00:00", "2024-05-10 00:00"),
    ],
)
def test_the_next_time(text: str, after: str, expected: str) -> None:
    assert parse_schedule(text).next_after(datetime.fromisoformat(after)) == datetime.fromisoformat(expected)


@pytest.mark.parametrize(
    "text", ["0 0 30 2 *", "0 0 31 2,4,6,9,11 *", ", * * * *", "* * * , *", "* * , * ,", "0 0 * * ,"]
)
def test_a_date_that_does_not_exist_is_not_looked_for(text: str) -> None:
    schedule = parse_schedule(text)
    assert schedule.is_impossible
    assert schedule.next_after(datetime(2024, 1, 1)) is None


def test_a_weekday_rescues_a_date_that_does_not_exist() -> None:
    schedule = parse_schedule("0 0 30 2 1")
    assert not schedule.is_impossible
    assert schedule.next_after(datetime(2024, 3, 1)) == datetime(2025, 2, 3)


def test_nobody_looks_further_than_five_years_ahead() -> None:
    """2100 is no leap year."""
    assert parse_schedule("0 0 29 2 *").next_after(datetime(2096, 3, 1)) is None
    assert parse_schedule("0 0 29 2 *").next_after(datetime(2099, 3, 1)) == datetime(2104, 2, 29)


@pytest.mark.parametrize(
    ("at", "is_open"),
    [
        ("2024-05-01 21:59:59", False),
        ("2024-05-01 22:00:00", True),
        ("2024-05-01 23:59:59", True),
        ("2024-05-02 00:00:00", False),
    ],
)
def test_a_window_is_open_from_its_start_to_before_its_end(at: str, is_open: bool) -> None:
    assert parse_schedule("0 22 * * *").covers(datetime.fromisoformat(at), 2 * 3600) is is_open


def test_a_window_without_duration_is_never_open() -> None:
    schedule = parse_schedule("* * * * *")
    assert not schedule.covers(datetime(2024, 5, 1), 0)
    assert not schedule.covers(datetime(2024, 5, 1), -3600)


def test_a_window_on_an_impossible_date_is_always_open() -> None:
    """Go has no next time for it but the year 1, which is before now."""
    assert parse_schedule("0 0 30 2 *").covers(datetime(2024, 5, 1), 60)
    assert parse_schedule("0 0 30 2 *").covers(datetime(2024, 5, 1), 0)


# -- against a scan of every minute


class Field(NamedTuple):
    text: str
    values: frozenset[int]
    star: bool


@st.composite
def fields(draw: st.DrawFn, low: int, high: int) -> Field:
    """A field with the values that it stands for, built side by side, so that no parser is trusted."""
    parts: list[Field] = []
    for _ in range(draw(st.integers(1, 2))):
        start = draw(st.integers(low, high))
        end = draw(st.integers(start, high))
        step = draw(st.integers(1, high))
        every = range(low, high + 1)
        parts.append(
            draw(
                st.sampled_from(
                    [
                        Field("*", frozenset(every), True),
                        Field("?", frozenset(every), True),
                        Field(f"*/{step}", frozenset(every[::step]), step == 1),
                        Field(f"{start}", frozenset([start]), False),
                        Field(f"{start}-{end}", frozenset(range(start, end + 1)), False),
                        Field(f"{start}-{end}/{step}", frozenset(range(start, end + 1, step)), False),
                        Field(f"{start}/{step}", frozenset(range(start, high + 1, step)), False),
                    ]
                )
            )
        )
    values = frozenset().union(*(part.values for part in parts))
    return Field(",".join(part.text for part in parts), values, any(part.star for part in parts))


Fields = tuple[Field, Field, Field, Field, Field]
ALL_FIELDS = st.tuples(fields(0, 59), fields(0, 23), fields(1, 31), fields(1, 12), fields(0, 6))
TIMES = st.datetimes(datetime(2023, 1, 1), datetime(2026, 1, 1))


def text_of(parts: Fields) -> str:
    return " ".join(part.text for part in parts)


def is_time(parts: Fields, moment: datetime) -> bool:
    minute, hour, day, month, weekday = parts
    if moment.minute not in minute.values or moment.hour not in hour.values or moment.month not in month.values:
        return False
    by_month, by_week = moment.day in day.values, (moment.weekday() + 1) % 7 in weekday.values
    return (by_month and by_week) if day.star or weekday.star else (by_month or by_week)


@settings(max_examples=150, deadline=None)
@given(ALL_FIELDS, TIMES)
def test_the_next_time_is_the_first_minute_that_matches(parts: Fields, after: datetime) -> None:
    found = parse_schedule(text_of(parts)).next_after(after)
    minute = after.replace(second=0, microsecond=0) + MINUTE
    for _ in range(3 * 24 * 60):
        if is_time(parts, minute):
            assert found == minute
            return
        assert minute != found
        minute += MINUTE
    assert found is None or (found >= minute and is_time(parts, found))


@settings(max_examples=100, deadline=None)
@given(ALL_FIELDS, TIMES)
def test_there_is_no_next_time_only_if_no_day_matches(parts: Fields, after: datetime) -> None:
    schedule = parse_schedule(text_of(parts))
    days = [datetime(2024, 1, 1) + timedelta(days=number) for number in range(4 * 366)]
    minute, hour = min(parts[0].values), min(parts[1].values)
    exists = any(is_time(parts, day.replace(hour=hour, minute=minute)) for day in days)
    assert schedule.is_impossible is not exists
    assert (schedule.next_after(after) is None) is not exists


@settings(max_examples=100, deadline=None)
@given(ALL_FIELDS, TIMES, st.integers(1, 3000))
def test_a_window_is_open_if_a_start_lies_within_its_duration(parts: Fields, moment: datetime, minutes: int) -> None:
    schedule = parse_schedule(text_of(parts))
    moment = moment.replace(second=0, microsecond=0)
    starts = (moment - number * MINUTE for number in range(minutes))
    expected = schedule.is_impossible or any(is_time(parts, start) for start in starts)
    assert schedule.covers(moment, minutes * 60) is expected


@given(st.text("0123456789*/,-? @LTZ=jansu", max_size=20))
def test_any_text_is_a_schedule_or_an_error(text: str) -> None:
    with suppress(CronError):
        assert parse_schedule(text).next_after(datetime(2024, 1, 1)) != datetime(2024, 1, 1)
