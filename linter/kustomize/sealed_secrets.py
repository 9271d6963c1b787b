"""Generators that decrypt what lies beside them, KSOPS and its like: the Secrets, with names and keys, without values.

What a program like that makes of its files is known but for the values, and
these nobody here can or may know. So nothing is executed, and nothing is missing.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final, Protocol

from ..yaml.compose import Mapping as RawMapping
from ..yaml.compose import Raw, RawScalar, Sequence
from ..yaml.source import Document, Node
from .kustomize_errors import NotBuilt
from .objects import Object
from .objects_in_file import objects_of
from .trees import at, from_value, map_items, mapping, member, scalar, text, with_at, without_member

SEALED: Final = "<sealed>"
"""Stands for a value that is encrypted: a placeholder, which somebody fills in later."""
_ENCRYPTED: Final = "ENC["
_KSOPS: Final = ("viaduct.ai/v1", "ksops")
_SOPS_GENERATOR: Final = "SopsSecretGenerator"
_BEHAVIOR: Final = "kustomize.config.k8s.io/behavior"
"""Of what a plugin makes, as `behavior` is of an entry of secretGenerator; Kustomize takes it away."""


class Loader(Protocol):
    def load(self, at: Node, path: str) -> bytes: ...
    def documents(self, at: Node, path: str) -> list[Document]: ...


def is_decrypting(config: Document) -> bool:
    """Whether an item of `generators:` does nothing but decrypt Secrets."""
    version, kind = config.root.texts("apiVersion", "kind")
    return (version, kind.lower()) == _KSOPS or kind == _SOPS_GENERATOR


def decrypted(config: Document, loader: Loader) -> list[Object]:
    root = config.root
    if root["kind"].text == _SOPS_GENERATOR:
        return [_secret(config, root, loader)]
    found = [one for entry in root["files"] for one in _in_file(entry, loader)]
    return [*found, *(_secret(config, entry, loader) for entry in root["secretFrom"])]


def _in_file(entry: Node, loader: Loader) -> Iterator[Object]:
    for document in loader.documents(entry, entry.text):
        for one in objects_of(document):
            root = _without_values(without_member(one.root, "sops"))
            assert isinstance(root, RawMapping)
            made = _as_asked(replace(one, root=root))
            if made.name in ("", SEALED):
                raise NotBuilt(entry, "an encrypted file whose names are encrypted, too", entry.text)
            yield made


def _as_asked(made: Object) -> Object:
    annotations = at(made.root, "metadata", "annotations")
    asked = text(member(annotations, _BEHAVIOR))
    if not asked or not isinstance(annotations, RawMapping):
        return made
    rest = without_member(annotations, _BEHAVIOR)
    return replace(made, root=with_at(made.root, ("metadata", "annotations"), rest), behavior=asked)


def _without_values(raw: Raw) -> Raw:
    if isinstance(raw, RawMapping):
        return mapping(((key, _without_values(value)) for key, value in raw.value), raw)
    if isinstance(raw, Sequence):
        return map_items(raw, _without_values)
    return scalar(SEALED, raw) if isinstance(raw, RawScalar) and raw.value.startswith(_ENCRYPTED) else raw


def _secret(config: Document, entry: Node, loader: Loader) -> Object:
    """Made of files, of which each is a key, and of files of variables."""
    metadata = entry["metadata"].value
    metadata = dict(metadata) if isinstance(metadata, dict) else {}
    if not isinstance(metadata.get("name"), str):
        raise NotBuilt(entry, "a generator of Secrets that names none", entry["kind"].text)
    keys = [*_file_keys((*entry["files"], *entry["binaryFiles"])), *_variables(entry["envs"], loader)]
    held = entry["stringData"].value
    keys += [key for key in held if isinstance(key, str)] if isinstance(held, dict) else []
    value = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": metadata,
        "stringData": dict.fromkeys(keys, SEALED),
        "type": entry["type"].text or "Opaque",
    }
    root = from_value(value, entry.raw or config.raw)
    assert isinstance(root, RawMapping)
    return Object(root, config)


def _file_keys(entries: Iterable[Node]) -> Iterator[str]:
    for entry in entries:
        key, equals, path = entry.text.partition("=")
        yield key if equals else posixpath.basename(path or key)


def _variables(entries: Iterable[Node], loader: Loader) -> Iterator[str]:
    for entry in entries:
        for line in loader.load(entry, entry.text).decode("utf-8", "replace").splitlines():
            name, equals, _ = line.partition("=")
            if equals and not name.lstrip().startswith(("#", "sops_")):
                yield name.strip()
