"""From one of CEL's types to another, and the parts of its times."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, Final

from .cel_values import (
    LEAST,
    MOST,
    Duration,
    Failed,
    Function,
    Spend,
    Timestamp,
    Uint,
    only,
    whole,
    wrong_types,
)
from .durations import nanoseconds
from .go_regexp import NotJudged

_DAY: Final = re.compile(r"(\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(?:[Zz]|([+-])(\d\d):(\d\d))", re.ASCII)
_EPOCH: Final = datetime(1970, 1, 1)
_INTEGER: Final = re.compile(r"[+-]?[0-9]{1,30}")
_FLOAT: Final = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?")
_TRUE: Final = ("1", "t", "T", "true", "TRUE", "True")
_FALSE: Final = ("0", "f", "F", "false", "FALSE", "False")
_OFFSET: Final = re.compile(r"([+-]?)(\d\d):(\d\d)")


def size(spend: Spend, value: Any) -> int:
    only(value, str, bytes, list, dict)
    return len(value)


def as_int(spend: Spend, value: Any) -> int:
    if isinstance(value, str):
        if not _INTEGER.fullmatch(value):
            raise Failed("the text is no whole number")
        return whole(int(value))
    if isinstance(value, Timestamp):
        return value.nanoseconds // 10**9
    if isinstance(value, float):
        if not math.isfinite(value) or not LEAST < value < MOST:
            raise Failed("integer overflow")
        return int(value)
    only(value, int)
    return whole(int(value))


def as_uint(spend: Spend, value: Any) -> int:
    if isinstance(value, str) and value.startswith("+"):
        raise Failed("the text is no whole number")
    if isinstance(value, float) and (not math.isfinite(value) or value < 0):
        raise Failed("unsigned integer overflow")
    if isinstance(value, str):
        if not _INTEGER.fullmatch(value):
            raise Failed("the text is no whole number")
        return whole(int(value), Uint)
    only(value, int, float)
    return whole(int(value), Uint)


def as_double(spend: Spend, value: Any) -> float:
    if isinstance(value, str):
        if not _FLOAT.fullmatch(value):
            raise NotJudged("a number that is written in another way")
        return float(value)
    only(value, int, float)
    return float(value)


def as_string(spend: Spend, value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    if isinstance(value, float):
        return go_float(value)
    if isinstance(value, int):
        return str(int(value))
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError:
            raise Failed("the bytes are no text") from None
    if isinstance(value, Duration) and value.nanoseconds % 10**9 == 0:
        return f"{value.nanoseconds // 10**9}s"
    if isinstance(value, Timestamp) and value.nanoseconds % 10**9 == 0:
        return f"{_moment(value).isoformat(timespec='seconds')}Z"
    raise wrong_types("string()")


def go_float(value: float) -> str:
    """As Go writes a double at its shortest."""
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else ("+Inf" if value > 0 else "-Inf")
    if value == 0:
        return "-0" if math.copysign(1, value) < 0 else "0"
    sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    power = len(digits) + int(exponent) - 1
    written = "".join(map(str, digits))
    if power < -4 or power >= 6:
        tail = f".{written[1:]}" if len(written) > 1 else ""
        return f"{'-' * sign}{written[0]}{tail}e{'-' if power < 0 else '+'}{abs(power):02d}"
    return f"{Decimal(repr(value)).normalize():f}"


def as_bool(spend: Spend, value: Any) -> bool:
    if isinstance(value, str):
        if value in _TRUE or value in _FALSE:
            return value in _TRUE
        raise Failed("the text is neither true nor false")
    only(value, bool)
    return bool(value)


def as_bytes(spend: Spend, value: Any) -> bytes:
    only(value, str, bytes)
    return value.encode() if isinstance(value, str) else bytes(value)


def as_duration(spend: Spend, value: Any) -> Duration:
    if isinstance(value, Duration):
        return value
    only(value, str)
    found = nanoseconds(value)
    if found is None:
        raise Failed("the text is no duration")
    return Duration(found)


def as_timestamp(spend: Spend, value: Any) -> Timestamp:
    if isinstance(value, Timestamp):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return Timestamp(value * 10**9)
    only(value, str)
    match = _DAY.fullmatch(value)
    if match is None:
        raise Failed("the text is no time")
    try:
        moment = datetime.fromisoformat(match[1].upper())
    except ValueError:
        raise Failed("the text is no time") from None
    offset = (int(match[4]) * 60 + int(match[5])) * (-1 if match[3] == "-" else 1) if match[3] else 0
    seconds = (moment - _EPOCH) // timedelta(seconds=1) - 60 * offset
    return Timestamp(seconds * 10**9 + int((match[2] or "").ljust(9, "0")))


def _moment(value: Timestamp, zone: str = "UTC") -> datetime:
    match = _OFFSET.fullmatch(zone)
    if match is None and zone not in ("UTC", "Z", ""):
        raise NotJudged("a time zone by name")
    try:
        moment = _EPOCH + timedelta(seconds=value.nanoseconds // 10**9)
        if match:
            moment += timedelta(hours=int(match[2]), minutes=int(match[3])) * (-1 if match[1] == "-" else 1)
    except OverflowError:
        raise NotJudged("a time that is too far away") from None
    return moment


def part_of_time(of_time: Callable[[datetime], int], of_duration: int = 0) -> Function:
    """A part of a time; of a duration, how many of these units are in the whole of it."""

    def part(spend: Spend, value: Any, zone: str = "UTC") -> int:
        if isinstance(value, Duration) and of_duration:
            count = abs(value.nanoseconds) // of_duration
            return -count if value.nanoseconds < 0 else count
        only(value, Timestamp)
        only(zone, str)
        return of_time(_moment(value, zone))

    return part


def milliseconds(spend: Spend, value: Any, zone: str = "UTC") -> int:
    only(value, Timestamp, Duration)
    return int(value.nanoseconds // 10**6 % 1000)
