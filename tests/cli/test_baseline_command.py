"""The baseline as people use it: write, commit, shrink."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest
from command_line import JOB, SECRET, lines, run
from gitops_lint.linter.cli.arguments import settle_optional_file
from gitops_lint.linter.fix.write_files import NotWritten, create_file

NAME = ".gitops-lint-baseline.json"
USE = ("--baseline", NAME, "--output-format", "concise")


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A repository with a finding in each of two files, both known to its baseline."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "base").mkdir()
    (tmp_path / "job.yaml").write_text(JOB)
    (tmp_path / "base/secret.yaml").write_text(SECRET)
    done = run("--write-baseline", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.startswith(f"Wrote 2 findings to {NAME}. Use it with `--baseline {NAME}`")
    return tmp_path


def entries(repo: Path, name: str = NAME) -> list[tuple[str, str]]:
    return [(one["code"], one["path"]) for one in json.loads((repo / name).read_text())["findings"]]


# -- using it


def test_what_was_written_is_not_reported(repo: Path) -> None:
    assert entries(repo) == [("GL501", "base/secret.yaml"), ("GL102", "job.yaml")]
    done = run(*USE, cwd=repo)
    assert (done.returncode, lines(done)) == (0, [])
    assert "(2 in the baseline)" in done.stdout
    assert run("--output-format", "concise", cwd=repo).returncode == 1, "only where it is asked for"


def test_a_config_can_name_it(repo: Path) -> None:
    (repo / ".gitops-lint.yaml").write_text(f"baseline: {NAME}\n")
    assert run(cwd=repo).returncode == 0
    assert run(cwd=repo / "base").returncode == 0
    assert run("--baseline", "off", cwd=repo).returncode == 1
    assert "Use it" not in run("--write-baseline", cwd=repo).stderr
    assert f"baseline: {repo / NAME}" in run("--show-settings", cwd=repo).stdout


def test_lines_shift_and_files_move(repo: Path) -> None:
    (repo / "job.yaml").rename(repo / "base/migrate.yml")
    (repo / "base").rename(repo / "clusters")
    for path in (repo / "clusters").iterdir():
        path.write_text(f"# one\n\n---\n{path.read_text()}")
    done = run(*USE, cwd=repo)
    assert (done.returncode, lines(done)) == (0, []), done.stdout


def test_only_the_new_finding_is_reported(repo: Path) -> None:
    (repo / "base/secret.yaml").write_text(f"{SECRET}---\n{SECRET.replace('db', 'mail')}")
    done = run(*USE, cwd=repo)
    assert (done.returncode, lines(done)) == (0, ["GL501 base/secret.yaml:7:7"])


def test_a_copy_of_a_known_fault_is_a_new_one(repo: Path) -> None:
    (repo / "copy").mkdir()
    (repo / "copy/secret.yaml").write_text(SECRET)
    assert lines(run(*USE, cwd=repo)) == ["GL501 copy/secret.yaml:2:7"]
    assert lines(run("copy/secret.yaml", *USE, cwd=repo)) == ["GL501 copy/secret.yaml:2:7"]
    assert lines(run("copy", *USE, cwd=repo)) == ["GL501 copy/secret.yaml:2:7"]


def test_a_new_overlay_makes_no_new_finding_of_its_base(repo: Path) -> None:
    (repo / "job.yaml").unlink()
    whole = "template: {spec: {restartPolicy: Never, containers: [{name: a, image: b:1}]}}"
    (repo / "base/job.yaml").write_text(JOB.replace("template: {}", whole))
    (repo / "base/kustomization.yaml").write_text("resources: [job.yaml, secret.yaml]\n")

    def overlay(name: str) -> None:
        (repo / "overlays" / name).mkdir(parents=True)
        text = f"resources: [../../base]\nnamePrefix: {name}-\nnamespace: {name}\n"
        (repo / "overlays" / name / "kustomization.yaml").write_text(text)

    overlay("prod")
    assert run("--write-baseline", cwd=repo).returncode == 0
    assert entries(repo) == [("GL102", "base/job.yaml"), ("GL501", "base/secret.yaml")]
    for name in ("another", "zone"):
        overlay(name)
        assert lines(run(*USE, cwd=repo)) == []


def test_a_part_of_the_repository(repo: Path) -> None:
    (repo / "job.yaml").unlink()
    for args, folder in (
        (("base", *USE), repo),
        (("base/secret.yaml", *USE), repo),
        ((".", "--baseline", f"../{NAME}", "--output-format", "concise"), repo / "base"),
    ):
        done = run(*args, cwd=folder)
        assert (done.returncode, lines(done)) == (0, []), "what is not linted is not stale, either"
        assert "(1 in the baseline)" in done.stdout


def test_standard_input(repo: Path) -> None:
    for folder, name in (
        (repo, "base/secret.yaml"),
        (repo / "base", "secret.yaml"),
        (repo, f"{repo}/base/secret.yaml"),
    ):
        args = ("-", "--stdin-filename", name, "--baseline", str(repo / NAME), "--output-format", "concise")
        assert lines(run(*args, cwd=folder, stdin=f"# new\n{SECRET}")) == []
        two = f"{SECRET}---\n{SECRET.replace('db', 'mail')}"
        assert [line.split()[-1].rpartition("/")[2] for line in lines(run(*args, cwd=folder, stdin=two))] == [
            "secret.yaml:7:7"
        ]
    for option in ("--write-baseline", "--prune-baseline"):
        done = run("-", option, cwd=repo, stdin=SECRET)
        assert (done.returncode, "for files only" in done.stderr) == (2, True)


def test_reports(repo: Path) -> None:
    (repo / "new.yaml").write_text(SECRET.replace("db", "mail"))
    args = ("--baseline", NAME, "--output-format")
    report = json.loads(run(*args, "json", cwd=repo).stdout)
    assert (report["summary"]["baselined"], [one["path"] for one in report["findings"]]) == (2, ["new.yaml"])
    (sarif,) = json.loads(run(*args, "sarif", cwd=repo).stdout)["runs"]
    assert len(sarif["results"]) == 1, "GitHub would show what is only marked as known"
    assert "2 in the baseline" in run(*args, "markdown", cwd=repo).stdout


def test_known_findings_are_not_fixed(repo: Path) -> None:
    (repo / "new.yaml").write_text(SECRET.replace("db", "mail"))
    assert run("--fix", "--unsafe-fixes", *USE, cwd=repo).returncode == 0
    assert "Prune=false" in (repo / "new.yaml").read_text()
    assert (repo / "base/secret.yaml").read_text() == SECRET


# -- stale entries


def test_a_mended_finding_leaves_a_stale_entry(repo: Path) -> None:
    before = (repo / NAME).read_text().splitlines(keepends=True)
    (repo / "job.yaml").write_text(f"{JOB}  activeDeadlineSeconds: 5\n")
    done = run(*USE, cwd=repo)
    assert (done.returncode, lines(done)) == (0, [f"GL010 {NAME}:5:5"])
    assert run("--fail-on", "note", *USE, cwd=repo).returncode == 1
    assert lines(run("job.yaml", *USE, cwd=repo)) == [], "its file was not asked for"
    assert lines(run("--select", "GL501,GL010", *USE, cwd=repo)) == [], "the rule did not run"
    assert lines(run("--ignore", "stale-baseline-entry", *USE, cwd=repo)) == []
    pruned = run("--prune-baseline", *USE, cwd=repo)
    assert (pruned.returncode, lines(pruned)) == (0, [])
    assert pruned.stderr == f"Pruned 1 stale entry in {NAME}.\n"
    assert (repo / NAME).read_text() == "".join([*before[:3], before[3].replace("},", "}"), *before[5:]])
    again = run("--prune-baseline", cwd=repo)
    assert (again.returncode, again.stderr) == (0, f"Nothing in {NAME} is stale.\n")


def test_pruning_reports_the_rest(repo: Path) -> None:
    (repo / "job.yaml").unlink()
    (repo / "new.yaml").write_text(SECRET.replace("db", "mail"))
    done = run("--prune-baseline", *USE, cwd=repo)
    assert (done.returncode, lines(done)) == (0, ["GL501 new.yaml:2:7"])
    assert entries(repo) == [("GL501", "base/secret.yaml")]


def test_a_part_of_the_repository_prunes_nothing(repo: Path) -> None:
    before = (repo / NAME).read_text()
    (repo / "base/secret.yaml").write_text("a: 1\n")
    done = run("--prune-baseline", "base", "--no-context", cwd=repo)
    assert (done.returncode, "only a part of the repository" in done.stderr) == (2, True)
    assert (repo / NAME).read_text() == before


# -- writing it


def test_where_it_is_written(repo: Path) -> None:
    for args, name in (
        (("--write-baseline", "a.json", "base"), "a.json"),
        (("--write-baseline=b.txt", "."), "b.txt"),
        (("--write-baseline", "--baseline", "c.json"), "c.json"),
        (("base", "--write-baseline", "d.json", "--select", "GL501"), "d.json"),
    ):
        assert run(*args, cwd=repo).returncode == 0
        assert entries(repo, name)[0] == ("GL501", "base/secret.yaml")
    (repo / NAME).unlink()
    assert run("--write-baseline", ".", cwd=repo / "base").returncode == 0
    assert entries(repo) == [("GL501", "base/secret.yaml")], "at the top, with paths from there"


def test_the_same_findings_are_the_same_bytes(repo: Path) -> None:
    before = (repo / NAME).read_bytes()
    assert run("--write-baseline", cwd=repo).returncode == 0
    assert (repo / NAME).read_bytes() == before
    assert sorted(path.name for path in repo.iterdir()) == [".git", NAME, "base", "job.yaml"]


def test_entries_that_a_run_cannot_see_are_kept(repo: Path) -> None:
    (repo / "base/secret.yaml").write_text(f"{SECRET}---\n{SECRET.replace('db', 'mail')}")
    for args in (("base",), ("base/secret.yaml",), ("--select", "GL501")):
        done = run("--write-baseline", *args, cwd=repo)
        assert done.stderr.startswith(f"Wrote 2 findings to {NAME}, and kept 1 entry that this run could not see.")
        assert entries(repo) == [("GL501", "base/secret.yaml")] * 2 + [("GL102", "job.yaml")]
    (repo / "job.yaml").unlink()
    run("--write-baseline", "base", cwd=repo)
    assert entries(repo) == [("GL501", "base/secret.yaml")] * 2


def test_what_is_ignored_is_not_written_and_what_cannot_be_parsed_is(repo: Path) -> None:
    (repo / "job.yaml").write_text(f"# gitops-lint: ignore[hook-without-deadline] it is quick\n{JOB}")
    (repo / "base/secret.yaml").write_text("a: [\n")
    assert run("--write-baseline", cwd=repo).returncode == 0
    ((code, path),) = entries(repo)
    assert (code[:2], path) == ("GL", "base/secret.yaml")
    assert lines(run(*USE, cwd=repo)) == []


def test_fixing_comes_first(repo: Path) -> None:
    assert run("--fix", "--unsafe-fixes", "--write-baseline", cwd=repo).returncode == 0
    assert entries(repo) == []


def test_no_other_file_is_overwritten(repo: Path) -> None:
    (repo / "deploy.json").write_text('{"kind": "Deployment", "apiVersion": "base/v1"}')
    done = run("--write-baseline", "deploy.json", cwd=repo)
    assert (done.returncode, done.stderr) == (2, "error: deploy.json:1: is not a baseline: it has no 'version'\n")
    assert (repo / "deploy.json").read_text() == '{"kind": "Deployment", "apiVersion": "base/v1"}'
    (repo / "link.json").symlink_to(repo / NAME)
    assert run("--write-baseline", "link.json", cwd=repo).returncode == 2
    assert run("--write-baseline", "--diff", cwd=repo).returncode == 2
    assert run("--write-baseline", "missing/a.json", cwd=repo).stderr == (
        "error: missing/a.json: No such file or directory\n"
    )


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
def test_a_new_file_has_the_usual_mode(tmp_path: Path) -> None:
    usual = tmp_path / "usual"
    usual.touch()
    create_file(tmp_path / "new", b"x")
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == stat.S_IMODE(usual.stat().st_mode)
    with pytest.raises(NotWritten, match="exists by now"):
        create_file(tmp_path / "new", b"y")
    assert (tmp_path / "new").read_bytes() == b"x"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new", "usual"]


# -- what cannot be used


def test_a_baseline_that_is_not_there(repo: Path) -> None:
    done = run("--baseline", "gone.json", cwd=repo)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "error: --baseline: gone.json: there is no such baseline; --write-baseline writes one\n"
    (repo / ".gitops-lint.yaml").write_text("fail-on: error\nbaseline: gone.json\n")
    assert run(cwd=repo).stderr == (
        "error: .gitops-lint.yaml:2: gone.json: there is no such baseline; --write-baseline writes one\n"
    )
    assert run("--write-baseline", cwd=repo).returncode == 0
    assert entries(repo, "gone.json") == entries(repo)
    (repo / ".gitops-lint.yaml").write_text("baseline: ../gone.json\n")
    assert run(cwd=repo).stderr == "error: .gitops-lint.yaml:1: baseline '../gone.json' leads out of the repository\n"


def test_a_baseline_that_is_broken(repo: Path) -> None:
    text = (repo / NAME).read_text()
    (repo / NAME).write_text(text.replace('"version": 1', '"version": 2'))
    done = run(*USE, cwd=repo)
    assert (done.returncode, done.stderr[:31]) == (2, f"error: {NAME}:2: is of version 2"[:31])
    (repo / NAME).write_text(text[:-4])
    assert run(*USE, cwd=repo).stderr == f"error: {NAME}:6: is not JSON: ']' is expected\n"
    (repo / NAME).write_bytes(b"\xff")
    assert run(*USE, cwd=repo).returncode == 2
    assert run("--baseline", "base", cwd=repo).stderr == "error: base: is a folder, not a baseline\n"


@pytest.mark.parametrize(
    ("args", "settled"),
    [
        (["--write-baseline", "."], ["--write-baseline=", "."]),
        (["--write-baseline", "b.json", "."], ["--write-baseline=b.json", "."]),
        (["--write-baseline=b", "c.json"], ["--write-baseline=b", "c.json"]),
        (["a", "--write-baseline"], ["a", "--write-baseline="]),
        (["--", "--write-baseline"], ["--", "--write-baseline"]),
        (["--write-baseline", "--", "b.json"], ["--write-baseline=", "--", "b.json"]),
    ],
)
def test_the_file_is_optional(args: list[str], settled: list[str]) -> None:
    assert settle_optional_file(args) == settled
