"""Sync windows of an AppProject: what they say, what is wrong with them, and which Applications they are for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone, tzinfo
from enum import Enum
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from ..dialects.cron import CronError, Schedule, meant_schedule, parse_schedule
from ..dialects.durations import meant_duration, parse_duration
from ..dialects.project_patterns import matches_glob
from ..dialects.spelling import is_placeholder
from ..facts.versions import Version, Versions

if TYPE_CHECKING:
    from ..yaml.source import Node
    from .applications import Destination

KINDS: Final = ("allow", "deny")
SELECTORS: Final = ("applications", "namespaces", "clusters")
UTC_NAMES: Final = ("", "UTC")
_BLOCKS: Final = "Argo CD then blocks every sync, manual ones too, of the Applications that the window is for"


class Fault(Enum):
    SCHEDULE = "schedule"
    """Cannot be parsed: every sync of the Applications it is for is blocked."""
    DURATION = "duration"
    """The same."""
    KIND = "kind"
    """Neither allow nor deny: no effect."""
    NO_SELECTOR = "no selector"
    """For no Application at all: no effect."""
    TIME_ZONE = "time zone"
    """Not known: Argo CD takes UTC."""
    NEVER_OPENS = "never opens"
    """Over before it begins."""
    NEVER_CLOSES = "never closes"
    """No date matches the schedule, which Argo CD takes for open all the time."""


class WindowProblem(NamedTuple):
    fault: Fault
    at: Node
    message: str
    instead: str = ""
    """The value that was probably meant; empty when no one can tell."""


@dataclass(frozen=True, eq=False)
class SyncWindow:
    node: Node
    kind: str
    schedule: str
    duration: str
    time_zone: str
    applications: tuple[str, ...]
    namespaces: tuple[str, ...]
    clusters: tuple[str, ...]
    manual_sync: bool
    and_operator: bool

    @classmethod
    def read(cls, node: Node) -> SyncWindow:
        kind, schedule, duration, time_zone = node.texts("kind", "schedule", "duration", "timeZone")
        return cls(
            node, kind, schedule, duration, time_zone,
            _texts(node["applications"]), _texts(node["namespaces"]), _texts(node["clusters"]),
            node["manualSync"].value is True,
            node["andOperator"].value is True,
        )  # fmt: skip

    def __str__(self) -> str:
        return f"{self.kind} window {self.schedule!r} for {self.duration}"

    # -- when it is open

    @cached_property
    def parsed_schedule(self) -> Schedule | None:
        try:
            return parse_schedule(self.schedule)
        except CronError:
            return None

    @cached_property
    def seconds(self) -> float | None:
        return parse_duration(self.duration)

    @property
    def is_broken(self) -> bool:
        """Argo CD cannot evaluate it, and blocks whatever it is for."""
        return self.parsed_schedule is None or self.seconds is None

    def offset(self, at: datetime) -> timedelta | None:
        """What Argo CD adds to UTC before it looks at the schedule; None when that cannot be known here."""
        if self.time_zone in UTC_NAMES:
            return timedelta()
        zone = zone_named(self.time_zone)
        if zone is not None:
            return at.astimezone(zone).utcoffset()
        return timedelta() if self.time_zone != "Local" and has_time_zones() else None

    def is_open(self, at: datetime) -> bool | None:
        """None when it cannot be known here: no database of time zones, or a zone inside of the schedule."""
        schedule, seconds, offset = self.parsed_schedule, self.seconds, self.offset(at)
        if schedule is None or seconds is None or offset is None or schedule.zone:
            return None
        return schedule.covers(at.astimezone(timezone.utc).replace(tzinfo=None) + offset, seconds)

    # -- what it is for

    def is_for(self, app: str, destination: Destination, argocd: Version | None = None) -> bool:
        """Whether it is for an Application of the name; the destination is compared as it is written, unresolved."""
        clusters = [text for text in (destination.name, destination.server) if text]
        answers = [
            any(matches_glob(pattern, text) for pattern in patterns for text in texts)
            for patterns, texts in (
                (self.applications, [app]),
                (self.clusters, clusters),
                (self.namespaces, [destination.namespace]),
            )
            if patterns
        ]
        by_all = self.and_operator and (not Versions(argocd).lacks("window-and-operator"))
        return bool(answers) and (all(answers) if by_all else any(answers))

    # -- what is wrong with it

    def problems(self) -> tuple[WindowProblem, ...]:
        return tuple(self._problems())

    def _problems(self) -> Iterator[WindowProblem]:
        written = {key: self.node[key].scalar_text for key in ("kind", "schedule", "duration", "timeZone")}
        literal = {key: not is_placeholder(text) for key, text in written.items()}
        if self.kind not in KINDS and literal["kind"]:
            yield self._kind_problem()
        if literal["schedule"]:
            yield from self._schedule_problems()
        if literal["duration"]:
            yield from self._duration_problems()
        if self.time_zone and literal["timeZone"] and has_time_zones() and not _is_zone(self.time_zone):
            message = f"timeZone {self.time_zone!r} is no time zone of the IANA database; Argo CD takes UTC instead"
            yield WindowProblem(Fault.TIME_ZONE, self.node["timeZone"], message)
        if not any(_is_list(self.node[key]) for key in SELECTORS):
            message = "the window names no applications, namespaces or clusters, so it is for no Application at all"
            yield WindowProblem(Fault.NO_SELECTOR, self.node, message)

    def _kind_problem(self) -> WindowProblem:
        written = self.node["kind"].scalar_text
        message = f"kind {written!r} is neither allow nor deny; the window has no effect"
        meant = written.strip().lower()
        return WindowProblem(Fault.KIND, self.node["kind"], message, meant if meant in KINDS else "")

    def _schedule_problems(self) -> Iterator[WindowProblem]:
        at = self.node["schedule"]
        try:
            schedule = parse_schedule(at.scalar_text)
        except CronError as error:
            message = f"schedule {at.scalar_text!r} cannot be parsed: {error}; {_BLOCKS}"
            yield WindowProblem(Fault.SCHEDULE, at, message, meant_schedule(at.scalar_text) or "")
            return
        if schedule.zone and has_time_zones() and not _is_zone(schedule.zone):
            message = f"schedule {self.schedule!r} begins with a time zone that is not known; {_BLOCKS}"
            yield WindowProblem(Fault.SCHEDULE, at, message)
        elif schedule.is_impossible:
            message = f"no date matches schedule {self.schedule!r}; Argo CD then takes the window for open all the time"
            yield WindowProblem(Fault.NEVER_CLOSES, at, message)

    def _duration_problems(self) -> Iterator[WindowProblem]:
        at = self.node["duration"]
        if self.seconds is None:
            message = f"duration {at.scalar_text!r} is none that Go can parse, such as 90m or 24h; {_BLOCKS}"
            yield WindowProblem(Fault.DURATION, at, message, meant_duration(self.duration) or "")
        elif self.seconds <= 0:
            message = f"a window that lasts {self.duration} is never open"
            yield WindowProblem(Fault.NEVER_OPENS, at, message)


def _is_list(node: Node) -> bool:
    """Something is in it, or another tool will fill it in."""
    return any(True for _ in node) or is_placeholder(node.scalar_text)


def _texts(node: Node) -> tuple[str, ...]:
    return tuple(item.value for item in node if isinstance(item.value, str))


# -- time zones


@lru_cache(maxsize=64)
def zone_named(name: str) -> tzinfo | None:
    """A zone of the IANA database on this machine."""
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None  # a folder of the database is an OSError, a path out of it a ValueError


def has_time_zones() -> bool:
    """Whether this machine has a database of time zones; Windows and small containers often have none."""
    return zone_named("Europe/Paris") is not None


def _is_zone(name: str) -> bool:
    return name in (*UTC_NAMES, "Local") or zone_named(name) is not None
