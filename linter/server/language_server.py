"""The language server: an editor's questions in, answers out. Nothing but the protocol is here."""

from __future__ import annotations

import asyncio
import gc
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import takewhile
from pathlib import Path
from typing import Final, TypeVar

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path, to_fs_path

from ..facts.severity import Severity
from ..lint.config import ConfigError
from ..lint.partial_run import OF_PARTS
from ..lint.result import Reported
from ..lint.session import Session
from ..report.escape import visible
from ..report.links import rule_url
from ..report.region import region_of
from ..report.report_options import TOOL, ReportOptions
from ..yaml.source import Place, SourceFile
from .editor_answers import Mend, hover, mends, origins
from .editor_state import EditorState

PAUSE: Final = 0.15
"""Seconds without a key, after which it looks again."""
FULL_PAUSE: Final = 0.5
"""Seconds more, after which it looks at everything: until then it has judged what the edit touches."""
LONG_PAUSE: Final = 3.0
MOST_LOOKS: Final = 20
"""Without a long pause between them."""
STACK: Final = 256 * 1024 * 1024
"""Documents may be deep; a thread has less room than a program."""
_SEVERITY: Final = {
    Severity.ERROR: lsp.DiagnosticSeverity.Error,
    Severity.WARNING: lsp.DiagnosticSeverity.Warning,
    Severity.NOTE: lsp.DiagnosticSeverity.Information,
}
Answer = TypeVar("Answer")


class Server(LanguageServer):
    """One repository. All that touches it happens in one thread, one thing after the other."""

    def __init__(self, options: ReportOptions, session_for: Callable[[Path], Session]) -> None:
        super().__init__(TOOL, options.tool_version)
        self.options = options
        self.session_for = session_for
        self.state: EditorState | None = None
        self.shown: set[str] = set()
        self.waiting: asyncio.Task[None] | None = None
        self.pending: list[Callable[[EditorState], None]] = []
        self.typed: set[str] = set()
        """The files that were typed in since everything was looked at."""
        self.looks = 0
        """Since the memory was tidied up."""
        gc.disable()
        threading.stack_size(STACK)
        self.worker = ThreadPoolExecutor(1)

    async def ask(self, question: Callable[[], Answer]) -> Answer:
        return await asyncio.get_running_loop().run_in_executor(self.worker, question)

    async def open(self, root: Path) -> None:
        try:
            self.state = await self.ask(lambda: EditorState(root, self.session_for))
        except ConfigError as error:
            self.window_show_message(lsp.ShowMessageParams(lsp.MessageType.Error, visible(str(error))))
            return
        await self.tell()

    def soon(self, change: Callable[[EditorState], None], path: str | None = None) -> None:
        """After a pause; another key starts it anew, and no change is forgotten. The path: only a file was typed in."""
        self.pending.append(change)
        self.typed = self.typed | {path or "*"}
        if self.waiting is not None and not self.waiting.done():
            self.waiting.cancel()
        self.waiting = asyncio.get_running_loop().create_task(self._after_pause())

    async def _after_pause(self) -> None:
        await asyncio.sleep(PAUSE)
        state = self.state
        if state is not None:
            changes, self.pending = self.pending, []
            try:
                await self.ask(lambda: [change(state) for change in changes])
                if len(self.typed) == 1 and "*" not in self.typed:
                    await self._tell_first(state, next(iter(self.typed)))
                    await asyncio.sleep(FULL_PAUSE)
                await self.ask(state.look)
                self.typed = set()
            except ConfigError as error:
                self.window_show_message(lsp.ShowMessageParams(lsp.MessageType.Error, visible(str(error))))
                return
            await self.tell()
            await self._tidy()

    async def _tidy(self) -> None:
        """Old looks are full of circles. To search for them takes as long as a look, so it waits for a longer pause."""
        self.looks += 1
        if self.looks < MOST_LOOKS:
            await asyncio.sleep(LONG_PAUSE)  # another key ends it here
        self.looks = 0
        await self.ask(gc.collect)

    async def _tell_first(self, state: EditorState, path: str) -> None:
        """Of the file that one types in: what rules about objects and apps say now, and what the others said before."""
        last = state.file(path)
        if last is None:
            return
        others = [item for item in state.findings(path) if item.rule.scope not in OF_PARTS]
        kept = [_diagnostic(item, state, self.options) for item in others]
        new = await self.ask(state.glance)
        if new is None:
            return
        here = [_diagnostic(item, state, self.options) for item in new if item.file.path == path]
        text = state.text(path)
        found = [*here, *(one for one in kept if _move(one, last.text, text))]
        self.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(_uri(state, path), found))
        self.shown.add(path)

    async def tell(self) -> None:
        """The findings of every file that has some, and nothing for those that had."""
        state = self.state
        if state is None:
            return
        found: dict[str, list[lsp.Diagnostic]] = await self.ask(lambda: self._diagnostics(state))
        for path in sorted(self.shown | set(found)):
            address = _uri(state, path)
            self.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(address, found.get(path, [])))
        self.shown = set(found)

    def _diagnostics(self, state: EditorState) -> dict[str, list[lsp.Diagnostic]]:
        found: dict[str, list[lsp.Diagnostic]] = {}
        for item in state.linted.result.reported:
            found.setdefault(item.file.path, []).append(_diagnostic(item, state, self.options))
        return found


def make_server(options: ReportOptions, session_for: Callable[[Path], Session]) -> Server:
    server = Server(options, session_for)

    @server.feature(lsp.INITIALIZED)
    async def initialized(_: lsp.InitializedParams) -> None:
        root = server.workspace.root_path
        await server.open(Path(root) if root else Path.cwd())

    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    async def opened(given: lsp.DidOpenTextDocumentParams) -> None:
        _take(server, given.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    async def changed(given: lsp.DidChangeTextDocumentParams) -> None:
        _take(server, given.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    async def closed(given: lsp.DidCloseTextDocumentParams) -> None:
        path = _path(server, given.text_document.uri)
        if path is not None:
            server.soon(lambda state: state.closed(path))

    @server.feature(lsp.TEXT_DOCUMENT_DID_SAVE)
    async def saved(_: lsp.DidSaveTextDocumentParams) -> None:
        server.soon(EditorState.reload)

    @server.feature(lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    async def moved(_: lsp.DidChangeWatchedFilesParams) -> None:
        server.soon(EditorState.reload)

    @server.feature(lsp.TEXT_DOCUMENT_HOVER)
    async def hovered(given: lsp.HoverParams) -> lsp.Hover | None:
        state, path, file = _file(server, given.text_document.uri)
        if state is None or path is None or file is None:
            return None
        offset = _offset(file, given.position)
        text = await server.ask(lambda: hover(state, path, offset, server.options))
        return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, text)) if text else None

    @server.feature(lsp.TEXT_DOCUMENT_CODE_ACTION, lsp.CodeActionOptions([lsp.CodeActionKind.QuickFix]))
    async def actions(given: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        state, path, file = _file(server, given.text_document.uri)
        if state is None or path is None or file is None:
            return []
        start, end = _offset(file, given.range.start), _offset(file, given.range.end)
        found = await server.ask(lambda: list(mends(state, path, start, end)))
        return [_action(one, state, server.options) for one in found]

    @server.feature(lsp.TEXT_DOCUMENT_DEFINITION)
    async def definition(given: lsp.DefinitionParams) -> list[lsp.Location]:
        state, path, file = _file(server, given.text_document.uri)
        if state is None or path is None or file is None:
            return []
        offset = _offset(file, given.position)
        found = await server.ask(lambda: list(origins(state, path, offset)))
        places = []
        for target in found:
            there = state.file(target.path)
            start, end = (target.span.start, target.span.end) if target.span else (0, 0)
            if there is not None:
                places.append(lsp.Location(_uri(state, target.path), _range(there, start, end)))
        return places

    return server


def _take(server: Server, uri: str) -> None:
    path = _path(server, uri)
    if path is not None:
        text = server.workspace.get_text_document(uri).source
        server.soon(lambda state: state.typed(path, text), path)


def _path(server: Server, uri: str) -> str | None:
    address = to_fs_path(uri)
    if server.state is None or address is None:
        return None
    return server.state.path_of(Path(address))


def _file(server: Server, uri: str) -> tuple[EditorState | None, str | None, SourceFile | None]:
    """As it was last looked at; nothing where the editor has another text by now: offsets would be wrong."""
    path = _path(server, uri)
    state = server.state
    file = state.file(path) if state is not None and path is not None else None
    if file is not None and server.workspace.get_text_document(uri).source.removeprefix("\ufeff") != file.text:
        return state, path, None
    return state, path, file


def _uri(state: EditorState, path: str) -> str:
    return str(from_fs_path(str(state.address_of(path))))


# -- places: the protocol counts lines from 0 and columns in UTF-16


def _range(file: SourceFile, start: int, end: int) -> lsp.Range:
    return lsp.Range(_position(file, start), _position(file, end))


def _position(file: SourceFile, offset: int) -> lsp.Position:
    place = file.position(offset)
    before = file.text[offset - place.column + 1 : offset]
    return lsp.Position(place.line - 1, len(before.encode("utf-16-le", "surrogatepass")) // 2)


def _offset(file: SourceFile, position: lsp.Position) -> int:
    lines = file.position(len(file.text)).line
    span = file.line_span(min(position.line + 1, lines))
    units = 0
    for index, character in enumerate(file.text[span.start : span.end]):
        if units >= position.character:
            return span.start + index
        units += 2 if ord(character) > 0xFFFF else 1
    return span.end


def _move(said: lsp.Diagnostic, before: str, after: str) -> bool:
    """To where its lines are now; not, where they were edited."""
    old, new = before.split("\n"), after.split("\n")
    same = _alike(old, new)
    tail = _alike(old[: same - 1 : -1] if same else old[::-1], new[: same - 1 : -1] if same else new[::-1])
    if said.range.end.line >= same:
        if said.range.start.line < len(old) - tail:
            return False
        for end in (said.range.start, said.range.end):
            end.line += len(new) - len(old)
    return True


def _alike(some: Sequence[str], others: Sequence[str]) -> int:
    """How many lines are the same, from the first."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(some, others, strict=False)))


# -- what is said


def _diagnostic(item: Reported, state: EditorState, options: ReportOptions) -> lsp.Diagnostic:
    region = region_of(item.finding.at)
    wording = item.finding.wording
    url = rule_url(item.rule, options)
    return lsp.Diagnostic(
        range=_range(region.file, region.start, region.end),
        message=visible(" ".join(filter(None, (wording.headline, wording.happens)))),
        severity=_SEVERITY[item.severity],
        code=f"{item.rule.code} {item.rule.name}",
        code_description=lsp.CodeDescription(url) if url else None,
        source=TOOL,
        related_information=[
            lsp.DiagnosticRelatedInformation(_location(note.at, state), visible(note.message))
            for note in item.finding.related
        ],
    )


def _location(place: Place, state: EditorState) -> lsp.Location:
    region = region_of(place)
    return lsp.Location(_uri(state, place.file.path), _range(region.file, region.start, region.end))


def _action(mend: Mend, state: EditorState, options: ReportOptions) -> lsp.CodeAction:
    file = state.file(mend.path)
    edits = [lsp.TextEdit(_range(file, one.start, one.end), one.text) for one in mend.edits] if file else []
    return lsp.CodeAction(
        title=visible(f"{mend.item.rule.code}: {mend.title}"),
        kind=lsp.CodeActionKind.QuickFix,
        diagnostics=[_diagnostic(mend.item, state, options)],
        is_preferred=mend.safe,
        edit=lsp.WorkspaceEdit(changes={_uri(state, mend.path): edits}),
    )
