"""The one-way flow and the few habits that keep the house in order."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from gitops_lint.rules import load

ROOT = Path(__file__).parents[1]

# Each layer may import what stands before it, never what comes after.
LAYERS = [
    {"limits", "watch"}, {"lazy", "scalars", "separators", "nesting", "compose", "outcomes", "confine", "dialects", "formats", "progress"}, {"processes"}, {"values"}, {"source"}, {"manual", "wording", "globs", "quoting", "removal", "repeated_keys", "key_sets", "reading", "twins", "git", "quantities"}, {"rule", "grading", "versions", "knowledge", "defaulting", "encryption"}, {"argo"}, {"resource", "plaintext"}, {"references", "crds", "kustomize", "validation", "helm"}, {"render", "pods", "list_keys", "file_roles"}, {"model"}, {"building", "sight", "bringing"}, {"result", "comparison", "autoscaling", "stateful"}, {"tracing", "unrendered", "causes", "touched", "change", "baseline"}, {"immutable"}, {"engine", "selection"}, {"config"}, {"gitignore"}, {"versioned"}, {"triage", "discover", "fix"}, {"revision", "newness", "edited", "quieting"}, {"revisions"}, {"lint", "planview", "report"}, {"session", "terminal", "rendering", "arguments", "baselining", "planning", "proving", "fixing"}, {"commands"}, {"cli"},
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
        "pods", "quoting", "removal", "kustomize", "wording", "repeated_keys", "file_roles", "key_sets", "list_keys", "comparison", "autoscaling", "stateful", "plaintext", "model",
        "bringing", "validation", "resource", "rule", "source", "knowledge", "versions", "argo", "references", "crds", "render", "engine", "triage",
        "change", "baseline", "immutable", "quantities", "helm",
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


PROCESSES = {"subprocess", "multiprocessing", "asyncio", "pty", "ctypes", "runpy"}
NETWORK = {"socket", "socketserver", "ssl", "http", "urllib", "ftplib", "smtplib", "xmlrpc", "requests", "webbrowser"}
STARTS = re.compile(r"system|popen|startfile|fork\w*|exec[lv]\w*|spawn[lv]\w*|posix_spawnp?")
STARTERS = {"linter/processes.py"}


def outside_world(path: Path) -> Iterator[str]:
    """What a module uses to start processes or to reach the network; names and addresses are only texts."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Attribute) and ast.unparse(node.value) == "os":
            names = [f"os.{node.attr}"]
        else:
            continue
        for name in names:
            package, _, rest = name.partition(".")
            if package in PROCESSES | NETWORK and not name.startswith("urllib.parse"):
                yield name
            if package == "os" and STARTS.fullmatch(rest):
                yield name


WALLS = "linter/confine.py"
"""Imported by nobody: a program of its own, which becomes the one that it puts walls around."""


def test_only_these_modules_start_processes_and_none_reaches_the_network() -> None:
    found = {
        str(path.relative_to(ROOT)): names
        for path in modules("linter") + modules("rules")
        if (names := set(outside_world(path)))
    }
    assert found == {**{path: {"subprocess"} for path in STARTERS}, WALLS: {"ctypes", "os.execv"}}


ASKED_FOR = ("real_kustomize", "real_builds", "git", "revision")
"""Modules and packages that start processes, or import those that do."""


def test_the_modules_that_start_processes_are_imported_only_when_asked_for() -> None:
    for path in modules("linter") + modules("rules"):
        if path.stem == "real_builds" or path.parent.name in ("git", "revision"):  # imported in the same way
            continue
        at_once = [node for node in ast.parse(path.read_text("utf-8")).body if isinstance(node, ast.ImportFrom)]
        assert not any((node.module or "").split(".")[-1] in ASKED_FOR for node in at_once), path


def test_no_module_is_called_after_nothing() -> None:
    named = {path.stem for path in modules("linter") + modules("rules") + modules("scripts")}
    assert not named & {"utils", "util", "helpers", "helper", "common", "misc"}


def test_nothing_is_imported_twice_under_another_name() -> None:
    assert not {"linter", "rules", "schemas"} & set(sys.modules)
