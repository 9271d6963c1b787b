"""A kustomization file: its fields, checked as Kustomize checks them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from operator import is_
from typing import Any, Final

from ..argo.spelling import nearest
from ..compose import PLAIN, Raw, RawScalar, Sequence
from ..compose import Mapping as RawMapping
from ..knowledge import table
from ..source import Document, Node, SourceFile, Span, Spot
from ..values import members, scalar_value
from .errors import BuildError, Cause
from .files import Files, joined
from .trees import Pair, is_null, mapping, sequence, wrong_merge

FILE_NAMES: Final = ("kustomization.yaml", "kustomization.yml", "Kustomization")
API_GROUP: Final = "kustomize.config.k8s.io"
COMPONENT: Final = "Component"
_VERSIONS: Final = {"Kustomization": f"{API_GROUP}/v1beta1", COMPONENT: f"{API_GROUP}/v1alpha1"}
_MOVED: Final = {"resources": "bases", "images": "imageTags"}
"""Fields that take up the items of an older one."""


@dataclass(frozen=True, eq=False)
class Kustomization:
    """A file that passed Kustomize's checks, with what an Application adds to it."""

    folder: str
    document: Document
    root: Node
    replaced: Mapping[str, Node] = field(default_factory=dict)
    """Fields that an Application sets in place of the file's."""
    listed: Mapping[str, tuple[Node, ...]] = field(default_factory=dict)
    """All items of a list that an Application has changed, each where it is written."""
    added: Mapping[str, tuple[Node, ...]] = field(default_factory=dict)
    """Items that an Application appends."""

    @property
    def is_component(self) -> bool:
        return self.root["kind"].text == COMPONENT

    def one(self, name: str) -> Node:
        return self.replaced.get(name) or self.root[name]

    def items(self, name: str) -> Iterator[Node]:
        if name in self.listed:
            yield from self.listed[name]
            return
        yield from self.one(name)
        if name in _MOVED:
            yield from self.root[_MOVED[name]]
        yield from self.added.get(name, ())


def find_file(files: Files, folder: str) -> SourceFile | None:
    """The kustomization file of a folder; several are refused."""
    found = [file for name in FILE_NAMES if (file := files.source(joined(folder, name))) is not None]
    if len(found) > 1:
        raise BuildError(
            Cause.SEVERAL_FILES,
            Spot(found[1], Span(0, 0)),
            f"there is {found[0].path} in the same folder, and Kustomize refuses a folder with two kustomization files",
        )
    return found[0] if found else None


def read(file: SourceFile, folder: str) -> Kustomization:
    if file.problems:
        problem = file.problems[0]
        raise BuildError(Cause.BAD_MANIFEST, Spot(file, problem.span), f"cannot be read: {problem.message}")
    document = file.documents[0] if file.documents else None
    if document is None or is_null(document.raw) or not document.raw.value:
        raise BuildError(Cause.EMPTY, Spot(file, Span(0, 0)), "the kustomization is empty, and Kustomize refuses it")
    if not isinstance(document.raw, RawMapping):
        raise BuildError(Cause.UNKNOWN_FIELD, document.root, "a kustomization must be a mapping")
    # Kustomize drops merge keys and takes names in any case: the checked tree has neither.
    checked = Document(file, 0, _checked(document.raw, "Kustomization", file))
    root = checked.root
    if not any(_says_something(value) for key, value in root.items() if key not in ("kind", "apiVersion")):
        raise BuildError(Cause.EMPTY, document.root, "the kustomization is empty, and Kustomize refuses it")
    _check_version(root)
    return Kustomization(folder, checked, root)


def _says_something(value: Node) -> bool:
    return (not is_null(value.raw) and value.value not in ("", {})) or value.is_sequence


def _check_version(root: Node) -> None:
    kind = root["kind"].text or "Kustomization"
    if kind not in _VERSIONS:
        raise BuildError(Cause.UNKNOWN_FIELD, root["kind"], f"kind {kind}: Kustomize wants Kustomization or Component")
    version = root["apiVersion"]
    if version.text and version.text != _VERSIONS[kind]:
        raise BuildError(Cause.UNKNOWN_FIELD, version, f"apiVersion of a {kind} must be {_VERSIONS[kind]}")


# -- types, as Go's JSON decoder sees them


@cache
def _fields(type_name: str) -> dict[str, tuple[str, Any]]:
    """By the name in lower case: the proper name, and the type."""
    types = table("kustomization-fields.json")["types"]
    return {name.lower(): (name, type_) for name, type_ in types[type_name].items()}


def _checked(raw: Raw, type_: Any, file: SourceFile) -> Raw:
    """The tree with merge keys resolved and names as Kustomize spells them."""
    if is_null(raw):
        return raw
    if isinstance(type_, list):
        if not isinstance(raw, Sequence):
            raise _wrong(raw, file, "a list")
        items = [_checked(item, type_[0], file) for item in raw.value]
        return raw if all(map(is_, items, raw.value)) else sequence(items, raw)
    if type_ in ("string", "int", "bool"):
        return _checked_scalar(raw, type_, file)
    if not isinstance(raw, RawMapping):
        raise _wrong(raw, file, "a mapping with path or patch" if type_ == "Patch" else "a mapping")
    wrong = wrong_merge(raw)
    if wrong is not None:
        raise BuildError(Cause.UNKNOWN_FIELD, _spot(wrong, file), "<< takes a mapping, or a list of mappings")
    if type_ == "map":
        return raw
    if type_ in ("strings", "bools"):
        for _, value in members(raw).values():
            if not is_null(value):
                _checked_scalar(value, type_[:-1], file)
        return _flat(raw)
    return _checked_struct(raw, type_, file)


def _checked_struct(raw: RawMapping, type_: str, file: SourceFile) -> Raw:
    known = _fields(type_)
    pairs = []
    for name, (key, value) in members(raw).items():
        proper, field_type = known.get(name.lower(), ("", None))
        if field_type is None:
            meant = nearest(name, (one for one, _ in known.values()))
            hint = f" ({meant!r} was probably meant)" if meant else ""
            raise BuildError(
                Cause.UNKNOWN_FIELD,
                _spot(key, file),
                f"Kustomize knows no field {name!r} here{hint} and refuses the file",
            )
        new_key = key if key.value == proper else RawScalar(key.tag, proper, key.start_mark, key.end_mark)
        pairs.append((new_key, _checked(value, field_type, file)))
    same = len(pairs) == len(raw.value) and all(map(_is_same_pair, pairs, raw.value))
    return raw if same else mapping(pairs, raw)


def _is_same_pair(one: Pair, other: Pair) -> bool:
    return one[0] is other[0] and one[1] is other[1]


def _flat(raw: RawMapping) -> Raw:
    found = members(raw)
    return raw if len(found) == len(raw.value) else mapping(found.values(), raw)


_GO_TYPES: Final = {"string": str, "int": int, "bool": bool}
_WORDS: Final = {"string": "a text", "int": "a whole number", "bool": "true or false"}


def _checked_scalar(raw: Raw, type_: str, file: SourceFile) -> Raw:
    value = scalar_value(raw) if isinstance(raw, RawScalar) else raw
    if value is not None and type(value) is not _GO_TYPES[type_]:
        hint = f'; in quotes, "{raw.value}", it is one' if type_ == "string" and isinstance(raw, RawScalar) else ""
        raise _wrong(raw, file, _WORDS[type_] + hint)
    if isinstance(raw, RawScalar) and raw.tag == PLAIN and type_ == "string" and value is None:
        return RawScalar("!", "", raw.start_mark, raw.end_mark)
    return raw


def _wrong(raw: Raw, file: SourceFile, wanted: str) -> BuildError:
    return BuildError(Cause.UNKNOWN_FIELD, _spot(raw, file), f"Kustomize wants {wanted} here and refuses the file")


def _spot(raw: Raw, file: SourceFile) -> Spot:
    end = raw.end_mark.index if isinstance(raw, RawScalar) else raw.start_mark.index + 1
    return Spot(file, Span(raw.start_mark.index, end))
