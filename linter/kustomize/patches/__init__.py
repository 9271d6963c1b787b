"""What patches do to objects: strategic merges and JSON patches, and how they find the objects they mean."""

from .apply import apply_patch, apply_patches
from .reading import PatchEntry, PatchField
from .schema import Schemas, demand_known_version
from .selectors import Selector

__all__ = ["PatchEntry", "PatchField", "Schemas", "Selector", "apply_patch", "apply_patches", "demand_known_version"]
