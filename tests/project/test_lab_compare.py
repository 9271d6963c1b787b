"""What the comparison of the lab makes of what it sees (docs/lab.md). Needs no lab."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from lab.agreement import Compared
from lab.audit import Write
from lab.compare import _objects, _order, candidates
from lab.observing import CONTROLLER
from lab.predicted import TRACKING, identity

HEAD = {"apiVersion": "argoproj.io/v1alpha1", "kind": "Application"}


def _app(name: str, made_by: str | None = None) -> dict[str, Any]:
    return {"name": name, "path": "apps.yaml", "applicationSet": made_by, "sources": [{"path": "shop", "chart": ""}]}


def test_applications_of_files_and_of_sets_are_compared_where_a_name_means_one(tmp_path: Path) -> None:
    text = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: written}\n"
    (tmp_path / "apps.yaml").write_text(text)
    listed = [_app("written"), _app("made", "shops"), _app("open", "shops"), _app("twice"), _app("twice")]
    predicted: Any = SimpleNamespace(
        apps={"applications": listed},
        made_by_sets={"made": {**HEAD, "metadata": {"name": "made"}}},
        made_applications={},
    )
    assert [manifest["metadata"]["name"] for _, manifest in candidates(predicted, tmp_path)] == ["written", "made"]


def test_the_status_of_a_child_is_no_second_apply() -> None:
    def write(verb: str, kind: str, name: str) -> Write:
        return Write(CONTROLLER, verb, f"{kind}.argoproj.io", "argocd", name, 200, "", False, False)

    kinds = [
        SimpleNamespace(plural=plural, api_version=HEAD["apiVersion"], kind=kind)
        for plural, kind in (("applications", "Application"), ("appprojects", "AppProject"))
    ]
    child, project = write("create", "applications", "child"), write("create", "appprojects", "shop")
    tasks = [{"step": 1, "kind": "Application", "name": "child"}, {"step": 1, "kind": "AppProject", "name": "shop"}]
    for writes, agreed in (([child, project, write("patch", "applications", "child")], 1), ([project, child], 0)):
        lab: Any = SimpleNamespace(
            audit=SimpleNamespace(news=lambda seen=writes: seen), api=SimpleNamespace(kinds=lambda: kinds)
        )
        result = Compared("root")
        _order(lab, {"tasks": tasks}, result)
        assert (result.asked["order"], result.agreed["order"]) == (1, agreed)


def test_the_mark_of_argo_cd_is_no_field() -> None:
    said: dict[str, Any] = {"apiVersion": "v1", "kind": "Config"}
    made = {**said, "metadata": {"annotations": {TRACKING: "a:b"}}}
    result = Compared("notes")
    _objects(result, {identity(made): made}, {identity(said): said})
    assert (result.asked["generated"], result.differences) == (1, [])


def test_two_of_one_name_come_in_any_order_where_argo_cd_knows_neither_kind() -> None:
    kinds = [SimpleNamespace(plural=f"{kind.lower()}s", api_version="v1", kind=kind) for kind in ("Plan", "Run")]
    tasks = [{"step": 1, "kind": kind, "name": name} for kind, name in (("Run", "a"), ("Plan", "b"), ("Run", "b"))]
    writes = [
        Write(CONTROLLER, "create", kind, "n", name, 200, "", False, False)
        for kind, name in (("runs", "b"), ("runs", "a"), ("plans", "b"))
    ]
    lab: Any = SimpleNamespace(audit=SimpleNamespace(news=lambda: writes), api=SimpleNamespace(kinds=lambda: kinds))
    result = Compared("root")
    _order(lab, {"tasks": tasks}, result)
    assert result.asked["order"] == 0
