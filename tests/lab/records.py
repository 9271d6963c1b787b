"""What was seen of each rule, kept in `records/<rule>.json`: a run a pair of versions, the same each time."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from . import building
from .cases import Case
from .outcome import outcome

FOLDER = Path(__file__).parent / "records"
ANSWERS = Path(__file__).parent / "answers"
"""To the pages of questions, a file a page."""


def path_of(rule: str) -> Path:
    return FOLDER / f"{rule}.json"


def read(rule: str) -> list[dict[str, Any]]:
    """The runs of a rule, the newest Argo CD first; none for a rule that was never in the lab."""
    path = path_of(rule)
    return json.loads(path.read_text("utf-8"))["runs"] if path.exists() else []


def not_shown() -> dict[str, str]:
    """Rule → why there is nothing to see of it in a cluster."""
    found: dict[str, str] = json.loads((Path(__file__).parent / "cases" / "not-shown.json").read_text("utf-8"))
    return found


def retell() -> None:
    """Makes the words of all records anew, after what `outcome` says changed."""
    for rule in all_rules():
        runs = read(rule)
        for run in runs:
            for name in ("bad", "good"):
                if name in run:
                    run[name]["outcome"] = outcome(run[name]["seen"])
        text = json.dumps({"rule": rule, "runs": runs}, indent=1, ensure_ascii=False)
        path_of(rule).write_text(text + "\n", "utf-8")


def entry(case: Case, seen: dict[str, Any]) -> dict[str, Any]:
    return {"made of": case.digest, "outcome": outcome(seen), "seen": seen}


def write(rule: str, argocd: str, kubernetes: str, cases: dict[str, dict[str, Any]]) -> None:
    _write(path_of(rule), "rule", argocd, kubernetes, cases)


def write_answers(page: str, argocd: str, kubernetes: str, cases: dict[str, dict[str, Any]]) -> None:
    _write(ANSWERS / f"{page}.json", "page", argocd, kubernetes, cases)


def _write(path: Path, what: str, argocd: str, kubernetes: str, cases: dict[str, Any]) -> None:
    """Replaces what these versions said of these cases, leaves everything else."""
    versions = {
        "argocd": building.known()["argocd"][argocd]["version"].removeprefix("v"),
        "kubernetes": building.known()["kubernetes"][kubernetes]["version"].removeprefix("v"),
    }
    runs = json.loads(path.read_text("utf-8"))["runs"] if path.exists() else []
    others = [run for run in runs if {key: run[key] for key in versions} != versions]
    held = next((run for run in runs if {key: run[key] for key in versions} == versions), {})
    runs = sorted([*others, {**held, **versions, **cases}], key=_age, reverse=True)
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({what: path.stem, "runs": runs}, indent=1, ensure_ascii=False) + "\n", "utf-8")


def is_recorded(rule: str, argocd: str, kubernetes: str, case: Case) -> bool:
    """Whether this very text was seen with these versions already."""
    runs = (run for run in read(rule) if _is_of(run, argocd, kubernetes))
    return any(run.get(case.name.lower(), {}).get("made of") == case.digest for run in runs)


def is_answered(page: str, argocd: str, kubernetes: str, question: str) -> bool:
    path = ANSWERS / f"{page}.json"
    runs = json.loads(path.read_text("utf-8"))["runs"] if path.exists() else []
    return any(question in run for run in runs if _is_of(run, argocd, kubernetes))


def _is_of(run: dict[str, Any], argocd: str, kubernetes: str) -> bool:
    return (run["argocd"].rpartition(".")[0], run["kubernetes"].rpartition(".")[0]) == (argocd, kubernetes)


def _age(run: dict[str, Any]) -> list[list[int]]:
    return [[int(part) for part in run[key].split(".")] for key in ("argocd", "kubernetes")]


def all_rules() -> Iterator[str]:
    yield from sorted(path.stem for path in FOLDER.glob("*.json"))
