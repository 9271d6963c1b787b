"""Go's regular expressions, with Go itself as the yardstick: its answers are recorded."""

from __future__ import annotations

import json
import re
from pathlib import Path
from time import monotonic

import pytest
from gitops_lint.linter.dialects.go_regexp import BadPattern, NotJudged, Regexp, finds

RECORDED = json.loads((Path(__file__).parents[1] / "data" / "go-regexp.json").read_text("utf-8"))["answers"]
"""Pattern, text, and where Go finds the whole and each group; null: nowhere; a text: why Go refuses the pattern."""


@pytest.mark.parametrize(("pattern", "text", "expected"), RECORDED, ids=[repr(one[0]) for one in RECORDED])
def test_go_answers_the_same(pattern: str, text: str, expected: list[int] | str | None) -> None:
    if isinstance(expected, str):
        with pytest.raises(BadPattern, match=re.escape(expected.split(":")[0])):
            Regexp(pattern)
        assert finds(pattern, text) is None
        return
    found = Regexp(pattern).search(text, 0)
    spans = found and [-1 if one is None else one for one in found]
    assert spans == expected
    assert finds(pattern, text) is (expected is not None)


@pytest.mark.parametrize("pattern", [r"\p{L}", r"[\P{Greek}]", "(" * 99 + ")" * 99, "a{999}" * 5, "a" * 30_000])
def test_what_is_not_known_is_not_judged(pattern: str) -> None:
    with pytest.raises(NotJudged):
        Regexp(pattern)
    assert finds(pattern, "a") is None


@pytest.mark.parametrize("pattern", ["^(a+)+$", "^(a|a)*$", "(a?){500}a{300}$", "a*" * 200 + "$x"])
def test_no_pattern_takes_for_ever(pattern: str) -> None:
    begun = monotonic()
    assert finds(pattern, "a" * 2_000 + "b") in (False, None)
    assert monotonic() - begun < 5


def test_a_name_that_two_groups_have_means_the_first_that_took_part() -> None:
    regexp = Regexp("(?P<n>a)|(?P<n>b)")
    slots = regexp.search("b", 0)
    assert slots is not None
    assert regexp.expanded("<${n}>", "b", slots) == "<b>"
