"""action.yml, its steps run one after the other as the GitHub runner runs them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
import yaml
from action_runner import EXPRESSION, MARK, TRAP, Action, Job, Step, annotated, notices
from checkout import BROKEN, BROKEN_LINE, REPAIRED, ROOT, git

ACTION = Action.read(ROOT)
PAGE = (ROOT / "docs" / "github-action.md").read_text("utf-8")
HERE = "gitops/cluster"
HOSTILE = f"""x' "; touch {MARK}; $(touch {MARK}) `touch {MARK}` \\"""
FORK = {"pull_request": {"base": {"repo": {"full_name": HERE}}, "head": {"repo": {"full_name": "someone/cluster"}}}}
DELETED_FORK = {"pull_request": {"base": {"repo": {"full_name": HERE}}, "head": {"repo": None}}}
BRANCH = {"pull_request": {"base": {"repo": {"full_name": HERE}}, "head": {"repo": {"full_name": HERE}}}}
FOLDERS = ("a", "b", "c", "a z")
Use = Callable[..., Job]


@pytest.fixture
def use(installed: tuple[Path, Step], tmp_path: Path) -> Use:
    """Uses the action on a repository with these files; only the installation is shared with other uses."""
    path, install = installed
    workspace, temp = tmp_path / "work space", tmp_path / "temp"

    def run(
        files: Mapping[str, str],
        inputs: Mapping[str, str] | None = None,
        event: Mapping[str, object] = BRANCH,
        upload: str = "success",
    ) -> Job:
        for folder in (workspace, temp / "own"):
            folder.mkdir(parents=True, exist_ok=True)
        (temp / "own" / "venv").symlink_to(Path(install.outputs["directory"]) / "venv")
        for name, text in files.items():
            (workspace / name).parent.mkdir(parents=True, exist_ok=True)
            (workspace / name).write_text(text, "utf-8")
        git(workspace, "init", "--quiet")
        done = Step({**install.outputs, "directory": str(temp / "own")})
        job = Job(ACTION, path, workspace, temp, dict(inputs or {}), event, steps={"install": done})
        job.outcome_of_upload = upload
        return job.run()

    return run


def test_findings_are_reported_everywhere_and_fail_the_job(use: Use) -> None:
    job = use({"jobs/migrate.yaml": BROKEN})
    assert job.exit_code == 1, job.log
    assert ("warning", "jobs/migrate.yaml", BROKEN_LINE) in annotated(job)
    assert "GL102" in job.summary
    assert f"jobs/migrate.yaml:{BROKEN_LINE}" in job.log, "the log names the place, which annotations in it do not"

    outputs = job.outputs
    report = json.loads(Path(outputs["sarif-file"]).read_text("utf-8"))
    results = report["runs"][0]["results"]
    assert "GL102" in {result["ruleId"] for result in results}
    assert report["runs"][0]["automationDetails"]["id"] == "gitops-lint/"
    causes = {result["partialFingerprints"]["gitops-lint/cause/v1"]: result["level"] for result in results}
    assert int(outputs["findings"]) == len(causes)
    levels = list(causes.values())
    assert {name: int(outputs[name]) for name in ("errors", "warnings", "notes")} == {
        "errors": levels.count("error"),
        "warnings": levels.count("warning"),
        "notes": levels.count("note"),
    }
    assert outputs["exit-code"] == "1"
    assert re.fullmatch(r"\d+\.\d+\.\d+\S*", outputs["version"])
    assert job.uploads == [{"sarif_file": outputs["sarif-file"], "checkout_path": str(job.workspace)}]


def test_a_clean_repository_passes_and_its_report_is_uploaded_too(use: Use) -> None:
    job = use({"jobs/migrate.yaml": REPAIRED})
    assert job.exit_code == 0, job.log
    assert job.outputs["exit-code"] == "0"
    assert job.outputs["warnings"] == "0"
    assert "gitops-lint" in job.summary
    assert len(job.uploads) == 1


def test_everything_that_can_be_switched_off_is(use: Use) -> None:
    off = dict.fromkeys(("annotations", "summary", "upload-sarif"), "false")
    job = use({"migrate.yaml": BROKEN}, off)
    assert job.exit_code == 1
    assert (job.commands, job.summary, job.uploads) == ([], "", [])
    assert f"migrate.yaml:{BROKEN_LINE}" in job.log


def test_a_typing_error_is_not_taken_for_off(use: Use) -> None:
    job = use({"migrate.yaml": REPAIRED}, {"upload-sarif": "yes"})
    assert job.exit_code == 2
    assert ["upload-sarif" in command.data for command in job.commands] == [True]


@pytest.mark.parametrize("event", [FORK, DELETED_FORK], ids=["fork", "deleted fork"])
def test_a_pull_request_from_a_fork_is_linted_but_not_uploaded(use: Use, event: Mapping[str, object]) -> None:
    job = use({"migrate.yaml": BROKEN}, event=event)
    assert job.exit_code == 1
    assert job.uploads == []
    assert "fork" in notices(job)
    assert ("warning", "migrate.yaml", BROKEN_LINE) in annotated(job)


def test_a_push_is_uploaded(use: Use) -> None:
    assert len(use({"migrate.yaml": REPAIRED}, event={"ref": "refs/heads/main"}).uploads) == 1


@pytest.mark.parametrize(("text", "exit_code"), [(BROKEN, 1), (REPAIRED, 0)], ids=["broken", "clean"])
def test_a_failed_upload_changes_no_verdict(use: Use, text: str, exit_code: int) -> None:
    job = use({"migrate.yaml": text}, upload="failure")
    assert job.exit_code == exit_code
    assert "security-events" in notices(job)


def test_a_run_that_could_not_do_its_job_says_why_and_uploads_nothing(use: Use) -> None:
    job = use({"migrate.yaml": REPAIRED, ".gitops-lint.yaml": "selekt: [GL102]\n"})
    assert job.exit_code == 2
    assert job.outputs["exit-code"] == "2"
    assert job.uploads == []
    assert "incomplete" in notices(job)
    assert ["selekt" in command.data for command in job.commands if command.name == "error"] == [True]


def test_no_report_is_no_verdict(use: Use) -> None:
    job = use({"migrate.yaml": REPAIRED}, {"args": "--show-files"})
    assert job.exit_code == 2
    assert job.uploads == []
    assert ["no report" in command.data for command in job.commands if command.name == "error"] == [True]


def test_options_reach_the_command_line(use: Use) -> None:
    files = {"a/migrate.yaml": BROKEN, "b/migrate.yaml": BROKEN, "strict.yaml": "severity: {GL102: error}\n"}
    given = {
        "paths": "a", "config": "strict.yaml", "select": "GL101, GL102\nGL5", "ignore": "GL5", "fail-on": "never",
        "argocd-version": "2.8", "kubernetes-version": "1.30", "sarif-file": "reports/out.sarif",
        "category": "clusters",
    }  # fmt: skip
    job = use(files, given)
    assert job.exit_code == 0, job.log
    assert annotated(job) == [("error", "a/migrate.yaml", BROKEN_LINE)]
    assert job.outputs["sarif-file"] == str(job.workspace / "reports/out.sarif")
    report = json.loads((job.workspace / "reports/out.sarif").read_text("utf-8"))
    assert report["runs"][0]["automationDetails"]["id"] == "clusters/"


def test_the_configuration_decides_what_fails_when_the_input_does_not(use: Use) -> None:
    assert use({"migrate.yaml": BROKEN, ".gitops-lint.yaml": "fail-on: error\n"}).exit_code == 0


@pytest.mark.parametrize(
    ("paths", "expected"),
    [("a b", {"a/x.yaml", "b/x.yaml"}), ("a z\n  c\n\n", {"a z/x.yaml", "c/x.yaml"}), ("a z/x.yaml\n", {"a z/x.yaml"})],
    ids=["one line", "one a line", "one with a space"],
)
def test_paths_are_separated_by_spaces_or_lines(use: Use, paths: str, expected: set[str]) -> None:
    files = {f"{folder}/x.yaml": BROKEN.replace("name: migrate", f"name: in-{folder[-1]}") for folder in FOLDERS}
    job = use(files, {"paths": paths, "args": "--select GL102"})
    assert {file for _, file, _ in annotated(job)} == expected, job.log


def test_an_argument_may_hold_spaces_when_each_has_its_line(use: Use) -> None:
    files = {"migrate.yaml": BROKEN, "my config.yaml": "fail-on: error\n"}
    assert use(files, {"args": "--config\nmy config.yaml\n"}).exit_code == 0


def test_places_are_those_of_the_repository_also_from_a_folder_in_it(use: Use) -> None:
    job = use({"clusters/prod/migrate.yaml": BROKEN}, {"working-directory": "clusters", "paths": "prod"})
    assert ("warning", "clusters/prod/migrate.yaml", BROKEN_LINE) in annotated(job)
    assert job.uploads[0]["checkout_path"] == str(job.workspace)


@pytest.mark.parametrize("name", [name for name in ACTION.defaults if name != "python"])
@pytest.mark.parametrize("value", [HOSTILE, f"x\nfindings=0\n::error::{HOSTILE}\n"], ids=["one line", "lines"])
def test_no_input_is_executed(use: Use, name: str, value: str) -> None:
    job = use({"migrate.yaml": BROKEN}, {name: value})
    assert not list(job.workspace.rglob(MARK))
    assert not list(job.temp.rglob(MARK))
    assert job.outputs["findings"] != "0"
    assert not [command for command in job.commands if command.data.startswith("x'")]


@pytest.mark.parametrize("value", [HOSTILE, "-c", ""], ids=["code", "option", "empty"])
def test_a_python_that_is_none_is_not_executed_either(installed: tuple[Path, Step], tmp_path: Path, value: str) -> None:
    job = Job(ACTION, installed[0], tmp_path, tmp_path, {"python": value}).run()
    assert job.exit_code == 2
    assert ['"python"' in command.data for command in job.commands] == [True]
    assert not (tmp_path / MARK).exists()


@pytest.mark.parametrize("paths", ["--fix --unsafe-fixes .", "--exit-zero .", "-ostolen .", "*.yaml"])
def test_a_path_is_never_anything_else(use: Use, paths: str) -> None:
    job = use({"migrate.yaml": BROKEN}, {"paths": paths})
    assert job.exit_code == 2
    assert f"{paths.split()[0]}: no such file" in job.log
    assert (job.workspace / "migrate.yaml").read_text("utf-8") == BROKEN
    assert not (job.workspace / "stolen").exists()


def test_the_repository_under_test_gives_no_commands(use: Use) -> None:
    name = "::error::owned by this file.yaml"
    job = use({name: BROKEN.replace("image: ", "image: ::error::owned"), "json.py": TRAP, "click.py": TRAP})
    assert job.exit_code == 1
    assert not [command for command in job.commands if command.data.startswith("owned")]
    assert job.log.index("::stop-commands::") < job.log.index("owned"), "whatever the reports escape or forget"
    assert not (job.workspace / MARK).exists()


def test_the_report_does_not_follow_a_link_of_the_repository(use: Use, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious", "utf-8")
    (tmp_path / "work space").mkdir()
    (tmp_path / "work space" / "out.sarif").symlink_to(victim)
    job = use({"migrate.yaml": REPAIRED}, {"sarif-file": "out.sarif"})
    assert job.exit_code == 0, job.log
    assert victim.read_text("utf-8") == "precious"


def test_the_problem_matcher_is_there_if_asked_for(tmp_path: Path) -> None:
    step = next(step for step in ACTION.metadata["runs"]["steps"] if step.get("id") == "install")
    assert 'add-matcher::%s\\n\' "$GITHUB_ACTION_PATH/problem-matcher.json"' in step["run"]
    assert (ROOT / "problem-matcher.json").is_file()


def test_no_expression_stands_in_a_script() -> None:
    assert [step["name"] for step in ACTION.steps if EXPRESSION.search(step.get("run", ""))] == []


def test_actions_are_pinned_by_commit() -> None:
    used = re.findall(r"^\s*uses: (.+)$", (ROOT / "action.yml").read_text("utf-8"), re.MULTILINE)
    assert used
    assert [one for one in used if not re.fullmatch(r"[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", one)] == []


def test_every_input_is_described_has_a_default_and_is_used() -> None:
    text = (ROOT / "action.yml").read_text("utf-8")
    for name, given in ACTION.metadata["inputs"].items():
        assert given["description"]
        assert isinstance(given["default"], str), f"{name}: inputs are text"
        assert f"${{{{ inputs.{name} }}}}" in text


def test_the_page_has_the_tables_of_the_action() -> None:
    rows = [
        f"| `{name}` | {'`' + given['default'] + '`' if given['default'] else 'none'} | {given['description']} |"
        for name, given in ACTION.metadata["inputs"].items()
    ]
    rows += [f"| `{name}` | {given['description']} |" for name, given in ACTION.metadata["outputs"].items()]
    assert [line for line in PAGE.splitlines() if line.startswith("| `")] == rows


def test_the_page_shows_workflows_that_work() -> None:
    blocks = [yaml.safe_load(block) for block in re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)]
    (job,) = blocks[0]["jobs"].values()
    assert job["permissions"] == {"contents": "read", "security-events": "write", "actions": "read"}
    uses = [step for block in (job["steps"], *blocks[1:]) for step in block if "gitops-lint" in step.get("uses", "")]
    version = re.search(r'^version = "(.+)"$', (ROOT / "pyproject.toml").read_text("utf-8"), re.MULTILINE)
    assert version
    for step in uses:
        assert step["uses"] == f"gitops-lint/gitops-lint@v{version[1]}"
        assert set(step.get("with", {})) <= set(ACTION.defaults)
    assert len(uses) == len(blocks)
