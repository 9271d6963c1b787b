"""Bring schemas/kustomize-openapi.json up to date from a build of Kustomize.

    python scripts/refresh_kustomize_openapi.py BINARY

BINARY is `kustomize`, or a `kubectl` that contains it. Kustomize carries the
OpenAPI document of one Kubernetes release (as protobuf, gzipped) and a small
one of its own (as JSON, gzipped). What it merges by key and what it takes for
cluster-wide follows from these two and from nothing else, so the table keeps
just that: the lists that are merged, the way to them, and the cluster-wide kinds.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import yaml

TABLE: Final = Path(__file__).resolve().parents[1] / "schemas" / "kustomize-openapi.json"
GVK: Final = "x-kubernetes-group-version-kind"
STRATEGY: Final = "x-kubernetes-patch-strategy"
MERGING: Final = (STRATEGY, "x-kubernetes-patch-merge-key", "x-kubernetes-list-map-keys")
REF: Final = "#/definitions/"

# Field numbers of openapi_v2.proto.
DOCUMENT_PATHS, DOCUMENT_DEFINITIONS = 8, 9
PATHS_PATH, ITEM_GET, OPERATION_EXTENSION = 2, 2, 13
NAME, VALUE = 1, 2
SCHEMA_REF, SCHEMA_TYPE, SCHEMA_ITEMS, SCHEMA_PROPERTIES, SCHEMA_EXTENSION = 1, 22, 23, 25, 31
ONLY, ANY_YAML = 1, 2

Message = dict[int, list[Any]]
Schema = dict[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("binary", type=Path)
    embedded = [data for data in gzipped(parser.parse_args().binary.read_bytes()) if STRATEGY.encode() in data]
    kubernetes = next((data for data in embedded if data.startswith(b"\n\x032.0")), None)
    own = next((data for data in embedded if data.startswith(b"{")), None)
    if kubernetes is None or own is None:
        sys.exit("this binary has no OpenAPI document in the form that Kustomize 5.7 embeds it")
    document = message(kubernetes)
    definitions = dict(named(message(document[DOCUMENT_DEFINITIONS][0])[ONLY], schema))
    definitions |= json.loads(own)["definitions"]
    table = {
        "clusterScoped": cluster_scoped(document),
        "definitions": reduced(definitions),
    }
    TABLE.write_text(json.dumps(table, indent=1, sort_keys=True) + "\n", "utf-8")


def gzipped(data: bytes) -> Iterator[bytes]:
    for start in re.finditer(rb"\x1f\x8b\x08", data):
        stream = zlib.decompressobj(31)
        try:
            yield stream.decompress(data[start.start() :])
        except zlib.error:
            continue


# -- protobuf


def message(data: bytes) -> Message:
    fields: Message = {}
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        wire = tag & 7
        if wire == 0:
            value: Any
            value, at = varint(data, at)
        else:
            size, at = varint(data, at) if wire == 2 else ({1: 8, 5: 4}[wire], at)
            value, at = data[at : at + size], at + size
        fields.setdefault(tag >> 3, []).append(value)
    return fields


def varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


def named(pairs: list[bytes], read: Any) -> Iterator[tuple[str, Any]]:
    for one in pairs:
        fields = message(one)
        yield fields[NAME][0].decode(), read(fields[VALUE][0] if VALUE in fields else b"")


def extension(data: bytes) -> Any:
    return yaml.safe_load(message(data)[ANY_YAML][0])


def schema(data: bytes) -> Schema:
    fields = message(data)
    found: Schema = dict(named(fields.get(SCHEMA_EXTENSION, []), extension))
    if SCHEMA_REF in fields:
        found["$ref"] = fields[SCHEMA_REF][0].decode()
    if SCHEMA_TYPE in fields:
        found["type"] = message(fields[SCHEMA_TYPE][0])[ONLY][0].decode()
    if SCHEMA_ITEMS in fields:
        found["items"] = schema(message(fields[SCHEMA_ITEMS][0])[ONLY][0])
    if SCHEMA_PROPERTIES in fields:
        found["properties"] = dict(named(message(fields[SCHEMA_PROPERTIES][0])[ONLY], schema))
    return found


# -- what is kept


def cluster_scoped(document: Message) -> list[str]:
    """Kinds that can be read at some path, and at none below a namespace."""
    namespaced: dict[str, bool] = {}
    for path, item in named(message(document[DOCUMENT_PATHS][0])[PATHS_PATH], message):
        extensions = message(item[ITEM_GET][0]).get(OPERATION_EXTENSION, []) if ITEM_GET in item else []
        kind = dict(named(extensions, extension)).get(GVK)
        if kind:
            name = "/".join(part for part in (kind["group"], kind["version"], kind["kind"]) if part)
            namespaced[name] = namespaced.get(name, False) or "namespaces/{namespace}" in path
    return sorted(name for name, is_so in namespaced.items() if not is_so)


def reduced(definitions: dict[str, Schema]) -> dict[str, Schema]:
    """The types that have a list to merge somewhere below them, with the fields that lead there."""
    kept: dict[str, Schema] = {}
    while True:
        more = {name: found for name, one in definitions.items() if (found := reduce(one, kept))}
        if more == kept:
            return {name: one for name, one in kept.items() if name in reachable(kept)}
        kept = more


def reduce(one: Schema, known: dict[str, Schema]) -> Schema:
    """Empty when nothing below is merged."""
    if "$ref" in one:
        return {"$ref": one["$ref"]} if one["$ref"].removeprefix(REF) in known else {}
    found: Schema = {}
    if one.get("type") == "array":
        if "merge" in one.get(STRATEGY, "").split(","):
            found = {"type": "array"} | {key: one[key] for key in MERGING if key in one}
            found |= {"items": items} if (items := reduce(one.get("items", {}), known)) else {}
        return found
    fields = {name: shrunk for name, field in one.get("properties", {}).items() if (shrunk := reduce(field, known))}
    if fields:
        found["properties"] = fields
        if GVK in one:
            found[GVK] = one[GVK]
    return found


def reachable(definitions: dict[str, Schema]) -> set[str]:
    found: set[str] = set()
    waiting = [name for name, one in definitions.items() if GVK in one and not name.endswith("List")]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += re.findall(r'"#/definitions/([^"]+)"', json.dumps(definitions[name]))
    return found


if __name__ == "__main__":
    main()
