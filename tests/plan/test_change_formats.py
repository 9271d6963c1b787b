"""What a merge does, in every format: recorded, safe whatever the names, within limits, and without secrets.

`python -m pytest tests/plan/test_change_formats.py --update` records anew; the difference is to be read before it is committed.
"""

from __future__ import annotations

import json
import re
import struct
from dataclasses import replace
from pathlib import Path

import pytest
from browser import HOSTILE, Page, browse, find_chromium
from change_plans import PRUNES, SECRETS, application, changes, config_map, manifest, shop
from gitops_lint.linter.plan.changes import ChangeView, affected_apps
from gitops_lint.linter.plan.formats import change_markdown
from gitops_lint.linter.plan.formats.plan_formats import render_change
from gitops_lint.linter.report import ReportOptions, markdown
from gitops_lint.linter.report.change_table import affected_table
from mermaid_grammar import check_chart
from report_samples import result_of

GOLDEN = Path(__file__).parents[1] / "golden" / "merge"
FORMATS = {"text": "out.txt", "markdown": "out.md", "html": "out.html", "json": "out.json", "mermaid": "out.mmd"}
OPTIONS = ReportOptions(tool_version="1.0")


def rendered(view: ChangeView, name: str, *, ascii_only: bool = False, color: bool = False) -> str:
    return render_change(name, view, replace(OPTIONS, color=color), ".", ascii_only=ascii_only)


@pytest.mark.parametrize("name", FORMATS)
def test_the_shop_as_recorded(name: str, pytestconfig: pytest.Config) -> None:
    text, recorded = rendered(shop(), name), GOLDEN / FORMATS[name]
    if pytestconfig.getoption("--update"):
        recorded.parent.mkdir(parents=True, exist_ok=True)
        recorded.write_text(text, "utf-8")
    assert text == recorded.read_text("utf-8")


@pytest.mark.parametrize("name", FORMATS)
def test_no_format_shows_a_secret(name: str) -> None:
    text = rendered(shop(), name)
    assert not [secret for secret in SECRETS if secret in text]
    if name in ("text", "markdown", "html", "json"):
        assert "DB_PASSWORD" in text, "that it changes is told"


def test_the_summary_line() -> None:
    assert rendered(shop(), "text").splitlines()[-1] == (
        "5 Applications and 1 folder without one: 3 to create, 4 to change, 1 to take over, 3 to prune"
        " (1 PersistentVolumeClaim), 0 refused, 3 left as they are, 1 hook to run. 1 other Application stays as it is."
    )
    assert rendered(changes({}, {}), "text") == "Nothing to sync differs from main.\n"


def test_colours_when_asked_for() -> None:
    assert "\x1b" not in rendered(shop(), "text")
    assert "\x1b[32m  +\x1b[0m create" in rendered(shop(), "text", color=True)


def test_ascii_where_the_terminal_has_nothing_else() -> None:
    assert rendered(shop(), "text", ascii_only=True).isascii()


# -- hostile names


NAMES = (
    HOSTILE,
    "a|b`c``` @everyone #1 [x](https://evil.example) ![i](y) **b** www.evil.example",
    "::error::pwned ##[group]",
    '"]; click x "javascript:alert(1)"',
    "end",
    "```\n# heading",
)


@pytest.fixture(scope="module")
def hostile() -> ChangeView:
    """Names, kinds, keys, values and folders that somebody made up to be more than text."""
    files: dict[str, str] = {}
    after: dict[str, str] = {}
    for number, name in enumerate(NAMES):
        written = json.dumps(name)
        app = application(written, f"d{number}", namespace=written, policy=PRUNES)
        files[f"apps/{number}.yaml"] = app
        after[f"apps/{number}.yaml"] = app.replace("project: default", f"project: {written}")
        for side, text in ((files, "old "), (after, "new ")):
            body = f"data:\n  {written}: {json.dumps(text + name)}\n"
            side[f"d{number}/a.yaml"] = manifest("ConfigMap", written, body=body)
        after[f"d{number}/b.yaml"] = manifest(written, written, body="").replace("v1\n", "x/v1\n")
    files["::warning::x/a.yaml"] = config_map("a")
    after["::warning::x/a.yaml"] = config_map("a", "c")
    return changes(files, after)


def test_names_run_no_commands_in_a_workflow(hostile: ChangeView) -> None:
    for color in (False, True):
        lines = rendered(hostile, "text", color=color).splitlines()
        bare = [re.sub("\x1b\\[[0-9;]*m", "", line) for line in lines]
        assert not [line for line in bare if line.lstrip().startswith("::")]
        assert not [line for line in bare if "##[" in line or "\x1b" in line or "\u202e" in line]


def test_names_are_no_markup_in_markdown(hostile: ChangeView) -> None:
    page = rendered(hostile, "markdown")
    fenced = re.compile(r"^```(?:diff|mermaid)\n(.*?)^```$", re.M | re.S)
    for block in fenced.findall(page):
        assert not re.search(r"^\s*```", block, re.M), "no line of a block may end it"
    outside = fenced.sub("", page)
    assert set(re.findall(r"<[^>]*>", outside)) <= {"<details>", "<summary>", "<b>", "</b>", "</summary>", "</details>", "<code>", "</code>"}  # fmt: skip
    assert not re.search(r"[`@\[\]*]|https:|www\.", outside)
    rows = [line for line in outside.splitlines() if line.startswith("| ")]
    assert len(rows) == 1 + len(hostile.apps)
    assert all(row.count("|") == 9 for row in rows)
    assert page.count("<details>") == page.count("</details>") == len(hostile.apps)


def test_names_are_text_on_the_page(hostile: ChangeView) -> None:
    text = rendered(hostile, "html")
    page = Page(text)
    assert len(page.all("script")) == 1
    assert not page.values("src")
    assert any("<img src=x onerror=" in piece for piece in page.texts)
    assert "\u202e" not in text
    assert "\x1b" not in text
    ids = page.values("id")
    assert len(ids) == len(set(ids))
    assert {link["href"][1:] for link in page.all("a") if link["href"].startswith("#")} <= set(ids)


def test_names_cannot_break_a_chart(hostile: ChangeView) -> None:
    chart = rendered(hostile, "mermaid")
    check_chart(chart.replace("flowchart LR", "flowchart TB").replace("direction LR", "direction TB"))
    assert "<script" not in chart


def test_data_is_data(hostile: ChangeView) -> None:
    names = {one["name"] for app in json.loads(rendered(hostile, "json"))["apps"] for one in app["objects"]}
    assert HOSTILE in names


# -- limits


@pytest.fixture(scope="module")
def large() -> ChangeView:
    before: dict[str, str] = {}
    after: dict[str, str] = {}
    for number in range(300):
        before[f"apps/{number}.yaml"] = after[f"apps/{number}.yaml"] = application(f"app-{number}", f"d{number}")
        for side, value in ((before, "a"), (after, "b")):
            body = "data:\n" + "".join(f"  key{at}: {value * 100}\n" for at in range(60))
            side[f"d{number}/a.yaml"] = manifest("ConfigMap", "a", body=body)
    return changes(before, after)


def test_a_summary_stays_below_its_limit_and_says_what_is_left_out(large: ChangeView) -> None:
    page = rendered(large, "markdown")
    assert len(page.encode()) <= change_markdown.LARGEST <= 900 * 1024
    shown = page.count("<details>")
    assert 50 < shown < 300
    assert page.count("</details>") == shown
    assert page.endswith(f"\n{300 - shown} more apps are left out: a job summary holds 1 MiB.\n")
    assert "# " in page
    assert page.count("more fields") == shown


def test_a_chart_stays_small(large: ChangeView) -> None:
    chart = rendered(large, "mermaid")
    nodes = check_chart(chart.replace("flowchart LR", "flowchart TB").replace("direction LR", "direction TB"))
    assert len(chart) < 45_000
    assert 100 < len(nodes) < 500
    assert "more apps" in chart


def test_a_wave_of_many_objects_is_drawn_with_few() -> None:
    app = {"app.yaml": application("shop", "shop")}
    many = {f"shop/{number}.yaml": config_map(f"c{number}") for number in range(50)}
    chart = rendered(
        changes({**app, "shop/x.yaml": config_map("x")}, {**app, "shop/x.yaml": config_map("x"), **many}), "mermaid"
    )
    assert chart.count(":::create") == 8
    assert '"42 more"' in chart


# -- the table in the summary of a check


def test_a_check_begins_with_the_table() -> None:
    result = replace(result_of([]), affected=affected_apps(shop()))
    page = markdown.render(result, OPTIONS)
    assert "### What the next sync does\n\n| Application | Destination | Create |" in page
    assert "| shop | in-cluster/shop | 1 | 3 |  | 1 |  | yes |" in page
    assert "What the next sync does" not in markdown.render(result_of([]), OPTIONS)


def test_a_long_table_is_cut() -> None:
    (row,) = affected_apps(changes({}, {"a/a.yaml": config_map("a")}))
    assert affected_table([row] * 600).splitlines()[-2] == "| 100 more | | | | | | | |"
    assert affected_table([]) == ""


# -- the page


def test_the_page_lets_nothing_in_and_says_everything_without_a_script() -> None:
    text = rendered(shop(), "html")
    page = Page(text)
    (policy,) = [meta["content"] for meta in page.all("meta") if "http-equiv" in meta]
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy
    assert not page.values("style")
    assert not re.search(r"url\(|@import|fetch\(|XMLHttpRequest|innerHTML", text)
    said = " ".join(" ".join(page.texts).split())
    for words in ("Sync wave -1", "prune", "PersistentVolumeClaim data", "changed, not shown", "shop:1 → shop:2"):
        assert words in said, words
    actions = page.values("data-action")
    assert sorted(set(actions)) == ["change", "create", "move", "prune", "run", "stay"]


@pytest.fixture(scope="module")
def chromium() -> str:
    found = find_chromium()
    if found is None:
        pytest.skip("needs chromium, which is not installed here (Debian: apt-get install chromium)")
    return found


def test_the_filter_hides_what_is_not_wanted(chromium: str, tmp_path: Path) -> None:
    """The page itself is left as it is: a frame around it unticks a box, as somebody would."""
    text = rendered(shop(), "html")
    assert '<fieldset class="filters" hidden="">' in text
    dom = browse(chromium, tmp_path, text, "--dump-dom")
    assert '<fieldset class="filters">' in dom, "the script shows the boxes"
    assert dom.count("<script>") == 1
    # The policy lets no other script run, so that the one of the page is tried with a click of its own.
    click = "document.querySelector('.filters input[value=create]').click();"
    open_page = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", text).replace(
        "</script></body>", f"{click}</script></body>"
    )
    dom = browse(chromium, tmp_path, open_page, "--dump-dom")
    hidden = re.findall(r'class="object (\w+)" data-action="\w+" hidden=""', dom)
    assert hidden == ["create"] * 3
    assert len(re.findall(r'<div class="wave" hidden="">', dom)) >= 1, "a wave with nothing to show goes, too"


@pytest.mark.parametrize("size", ["1400,900", "400,800"])
def test_it_paints(chromium: str, tmp_path: Path, size: str) -> None:
    picture = tmp_path / "plan.png"
    browse(chromium, tmp_path, rendered(shop(), "html"), f"--screenshot={picture}", f"--window-size={size}")
    data = picture.read_bytes()
    assert data[:4] == b"\x89PNG"
    assert struct.unpack(">II", data[16:24])[0] >= 400
    assert len(data) > 20_000, "an empty page takes less"


STRANGE = ("? [a, b]\n  : c", f"n: {'9' * 6000}", "d: 2024-01-01", "b: !!binary aGVsbG8=", "s: !!set {a, b}", "f: .nan", "i: .inf", "e: 1e999", r's: "\ud800"', "0x10: 1", "null: 2", "x: &a [*a]", "y: " + "[" * 200 + "]" * 200)  # fmt: skip


@pytest.mark.parametrize("strange", STRANGE, ids=range(len(STRANGE)))
def test_whatever_yaml_can_hold_is_told(strange: str) -> None:
    before = {"a/a.yaml": manifest("ConfigMap", "a", body="data: {}\n")}
    view = changes(before, {"a/a.yaml": manifest("ConfigMap", "a", body=f"data:\n  {strange}\n")})
    for name in FORMATS:
        rendered(view, name).encode("utf-8", "backslashreplace")
    again = changes({"a/a.yaml": manifest("ConfigMap", "a", body=f"data:\n  {strange}\n")}, before)
    for name in FORMATS:
        rendered(again, name)
