"""What an editor is told after edits is what a whole run says of the same texts."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest
from gitops_lint.linter.cli.options import Options
from gitops_lint.linter.cli.session_from_options import session_of
from gitops_lint.linter.lint.partial_run import OF_PARTS
from gitops_lint.linter.lint.result import Reported
from gitops_lint.linter.server.editor_state import EditorState

ROOT = Path(__file__).parents[2]


def state_of(root: Path) -> EditorState:
    return EditorState(root, lambda folder: session_of([folder], Options(helm="off", no_progress=True, quiet=True)))


def told(items: list[Reported]) -> list[tuple[object, ...]]:
    return sorted(
        (item.file.path, item.start, item.rule.code, str(item.severity), item.finding.message) for item in items
    )


def edited(text: str, dice: random.Random) -> str:
    """As people type: a line goes, comes twice, is commented out, or has a word less or another."""
    lines = text.split("\n")
    at = dice.randrange(len(lines))
    kind = dice.randrange(5)
    if kind == 0:
        del lines[at]
    elif kind == 1:
        lines.insert(at, lines[at])
    elif kind == 2:
        lines[at] = f"# {lines[at]}"
    elif kind == 3:
        lines[at] = lines[at].rpartition(" ")[0]
    else:
        lines[at] = lines[at].replace("shop", "ship").replace("PreSync", "PostSync").replace("1", "2")
    return "\n".join(lines)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("example", ["shop", "orders/branch"])
def test_after_any_edits_it_says_what_a_whole_run_says(example: str, seed: int, tmp_path: Path) -> None:
    repo = tmp_path / "repo"
    shutil.copytree(ROOT / "examples" / example, repo)
    (repo / ".git").mkdir()
    state, dice = state_of(repo), random.Random(seed)
    paths = sorted(path.relative_to(repo).as_posix() for path in repo.rglob("*.yaml"))
    for _ in range(8):
        path = dice.choice(paths)
        text = edited((repo / path).read_text(), dice)
        if text == (repo / path).read_text():
            continue
        state.typed(path, text)
        first = state.glance()
        state.look()
        (repo / path).write_text(text)
        whole = state_of(repo)
        assert told(list(state.linted.result.reported)) == told(list(whole.linted.result.reported))
        now = {one[:3] for one in told([item for item in whole.findings(path) if item.rule.scope in OF_PARTS])}
        assert first is not None
        quick = {one[:3] for one in told([item for item in first if item.file.path == path])}
        assert quick == now, "the first answer is the last one, as far as it goes"
