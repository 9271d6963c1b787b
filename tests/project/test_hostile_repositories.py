"""No input ends or holds a run: each hostile repository is told as what it is, and the rest is read."""

from __future__ import annotations

import resource
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from hostile_repositories import CONFIGS, CRASHERS, GOOD, SLOW, Hostile, put

COMMAND = Path(sys.executable).with_name("gitops-lint")
COMMANDS = (("check",), ("plan",), ("render",), ("apps",), ("check", "--fix", "--unsafe-fixes"))
SECONDS = 90
"""A tenth of it where nothing else runs."""
MEMORY = 1024**3


def run(root: Path, *words: str) -> subprocess.CompletedProcess[str]:
    def limit_memory() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))

    done = subprocess.run(
        [str(COMMAND), *words], cwd=root, capture_output=True, text=True, timeout=SECONDS, preexec_fn=limit_memory
    )
    assert "Traceback" not in done.stderr + done.stdout, done.stderr[-2_000:]
    assert "internal error" not in done.stdout
    assert done.returncode in (0, 1, 2), done.stderr[-500:]
    return done


def together(root: Path, hostile: Mapping[str, Hostile]) -> None:
    put(root, "good/good.yaml", GOOD)
    for name, one in hostile.items():
        (root / name).mkdir()
        one.make(root / name)


@pytest.fixture
def hostile_path(tmp_path: Path) -> Iterator[Path]:
    """A folder that is gone afterwards: pytest itself cannot remove what is nested so deeply."""
    yield tmp_path
    subprocess.run(["rm", "-rf", "--", str(tmp_path)], check=True)


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_nothing_ends_the_run(hostile_path: Path, words: tuple[str, ...]) -> None:
    together(hostile_path, CRASHERS)
    done = run(hostile_path, *words, ".")
    if words == ("check",):
        done = run(hostile_path, "check", ".", "--output-format", "concise")  # which names every place
        assert done.returncode == 1
        assert "good/good.yaml" in done.stdout
        everything = done.stdout + run(hostile_path, "check", ".", "--output-format", "json").stdout  # and every reason
        for name, one in CRASHERS.items():
            assert f"{name}/" in everything or not one.says, name
            assert one.says in everything, name


@pytest.mark.parametrize("name", SLOW)
def test_nothing_holds_the_run(tmp_path: Path, name: str) -> None:
    put(tmp_path, "good/good.yaml", GOOD)
    SLOW[name].make(tmp_path)
    done = run(tmp_path, "check", ".", "--output-format", "concise")
    assert SLOW[name].says in done.stdout
    assert "good/good.yaml" in done.stdout
    assert (done.returncode == 2) is not SLOW[name].complete


@pytest.mark.parametrize("name", CONFIGS)
def test_a_config_that_is_a_bomb_is_refused(tmp_path: Path, name: str) -> None:
    put(tmp_path, "good.yaml", GOOD)
    CONFIGS[name](tmp_path)
    done = run(tmp_path, "check", ".")
    assert done.returncode == 2
    assert "deep" in done.stderr


def test_standard_input_has_an_end(tmp_path: Path) -> None:
    with Path("/dev/zero").open() as endless:
        done = subprocess.run(
            [str(COMMAND), "-"], cwd=tmp_path, stdin=endless, capture_output=True, text=True, timeout=60
        )
    assert done.returncode == 2
    assert "standard input: more than 10 MB are not read" in done.stderr


def test_the_whole_run_has_a_time(tmp_path: Path) -> None:
    SLOW["matrix"].make(tmp_path)
    done = run(tmp_path, "check", ".", "--timeout", "0.05")
    assert done.returncode == 2
    assert "longer than 0.05 s (--timeout)" in done.stderr


def test_the_whole_run_has_a_memory(tmp_path: Path) -> None:
    put(tmp_path, "x.yaml", "\n".join(f"a{i}: {{b: c, d: e, f: g}}" for i in range(20_000)))
    done = run(tmp_path, "check", ".", "--max-memory", "40")
    assert done.returncode == 2
    assert "needs more than 40 MB (--max-memory)" in done.stderr + done.stdout
