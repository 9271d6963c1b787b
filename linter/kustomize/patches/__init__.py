"""What patches do to objects: strategic merges and JSON patches, and how they find the objects they mean."""

from .apply_patches import apply_patch, apply_patches
from .merge_schema import Schemas, demand_known_version
from .patch_entries import PatchEntry, PatchField
from .patch_targets import Selector

__all__ = ["PatchEntry", "PatchField", "Schemas", "Selector", "apply_patch", "apply_patches", "demand_known_version"]
