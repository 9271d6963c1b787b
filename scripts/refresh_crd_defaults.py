"""Bring schemas/crd-defaults.json up to date from CRDs on disk.

    python scripts/refresh_crd_defaults.py FOLDER [--replace]

FOLDER/PROJECT/TAG/ holds the CRDs of one release as YAML files, at any depth,
one folder for each minor release. FOLDER/PROJECT/source.json says where they
come from: {"repository": "owner/name", "licence": "Apache-2.0", "commit": "..."};
for a project that the table already has it may be left out.

Releases that are newer than what the table knows are added one after another: a
row that a release does not have any more ends with the one before it, a new row
begins with it. With --replace the project starts anew from the folder alone.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from gitops_lint.linter.facts.versions import Version
from gitops_lint.linter.kubernetes.crds.schemas import crd_schema
from gitops_lint.linter.kubernetes.defaulting import (
    EMBEDDED,
    LIST_KEYS,
    LIST_TYPE,
    MAP_TYPE,
    META,
    PRESERVE,
    Schema,
    below,
    default_of,
    properties,
)
from gitops_lint.linter.kubernetes.resource import resources_in
from gitops_lint.linter.yaml.source import SourceFile

SCHEMAS: Final = Path(__file__).resolve().parents[1] / "schemas"
LICENCES: Final = frozenset(("Apache-2.0", "MIT", "BSD-2-Clause", "BSD-3-Clause", "MPL-2.0"))
DEAD_VOLUMES: Final = frozenset(("rbd", "iscsi", "scaleIO", "azureDisk"))
PLAIN_NAME: Final = re.compile(r"[^.\[\]{}!?*]+")

Row = list[Any]
Kinds = dict[str, list[tuple[str, Any]]]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--replace", action="store_true", help="forget what the table has of these projects")
    parser.add_argument("--schemas", type=Path, default=SCHEMAS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    table = json.loads((options.schemas / "crd-defaults.json").read_text("utf-8"))
    sources = json.loads((options.schemas / "SOURCES.json").read_text("utf-8"))
    for project in sorted(path for path in options.folder.iterdir() if path.is_dir()):
        refresh(project, table, sources["crd-defaults.json"]["projects"], options.replace)
    (options.schemas / "crd-defaults.json").write_text(written(table), "utf-8")
    (options.schemas / "SOURCES.json").write_text(json.dumps(sources, indent=2, ensure_ascii=False) + "\n", "utf-8")


def refresh(folder: Path, table: dict[str, Any], projects: dict[str, Any], replace: bool) -> None:
    project = folder.name
    entry = projects.setdefault(project, {})
    about = folder / "source.json"
    entry.update(json.loads(about.read_text("utf-8")) if about.exists() else {})
    if entry.get("licence") not in LICENCES or not entry.get("repository"):
        sys.exit(f"{project}: source.json must give a repository and one of the licences {', '.join(sorted(LICENCES))}")
    if replace:
        table["sources"].pop(project, None)
        table["kinds"] = {name: kind for name, kind in table["kinds"].items() if kind["source"] != project}
    tags = {release_of(path.name): path for path in folder.iterdir() if path.is_dir()}
    for release, path in sorted(tags.items()):
        newest = table["sources"].get(project, ["", ""])[1]
        if newest and release <= Version.parse(newest):
            print(f"{project} {path.name}: the table has this minor release already", file=sys.stderr)
            continue
        add_release(table, project, release, kinds_in(path))
        entry.setdefault("oldest", path.name)
        entry["newest"] = path.name


def release_of(tag: str) -> Version:
    numbers = re.search(r"(\d+)\.(\d+)", tag)
    if numbers is None:
        sys.exit(f"{tag}: no release number in the name of the folder")
    return Version(int(numbers[1]), int(numbers[2]))


def add_release(table: dict[str, Any], project: str, release: Version, found: Kinds) -> None:
    oldest, newest = table["sources"].get(project, (str(release), ""))
    kinds: dict[str, Any] = table["kinds"]
    for name in {*found, *(name for name, kind in kinds.items() if kind["source"] == project)}:
        kind = kinds.setdefault(name, {"source": project, "rows": []})
        if kind["source"] != project:
            print(f"{project}: {name} is in the table from {kind['source']}", file=sys.stderr)
            continue
        kind["rows"] = with_release(kind["rows"], found.get(name, []), str(release), newest)
    table["sources"][project] = [oldest, str(release)]


def with_release(rows: list[Row], found: list[tuple[str, Any]], release: str, before: str) -> list[Row]:
    """`before` is the newest release so far, empty if this is the first."""
    left = {as_key(path, default): [path, default] for path, default in found}
    merged = []
    for path, default, *releases in rows:
        ranges = releases[0] if releases else "-"
        here = left.pop(as_key(path, default), None) is not None
        if ranges.endswith("-") and not here:
            ranges += before
        elif not ranges.endswith("-") and here:
            ranges += f",{release}-"
        merged.append([path, default] if ranges == "-" else [path, default, ranges])
    new = [[*row, f"{release}-"] if before else row for row in left.values()]
    return sorted(merged + new, key=lambda row: as_key(row[0], row[1]))


def as_key(path: str, default: Any) -> tuple[str, str]:
    return path, json.dumps(default, sort_keys=True)


# -- from CRDs to rows


def kinds_in(folder: Path) -> Kinds:
    kinds: Kinds = {}
    for path in sorted(folder.rglob("*.y*ml")):
        file = SourceFile(path.name, path.read_text("utf-8"))
        for crd in (found for document in file.documents for found in resources_in(document.root) if found.is_crd):
            group, kind = crd["spec"]["group"].text, crd["spec"]["names"]["kind"].text
            for version in (entry["name"].text for entry in crd["spec"]["versions"]):
                rows = list(rows_of(crd_schema(crd, version) or {}))
                if rows:
                    kinds[f"{group}/{version}/{kind}"] = rows
    return kinds


def rows_of(schema: Schema) -> Iterator[tuple[str, Any]]:
    for name, inner in properties(schema).items():
        if name not in META and name != "status" and isinstance(inner, Mapping):
            yield from _field(name, inner, bool(schema.get(PRESERVE)))


def _field(path: str, schema: Schema, opaque: bool) -> Iterator[tuple[str, Any]]:
    default = default_of(schema)
    if default is not None and not is_noise(path, default):
        yield path + ("?" if schema.get("nullable") else ""), default
    yield from _below(path, schema, opaque)


def _below(path: str, schema: Schema, opaque: bool) -> Iterator[tuple[str, Any]]:
    if schema.get(EMBEDDED):
        return
    atomic = not opaque and schema.get(MAP_TYPE) == "atomic"
    path += ("!" if atomic else "") + ("?" if schema.get("nullable") else "") + ("*" if schema.get(PRESERVE) else "")
    opaque = opaque or bool(schema.get("nullable") or schema.get(PRESERVE))
    for name, inner in properties(schema).items():
        if PLAIN_NAME.fullmatch(name) and isinstance(inner, Mapping):
            yield from _field(f"{path}.{name}", inner, opaque)
    items, values = below(schema, 0), schema.get("additionalProperties")
    if items is not None:
        yield from _below(path + list_mark(schema, items, opaque), items, opaque)
    if isinstance(values, Mapping):
        yield from _below(path + "{}", values, opaque)


def list_mark(schema: Schema, items: Schema, opaque: bool) -> str:
    if opaque or schema.get(LIST_TYPE) != "map":
        return "[]"
    keys = schema.get(LIST_KEYS) or []
    defaulted = [key for key in keys if (below(items, key) or {}).get("default") is not None]
    # An item without its only key cannot be compared at all, which the table does not tell apart.
    return f"[{','.join(defaulted)}]" if defaulted and len(keys) > 1 else "[=]"


def is_noise(path: str, default: Any) -> bool:
    """Defaults of pod types embedded in many CRDs that no manifest ever meets."""
    names = re.split(r"[^\w-]+", path)
    return (default == "" and (names[-1] == "name" or names[-2:] == ["grpc", "service"])) or bool(
        DEAD_VOLUMES.intersection(names)
    )


def written(table: Mapping[str, Any]) -> str:
    """One row a line, so that a change of the table can be read."""
    sources = ",\n".join(f"{_json(name)}: {_json(ends)}" for name, ends in sorted(table["sources"].items()))
    kinds = ",\n".join(
        f'{_json(name)}: {{"source": {_json(kind["source"])}, "rows": [\n'
        + ",\n".join(_json(row) for row in kind["rows"])
        + "\n]}"
        for name, kind in sorted(table["kinds"].items())
    )
    return f'{{"sources": {{\n{sources}\n}},\n"kinds": {{\n{kinds}\n}}}}\n'


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


if __name__ == "__main__":
    main()
