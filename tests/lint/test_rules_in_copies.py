"""However many processes look, what is said is the same, and who does not come back is done without."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from threading import Thread

import pytest
from gitops_lint.linter.programs import copies

ROOT = Path(__file__).parents[2]
SCRIPT = """
import json, os, sys
from gitops_lint.linter.cli import main as command
from gitops_lint.linter.lint import rules_in_copies
from gitops_lint.linter.programs import copies, watch
rules_in_copies.WORTH_IT = 0
own, asked, told = os.getpid(), sys.argv.pop(1), sys.argv.pop(1)
before = rules_in_copies.shared_out
def counted(*given, **more):
    found = before(*given, **more)
    with open(told, "a") as file:
        file.write(json.dumps([len(one) for one in found]) + "\\n")
    return found
rules_in_copies.shared_out = counted
if asked == "dies":
    look = rules_in_copies._Sharing._look
    def short_lived(self, number):
        if os.getpid() != own and len(self._mine) > 2:
            os._exit(1)
        look(self, number)
    rules_in_copies._Sharing._look = short_lived
if asked == "says nothing of places":
    def mute(self, found):
        raise rules_in_copies.CannotBeTold
    rules_in_copies.Tellers.heard = mute
if asked == "takes memory":
    watch._share_of_each = lambda copies: 2**40 if os.getpid() == own else 1
    watch.TICK = 0.001
command.main()
"""


def run(tree: Path, told: Path, asked: str, *words: str) -> tuple[int, bytes, list[list[int]]]:
    """The exit code, what was said, and how much each copy told, for each time that copies were made."""
    told.unlink(missing_ok=True)
    check = ["check", str(tree), "--isolated", "--no-cache", "--helm", "off", "--output-format", "json", *words]
    done = subprocess.run([sys.executable, "-c", SCRIPT, asked, str(told), *check], capture_output=True, check=False)
    assert not done.stderr or b"internal error" not in done.stderr, done.stderr
    shares = [json.loads(line) for line in told.read_text().splitlines()] if told.exists() else []
    return done.returncode, done.stdout, shares


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    sys.path.insert(0, str(ROOT / "scripts"))
    from bench import generate, generate_overlays

    root = tmp_path_factory.mktemp("generated")
    generate(root / "apps", 40)
    generate_overlays(root)
    (root / "twice.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  name: b\ndata: {a: 1}\n")
    return root


@pytest.fixture(params=["generated", "examples/shop", "examples/orders"])
def tree(request: pytest.FixtureRequest) -> Path:
    if request.param == "generated":
        found: Path = request.getfixturevalue("generated")
        return found
    return ROOT / request.param


def test_the_same_is_said_byte_for_byte(tree: Path, tmp_path: Path) -> None:
    code, said, shares = run(tree, tmp_path / "told", "", "--jobs", "1")
    assert shares == []
    assert json.loads(said)["findings"]
    for jobs in ("2", "5"):
        again = run(tree, tmp_path / "told", "", "--jobs", jobs)
        assert again[:2] == (code, said)
        assert [len(one) for one in again[2]] == [int(jobs) - 1]
        assert any(map(sum, again[2]))


@pytest.mark.parametrize("asked", ["dies", "says nothing of places", "takes memory"])
def test_a_copy_that_fails_is_done_without(generated: Path, tmp_path: Path, asked: str) -> None:
    code, said, _ = run(generated, tmp_path / "told", "", "--jobs", "1")
    again = run(generated, tmp_path / "told", asked, "--jobs", "3")
    assert again[:2] == (code, said)
    assert again[2], "no copy was made"


def test_copies_fit_into_the_memory_of_the_run(generated: Path, tmp_path: Path) -> None:
    """Two that each may grow to what the run has now would be too many."""
    assert run(generated, tmp_path / "told", "", "--jobs", "4", "--max-memory", "200")[2] == []
    assert run(generated, tmp_path / "told", "", "--jobs", "4", "--max-memory", "0")[2] != []


def shared(tasks: Sequence[int], number: int, failing: int = -1) -> tuple[list[int], list[bytes]]:
    own: list[int] = []

    def do(task: int) -> None:
        if task == failing:
            raise ValueError
        own.append(task)

    return own, copies.shared_out(tasks, number, do, lambda: json.dumps(own).encode())


SHARED = """
import json, sys
sys.path.insert(0, sys.argv[1])
from test_rules_in_copies import shared
print(json.dumps([*map(str, shared(range(1000), 3))]))
"""


def test_each_task_is_done_once(tmp_path: Path) -> None:
    """In a process of its own: one that tests run in may have threads."""
    done = subprocess.run(
        [sys.executable, "-c", SHARED, str(Path(__file__).parent)], capture_output=True, check=True, text=True
    )
    own, told = (eval(one) for one in json.loads(done.stdout))
    assert len(told) == 3
    assert sorted([*own, *(task for one in told for task in json.loads(one))]) == list(range(1000))


def test_a_process_with_threads_is_not_copied() -> None:
    found: list[bool] = []
    thread = Thread(target=lambda: found.append(copies.can_copy()))
    thread.start()
    thread.join()
    assert found == [False]
