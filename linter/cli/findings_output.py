"""What `check` found, in every format that was asked for, and the exit code that comes of it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from .. import VERSION
from ..facts.severity import Severity
from . import terminal
from .arguments import Output
from .options import Options, words
from .output import CLEAN, FAILED, FINDINGS, put, remark

if TYPE_CHECKING:
    from ..files.discover import Found
    from ..lint.config import Config
    from ..lint.result import Result
    from ..lint.run import Linted
    from ..lint.session import Session
    from ..report import ReportOptions


def report(linted: Linted, found: Found, session: Session, options: Options) -> int:
    from ..report import renderer
    from ..report.formats import PAGE

    config = session.config
    if options.concerns_baseline:
        from .baseline_command import change

        linted, said, done = change(session, linted, found, options)
        remark(options, said)
        if done:
            return CLEAN
    linted = linted._replace(result=chosen_of(linted, options))
    result = linted.result
    if linted.change and "markdown" in {output.format or config.output_format for output in _outputs(options)}:
        from ..plan.printed_plan import with_affected

        result = with_affected(linted)
    for note in linted.notes:
        remark(options, linted.credentials.starred(f"note: {note}"))
    for output in _outputs(options):
        report = report_options(found, config, options, to_file=output.file is not None)
        if options.statistics:
            text = _counted(output, linted, report, options)
        elif output.format == PAGE:
            from ..plan.printed_plan import page_of_findings

            link_root = seen_from_page(output, found)
            text = page_of_findings(linted, result, found, options.app, report, link_root)
        else:
            text = renderer(output.format or config.output_format)(result, report)
        put(linted.credentials.starred(text), output.file, found.root, to_stderr=options.to_stderr)
    if options.verbose:
        unknown = sum(linted.repo.validation.without_schema.values())
        remark(options, f"{unknown} custom resources not validated, since no schema is known" if unknown else "")
    if result.crashed:
        return FAILED
    failing = config.threshold is not None and any(item.severity >= config.threshold for item in result.reported)
    if options.strict and not result.is_complete:
        remark(options, "error: --strict: not everything was looked into, see what was not analysed")
        failing = True
    return FINDINGS if failing and not options.exit_zero else CLEAN


def chosen_of(linted: Linted, options: Options) -> Result:
    """What was asked for of it; the exit code is about that, too."""
    from ..report.choice import chosen

    if options.app is not None:
        from ..plan.views import choose

        choose(linted.repo, options.app)  # says what there is, if there is no such Application
    least = Severity[options.min_severity.upper()] if options.min_severity else None
    return chosen(linted.result, least, words(options.show), options.app)


def _outputs(options: Options) -> Sequence[Output]:
    return options.outputs or (Output("", None),)


def _counted(output: Output, linted: Linted, report: ReportOptions, options: Options) -> str:
    from ..report.statistics import Statistics, as_json, as_text

    found = Statistics(linted.result, linted.seconds, linted.repo.validation.without_schema)
    if output.format == "json":
        return as_json(found, report, timing=options.verbose)
    return as_text(found, timing=options.verbose)


def report_options(found: Found, config: Config, options: Options, *, to_file: bool) -> ReportOptions:
    from ..report import ReportOptions

    return ReportOptions(
        tool_version=VERSION,
        color=not to_file and terminal.wants_color(options.color),
        width=terminal.width(),
        root=terminal.shown_root(found.root),
        seen_from=terminal.seen_from(found.root),
        sarif_category=options.sarif_category,
        sarif_fold=options.sarif_fold,
        show_unread=options.show_unread,
        every=bool(options.min_severity or options.show or options.app),
        group_by=options.group_by or "",
        quiet=options.quiet,
        threshold=None if options.exit_zero else config.threshold,
    )


def seen_from_page(output: Output, found: Found) -> str:
    """The root of the run, from the folder that a page will be in."""
    folder = Path(output.file).absolute().parent if output.file else Path.cwd()
    return Path(os.path.relpath(found.root, folder)).as_posix()
