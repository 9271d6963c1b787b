"""Transformers and generators that are written as objects of their own, `apiVersion: builtin`.

They do what fields of a kustomization do, but have no fields of objects by
default: each says in its `fieldSpecs` what it changes. All that is not built
into Kustomize is a program that somebody else wrote; none is executed here.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Final, Protocol

from ..yaml.compose import Mapping as RawMapping
from ..yaml.compose import Raw, RawScalar, Sequence
from ..yaml.source import Document, Node
from ..yaml.values import scalar_value
from . import content_hash, generators, images, labels, name_affixes, namespaces, replacements, replicas, value_add
from .embedded import documents_in
from .fieldspecs import FieldSpec, FieldSpecs, split_path
from .kustomize_errors import BuildError, Cause, NotBuilt
from .objects import Object
from .patches import PatchEntry, PatchField, Schemas, apply_patch
from .release import Release
from .trees import Pair, from_value, is_null, map_items, mapping, member, scalar, with_member
from .typed_fields import Decoder

_BUILT_IN: Final = "builtin"
_INFLATION: Final = "HelmChartInflationGenerator"
_IAM_POLICY: Final = "IAMPolicyGenerator"
_NOT_EXECUTED: Final = "a plugin makes or changes objects: nothing is executed"


class Context(Protocol):
    """What a config may ask for, on behalf of the kustomization that names it."""

    @property
    def schemas(self) -> Schemas: ...
    @property
    def release(self) -> Release: ...
    def load(self, at: Node, path: str) -> bytes: ...
    def documents(self, at: Node, path: str) -> list[Document]: ...


Transformer = Callable[[list[Object], Node, Context], list[Object]]


def transform(objects: list[Object], config: Document, context: Context) -> list[Object]:
    """The objects after an item of `transformers:` did its work."""
    kind = _built_in_kind(config, changes_others=True)
    work = _TRANSFORMERS.get(kind)
    if work is None:
        what = "a generator" if kind in (*_GENERATED, _INFLATION) else "nothing that Kustomize has"
        raise BuildError(Cause.BAD_TRANSFORMER, config.root["kind"], f"{kind} among the transformers is {what}")
    return work(objects, _decoded(config), context)


def is_chart(config: Document) -> bool:
    """Whether an item of `generators:` asks for a chart."""
    return config.root.texts("apiVersion", "kind") == [_BUILT_IN, _INFLATION]


def generate(config: Document, context: Context) -> list[Object]:
    """What an item of `generators:` makes; generatorOptions of the kustomization do not count for it."""
    kind = _built_in_kind(config, changes_others=False)
    if kind not in _GENERATED:
        what = "a transformer" if kind in _TRANSFORMERS else "nothing that Kustomize has"
        raise BuildError(Cause.BAD_GENERATOR, config.root["kind"], f"{kind} among the generators is {what}")
    if kind == _IAM_POLICY:
        return [_gke_account(config)]
    entry = dataclasses.replace(config, raw=_typed(config, f"{_GENERATED[kind]}Args")).root
    return [generators.generate(entry, _GENERATED[kind], entry["no options"], context.load, config)]


def _gke_account(config: Document) -> Object:
    """The one thing that IAMPolicyGenerator makes: a ServiceAccount that stands for one of Google's."""
    root = _decoded(config)
    if root["cloud"].text != "gke":
        raise BuildError(Cause.BAD_GENERATOR, config.root["kind"], f"{_IAM_POLICY} knows no cloud but gke")
    account, service = root["serviceAccount"], root["kubernetesService"]
    theirs = f"{account['name'].text}@{account['projectId'].text}.iam.gserviceaccount.com"
    metadata = {
        "annotations": {"iam.gke.io/gcp-service-account": theirs},
        "name": service["name"].text,
        **({"namespace": namespace} if (namespace := service["namespace"].text) else {}),
    }
    made = from_value({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata}, config.raw)
    assert isinstance(made, RawMapping)
    return Object(made, config)


def _built_in_kind(config: Document, *, changes_others: bool) -> str:
    kind = config.root["kind"]
    if config.root["apiVersion"].text != _BUILT_IN:
        raise NotBuilt(kind, _NOT_EXECUTED, kind.text, changes_others=changes_others)
    return kind.text


# -- a config as Kustomize decodes it

_NO_TEXTS: Final = frozenset(
    [
        *("allowKindChange", "allowNameChange", "create", "disableNameSuffixHash", "immutable", "unsetOnly"),
        *("count", "filePathPosition", "index"),
    ]
)
_STRING_MAPS: Final = frozenset(("annotations", "labels"))
_PROPER_NAMES: Final = {
    name.lower(): name
    for name in (
        *_NO_TEXTS,
        *_STRING_MAPS,
        *(
            "annotationSelector behavior delimiter digest envs fieldPath fieldPaths fieldSpecs files group "
            "imageTag jsonOp kind labelSelector literals name namespace newName newTag options patch patches path "
            "paths prefix reject replacements replica select selector setRoleBindingSubjects source sourceValue "
            "suffix tagSuffix target targetFilePath targets type value version"
        ).split(),
    )
}


def _decoded(config: Document) -> Node:
    """With names in their proper case, and with texts where Kustomize wants texts: here it takes numbers for them."""
    return dataclasses.replace(config, raw=_decoded_raw(config.raw, False)).root


def _decoded_raw(raw: Raw, is_string_map: bool) -> Raw:
    if isinstance(raw, RawMapping):
        return mapping((_decoded_pair(key, value, is_string_map) for key, value in raw.value), raw)
    if isinstance(raw, Sequence):
        return map_items(raw, lambda item: _decoded_raw(item, is_string_map))
    value = scalar_value(raw)
    if value is None or isinstance(value, str):
        return raw
    return scalar(str(value).lower() if isinstance(value, bool) else str(value).removesuffix(".0"), raw)


def _decoded_pair(key: RawScalar, value: Raw, is_string_map: bool) -> Pair:
    if is_string_map:
        return key, _decoded_raw(value, True)
    name = _PROPER_NAMES.get(key.value.lower(), key.value)
    decoded = value if name in _NO_TEXTS else _decoded_raw(value, name in _STRING_MAPS)
    return (key if name == key.value else scalar(name, key)), decoded


def _typed(config: Document, type_: str) -> Raw:
    """The config of a generator: besides its metadata it must have the types that it has in a kustomization."""
    fields, metadata = Decoder(config.file, is_strict=False).decoded(config.raw, type_), member(config.raw, "metadata")
    assert isinstance(fields, RawMapping)
    return fields if metadata is None else with_member(fields, "metadata", _decoded_raw(metadata, False))


def _specs(config: Node) -> FieldSpecs:
    specs = []
    for item in config["fieldSpecs"]:
        group, version, kind, path = item.texts("group", "version", "kind", "path")
        specs.append(FieldSpec(group, version, kind, split_path(path), item["create"].value is True, path))
    return FieldSpecs(specs)


def _needed_specs(config: Node) -> FieldSpecs:
    specs = config["fieldSpecs"]
    if specs.absent or is_null(specs.raw):
        raise BuildError(Cause.BAD_TRANSFORMER, config["kind"], f"{config['kind'].text} needs fieldSpecs")
    return _specs(config)


# -- the transformers


def _annotations(objects: list[Object], config: Node, context: Context) -> list[Object]:
    labels.add_annotations(objects, config["annotations"], _specs(config))
    return objects


def _labels(objects: list[Object], config: Node, context: Context) -> list[Object]:
    labels.add_labels(objects, config["labels"], _specs(config))
    return objects


def _namespace(objects: list[Object], config: Node, context: Context) -> list[Object]:
    namespaces.set_namespace(
        objects,
        config["metadata"]["namespace"],
        _specs(config),
        spares_charts=context.release.is_newer,
        unset_only=config["unsetOnly"].value is True,
        subjects=config["setRoleBindingSubjects"].text,
    )
    return objects


def _prefix(objects: list[Object], config: Node, context: Context) -> list[Object]:
    name_affixes.add_prefix(objects, config["prefix"], _needed_specs(config))
    return objects


def _suffix(objects: list[Object], config: Node, context: Context) -> list[Object]:
    name_affixes.add_suffix(objects, config["suffix"], _needed_specs(config))
    return objects


def _prefix_and_suffix(objects: list[Object], config: Node, context: Context) -> list[Object]:
    return _suffix(_prefix(objects, config, context), config, context)


def _image(objects: list[Object], config: Node, context: Context) -> list[Object]:
    if config["imageTag"].is_mapping:
        images.change_images(objects, config["imageTag"], _specs(config))
    return objects


def _replica_count(objects: list[Object], config: Node, context: Context) -> list[Object]:
    replicas.set_replicas(objects, config["replica"], _specs(config))
    return objects


def _hash(objects: list[Object], config: Node, context: Context) -> list[Object]:
    content_hash.add_hashes(objects)  # and once more at the end of the build: such names have two
    return objects


def _replacement(objects: list[Object], config: Node, context: Context) -> list[Object]:
    for entry in config["replacements"]:
        for one in replacements.resolved(entry, context.documents):
            replacements.replace(objects, one, context.release)
    return objects


def _value_add(objects: list[Object], config: Node, context: Context) -> list[Object]:
    value_add.add_value(objects, config, context.documents)
    return objects


# -- those that patch


def _patch(objects: list[Object], config: Node, context: Context) -> list[Object]:
    return _patch_with(objects, config, config["patch"], PatchField.PATCHES, context)


def _patch_json(objects: list[Object], config: Node, context: Context) -> list[Object]:
    return _patch_with(objects, config, config["jsonOp"], PatchField.JSON6902, context)


def _patch_with(objects: list[Object], config: Node, inline: Node, field: PatchField, context: Context) -> list[Object]:
    path = config["path"]
    written = inline.text.strip() if field is PatchField.PATCHES else inline.text
    if bool(path.text) == bool(written):
        which = "both" if path.text else "neither"
        raise BuildError(
            Cause.BAD_PATCH, config["kind"], f"there must be one of path and {inline.key}, and there is {which}"
        )
    documents = context.documents(path, path.text) if path.text else documents_in(inline)
    target, options = (node if node.present else None for node in (config["target"], config["options"]))
    entry = PatchEntry(config, documents, target, options, field)
    if entry.does_nothing and context.release.is_newer:
        return objects
    return apply_patch(objects, entry, context.schemas)


def _patch_strategic(objects: list[Object], config: Node, context: Context) -> list[Object]:
    inline = config["patches"]
    entries = [
        (item, documents_in(item) if _is_yaml(item.text) else context.documents(item, item.text))
        for item in config["paths"]
    ]
    if inline.text:
        entries.append((inline, documents_in(inline)))
    if not entries:
        raise BuildError(Cause.BAD_PATCH, config["kind"], "there must be paths or patches, and there is neither")
    for node, documents in entries:
        objects = apply_patch(objects, PatchEntry(node, documents, field=PatchField.STRATEGIC_MERGE), context.schemas)
    return objects


def _is_yaml(text: str) -> bool:
    """Rather than the name of a file."""
    return "\n" in text or ": " in text or text.startswith("{")


_TRANSFORMERS: Final[Mapping[str, Transformer]] = {
    "AnnotationsTransformer": _annotations,
    "HashTransformer": _hash,
    "ImageTagTransformer": _image,
    "LabelTransformer": _labels,
    "NamespaceTransformer": _namespace,
    "PatchJson6902Transformer": _patch_json,
    "PatchStrategicMergeTransformer": _patch_strategic,
    "PatchTransformer": _patch,
    "PrefixSuffixTransformer": _prefix_and_suffix,
    "PrefixTransformer": _prefix,
    "ReplacementTransformer": _replacement,
    "ReplicaCountTransformer": _replica_count,
    "SuffixTransformer": _suffix,
    "ValueAddTransformer": _value_add,
}
_GENERATED: Final[Mapping[str, str]] = {
    "ConfigMapGenerator": "ConfigMap",
    _IAM_POLICY: "ServiceAccount",
    "SecretGenerator": "Secret",
}
"""What a generator makes."""
