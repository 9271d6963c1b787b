"""What the patch of an entry is: objects to merge, or a list of operations.

Kustomize tries both on the text and takes what can be read. What begins with a
bracket is JSON to it, all else YAML; of a list of operations in YAML it reads
the first document only, and by the rules of YAML 1.1.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from enum import Enum
from typing import Final, NamedTuple

from ...yaml.compose import TEXT, Mapping, Raw, RawScalar, Sequence
from ...yaml.source import Document, Node, Span, Spot
from ..embedded import EmbeddedDocument, documents_in
from ..kustomize_errors import BuildError, Cause
from ..objects import Id, Object
from ..objects_in_file import normal, objects_of
from ..trees import is_null, mapping, member, scalar, sequence, text, with_member, without_member
from .json6902 import Operation, operations_in
from .patch_directives import DIRECTIVE, directive_of

_IDENTITY: Final = ("name", "namespace")
_TEXTS: Final = ("labels", "annotations")


class PatchField(Enum):
    """Where in the kustomization the patch is named: the older fields differ in small things."""

    PATCHES = "patches"
    STRATEGIC_MERGE = "patchesStrategicMerge"
    JSON6902 = "patchesJson6902"


class PatchEntry(NamedTuple):
    node: Node
    """The entry in the kustomization."""
    documents: list[Document]
    """As they are in the file, or in the text of the entry."""
    target: Node | None = None
    options: Node | None = None
    field: PatchField = PatchField.PATCHES

    @property
    def is_blank(self) -> bool:
        return all(is_null(one.raw) or not one.raw.value for one in self.documents)

    @property
    def does_nothing(self) -> bool:
        """A file or a text without anything to merge or to do; not so to the older fields, nor before 5.8."""
        is_blank = self.is_blank and not any(isinstance(one.raw, Sequence) for one in self.documents)
        return is_blank and self.field is PatchField.PATCHES

    @property
    def selects(self) -> bool:
        """Whether it says itself which objects it means."""
        return self.target is not None and self.target.raw is not None and not is_null(self.target.raw)


def trimmed(entry: PatchEntry) -> PatchEntry:
    """`patches` drops the blanks around a patch in its place, and so a text at the end of it loses its line break."""
    last = entry.documents[-1] if entry.documents else None
    if entry.field is not PatchField.PATCHES or not isinstance(last, EmbeddedDocument):
        return entry
    written = last.outer.scalar_text
    if written == written.strip() or not (written.lstrip("\n").startswith(" ") or _ends_in_block(last.raw)):
        return entry
    return entry._replace(documents=documents_in(last.outer, trimmed=True))


def _ends_in_block(raw: Raw) -> bool:
    while not isinstance(raw, RawScalar) and raw.value:
        raw = raw.value[-1][1] if isinstance(raw, Mapping) else raw.value[-1]
    return isinstance(raw, RawScalar) and raw.style in ("|", ">")


class StrategicPatch(NamedTuple):
    root: Mapping
    document: Document
    id: Id
    kind_may_change: bool
    name_may_change: bool
    repeats_keys: bool
    """Some mapping has a key twice; of those that are merged the first counts, others must not come out."""

    @property
    def drops_notes(self) -> bool:
        """Kustomize keeps among the annotations what it knows about an object, and a patch may delete them all."""
        metadata = member(self.root, "metadata")
        annotations = member(metadata, "annotations")
        return any(
            one is not None and (is_null(one) or directive_of(one, strict=False) in ("delete", "replace"))
            for one in (metadata, annotations)
        )


def operations_of(entry: PatchEntry) -> list[Operation] | None:
    """Those of a JSON patch, maybe none; None for a strategic merge patch."""
    if entry.field is PatchField.STRATEGIC_MERGE:
        return None
    documents = [one for one in entry.documents if not is_null(one.raw) and one.raw.value]
    if entry.field is PatchField.PATCHES and documents and all(isinstance(one.raw, Mapping) for one in documents):
        return None
    first = entry.documents[0] if entry.documents else None
    if (first is None or is_null(first.raw)) and entry.field is PatchField.PATCHES:
        return []
    if first is None or is_null(first.raw):
        raise BuildError(Cause.BAD_PATCH, entry.node, "the patch is empty, and Kustomize refuses it")
    if not isinstance(first.raw, Sequence) or any(not _may_be_operation(one) for one in first.raw.value):
        raise BuildError(Cause.BAD_PATCH, _place(first), "neither an object to merge nor a list of operations")
    _demand_json(first)
    operations = operations_in(first.root)
    if not operations and entry.field is PatchField.JSON6902:
        raise BuildError(Cause.BAD_PATCH, entry.node, "the patch has no operations, and Kustomize refuses it")
    return operations


def _may_be_operation(raw: Raw) -> bool:
    return isinstance(raw, Mapping) or is_null(raw)


def _demand_json(document: Document) -> None:
    written = document.outer.scalar_text.strip() if isinstance(document, EmbeddedDocument) else document.file.text
    if written.startswith("["):
        try:
            json.loads(written)
        except ValueError as error:
            message = f"it begins with a bracket, so Kustomize takes it for JSON, and it is none: {error}"
            raise BuildError(Cause.BAD_PATCH, _place(document), message) from None


def _place(document: Document) -> Spot:
    start = document.raw.start_mark.index
    return Spot(document.file, Span(start, start + 1))


# -- strategic merge patches


def strategic_patches_of(entry: PatchEntry) -> list[StrategicPatch]:
    options = entry.options
    kind_may_change = options is not None and options["allowKindChange"].value is True
    name_may_change = options is not None and options["allowNameChange"].value is True
    found = []
    for document in entry.documents:
        patches, repeats = _objects_of(document)
        for one in patches:
            root = _bare(one.root, kind_may_change, name_may_change)
            if entry.field is PatchField.STRATEGIC_MERGE or entry.selects or kind_may_change or name_may_change:
                root = _with_texts(root)
            found.append(StrategicPatch(root, document, one.id, kind_may_change, name_may_change, repeats))
    return found


def _objects_of(document: Document) -> tuple[list[Object], bool]:
    """And whether a key is there twice, which Kustomize minds in objects and not in patches."""
    try:
        return objects_of(document), False
    except BuildError as error:
        root = document.raw
        if isinstance(root, Mapping) and is_repeating(root) and not _has_merge_keys(root):
            root = _with_repeats(root)
            assert isinstance(root, Mapping)
            return [Object(root, document)], True
        raise BuildError(Cause.BAD_PATCH, error.at, f"no patch to Kustomize: {error.message}") from None


def is_repeating(raw: Raw) -> bool:
    """Whether a mapping in it has a key twice."""
    if isinstance(raw, Mapping):
        return len({str(key.value) for key, _ in raw.value}) < len(raw.value) or any(
            is_repeating(one) for _, one in raw.value
        )
    return isinstance(raw, Sequence) and any(map(is_repeating, raw.value))


def _has_merge_keys(raw: Raw) -> bool:
    if isinstance(raw, Mapping):
        return any(key.value == "<<" or _has_merge_keys(one) for key, one in raw.value)
    return isinstance(raw, Sequence) and any(map(_has_merge_keys, raw.value))


def _with_repeats(raw: Raw) -> Raw:
    if isinstance(raw, Mapping):
        return mapping(((key, _with_repeats(one)) for key, one in raw.value), raw)
    if isinstance(raw, Sequence):
        return sequence(map(_with_repeats, raw.value), raw)
    return normal(raw)


def _bare(patch: Mapping, kind_may_change: bool, name_may_change: bool) -> Mapping:
    """The patch without what it cannot change anyway, so that nothing is merged and then put back."""
    patch = without_member(patch, "apiVersion")
    if not kind_may_change:
        patch = without_member(patch, "kind")
    metadata = member(patch, "metadata")
    if not isinstance(metadata, Mapping) or member(metadata, DIRECTIVE) is not None:
        return patch
    for key in _IDENTITY:
        if key == "namespace" or not name_may_change:
            metadata = without_member(metadata, key)
    return with_member(patch, "metadata", metadata) if metadata.value else without_member(patch, "metadata")


def _with_texts(patch: Mapping) -> Mapping:
    """Kustomize makes texts of labels and annotations when it copies a patch, even of nulls; an empty one is lost."""
    metadata = member(patch, "metadata")
    for key in _TEXTS:
        values = member(metadata, key)
        if values is None:
            continue
        assert isinstance(metadata, Mapping)
        if isinstance(values, Mapping) and values.value:
            metadata = with_member(metadata, key, _texts(values.value, values))
        else:
            metadata = without_member(metadata, key)
    return patch if metadata is None else with_member(patch, "metadata", metadata)


def _texts(pairs: Iterable[tuple[RawScalar, Raw]], like: Mapping) -> Mapping:
    return mapping(((key, scalar(text(one), one) if _is_no_text(one) else one) for key, one in pairs), like)


def _is_no_text(raw: Raw) -> bool:
    return not isinstance(raw, RawScalar) or raw.tag != TEXT
