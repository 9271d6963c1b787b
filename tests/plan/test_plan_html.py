"""The page of the plan: complete and safe as a document, and at work in a browser."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import shutil
import struct
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from browser import HOSTILE, TIMING, Driven, Page, browse, find_chromium, find_driver

ROOT = Path(__file__).parents[2]
COMMAND = Path(sys.executable).with_name("gitops-lint")


def plan(cwd: Path, *args: str) -> str:
    done = subprocess.run(
        [str(COMMAND), "plan", *args, "--output-format", "html"],
        cwd=cwd, capture_output=True, env={"PATH": "/usr/bin:/bin", "HOME": str(cwd)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A repository of its own: in ours there are others of its name, for tests."""
    folder = tmp_path_factory.mktemp("shop") / "repo"
    shutil.copytree(ROOT / "examples" / "shop", folder)
    (folder / ".git").mkdir()
    return plan(folder, ".")


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Everything that a stranger can put into a repository, as bad as it gets."""
    folder = tmp_path_factory.mktemp("hostile")
    (folder / ".git").mkdir()
    evil = json.dumps(HOSTILE)
    path = "javascript:alert(1)<b> #?%.yaml"
    (folder / path).write_text(
        f"apiVersion: batch/v1\nkind: {evil}\nmetadata:\n  name: {evil}\n  namespace: {evil}\n---\n"
        f"apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: {evil}\n  annotations:\n"
        f"    argocd.argoproj.io/hook: {evil}\n---\n"
        f"apiVersion: v1\nkind: Pod\nmetadata: {{name: {evil}}}\n"
        f"spec: {{containers: [{{name: a, envFrom: [{{secretRef: {{name: {evil}}}}}]}}]}}\n---\n"
        f"apiVersion: v1\nkind: Secret\nmetadata: {{name: {evil}, annotations: {{argocd.argoproj.io/sync-wave: '5'}}}}\n",
        "utf-8",
    )
    return plan(folder, ".")


# -- the document


@pytest.fixture(params=["shop", "hostile"])
def text(request: pytest.FixtureRequest) -> str:
    page: str = request.getfixturevalue(request.param)
    return page


def test_nothing_is_loaded_and_nothing_else_runs(text: str) -> None:
    page = Page(text)
    assert not {tag for tag, _ in page.elements} & {"img", "link", "iframe", "object", "embed", "base", "form", "video"}
    assert not page.values("src")
    assert not page.values("style")
    assert not [key for _, attributes in page.elements for key in attributes if key.startswith("on")]
    assert not re.search(r"url\(|@import|fetch\(|XMLHttpRequest|innerHTML", text.replace("url(#", ""))


def test_the_policy_allows_these_two_texts_only(text: str) -> None:
    (policy,) = [meta["content"] for meta in Page(text).all("meta") if "http-equiv" in meta]
    for tag in ("style", "script"):
        (content,) = re.findall(f"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy


def test_text_from_files_is_text(hostile: str) -> None:
    page = Page(hostile)
    assert len(page.all("script")) == 1
    assert any("<img src=x onerror=" in piece for piece in page.texts)
    assert "\u202e" not in hostile
    assert "\x1b" not in hostile


def test_links_lead_to_files_or_into_the_page(text: str) -> None:
    page = Page(text)
    ids = page.values("id")
    assert len(ids) == len(set(ids))
    for link in page.all("a"):
        address = urlsplit(link["href"])
        assert (address.scheme, address.netloc) == ("", "")
        if address.path:
            assert address.path.startswith(("./", "../"))
            assert re.fullmatch(r"L\d+", address.fragment)
        else:
            assert address.fragment in ids
    for needs in page.values("data-needs"):
        assert {word.rstrip("!") for word in needs.split()} <= set(ids)


def test_links_are_seen_from_the_folder_of_the_page(tmp_path: Path) -> None:
    (tmp_path / "repo" / ".git").mkdir(parents=True)
    (tmp_path / "repo" / "a b.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n")
    plan(tmp_path / "repo", ".", "-o", str(tmp_path / "plan.html"))
    links = {link["href"] for link in Page((tmp_path / "plan.html").read_text("utf-8")).all("a")}
    (address,) = {link for link in links if not link.startswith("#")}
    path = unquote(urlsplit(address).path)
    assert (tmp_path / path).is_file()


def test_a_screen_reader_finds_its_way(shop: str) -> None:
    page = Page(shop)
    tags = [tag for tag, _ in page.elements]
    assert page.all("html")[0]["lang"] == "en"
    assert [tags.count(tag) for tag in ("header", "nav", "main", "h1")] == [1, 1, 1, 1]
    assert page.all("a")[0] == {"class": "skip", "href": "#plan"}
    assert page.all("main")[0]["id"] == "plan"
    levels = [int(tag[1]) for tag in tags if re.fullmatch(r"h[1-6]", tag)]
    assert all(after <= before + 1 for before, after in pairwise(levels))
    ids = set(page.values("id"))
    assert set(page.values("aria-labelledby")) <= ids
    cards = [card for card in page.all("details") if card["class"] == "card"]
    assert len(cards) == 9, "every object is a disclosure, so that a keyboard reaches it"


def test_it_says_everything_without_a_script(shop: str) -> None:
    said = " ".join(" ".join(Page(shop).texts).split())
    for words in (
        "PreSync before anything else", "Step 1 wave 0", "Waits for Job migrate-* until it completes no time limit",
        "Argo CD cannot generate the manifests", "GL102 hook-without-deadline", "shop/migrate.yaml:8",
        "To do: Set activeDeadlineSeconds longer than the slowest run you expect (--fix --unsafe-fixes: set a deadline of ten minutes).",
        "To do: Set the delete policy HookSucceeded (--fix --unsafe-fixes applies it).", "To do: Put it in quotes (--fix applies it).", "Not applied by this sync Job smoke-test",
        "Needs ConfigMap 'shop' (envFrom)", "Needed by",
    ):  # fmt: skip
        assert words in said, words


def test_severity_is_a_word_not_a_colour(shop: str) -> None:
    marks = re.findall(r'<span class="mark (\w+)"><span aria-hidden="true" class="sign">.</span>(.*?)</span>', shop)
    assert marks
    assert all(severity in words for severity, words in marks)


def test_long_runs_are_folded(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    objects = [f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c{number}}}\n" for number in range(30)]
    (tmp_path / "a.yaml").write_text("---\n".join(objects))
    page = Page(plan(tmp_path, "."))
    assert [card for card in page.all("details") if card["class"] == "folded"]
    assert len([card for card in page.all("details") if card["class"] == "card"]) == 30


def application(name: str, path: str, extra: str = "") -> str:
    return (
        f"apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: {name}, namespace: argocd{extra}}}\n"
        f"spec:\n  project: default\n  source: {{repoURL: 'https://example.org/r.git', path: {path}, targetRevision: HEAD}}\n"
        "  destination: {server: 'https://kubernetes.default.svc', namespace: a}\n"
    )


JOB = "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: migrate\n  annotations: {argocd.argoproj.io/hook: PreSync}\nspec: {template: {}}\n"
SECRET = "apiVersion: v1\nkind: Secret\nmetadata: {name: db}\nstringData: {password: correct-horse}\n"


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Thirty Applications of a root, the last one with a fault, and a folder that nobody syncs."""
    folder = tmp_path_factory.mktemp("many")
    for name in (".git", "apps", "loose"):
        (folder / name).mkdir()
    (folder / "root.yaml").write_text(application("root", "apps"))
    for number in range(30):
        (folder / "apps" / f"{number}.yaml").write_text(application(f"app-{number}", f"src/{number}"))
        (folder / "src" / str(number)).mkdir(parents=True)
        (folder / "src" / str(number) / "a.yaml").write_text(SECRET if number < 29 else f"{SECRET}---\n{JOB}")
    (folder / "loose" / "a.yaml").write_text(JOB)
    return folder


def test_it_opens_on_an_overview_with_the_worst_first(many: Path) -> None:
    text = plan(many, ".")
    main = text[text.index("<main") :]
    table = main[main.index("<table>") : main.index("</table>")]
    assert re.findall(r'<th scope="row"><a href="#(\w+)">', table)[0] == "app_app_29"
    said = " ".join(" ".join(Page(text).texts).split())
    assert "Applications (31)" in said
    assert "Who creates whom, in the order of the syncs root wave 0: app-0" in said
    assert "1 folder that no known Application syncs" in said
    assert 'href="#folder_top"' in text
    assert "loose" not in said, "no Application uses it, so that it is not judged"


def test_applications_of_one_name_are_told_apart(tmp_path: Path) -> None:
    for cluster in ("east", "west"):
        (tmp_path / cluster).mkdir()
        (tmp_path / f"{cluster}.yaml").write_text(application("root", cluster))
        (tmp_path / cluster / "web.yaml").write_text(application("web", "web"))
    (tmp_path / "web").mkdir()
    (tmp_path / "web" / "a.yaml").write_text(SECRET)
    (tmp_path / ".git").mkdir()
    text = plan(tmp_path, ".")
    listed = text[text.index("<nav") : text.index("</nav>")]
    told = re.findall(r'<span class="name">(\w+)</span>.*?<small>(.*?)</small>', listed)
    created = "created by root, {} (directory)"
    assert sorted(told) == [
        ("root", "east (directory)"),
        ("root", "west (directory)"),
        ("web", created.format("east")),
        ("web", created.format("west")),
    ]
    table = text[text.index("<table>") : text.index("</table>")]
    assert f"web (directory) → in-cluster/a, {created.format('east')}</small>" in table


@pytest.mark.parametrize(
    ("remote", "named"),
    [
        ("git@github.com:example/shop.git", "example/shop: "),
        ("https://u:p@git.example.com:8443/a/b/shop", "b/shop: "),
        ("/srv/clones/shop", ""),
        ("../shop", ""),
    ],
)
def test_the_title_names_the_repository(tmp_path: Path, remote: str, named: str) -> None:
    """By its address, which is the same in every clone: never by a folder of the machine."""
    subprocess.run(["git", "init", "--quiet", str(tmp_path)], check=True)
    subprocess.run(["git", "remote", "add", "origin", remote], cwd=tmp_path, check=True)
    (tmp_path / "app.yaml").write_text(application("web", "web"))
    (title,) = re.findall("<title>(.*?)</title>", plan(tmp_path, "."))
    assert title.startswith(f"{named}1 Application" if named else "1 Application: ")


def test_folders_that_are_not_judged_have_no_plan(tmp_path: Path) -> None:
    """As many as the first lines of every report tell of."""
    for name in ("web", "shop", "old"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.yaml").write_text(SECRET.replace("db", name))
    (tmp_path / ".git").mkdir()
    for name in ("web", "shop"):
        (tmp_path / f"{name}.yaml").write_text(application(name, name))
    (tmp_path / "web" / "kustomization.yaml").write_text("resources: [a.yaml]\n")
    (tmp_path / "web" / "b.yaml").write_text(SECRET.replace("db", "b"))
    text = plan(tmp_path, ".")
    numbers = re.findall(r"(\d+) folders? that no (?:known )?Application syncs", text)
    assert len(set(numbers)) == 1
    assert len(numbers) == 2


def test_check_writes_the_same_page(many: Path) -> None:
    done = subprocess.run(
        [str(COMMAND), "check", ".", "--output-format", "html"],
        cwd=many, capture_output=True, text=True, env={"PATH": "/usr/bin:/bin", "HOME": str(many)},
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stdout == plan(many, ".")
    assert "<h1>31 Applications: 1 error, 3 warnings, " in done.stdout


def test_no_value_of_a_secret_is_in_it(many: Path) -> None:
    assert "correct-horse" not in plan(many, ".")


def test_links_last(many: Path, tmp_path: Path) -> None:
    """Another app and another object change no address of the others."""
    copy = tmp_path / "many"
    shutil.copytree(many, copy)
    before = ids_of(plan(copy, "."))
    (copy / "apps" / "aaa.yaml").write_text(application("aaa", "src/aaa"))
    (copy / "src" / "aaa").mkdir()
    (copy / "src" / "aaa" / "a.yaml").write_text(SECRET)
    (copy / "src" / "29" / "0.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n")
    after = ids_of(plan(copy, "."))
    assert "app_app_29-job-migrate" in before
    assert before <= after


def ids_of(text: str) -> set[str]:
    """Also those in the parts that are laid out later; a cause has its fingerprint."""
    return {one for one in re.findall(r' id="([^"]+)"', text) if not one.startswith("cause-note")}


# -- in a browser


@pytest.fixture(scope="module")
def chromium() -> str:
    found = find_chromium()
    if found is None and os.environ.get("CI") and os.geteuid() == 0 and shutil.which("apt-get"):
        subprocess.run("apt-get update && apt-get install -y chromium", shell=True, capture_output=True, timeout=600)
        found = find_chromium()
    if found is None:
        pytest.skip("needs chromium, which is not installed here (Debian: apt-get install chromium)")
    return found


@pytest.fixture(scope="module")
def driven(chromium: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Driven]:
    driver = find_driver()
    if driver is None:
        pytest.skip("needs chromedriver, which is not installed here (Debian: apt-get install chromium-driver)")
    with Driven(driver, chromium, tmp_path_factory.mktemp("driven") / "profile") as browser:
        yield browser


@pytest.fixture(scope="module")
def many_page(many: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    page = tmp_path_factory.mktemp("page") / "plan.html"
    page.write_text(plan(many, "."), "utf-8")
    return page.as_uri()


def card_ids(dom: str) -> Iterator[str]:
    yield from re.findall(r'<details class="card" id="([^"]+)"', dom)


def test_the_script_draws_the_arrows_and_shows_one_app(chromium: str, shop: str, tmp_path: Path) -> None:
    dom = browse(chromium, tmp_path, shop, "--dump-dom", "--window-size=1400,900", at="#app_shop")
    arrows = re.findall(
        r'<path d="M[^"]+" class="(\w+)" marker-end="url\(#app_shop-head-\w+\)" data-ends="([^"]+)"', dom
    )
    ids = set(card_ids(dom))
    assert sorted(kind for kind, _ in arrows) == ["late", "late", "plain"]
    assert all(set(ends.split()) <= ids for _, ends in arrows)
    assert len(re.findall(r'<section class="(?:app|view)"[^>]* hidden=""', dom)) == 3
    assert len(re.findall(r'<a href="#app_shop" aria-current="true"', dom)) == 1


def test_an_address_opens_the_object_that_it_names(chromium: str, shop: str, tmp_path: Path) -> None:
    page = Page(shop)
    target = page.values("data-needs")[0].split()[0].rstrip("!")
    dom = browse(chromium, tmp_path, shop, "--dump-dom", at=f"#{target}")
    assert re.search(rf'<details class="card[^"]*" id="{target}"[^>]* open=""', dom)
    assert (
        'aria-current="true"'
        in browse(chromium, tmp_path, shop, "--dump-dom", at="#findings").split('href="#findings"')[1][:40]
    )


def test_a_hostile_page_runs_nothing(chromium: str, hostile: str, tmp_path: Path) -> None:
    dom = browse(chromium, tmp_path, hostile, "--dump-dom")
    assert dom.count("<script>") == 1
    assert "<img" not in dom


@pytest.mark.parametrize("size", ["1400,900", "400,800"])
def test_it_paints(chromium: str, shop: str, tmp_path: Path, size: str) -> None:
    picture = tmp_path / "plan.png"
    browse(chromium, tmp_path, shop, f"--screenshot={picture}", f"--window-size={size}")
    data = picture.read_bytes()
    assert data[:4] == b"\x89PNG"
    assert struct.unpack(">II", data[16:24])[0] >= 400
    assert len(data) > 20_000, "an empty page takes less"


def test_an_app_is_laid_out_when_somebody_looks_at_it(chromium: str, many: Path, tmp_path: Path) -> None:
    text = plan(many, ".")
    start = browse(chromium, tmp_path, text, "--dump-dom")
    assert '<details class="card"' not in start.replace('<script type="text/plain">', "<!--").split("<!--")[0]
    dom = browse(chromium, tmp_path, text, "--dump-dom", at="#app_app_29-job-migrate")
    assert re.search(r'<details class="card[^"]*" id="app_app_29-job-migrate"[^>]* open=""', dom)
    assert re.search(r'<a href="#app_app_29" aria-current="true"', dom)


def test_findings_can_be_filtered(chromium: str, many: Path, tmp_path: Path) -> None:
    text = plan(many, ".")
    cause = re.findall(r'<li id="(cause-warning-[0-9a-f]+)"', text)[0]
    dom = browse(chromium, tmp_path, text, "--dump-dom", at=f"#{cause}")
    bar = dom[dom.index('class="filter"') :]
    bar = bar[: bar.index('role="status"')]
    assert re.findall(r"<label>(\w+)", bar) == ["Severity", "Rule", "Application", "When"]
    assert re.search(r'<option value="GL102 hook-without-deadline">GL102 hook-without-deadline \(1\)', bar)
    assert f'id="{cause}"' in dom.split('class="filter"')[1]


def test_seven_hundred_applications_open_at_once(driven: Driven, tmp_path: Path) -> None:
    """By the clock of the page itself: how long until all of it is there, without the start of the browser."""
    repo = tmp_path / "repo"
    (repo / ".git").mkdir(parents=True)
    (repo / "apps").mkdir()
    for number in range(700):
        (repo / "apps" / f"{number}.yaml").write_text(application(f"app-{number}", f"src/{number}"))
        (repo / "src" / str(number)).mkdir(parents=True)
        (repo / "src" / str(number) / "a.yaml").write_text(f"{SECRET}---\n{JOB}")
    (tmp_path / "plan.html").write_text(plan(repo, "."), "utf-8")
    driven.open((tmp_path / "plan.html").as_uri())
    timing = driven.run(TIMING)
    print(timing)
    assert timing["paint"] < 2_000
    assert timing["complete"] < 2_000
    assert timing["elements"] < 15_000, "what nobody looks at is not laid out"


def test_what_is_laid_out_later_is_all_there(driven: Driven, many: Path, many_page: str) -> None:
    """Every part of it, in its order: the page of few apps has the same without a script."""
    driven.open(f"{many_page}#app_app_29")
    later = driven.run("return document.querySelector('#app_app_29').innerHTML")
    written = re.search(
        r'<section class="app" id="app_app_29".*?<script type="text/plain">(.*?)</script>', plan(many, ".")
    )
    assert written is not None
    tags = r"<(?:h\d|dl|ol|ul|p|details)[ >]"
    without_arrows = re.sub(r"<svg.*?</svg>", "", later)
    assert re.findall(tags, without_arrows) == ["<h2 ", *re.findall(tags, written[1])]
    driven.open(f"{many_page}?again#overview")
    before = driven.run("return document.querySelectorAll('#overview tbody tr').length")
    folds = "document.querySelectorAll('#overview details').forEach((one) => { one.open = true; });"
    driven.run(folds)
    after = driven.run("return document.querySelectorAll('#overview tbody tr').length")
    assert (before, after) == (25, 32), "31 Applications and a folder"


def test_from_the_overview_to_a_cause_and_its_fix(driven: Driven, many_page: str) -> None:
    driven.open(many_page)
    assert driven.run(
        "return Array.from(document.querySelectorAll('main > section:not([hidden])'), (one) => one.id)"
    ) == ["overview"]
    driven.run(
        "Array.from(document.querySelectorAll('#overview .causes a')).find((one) => "
        "one.textContent.includes('activeDeadlineSeconds')).click()"
    )
    shown = driven.run(
        "const cause = document.querySelector('.asked'); const fix = cause.querySelector('.fix');"
        "return [cause.closest('section').hidden, fix.open, fix.querySelector('.added').textContent.trim()]"
    )
    assert shown == [False, True, "+spec: {template: {}, activeDeadlineSeconds: 600}"]
    driven.run("Array.from(document.querySelectorAll('.asked a')).find((one) => one.hash.startsWith('#app')).click()")
    assert driven.run("return document.querySelector('main > .app:not([hidden]) h2').firstChild.data") == "app-29"


TAB, ENTER, SPACE = "\ue004", "\ue007", " "


def test_keys_are_enough(driven: Driven, many_page: str) -> None:
    """Past the list with one key, to the first cause, into it, and to its fix."""
    driven.open(f"{many_page}?keys")
    focus = "const at = document.activeElement; return [at.tagName, at.textContent.trim().slice(0, 40)]"
    driven.press(TAB)
    assert driven.run(focus) == ["A", "Skip to the content"]
    driven.press(ENTER)
    for _ in range(20):
        driven.press(TAB)
        if driven.run("return document.activeElement.closest('.causes') !== null"):
            break
    headline = driven.run(focus)[1]
    driven.press(ENTER)
    assert driven.run("return document.querySelector('.asked').querySelector('b').textContent").startswith(headline)
    assert driven.run("return document.activeElement.closest('.asked') !== null"), "one goes on from there"
    assert driven.run("return getComputedStyle(document.activeElement).outlineStyle") == "solid"


def test_what_a_screen_reader_gets(driven: Driven, many_page: str) -> None:
    driven.open(f"{many_page}?heard")
    heard = driven.heard()
    roles = [role for role, _ in heard]
    assert [roles.count(role) for role in ("banner", "navigation", "main", "contentinfo")] == [1, 1, 1, 1]
    for one in (
        ("heading", "Overview"), ("heading", "What weighs most"), ("heading", "Applications (31)"),
        ("link", "app-29 1 error 3 warnings 3 notes"), ("columnheader", "Can hang"), ("rowheader", "app-29"),
        ("region", "31 Applications, the worst first"), ("searchbox", "Filter apps by name"),
    ):  # fmt: skip
        assert any(role == one[0] and " ".join(name.split()).startswith(one[1]) for role, name in heard), one
    nameless = [
        role for role, name in heard if role in ("link", "button", "combobox", "searchbox", "region") and not name
    ]
    assert nameless == []
