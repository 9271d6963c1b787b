"""Trees checked against Kustomize's types, as Go's JSON decoder sees them: names in any case, nulls for nothing."""

from __future__ import annotations

from functools import cache
from operator import is_
from typing import Any, Final, NamedTuple

from ..dialects.spelling import nearest
from ..facts.tables import table
from ..yaml.compose import PLAIN, Mapping, Raw, RawScalar, Sequence
from ..yaml.source import SourceFile, Span, Spot
from ..yaml.values import members, scalar_value
from .kustomize_errors import BuildError, Cause
from .trees import Pair, is_null, mapping, sequence, wrong_merge

_GO_TYPES: Final = {"string": str, "int": int, "bool": bool}
_WORDS: Final = {"string": "a text", "int": "a whole number", "bool": "true or false"}


@cache
def _fields(type_name: str) -> dict[str, tuple[str, Any]]:
    """By the name in lower case: the proper name, and the type."""
    types = table("kustomization-fields.json")["types"]
    return {name.lower(): (name, type_) for name, type_ in types[type_name].items()}


def respelled(raw: Raw, type_: Any) -> Raw:
    """The tree with names as Kustomize spells them; itself where it is so already. What does not fit stays."""
    if isinstance(type_, list) and isinstance(raw, Sequence):
        items = [respelled(item, type_[0]) for item in raw.value]
        return raw if all(map(is_, items, raw.value)) else sequence(items, raw)
    if not isinstance(type_, str) or type_ not in table("kustomization-fields.json")["types"]:
        return raw
    if not isinstance(raw, Mapping):
        return raw
    known = _fields(type_)
    pairs = []
    for key, value in raw.value:
        proper, field_type = known.get(key.value.lower(), ("", None)) if isinstance(key, RawScalar) else ("", None)
        if field_type is None:
            pairs.append((key, value))
        else:
            pairs.append((_named(key, proper), respelled(value, field_type)))
    return raw if all(map(_is_same_pair, pairs, raw.value)) else mapping(pairs, raw)


def _named(key: RawScalar, proper: str) -> RawScalar:
    return key if key.value == proper else RawScalar(key.tag, proper, key.start_mark, key.end_mark)


class Decoder(NamedTuple):
    file: SourceFile
    is_strict: bool = True
    """Unknown fields are refused, and not left out."""

    def decoded(self, raw: Raw, type_: Any) -> Raw:
        """The tree with merge keys resolved and names as Kustomize spells them; itself where it is so already."""
        if is_null(raw):
            return raw
        if isinstance(type_, list):
            if not isinstance(raw, Sequence):
                raise self._wrong(raw, "a list")
            items = [self.decoded(item, type_[0]) for item in raw.value]
            return raw if all(map(is_, items, raw.value)) else sequence(items, raw)
        if type_ in _GO_TYPES:
            return self._scalar(raw, type_)
        if not isinstance(raw, Mapping):
            raise self._wrong(raw, "a mapping with path or patch" if type_ == "Patch" else "a mapping")
        wrong = wrong_merge(raw)
        if wrong is not None:
            raise self._refused(wrong, "<< takes a mapping, or a list of mappings, and Kustomize refuses all else")
        if type_ == "map":
            return raw
        if type_ in ("strings", "bools"):
            return self._flat(raw, type_[:-1])
        return self._struct(raw, type_)

    def _struct(self, raw: Mapping, type_: str) -> Raw:
        known = _fields(type_)
        pairs = []
        for name, (key, value) in members(raw).items():
            proper, field_type = known.get(name.lower(), ("", None))
            if field_type is None:
                if self.is_strict:
                    raise self._unknown(key, name, known)
                continue
            pairs.append((_named(key, proper), self.decoded(value, field_type)))
        same = len(pairs) == len(raw.value) and all(map(_is_same_pair, pairs, raw.value))
        return raw if same else mapping(pairs, raw)

    def _flat(self, raw: Mapping, type_: str) -> Raw:
        found = members(raw)
        for _, value in found.values():
            if not is_null(value):
                self._scalar(value, type_)
        return raw if len(found) == len(raw.value) else mapping(found.values(), raw)

    def _scalar(self, raw: Raw, type_: str) -> Raw:
        value = scalar_value(raw) if isinstance(raw, RawScalar) else raw
        if value is not None and type(value) is not _GO_TYPES[type_]:
            hint = f'; in quotes, "{raw.value}", it is one' if type_ == "string" and isinstance(raw, RawScalar) else ""
            raise self._wrong(raw, _WORDS[type_], hint)
        if isinstance(raw, RawScalar) and raw.tag == PLAIN and type_ == "string" and value is None:
            return RawScalar("!", "", raw.start_mark, raw.end_mark)
        return raw

    def _unknown(self, key: RawScalar, name: str, known: dict[str, tuple[str, Any]]) -> BuildError:
        meant = nearest(name, (one for one, _ in known.values()))
        hint = f" ({meant!r} was probably meant)" if meant else ""
        return self._refused(key, f"Kustomize knows no field {name!r} here{hint} and refuses the file")

    def _wrong(self, raw: Raw, wanted: str, hint: str = "") -> BuildError:
        return self._refused(raw, f"Kustomize wants {wanted} here and refuses the file{hint}")

    def _refused(self, raw: Raw, message: str) -> BuildError:
        end = raw.end_mark.index if isinstance(raw, RawScalar) else raw.start_mark.index + 1
        return BuildError(Cause.UNKNOWN_FIELD, Spot(self.file, Span(raw.start_mark.index, end)), message)


def _is_same_pair(one: Pair, other: Pair) -> bool:
    return one[0] is other[0] and one[1] is other[1]
