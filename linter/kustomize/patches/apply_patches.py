"""The patches of a kustomization, one entry after another."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from ...yaml.compose import Mapping, Raw, RawScalar
from ...yaml.source import Node, Span, Spot
from ...yaml.values import is_surely_text, scalar_value
from ..content_hash import go_json
from ..json_round_trip import reread
from ..kustomize_errors import BuildError, Cause
from ..objects import Gvk, Id, Object
from ..trees import at, is_null, mapping, member, scalar, text, with_member, without_member
from . import json6902, strategic
from .merge_schema import Schemas
from .patch_directives import Unmergeable
from .patch_entries import (
    PatchEntry,
    PatchField,
    StrategicPatch,
    is_repeating,
    operations_of,
    strategic_patches_of,
    trimmed,
)
from .patch_targets import Selector

_NOTE: Final = "internal.config.kubernetes.io/previousNames"


def apply_patches(objects: list[Object], entries: Iterable[PatchEntry], schemas: Schemas) -> list[Object]:
    for entry in entries:
        objects = apply_patch(objects, entry, schemas)
    return objects


def apply_patch(objects: list[Object], entry: PatchEntry, schemas: Schemas) -> list[Object]:
    """The objects that are left. Those that an entry changes before it fails stay changed."""
    entry = trimmed(entry)
    operations = operations_of(entry)
    if operations is not None:
        _apply_operations(objects, entry, operations)
        return objects
    patches = strategic_patches_of(entry)
    if entry.field is PatchField.PATCHES and entry.selects:
        return _patch_selected(objects, entry, patches, schemas)
    for patch in patches:
        target = _only_match(objects, patch)
        if not _patch_one(target, patch, entry, schemas):
            objects = [one for one in objects if one is not target]
    return objects


# -- strategic merge


def _only_match(objects: list[Object], patch: StrategicPatch) -> Object:
    """The one object that has, or once had, the id of the patch."""
    found = [one for one in objects if _has_had(one, patch.id)]
    if len(found) == 1:
        return found[0]
    root = patch.document.root
    if found:
        message = f"{len(found)} objects are or were {patch.id}"
        raise BuildError(Cause.SEVERAL_MATCHES, root["metadata"]["name"], message)
    meant = next((one for one in objects if one.name == patch.id.name and one.gvk.kind == patch.id.gvk.kind), None)
    hint = f", but there is {meant.id}" if meant else ""
    raise BuildError(Cause.NO_MATCH, _what_differs(root, patch.id, meant), f"there is no {patch.id} to patch{hint}")


def _what_differs(patch: Node, wanted: Id, meant: Object | None) -> Node:
    """Where a patch says something else than the object that it probably means."""
    if meant is None:
        return patch["metadata"]["name"]
    if meant.gvk != wanted.gvk:
        return patch["apiVersion"]
    namespace = patch["metadata"]["namespace"]
    return namespace if namespace.present else patch["metadata"]["name"]


def _has_had(obj: Object, wanted: Id) -> bool:
    if obj.name == wanted.name and obj.id.equals(wanted):
        return True
    if not obj.previous:
        return False
    group, version, _ = obj.gvk
    return any(
        earlier.name == wanted.name and earlier._replace(gvk=Gvk(group, version, earlier.gvk.kind)).equals(wanted)
        for earlier in obj.previous
    )


def _patch_selected(
    objects: list[Object], entry: PatchEntry, patches: list[StrategicPatch], schemas: Schemas
) -> list[Object]:
    assert entry.target is not None
    if len(patches) > 1:
        raise BuildError(
            Cause.BAD_PATCH, entry.target, f"{len(patches)} objects to merge, and with a target there may be one"
        )
    patch = patches[0]
    selector = Selector.from_node(entry.target)
    left = []
    for one in objects:
        if not selector.matches(one) or _patch_one(one, patch, entry, schemas):
            left.append(one)
    if patch.name_may_change or patch.kind_may_change:
        _demand_own_ids(left, entry)
    return left


def _demand_own_ids(objects: list[Object], entry: PatchEntry) -> None:
    seen = set()
    for one in objects:
        key = (one.gvk, one.name, one.id.effective_namespace)
        if key in seen:
            raise BuildError(Cause.DUPLICATE_ID, entry.node, f"with this patch there are two of {one.id}")
        seen.add(key)


def _patch_one(obj: Object, patch: StrategicPatch, entry: PatchEntry, schemas: Schemas) -> bool:
    """False when the patch deletes it."""
    if obj.was_json:
        obj.root, obj.was_json = _reread(obj.root), False
    try:
        merged = strategic.merge(obj.root, patch.root, schemas, patch.id.gvk.kind)
    except Unmergeable as problem:
        span = Span(problem.at.start_mark.index, problem.at.end_mark.index)
        if not isinstance(problem.at, RawScalar):
            span = Span(span.start, span.start + 1)
        place = Spot(patch.document.file, span)
        message = f"cannot be merged into {obj.id}: {problem.message}"
        raise BuildError(Cause.BAD_PATCH, place, message) from None
    if merged is None:
        return False
    if patch.repeats_keys and is_repeating(merged):
        raise BuildError(Cause.BAD_PATCH, entry.node, f"the patch brings a key twice into {obj.id}")
    if patch.name_may_change or patch.kind_may_change:
        obj.remember_id()
    if patch.drops_notes:
        obj.previous, obj.prefixes, obj.suffixes, obj.behavior, obj.needs_hash = (), (), (), "", False
    merged = _with_identity(merged, obj.root, patch)
    _demand_identity(merged, obj, entry)
    obj.put(merged, "patched", entry.node, patch.document)
    return True


def _reread(root: Mapping) -> Mapping:
    again = reread(root)
    assert isinstance(again, Mapping)
    return again


def _with_identity(merged: Mapping, old: Mapping, patch: StrategicPatch) -> Mapping:
    """A patch changes no identity unless it may, not even by replacing all of the metadata."""
    if not patch.kind_may_change:
        merged = _restored(merged, old, "kind")
    metadata, before = member(merged, "metadata"), member(old, "metadata")
    if metadata is before or not isinstance(before, Mapping):
        return merged
    restored = metadata if isinstance(metadata, Mapping) else mapping((), before)
    if not patch.name_may_change:
        restored = _restored(restored, before, "name")
    restored = _restored(restored, before, "namespace")
    return merged if restored is metadata else with_member(merged, "metadata", restored)


def _restored(raw: Mapping, old: Mapping, key: str) -> Mapping:
    before = member(old, key)
    return without_member(raw, key) if before is None else with_member(raw, key, before)


# -- JSON patches


def _apply_operations(objects: list[Object], entry: PatchEntry, operations: list[json6902.Operation]) -> None:
    target = entry.target
    if target is None or not entry.selects:
        raise BuildError(Cause.BAD_PATCH, entry.node, "a list of operations needs a target: it names no object itself")
    if entry.field is PatchField.JSON6902 and not target["name"].scalar_text:
        raise BuildError(Cause.BAD_PATCH, target, "the target of patchesJson6902 must have a name")
    selector = Selector.from_node(target)
    for one in objects:
        if not selector.matches(one):
            continue
        if entry.field is PatchField.PATCHES:
            one.remember_id()
        if not operations:
            continue
        if one.repeated is not None:
            message = f"a key is there twice, and so no JSON patch can be applied to {one.id}"
            raise BuildError(Cause.BAD_MANIFEST, one.repeated, message)
        if _has_notes(one):
            changed = _without_note(json6902.apply(_with_note(one.root), operations, str(one.id)))
        else:
            changed = json6902.apply(one.root, operations, str(one.id))
        _demand_identity(changed, one, entry)
        one.shared, one.was_json = None, True  # Kustomize writes the object out for this and reads it again
        one.put(_with_plain_words(changed), "patched", entry.node, *entry.documents[:1])


def _has_notes(obj: Object) -> bool:
    return bool(obj.previous or obj.prefixes or obj.suffixes or obj.behavior or obj.needs_hash)


def _with_note(root: Mapping) -> Mapping:
    """With an annotation as Kustomize keeps its notes in: operations find annotations where nobody has written any."""
    metadata = member(root, "metadata")
    assert isinstance(metadata, Mapping)
    annotations = member(metadata, "annotations")
    written = annotations if isinstance(annotations, Mapping) else mapping((), metadata)
    noted = with_member(written, _NOTE, scalar("", metadata))
    return with_member(root, "metadata", with_member(metadata, "annotations", noted))


def _without_note(root: Mapping) -> Mapping:
    metadata = member(root, "metadata")
    annotations = member(metadata, "annotations")
    if not isinstance(metadata, Mapping) or not isinstance(annotations, Mapping):
        return root
    left = without_member(annotations, _NOTE)
    rest = with_member(metadata, "annotations", left) if left.value else without_member(metadata, "annotations")
    return with_member(root, "metadata", rest)


def _with_plain_words(root: Mapping) -> Mapping:
    """JSON has one spelling for all but texts; among annotations, which become texts, that is to be seen."""
    metadata = member(root, "metadata")
    annotations = member(metadata, "annotations")
    if not isinstance(metadata, Mapping) or not isinstance(annotations, Mapping):
        return root
    if all(is_surely_text(one) for _, one in annotations.value):
        return root
    plain = mapping(((key, _plain_word(one)) for key, one in annotations.value), annotations)
    return with_member(root, "metadata", with_member(metadata, "annotations", plain))


def _plain_word(raw: Raw) -> Raw:
    if not isinstance(raw, RawScalar):
        return scalar("", raw)
    if isinstance(value := scalar_value(raw), str):
        return raw
    is_large = isinstance(value, int) and not isinstance(value, bool)
    return scalar(str(value) if is_large else go_json(value), raw, over=raw)


def _demand_identity(changed: Mapping, obj: Object, entry: PatchEntry) -> None:
    """Kustomize refuses such an object in the end; here is where it can be said why."""
    for words, value in (("kind", member(changed, "kind")), ("metadata.name", at(changed, "metadata", "name"))):
        if not text(value) or is_null(value):
            raise BuildError(Cause.BAD_PATCH, entry.node, f"the patch leaves {obj.id} without a {words}")
