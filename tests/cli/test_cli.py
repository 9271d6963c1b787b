"""The command as people type it."""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path

import pytest
from command_line import COMMAND, JOB, SECRET, lines, run
from gitops_lint.linter.cli.arguments import Output, pair_outputs
from gitops_lint.rules import load

MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: db\n"
EXPORTED = MAP + "  uid: 0a1b\n"
"""With what a safe fix takes out."""


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    (tmp_path / "job.yaml").write_text(JOB)
    return tmp_path


def test_the_path_alone_is_a_check(repo: Path) -> None:
    for args in ([], ["."], ["check", "."], [str(repo)]):
        done = run(*args, "--output-format", "concise", cwd=repo)
        assert done.returncode == 1, done.stderr
        assert lines(done) == ["GL102 job.yaml:6:30"]


def test_exit_codes(repo: Path) -> None:
    assert run("--fail-on", "error", cwd=repo).returncode == 0
    assert run("--fail-on", "note", cwd=repo).returncode == 1
    assert run("--fail-on", "never", cwd=repo).returncode == 0
    assert run("--exit-zero", cwd=repo).returncode == 0
    assert run("--no-such-option", cwd=repo).returncode == 2
    assert run("missing/", cwd=repo).returncode == 2
    assert run("--select", "no-such-rule", cwd=repo).returncode == 2
    (repo / "empty").mkdir()
    nothing = run("empty", cwd=repo)
    assert nothing.returncode == 2
    assert "no YAML files" in nothing.stderr


def test_selecting(repo: Path) -> None:
    (repo / "secret.yaml").write_text(SECRET)

    def codes(*args: str) -> list[str]:
        return sorted(line.split()[0] for line in lines(run(*args, "--output-format", "concise", cwd=repo)))

    assert codes() == ["GL102", "GL501"]
    assert codes("--select", "GL1") == ["GL102"]
    assert codes("--select", "secret-without-prune-protection,GL102") == ["GL102", "GL501"]
    assert codes("--ignore", "GL501") == ["GL102"]
    assert codes("--select", "ALL", "--ignore", "hook-without-deadline") == ["GL501"]


def test_an_unknown_rule_is_answered_with_a_suggestion(repo: Path) -> None:
    done = run("--select", "hook-without-deadlin", cwd=repo)
    assert "hook-without-deadline" in done.stderr


def test_several_outputs_in_one_run(repo: Path) -> None:
    done = run(
        "--output-format",
        "sarif",
        "-o",
        "out.sarif",
        "--output-format",
        "json",
        "-oout.json",
        "--output-format=github",
        cwd=repo,
    )
    assert "\n::warning file=job.yaml,line=6" in done.stdout
    sarif = json.loads((repo / "out.sarif").read_text())
    assert [result["ruleId"] for result in sarif["runs"][0]["results"]] == ["GL102"]
    assert json.loads((repo / "out.json").read_text())["findings"][0]["code"] == "GL102"


@pytest.mark.parametrize(
    ("args", "outputs"),
    [
        ([], []),
        (["--output-format", "json"], [("json", None)]),
        (["-o", "a"], [("", "a")]),
        (
            ["--output-format", "json", "-o", "a", "--output-format=sarif", "--output-file=b"],
            [("json", "a"), ("sarif", "b")],
        ),
        (["--output-format", "full", "--output-format", "sarif", "-ob", "."], [("full", None), ("sarif", "b")]),
        (["--", "-o", "x"], []),
    ],
)
def test_pairs(args: list[str], outputs: list[Output]) -> None:
    assert list(pair_outputs(args)) == outputs


def test_a_file_that_cannot_be_written_is_an_error(repo: Path) -> None:
    done = run("--output-format", "json", "-o", "no/such/folder.json", cwd=repo)
    assert done.returncode == 2
    assert "no/such/folder.json" in done.stderr


def test_stdin(repo: Path) -> None:
    done = run("-", "--stdin-filename", "apps/x.yaml", "--output-format", "concise", cwd=repo, stdin=JOB)
    assert lines(done) == ["GL102 apps/x.yaml:6:30"]
    assert done.returncode == 1


def test_fixing_stdin_prints_the_fixed_text(repo: Path) -> None:
    done = run("-", "--fix", cwd=repo, stdin=EXPORTED)
    assert done.stdout == MAP
    assert done.returncode == 0


def test_fix_applies_the_safe_ones_only(repo: Path) -> None:
    (repo / "map.yaml").write_text(EXPORTED)
    done = run("--fix", cwd=repo)
    assert (repo / "map.yaml").read_text() == MAP
    assert (repo / "job.yaml").read_text() == JOB
    assert "Fixed 1" in done.stderr
    assert done.returncode == 1
    assert run("--fix", "--unsafe-fixes", cwd=repo).returncode == 0
    assert "activeDeadlineSeconds: 600" in (repo / "job.yaml").read_text()


def test_diff_writes_nothing(repo: Path) -> None:
    (repo / "map.yaml").write_text(EXPORTED)
    done = run("--diff", cwd=repo)
    assert done.returncode == 1
    assert "-  uid: 0a1b" in done.stdout
    assert (repo / "map.yaml").read_text() == EXPORTED
    (repo / "map.yaml").unlink()
    assert run("--diff", cwd=repo).returncode == 0


def test_paths_are_shown_from_where_the_person_is(repo: Path) -> None:
    folder = repo / "apps" / "deep"
    folder.mkdir(parents=True)
    (folder / "job.yaml").write_text(JOB)
    assert lines(run("--output-format", "concise", cwd=folder)) == ["GL102 job.yaml:6:30"]
    assert lines(run("..", "--output-format", "concise", cwd=folder)) == ["GL102 job.yaml:6:30"]
    assert lines(run("../../job.yaml", "--output-format", "concise", cwd=folder)) == ["GL102 ../../job.yaml:6:30"]
    outside = run(str(folder), "--output-format", "concise", cwd=repo.parent)
    assert lines(outside) == [f"GL102 {repo.name}/apps/deep/job.yaml:6:30"]


def test_named_files_are_reported_alone(repo: Path) -> None:
    (repo / "other.yaml").write_text(JOB.replace("migrate", "other"))
    assert lines(run("other.yaml", "--output-format", "concise", cwd=repo)) == ["GL102 other.yaml:6:30"]


def test_config_is_found_and_checked(repo: Path) -> None:
    (repo / ".gitops-lint.yaml").write_text("ignore: [GL102]\n")
    assert run(cwd=repo).returncode == 0
    assert run("--isolated", cwd=repo).returncode == 1
    (repo / ".gitops-lint.yaml").write_text("fail-on: error\nignroe: [GL102]\n")
    done = run(cwd=repo)
    assert done.returncode == 2
    assert ".gitops-lint.yaml:2" in done.stderr
    assert "ignore" in done.stderr
    (repo / ".gitops-lint.yaml").write_text("ignore: [hook-without-deadlines]\n")
    assert "hook-without-deadline" in run(cwd=repo).stderr


def test_init_writes_a_config_that_is_valid(repo: Path) -> None:
    assert run("init", cwd=repo).returncode == 0
    assert run(cwd=repo).returncode == 1
    again = run("init", cwd=repo)
    assert again.returncode == 2
    assert "--force" in again.stderr
    assert run("init", "--force", cwd=repo).returncode == 0


def test_show_settings_and_files(repo: Path) -> None:
    (repo / ".gitops-lint.yaml").write_text("fail-on: error\n")
    settings = run("--show-settings", "--argocd-version", "3.3", cwd=repo)
    assert "fail-on: error  # .gitops-lint.yaml:1" in settings.stdout
    assert "--argocd-version" in settings.stdout
    assert run("--show-files", cwd=repo).stdout == ".gitops-lint.yaml\njob.yaml\n"


def test_what_has_no_schema_is_counted(repo: Path) -> None:
    (repo / "cluster.yaml").write_text("apiVersion: db.example.com/v1\nkind: Cluster\nmetadata:\n  name: a\n")
    assert "     1  db.example.com/Cluster" in run("--statistics", cwd=repo).stdout.splitlines()
    assert "1 custom resources not validated" in run("--verbose", cwd=repo).stderr


def test_statistics(repo: Path) -> None:
    done = run("--statistics", cwd=repo)
    assert "1  warning  GL102  hook-without-deadline" in done.stdout
    assert "Slowest rules:" not in done.stdout
    assert "Slowest rules:" in run("--statistics", "-v", cwd=repo).stdout


def test_statistics_for_programs(repo: Path) -> None:
    found = json.loads(run("--statistics", "--output-format", "json", cwd=repo).stdout)
    one = {"code": "GL102", "name": "hook-without-deadline", "severity": "warning", "causes": 1, "places": 1}
    assert one in found["rules"]
    assert "milliseconds" not in found
    run("--statistics", "-v", "--output-format", "json", "-o", "counts.json", cwd=repo)
    assert "GL102" in json.loads((repo / "counts.json").read_text())["milliseconds"]
    refused = run("--statistics", "--output-format", "sarif", cwd=repo)
    assert refused.returncode == 2
    assert "--statistics is printed as text (full) or as json" in refused.stderr


def test_the_rule_command(repo: Path) -> None:
    by_name, by_code = run("rule", "hook-without-deadline", cwd=repo), run("rule", "gl102", cwd=repo)
    assert by_name.stdout == by_code.stdout
    assert by_name.stdout.startswith("# hook-without-deadline (GL102)\n")
    every = json.loads(run("rule", "--all", "--output-format", "json", cwd=repo).stdout)
    assert [rule["code"] for rule in every] == [rule.code for rule in load()]
    assert run("rule", cwd=repo).returncode == 2
    assert run("rule", "nonsense", cwd=repo).returncode == 2


def test_color(repo: Path) -> None:
    assert "\x1b[" not in run(cwd=repo).stdout
    assert "\x1b[" in run(cwd=repo, FORCE_COLOR="1").stdout
    assert "\x1b[" not in run(cwd=repo, FORCE_COLOR="1", NO_COLOR="1").stdout
    assert "\x1b[" in run("--color", "always", cwd=repo, NO_COLOR="1").stdout
    assert "\x1b[" not in run("--color", "never", cwd=repo, FORCE_COLOR="1").stdout
    run("--color", "always", "--output-format", "full", "-o", "out.txt", cwd=repo)
    assert "\x1b[" not in (repo / "out.txt").read_text()


def test_bad_versions_are_refused(repo: Path) -> None:
    done = run("--argocd-version", "newest", cwd=repo)
    assert done.returncode == 2
    assert "'newest' is not a version" in done.stderr


def test_a_broken_pipe_is_no_error(repo: Path) -> None:
    for number in range(400):
        (repo / f"job{number}.yaml").write_text(JOB)
    done = subprocess.run(
        f"{COMMAND} --output-format full | head -1", shell=True, cwd=repo, capture_output=True, text=True
    )
    assert done.stderr == ""


def test_a_slow_reader_gets_all_of_it(repo: Path) -> None:
    """Without a buffer of Python's, a write that a tick of the clock interrupts is only done in part."""
    (repo / "job.yaml").write_text("---\n".join([JOB] * 300))
    unbuffered = {**os.environ, "PYTHONUNBUFFERED": "1"}
    command = [str(COMMAND), "--output-format", "json"]
    with subprocess.Popen(command, cwd=repo, env=unbuffered, stdout=subprocess.PIPE) as done:
        assert done.stdout is not None
        text = done.stdout.read(1)
        time.sleep(1.0)  # the pipe is full by now, and the clock has ticked
        text += done.stdout.read()
    assert len(text) > 3 * 65_536
    assert len(json.loads(text)["findings"]) >= 300


def test_version(repo: Path) -> None:
    assert run("--version", cwd=repo).stdout.startswith("gitops-lint 0.")
