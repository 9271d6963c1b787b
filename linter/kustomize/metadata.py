"""What Kustomize does to labels and annotations when all else is done.

Annotations come out as texts, whatever they were; its own notes in them are
taken off. Labels are left alone, except for the one that `buildMetadata` adds.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable
from typing import Final

import yaml

from ..facts.file_names import KUSTOMIZATIONS
from ..yaml.compose import TEXT, Mapping, Raw, RawScalar, Sequence
from ..yaml.scalars import NUMBER_STARTS, resolve
from ..yaml.source import Node
from ..yaml.values import is_surely_text
from .kustomization import Kustomization
from .kustomize_errors import BuildError, Cause, NotBuilt
from .objects import Object
from .objects_in_file import ReadAnew, rfc3339
from .release import Release
from .trees import at, is_null, mapping, member, scalar, with_at, with_member, without_member

MANAGED_BY: Final = "app.kubernetes.io/managed-by"
ORIGIN: Final = "config.kubernetes.io/origin"
TRANSFORMATIONS: Final = "alpha.config.kubernetes.io/transformations"

_OWN_NOTES: Final = frozenset(
    [
        *(
            f"internal.config.kubernetes.io/{name}"
            for name in (
                "allowKindChange allowNameChange annotations-migration-resource-id generatorBehavior id index "
                "needsHashSuffix path prefixes previousKinds previousNames previousNamespaces refBy seqindent suffixes"
            ).split()
        ),
        "config.kubernetes.io/index",
        "config.kubernetes.io/path",
        "config.k8s.io/id",
        ORIGIN,
        TRANSFORMATIONS,
    ]
)
"""Annotations that never come out, no matter who wrote them; others of these domains do."""
_WORD_KEYS: Final = frozenset("true True TRUE false False FALSE null Null NULL ~".split())


# -- in every build


def finish(obj: Object) -> None:
    """Make texts of the annotations, and drop Kustomize's own notes among them."""
    metadata = member(obj.root, "metadata")
    annotations = member(metadata, "annotations")
    if annotations is None:
        return
    assert isinstance(metadata, Mapping)
    if isinstance(annotations, Sequence) and annotations.value:
        raise BuildError(Cause.BAD_MANIFEST, _annotations_of(obj), "annotations must be a mapping, and this is a list")
    texts = _texts(annotations, obj) if isinstance(annotations, Mapping) else None
    if texts is annotations and texts.value:
        return
    if texts is not None and texts.value:
        changed = with_member(metadata, "annotations", texts)
    else:
        changed = without_member(metadata, "annotations")
    obj.put(with_member(obj.root, "metadata", changed), "annotations made texts", _annotations_of(obj))


def _texts(annotations: Mapping, obj: Object) -> Mapping:
    changed = []
    same = True
    for key, value in annotations.value:
        name = key.value
        if name in _OWN_NOTES:
            same = False
            continue
        if name[:1] in NUMBER_STARTS or name in _WORD_KEYS or not name:
            _demand_text(name, obj)
        text = _as_text(value)
        same = same and text is value
        changed.append((key, text))
    return annotations if same else mapping(changed, annotations)


def _as_text(raw: Raw) -> Raw:
    """As it is written, whatever type that has; what is no scalar comes out empty."""
    if not isinstance(raw, RawScalar):
        return scalar("", raw)
    if isinstance(raw, ReadAnew):
        return scalar(raw.written, raw, over=raw)
    if raw.tag == TEXT or is_surely_text(raw):
        return raw
    return scalar(raw.value, raw, over=raw)


def _demand_text(name: str, obj: Object) -> None:
    """Kustomize writes the keys anew, without quotes, and cannot read back those that are no texts then."""
    if not name or not isinstance(resolve(name), str) or rfc3339(name):
        raise BuildError(
            Cause.BAD_MANIFEST,
            _annotations_of(obj),
            f"the annotation {name!r} is no text without its quotes, and Kustomize fails on it",
        )


def _annotations_of(obj: Object) -> Node:
    return obj.document.root["metadata"]["annotations"]


# -- buildMetadata


def add_build_metadata(objects: Iterable[Object], kustomization: Kustomization, release: Release) -> None:
    """What the kustomization that is built asks for, once its objects are finished; bases have no say in it."""
    for entry in kustomization.items("buildMetadata"):
        if entry.text == "managedByLabel":
            for one in objects:
                _add(one, ("labels", MANAGED_BY), f"kustomize-{release.value}", entry)
        elif entry.text == "originAnnotations":
            for one in objects:
                _add(one, ("annotations", ORIGIN), _origin(one, kustomization.folder), entry)
        elif entry.text == "transformerAnnotations":
            raise NotBuilt(entry, "transformerAnnotations: the list of transformers is not written")


def _add(one: Object, keys: tuple[str, str], content: str, by: Node) -> None:
    assert by.raw is not None
    there = at(one.root, "metadata", keys[0])
    if there is not None and not isinstance(there, Mapping) and not is_null(there):
        raise BuildError(Cause.BAD_TRANSFORMER, by, f"{keys[0]} of {one.id} must be a mapping to add one")
    root = with_at(one.root, ("metadata", *keys), scalar(content, by.raw, over=at(one.root, "metadata", *keys)))
    one.put(root, "build metadata added", by)


def _origin(one: Object, folder: str) -> str:
    """Where it comes from, seen from the folder that is built."""
    path = posixpath.relpath((one.asked_by or one.document).file.path, folder)
    is_generated = one.behavior or one.asked_by or posixpath.basename(path) in KUSTOMIZATIONS
    if not is_generated:
        return _as_yaml({"path": path})
    return _as_yaml({"configuredIn": path, "configuredBy": {"apiVersion": "builtin", **_generator(one)}})


def _generator(one: Object) -> dict[str, str]:
    """A field of a kustomization has no name; a file of its own has one."""
    config = (one.asked_by or one.document).root
    if config["apiVersion"].text != "builtin":
        return {"kind": "HelmChartInflationGenerator" if one.asked_by else f"{one.gvk.kind}Generator"}
    names = {key: text for key in ("name", "namespace") if (text := config["metadata"][key].text)}
    return {"kind": config["kind"].text, **names}


def _as_yaml(content: dict[str, object]) -> str:
    return yaml.safe_dump(content, sort_keys=False, width=float("inf"), allow_unicode=True)
