"""What people type who know other linters."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml
from command_line import COMMAND, JOB, run

APP = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata:
  name: shop
  namespace: argocd
spec:
  project: default
  source: {repoURL: "https://example.org/a.git", path: shop, targetRevision: HEAD}
  destination: {server: "https://kubernetes.default.svc", namespace: shop}
"""


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "job.yaml").write_text(JOB)
    (tmp_path / "app.yaml").write_text(APP)
    return tmp_path


def test_python_dash_m(repo: Path) -> None:
    done = subprocess.run([sys.executable, "-m", "gitops_lint", "--version"], capture_output=True, text=True, cwd=repo)
    assert done.stdout == run("--version", cwd=repo).stdout


@pytest.mark.parametrize("word", ["chek", "rules", "plna"])
def test_a_mistyped_command_is_no_path(repo: Path, word: str) -> None:
    done = run(word, cwd=repo)
    assert done.returncode == 2
    assert f"{word!r} is neither a command nor a path; did you mean" in done.stderr
    (repo / word).mkdir()
    (repo / word / "job.yaml").write_text(JOB)
    assert "GL102" in run(word, cwd=repo).stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts(repo: Path, shell: str) -> None:
    script = run("completion", shell, cwd=repo).stdout
    assert f"_GITOPS_LINT_COMPLETE={shell}_complete" in script


def proposals(repo: Path, *words: str) -> list[str]:
    done = run(
        cwd=repo,
        _GITOPS_LINT_COMPLETE="bash_complete",
        COMP_WORDS=" ".join(("gitops-lint", *words)),
        COMP_CWORD=str(len(words)),
    )
    return [line.partition(",")[2] for line in done.stdout.splitlines()]


def test_rules_and_applications_are_proposed(repo: Path) -> None:
    assert "hook-without-deadline" in proposals(repo, "--select", "hook-w")
    assert proposals(repo, "check", "--ignore", "GL101,GL102") == ["GL101,GL102"]
    assert proposals(repo, "rule", "hook-without-dea") == ["hook-without-deadline"]
    assert proposals(repo, "plan", "--app", "sh") == ["shop"]


def test_commands_are_proposed_and_what_check_takes(repo: Path) -> None:
    assert proposals(repo, "pl") == ["plan", "pl"], "the last one stands for files"
    assert "--select" in proposals(repo, "--sel")
    assert {"check", "plan", "rule", "fetch"} <= set(proposals(repo, ""))


@pytest.mark.parametrize(
    ("shell", "script"),
    [
        ("fish", "gitops-lint completion fish | source; complete -C 'gitops-lint rule hook-without-dea'"),
    ],
)
def test_the_script_works_in_a_real_shell(repo: Path, shell: str, script: str) -> None:
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"needs {shell}, which is not installed here (Debian: apt-get install {shell})")
    path = f"{COMMAND.parent}{os.pathsep}/usr/bin{os.pathsep}/bin"
    given = {"PATH": path, "HOME": str(repo), "TERM": "dumb"}
    done = subprocess.run([program, "-c", script], capture_output=True, text=True, cwd=repo, env=given, timeout=60)
    assert "hook-without-deadline" in done.stdout, done.stderr


def test_the_bash_script_works_in_a_shell(repo: Path) -> None:
    script = (
        f'PATH="{COMMAND.parent}:$PATH"; eval "$(gitops-lint completion bash)";'
        "COMP_WORDS=(gitops-lint rule hook-without-dea); COMP_CWORD=2;"
        '_gitops_lint_completion gitops-lint; echo "${COMPREPLY[@]}"'
    )
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, cwd=repo)
    assert done.stdout.strip() == "hook-without-deadline", done.stderr


def test_a_rule_about_a_change_says_that_there_is_none(repo: Path) -> None:
    done = run("--select", "selector-changed", cwd=repo)
    assert done.returncode == 2
    assert "selector-changed can only look at a change: --diff-base REV says since when" in done.stderr
    both = run("--select", "selector-changed,GL102", cwd=repo)
    assert both.returncode == 1
    assert "not run without --diff-base: selector-changed" in both.stderr
    assert "--diff-base" not in run("--select", "ALL", cwd=repo).stderr


def test_exclude_counts_from_here(repo: Path) -> None:
    assert run("--show-files", "--exclude", "shop/job.yaml", cwd=repo).stdout == "app.yaml\n"
    assert run("--show-files", "--exclude", "*.yaml", cwd=repo).stdout == ""
    subprocess.run(["git", "init", "-q"], cwd=repo, check=True)
    inside = run("--show-files", "--exclude", "./job.yaml", ".", cwd=repo / "shop")
    assert "job.yaml" not in inside.stdout
    assert run("--exclude", "a[", cwd=repo).returncode == 2


def test_an_option_of_the_config_on_the_command_line(repo: Path) -> None:
    assert run(cwd=repo).returncode == 1
    assert run("--config", "fail-on=never", cwd=repo).returncode == 0
    (repo / ".gitops-lint.yaml").write_text("fail-on: never\nignore: [GL5]\n")
    shown = run("--config", "fail-on=note", "--config", "severity={GL102: error}", "--show-settings", cwd=repo).stdout
    assert "fail-on: note  # --config" in shown
    assert "GL102: error" in shown
    assert "ignore:  # .gitops-lint.yaml:2" in shown or "ignore: [GL5]  # .gitops-lint.yaml:2" in shown
    wrong = run("--config", "failon=never", cwd=repo)
    assert wrong.returncode == 2
    assert "--config:1: unknown option 'failon'; did you mean 'fail-on'?" in wrong.stderr
    unknown = run("--config", "select=[nonsense]", cwd=repo)
    assert unknown.returncode == 2
    assert "nonsense" in unknown.stderr


@pytest.mark.parametrize("name", ["full", "concise", "grouped"])
def test_quiet_is_quiet(repo: Path, name: str) -> None:
    done = run("-q", "--output-format", name, cwd=repo)
    assert "GL102" in done.stdout
    assert "Found" not in done.stdout
    assert done.stderr == ""
    (repo / "shop" / "job.yaml").unlink()
    (repo / "app.yaml").write_text(APP.replace("path: shop", "path: ."))
    assert run("-q", "--ignore", "ALL", "--output-format", name, cwd=repo).stdout == ""


def test_ignores_are_written_above_what_is_reported(repo: Path) -> None:
    job = repo / "shop" / "job.yaml"
    done = run("--add-ignore", "takes  hours", "--show", "GL102", cwd=repo)
    assert done.returncode == 0, done.stderr
    assert "Wrote ignores for 1 of the findings in 1 files." in done.stderr
    line = "    argocd.argoproj.io/hook: PreSync\n"
    assert job.read_text() == JOB.replace(line, f"    # gitops-lint: ignore[hook-without-deadline] takes hours\n{line}")
    again = run(cwd=repo)
    assert "GL102" not in again.stdout
    assert "unused-ignore" not in again.stdout


def test_an_ignore_that_has_no_room_is_told(repo: Path) -> None:
    (repo / "shop" / "job.json").write_text(
        '{"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "a", "annotations": {"argocd.argoproj.io/hook": "PreSync"}}, "spec": {"template": {}}}\n'
    )
    before = (repo / "shop" / "job.json").read_text()
    done = run("--add-ignore", "later", "--show", "GL102", cwd=repo)
    assert done.returncode == 1
    assert "no ignore: shop/job.json:1: hook-without-deadline: JSON has no comments" in done.stderr
    assert (repo / "shop" / "job.json").read_text() == before


def test_a_reason_can_be_required(repo: Path) -> None:
    (repo / ".gitops-lint.yaml").write_text("required-reason: true\n")
    job = repo / "shop" / "job.yaml"
    line = "    argocd.argoproj.io/hook: PreSync"
    job.write_text(JOB.replace(line, f"{line} # gitops-lint: ignore[GL102]"))
    done = run("--output-format", "concise", cwd=repo)
    assert "GL102" in done.stdout
    assert "it gives no reason, and required-reason asks for one" in done.stdout
    job.write_text(JOB.replace(line, f"{line} # gitops-lint: ignore[GL102] takes hours"))
    assert "GL102" not in run("--output-format", "concise", cwd=repo).stdout


def test_init_names_the_schema_and_what_is_known(repo: Path) -> None:
    run("init", cwd=repo)
    text = (repo / ".gitops-lint.yaml").read_text()
    assert text.startswith("# yaml-language-server: $schema=https://")
    assert yaml.safe_load(text) is None
    (repo / "argocd.yaml").write_text(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: argocd-server, namespace: argocd}\n"
        "spec: {template: {spec: {containers: [{name: a, image: 'quay.io/argoproj/argocd:v3.1.2'}]}}}\n"
    )
    run("init", "--force", cwd=repo)
    assert yaml.safe_load((repo / ".gitops-lint.yaml").read_text()) == {"argocd-version": "3.1"}


def test_watch_runs_again_after_a_change(repo: Path) -> None:
    out = repo.parent / f"{repo.name}.out"
    with out.open("w") as file:
        process = subprocess.Popen(
            [str(COMMAND), "--watch", "--output-format", "concise"], cwd=repo, stdout=file, stderr=subprocess.DEVNULL,
            env={"PATH": os.environ["PATH"], "HOME": str(repo)},
        )  # fmt: skip
        try:
            wait_for(lambda: out.read_text().count("Found ") == 1)
            (repo / "shop" / "second.yaml").write_text(JOB.replace("migrate", "second"))
            wait_for(lambda: out.read_text().count("Found ") == 2)
            assert "shop/second.yaml" in out.read_text()
        finally:
            process.send_signal(signal.SIGINT)
            assert process.wait(20) == 0


def wait_for(condition: object) -> None:
    assert callable(condition)
    until = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < until, "it did not happen"
        time.sleep(0.1)


OLD = "apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: {name: a}\n"


def test_what_no_application_reads_is_counted_and_judged_where_it_is_asked_for(repo: Path) -> None:
    (repo / "old").mkdir()
    (repo / "old" / "a.yaml").write_text(OLD)
    (repo / ".git").mkdir()
    silent = run("check", ".", "--select", "GL015", cwd=repo)
    assert silent.returncode == 0
    assert "1 file that no Application reads (not judged, see --show-unread)" in " ".join(silent.stdout.split())
    for words in (("old",), ("old/a.yaml",), (".", "--show-unread")):
        done = run("check", *words, "--select", "GL015", "--output-format", "concise", cwd=repo)
        assert "old/a.yaml:1:13: warning GL015" in done.stdout, words
        assert "1 of them judged one step lower" in done.stdout
    assert "old/a.yaml: in folders that no Application uses" in done.stdout
    assert "no Application reads" not in run("check", "shop", "--select", "GL015", cwd=repo).stdout


def test_a_missing_file_that_git_ignores_is_lower_and_told_apart(repo: Path) -> None:
    (repo / ".git").mkdir()
    (repo / ".gitignore").write_text("*-secret.yaml\n")
    (repo / "shop" / "kustomization.yaml").write_text("resources:\n  - job.yaml\n  - db-secret.yaml\n")
    done = run("check", ".", "--select", "GL710", "--output-format", "concise", cwd=repo)
    assert "warning GL710" in done.stdout
    assert "db-secret.yaml does not exist, and .gitignore keeps it out of git" in done.stdout
    (repo / ".gitignore").write_text("other.yaml\n")
    assert "error GL710" in run("check", ".", "--select", "GL710", "--output-format", "concise", cwd=repo).stdout
