"""The content hash that Kustomize puts behind the names of generated objects.

The hash is taken of a JSON text, so the text must be what Go writes, byte for
byte: keys sorted, no spaces, `<`, `>` and `&` escaped, numbers as Go prints them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from decimal import Decimal
from json.encoder import encode_basestring
from typing import Any, Final

from ..facts.regexes import regex
from ..yaml.compose import Mapping, RawScalar
from .kustomize_errors import NotBuilt
from .objects import Object
from .trees import at, member, scalar, value, with_at

_HASHED: Final = {
    "ConfigMap": (("data",), ("binaryData",)),
    "Secret": (("data", "type"), ("stringData",)),
}
"""By kind: fields that always go in, and maps that go in when they are there."""
_NO_WORDS: Final = str.maketrans("013ae", "ghkmt")
"""Kustomize's way to keep bad words out of names."""
_LENGTH: Final = 10
_GO_ESCAPES: Final = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
_PADDED_EXPONENT: Final = regex(r"e-0(?=[0-9])")


def add_hashes(objects: Iterable[Object]) -> None:
    """The last thing of a build that changes names; no person wrote it, so no step is noted."""
    for one in objects:
        if one.needs_hash:
            name = at(one.root, "metadata", "name")
            assert name is not None
            hashed = scalar(f"{one.name}-{hash_suffix(one)}", name, over=name)
            one.remember_id()
            one.root = with_at(one.root, ("metadata", "name"), hashed)


def hash_suffix(obj: Object) -> str:
    kind = obj.gvk.kind
    if kind not in _HASHED:
        raise NotBuilt(obj.document.root, "a content hash of another kind than ConfigMap or Secret", str(obj.id))
    always, maps = _HASHED[kind]
    # Kustomize means to put the name in as well, looks it up wrongly, and always finds nothing.
    hashed: dict[str, Any] = {"kind": kind, "name": ""}
    for field in always:
        hashed[field] = _content(obj.root, field)
    for field in maps:
        if not isinstance(member(obj.root, field), RawScalar | None):
            hashed[field] = _content(obj.root, field)
    digest = hashlib.sha256(go_json(hashed).encode()).hexdigest()
    return digest[:_LENGTH].translate(_NO_WORDS)


def _content(root: Mapping, field: str) -> Any:
    """Nothing at all is an empty text, a scalar its text, and a list, which no patch should have put there, null."""
    raw = member(root, field)
    if raw is None:
        return ""
    if isinstance(raw, RawScalar):
        return raw.value
    return value(raw) if isinstance(raw, Mapping) else None


def go_json(content: Any) -> str:
    """What Go's json.Marshal makes of a decoded JSON value, in which every number is a float."""
    text = _encoded(content)
    for sign, escape in _GO_ESCAPES.items():  # a hundred times as fast as `translate`, and dashboards are long
        text = text.replace(sign, escape)
    return text


def _encoded(content: Any) -> str:
    if isinstance(content, str):
        return encode_basestring(content)
    if isinstance(content, dict):
        return "{" + ",".join(f"{encode_basestring(key)}:{_encoded(content[key])}" for key in sorted(content)) + "}"
    if isinstance(content, list):
        return "[" + ",".join(map(_encoded, content)) + "]"
    if content is None:
        return "null"
    if isinstance(content, bool):
        return "true" if content else "false"
    return _go_number(float(content))


def _go_number(number: float) -> str:
    shortest = repr(number)
    if number == 0 or 1e-6 <= abs(number) < 1e21:
        return f"{Decimal(shortest):f}".removesuffix(".0")
    return _PADDED_EXPONENT.sub("e-", shortest)
