"""Every format of findings: equal results give equal reports, and nothing in them acts."""

from __future__ import annotations

import pytest
from gitops_lint.linter.report import renderer
from gitops_lint.linter.report.formats import FINDINGS as FORMATS
from report_samples import OPTIONS, hostile, result_of, sample


@pytest.mark.parametrize("name", FORMATS)
def test_equal_results_give_equal_reports(name: str) -> None:
    assert renderer(name)(sample(), OPTIONS) == renderer(name)(sample(), OPTIONS)


@pytest.mark.parametrize("name", FORMATS)
def test_hostile_text_gives_nothing_that_acts(name: str) -> None:
    text = renderer(name)(hostile(), OPTIONS)
    text.encode("utf-8")
    forbidden = ["\x1b", "\u202e", "\x07", "\x9b", "\r", "##[" if name in ("full", "concise") else "\x1b"]
    assert [char for char in forbidden if char in text] == []
    starts = [line.lstrip()[:2] for line in text.splitlines()]
    assert name == "github" or "::" not in starts


@pytest.mark.parametrize("name", FORMATS)
def test_a_clean_result_renders(name: str) -> None:
    assert renderer(name)(result_of([]), OPTIONS) is not None


def test_an_unknown_format_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        renderer("yaml")
