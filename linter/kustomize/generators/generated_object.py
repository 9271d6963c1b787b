"""One entry of configMapGenerator or secretGenerator, made into an object."""

from __future__ import annotations

import base64
import re
from typing import Final

from ...facts.regexes import regex
from ...yaml.compose import Mapping, Raw, RawScalar
from ...yaml.scalars import WORDS, resolve
from ...yaml.source import Document, Node
from ..kustomize_errors import BuildError, Cause
from ..objects import Object
from ..trees import Pair, is_null, mapping, scalar
from .key_values import KeyValue, Load, key_values

_BASE64_LINE: Final = 70
_UNPRINTABLE: Final = regex("[\x7f-\x84\x86-\x9f\ufffe\uffff]")
"""What Kustomize stumbles over when it prints the object; other control characters it escapes."""
_QUOTED: Final = regex("[^\t\n -~\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd]| [\n\u2028\u2029]| \\Z")
"""What makes Kustomize write a text of several lines in quotes and not as a block."""
_TIMESTAMP: Final = regex(r"\d{4}-\d\d?-\d\d?(?:[Tt ]\d\d?:\d\d?:\d\d?(?:\.\d*)?(?:Z|[+-]\d\d:\d\d)?)?", re.ASCII)


def generate(entry: Node, kind: str, options: Node, load: Load, document: Document) -> Object:
    """The ConfigMap or Secret that an entry makes; `options` are the generatorOptions of all, present or not.

    Every field counts as written where a person wrote what it was made of: a
    key and its value at the literal, the file or the env file.
    """
    assert entry.raw is not None
    name, namespace = _own(entry, "name"), _own(entry, "namespace")
    if not name.text:
        raise BuildError(Cause.BAD_GENERATOR, entry, f"a generator of a {kind} must have a name")
    pairs = [_pair("apiVersion", scalar("v1", entry.raw)), _pair("kind", scalar(kind, entry.raw))]
    metadata = [_taken("name", name)]
    if namespace.text:
        metadata.append(_taken("namespace", namespace))
    for field in ("labels", "annotations"):
        metadata += _string_map(field, entry["options"][field], options[field])
    pairs.append(_pair("metadata", mapping(metadata, entry.raw)))
    if kind == "Secret":
        given = entry["type"]
        pairs.append(_taken("type", given) if given.text else _pair("type", scalar("Opaque", entry.raw)))
    pairs += _data(key_values(entry, load), kind, entry.raw)
    immutable = _switched_on("immutable", entry, options)
    if immutable is not None:
        pairs.append(_pair("immutable", scalar(True, immutable)))
    behavior = entry["behavior"].text
    return Object(
        mapping(pairs, entry.raw),
        document,
        behavior=behavior if behavior in ("merge", "replace") else "create",
        needs_hash=_switched_on("disableNameSuffixHash", entry, options) is None,
    )


def _own(entry: Node, field: str) -> Node:
    """Of an entry, or of a generator that is an object of its own and has its name in its metadata."""
    return entry[field] if entry[field].text else entry["metadata"][field]


def _switched_on(field: str, entry: Node, options: Node) -> Raw | None:
    """Where an option is set to true: an entry cannot take back what the options of all say."""
    for at in (entry["options"][field], options[field]):
        if at.value is True:
            return at.raw
    return None


def _string_map(field: str, own: Node, of_all: Node) -> list[Pair]:
    """Labels or annotations: those of the entry win, key by key."""
    found = {key: one for node in (of_all, own) for key, one in node.items()}
    if not found:
        return []
    pairs = []
    for key, one in found.items():
        assert one.raw is not None
        _demand_text(key, one)
        pairs.append((scalar(key, one.key_raw or one.raw), scalar("", one.raw) if is_null(one.raw) else one.raw))
    container = own.raw if own.is_mapping else of_all.raw
    assert container is not None
    return [_pair(field, mapping(pairs, container))]


def _data(found: list[KeyValue], kind: str, like: Raw) -> list[Pair]:
    fields: dict[str, list[Pair]] = {"data": [], "binaryData": []}
    for key, content, at in sorted(found, key=lambda one: one.key):
        assert at.raw is not None
        _demand_text(key, at)
        if kind == "Secret" or isinstance(content, bytes):
            written = _base64(content)
        else:
            _demand_printable(content, key, at)
            written = content
        field = "data" if kind == "Secret" or isinstance(content, str) else "binaryData"
        fields[field].append((scalar(key, at.raw), scalar(written, at.raw)))
    return [
        _pair(field, mapping(pairs, like))
        for field, pairs in fields.items()
        if pairs or (field == "data" and kind == "Secret")
    ]


def _demand_printable(content: str, key: str, at: Node) -> None:
    """Kustomize writes every object as YAML and reads it back, once before it prints it; some texts it cannot."""
    if _UNPRINTABLE.search(content):
        fault = "has a control character"
    elif content[:1] == "\t" and "\n" in content and not _QUOTED.search(content):
        fault = "begins with a tab"
    else:
        return
    raise BuildError(Cause.BAD_GENERATOR, at, f"the value of {key!r} {fault}, and Kustomize fails to print it")


def _base64(content: str | bytes) -> str:
    """In lines, each with its end, as soon as one line does not hold it: so the values are, and so they are hashed."""
    code = base64.b64encode(content.encode() if isinstance(content, str) else content).decode()
    if len(code) < _BASE64_LINE:
        return code
    return "".join(f"{code[start : start + _BASE64_LINE]}\n" for start in range(0, len(code), _BASE64_LINE))


def _demand_text(key: str, at: Node) -> None:
    """Kustomize writes keys without quotes, and then cannot read those back that look like something else."""
    if key in WORDS:
        is_text = isinstance(WORDS[key], bool) and key.lower() not in ("true", "false")
    else:
        is_text = key != "<<" and isinstance(resolve(key), str) and not _TIMESTAMP.fullmatch(key)
    if not is_text:
        raise BuildError(
            Cause.BAD_GENERATOR, at, f"the key {key!r} looks like a value of another type, on which Kustomize fails"
        )


def _taken(key: str, node: Node) -> Pair:
    assert isinstance(node.raw, RawScalar)
    return scalar(key, node.key_raw or node.raw), node.raw


def _pair(key: str, raw: RawScalar | Mapping) -> Pair:
    return scalar(key, raw), raw
