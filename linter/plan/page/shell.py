"""What all pages have in common: one file that needs nothing but itself, and lets nothing else in."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from importlib.resources import files

from ...report.report_options import TOOL, ReportOptions
from .markup import Html, tag


def page(
    title: str, intro: str, frame: Sequence[Html], options: ReportOptions, styles: Sequence[str], script: str
) -> str:
    """The styles and the script are names of files beside this one."""
    style, code = "".join(map(_part, styles)), _part(script)
    head = tag(
        "head",
        {},
        Html('<meta charset="utf-8">'),
        Html(f'<meta http-equiv="Content-Security-Policy" content="{_policy(style, code)}">'),
        Html('<meta name="viewport" content="width=device-width, initial-scale=1">'),
        Html('<meta name="referrer" content="no-referrer">'),
        tag("title", {}, title),
        Html(f"<style>{style}</style>"),
    )
    body = tag(
        "body",
        {},
        tag("a", {"class": "skip", "href": "#plan"}, "Skip to the content"),
        tag("header", {}, tag("h1", {}, title), tag("p", {}, intro)),
        tag("div", {"class": "frame"}, *frame),
        tag("footer", {}, tag("p", {}, f"{TOOL} {options.tool_version}")),
        Html(f"<script>{code}</script>"),
    )
    return f'<!doctype html>\n<html lang="en">{head}{body}</html>\n'


@cache
def _part(name: str) -> str:
    return (files("gitops_lint.linter.plan.page") / name).read_text("utf-8")


def _policy(style: str, script: str) -> str:
    """Nothing may load, and nothing may run but these two texts."""
    return (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; base-uri 'none'; form-action 'none'"
    )


def _hash(code: str) -> str:
    return f"'sha256-{b64encode(sha256(code.encode()).digest()).decode()}'"
