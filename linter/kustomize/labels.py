"""`labels:`, `commonLabels:` and `commonAnnotations:`: pairs of texts that go into maps of every object."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from ..yaml.compose import Mapping, Raw, RawScalar
from ..yaml.scalars import resolve
from ..yaml.source import Node
from ..yaml.values import scalar_value
from .configurations import Configuration, defaults, merge_specs, read_spec
from .fieldspecs import FieldSpec, FieldSpecs, WrongShape, update_fields
from .kustomize_errors import BuildError, Cause
from .objects import Object
from .objects_in_file import rfc3339
from .shared_labels import joined, shared_texts
from .trees import Pair, instead, is_null, mapping, scalar

_IN_METADATA: Final = FieldSpecs([FieldSpec("", "", "", ("metadata", "labels"), True, "metadata/labels")])

_OLD_BOOLEANS: Final = frozenset(("y", "yes", "on", "n", "no", "off"))
"""Words that only YAML 1.1 takes for true and false; Kustomize writes YAML 1.2."""


def add_labels_entry(objects: Sequence[Object], entry: Node, configuration: Configuration) -> None:
    """One item of `labels:`."""
    add_labels(objects, entry["pairs"], entry_specs(entry, configuration))


def entry_specs(entry: Node, configuration: Configuration) -> FieldSpecs:
    """Where an item of `labels:` puts its labels."""
    if entry["includeSelectors"].value is True:
        lists = [configuration.common_labels]
    elif entry["includeTemplates"].value is True:
        lists = [configuration.template_labels, _IN_METADATA]
    else:
        lists = [_IN_METADATA]
    places = dict(configuration.places)
    own = [read_spec(item, places) for item in entry["fields"]]
    if not own and not configuration.labels.specs and lists[0] in _merge_to_themselves():
        return lists[0]
    for one in (configuration.labels, *lists):
        own = merge_specs(own, one, places)
    return FieldSpecs(own)


def _merge_to_themselves() -> tuple[FieldSpecs, ...]:
    """Lists as they are without a configuration: merging them into nothing, specs for metadata/labels after it."""
    return _IN_METADATA, defaults().common_labels, defaults().template_labels


def add_labels(objects: Sequence[Object], pairs: Node, specs: FieldSpecs) -> None:
    _add(objects, pairs, specs, "labels added")


def add_annotations(objects: Sequence[Object], pairs: Node, specs: FieldSpecs) -> None:
    _add(objects, pairs, specs, "annotations added")


def _add(objects: Sequence[Object], pairs: Node, specs: FieldSpecs, what: str) -> None:
    texts = [_text(key, value) for key, value in sorted(pairs.items())]
    if not texts:
        return
    addition = _Addition(texts, pairs)
    for obj in objects:
        before = obj.root
        update_fields(obj, specs, addition.to, Mapping, what, pairs)
        applied = specs.specs_for(obj.gvk)
        if obj.root is not before and len(applied) > 1:
            shared = shared_texts(obj.root, (spec.path for spec in applied), texts)
            obj.shared = joined(obj.shared, shared, obj.root) if shared else obj.shared


def _text(key: str, value: Node) -> Pair:
    assert value.raw is not None
    assert value.key_raw is not None
    text = value.value
    if text is not None and not isinstance(text, str):
        raise BuildError(Cause.UNKNOWN_FIELD, value, f"{key} must be a text; in quotes it is one")
    return scalar(key, value.key_raw), scalar(text or "", value.raw)


def _is_text_without_quotes(key: str) -> bool:
    if key.lower() in _OLD_BOOLEANS:
        return True
    return isinstance(resolve(key), str) and not rfc3339(key) and key != "<<"


class _Addition(NamedTuple):
    pairs: list[Pair]
    at: Node

    def to(self, raw: Raw) -> Raw:
        """The map with these pairs in it; the same one if it has them."""
        if is_null(raw):
            return raw
        if not isinstance(raw, Mapping):
            raise WrongShape("it must be a map")
        members: dict[str, Pair] = {key.value: (key, value) for key, value in raw.value}
        changed = False
        for key, text in self.pairs:
            old = members.get(key.value)
            if old is None:
                if not _is_text_without_quotes(key.value):
                    message = f"Kustomize writes a new key {key.value} without quotes, and it is no text then"
                    raise WrongShape(message, self.at[key.value])
                members[key.value] = (key, text)
            elif isinstance(old[1], RawScalar) and scalar_value(old[1]) == text.value:
                continue
            else:
                members[key.value] = (old[0], instead(text, old[1]))
            changed = True
        return mapping(members.values(), raw) if changed else raw
