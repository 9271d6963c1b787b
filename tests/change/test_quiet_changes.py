"""A pull request cannot quiet its own review, and what is switched off is said."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from git_repository import Checkout
from gitops_lint.linter.cli.main import cli
from gitops_lint.linter.report.formats import FINDINGS

JOB = """\
apiVersion: batch/v1
kind: Job
metadata:
  name: migrate
  annotations:
    argocd.argoproj.io/hook: PreSync
    argocd.argoproj.io/hook-delete-policy: BeforeHookCreation
spec:
  template:
    spec: {restartPolicy: Never, containers: [{name: a, image: a}]}
"""
FOUND = "GL102 hook-without-deadline"
SILENCES = "his change itself silences: "


def run(root: Path, *words: str) -> tuple[int, str]:
    done = CliRunner().invoke(cli, ["check", str(root), "--output-format", "concise", *words])
    return done.exit_code, done.output


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    made = Checkout(tmp_path)
    made.commit({"job.yaml": JOB, ".gitops-lint.yaml": "fail-on: warning\n"})
    return made


CHANGES = {
    "ignore: [ALL]\n": "rules (",
    "select: []\n": "rules (",
    "exclude: ['*.yaml']\n": "what is excluded by '*.yaml'",
    "fail-on: never\n": "fail-on never instead of warning",
    "severity: {hook-without-deadline: note}\n": "a lower severity of hook-without-deadline",
    "per-file-ignores: {'*.yaml': [GL102]}\n": "per-file-ignores of '*.yaml'",
    "ignores: [{rules: [GL102], reason: x}]\n": "1 entry of ignores in the config",
    "fail-on: [broken\n": "its config cannot be used",
}


@pytest.mark.parametrize("config", CHANGES, ids=lambda text: text.strip()[:20])
def test_the_config_of_the_base_counts(checkout: Checkout, config: str) -> None:
    checkout.write({".gitops-lint.yaml": config})
    code, said = run(checkout.root, "--diff-base", "HEAD", "--config-from", "base")
    assert code == 1
    assert FOUND in said
    assert SILENCES in said
    assert CHANGES[config] in said
    assert "not followed, the settings of HEAD count" in said


@pytest.mark.parametrize("config", list(CHANGES)[:-1], ids=lambda text: text.strip()[:20])
def test_with_the_own_config_it_is_said(checkout: Checkout, config: str) -> None:
    checkout.write({".gitops-lint.yaml": config})
    code, said = run(checkout.root, "--diff-base", "HEAD")
    assert code == 0
    assert SILENCES in said
    assert CHANGES[config] in said


@pytest.mark.parametrize("style", ["full", "concise", "github", "markdown", "json", "sarif"])
def test_every_format_that_has_room_for_it_says_it(checkout: Checkout, style: str) -> None:
    checkout.write({".gitops-lint.yaml": "ignore: [ALL]\n"})
    words = ["check", str(checkout.root), "--diff-base", "HEAD", "--output-format", style]
    assert SILENCES in CliRunner().invoke(cli, words).output.replace("&#58;", ":")


def test_a_new_ignore_is_not_followed_and_an_old_one_is(checkout: Checkout) -> None:
    quiet = JOB.replace("PreSync\n", "PreSync  # gitops-lint: ignore[GL102] long\n")
    checkout.write({"job.yaml": quiet})
    code, said = run(checkout.root, "--diff-base", "HEAD", "--config-from", "base")
    assert (code, FOUND in said) == (1, True)
    assert "1 ignore in manifests (job.yaml:6)" in said
    checkout.commit({"job.yaml": quiet})
    for text in (
        quiet,
        f"# moved\n\n{quiet}",
        quiet.replace("image: a", "image: b"),
        quiet.replace("PreSync ", "Sync "),
    ):
        checkout.write({"job.yaml": text})
        code, said = run(checkout.root, "--diff-base", "HEAD", "--config-from", "base")
        assert (code, SILENCES in said) == (0, False), text
    checkout.write({"job.yaml": None, "moved.yaml": quiet})
    assert run(checkout.root, "--diff-base", "HEAD", "--config-from", "base")[0] == 0


def test_a_baseline_of_the_change_is_not_followed(checkout: Checkout) -> None:
    checkout.commit({".gitops-lint.yaml": "baseline: known.json\n", "known.json": '{"version": 1, "findings": []}\n'})
    run(checkout.root, "--write-baseline", str(checkout.root / "known.json"))
    assert run(checkout.root)[0] == 0
    code, said = run(checkout.root, "--diff-base", "HEAD", "--config-from", "base")
    assert (code, FOUND in said) == (1, True)
    assert "by the baseline" in said
    checkout.commit()
    code, said = run(checkout.root, "--diff-base", "HEAD", "--config-from", "base")
    assert (code, SILENCES in said) == (0, False)


def test_a_required_rule_cannot_be_ignored(checkout: Checkout) -> None:
    checkout.commit({".gitops-lint.yaml": "required: [GL102]\n"})
    quiet = JOB.replace("PreSync\n", "PreSync  # gitops-lint: ignore[GL102] long\n")
    checkout.write({".gitops-lint.yaml": "required: [GL102]\nignore: [ALL]\nper-file-ignores: {'*': [GL102]}\n"})
    checkout.write({"job.yaml": quiet})
    assert FOUND in run(checkout.root)[1]
    checkout.write({".gitops-lint.yaml": "ignore: [ALL]\n"})
    for words in ((), ("--config-from", "base")):
        said = run(checkout.root, "--diff-base", "HEAD", *words)[1]
        assert FOUND in said
        assert "required rules that it takes out of the list (GL102" in said


@pytest.mark.parametrize("style", list(FINDINGS))
def test_no_format_leaves_out_a_required_rule(checkout: Checkout, style: str) -> None:
    checkout.commit({".gitops-lint.yaml": "required: [GL102]\n"})
    checkout.write({".gitops-lint.yaml": "required: [GL102]\nignore: [ALL]\nseverity: {GL102: note}\n"})
    done = CliRunner().invoke(cli, ["check", str(checkout.root), "--output-format", style])
    assert done.exit_code == 1
    assert "hook-without-deadline" in done.output


def test_what_a_config_switches_off_is_said_without_a_base(checkout: Checkout) -> None:
    checkout.write({".gitops-lint.yaml": "ignore: [ALL]\nfail-on: never\n"})
    said = run(checkout.root)[1]
    assert "rules are switched off by .gitops-lint.yaml:1" in said
    assert "No finding fails the run: fail-on is never by .gitops-lint.yaml:2" in said
    checkout.write({".gitops-lint.yaml": "extend-select: [ALL]\n"})
    assert "switched off" not in run(checkout.root, "--ignore", "GL102")[1]
