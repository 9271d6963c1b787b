"""Selectors of labels mean the same, whoever writes them and in whichever form."""

from __future__ import annotations

import pytest
from gitops_lint.linter.dialects.generator_selectors import BadSelector, selects
from gitops_lint.linter.dialects.label_selectors import all_met, expressed, parse
from gitops_lint.linter.kubernetes.references.selectors import LabelSelector
from gitops_lint.linter.yaml.source import SourceFile

LABELS = {"app": "web", "tier": "front"}
SELECTORS = [
    ("app in (web, api)", ("app", "In", ["web", "api"]), True),
    ("app notin (web)", ("app", "NotIn", ["web"]), False),
    ("legacy notin (yes)", ("legacy", "NotIn", ["yes"]), True),
    ("tier", ("tier", "Exists", []), True),
    ("!tier", ("tier", "DoesNotExist", []), False),
]


@pytest.mark.parametrize(("text", "fields", "expected"), SELECTORS, ids=[one[0] for one in SELECTORS])
def test_a_text_and_fields_select_alike(text: str, fields: tuple[str, str, list[str]], expected: bool) -> None:
    key, operator, values = fields
    requirement = expressed(key, operator, values)
    assert requirement is not None
    assert all_met(parse(text), LABELS) is expected
    assert requirement.matches(LABELS) is expected
    generator = {"matchExpressions": [{"key": key, "operator": operator, "values": list(values)}]}
    assert selects(generator, dict(LABELS)) is expected
    written = f"matchExpressions: [{{key: {key}, operator: {operator}, values: {values}}}]"
    node = SourceFile("a.yaml", written).documents[0].root
    assert LabelSelector.read(node, is_plain=False).matches(LABELS) is expected


def test_an_operator_that_is_none_selects_nothing() -> None:
    """The API server refuses the object; it is no other spelling of DoesNotExist."""
    node = SourceFile("a.yaml", "matchExpressions: [{key: legacy, operator: exists}]").documents[0].root
    assert not LabelSelector.read(node, is_plain=False).matches(LABELS)
    with pytest.raises(BadSelector, match="not a valid label selector operator"):
        selects({"matchExpressions": [{"key": "legacy", "operator": "exists"}]}, {})
