"""The words that rules put into the API server's mouth, held against what it said (docs/lab.md). Needs no lab."""

from __future__ import annotations

from typing import Any

import pytest
from gitops_lint.linter.kubernetes.refused import refusals_of
from gitops_lint.linter.kubernetes.resource import Resource
from lab.refusing import answers, digest, objects

ANSWERS = answers()
ASKED = [pytest.param(one, ANSWERS[digest(one)], id=f"{page}-{one}") for page, one in objects() if digest(one) in ANSWERS]


@pytest.mark.parametrize(("resource", "answer"), ASKED)
def test_what_we_say_the_server_says(resource: Resource, answer: dict[str, Any]) -> None:
    causes = [tuple(cause) for cause in answer.get("causes", [])]
    for one in refusals_of(resource):
        assert "code" in answer, f"the server takes it, and we say: {one.path}: {one.says}"
        fits = [one.says in message for field, message in causes if field == one.path] if causes else []
        assert any(fits) or one.says in answer["says"], f"{one.path}: {one.says}\n{causes or answer['says']}"


def test_every_object_of_the_pages_was_asked() -> None:
    left = [f"{page}: {one}" for page, one in objects() if digest(one) not in ANSWERS]
    if left:
        pytest.skip(f"not asked yet (python -m lab refusals): {', '.join(left)}")
