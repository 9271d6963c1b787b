"""The order of a sync, against 200 orders that Argo CD's own engine gave."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from gitops_lint.linter.argocd.sync_order import PHASES, make_plan
from gitops_lint.linter.kubernetes.resource import Resource, resources_in
from gitops_lint.linter.yaml.source import SourceFile

CASES = json.loads(gzip.decompress((Path(__file__).parents[1] / "data" / "plan-cases.json.gz").read_bytes()))


def resource(value: dict[str, Any]) -> Resource:
    return resources_in(SourceFile("a.json", json.dumps(value, ensure_ascii=False)).documents[0].root)[0]


@pytest.mark.parametrize("number", range(len(CASES)))
def test_the_order_is_argo_cds(number: int) -> None:
    case = CASES[number]
    plan = make_plan([resource(value) for value in case["objects"]], case["namespace"])
    got = [
        [
            PHASES[task.slot.phase], task.slot.wave, item.group, item.kind, item.namespace or case["namespace"],
            item.name or item.generate_name, item.is_hook,
            list(item.hook.effective_delete_policies) if item.is_hook else [],
        ]
        for task in plan.tasks
        for item in [task.resource]
    ]  # fmt: skip
    assert sorted(map(str, got)) == sorted(map(str, case["tasks"]))
    varying = set(case.get("unstable") or ())
    for at, (mine, theirs) in enumerate(zip(got, case["tasks"], strict=True)):
        assert mine == theirs or at in varying, at
    assert plan.is_multi_step == case["multiStep"]
