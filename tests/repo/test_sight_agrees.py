"""What `apps` and `check` say of every Application and set: seen, or why not, and the same in both."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from chart_repositories import write
from click.testing import CliRunner
from command_line import run
from gitops_lint.linter.cli.main import cli
from hypothesis import given, settings, strategies
from real_tools import helm3

ROOT = Path(__file__).parents[2]
SAMPLES = sorted(path for path in (ROOT / "tests" / "golden").iterdir() if path.is_dir())
CORPUS = sorted(path for path in Path(os.environ.get("SIGHT_REPOS", "/nowhere")).glob("*") if path.is_dir())
"""A folder of repositories, for a look at more than the samples."""


def answer(root: Path, command: str) -> Any:
    done = run(command, "--output-format", "json", "--helm", str(helm3()), "--isolated", cwd=root)
    return json.loads(done.stdout) if done.stdout.startswith("{") else None


@pytest.mark.parametrize("root", [*SAMPLES, *CORPUS], ids=lambda path: path.name)
def test_nothing_is_silent(root: Path, tmp_path: Path) -> None:
    if root in SAMPLES:  # which lie in a repository of their own
        root = Path(shutil.copytree(root, tmp_path / "copy"))
    apps, check = answer(root, "apps"), answer(root, "check")
    if check is None:
        pytest.skip("there is nothing to check")
    assert list(differences(apps, check)) == []


def differences(apps: Any, check: Any) -> Iterator[str]:
    """What one of the two says and the other does not."""
    found, sets, summary = apps["applications"], apps["applicationSets"], check["summary"]
    counted = (len(found), sum(one["seen"] == "whole" for one in found), len(sets))
    if counted != tuple(summary[key] for key in ("applications", "applicationsSeenWhole", "applicationSets")):
        yield f"apps counts {counted}, check {summary}"
    told = {(item["path"], item["reason"], item["detail"]) for item in check["notAnalysed"]}
    by_builds = {words for _, reason, detail in told for words in (reason, f"{reason}: {detail}")}
    judged = {one["path"] for one in check["findings"]} | {path for path, _, _ in told}
    for one in found:
        if bool(one["notSeen"]) != (one["seen"] != "whole"):
            yield f"{one['name']} is seen {one['seen']}: {one['notSeen']}"
        own = {detail.removeprefix(f"{one['name']}: ") for path, _, detail in told if path == one["path"]}
        for source in one["sources"]:
            yield from (f"{one['name']}: {words}" for words in source["unresolved"] if words not in own | by_builds)
            for failure in source["failures"]:
                if f"{failure['path']}: {failure['reason']}" not in own:
                    yield f"{one['name']} fails, and nothing says that it was not seen: {failure}"
                if failure["path"] not in judged and one["path"] not in judged:
                    yield f"{one['name']} fails, and no finding says why: {failure}"
    for one in sets:
        is_told = any((path, detail) == (one["path"], one["name"]) for path, _, detail in told)
        if (one["seen"] != "expanded" and not one["problems"]) and not is_told:
            yield f"the set {one['name']} is seen {one['seen']}"
        if one["problems"] and one["path"] not in judged:
            yield f"the set {one['name']} has problems, and no finding says which: {one['problems']}"
    if summary["complete"] and any(item["seen"] not in ("whole", "expanded") for item in (*found, *sets)):
        yield "check calls itself complete"


# -- made-up repositories

HERE = "https://git.example.com/here.git"
SOURCES = {
    "whole": f"repoURL: {HERE}, path: plain",
    "built": f"repoURL: {HERE}, path: built",
    "chart": "repoURL: 'https://charts.example.com', chart: redis, targetRevision: 1.2.3",
    "elsewhere": "repoURL: 'https://git.example.com/other.git', path: deploy",
    "missing": f"repoURL: {HERE}, path: nowhere",
    "placeholder": f"repoURL: {HERE}, path: '{{{{path}}}}'",
    "program": f"repoURL: {HERE}, path: programs",
    "plugin": f"repoURL: {HERE}, path: plain, plugin: {{name: own}}",
    "foreign-plugin": f"repoURL: {HERE}, path: programs, plugin: {{name: own}}",
    "refused": f"repoURL: {HERE}, path: broken",
    "remote-base": f"repoURL: {HERE}, path: remote",
    "unreadable": f"repoURL: {HERE}, path: unreadable",
    "own-chart": f"repoURL: {HERE}, path: chart",
    "refused-chart": f"repoURL: {HERE}, path: refused",
    "nothing": f"repoURL: {HERE}",
    "empty": "",
}
GENERATORS = {
    "list": "list: {elements: [{name: a}]}",
    "clusters": "clusters: {}",
    "chosen": "clusters: {selector: {matchLabels: {env: prod}}}",
    "plugin": "plugin: {configMapRef: {name: x}}",
    "requests": "pullRequest: {github: {owner: a, repo: b}}",
    "other": "git: {repoURL: 'https://git.example.com/other.git', directories: [{path: '*'}]}",
    "here": f"git: {{repoURL: {HERE}, directories: [{{path: none/*}}]}}",
}
CONFIG_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: default}\n"
FOLDERS = {
    ".gitops-lint.yaml": f"repo-urls: [{HERE}]\n",
    "plain/a.yaml": CONFIG_MAP,
    "built/kustomization.yaml": "resources: [a.yaml]\n",
    "built/a.yaml": CONFIG_MAP,
    "programs/main.jsonnet": "{}\n",
    "broken/kustomization.yaml": "resources: [gone.yaml]\n",
    "remote/kustomization.yaml": "resources: ['https://example.com/a.yaml']\n",
    "unreadable/a.yaml": "a: [\n",
    "chart/Chart.yaml": "apiVersion: v2\nname: chart\nversion: 1.0.0\n",
    "chart/templates/a.yaml": CONFIG_MAP,
    "refused/Chart.yaml": "apiVersion: v2\nname: refused\nversion: 1.0.0\n",
    "refused/templates/a.yaml": "{{ fail `no` }}\n",
}


def spec(sources: list[str], name: str) -> str:
    written = [f"{{{SOURCES[one]}}}" for one in sources]
    said = f"source: {written[0]}" if len(written) == 1 else f"sources: [{', '.join(written)}]"
    place = "{server: 'https://kubernetes.default.svc', namespace: default}"
    return f"{{metadata: {{name: {name}}}, spec: {{project: default, destination: {place}, {said}}}}}"


@given(
    sources=strategies.lists(strategies.lists(strategies.sampled_from(sorted(SOURCES)), min_size=1, max_size=2)),
    generators=strategies.lists(
        strategies.tuples(strategies.sampled_from(sorted(GENERATORS)), strategies.sampled_from(sorted(SOURCES)))
    ),
    with_helm=strategies.booleans(),
)
@settings(max_examples=25, deadline=None)
def test_nothing_is_silent_whatever_is_there(
    sources: list[list[str]], generators: list[tuple[str, str]], with_helm: bool, tmp_path_factory: Any
) -> None:
    root: Path = tmp_path_factory.mktemp("made-up")
    kind = "apiVersion: argoproj.io/v1alpha1, kind"
    files = dict(FOLDERS)
    for number, one in enumerate(sources):
        files[f"apps/app-{number}.yaml"] = f"{{{kind}: Application, {spec(one, f'app-{number}')[1:]}\n"
    for number, (generator, source) in enumerate(generators):
        template = spec([source], f"'set-{number}-{{{{name}}}}'")
        head = f"{{{kind}: ApplicationSet, metadata: {{name: set-{number}}}"
        files[f"apps/set-{number}.yaml"] = (
            f"{head}, spec: {{generators: [{{{GENERATORS[generator]}}}], template: {template}}}}}\n"
        )
    write(root, files)
    (root / ".git").mkdir()
    helm = str(helm3()) if with_helm else "off"
    apps, check = (invoked(command, root, helm) for command in ("apps", "check"))
    assert list(differences(apps, check)) == []


def invoked(command: str, root: Path, helm: str) -> Any:
    done = CliRunner().invoke(cli, [command, str(root), "--output-format", "json", "--helm", helm])
    return json.loads(done.stdout)
