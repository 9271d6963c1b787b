"""Every number of linter/facts/limits.py is met by something here: a test `test_<name>_…`, or one that is named below.

The numbers are made small, so that a moment is enough to meet them.
"""

from __future__ import annotations

import ast
import io
import json
import os
import stat
import subprocess
import sys
import tarfile
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from gitops_lint.linter.cli.main import cli
from gitops_lint.linter.dialects import cel_syntax
from gitops_lint.linter.dialects.cel import NotJudged, compile_cel
from gitops_lint.linter.facts import limits
from gitops_lint.linter.fetch.content_store import Store
from gitops_lint.linter.fetch.fetch_run import Fetching
from gitops_lint.linter.fetch.getting import Got
from gitops_lint.linter.fetch.guard import Guard
from gitops_lint.linter.fetch.lock_file import BadLock, Locked, read_lock, written_lock
from gitops_lint.linter.fetch.packed import BadArchive, unpacked
from gitops_lint.linter.fetch.permission import Permission
from gitops_lint.linter.fetch.shelf_choice import ShelfChoice
from gitops_lint.linter.fetch.wanted import Wanted, file_wanted
from gitops_lint.linter.files import discover
from gitops_lint.linter.helm.run import real_helm
from gitops_lint.linter.kubernetes.validation import violations
from gitops_lint.linter.kustomize import accumulated, builder, kustomize_errors
from gitops_lint.linter.lint import load_revisions
from gitops_lint.linter.programs import watch
from gitops_lint.linter.repo import ownership
from gitops_lint.linter.yaml import compose, nesting
from gitops_lint.linter.yaml.source import SourceFile

ROOT = Path(__file__).parents[2]
COMMAND = Path(sys.executable).with_name("gitops-lint")
ELSEWHERE = {
    "FETCH_SECONDS": ("tests/fetch/test_guard.py", "test_a_server_that_is_never_done_and_never_silent_is_left"),
    "HELM_ADDRESSES": ("tests/fetch/test_guard.py", "test_an_index_that_helm_cannot_hold_ends_it"),
    "GIT_ADDRESSES": ("tests/fetch/test_guard.py", "test_an_answer_that_unpacks_to_much_in_git_ends_it"),
    "FETCHED_FILE_BYTES": ("tests/fetch/test_guard.py", "test_a_server_that_never_ends_is_left"),
    "RULE_SECONDS": ("tests/project/test_limits.py", "test_a_rule_that_takes_too_long_is_named_and_the_others_run"),
}
"""Limits whose test stands with others of its kind."""
MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
WAVE = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: w\n  annotations: {argocd.argoproj.io/sync-wave: one}\n"


def test_every_limit_has_a_test() -> None:
    names = [node.target.id for node in _body(ROOT / "linter/facts/limits.py") if isinstance(node, ast.AnnAssign)]  # type: ignore[union-attr]
    here = _functions(Path(__file__))
    for name in names:
        if name in ELSEWHERE:
            path, test = ELSEWHERE[name]
            assert test in _functions(ROOT / path), name
            assert f'"{name}"' in (ROOT / path).read_text("utf-8"), name
        else:
            assert any(f"{one}_".startswith(f"test_{name.lower()}_") for one in here), name
    assert set(ELSEWHERE) <= set(names)


def _body(path: Path) -> list[ast.stmt]:
    return ast.parse(path.read_text("utf-8")).body


def _functions(path: Path) -> set[str]:
    return {node.name for node in _body(path) if isinstance(node, ast.FunctionDef)}


def check(root: Path, *words: str) -> dict[str, Any]:
    done = CliRunner().invoke(cli, ["check", str(root), "--output-format", "json", "--isolated", "--no-cache", *words])
    report: dict[str, Any] = json.loads(done.stdout)
    assert (done.exit_code == 2) == (not report["summary"]["complete"])
    return report


def unseen(report: dict[str, Any]) -> list[str]:
    return [f"{one['reason']} {one.get('detail', '')}".strip() for one in report["notAnalysed"]]


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


# -- the whole run


def _default(option: str) -> object:
    return next(one.default for one in cli.commands["check"].params if one.name == option)


def test_timeout_ends_the_run(tmp_path: Path) -> None:
    assert _default("timeout") == limits.TIMEOUT
    write(tmp_path, {f"{number}.yaml": WAVE for number in range(300)})
    done = subprocess.run([COMMAND, "check", ".", "--timeout", "0.01"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 2
    assert "longer than 0.01 s (--timeout)" in done.stderr


def test_max_memory_ends_the_run(tmp_path: Path) -> None:
    assert _default("max_memory") == limits.MAX_MEMORY
    write(tmp_path, {"a.yaml": "\n".join(f"a{i}: {{b: c, d: e, f: g}}" for i in range(20_000))})
    done = subprocess.run([COMMAND, "check", ".", "--max-memory", "40"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 2
    assert "needs more than 40 MB (--max-memory)" in done.stderr + done.stdout


def test_reading_share_is_what_files_may_take(monkeypatch: pytest.MonkeyPatch) -> None:
    watch.begin(seconds=0, megabytes=100_000)
    try:
        monkeypatch.setattr(watch, "resident", lambda: 1024**4)
        assert f"more than {100_000 * limits.READING_SHARE:.0f} MB" in watch.reading_has_its_share()
    finally:
        watch.finish()


def test_max_text_leaves_out_the_files_after_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(discover, "MAX_TEXT", 10)
    report = check(write(tmp_path, {"a.yaml": WAVE, "b.yaml": WAVE}))
    assert [Path(one["path"]).name for one in report["findings"]] == ["a.yaml"]
    assert unseen(report)[0].startswith("more files than a run reads 1 file is not read")


def test_grace_is_what_a_run_has_to_report(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "GRACE", 0.4)
    watch.begin(seconds=0.1, megabytes=0)
    try:
        for _ in range(2):
            with pytest.raises(watch.RunOver):
                endless()
    finally:
        watch.finish()


def test_reading_grace_is_what_is_left_for_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    files = [SourceFile(f"{number}.yaml", MAP) for number in range(3)]
    monkeypatch.setattr(load_revisions, "READING_GRACE", -1.0)
    load_revisions._parse_some(files)
    assert [file.is_parsed for file in files] == [True, False, False]


# -- one piece of work


def endless(*_: object) -> None:
    while True:
        pass


OVERLAYS = {f"{name}/kustomization.yaml": "resources: [a.yaml]\n" for name in "kl"} | {
    f"{name}/a.yaml": MAP for name in "kl"
}


def test_build_seconds_end_one_build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "BUILD_SECONDS", 0.2)
    monkeypatch.setattr(builder.Builder, "build", endless)
    report = check(write(tmp_path, {**OVERLAYS, "plain/w.yaml": WAVE}))
    assert [one["code"] for one in report["findings"]] == ["GL203"]
    assert unseen(report) == ["a build that took longer than 1 s"] * 2


def test_builds_seconds_leave_the_next_one_a_moment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "BUILD_SECONDS", 2.0)
    monkeypatch.setattr(limits, "BUILDS_SECONDS", 2.0)
    monkeypatch.setattr(builder.Builder, "build", endless)
    report = check(write(tmp_path, OVERLAYS))
    assert sorted(unseen(report)) == ["a build that took longer than 1 s", "a build that took longer than 2 s"]


SET = """\
apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {{name: s{0}, namespace: argocd}}
spec:
  generators: [{{list: {{elements: [{{a: b}}]}}}}]
  template:
    metadata: {{name: 'x-{{{{a}}}}'}}
    spec: {{project: default, source: {{repoURL: https://git.example.com/x.git, path: p}}, destination: {{name: in-cluster}}}}
"""


def test_set_seconds_end_one_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "SET_SECONDS", 0.2)
    monkeypatch.setattr(ownership, "_expand", endless)
    report = check(write(tmp_path, {"a.yaml": SET.format(1), "w.yaml": WAVE}))
    assert "an ApplicationSet that took longer than 1 s s1" in unseen(report)
    assert "GL203" in {one["code"] for one in report["findings"]}


def test_sets_seconds_leave_the_next_one_a_moment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "SET_SECONDS", 2.0)
    monkeypatch.setattr(limits, "SETS_SECONDS", 2.0)
    monkeypatch.setattr(ownership, "_expand", endless)
    report = check(write(tmp_path, {"a.yaml": SET.format(1), "b.yaml": SET.format(2)}))
    assert sorted(one for one in unseen(report) if "that took longer" in one) == [
        "an ApplicationSet that took longer than 1 s s2",
        "an ApplicationSet that took longer than 2 s s1",
    ]


@pytest.fixture
def slow_helm(tmp_path: Path) -> str:
    """A Helm that renders for ever, and says who it is at once."""
    program = tmp_path / "bin" / "helm"
    write(tmp_path, {"bin/helm": '#!/bin/sh\nif [ "$1" = version ]; then printf v3.17.3; else exec sleep 60; fi\n'})
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return str(program)


def charts(root: Path, number: int) -> Path:
    chart = "apiVersion: v2\nname: c{0}\nversion: 1.0.0\n"
    files = {f"c{one}/Chart.yaml": chart.format(one) for one in range(number)}
    files |= {f"c{one}/templates/a.yaml": MAP + "data: {a: '{{ .Values.a }}'}\n" for one in range(number)}
    return write(root / "repo", files)


@pytest.mark.skipif(os.name != "posix", reason="the slow Helm is a script")
def test_helm_slow_seconds_are_for_all_slow_charts_together(
    tmp_path: Path, slow_helm: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Six slow charts do not take six times what one may take."""
    for name, seconds in (("HELM_SECONDS", 2.0), ("HELM_SLOW_FROM", 0.3), ("HELM_SLOW_SECONDS", 2.0)):
        monkeypatch.setattr(real_helm, name, seconds)
    monkeypatch.setattr(real_helm, "MAX_AT_ONCE", 1)
    start = time.monotonic()
    report = check(charts(tmp_path, 6), "--helm", slow_helm)
    said = [one for one in unseen(report) if "took longer than" in one]
    assert sum("2 seconds" in one for one in said) == 1
    assert sum("0.3 seconds" in one for one in said) == 5
    assert time.monotonic() - start < 6 * 2.0


def test_helm_seconds_end_one_rendering(tmp_path: Path, slow_helm: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(real_helm, "HELM_SECONDS", 0.5)
    report = check(charts(tmp_path, 1), "--helm", slow_helm)
    assert any("took longer than 0.5 seconds" in one for one in unseen(report))


def test_helm_slow_from_is_what_the_others_still_have(monkeypatch: pytest.MonkeyPatch) -> None:
    patience = real_helm._Patience()
    assert patience.next() == limits.HELM_SECONDS
    patience.took(limits.HELM_SLOW_FROM)  # not slow yet
    assert patience.next() == limits.HELM_SECONDS
    patience.took(limits.HELM_SLOW_SECONDS + 1)
    assert patience.next() == limits.HELM_SLOW_FROM


def test_helm_all_seconds_end_all_renderings(tmp_path: Path, slow_helm: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(real_helm, "HELM_SECONDS", 0.5)
    monkeypatch.setattr(real_helm, "HELM_ALL_SECONDS", 0.2)
    monkeypatch.setattr(real_helm, "MAX_AT_ONCE", 1)
    report = check(charts(tmp_path, 3), "--helm", slow_helm)
    assert sum("not tried: all renderings together took longer" in one for one in unseen(report)) == 2


# -- one build, one object, one expression


def test_max_inserted_bounds_what_goes_into_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kustomize_errors, "MAX_INSERTED", 20)
    files = {"kustomization.yaml": f"namePrefix: {'p' * 21}\nresources: [a.yaml]\n", "a.yaml": MAP}
    report = check(write(tmp_path, files))
    assert any("a text of more than 20 characters that goes into others" in one for one in unseen(report))


def test_max_components_bounds_one_build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(accumulated, "MAX_COMPONENTS", 2)
    component = "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nlabels: [{pairs: {a: b}}]\n"
    files = {f"c{one}/kustomization.yaml": component for one in range(3)} | {"top/a.yaml": MAP}
    top = "resources: [a.yaml]\ncomponents: [../c0, ../c1, ../c2]\n"
    report = check(write(tmp_path, {**files, "top/kustomization.yaml": top}))
    assert any("more than 2 components in one build" in one for one in unseen(report))


def test_max_compared_fields_bounds_guessing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def headline() -> str:
        (one,) = [one for one in check(tmp_path)["findings"] if one["code"] == "GL014"]
        return f"{one['headline']} {one['message']}"

    write(
        tmp_path, {"a.yaml": "apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec: {portz: [], type: ClusterIP}\n"}
    )
    assert "ports" in headline()
    monkeypatch.setattr(violations, "MAX_COMPARED_FIELDS", 1)
    assert "ports" not in headline()


def test_cel_length_bounds_an_expression(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cel_syntax, "CEL_LENGTH", 5)
    with pytest.raises(NotJudged, match="more than 5 characters"):
        compile_cel("1 == 1 ")


def test_cel_depth_bounds_an_expression(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cel_syntax, "CEL_DEPTH", 6)
    with pytest.raises(NotJudged, match="nested more than 6 deep"):
        compile_cel("((((1)))) == 1")


def test_cel_steps_bound_an_evaluation() -> None:
    with pytest.raises(NotJudged):
        compile_cel("[1, 2, 3].all(x, [1, 2, 3].all(y, x + y > 0))").evaluate({}, steps=5)


# -- one file


def problems(text: str) -> list[str]:
    return [one.message for one in SourceFile("a.yaml", text).problems]


def test_max_depth_bounds_a_document(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (nesting, compose):
        monkeypatch.setattr(module, "MAX_DEPTH", 5)
    assert problems("[" * 5 + "]" * 5) == []
    assert problems("[" * 7 + "]" * 7) == ["nested more than 5 levels deep"]


def test_max_values_bound_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (nesting, compose):
        monkeypatch.setattr(module, "MAX_VALUES", 50)
    assert problems(f"[{'a,' * 20}]") == []
    assert problems(f"[{'a,' * 60}]") == ["more than 50 values in one file are not read"]


def test_max_broken_documents_bound_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compose, "MAX_BROKEN_DOCUMENTS", 3)
    assert problems("---\na: [\n" * 9)[-1] == ("after 3 documents that cannot be read the rest of the file is not read")


# -- what is fetched


def test_fetch_rounds_bound_what_charts_ask_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "FETCH_ROUNDS", 3)
    rounds: list[int] = []

    def build(choice: ShelfChoice) -> None:
        rounds.append(len(rounds))
        shelf, _ = choice.at(discover.Reader(tmp_path))
        place = SourceFile("a.yaml", MAP).documents[0].root
        for number in range(len(rounds)):
            shelf.file(place, f"https://files.example.com/{number}.yaml")

    choice = ShelfChoice(tmp_path / "store")
    fetching = Fetching(choice, Permission.of(["files.example.com"]), lambda one, version: Got("", b"a: b\n"), print)
    assert len(fetching.all({}, build).lock) == 3
    assert len(rounds) == 3


def entry(number: int, url: str = "https://files.example.com/") -> tuple[Wanted, Locked]:
    return Wanted("file", f"{url}{number}", "", ""), Locked("", f"sha256:{'0' * 64}")


def test_fetched_things_bound_a_lock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "FETCHED_THINGS", 2)
    assert len(read_lock(written_lock(dict(map(entry, range(2)))).encode())) == 2
    with pytest.raises(BadLock, match="more than 2 of them"):
        read_lock(written_lock(dict(map(entry, range(3)))).encode())


def test_fetched_bytes_bound_what_the_store_gives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(tmp_path / "store")
    digest = store.put(b"x" * 100)
    assert store.get(digest)
    monkeypatch.setattr(limits, "FETCHED_BYTES", 99)
    assert store.get(digest) is None


def test_fetched_connections_bound_one_thing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "FETCHED_CONNECTIONS", 2)
    with Guard(Permission.of([]), str(tmp_path)) as guard:
        assert [guard._is_one_more() for _ in range(3)] == [True, True, False]
        assert guard.problems == ["more than 2 connections for one thing"]
        guard.begin()
        assert guard._is_one_more()


def archive(names: list[str], data: bytes = b"x") -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as file:
        for name in names:
            member = tarfile.TarInfo(name)
            member.size = len(data)
            file.addfile(member, io.BytesIO(data))
    return out.getvalue()


def test_unpacked_bytes_bound_an_archive(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "UNPACKED_BYTES", 1024**2)
    with pytest.raises(BadArchive, match="unpacks to more than 1 MB"):
        unpacked(archive(["a", "b"], b"x" * 600_000))


def test_unpacked_files_bound_an_archive(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "UNPACKED_FILES", 2)
    assert len(unpacked(archive(["a", "b"]))) == 2
    with pytest.raises(BadArchive, match="more than 2 files"):
        unpacked(archive(["a", "b", "c"]))


def test_path_length_bounds_a_name_in_an_archive(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "PATH_LENGTH", 10)
    with pytest.raises(BadArchive):
        unpacked(archive(["a" * 11]))


def test_lock_bytes_bound_a_lock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "LOCK_BYTES", 10)
    with pytest.raises(BadLock, match="is larger than"):
        read_lock(written_lock({}).encode())


def test_address_length_bounds_an_address(monkeypatch: pytest.MonkeyPatch) -> None:
    lock = written_lock(dict([entry(1)])).encode()
    assert read_lock(lock)
    assert file_wanted(f"https://files.example.com/{'x' * limits.ADDRESS_LENGTH}") is None
    monkeypatch.setattr(limits, "ADDRESS_LENGTH", 10)
    with pytest.raises(BadLock):
        read_lock(lock)
