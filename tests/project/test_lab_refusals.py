"""The words that rules put into the API server's mouth, held against what it said (docs/lab.md). Needs no lab."""

from __future__ import annotations

from typing import Any

import pytest
from gitops_lint.linter.kubernetes.refused import refusals_of
from gitops_lint.linter.kubernetes.refused.refused import Refused
from gitops_lint.linter.kubernetes.resource import Resource
from lab.refusing import answers, digest, objects

ANSWERS = answers()
OBJECTS = list(objects())
ASKED = [
    pytest.param(page, one, ANSWERS[digest(one)], id=f"{page}: {one}")
    for page, one in OBJECTS
    if ANSWERS.get(digest(one), {}).get("served", digest(one) in ANSWERS)
]
UNREADABLE = 400
"""What cannot be read as its kind is not looked at any further: other faults of it are not told."""
STOPS = ".pathType"
"""Without it the server does not look at the rest of the path of an Ingress."""


@pytest.mark.parametrize(("page", "resource", "answer"), ASKED)
def test_what_we_say_the_server_says(page: str, resource: Resource, answer: dict[str, Any]) -> None:
    said = list(refusals_of(resource))
    hidden = tuple(one.path.removesuffix(STOPS) for one in said if one.path.endswith(STOPS))
    if answer.get("code") != UNREADABLE:
        for one in said:
            if hidden and one.path.startswith(hidden) and not one.path.endswith(STOPS):
                continue
            assert _is_said(one, answer), f"{one.path}: {one.says}\n{answer.get('says', 'it is taken')}"
    if page.startswith(("required ", "choices ")):
        assert said, "a row of the table that no check reads"


def _is_said(one: Refused, answer: dict[str, Any]) -> bool:
    return any(field == one.path and one.says in message for field, message in answer.get("causes", []))


@pytest.mark.parametrize(("page", "resource", "answer"), ASKED)
def test_what_is_taken_is_said_to_be_fine(page: str, resource: Resource, answer: dict[str, Any]) -> None:
    """And what cannot even be read is never said to be fine by this family alone."""
    assert "code" in answer or not list(refusals_of(resource))
    assert page != "whole" or "code" not in answer


def test_every_object_of_the_pages_was_asked() -> None:
    left = [f"{page}: {one}" for page, one in OBJECTS if digest(one) not in ANSWERS]
    if left:
        pytest.skip(f"not asked yet (python -m lab refusals): {', '.join(left)}")
