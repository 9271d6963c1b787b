"""What was seen of each rule, kept in `records/<rule>.json`: a run a pair of versions, the same each time."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from . import building
from .cases import Case
from .completing import digest
from .outcome import outcome

FOLDER = Path(__file__).parent / "records"


def path_of(rule: str) -> Path:
    return FOLDER / f"{rule}.json"


def read(rule: str) -> list[dict[str, Any]]:
    """The runs of a rule, the newest Argo CD first; none for a rule that was never in the lab."""
    path = path_of(rule)
    return json.loads(path.read_text("utf-8"))["runs"] if path.exists() else []


def entry(case: Case, seen: dict[str, Any]) -> dict[str, Any]:
    return {"made of": digest(case.files), "outcome": outcome(seen), "seen": seen}


def write(rule: str, argocd: str, kubernetes: str, cases: dict[str, dict[str, Any]]) -> None:
    """Replaces the run of these versions, leaves those of others."""
    versions = {
        "argocd": building.known()["argocd"][argocd]["version"].removeprefix("v"),
        "kubernetes": building.known()["kubernetes"][kubernetes]["version"].removeprefix("v"),
    }
    others = [run for run in read(rule) if {key: run[key] for key in versions} != versions]
    held = next((run for run in read(rule) if {key: run[key] for key in versions} == versions), {})
    runs = sorted([*others, {**held, **versions, **cases}], key=_age, reverse=True)
    FOLDER.mkdir(exist_ok=True)
    text = json.dumps({"rule": rule, "runs": runs}, indent=1, ensure_ascii=False)
    path_of(rule).write_text(text + "\n", "utf-8")


def is_recorded(rule: str, argocd: str, kubernetes: str, case: Case) -> bool:
    """Whether this very text was seen with these versions already."""
    wanted = argocd, kubernetes
    return any(
        (run["argocd"].rpartition(".")[0], run["kubernetes"].rpartition(".")[0]) == wanted
        and run.get(case.name.lower(), {}).get("made of") == digest(case.files)
        for run in read(rule)
    )


def _age(run: dict[str, Any]) -> list[list[int]]:
    return [[int(part) for part in run[key].split(".")] for key in ("argocd", "kubernetes")]


def all_rules() -> Iterator[str]:
    yield from sorted(path.stem for path in FOLDER.glob("*.json"))
