"""Programs of others that read what we write: installed once into a cache, or the test is skipped and says why."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

TIMEOUT = 600


def python_package(requirement: str) -> Path:
    """A folder for PYTHONPATH."""
    return _or_skip(requirement)


def npm_package(requirement: str) -> Path:
    """A `node_modules` folder."""
    return _or_skip(requirement, "npm") / "node_modules"


def go_program(source: str, package: str) -> Path:
    """A program of one file, built with this version of the package that it imports."""
    return _or_skip(package, "go", source) / "program"


def node(script: str, modules: Path, *args: str, stdin: str = "") -> str:
    program = shutil.which("node")
    if program is None:
        pytest.skip("no node here")
    environment = {**os.environ, "NODE_PATH": str(modules)}
    done = subprocess.run(
        [program, "-e", script, *args], input=stdin, capture_output=True, text=True, env=environment, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def _or_skip(what: str, program: str = "", source: str = "") -> Path:
    found = _installed(what, program, source)
    if isinstance(found, str):
        pytest.skip(found)
    return found


@cache
def _installed(what: str, program: str, source: str) -> Path | str:
    """One attempt in a session: a machine without network should not wait for it in every test."""
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    name = "".join(char if char.isalnum() or char in "._-" else "_" for char in what)
    folder = (
        home / "gitops-lint-tests" / f"{name}{'-' + hashlib.sha256(source.encode()).hexdigest()[:8] if source else ''}"
    )
    if (folder / ".ready").exists():
        return folder
    path = shutil.which(program) if program else sys.executable
    if path is None:
        return f"no {program} here to install {what}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    pip = [path, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input", "--retries", "1"]
    commands = {
        "": [[*pip, "--target", str(folder), what]],
        "npm": [[path, "install", "--no-audit", "--no-fund", "--prefix", str(folder), what]],
        "go": [[path, "mod", "init", "consumer"], [path, "get", what], [path, "build", "-o", "program", "."]],
    }
    if source:
        (folder / "main.go").write_text(source, "utf-8")
    for command in commands[program]:
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, cwd=folder)
        except subprocess.TimeoutExpired:
            return f"{what} took too long to install"
        if done.returncode:
            return f"{what} cannot be installed: {(done.stderr.strip() or 'no reason given')[-200:]}"
    (folder / ".ready").touch()
    return folder
