"""configMapGenerator and secretGenerator: what an entry makes, and what becomes of an object that is there already."""

from .absorb import Named, absorb, by_any_name
from .generated_object import generate
from .key_values import Load

__all__ = ["Load", "Named", "absorb", "by_any_name", "generate"]
