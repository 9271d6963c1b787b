"""What a merge does, for a terminal: one line an object, in the order of the sync."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from ...facts.severity import Severity
from ...report.escape import terminal, terminal_path
from ...report.report_options import ReportOptions
from ...report.style import BOLD, CYAN, DIM, SEVERITY, Paint
from ..changes.change_views import SIGNS, Action, AppChangeView, ChangedObject, ChangeView
from ..changes.changed_fields import Field
from . import change_words

MOST_FIELDS: Final = 20
_COLORS: Final = {
    Action.CREATE: "32",
    Action.CHANGE: "33",
    Action.RECREATE: "1;33",
    Action.REFUSED: "1;31",
    Action.PRUNE: "31",
    Action.MOVE: "33",
    Action.RUN: CYAN,
    Action.STAY: DIM,
    Action.SKIP: DIM,
}
_KIND_WIDTH: Final = 24


def render(view: ChangeView, options: ReportOptions, *, ascii_only: bool = False) -> str:
    writer = _Writer(options, Paint(options.color), "->" if ascii_only else "→")
    lines: list[str] = []
    for app in view.apps:
        lines += [*writer.app(app), ""]
    lines.append(terminal_path(change_words.closing(view)))
    text = "\n".join(lines) + "\n"
    return text.replace("…", "...") if ascii_only else text


@dataclass(frozen=True)
class _Writer:
    options: ReportOptions
    paint: Paint
    arrow: str

    def app(self, app: AppChangeView) -> Iterator[str]:
        where = f", {self.options.shown_path(str(app.where))}" if app.where else ""
        about = terminal(f"{app.kind}{where}")
        yield f"{self.paint(terminal_path(change_words.title(app)), BOLD)}  {self.paint(about, DIM)}"
        if app.is_application:
            yield f"  {terminal(app.source)} {self.arrow} {terminal(app.destination)}; {terminal(app.how)}"
        for words in app.words:
            yield f"  {self.paint(terminal(words), SEVERITY[Severity.WARNING])}"
        yield from self._trouble(app)
        yield from self._fields(app.fields, "    ")
        for title, objects in app.groups:
            yield f"  {self.paint(title, BOLD)}"
            for one in objects:
                yield from self._object(one)
        for note in app.notes:
            yield f"  {self.paint(terminal(note), DIM)}"

    def _trouble(self, app: AppChangeView) -> Iterator[str]:
        if app.failures:
            title = "Argo CD cannot generate the manifests, so nothing of this happens:"
            yield f"  {self.paint(title, SEVERITY[Severity.ERROR])}"
            yield from (f"    {terminal_path(failure)}" for failure in app.failures)
        if app.unresolved:
            title = "Not everything is known, objects may be missing here:"
            yield f"  {self.paint(title, SEVERITY[Severity.WARNING])}"
            yield from (f"    {terminal_path(reason)}" for reason in app.unresolved)

    def _object(self, one: ChangedObject) -> Iterator[str]:
        sign = self.paint(SIGNS[one.action].rjust(3), _COLORS[one.action])
        name = self.paint(terminal(one.name), BOLD)
        said = change_words.remarks(one)
        line = f"  {sign} {one.action.value.ljust(11)} {terminal(one.resource.kind).ljust(_KIND_WIDTH)} {name}"
        yield f"{line}  {self.paint(terminal(said), DIM)}" if said else line
        yield from self._fields(one.fields, " " * 10)

    def _fields(self, fields: tuple[Field, ...], indent: str) -> Iterator[str]:
        for field in fields[:MOST_FIELDS]:
            yield f"{indent}{terminal_path(field.path)}: {self._values(field)}"
            for line in field.lines[:MOST_FIELDS]:
                yield f"{indent}  {self.paint(terminal(line), '32' if line.startswith('+') else '31')}"
            if len(field.lines) > MOST_FIELDS:
                yield f"{indent}  {self.paint(f'and {len(field.lines) - MOST_FIELDS} more lines', DIM)}"
        if len(fields) > MOST_FIELDS:
            yield f"{indent}{self.paint(f'and {len(fields) - MOST_FIELDS} more fields', DIM)}"

    def _values(self, field: Field) -> str:
        if field.hidden:
            return self.paint(f"{field.what} (not shown)", DIM)
        old = self.paint(terminal(field.before), "31") if field.before is not None else ""
        new = self.paint(terminal(field.after), "32") if field.after is not None else ""
        if not old or not new:
            return f"{field.what}: {old or new}"
        return f"{old} {self.arrow} {new}"
