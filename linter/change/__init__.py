"""What will merging this do: two revisions of one repository, matched object by object."""

from .apps import AppChange
from .files import FileChange, FileStatus
from .objects import Likeness, ObjectChange, Renaming
from .revisions import Change

__all__ = ["AppChange", "Change", "FileChange", "FileStatus", "Likeness", "ObjectChange", "Renaming"]
