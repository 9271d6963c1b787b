"""configMapGenerator and secretGenerator: what an entry makes, and what becomes of an object that is there already."""

from .absorb import Named, absorb, by_any_name
from .key_values import Load
from .make import generate

__all__ = ["Load", "Named", "absorb", "by_any_name", "generate"]
