"""Git, asked for revisions, listings and contents: nothing is checked out, fetched, locked or written."""

from .process import GitError
from .repository import EMPTY, Entry, Listing, Repository, Revision, blob_id

__all__ = ["EMPTY", "Entry", "GitError", "Listing", "Repository", "Revision", "blob_id"]
