"""`namePrefix:` and `nameSuffix:`: new names for objects, which keep a memory of the old ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from ..yaml.compose import Raw, RawScalar
from ..yaml.source import Node
from .fieldspecs import FieldSpec, FieldSpecs, WrongShape, refused, update
from .kustomize_errors import demand_short
from .objects import Gvk, Object
from .objects_in_file import in_place_of
from .trees import Made, instead

_NAME: Final = ("metadata", "name")
_LEFT_ALONE: Final = (
    FieldSpec("", "", "CustomResourceDefinition", ()),
    FieldSpec("apiregistration.k8s.io", "", "APIService", ()),
    FieldSpec("", "", "Namespace", ()),
)
"""Kinds whose names other things are derived from."""


def add_prefix(objects: Sequence[Object], value: Node, specs: FieldSpecs) -> None:
    prefix = demand_short(value.text, value)
    for obj in _to_be_renamed(objects, prefix):
        for spec in specs.specs_for(obj.original_id.gvk):
            if spec.path == _NAME:
                obj.prefixes = (*obj.prefixes, prefix)
                obj.remember_id()
            _rename(obj, spec, lambda old: prefix + old, "prefix added", value)


def add_suffix(objects: Sequence[Object], value: Node, specs: FieldSpecs) -> None:
    suffix = demand_short(value.text, value)
    for obj in _to_be_renamed(objects, suffix):
        for spec in specs.specs_for(obj.original_id.gvk):
            if spec.path == _NAME:
                obj.suffixes = (*obj.suffixes, suffix)
                obj.remember_id()
            _rename(obj, spec, lambda old: old + suffix, "suffix added", value)


def _to_be_renamed(objects: Sequence[Object], addition: str) -> list[Object]:
    return [obj for obj in objects if not _is_left_alone(obj.original_id.gvk)] if addition else []


def _is_left_alone(gvk: Gvk) -> bool:
    return any(spec.matches(gvk) for spec in _LEFT_ALONE)


def _rename(obj: Object, spec: FieldSpec, new_name: Callable[[str], str], what: str, value: Node) -> None:
    assert value.raw is not None
    if not spec.matches(obj.gvk):
        return
    made_at = value.raw

    def change(raw: Raw) -> Raw:
        if not isinstance(raw, RawScalar):
            raise WrongShape("a name must be a text")
        like = made_at if isinstance(raw, Made) else raw
        return instead(in_place_of(raw, new_name(raw.value), like), raw)

    try:
        root = update(obj.root, spec.path, change, RawScalar if spec.create else None, value.raw)
    except WrongShape as wrong:
        raise refused(obj, spec.written_path, wrong, value) from None
    obj.put(root, what, value)
