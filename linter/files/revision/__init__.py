"""A revision of the repository that is not on the disk: a commit, or the index."""

from .compared import Base, base_of, index_of

__all__ = ["Base", "base_of", "index_of"]
