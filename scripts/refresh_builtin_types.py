"""Bring schemas/builtin-types.json up to date: the fields of the built-in kinds, by Kubernetes release.

    python scripts/refresh_builtin_types.py WHEEL

WHEEL is a release of the Python package kubernetes-validate, which carries the OpenAPI definitions of
all Kubernetes minors that it knows. Only the fields, their types and the minors that have them are kept;
descriptions, required fields (the API server decides those by code of its own) and status are not.
"""

from __future__ import annotations

import argparse
import json
import re
import zipfile
from collections import defaultdict
from pathlib import Path
from typing import Any, Final

TABLE: Final = Path(__file__).resolve().parents[1] / "schemas" / "builtin-types.json"
DEFINITIONS: Final = re.compile(r".*/v1\.(?P<minor>\d+)\.0-local/_definitions\.json")
PREFIXES: Final = (
    "io.k8s.api.",
    "io.k8s.apimachinery.pkg.apis.",
    "io.k8s.apiextensions-apiserver.pkg.apis.",
    "io.k8s.kube-aggregator.pkg.apis.",
)
SCALARS: Final = {
    ("string", ""): "string",
    ("string", "byte"): "string",
    ("string", "date-time"): "string",
    ("boolean", ""): "bool",
    ("integer", "int32"): "int32",
    ("integer", "int64"): "int64",
    ("number", "double"): "number",
}
SPECIAL: Final = {
    "io.k8s.apimachinery.pkg.api.resource.Quantity": "quantity",
    "io.k8s.apimachinery.pkg.util.intstr.IntOrString": "int-or-string",
    "io.k8s.apimachinery.pkg.apis.meta.v1.Time": "string",
    "io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime": "string",
    "io.k8s.apimachinery.pkg.runtime.RawExtension": "object",
    "io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1": "object",
}

Minors = set[int]
Fields = dict[str, dict[str, Minors]]
"""Field → type → the minors that have it so."""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--table", type=Path, default=TABLE, help=argparse.SUPPRESS)
    options = parser.parse_args()
    types: dict[str, Fields] = defaultdict(lambda: defaultdict(lambda: defaultdict(set)))
    kinds: dict[str, tuple[str, Minors]] = {}
    for minor, definitions in read(options.wheel).items():
        for name, definition in definitions.items():
            add(types[short(name)], definition, minor, definitions)
            for kind in definition.get("x-kubernetes-group-version-kind", ()):
                if is_object(definition):
                    kinds.setdefault(gvk(kind), (short(name), set()))[1].add(minor)
    options.table.write_text(written(types, kinds), "utf-8")


def read(wheel: Path) -> dict[int, dict[str, Any]]:
    with zipfile.ZipFile(wheel) as archive:
        found = {
            int(match["minor"]): json.loads(archive.read(name))
            for name in archive.namelist()
            if (match := DEFINITIONS.fullmatch(name))
        }
    return {minor: found[minor].get("$defs") or found[minor]["definitions"] for minor in sorted(found)}


def is_object(definition: dict[str, Any]) -> bool:
    """Lists and requests (DeleteOptions, Status) are in no manifest."""
    metadata = definition.get("properties", {}).get("metadata", {})
    return str(metadata.get("$ref", "")).endswith(".ObjectMeta")


def gvk(kind: dict[str, str]) -> str:
    return "/".join(part for part in (kind["group"], kind["version"], kind["kind"]) if part)


def add(fields: Fields, definition: dict[str, Any], minor: int, definitions: dict[str, Any]) -> None:
    for name, schema in definition.get("properties", {}).items():
        fields[name][type_of(schema, definitions) if name != "status" else "any"].add(minor)


def type_of(schema: dict[str, Any], definitions: dict[str, Any]) -> str:
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        if name in SPECIAL:
            return SPECIAL[name]
        target = definitions[name]
        if "properties" in target:
            return short(name)
        return "empty" if "type" in target else "any"
    types = schema.get("type", [])
    kind = next((one for one in ([types] if isinstance(types, str) else types) if one != "null"), "")
    if kind == "array":
        return f"[]{type_of(schema['items'], definitions)}"
    if kind == "object":
        inner = schema.get("additionalProperties")
        return "{}" + type_of(inner, definitions) if inner else "object"
    return SCALARS[kind, schema.get("format", "")] if kind else "any"


def short(name: str) -> str:
    return next((name.removeprefix(prefix) for prefix in PREFIXES if name.startswith(prefix)), name)


def written(types: dict[str, Fields], kinds: dict[str, tuple[str, Minors]]) -> str:
    minors = set().union(*(having for _, having in kinds.values()))
    unite_changed_types(types)
    needed = reachable(types, [name for name, _ in kinds.values()])
    lines = [
        f'"releases": ["1.{min(minors)}", "1.{max(minors)}"]',
        f'"kinds": {as_lines({kind: name + span(having, minors) for kind, (name, having) in sorted(kinds.items())})}',
        f'"types": {as_lines({name: field_list(types[name]) for name in sorted(needed)})}',
    ]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def as_lines(entries: dict[str, str]) -> str:
    return json.dumps(entries, indent=0)


def unite_changed_types(types: dict[str, Fields]) -> None:
    """A field whose type changed has the newest one, which takes over the fields of the older ones."""
    for fields in list(types.values()):
        for having in fields.values():
            newest = max(having, key=lambda one: max(having[one]))
            for older in [one for one in having if one != newest]:
                for name, inner in types[older].items():
                    for type_, minors in inner.items():
                        types[newest][name][type_] |= minors & having[older]
                having[newest] |= having.pop(older)


def reachable(types: dict[str, Fields], roots: list[str]) -> set[str]:
    found: set[str] = set()
    waiting = list(roots)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            inner = (re.sub(r"^(\[\]|\{\})+", "", one) for having in types[name].values() for one in having)
            waiting += [one for one in inner if one in types]
    return found


def field_list(fields: Fields) -> str:
    """A field that is as old as its type says nothing of releases."""
    minors = set().union(*(having for types in fields.values() for having in types.values()))
    return " ".join(
        f"{name}:{type_}{span(having, minors)}" for name in sorted(fields) for type_, having in fields[name].items()
    )


def span(having: Minors, minors: Minors) -> str:
    """``@1.30`` since, ``@-1.28`` until, ``@1.26-1.28`` both; nothing for all."""
    since = "" if min(having) == min(minors) else f"1.{min(having)}"
    until = "" if max(having) == max(minors) else f"-1.{max(having)}"
    return f"@{since}{until}" if since or until else ""


if __name__ == "__main__":
    main()
