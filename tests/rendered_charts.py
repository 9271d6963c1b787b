"""Charts written by tests, rendered by the real Helm: once as they are, and once with marks."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable
from pathlib import Path

import real_tools
from gitops_lint.linter.helm.line_marks import Lines, mark, read_marks
from gitops_lint.linter.helm.printed_documents import RenderedDocument, documents_of
from gitops_lint.linter.helm.template_file import NEVER_YAML, TemplateFile
from gitops_lint.linter.yaml.source import Node, SourceFile

CHART = "apiVersion: v2\nname: demo\nversion: 0.1.0\nappVersion: 1.16.0\n"


def token_for(texts: Iterable[str]) -> str:
    """A word that occurs in none of the texts, to begin the marks with."""
    everything = list(texts)
    number = 0
    while any(f"#@{number}@" in text for text in everything):
        number += 1
    return f"#@{number}@"


class Chart:
    """The files of one chart, by their path in it."""

    def __init__(self, scratch: Path, files: dict[str, str], *arguments: str) -> None:
        self.files = {"Chart.yaml": CHART, "values.yaml": "", **files}
        self.scratch = scratch
        self.arguments = arguments
        self.templates = {path: TemplateFile(path, text) for path, text in self.files.items() if "templates/" in path}
        self.numbers = [path for path in self.templates if not path.endswith(NEVER_YAML)]
        self.token = token_for(self.files.values())
        self.marked_renders = 0
        self.clean = self.render("clean", {})

    def render(self, name: str, instead: dict[str, str]) -> str:
        folder = self.scratch / name / "demo"
        for path, text in {**self.files, **instead}.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(text.encode())
        command = [str(real_tools.helm()), "template", "rel", str(folder), *self.arguments]
        environment = {**os.environ, "HELM_CACHE_HOME": str(self.scratch), "HELM_CONFIG_HOME": str(self.scratch)}
        done = subprocess.run(command, capture_output=True, timeout=60, env=environment)
        assert not done.returncode, done.stderr.decode()
        return done.stdout.decode()

    def lines(self) -> Lines | None:
        self.marked_renders += 1
        marked = {path: mark(self.files[path], number, self.token) for number, path in enumerate(self.numbers)}
        return read_marks(self.render("marked", marked), self.clean, self.token)

    def file_of(self, path: str) -> SourceFile:
        return self.templates[path.removeprefix("demo/")]

    def documents(self, *, marked: bool = True) -> list[RenderedDocument]:
        found = documents_of(
            self.clean,
            self.file_of,
            self.lines if marked else lambda: None,
            lambda number: self.templates[self.numbers[number]],
        )
        assert all(isinstance(one, RenderedDocument) for one in found)
        return found  # type: ignore[return-value]


def scalars(document: RenderedDocument) -> list[Node]:
    """Every place with a value of its own, and every key."""
    return [node for node in document.root.walk() if node.parent is not None]


def where(node: Node) -> str:
    """As people name a place: its file, line and column."""
    origin = node.origin
    position = origin.file.position(origin.span.start)
    return f"{origin.file.path}:{position.line}"
