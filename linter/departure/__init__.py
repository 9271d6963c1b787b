"""What leaves an Application in a change: why, who deletes it, and what is lost with it."""

from .applications import place_of_app, removed_apps, renamed_apps
from .causes import Cause, Departure, departures
from .deletion import Deleter, Deletion, deletion_of
from .follows import both_known, refuses_to_empty, synced
from .stakes import Cascade, Stake, Stakes
from .summary import Summary, lost
from .tracking import TrackingSetting, tracking_settings
from .words import by_place, counted, listed

__all__ = [
    "Cascade",
    "Cause",
    "Deleter",
    "Deletion",
    "Departure",
    "Stake",
    "Stakes",
    "Summary",
    "TrackingSetting",
    "both_known",
    "by_place",
    "counted",
    "deletion_of",
    "departures",
    "listed",
    "lost",
    "place_of_app",
    "refuses_to_empty",
    "removed_apps",
    "renamed_apps",
    "synced",
    "tracking_settings",
]
