"""The server, driven by a real client over standard input and output."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from command_line import COMMAND, JOB
from real_tools import helm

lsp = pytest.importorskip("lsprotocol.types", reason="needs the extra server: pip install gitops-lint[server]")
from pygls.lsp.client import LanguageClient  # noqa: E402
from pygls.uris import from_fs_path, to_fs_path  # noqa: E402

APP = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: shop, namespace: argocd}
spec:
  project: default
  source: {repoURL: "https://example.org/a.git", path: shop, targetRevision: HEAD}
  destination: {server: "https://kubernetes.default.svc", namespace: shop}
"""
WEB = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: 1
  selector: {matchLabels: {a: b}}
  template:
    metadata: {labels: {a: b}}
    spec: {containers: [{name: web, image: web}]}
"""


class Editor:
    """One that remembers what it was told."""

    def __init__(self, client: Any, root: Path) -> None:
        self.client = client
        self.root = root
        self.said: dict[str, list[Any]] = {}
        self.heard = asyncio.Event()
        self.version = 0

        @client.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def told(given: Any) -> None:
            self.said[given.uri] = given.diagnostics
            self.heard.set()

    def uri(self, path: str) -> str:
        return str(from_fs_path(str((self.root / path).resolve())))

    def codes(self, path: str) -> set[str]:
        return {one.code.split()[0] for one in self.said.get(self.uri(path), [])}

    async def until(self, holds: Callable[[], bool]) -> float:
        start = time.monotonic()
        while not holds():
            self.heard.clear()
            await asyncio.wait_for(self.heard.wait(), 60)
        return time.monotonic() - start

    async def start(self) -> None:
        await self.client.start_io(str(COMMAND), "server")
        capabilities = lsp.ClientCapabilities()
        folder = str(from_fs_path(str(self.root.resolve())))
        await self.client.initialize_async(lsp.InitializeParams(capabilities=capabilities, root_uri=folder))
        self.client.initialized(lsp.InitializedParams())

    def open(self, path: str) -> None:
        text = (self.root / path).read_text()
        document = lsp.TextDocumentItem(self.uri(path), "yaml", self.version, text)
        self.client.text_document_did_open(lsp.DidOpenTextDocumentParams(document))

    def type(self, path: str, text: str) -> None:
        self.version += 1
        document = lsp.VersionedTextDocumentIdentifier(version=self.version, uri=self.uri(path))
        whole = lsp.TextDocumentContentChangeWholeDocument(text)
        self.client.text_document_did_change(lsp.DidChangeTextDocumentParams(document, [whole]))

    def at(self, path: str, line: int, column: int) -> dict[str, Any]:
        return {
            "text_document": lsp.TextDocumentIdentifier(self.uri(path)),
            "position": lsp.Position(line - 1, column - 1),
        }


def edit(root: Path, steps: Callable[[Editor], Awaitable[None]]) -> None:
    async def session() -> None:
        editor = Editor(LanguageClient("test", "1"), root)
        await editor.start()
        try:
            await steps(editor)
        finally:
            await editor.client.shutdown_async(None)
            editor.client.exit(None)
            await editor.client.stop()

    asyncio.run(session())


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    for folder in (".git", "shop", "base"):
        (tmp_path / folder).mkdir()
    (tmp_path / "app.yaml").write_text(APP)
    (tmp_path / "base" / "web.yaml").write_text(WEB)
    (tmp_path / "base" / "kustomization.yaml").write_text("resources: [web.yaml]\n")
    (tmp_path / "shop" / "job.yaml").write_text(JOB)
    (tmp_path / "shop" / "kustomization.yaml").write_text(
        "resources:\n  - ../base\n  - job.yaml\npatches:\n  - path: replicas.yaml\n"
    )
    (tmp_path / "shop" / "replicas.yaml").write_text(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  replicas: 3\n"
    )
    return tmp_path


def test_findings_come_and_go_as_one_types(repo: Path) -> None:
    async def steps(editor: Editor) -> None:
        await editor.until(lambda: "GL102" in editor.codes("shop/job.yaml"))
        editor.open("shop/job.yaml")
        editor.type("shop/job.yaml", f"{JOB}  activeDeadlineSeconds: 600\n")
        await editor.until(lambda: "GL102" not in editor.codes("shop/job.yaml"))
        editor.type("shop/job.yaml", JOB)
        await editor.until(lambda: "GL102" in editor.codes("shop/job.yaml"))
        (one,) = [one for one in editor.said[editor.uri("shop/job.yaml")] if one.code.startswith("GL102")]
        assert one.range == lsp.Range(lsp.Position(5, 29), lsp.Position(5, 36))
        assert one.code_description.href.endswith("/hook-without-deadline.md")

    edit(repo, steps)


def test_a_file_is_judged_by_what_is_typed_in_another(repo: Path) -> None:
    """The whole repository is the context: a kustomization that names the Job no longer has it applied."""

    async def steps(editor: Editor) -> None:
        await editor.until(lambda: "GL102" in editor.codes("shop/job.yaml"))
        editor.open("shop/kustomization.yaml")
        editor.type("shop/kustomization.yaml", "resources:\n  - ../base\n")
        await editor.until(lambda: "GL102" not in editor.codes("shop/job.yaml"))

    edit(repo, steps)


def test_what_is_typed_in_two_files_at_once_counts_in_both(repo: Path) -> None:
    """As when something is renamed everywhere."""
    (repo / "shop" / "other.yaml").write_text(JOB.replace("migrate", "other"))
    (repo / "shop" / "kustomization.yaml").write_text("resources: [job.yaml, other.yaml]\n")

    async def steps(editor: Editor) -> None:
        await editor.until(lambda: "GL102" in editor.codes("shop/job.yaml") & editor.codes("shop/other.yaml"))
        for path in ("shop/job.yaml", "shop/other.yaml"):
            editor.open(path)
            editor.type(path, (repo / path).read_text() + "  activeDeadlineSeconds: 600\n")
        await editor.until(lambda: "GL102" not in editor.codes("shop/job.yaml") | editor.codes("shop/other.yaml"))

    edit(repo, steps)


def test_what_was_said_moves_with_its_lines() -> None:
    from gitops_lint.linter.server.language_server import _move

    def at(line: int) -> Any:
        return lsp.Diagnostic(lsp.Range(lsp.Position(line, 0), lsp.Position(line, 3)), "a")

    before, after = "a\nb\nc\nd", "a\nx\ny\nc\nd"
    moved = {line: one.range.start.line for line in range(4) if _move(one := at(line), before, after)}
    assert moved == {0: 0, 2: 3, 3: 4}
    assert _move(same := at(3), before, before)
    assert same.range.start.line == 3


def test_a_fix_and_an_ignore_are_actions(repo: Path) -> None:
    async def steps(editor: Editor) -> None:
        await editor.until(lambda: "GL102" in editor.codes("shop/job.yaml"))
        editor.open("shop/job.yaml")
        place = editor.at("shop/job.yaml", 6, 31)
        here = lsp.Range(place["position"], place["position"])
        given = lsp.CodeActionParams(place["text_document"], here, lsp.CodeActionContext([]))
        actions = await editor.client.text_document_code_action_async(given)
        titles = {action.title: action for action in actions}
        fix = titles["GL102: set a deadline of ten minutes (unsafe)"]
        assert applied(JOB, fix.edit.changes[editor.uri("shop/job.yaml")]) == f"{JOB}  activeDeadlineSeconds: 600\n"
        ignore = titles["GL102: accept it: ignore hook-without-deadline here"]
        text = applied(JOB, ignore.edit.changes[editor.uri("shop/job.yaml")])
        assert "    # gitops-lint: ignore[hook-without-deadline] TODO: say why\n    argocd" in text
        editor.type("shop/job.yaml", text)
        await editor.until(lambda: "GL102" not in editor.codes("shop/job.yaml"))

    edit(repo, steps)


def applied(text: str, edits: list[Any]) -> str:
    lines = text.splitlines(keepends=True)
    for one in sorted(edits, key=lambda one: (one.range.start.line, one.range.start.character), reverse=True):
        start = sum(map(len, lines[: one.range.start.line])) + one.range.start.character
        end = sum(map(len, lines[: one.range.end.line])) + one.range.end.character
        text = text[:start] + one.new_text + text[end:]
    return text


def test_hovering_says_why_and_when(repo: Path) -> None:
    async def steps(editor: Editor) -> None:
        await editor.until(lambda: "GL102" in editor.codes("shop/job.yaml"))
        editor.open("shop/job.yaml")
        found = await editor.client.text_document_hover_async(lsp.HoverParams(**editor.at("shop/job.yaml", 6, 31)))
        assert "has no activeDeadlineSeconds" in found.contents.value
        assert "[GL102 hook-without-deadline](https://" in found.contents.value
        assert "step 1 of 2 (PreSync, wave 0) in the sync of Application shop" in found.contents.value
        assert "The sync waits here&#58; until it completes" in found.contents.value
        editor.open("base/web.yaml")
        other = await editor.client.text_document_hover_async(lsp.HoverParams(**editor.at("base/web.yaml", 4, 5)))
        assert "step 2 of 2 (Sync, wave 0) in the sync of Application shop" in other.contents.value

    edit(repo, steps)


def test_a_field_leads_to_its_base_and_its_patch(repo: Path) -> None:
    async def steps(editor: Editor) -> None:
        await editor.until(lambda: "GL102" in editor.codes("shop/job.yaml"))
        for path in ("base/web.yaml", "shop/replicas.yaml", "shop/kustomization.yaml"):
            editor.open(path)

        async def leads(path: str, line: int, column: int) -> set[tuple[str, int]]:
            given = lsp.DefinitionParams(**editor.at(path, line, column))
            found = await editor.client.text_document_definition_async(given)
            return {
                (Path(to_fs_path(one.uri)).relative_to(repo.resolve()).as_posix(), one.range.start.line + 1)
                for one in found
            }

        assert await leads("shop/replicas.yaml", 5, 13) == {("base/web.yaml", 6)}
        assert await leads("base/web.yaml", 6, 13) == {("shop/replicas.yaml", 5)}
        assert await leads("shop/kustomization.yaml", 5, 14) == {("shop/replicas.yaml", 1)}
        assert await leads("shop/kustomization.yaml", 2, 6) == {("base/kustomization.yaml", 1)}

    edit(repo, steps)


TEMPLATE = """\
apiVersion: batch/v1
kind: Job
metadata:
  name: {{ .Release.Name }}-migrate
  annotations:
    argocd.argoproj.io/hook: PreSync
    argocd.argoproj.io/sync-wave: {{ .Values.wave | quote }}
spec:
  template:
    spec:
      restartPolicy: Never
      containers: [{name: a, image: "a:1"}]
"""


def test_a_field_of_a_chart_leads_to_its_value(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{helm().parent}{os.pathsep}{os.environ['PATH']}")
    (repo / "chart" / "templates").mkdir(parents=True)
    (repo / "chart" / "Chart.yaml").write_text("apiVersion: v2\nname: chart\nversion: 1.0.0\n")
    (repo / "chart" / "values.yaml").write_text("# when it runs\nwave: 3\n")
    (repo / "chart" / "templates" / "job.yaml").write_text(TEMPLATE)
    (repo / "chart-app.yaml").write_text(APP.replace("name: shop", "name: chart").replace("path: shop", "path: chart"))

    async def steps(editor: Editor) -> None:
        await editor.until(lambda: "GL102" in editor.codes("chart/templates/job.yaml"))
        editor.open("chart/templates/job.yaml")
        given = lsp.DefinitionParams(**editor.at("chart/templates/job.yaml", 7, 45))
        found = await editor.client.text_document_definition_async(given)
        assert {(Path(to_fs_path(one.uri)).name, one.range.start.line + 1) for one in found or ()} == {
            ("values.yaml", 2)
        }

    edit(repo, steps)


def test_without_the_extra_it_says_what_to_install(repo: Path) -> None:
    script = (
        "import sys; sys.modules['pygls'] = None; sys.argv = ['gitops-lint', 'server'];"
        "from gitops_lint.linter.cli.main import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=repo)
    assert done.returncode == 2
    assert "pip install 'gitops-lint[server]'" in done.stderr
