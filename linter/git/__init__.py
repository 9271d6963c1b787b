"""Git, asked for revisions, listings and contents: nothing is checked out, fetched, locked or written.

Libraries (pygit2, dulwich) would read a stranger's configuration and packs in this process; the program does it in
one of its own, with an environment that lets it run nothing and reach nobody.
"""

from .process import GitError
from .repository import EMPTY, Entry, Listing, Repository, Revision, blob_id

__all__ = ["EMPTY", "Entry", "GitError", "Listing", "Repository", "Revision", "blob_id"]
