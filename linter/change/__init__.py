"""What will merging this do: two revisions of one repository, matched object by object."""

from .apps import AppChange
from .departures import Cause, Departure
from .fate import Deleter, Deletion, Fate
from .files import FileChange, FileStatus
from .gone_apps import place_of_app, removed_apps, renamed_apps
from .objects import Likeness, ObjectChange, Renaming
from .revisions import Change
from .stakes import Cascade, Stake, Stakes
from .summary import Summary

__all__ = [
    "AppChange",
    "Cascade",
    "Cause",
    "Change",
    "Deleter",
    "Deletion",
    "Departure",
    "Fate",
    "FileChange",
    "FileStatus",
    "Likeness",
    "ObjectChange",
    "Renaming",
    "Stake",
    "Stakes",
    "Summary",
    "place_of_app",
    "removed_apps",
    "renamed_apps",
]
