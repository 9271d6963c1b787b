"""Charts that mean harm, renders that are kept, and two revisions of a chart."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from chart_repositories import (
    app_named,
    application,
    chart,
    command,
    config_map,
    counted,
    linted,
    names_in,
    places,
    values_of,
    write,
)
from git_repository import Checkout
from real_tools import helm as helm4
from real_tools import helm3

# -- hostile


@pytest.fixture(params=["Helm 3", "Helm 4"])
def helm(request: pytest.FixtureRequest) -> Path:
    return helm3() if request.param == "Helm 3" else helm4()


GOOD = {"templates/good.yaml": config_map("good")}
HOSTILE = {
    "endless recursion": {"templates/a.yaml": '{{ define "x" }}{{ include "x" . }}{{ end }}{{ include "x" . }}'},
    "a huge output": {"templates/a.yaml": '{{ range until 1000000 }}a: {{ repeat 1000 "x" }}\n{{ end }}'},
    "a name that is a path": {"Chart.yaml": "apiVersion: v2\nname: ../../../x\nversion: 0.1.0\n"},
    "a name that is a list": {"Chart.yaml": "apiVersion: v2\nname: [a]\nversion: 0.1.0\n"},
    "no mapping": {"Chart.yaml": "- a\n- b\n"},
    "no YAML": {"Chart.yaml": "{{ a\n"},
    "nothing at all": {"Chart.yaml": ""},
    "dependencies that are a text": {"Chart.yaml": "apiVersion: v2\nname: c\nversion: 0.1.0\ndependencies: soon\n"},
    "a dependency on itself": {
        "Chart.yaml": (
            "apiVersion: v2\nname: c\nversion: 0.1.0\ndependencies:\n"
            "  - {name: c, version: 0.1.0, repository: 'file://.'}\n"
        )
    },
    "a dependency outside": {
        "Chart.yaml": (
            "apiVersion: v2\nname: c\nversion: 0.1.0\ndependencies:\n"
            "  - {name: etc, version: 0.1.0, repository: 'file:///etc'}\n"
            "  - {name: up, version: 0.1.0, repository: 'file://../../..'}\n"
        )
    },
    "values that are a list": {"values.yaml": "- a\n"},
    "values that are no YAML": {"values.yaml": "a: [\n"},
    "a schema that is none": {"values.schema.json": "[]"},
    "actions that do not end": {"templates/a.yaml": "a: {{ .Values.x\n" * 50},
    "a template of nul bytes": {"templates/a.yaml": "\0" * 100 + "{{ .Values.x }}"},
}

REFUSED = {
    "endless recursion": "nested reference name",
    "a huge output": "needed more memory than it may have",
    "a name that is a path": "is invalid",
    "a name that is a list": "cannot load Chart.yaml",
    "no mapping": "cannot load Chart.yaml",
    "no YAML": "cannot load Chart.yaml",
    "nothing at all": "chart.metadata",
    "dependencies that are a text": "cannot load Chart.yaml",
    "values that are a list": "cannot load values.yaml",
    "values that are no YAML": "cannot load values.yaml",
    "a schema that is none": "",
    "actions that do not end": "c/templates/a.yaml:",
    "a template of nul bytes": "c/templates/a.yaml",
}
"""What Helm says of them; the others it renders."""


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_chart_harms_nobody(helm: Path, tmp_path: Path, name: str) -> None:
    write(tmp_path, {**chart("c", {**GOOD, **HOSTILE[name]}), **chart("d", GOOD), "app.yaml": application("d", "d")})
    start = time.monotonic()
    run = linted(tmp_path, helm)
    assert time.monotonic() - start < 60
    assert not run.result.crashed
    assert names_in(app_named(run.repo, "d")) == ["good"]
    (build,) = [build for build in run.repo.charts.builds if build.folder == "c"]
    words = [refusal.message for refusal in build.refusals]
    assert build.is_rendered == (not words) == (name not in REFUSED)
    assert all(REFUSED[name] in word and len(word) < 1100 for word in words)
    assert not list(tmp_path.parent.glob("x*"))


def test_links_that_lead_out_are_not_followed(helm: Path, tmp_path: Path) -> None:
    write(tmp_path, {"outside/secret.yaml": config_map("hush-{{ .Release.Name }}", "data: {word: hush}\n")})
    get = 'data:\n  a: {{ .Files.Get "../../outside/secret.yaml" | quote }}\n  b: {{ .Files.Get "link" | quote }}\n'
    files = {"templates/a.yaml": config_map("a", get)}
    root = write(tmp_path / "repo", {**chart("c", files), **chart("v", GOOD), ".git/config": ""})
    for link in ("c/templates/b.yaml", "c/link", "c/templates/_b.tpl", "v/values.yaml"):
        (root / link).symlink_to(tmp_path / "outside/secret.yaml")
    (root / "c/charts").symlink_to(tmp_path / "outside")
    run = linted(root, helm)
    printed = [value for app in run.repo.apps for value in values_of(app)]
    assert "hush" not in repr(printed)
    assert {"a": "", "b": ""} in [value.get("data") for value in printed]
    render = command(root, "render", "c", "--helm", str(helm))
    assert "hush" not in render.stdout + render.stderr


@pytest.mark.parametrize(
    "name", ["ä b.yaml", "a,b.yaml", "a'b\".yaml", "-x.yaml", "a$(id).yaml", "a;b.yaml", "a\\b.yaml"]
)
def test_odd_names_of_templates(tmp_path: Path, name: str) -> None:
    wave = config_map("{{ .Release.Name }}", "  annotations:\n    argocd.argoproj.io/sync-wave: soon\n")
    write(tmp_path, chart("c", {f"templates/{name}": wave}))
    assert places(linted(tmp_path, helm4(), "sync-wave-not-integer")) == [f"c/templates/{name}:6:35"]


@pytest.mark.parametrize("folder", ["a b", "a,b", "-a", "$HOME", "a'b", "ä"])
def test_odd_names_of_folders(tmp_path: Path, folder: str) -> None:
    own = {"Chart.yaml": "apiVersion: v2\nname: c\nversion: 0.1.0\n", "values.yaml": "x: 1\n", **GOOD}
    write(tmp_path, {f"{folder}/{path}": text for path, text in own.items()})
    (build,) = linted(tmp_path, helm4()).repo.charts.builds
    assert (build.folder, build.is_rendered) == (folder, True)
    assert [resource.name for resource in build.resources] == ["good"]


def test_a_value_file_of_ten_megabytes(tmp_path: Path) -> None:
    big = "".join(f"key{number}: {'x' * 1000}\n" for number in range(10_000))
    write(
        tmp_path, {**chart("c", GOOD), "c/big.yaml": big, "a.yaml": application("a", "c", {"valueFiles": ["big.yaml"]})}
    )
    start = time.process_time()
    run = linted(tmp_path, helm4())
    assert time.process_time() - start < 15
    app = app_named(run.repo, "a")
    assert names_in(app) == ["good"]
    assert not run.result.crashed


# -- the cache


def test_a_second_run_starts_no_helm(tmp_path: Path) -> None:
    wave = config_map("{{ .Release.Name }}", "  annotations:\n    argocd.argoproj.io/sync-wave: {{ .Values.wave }}\n")
    files = {"values.yaml": "wave: soon\n", "templates/a.yaml": wave, "templates/_h.tpl": ""}
    root = write(tmp_path / "repo", {**chart("c", files), **chart("d", GOOD), ".git/config": ""})
    program, log = counted(helm4(), tmp_path)
    words = ("check", "--isolated", "--fail-on", "note", "--output-format", "concise", "--helm", str(program))

    def calls(*more: str) -> tuple[int, str]:
        log.write_text("")
        done = command(root, *words, *more)
        assert done.returncode == 1, done.stderr
        return len(log.read_text().splitlines()), done.stdout

    first, said = calls()
    assert first == 3  # both charts, and the one with a finding with marks
    assert "c/templates/a.yaml:6:35" in said
    assert calls() == (0, said)
    assert calls("--no-cache") == (3, said)
    assert calls() == (0, said)
    assert calls("--cache-dir", str(tmp_path / "other")) == (3, said)
    assert calls("--cache-dir", str(tmp_path / "other")) == (0, said)
    write(root, {"c/values.yaml": "wave: later\n"})
    anew, changed = calls()
    assert anew == 2
    assert changed != said
    write(root, {"c/templates/a.yaml": f"# one line more\n{wave}"})
    anew, changed = calls()
    assert anew == 2
    assert "c/templates/a.yaml:7:35" in changed
    write(root, {"c/templates/_h.tpl": '{{ define "x" }}{{ end }}'})
    assert calls()[0] == 2
    write(root, {"d/README.md": "only words\n"})
    assert calls()[1] == changed


# -- two revisions


CHANGING = {
    **chart(
        "c",
        {
            "values.yaml": "name: web\n",
            "templates/a.yaml": config_map("{{ .Values.name }}", "data: {a: b}\n"),
            "templates/b.yaml": config_map("other"),
        },
        "dependencies:\n  - {name: lib, version: 0.1.0, repository: 'file://../lib'}\n",
    ),
    **chart("lib", {"templates/l.yaml": config_map("lent")}),
    "app.yaml": application("shop", "c", syncPolicy={"automated": {"prune": True}}),
}
CHANGES: dict[str, tuple[dict[str, str | None], set[str], set[str]]] = {
    "a template": ({"c/templates/b.yaml": config_map("renamed")}, {"other"}, {"renamed"}),
    "a template that is gone": ({"c/templates/b.yaml": None}, {"other"}, set()),
    "values": ({"c/values.yaml": "name: store\n"}, {"web"}, {"store"}),
    "a chart that is borrowed": ({"lib/templates/l.yaml": config_map("given")}, {"lent"}, {"given"}),
    "the Application": (
        {"app.yaml": application("shop", "c", {"values": "name: mine"}, syncPolicy={"automated": {"prune": True}})},
        {"web"},
        {"mine"},
    ),
    "something else": ({"readme.yaml": "a: 1\n"}, set(), set()),
}


@pytest.mark.parametrize("name", CHANGES)
def test_both_revisions_are_rendered(tmp_path: Path, name: str) -> None:
    changed, gone, new = CHANGES[name]
    checkout = Checkout(tmp_path / "repo")
    checkout.commit(CHANGING)
    checkout.commit(changed)
    run = linted(checkout.root, helm4(), diff_base="HEAD~1")
    assert run.change is not None
    before = {resource.name for resource in app_named(run.change.base, "shop").resources}
    after = {resource.name for resource in app_named(run.change.head, "shop").resources}
    assert (before - after, after - before) == (gone, new)
    assert before | after == {"web", "other", "lent"} | new


def test_rules_on_changes_see_rendered_objects(tmp_path: Path) -> None:
    stateful = (
        "apiVersion: apps/v1\nkind: StatefulSet\nmetadata:\n  name: db\nspec:\n  serviceName: {{ .Values.service }}\n"
        "  selector:\n    matchLabels: {app: db}\n  template:\n    metadata:\n      labels: {app: db}\n"
        "    spec:\n      containers:\n        - {name: db, image: db}\n"
    )
    files = chart("c", {"values.yaml": "# for all\nservice: one\n", "templates/db.yaml": stateful})
    checkout = Checkout(tmp_path / "repo")
    checkout.commit({**files, "app.yaml": application("shop", "c")})
    checkout.commit({"c/values.yaml": "# for all\nservice: two\n"})
    run = linted(checkout.root, helm4(), "statefulset-immutable-changed", diff_base="HEAD~1")
    (item,) = run.result.reported
    assert item.finding.at.file.path == "c/templates/db.yaml"
    assert item.finding.at.file.position(item.finding.at.span.start).line == 6
    done = command(checkout.root, "check", "--isolated", "--helm", str(helm4()), "--diff-base", "HEAD~1", "--new-only")
    assert "statefulset-immutable-changed" in done.stdout
    assert "c/values.yaml:2" in done.stdout


def test_what_is_the_same_in_both_revisions_is_rendered_once(tmp_path: Path) -> None:
    checkout = Checkout(tmp_path / "repo")
    checkout.commit({**CHANGING, **chart("same", GOOD)})
    checkout.commit({"c/values.yaml": "name: store\n"})
    program, log = counted(helm4(), tmp_path)
    run = linted(checkout.root, program, "resource-renamed", diff_base="HEAD~1")
    assert run.change is not None
    calls = [line.split()[1] for line in log.read_text().splitlines()]
    assert calls.count("./same") == 1
    assert calls.count("./c") >= 2


def test_the_index_is_rendered_not_the_disk(tmp_path: Path) -> None:
    checkout = Checkout(tmp_path / "repo")
    checkout.commit(CHANGING)
    write(checkout.root, {"c/values.yaml": "name: staged\n"})
    checkout.git("add", "-A")
    write(checkout.root, {"c/values.yaml": "name: later\n"})
    run = linted(checkout.root, helm4(), staged=True)
    assert "staged" in names_in(app_named(run.repo, "shop"))


def test_nothing_is_left_behind(tmp_path: Path) -> None:
    root = write(tmp_path / "repo", {**chart("c", GOOD), ".git/config": ""})
    before = sorted(str(path) for path in root.rglob("*"))
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    os.environ["TMPDIR"], old = str(scratch), os.environ.get("TMPDIR")
    try:
        linted(root, helm4())
    finally:
        if old is None:
            del os.environ["TMPDIR"]
        else:
            os.environ["TMPDIR"] = old
    assert sorted(str(path) for path in root.rglob("*")) == before
    assert list(scratch.iterdir()) == []
