"""Bring schemas/operator-fields.json up to date from CRDs on disk.

    python scripts/refresh_operator_fields.py FOLDER

FOLDER is laid out as for refresh_crd_defaults.py: FOLDER/PROJECT/TAG/ holds the CRDs of one release as YAML files,
FOLDER/PROJECT/source.json says where they come from. A project in the folder replaces what the table has of it.

The table keeps the names of fields and nothing else. A field counts as known if any of the releases has it, so
what the table does not have, none of them has.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from gitops_lint.linter.kubernetes.crds.schemas import crd_schema
from gitops_lint.linter.kubernetes.defaulting import EMBEDDED, INT_OR_STRING, META, PRESERVE, Schema, properties
from gitops_lint.linter.kubernetes.resource import resources_in
from gitops_lint.linter.yaml.source import SourceFile
from refresh_crd_defaults import LICENCES, SCHEMAS, release_of

TABLE: Final = "operator-fields.json"
TEMPLATE_LINE: Final = re.compile(r"^.*\{\{.*\n", re.MULTILINE)
"""Some projects keep their CRDs as templates of their chart; labels and switches are all that is templated."""
OPEN: Final = None
"""Anything may be there, or nothing is said of it."""

Tree = dict[str, Any] | list[Any] | None
"""An object by its fields (``*``: any name), a list by its only item, or open."""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--schemas", type=Path, default=SCHEMAS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    path = options.schemas / TABLE
    table = json.loads(path.read_text("utf-8")) if path.exists() else {"sources": {}, "kinds": {}, "shapes": []}
    trees = {name: (source, spread(table["shapes"], shape)) for name, (source, shape) in table["kinds"].items()}
    sources = json.loads((options.schemas / "SOURCES.json").read_text("utf-8"))
    for project in sorted(path for path in options.folder.iterdir() if path.is_dir()):
        about = sources[TABLE]["projects"].setdefault(project.name, {})
        refresh(project, about, table["sources"], trees)
    path.write_text(written(table["sources"], trees), "utf-8")
    (options.schemas / "SOURCES.json").write_text(json.dumps(sources, indent=2, ensure_ascii=False) + "\n", "utf-8")


def refresh(folder: Path, about: dict[str, Any], ends: dict[str, Any], trees: dict[str, tuple[str, Tree]]) -> None:
    given = folder / "source.json"
    about.update(json.loads(given.read_text("utf-8")) if given.exists() else {})
    if about.get("licence") not in LICENCES or not about.get("repository"):
        sys.exit(
            f"{folder.name}: source.json must give a repository and one of the licences {', '.join(sorted(LICENCES))}"
        )
    for name in [name for name, (source, _) in trees.items() if source == folder.name]:
        del trees[name]
    tags = dict(sorted((release_of(path.name), path) for path in folder.iterdir() if path.is_dir()))
    for path in tags.values():
        for name, tree in kinds_in(path):
            source, known = trees.get(name, (folder.name, tree))
            trees[name] = (source, union(known, tree))
    first, *_ = tags
    *_, last = tags
    ends[folder.name] = [str(first), str(last)]
    about.update(oldest=tags[first].name, newest=tags[last].name)


# -- from CRDs to trees


def kinds_in(folder: Path) -> Iterator[tuple[str, Tree]]:
    for path in sorted(folder.rglob("*.y*ml")):
        file = SourceFile(path.name, TEMPLATE_LINE.sub("", path.read_text("utf-8")))
        for crd in (found for document in file.documents for found in resources_in(document.root) if found.is_crd):
            group, kind = crd["spec"]["group"].text, crd["spec"]["names"]["kind"].text
            for version in (entry["name"].text for entry in crd["spec"]["versions"]):
                schema = crd_schema(crd, version)
                fields = properties(schema) if schema is not None and not schema.get(PRESERVE) else {}
                if fields:
                    left_out = {*META, "status"}
                    below = {name: tree_of(inner) for name, inner in fields.items() if name not in left_out}
                    yield f"{group}/{version}/{kind}", {**below, **dict.fromkeys(left_out, OPEN)}


def tree_of(schema: Schema) -> Tree:
    if schema.get(PRESERVE) or schema.get(EMBEDDED) or schema.get(INT_OR_STRING):
        return OPEN
    fields, values, items = properties(schema), schema.get("additionalProperties"), schema.get("items")
    if isinstance(items, Mapping):
        inner = tree_of(items)
        return OPEN if inner is OPEN else [inner]
    if isinstance(values, Mapping):
        inner = tree_of(values)
        return OPEN if inner is OPEN else {"*": inner}
    return {name: tree_of(inner) for name, inner in fields.items()} or OPEN


def union(one: Tree, other: Tree) -> Tree:
    """What either allows."""
    if isinstance(one, list) and isinstance(other, list):
        inner = union(one[0], other[0])
        return OPEN if inner is OPEN else [inner]
    if isinstance(one, dict) and isinstance(other, dict) and ("*" in one) == ("*" in other):
        both = {**one, **other}
        return {name: union(one[name], other[name]) if name in one and name in other else both[name] for name in both}
    return OPEN


# -- trees that are the same are written once: pod templates are in many kinds


def spread(shapes: list[Any], shape: int) -> Tree:
    if shape < 0:
        return OPEN
    node = shapes[shape]
    if isinstance(node, list):
        return [spread(shapes, node[0])]
    return {name: spread(shapes, inner) for name, inner in node.items()}


def written(ends: Mapping[str, Any], trees: Mapping[str, tuple[str, Tree]]) -> str:
    """One kind and one shape a line, so that a change of the table can be read."""
    shapes: dict[str, int] = {}

    def number(tree: Tree) -> int:
        if tree is OPEN:
            return -1
        node = (
            [number(tree[0])]
            if isinstance(tree, list)
            else {name: number(inner) for name, inner in sorted(tree.items())}
        )
        return shapes.setdefault(json.dumps(node, separators=(",", ":")), len(shapes))

    kinds = [
        f"{json.dumps(name)}: [{json.dumps(source)}, {number(tree)}]" for name, (source, tree) in sorted(trees.items())
    ]
    sources = [f"{json.dumps(name)}: {json.dumps(pair)}" for name, pair in sorted(ends.items())]
    parts = (("sources", "{}", sources), ("kinds", "{}", kinds), ("shapes", "[]", list(shapes)))
    return "{" + ",\n".join(f'"{name}": {o}\n' + ",\n".join(rows) + f"\n{c}" for name, (o, c), rows in parts) + "}\n"


if __name__ == "__main__":
    main()
