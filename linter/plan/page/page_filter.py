"""All findings on one view; the script adds the choice of severity, rule, Application and moment."""

from __future__ import annotations

from ...dialects.phrases import counted
from ...lint.result import Result
from .markup import Html, later, tag
from .page_findings import Shown, cause


def findings_view(result: Result, shown: Shown, *, lazy: bool) -> Html:
    listed = tag("ol", {"class": "findings"}, *(cause(group, shown) for group in result.groups))
    body = listed if result.groups else tag("p", {}, "Nothing was found.")
    return tag(
        "section",
        {"class": "view", "id": "findings", "aria-labelledby": "findings-title"},
        tag("h2", {"id": "findings-title"}, counted(len(result.groups), "finding")),
        later(body) if lazy else body,
    )
