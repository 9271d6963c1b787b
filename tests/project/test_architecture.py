"""The one-way flow and the few habits that keep the house in order."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from gitops_lint.rules import load

ROOT = Path(__file__).parents[2]

ROOMS = (
    "facts", "yaml", "dialects", "programs", "git", "files", "fetch", "kubernetes", "kustomize", "helm", "argocd",
    "repo", "change", "lint", "fix", "report", "plan", "server", "cli",
)  # fmt: skip
"""Each room may import what stands before it, never what comes after; CONTRIBUTING.md says what is in each."""
RANK = {room: rank for rank, room in enumerate(ROOMS)}
NOT_FOR_RULES = {"programs", "git", "fetch", "fix", "report", "plan", "server", "cli"}


def modules(folder: str) -> list[Path]:
    return sorted((ROOT / folder).rglob("*.py"))


def imports(path: Path) -> Iterator[tuple[str, ...]]:
    """What a file imports of linter/, as the parts of its path; also what only types need."""
    here = path.relative_to(ROOT).with_suffix("").parts
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            above = here[: len(here) - node.level]
            target = (*above, *(node.module or "").split(".")) if node.module else above
            names = [()] if node.module else [(alias.name,) for alias in node.names]
            yield from ((*target, *name)[1:] for name in names if target[:1] == ("linter",))


def room_of(path: Path) -> str:
    return path.relative_to(ROOT / "linter").parts[0]


def test_nothing_lies_loose() -> None:
    assert {path.name for path in (ROOT / "linter").glob("*.py")} == {"__init__.py", "api.py"}
    assert {path.name for path in (ROOT / "linter").iterdir() if path.is_dir() and path.name != "__pycache__"} == {
        *ROOMS
    }


@pytest.mark.parametrize("path", modules("linter"), ids=lambda path: str(path.relative_to(ROOT)))
def test_a_room_looks_only_back(path: Path) -> None:
    room = room_of(path)
    for target in imports(path):
        if room in RANK and target and target[0] in RANK:
            assert RANK[target[0]] <= RANK[room], f"{room} imports {'.'.join(target)}, which comes after it"


LINES = 350
LONGER = {
    "yaml/source.py": "a file has documents, a document its nodes, a node its file: each names the other two",
    "dialects/jq.py": "one grammar",
    "kustomize/assembly.py": "one kustomization, in the order of Kustomize",
    "repo/sources/charts.py": "",
    "repo/ownership.py": "",
    "fix/fix_plan.py": "",
}
"""Modules of more lines, with the reason; where there is none, they are to be cut."""


def test_modules_can_be_read_in_one_go() -> None:
    long = {
        path.relative_to(ROOT / "linter").as_posix()
        for path in (ROOT / "linter").glob("**/*.py")
        if len(path.read_text("utf-8").splitlines()) > LINES
    }
    assert long <= LONGER.keys(), "cut it where its second idea begins"


def test_a_name_means_one_module() -> None:
    stems = [path.stem for path in modules("linter") if path.name != "__init__.py"]
    assert sorted({stem for stem in stems if stems.count(stem) > 1}) == []


def test_the_map_is_the_import_graph() -> None:
    """Every room in its order, with the rooms that it imports, but for those that another of them stands on."""
    table = (ROOT / "CONTRIBUTING.md").read_text("utf-8").partition("| room | stands on |")[2].partition("\n\n")[0]
    rows = re.findall(r"^\| `(\w+)` \| ([^|]*)\|", table, re.M)
    imported: dict[str, set[str]] = {room: set() for room in ROOMS}
    for path in modules("linter"):
        for target in imports(path):
            if room_of(path) in RANK and target and target[0] in RANK and target[0] != room_of(path):
                imported[room_of(path)].add(target[0])
    reached: dict[str, set[str]] = {}
    for room in ROOMS:  # those that it imports come before it
        reached[room] = imported[room].union(*(reached[other] for other in imported[room]))
    drawn = [(room, sorted(imported[room].difference(*(reached[other] for other in imported[room])))) for room in ROOMS]
    assert [(room, sorted(re.findall(r"\w+", others))) for room, others in rows] == drawn


@pytest.mark.parametrize("rule", load(), ids=lambda rule: rule.name)
def test_a_rule_sees_only_the_model(rule) -> None:  # type: ignore[no-untyped-def]
    path = ROOT / "rules" / rule.topic / f"{rule.name.replace('-', '_')}.py"
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            assert node.module, "a rule imports from linter, by module"
            package, _, module = node.module.partition(".")
            assert (node.level, package) == (3, "linter"), "a rule imports no other rule"
            assert module.split(".")[0] not in NOT_FOR_RULES


CATCH_ALL = {
    "linter/lint/engine.py",  # a rule that crashes is a finding
    "linter/cli/main.py",  # the very end
    "rules/__init__.py",  # importing a package of somebody else
}


def test_only_the_engine_and_the_very_end_catch_everything() -> None:
    for path in modules("linter") + modules("rules"):
        broad = [
            node
            for node in ast.walk(ast.parse(path.read_text("utf-8")))
            if isinstance(node, ast.ExceptHandler) and (node.type is None or ast.unparse(node.type) == "Exception")
        ]
        assert not broad or (str(path.relative_to(ROOT)) in CATCH_ALL and len(broad) == 1), path


PROCESSES = {"subprocess", "multiprocessing", "asyncio", "pty", "ctypes", "runpy"}
NETWORK = {"socket", "socketserver", "ssl", "http", "urllib", "ftplib", "smtplib", "xmlrpc", "requests", "webbrowser"}
STARTS = re.compile(r"system|popen|startfile|fork\w*|exec[lv]\w*|spawn[lv]\w*|posix_spawnp?")
STARTERS = {"linter/programs/processes.py"}


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


WALLS = "linter/programs/confine.py"
"""Imported by nobody: a program of its own, which becomes the one that it puts walls around."""


WATCH = "linter/cli/watching.py"
"""A run after every change, in a process of its own that is no other program."""
COPIES = "linter/programs/copies.py"
"""Copies of the process, which share its work; no other program either."""


EDITOR = "linter/server/language_server.py"
"""Waits for keys and pauses; it talks over standard input and output alone."""


REACHES_OUT = {
    "linter/fetch/guard.py": {"socket"},
    "linter/fetch/getting.py": {
        "http.client.HTTPException",
        "urllib.error.HTTPError",
        "urllib.error.URLError",
        *(f"urllib.request.{name}" for name in ("HTTPSHandler", "ProxyHandler", "Request", "build_opener")),
    },
}
"""For `gitops-lint fetch`, and for nothing else."""


def test_only_these_modules_start_processes_and_only_fetch_reaches_the_network() -> None:
    found = {
        str(path.relative_to(ROOT)): names
        for path in modules("linter") + modules("rules")
        if (names := set(outside_world(path)))
    }
    walls = {"ctypes", "os.execv", "socket"}  # the last one to make doors for a guard
    ours = {WALLS: walls, WATCH: {"os.fork"}, COPIES: {"os.fork"}, EDITOR: {"asyncio"}}
    assert found == {**{path: {"subprocess"} for path in STARTERS}, **ours, **REACHES_OUT}


def test_only_a_run_of_fetching_imports_what_reaches_the_network() -> None:
    users = {
        str(path.relative_to(ROOT))
        for path in modules("linter") + modules("rules")
        if {"/".join(target[:2]) for target in imports(path)} & {"fetch/guard", "fetch/getting"}
    }
    assert users == {"linter/fetch/fetch_run.py", "linter/fetch/getting.py"}


def test_what_fetches_is_imported_only_when_asked_for() -> None:
    for path in modules("linter") + modules("rules"):
        at_once = [node for node in ast.parse(path.read_text("utf-8")).body if isinstance(node, ast.ImportFrom)]
        assert not any((node.module or "").split(".")[-1] == "fetch_run" for node in at_once), path


ASKED_FOR = ("kustomize_binary", "binary_builds", "git", "revision")
"""Modules and packages that start processes, or import those that do."""


def test_the_modules_that_start_processes_are_imported_only_when_asked_for() -> None:
    for path in modules("linter") + modules("rules"):
        if path.stem == "binary_builds" or path.parent.name in ("git", "revision"):  # imported in the same way
            continue
        at_once = [node for node in ast.parse(path.read_text("utf-8")).body if isinstance(node, ast.ImportFrom)]
        assert not any((node.module or "").split(".")[-1] in ASKED_FOR for node in at_once), path


SETS_LATER = {
    "linter/facts/regexes.py",  # a pattern that is compiled when it is first used
    "linter/kubernetes/resource.py",  # says that nothing can be set
    "linter/lint/rule.py",  # a Finding, while it is made
    "linter/yaml/compose.py",  # nodes of PyYAML, before anybody has seen them
}


def test_what_rules_share_is_never_changed() -> None:
    """Values between the rooms are frozen; one that is not is filled by the room that makes it."""
    for path in modules("linter") + modules("rules"):
        text = path.read_text("utf-8")
        if "setattr" in text:
            assert str(path.relative_to(ROOT)) in SETS_LATER
    for path in [*modules("linter/repo"), *modules("linter/change"), *modules("linter/kubernetes"), *modules("rules")]:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                made = [ast.unparse(one) for one in node.decorator_list if "dataclass" in ast.unparse(one)]
                assert all("frozen=True" in one for one in made), f"{node.name} in {path.relative_to(ROOT)}"


def test_no_module_is_called_after_nothing() -> None:
    named = {path.stem for path in modules("linter") + modules("rules") + modules("scripts")}
    assert not named & {"utils", "util", "helpers", "helper", "common", "misc"}


def test_nothing_is_imported_twice_under_another_name() -> None:
    assert not {"linter", "rules", "schemas"} & set(sys.modules)
