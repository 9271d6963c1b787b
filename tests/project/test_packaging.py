"""The wheel holds what the tree holds, and works where the tree is not."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import venv
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from checkout import BROKEN, BROKEN_LINE, clean_environment, copy_to, need_package_index

PACKAGED = ("linter", "rules", "schemas")
HEAVY = {"jsonpatch", "jsonschema", "rich", "ruamel.yaml"}
"""Imported by those who use them; `--version` uses none."""


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_to(tmp_path_factory.mktemp("source"))


@pytest.fixture(scope="module")
def wheel(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built through the source distribution, so that this one is complete as well."""
    need_package_index()
    built = tmp_path_factory.mktemp("dist")
    _run([sys.executable, "-m", "build", "--outdir", str(built), str(source)], built)
    (found,) = built.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the executables of a fresh environment."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=True)
    _run([str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", str(wheel)], folder)
    return folder / "bin"


def test_the_wheel_holds_the_packages_and_nothing_else(source: Path, wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    (metadata,) = {name.partition("/")[0] for name in names if ".dist-info/" in name}
    packed = {name for name in names if not name.startswith(f"{metadata}/")}
    expected = {f"gitops_lint/{name}" for name in (*files_of(source, *PACKAGED), "__main__.py")}
    assert sorted(packed - expected) == []
    assert sorted(expected - packed) == [], "pyproject.toml must name the package, or the kind of data"


def test_the_wheel_carries_its_licence(wheel: Path) -> None:
    names = {Path(name).name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/licenses/" in name}
    assert names == {"LICENSE", "NOTICE"}


def test_the_command_runs_from_the_wheel(installed: Path, tmp_path: Path) -> None:
    place = _offline([str(installed / "python"), "-c", "import gitops_lint.linter as it; print(it.__file__)"], tmp_path)
    assert Path(place.stdout.strip()).is_relative_to(installed.parent)
    version = _offline([str(installed / "gitops-lint"), "--version"], tmp_path)
    assert (version.returncode, version.stderr) == (0, "")
    assert version.stdout == f"gitops-lint {_version_of(installed, tmp_path)}\n"


def test_every_rule_of_the_tree_is_in_the_manual(source: Path, installed: Path, tmp_path: Path) -> None:
    manual = _offline([str(installed / "gitops-lint"), "rule", "--all"], tmp_path)
    assert manual.returncode == 0, manual.stderr
    rules = {Path(name).stem.replace("_", "-") for name in files_of(source, "rules") if "__init__" not in name}
    assert [rule for rule in sorted(rules) if rule not in manual.stdout] == []


def test_a_repository_is_linted_without_a_network(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "migrate.yaml").write_text(BROKEN, "utf-8")
    (tmp_path / ".gitops-lint.yaml").write_text('argocd-version: "3.3"\n', "utf-8")
    outputs = ["--output-format", "json", "--output-format", "sarif", "-o", "out.sarif"]
    linted = _offline([str(installed / "gitops-lint"), *outputs, "."], tmp_path)
    assert (linted.returncode, linted.stderr) == (1, "")
    found = json.loads(linted.stdout)["findings"]
    assert ("GL102", "migrate.yaml", BROKEN_LINE) in {
        (finding["code"], finding["path"], finding["range"]["start"]["line"]) for finding in found
    }
    assert json.loads((tmp_path / "out.sarif").read_text("utf-8"))["version"] == "2.1.0"


def test_asking_for_the_version_loads_nothing_heavy(installed: Path, tmp_path: Path) -> None:
    probe = (
        "import sys; from gitops_lint.linter.cli.main import cli;"
        "cli(['--version'], standalone_mode=False); print(*sys.modules, sep='\\n')"
    )
    loaded = _offline([str(installed / "python"), "-c", probe], tmp_path).stdout.splitlines()
    assert "gitops_lint.linter.cli.main" in loaded
    assert not HEAVY & set(loaded)


def files_of(source: Path, *folders: str) -> list[str]:
    found = [path for folder in folders for path in (source / folder).rglob("*") if path.is_file()]
    return [path.relative_to(source).as_posix() for path in found]


def _version_of(installed: Path, folder: Path) -> str:
    asked = "import importlib.metadata as m; print(m.version('gitops-lint'))"
    return _offline([str(installed / "python"), "-c", asked], folder).stdout.strip()


def _run(command: Sequence[str], folder: Path) -> None:
    done = subprocess.run(command, cwd=folder, env=clean_environment(), capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def _offline(command: Sequence[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """In a network namespace with nothing in it where the kernel allows that; else behind a dead proxy."""
    nowhere = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"), "http://127.0.0.1:9")
    return subprocess.run(
        [*_without_network(), *command],
        cwd=folder, env=clean_environment() | nowhere, capture_output=True, text=True,
    )  # fmt: skip


def _without_network() -> list[str]:
    unshare = shutil.which("unshare")
    if unshare is None:
        return []
    prefix = [unshare, "--net"] if os.geteuid() == 0 else [unshare, "--net", "--map-root-user"]
    return prefix if subprocess.run([*prefix, "true"], capture_output=True).returncode == 0 else []
