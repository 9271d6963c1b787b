"""Sync windows: what is wrong with them, which Applications they are for, and when they let a sync through."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from textwrap import dedent

import pytest
from gitops_lint.linter.argocd import windows as windows_module
from gitops_lint.linter.argocd.applications import Destination
from gitops_lint.linter.argocd.window_times import (
    ever_allows,
    is_always_open,
    next_allowed,
)
from gitops_lint.linter.argocd.windows import Fault, SyncWindow, has_time_zones
from gitops_lint.linter.dialects.durations import meant_duration, parse_duration
from gitops_lint.linter.facts.versions import Version
from gitops_lint.linter.yaml.source import SourceFile
from hypothesis import assume, given, settings
from hypothesis import strategies as st

UTC = timezone.utc
MINUTE = timedelta(minutes=1)
LOCAL = Destination("https://kubernetes.default.svc", "", "shop")

needs_time_zones = pytest.mark.skipif(not has_time_zones(), reason="needs a database of time zones")


def window(text: str) -> SyncWindow:
    return SyncWindow.read(SourceFile("window.yaml", dedent(text)).documents[0].root)


def simple(kind: str, schedule: str, duration: str, zone: str = "", manual: bool = False) -> SyncWindow:
    return window(
        f"{{kind: {kind}, schedule: '{schedule}', duration: '{duration}', timeZone: '{zone}', "
        f"manualSync: {str(manual).lower()}, applications: ['*']}}"
    )


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


# -- durations


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1h", 3600),
        ("1h30m", 5400),
        ("90s", 90),
        ("1.5h", 5400),
        (".5h", 1800),
        ("1.h", 3600),
        ("100ms", 0.1),
        ("1\u00b5s", 1e-6),
        ("1\u03bcs", 1e-6),
        ("1us", 1e-6),
        ("1ns", 1e-9),
        ("30m1h", 5400),
        ("0", 0),
        ("-0", 0),
        ("+1h", 3600),
        ("-1h", -3600),
        ("2562047h", 2562047 * 3600),
        ("00000000000000000000000000000000000000000001h", 3600),
    ],
)
def test_a_duration(text: str, seconds: float) -> None:
    assert parse_duration(text) == pytest.approx(seconds)


@pytest.mark.parametrize(
    "text",
    ["", "1d", "1w", "1", "h", ".h", "1h 30m", " 1h", "1h ", "1H", "1h-30m", "--1h", "1,5h", "one hour", "1hour",
     "2562048h", "9223372036854775808ns", "9" * 50 + "h", "\u0661h", "-", "+"],
)  # fmt: skip
def test_no_duration(text: str) -> None:
    assert parse_duration(text) is None


@pytest.mark.parametrize(
    ("text", "instead"),
    [("1d", "24h"), ("2d12h", "60h"), ("1w", "168h"), ("1W2D", "216h"), ("1d30m", "24h30m"), ("1h", None),
     ("1 day", None), ("d", None), ("1d1d", None), ("", None)],
)  # fmt: skip
def test_the_duration_that_was_meant(text: str, instead: str | None) -> None:
    assert meant_duration(text) == instead


# -- problems


def faults(one: SyncWindow) -> list[Fault]:
    return [problem.fault for problem in one.problems()]


def test_a_window_without_fault() -> None:
    assert faults(simple("allow", "0 22 * * *", "1h")) == []
    assert faults(simple("deny", "0 22 ? JAN sun", "1h30m", "UTC")) == []
    assert faults(simple("deny", "0 22 * * *", "1h", "Local")) == []


def test_every_fault_points_at_its_value() -> None:
    one = window("""\
        kind: Allow
        schedule: '@daily'
        duration: 1d
        """)
    found = {problem.fault: problem for problem in one.problems()}
    assert list(found) == [Fault.KIND, Fault.SCHEDULE, Fault.DURATION, Fault.NO_SELECTOR]
    assert found[Fault.KIND].at.pointer == "/kind"
    assert found[Fault.SCHEDULE].at.pointer == "/schedule"
    assert found[Fault.DURATION].at.pointer == "/duration"
    assert [problem.instead for problem in found.values()] == ["allow", "0 0 * * *", "24h", ""]
    assert "blocks every sync, manual ones too" in found[Fault.SCHEDULE].message


@pytest.mark.parametrize(
    "text", ["{kind: allow}", "{kind: allow, schedule: null}", "{kind: deny, schedule: 5, duration: 60}"]
)
def test_what_is_missing_or_no_text_is_a_fault_as_well(text: str) -> None:
    assert faults(window(text)) == [Fault.SCHEDULE, Fault.DURATION, Fault.NO_SELECTOR]
    assert window(text).is_broken


@pytest.mark.parametrize("lists", ["applications: []", "applications: null", "applications: '*'"])
def test_an_empty_list_selects_nothing(lists: str) -> None:
    one = window(f"{{kind: deny, schedule: '0 1 * * *', duration: 1h, {lists}}}")
    assert faults(one) == [Fault.NO_SELECTOR]
    assert not one.is_for("any", LOCAL)


def test_what_another_tool_fills_in_is_no_fault() -> None:
    one = window("""\
        kind: '{{ kind }}'
        schedule: ${SCHEDULE}
        duration: <DURATION>
        timeZone: '{{ zone }}'
        applications: '{{ applications }}'
        """)
    assert faults(one) == []


def test_a_window_that_never_closes_and_one_that_never_opens() -> None:
    assert faults(simple("deny", "0 0 30 2 *", "1h")) == [Fault.NEVER_CLOSES]
    assert faults(simple("allow", "0 0 * * *", "0")) == [Fault.NEVER_OPENS]
    assert faults(simple("allow", "0 0 * * *", "-1h")) == [Fault.NEVER_OPENS]


@needs_time_zones
@pytest.mark.parametrize(
    "zone", ["Europe/Nowhere", "GMT+2", "../etc/passwd", "/etc/localtime", "Europe", "x" * 5000, "a\0b"]
)
def test_a_time_zone_that_does_not_exist(zone: str) -> None:
    one = simple("deny", "0 1 * * *", "1h")
    named = replace(one, time_zone=zone)
    assert faults(named) == [Fault.TIME_ZONE]
    assert named.offset(at("2024-05-01 00:00")) == timedelta()


@needs_time_zones
@pytest.mark.parametrize("zone", ["Europe/Berlin", "UTC", "EST", "Etc/GMT+2"])
def test_a_time_zone_that_exists(zone: str) -> None:
    assert faults(simple("deny", "0 1 * * *", "1h", zone)) == []


@needs_time_zones
def test_a_time_zone_inside_of_the_schedule() -> None:
    assert faults(simple("deny", "TZ=Europe/Berlin 0 1 * * *", "1h")) == []
    assert faults(simple("deny", "TZ=Europe/Nowhere 0 1 * * *", "1h")) == [Fault.SCHEDULE]


def test_without_a_database_of_time_zones_nothing_is_said_about_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(windows_module, "zone_named", lambda name: None)
    one = simple("deny", "0 1 * * *", "1h", "Europe/Berlin")
    assert faults(one) == []
    assert next_allowed([one], at("2024-05-01 12:00")) is None
    assert ever_allows([one]) is None
    assert is_always_open(one) is None


# -- which Applications


def selecting(lists: str) -> SyncWindow:
    return window(f"{{kind: deny, schedule: '* * * * *', duration: 1h, {lists}}}")


@pytest.mark.parametrize(
    ("lists", "is_for"),
    [
        ("applications: [shop-api]", True),
        ("applications: ['shop-*']", True),
        ("applications: ['other', '*']", True),
        ("applications: ['{shop,blog}-*']", True),
        ("applications: ['shop']", False),
        # There is no negation here: the exclamation mark is a part of the name.
        ("applications: ['!other']", False),
        ("namespaces: [shop]", True),
        ("namespaces: ['s*']", True),
        ("clusters: ['https://kubernetes.default.svc']", True),
        ("clusters: ['https://*']", True),
        # The destination is written with its server, so its name is not known to the window.
        ("clusters: [in-cluster]", False),
        ("applications: [other], namespaces: [shop]", True),
        ("applications: [other], namespaces: [shop], andOperator: true", False),
        ("applications: ['shop-*'], namespaces: [shop], andOperator: true", True),
        ("applications: ['shop-*'], namespaces: [shop], clusters: [in-cluster], andOperator: true", False),
        ("andOperator: true", False),
        ("applications: ['[a-z']", False),
    ],
)
def test_which_applications_a_window_is_for(lists: str, is_for: bool) -> None:
    assert selecting(lists).is_for("shop-api", LOCAL) is is_for


def test_a_cluster_is_compared_as_the_application_writes_it() -> None:
    assert selecting("clusters: [in-cluster]").is_for("shop-api", Destination("", "in-cluster", ""))
    assert not selecting("clusters: ['https://*']").is_for("shop-api", Destination("", "in-cluster", ""))
    assert selecting("clusters: ['*']").is_for("shop-api", Destination("", "in-cluster", ""))
    assert not selecting("clusters: ['*']").is_for("shop-api", Destination("", "", ""))


def test_before_argo_cd_3_the_lists_are_always_alternatives() -> None:
    one = selecting("applications: [other], namespaces: [shop], andOperator: true")
    assert one.is_for("shop-api", LOCAL, Version(2, 14))
    assert not one.is_for("shop-api", LOCAL, Version(3, 0))


# -- when


NIGHT = simple("allow", "0 22 * * *", "2h")
NIGHT_MANUAL = simple("allow", "0 22 * * *", "2h", manual=True)
NOON = simple("deny", "0 12 * * *", "1h")
NOON_MANUAL = simple("deny", "0 12 * * *", "1h", manual=True)
BROKEN = simple("allow", "@daily", "1h", manual=True)
INERT = simple("Deny", "* * * * *", "24h")


@pytest.mark.parametrize(
    ("windows", "time", "automated"),
    [
        ([], "12:30", True),
        ([NOON], "12:30", False),
        ([NOON], "11:30", True),
        ([NOON_MANUAL], "12:30", False),
        ([NOON, NOON_MANUAL], "12:30", False),
        ([NIGHT], "22:30", True),
        ([NIGHT], "12:30", False),
        ([NIGHT_MANUAL], "12:30", False),
        ([NIGHT, NIGHT_MANUAL], "12:30", False),
        # One that denies goes before one that allows, and the one that allows has no say then.
        ([simple("allow", "0 12 * * *", "1h"), NOON], "12:30", False),
        ([simple("allow", "0 12 * * *", "1h"), NOON_MANUAL], "12:30", False),
        ([NIGHT, NOON_MANUAL], "12:30", False),
        ([NIGHT, NOON], "11:30", False),
        # What cannot be parsed blocks everything, manual syncs too, whatever its kind.
        ([NIGHT, BROKEN], "22:30", False),
        ([simple("Deny", "x", "1h", manual=True)], "22:30", False),
        ([INERT], "12:30", True),
        ([INERT, NIGHT], "12:30", False),
    ],
)
def test_whether_a_sync_may_start(windows: list[SyncWindow], time: str, automated: bool) -> None:
    moment = at(f"2024-05-01 {time}")
    assert (ever_allows(windows) is not False and next_allowed(windows, moment) == moment) is automated


@needs_time_zones
def test_the_offset_is_that_of_the_time_in_question() -> None:
    berlin = simple("allow", "0 22 * * *", "1h", "Europe/Berlin")
    assert next_allowed([berlin], at("2024-01-15 21:30")) == at("2024-01-15 21:30")
    assert next_allowed([berlin], at("2024-07-15 20:30")) == at("2024-07-15 20:30")
    assert next_allowed([berlin], at("2024-07-15 21:30")) != at("2024-07-15 21:30")


def test_a_moment_of_another_time_zone_is_the_same_moment() -> None:
    tokyo = timezone(timedelta(hours=9))
    assert next_allowed([NIGHT], datetime(2024, 5, 2, 7, 30, tzinfo=tokyo)) == at("2024-05-01 22:30")
    assert next_allowed([NIGHT], datetime(2024, 5, 2, 12, 0, tzinfo=tokyo)) == at("2024-05-02 22:00")


@pytest.mark.parametrize(
    ("windows", "after", "expected"),
    [
        ([], "2024-05-01 10:00", "2024-05-01 10:00"),
        ([NIGHT], "2024-05-01 10:00", "2024-05-01 22:00"),
        ([NIGHT], "2024-05-01 22:30", "2024-05-01 22:30"),
        ([NOON], "2024-05-01 12:30", "2024-05-01 13:00"),
        ([simple("allow", "0 0 29 2 *", "1h")], "2024-05-01 10:00", "2028-02-29 00:00"),
        ([simple("allow", "0 0 1 * *", "1h"), simple("deny", "* * * 1-11 *", "1m")], "2024-05-01", "2024-12-01"),
        ([simple("allow", "0 10 * * *", "1h"), simple("deny", "0 1,2,10 * * *", "1m")], "2024-05-01", "2024-05-01 10:01"),
        ([simple("deny", "0 0 1 1 *", "8000h")], "2024-05-01 10:00", "2024-11-29 08:00"),
        ([simple("allow", "0 0 * * *", "1m"), simple("deny", "0 0 * * *", "30s")], "2024-05-01", "2024-05-01 00:00:30"),
    ],
)  # fmt: skip
def test_the_next_time_at_which_a_sync_may_start(windows: list[SyncWindow], after: str, expected: str) -> None:
    assert next_allowed(windows, at(after)) == at(expected)


@needs_time_zones
def test_a_window_over_a_change_of_the_clock_ends_by_the_new_offset() -> None:
    berlin = simple("deny", "0 1 * * *", "4h", "Europe/Berlin")
    assert next_allowed([berlin], at("2024-03-31 00:30")) == at("2024-03-31 03:00")
    assert next_allowed([berlin], at("2024-10-26 23:30")) == at("2024-10-27 04:00")


@pytest.mark.parametrize(
    ("windows", "ever"),
    [
        ([], True),
        ([NIGHT, NOON], True),
        ([simple("deny", "* * * * *", "1m")], False),
        ([simple("deny", "0 0 * * *", "24h")], False),
        ([simple("deny", "0 0 * * *", "23h59m")], True),
        ([simple("deny", "0 0 * * 0", "168h")], False),
        ([simple("deny", "0 0 1 1 *", "8784h")], False),
        ([simple("deny", "0 0 30 2 *", "1h")], False),
        ([simple("deny", "0 0-12 * * *", "1h"), simple("deny", "0 13-23 * * *", "1h")], False),
        ([NIGHT, simple("deny", "0 21 * * *", "4h")], False),
        ([NIGHT, simple("deny", "0 21 * * 1-5", "4h")], True),
        ([simple("allow", "0 0 * * *", "0")], False),
        ([simple("allow", "0 0 30 2 *", "1h")], True),
        ([simple("allow", "0 0 29 2 *", "1h")], True),
        ([NIGHT, BROKEN], False),
        ([INERT], True),
        ([simple("deny", "TZ=UTC * * * * *", "1h")], None),
    ],
)
def test_whether_a_sync_may_ever_start(windows: list[SyncWindow], ever: bool | None) -> None:
    assert ever_allows(windows) is ever


@pytest.mark.parametrize(
    ("one", "always"),
    [
        (simple("allow", "* * * * *", "1m"), True),
        (simple("allow", "*/10 * * * *", "599s"), False),
        (simple("allow", "0 0 * * *", "24h"), True),
        (simple("allow", "0 0 * * 1-5", "24h"), False),
        (simple("allow", "0 0 * * 1-5", "72h"), True),
        (simple("allow", "0 0 30 2 *", "1h"), True),
        (simple("allow", "0 0 * * *", "0"), False),
        (BROKEN, None),
    ],
)
def test_whether_a_window_is_always_open(one: SyncWindow, always: bool | None) -> None:
    assert is_always_open(one) is always


def test_more_openings_than_anybody_writes_are_left_alone() -> None:
    many = [simple("deny", f"{minute}/2 * * * *", "1m") for minute in range(2)]
    assert ever_allows(many) is None
    assert next_allowed(many, at("2024-05-01 10:00")) is None


# -- against a scan of every minute


SCHEDULES = st.tuples(
    st.sampled_from(["0", "30", "*/20", "10-12", "15,45"]),
    st.sampled_from(["*", "0", "22", "1-5", "*/6", "8-17"]),
    st.sampled_from(["*", "*", "1", "*/2", "28-31"]),
    st.sampled_from(["*", "*", "3", "10"]),
    st.sampled_from(["*", "*", "0", "1-5", "sat,sun"]),
).map(" ".join)
WINDOWS = st.builds(
    simple,
    st.sampled_from(["allow", "deny"]),
    SCHEDULES,
    st.sampled_from(["1m", "20m", "1h", "7h", "12h", "30h", "80h"]),
    st.sampled_from(
        ["", "UTC", "Asia/Kolkata", "Europe/Berlin", "America/New_York"] if has_time_zones() else ["", "UTC"]
    ),
)
STARTS = st.sampled_from(
    ["2024-02-28 13:07", "2024-03-30 20:00", "2024-10-26 21:30", "2024-11-02 22:00", "2025-01-01 00:00"]
)
SPAN = 3 * 24 * 60


class Scan:
    """One window, by looking at every minute."""

    def __init__(self, one: SyncWindow, start: datetime) -> None:
        self.window = one
        schedule, seconds = one.parsed_schedule, one.seconds
        assert schedule is not None
        assert seconds is not None
        self.duration = timedelta(seconds=seconds)
        first = start.replace(tzinfo=None) - timedelta(days=5)
        minutes = (first + number * MINUTE for number in range(10 * 24 * 60))
        self.starts = [
            minute
            for minute in minutes
            if minute.minute in schedule.minutes and minute.hour in schedule.hours and schedule.is_day(minute.date())
        ]

    def is_open(self, moment: datetime) -> bool:
        offset = self.window.offset(moment)
        assert offset is not None
        local = moment.replace(tzinfo=None) + offset
        index = bisect_right(self.starts, local)
        return index > 0 and self.starts[index - 1] > local - self.duration


def allowed_by_scan(scans: Sequence[Scan], moment: datetime) -> bool:
    if any(scan.is_open(moment) for scan in scans if scan.window.kind == "deny"):
        return False
    allows = [scan for scan in scans if scan.window.kind == "allow"]
    return not allows or any(scan.is_open(moment) for scan in allows)


@settings(max_examples=60, deadline=None)
@given(st.lists(WINDOWS, min_size=1, max_size=3), STARTS)
def test_the_next_allowed_time_is_the_first_minute_of_a_scan(windows: list[SyncWindow], start: str) -> None:
    begin = at(start)
    assume(ever_allows(windows, begin) is not None)  # three that open every few minutes are left alone
    scans = [Scan(one, begin) for one in windows]
    minutes = (begin + number * MINUTE for number in range(SPAN))
    expected = next((minute for minute in minutes if allowed_by_scan(scans, minute)), None)
    found = next_allowed(windows, begin)
    if expected is not None:
        assert found == expected
    else:
        assert found is None or found >= begin + SPAN * MINUTE
    assert ever_allows(windows, begin) is (found is not None)


@settings(max_examples=60, deadline=None)
@given(st.lists(WINDOWS, min_size=1, max_size=3), STARTS, st.lists(st.integers(0, SPAN), min_size=20, max_size=20))
def test_a_sync_may_start_when_a_scan_says_so(windows: list[SyncWindow], start: str, minutes: list[int]) -> None:
    scans = [Scan(one, at(start)) for one in windows]
    for moment in (at(start) + number * MINUTE for number in minutes):
        assert (next_allowed(windows, moment) == moment) is allowed_by_scan(scans, moment)


@settings(max_examples=30, deadline=None)
@given(WINDOWS)
def test_an_open_window_has_no_gap_for_its_opposite(one: SyncWindow) -> None:
    opposite = replace(one, kind="deny")
    always, ever = is_always_open(one), ever_allows([opposite])
    assume(always is not None)
    assert always is not ever
