"""The plan as a timeline for a terminal: phases as bands, steps in order, what each waits for."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from ...argocd.waits import Wait
from ...dialects.phrases import counted
from ...facts.severity import Severity
from ...lint.result import Reported
from ...report.escape import terminal, terminal_path
from ...report.region import region_of
from ...report.report_options import ReportOptions
from ...report.style import BLUE, BOLD, CYAN, DIM, SEVERITY, Paint
from ..views import AppView, ObjectView, PlanView
from ..views.glance import can_hang, hang_ups
from ..views.plan_views import StepView
from ..views.plan_words import counts, left_out

_KIND_WIDTH: Final = 24
_NARROWEST: Final = 40


class Signs(NamedTuple):
    """The characters that draw."""

    band: str
    line: str
    step: str
    end: str
    arrow: str


BOXES: Final = Signs("━", "│", "├─", "└─", "→")
ASCII: Final = Signs("=", "|", "+-", "`-", "->")


def render(view: PlanView, options: ReportOptions, *, ascii_only: bool = False) -> str:
    writer = _Writer(options, Paint(options.color), ASCII if ascii_only else BOXES)
    known = [app for app in view.apps if app.steps or app.left_out]
    lines: list[str] = []
    for app in known:
        lines += [*writer.app(app), ""]
    lines += writer.without_objects([app for app in view.apps if not (app.steps or app.left_out)])
    lines += writer.elsewhere(view.elsewhere)
    lines.append(_closing(view))
    return "\n".join(lines) + "\n"


def _closing(view: PlanView) -> str:
    unique = {id(item): item for app in view.apps for item in app.all_findings}
    unique.update((id(item), item) for item in view.elsewhere)
    applications = sum(1 for app in view.apps if app.is_application)
    apps = f"{counted(applications, 'Application')}, {counted(len(view.apps) - applications, 'other unit')}"
    return f"{apps}; {counts(unique.values()) or 'no findings'}."


@dataclass(frozen=True)
class _Writer:
    options: ReportOptions
    paint: Paint
    signs: Signs

    # -- one app

    def app(self, app: AppView) -> Iterator[str]:
        where = terminal_path(self.options.shown_path(str(app.where)))
        yield f"{self.paint(terminal_path(app.title), BOLD)}  {self.paint(f'{app.kind}, {where}', DIM)}"
        if app.is_application:
            target = f"{app.source} {self.signs.arrow} {app.destination}; {app.policy}"
            yield from self._wrapped(target, "  ")
        for _, name in app.parents:
            yield from self._wrapped(f"created by the sync of {name}", "  ")
        yield from self._wrapped(app.summary, "  ")
        if hang_ups(app):
            yield from self._wrapped(f"It can hang: {can_hang(app)}", "  ", "    ", SEVERITY[Severity.WARNING])
        yield from self._trouble(app)
        phase = ""
        for step in app.steps:
            if step.phase != phase:
                phase = step.phase
                yield from self._band(phase)
            yield from self._step(step)
        yield from self._left_out(app)
        yield from self._about_itself(app)
        yield from self._notes(app)

    def _trouble(self, app: AppView) -> Iterator[str]:
        if app.failures:
            title = "Argo CD cannot generate the manifests, so nothing of this happens:"
            yield f"  {self.paint(title, SEVERITY[Severity.ERROR])}"
            for failure in app.failures:
                yield from self._wrapped(failure, "    ")
        if app.unresolved:
            title = "Not everything is known, objects may be missing here:"
            yield f"  {self.paint(title, SEVERITY[Severity.WARNING])}"
            for reason in app.unresolved:
                yield from self._wrapped(reason, "    ")

    def _band(self, phase: str) -> Iterator[str]:
        yield ""
        when = "  only if something failed" if phase == "SyncFail" else ""
        width = max(min(self.options.width, 100) - len(phase) - len(when) - 3, 8)
        yield f"  {self.paint(phase, BOLD)}{when} {self.paint(self.signs.band * width, BLUE)}"

    def _step(self, step: StepView) -> Iterator[str]:
        bar = f"  {self.paint(self.signs.line, BLUE)}"
        yield f"  {self.paint(self.signs.step, BLUE)} {self.paint(f'step {step.number}: {step.title}', BOLD)}"
        for run in step.runs:
            yield from (f"{bar}  {line}" for line in self._run(run))
        for objects, wait in step.alike_waits:
            yield from (f"{bar}  {line}" for line in self._wait(objects, wait))
        closing = f"  {self.paint(self.signs.end, BLUE)}" if step.is_last or step.phase == "SyncFail" else bar
        yield from self._wrapped(step.after, f"{closing} ", f"{bar}  ", DIM)

    # -- the objects of a step

    def _run(self, run: tuple[ObjectView, ...]) -> Iterator[str]:
        """Objects with nothing to say about them share lines: they are applied at the same time anyway."""
        kind = terminal(run[0].resource.kind)
        label = f"{kind} ({len(run)})" if len(run) > 1 else kind
        indent = " " * (_KIND_WIDTH + 1)
        first = label.ljust(_KIND_WIDTH) + " "
        plain = [one for one in run if not (one.findings or one.remarks or one.hook_types)]
        if plain:
            names = ", ".join(self._name(one) for one in plain)
            yield from self._wrapped(names, first, indent)
            first = indent
        for one in run:
            if one not in plain:
                yield first + self._titled(one)
                yield from self._details(one, "    ")
                first = indent

    def _name(self, one: ObjectView) -> str:
        return f"{one.shown_namespace}/{one.name}" if one.shown_namespace else one.name

    def _titled(self, one: ObjectView) -> str:
        name = self.paint(terminal(self._name(one)), BOLD)
        if one.hook_types:
            return f"{name}  {self.paint('hook: ' + ', '.join(one.hook_types), CYAN)}"
        there = f"{counts(one.findings)}, in its own plan" if one.child and one.findings else ""
        return f"{name}  {self.paint(there, DIM)}".rstrip()

    def _details(self, one: ObjectView, indent: str) -> Iterator[str]:
        for remark in one.remarks:
            yield from self._wrapped(remark, indent, indent, DIM)
        if not one.child:
            yield from self._findings(one.findings, indent)

    def _wait(self, objects: tuple[ObjectView, ...], wait: Wait) -> Iterator[str]:
        style = SEVERITY[Severity.ERROR] if wait.stuck else SEVERITY[Severity.WARNING] if wait.is_endless else CYAN
        names = ", ".join(one.name for one in objects)
        yield from self._wrapped(f"waits for {objects[0].resource.kind} {names}: {wait}", "", "  ", style)

    def _findings(self, findings: Iterable[Reported], indent: str) -> Iterator[str]:
        for item in sorted(findings, key=lambda item: (-item.severity, item.sort_key)):
            region = region_of(item.finding.at)
            where = f"{terminal_path(self.options.shown_path(item.file.path))}:{region.line}"
            head = f"{indent}{self.paint.severity(item.severity)} {item.rule.code} {self.paint(where, BOLD)} "
            yield from self._wrapped(item.finding.message, head, indent + "  ")

    # -- the rest

    def _left_out(self, app: AppView) -> Iterator[str]:
        if app.left_out:
            yield ""
            yield f"  {self.paint('Not applied by this sync', BOLD)}"
        for item, findings in zip(app.left_out, app.left_out_findings, strict=True):
            yield from self._wrapped(f"{item.resource.kind} {item.resource.display_name}: {left_out(item)}", "    ")
            yield from self._findings(findings, "      ")

    def _about_itself(self, app: AppView) -> Iterator[str]:
        if app.findings:
            yield ""
            yield f"  {self.paint('The Application and its files', BOLD)}"
            yield from self._findings(app.findings, "    ")

    def _notes(self, app: AppView) -> Iterator[str]:
        if app.notes:
            yield ""
        for note in app.notes:
            yield from self._wrapped(note, "  ", "  ", DIM)

    def without_objects(self, apps: Iterable[AppView]) -> Iterator[str]:
        shown = False
        for app in apps:
            if not shown:
                yield self.paint("Nothing is known of what these Applications apply", BOLD)
                shown = True
            why = "; ".join((*app.failures, *app.unresolved)) or "there is nothing in the folder"
            yield from self._wrapped(f"{app.name}: {why}", "  ", "    ")
            yield from self._findings(app.findings, "    ")
        if shown:
            yield ""

    def elsewhere(self, findings: tuple[Reported, ...]) -> Iterator[str]:
        if findings:
            yield self.paint("Findings elsewhere", BOLD)
            yield from self._findings(findings, "  ")
            yield ""

    def _wrapped(self, text: str, first: str, rest: str | None = None, style: str = "") -> Iterator[str]:
        """The indents may hold colours; what counts is how wide they look."""
        indent = first if rest is None else rest
        room = max(self.options.width - _visible_width(indent), _NARROWEST)
        taken = "." * min(max(_visible_width(first) - _visible_width(indent), 0), room - 1)
        lines = textwrap.wrap(
            terminal(text), room, initial_indent=taken, break_long_words=False, break_on_hyphens=False
        ) or [""]
        for number, line in enumerate(lines):
            shown = _no_command(line if number else line[len(taken) :])
            yield (indent if number else first) + (self.paint(shown, style) if style else shown)


def _no_command(line: str) -> str:
    """At the beginning of a line the runner of a workflow takes `::` for a command, whatever the indent."""
    return f"\\x3a{line[1:]}" if line.startswith("::") else line


def _visible_width(text: str) -> int:
    """Without escape sequences: an indent holds no other wide or unseen characters."""
    width, inside = 0, False
    for character in text:
        if character == "\x1b":
            inside = True
        elif inside:
            inside = character != "m"
        else:
            width += 1
    return width
