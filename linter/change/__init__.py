"""What will merging this do: two revisions of one repository, matched object by object."""

from ..files.file_changes import FileChange, FileStatus
from .app_pairs import AppChange
from .departures import Cause, Departure
from .fate import Deleter, Deletion, Fate
from .gone_apps import place_of_app, removed_apps, renamed_apps
from .object_pairs import Likeness, ObjectChange, Renaming
from .prune_summary import Summary
from .stakes import Cascade, Stake, Stakes
from .two_revisions import Change

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
