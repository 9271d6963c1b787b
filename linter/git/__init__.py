"""Git, asked for revisions, listings and contents: nothing is checked out, fetched, locked or written."""

from .process import GitError
from .repository import Entry, Listing, Repository, Revision, blob_id

__all__ = ["Entry", "GitError", "Listing", "Repository", "Revision", "blob_id"]
