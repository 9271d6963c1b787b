"""configMapGenerator and secretGenerator: what an entry makes, and what becomes of an object that is there already."""

from .absorb import absorb
from .key_values import Load
from .make import generate

__all__ = ["Load", "absorb", "generate"]
