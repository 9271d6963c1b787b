"""As much of the GitHub runner as a composite action needs: expressions, step scripts, files for outputs, commands."""

from __future__ import annotations

import itertools
import json
import operator
import re
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import yaml
from checkout import ROOT, clean_environment, copy_to

EXPRESSION = re.compile(r"\$\{\{(.+?)\}\}")
COMMAND = re.compile(r"^::(?P<name>[\w-]+)(?: (?P<properties>.*?))?::(?P<data>.*)$")
MARK = "executed"
TRAP = "import pathlib; pathlib.Path(__file__).with_name('executed').touch()\n"
"""A module that leaves the mark beside it, should anybody import it."""
HEREDOC = re.compile(r"(?P<name>[\w-]+)<<(?P<end>.+)")


@dataclass(frozen=True)
class Action:
    metadata: dict[str, Any]
    """Any: it is what YAML holds; the tests say what must be there."""

    @classmethod
    def read(cls, folder: Path) -> Action:
        return cls(yaml.safe_load((folder / "action.yml").read_text("utf-8")))

    @property
    def steps(self) -> list[dict[str, Any]]:
        return list(self.metadata["runs"]["steps"])

    @property
    def defaults(self) -> dict[str, str]:
        return {name: given["default"] for name, given in self.metadata["inputs"].items()}


@dataclass(frozen=True)
class Command:
    """A workflow command that the runner obeyed."""

    name: str
    properties: Mapping[str, str]
    data: str


@dataclass
class Step:
    outputs: dict[str, str] = field(default_factory=dict)
    outcome: str = "success"
    exit_code: int = 0
    log: str = ""


@dataclass
class Job:
    """One use of the action, and what came of it."""

    action: Action
    path: Path
    """The action's own files."""
    workspace: Path
    temp: Path
    inputs: dict[str, str]
    event: Mapping[str, object] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)
    outcome_of_upload: str = "success"
    steps: dict[str, Step] = field(default_factory=dict)
    """By id. A step that is here before the run counts as done."""
    uploads: list[dict[str, str]] = field(default_factory=list)
    caches: list[dict[str, str]] = field(default_factory=list)
    log: str = ""
    summary: str = ""
    exit_code: int = 0

    def run(self) -> Job:
        given = self.action.defaults | self.inputs
        self.inputs = given
        for number, declared in enumerate(self.action.steps):
            identity = declared.get("id", f"step-{number}")
            if identity in self.steps or not self._runs(declared.get("if", "")):
                continue
            step = self._upload(declared) if "uses" in declared else self._script(declared, number)
            self.steps[identity] = step
            self.log += step.log
            if step.outcome == "failure" and not declared.get("continue-on-error"):
                self.exit_code = step.exit_code
                break
        return self

    @property
    def outputs(self) -> dict[str, str]:
        return {name: self._filled(given["value"]) for name, given in self.action.metadata["outputs"].items()}

    @property
    def commands(self) -> list[Command]:
        return list(obeyed(self.log))

    def _upload(self, declared: Mapping[str, Any]) -> Step:
        given = {name: self._filled(value) for name, value in declared["with"].items()}
        (self.uploads if "sarif_file" in given else self.caches).append(given)
        return Step(outcome=self.outcome_of_upload)

    def _script(self, declared: Mapping[str, Any], number: int) -> Step:
        assert declared["shell"] == "bash"
        script, outputs, summary = (self.temp / f"{number}.{kind}" for kind in ("sh", "outputs", "summary"))
        script.write_text(declared["run"], "utf-8")
        outputs.touch()
        summary.write_text("before\n", "utf-8")
        values = {name: self._filled(value) for name, value in declared.get("env", {}).items()}
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", str(script)],
            cwd=self.workspace,
            env=clean_environment() | self._runner_environment(outputs, summary) | dict(self.environment) | values,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        text = summary.read_text("utf-8")
        assert text.startswith("before\n"), "the summary of an earlier step is overwritten"
        self.summary += text.removeprefix("before\n")
        outcome = "failure" if done.returncode else "success"
        return Step(dict(read_outputs(outputs)), outcome, done.returncode, done.stdout.decode("utf-8"))

    def _runner_environment(self, outputs: Path, summary: Path) -> dict[str, str]:
        event = self.temp / "event.json"
        event.write_text(json.dumps(self.event), "utf-8")
        return {
            "CI": "true",
            "GITHUB_ACTIONS": "true",
            "GITHUB_ACTION_PATH": str(self.path),
            "GITHUB_EVENT_NAME": "pull_request" if "pull_request" in self.event else "push",
            "GITHUB_EVENT_PATH": str(event),
            "GITHUB_OUTPUT": str(outputs),
            "GITHUB_STEP_SUMMARY": str(summary),
            "GITHUB_WORKSPACE": str(self.workspace),
            "RUNNER_OS": "Linux",
            "RUNNER_TEMP": str(self.temp),
        }

    def _filled(self, text: str) -> str:
        return EXPRESSION.sub(lambda found: self._value(found[1].strip()), text)

    def _runs(self, condition: str) -> bool:
        if not condition:
            return True
        left, operator, right = condition.partition(" == ")
        assert operator, f"the tests cannot evaluate {condition!r}"
        return self._value(left) == right.strip("'")

    def _value(self, name: str) -> str:
        """What is not there is empty, as on GitHub."""
        value: object = {
            "inputs": self.inputs,
            "steps": {key: {"outputs": step.outputs, "outcome": step.outcome} for key, step in self.steps.items()},
            "github": {"event": self.event},
        }
        for part in name.split("."):
            assert re.fullmatch(r"[\w-]+", part), f"the tests cannot evaluate {name!r}"
            value = value.get(part) if isinstance(value, Mapping) else None
        return "" if value is None else str(value)


def install(folder: Path) -> tuple[Path, Step]:
    """The action's files and its first step, run among modules that would like to be imported."""
    path, workspace, temp = (folder / name for name in ("action", "workspace", "temp"))
    for one in (path, workspace, temp):
        one.mkdir()
    copy_to(path)
    for name in ("venv", "pip", "ensurepip", "json", "secrets", "click", "sitecustomize"):
        (workspace / f"{name}.py").write_text(TRAP, "utf-8")
    action = Action.read(ROOT)
    first = Action({**action.metadata, "runs": {"steps": action.steps[:1]}})
    job = Job(first, path, workspace, temp, {}, environment={"PYTHONPATH": str(workspace)}).run()
    assert job.exit_code == 0, job.log
    assert not (workspace / MARK).exists()
    return path, job.steps["install"]


def annotated(job: Job) -> list[tuple[str, str, int]]:
    """Level, file and line of those that belong to a file, in their order."""
    placed = [command for command in job.commands if "file" in command.properties]
    return [(one.name, one.properties["file"], int(one.properties["line"])) for one in placed]


def notices(job: Job) -> str:
    return "\n".join(command.data for command in job.commands if command.name == "notice")


def read_outputs(path: Path) -> Iterator[tuple[str, str]]:
    lines = iter(path.read_text("utf-8").splitlines())
    for line in lines:
        found = HEREDOC.fullmatch(line)
        if found:
            yield found["name"], "\n".join(itertools.takewhile(partial(operator.ne, found["end"]), lines))
        else:
            name, equals, value = line.partition("=")
            assert equals, f"the runner would refuse {line!r}"
            yield name, value


def obeyed(log: str) -> Iterator[Command]:
    """The runner looks for commands in every line, until one of them stops that."""
    token: str | None = None
    for line in log.splitlines():
        found = COMMAND.match(line.lstrip())
        if not found:
            continue
        if token is not None:
            token = None if found["name"] == token else token
        elif found["name"] == "stop-commands":
            token = found["data"]
        else:
            properties = dict(one.split("=", 1) for one in (found["properties"] or "").split(",") if one)
            yield Command(found["name"], properties, found["data"])
