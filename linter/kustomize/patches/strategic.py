"""Strategic merge, as Kustomize does it: close to what the API server does, and not the same.

Merging goes through the whole object, also where the patch has nothing to say:
an empty value (``emptyDir:``) is dropped on the way, and lists that are merged
by key lose items that have none. What a patch adds is merged with itself, so
that its nulls and its directives do not come out. Lists that nobody knows the
keys of are replaced, and nothing inside them is looked at.
"""

from __future__ import annotations

from ...yaml.compose import PLAIN, TEXT, Mapping, Raw, RawScalar, Sequence
from ..objects import gvk
from ..trees import instead, mapping, member, text, without_member
from . import keyed
from .merge_schema import Schema, Schemas
from .patch_directives import DIRECTIVE, Unmergeable, directive_of, is_null, shape


def merge(base: Mapping, patch: Mapping, schemas: Schemas, kind: str = "") -> Mapping | None:
    """The object with the patch merged into it; None when the patch deletes it.

    Where the object's own kind is not known, that of the patch counts, if the object's API has it.
    """
    directive = directive_of(patch)
    if directive == "delete":
        return None
    if directive == "replace":
        return base  # Kustomize makes the new object and forgets to use it
    own = text(member(base, "apiVersion"))
    known = schemas.of(gvk(own, text(member(base, "kind")))) or schemas.of(gvk(own, kind))
    merged = Merge(schemas).both(base, patch, known)
    assert merged is None or isinstance(merged, Mapping)
    return merged


class Merge:
    """Both, one, or the other: what becomes of a value that is in the object, in the patch, or in the two of them."""

    def __init__(self, schemas: Schemas) -> None:
        self._schemas = schemas

    def both(self, base: Raw, patch: Raw, schema: Schema | None) -> Raw | None:
        """None: the value is gone."""
        if is_null(patch):
            return None
        if is_null(base):
            return self.added(patch, schema)
        if isinstance(base, RawScalar) and isinstance(patch, RawScalar):
            return patch
        if isinstance(base, Mapping) and isinstance(patch, Mapping):
            return self._both_mappings(base, patch, schema)
        if isinstance(base, Sequence) and isinstance(patch, Sequence):
            if schema is None or schema.merge_keys is None:
                return patch
            return keyed.both(self, base, patch, schema)
        raise Unmergeable(patch, f"it is {shape(patch)}, and the object has {shape(base)} there")

    def kept(self, base: Raw, schema: Schema | None) -> Raw | None:
        """What the patch does not mention."""
        if isinstance(base, Mapping):
            return self._kept_mapping(base, schema)
        if isinstance(base, RawScalar):
            return base if base.value or not is_null(base) else None  # an explicit null stays, an empty value goes
        if schema is None or schema.merge_keys is None:
            return base
        return keyed.kept(self, base, schema)

    def added(self, patch: Raw, schema: Schema | None, *, within: bool = False) -> Raw | None:
        """What only the patch has; `within` something else that only the patch has, directives are taken in earnest."""
        if isinstance(patch, RawScalar):
            return None if is_null(patch) else patch
        if isinstance(patch, Sequence):
            if schema is None or schema.merge_keys is None:
                return patch
            return keyed.added(self, patch, schema, within=within)
        directive = directive_of(patch, strict=within)
        if directive == "delete":
            return None
        if directive:
            patch = without_member(patch, DIRECTIVE)
        schema = schema or self._schema_of(patch)
        pairs = []
        same = True
        for pair in patch.value:
            key, value = pair
            new = self.added(value, schema.field(key.value) if schema else None, within=True)
            same = same and new is value
            if new is not None:
                pairs.append(pair if new is value else (key, new))
        return patch if same else mapping(pairs, patch)

    def _both_mappings(self, base: Mapping, patch: Mapping, schema: Schema | None) -> Raw | None:
        directive = directive_of(patch)
        if directive in ("delete", "replace"):
            return self.added(patch, schema)
        schema = schema or self._schema_of(base) or self._schema_of(patch)
        theirs = {key.value: (key, value) for key, value in reversed(patch.value)}  # the first of equal keys counts
        theirs.pop(DIRECTIVE, None)
        pairs = []
        same = True
        for pair in base.value:
            key, value = pair
            field = schema.field(key.value) if schema else None
            change = theirs.pop(key.value, None)
            if change is None:
                new = self.kept(value, field)
            else:
                new = self.both(value, change[1], field)
                new = _instead_of(value, new) if isinstance(new, RawScalar) else new
            same = same and new is value
            if new is not None:
                pairs.append(pair if new is value else (key, new))
        for key, value in reversed(theirs.values()):
            new = self.added(value, schema.field(key.value) if schema else None)
            if new is not None:
                same = False
                pairs.append((key, new))
        return base if same else mapping(pairs, base)

    def _kept_mapping(self, base: Mapping, schema: Schema | None) -> Mapping:
        schema = schema or self._schema_of(base)
        changes: dict[int, Raw | None] = {}
        for index, (key, value) in enumerate(base.value):
            if value.__class__ is RawScalar and (value.value or value.tag != PLAIN):
                continue  # nearly all of them, and this is the innermost loop
            new = self.kept(value, schema.field(key.value) if schema else None)
            if new is not value:
                changes[index] = new
        if not changes:
            return base
        pairs = []
        for index, pair in enumerate(base.value):
            new = changes.get(index, pair[1])
            if new is not None:
                pairs.append((pair[0], new))
        return mapping(pairs, base)

    def _schema_of(self, raw: Mapping) -> Schema | None:
        """An object within an object has the schema of its own kind, unless the outer one has a say."""
        kind = api_version = ""
        for key, value in raw.value:
            if key.value == "kind":
                kind = text(value)
            elif key.value == "apiVersion":
                api_version = text(value)
        return self._schemas.of(gvk(api_version, kind)) if kind and api_version else None


def _instead_of(base: Raw, new: RawScalar) -> Raw:
    """A scalar takes over the quotes of the one that it replaces, so that a number over a text becomes a text."""
    made = instead(new, base)
    style = base.style if isinstance(base, RawScalar) else None
    if made is not base and isinstance(made, RawScalar):
        made.style = style
        if style and made.tag == PLAIN:
            made.tag = TEXT
    return made
