"""The one-way flow and the few habits that keep the house in order."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from gitops_lint.rules import load

ROOT = Path(__file__).parents[1]

# Each layer may import what stands before it, never what comes after.
LAYERS = [
    {"lazy", "scalars", "compose"}, {"values"}, {"source"}, {"manual", "globs", "reading"}, {"rule", "versions", "knowledge", "defaulting"},
    {"argo"}, {"resource"}, {"references", "crds", "kustomize"}, {"render"}, {"model"}, {"result"},
    {"tracing"}, {"engine", "selection"}, {"config"}, {"gitignore", "triage", "discover", "fix"}, {"lint", "planview", "report"}, {"session", "terminal", "rendering"}, {"commands"}, {"cli"},
]  # fmt: skip
RANK = {module: rank for rank, layer in enumerate(LAYERS) for module in layer}


def modules(folder: str) -> list[Path]:
    return sorted(path for path in (ROOT / folder).rglob("*.py") if path.name != "__init__.py")


def imports(path: Path) -> Iterator[str]:
    """The modules of linter/ that a file imports when it runs, by their first name."""
    depth = len(path.relative_to(ROOT / "linter").parts) if path.is_relative_to(ROOT / "linter") else 0
    tree = ast.parse(path.read_text("utf-8"))
    typing_only = {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level and node not in typing_only:
            names = [node.module] if node.module else [alias.name for alias in node.names]
            if not depth or node.level == depth:
                yield from (name.split(".")[0] for name in names if name)


@pytest.mark.parametrize("path", modules("linter"), ids=lambda path: str(path.relative_to(ROOT)))
def test_a_layer_looks_only_back(path: Path) -> None:
    layer = path.relative_to(ROOT / "linter").parts[0].removesuffix(".py")
    assert layer in RANK, f"{layer} has no place in LAYERS"
    for name in imports(path):
        if name != layer and name != "VERSION":
            assert name in RANK, f"{name} has no place in LAYERS"
            assert RANK[name] <= RANK[layer], f"{layer} imports {name}, which comes after it"


@pytest.mark.parametrize("rule", load(), ids=lambda rule: rule.name)
def test_a_rule_sees_only_the_model(rule) -> None:  # type: ignore[no-untyped-def]
    path = ROOT / "rules" / rule.topic / f"{rule.name.replace('-', '_')}.py"
    allowed = {
        "model", "resource", "rule", "source", "knowledge", "versions", "argo", "references", "crds", "render", "engine", "triage",
    }  # fmt: skip
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            assert node.module, "a rule imports from linter, by module"
            package, _, module = node.module.partition(".")
            assert (node.level, package) == (3, "linter"), "a rule imports no other rule"
            assert module.split(".")[0] in allowed


def test_only_the_engine_and_the_very_end_catch_everything() -> None:
    for path in modules("linter") + modules("rules"):
        broad = [
            node
            for node in ast.walk(ast.parse(path.read_text("utf-8")))
            if isinstance(node, ast.ExceptHandler) and (node.type is None or ast.unparse(node.type) == "Exception")
        ]
        assert not broad or (path.name in ("engine.py", "cli.py") and len(broad) == 1), path


def test_no_module_is_called_after_nothing() -> None:
    named = {path.stem for path in modules("linter") + modules("rules") + modules("scripts")}
    assert not named & {"utils", "util", "helpers", "helper", "common", "misc"}


def test_nothing_is_imported_twice_under_another_name() -> None:
    assert not {"linter", "rules", "schemas"} & set(sys.modules)
