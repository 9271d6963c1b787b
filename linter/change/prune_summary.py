"""What a prune takes, summed up for one line: the worst first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..dialects.phrases import listed
from ..facts.severity import Severity
from ..kubernetes.resource import Resource
from .departures import Departure
from .stakes import Stake, Stakes


class Weighed(NamedTuple):
    departure: Departure
    stake: Stake


class Summary(NamedTuple):
    """Of departures that are at one line, from the worst to the least."""

    weighed: tuple[Weighed, ...]

    @classmethod
    def of(cls, found: Sequence[Departure], stakes: Stakes) -> Summary:
        weighed = [Weighed(one, stakes.of(one.resource, one.before)) for one in found]
        return cls(tuple(sorted(weighed, key=lambda one: (-one.stake.severity, not one.stake.words))))

    @property
    def severity(self) -> Severity:
        return self.weighed[0].stake.severity

    @property
    def names(self) -> str:
        return listed(one.departure.resource for one in self.weighed)

    @property
    def apps(self) -> str:
        return listed(one.departure.application for one in self.weighed)

    @property
    def is_one(self) -> bool:
        return len({str(one.departure.resource) for one in self.weighed}) == 1

    @property
    def verb(self) -> str:
        return "is" if self.is_one else "are"

    @property
    def they(self) -> str:
        return "it" if self.is_one else "they"

    @property
    def them(self) -> str:
        return "it" if self.is_one else "them"

    @property
    def worst(self) -> Resource:
        return self.weighed[0].departure.resource

    @property
    def loss(self) -> str:
        """To stand after "deletes it"; empty where nothing of it holds anything."""
        return lost(self.worst, self.weighed[0].stake, self.is_one)


def lost(worst: Resource, stake: Stake, is_one: bool) -> str:
    """What goes with the worst of several objects; it is named where there are others."""
    if not stake.words:
        return ""
    if is_one:
        return f", {stake.words}"
    return f", {worst} {stake.words}"
