"""Schemas of custom resources: where they come from, and which of their defaults an object leaves out."""

from .schemas import Origin, Schemas, Unpinned

__all__ = ["Origin", "Schemas", "Unpinned"]
