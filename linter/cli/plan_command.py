"""`gitops-lint plan`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from ..report.formats import CHANGED_PLAN
from . import shared_options as shared
from .arguments import Output
from .findings_output import report_options, seen_from_page
from .options import Options
from .output import CLEAN, FAILED, fail, put, remark
from .session_from_options import check_combination, has_something, session_of


@click.command()
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@shared.app("Only the Application, or the folder, of this name.")
@click.option(
    "--output-format",
    type=click.Choice(tuple(CHANGED_PLAN)),
    default="text",
    help="markdown: with --diff-base only.  [default: text]",
)
@click.option("-o", "--output-file", metavar="FILE", help="Write there instead of to standard output.")
@click.option(
    "--diff-base",
    metavar="REV",
    help="Show what the changes since this revision do at the next sync; `REV...`: since HEAD left it.",
)
@click.option("--staged", is_flag=True, help="Look at what the index holds, not at the working tree.")
@shared.rules("--select", "Show the findings of these rules only.")
@shared.rules("--ignore", "Leave out the findings of these.")
@shared.config
@click.option("--isolated", is_flag=True, help="Use no config file.")
@click.option("--argocd-version", metavar="V", help="The Argo CD version to judge by, for example 3.3.")
@click.option("--kubernetes-version", metavar="V", help="The Kubernetes version to judge by.")
@shared.config_from
@shared.kustomize_binary
@shared.sources
@shared.no_context
@shared.watched
@click.option("--color", type=click.Choice(("auto", "always", "never")), default="auto", help="[default: auto]")
def plan(paths: tuple[Path, ...], app: str | None, output_format: str, output_file: str | None, **given: Any) -> None:
    """Show the predicted syncs: phases, waves, kinds, what waits for what, and the findings on the way.

    Of the current folder when no path is given. The exit code says nothing
    about the findings; `check` does. With `--diff-base`: what the next sync
    after a merge creates, changes, recreates and prunes.
    """
    if output_format == "markdown" and not given["diff_base"]:
        raise click.UsageError("--output-format markdown shows a change: --diff-base REV says which one")
    sys.exit(_plan(paths or (Path("."),), app, Output(output_format, output_file), Options(**given)))


def _plan(paths: Sequence[Path], app: str | None, output: Output, options: Options) -> int:
    from ..plan.printed_plan import planned

    check_combination(paths, options)
    session = session_of(paths, options)
    if options.diff_base:
        session = replace(session, rules=())  # it is about the change, whatever is found in it
    found = session.find(paths)
    if not (has_something(found) or session.diff_base):
        fail(f"no YAML files in {', '.join(map(str, paths))}")
    linted = session.lint(found)
    for note in linted.notes:
        remark(options, f"note: {note}")
    report = report_options(found, session.config, options, to_file=output.file is not None)
    link_root = seen_from_page(output, found)
    ascii_only = not (output.file or (sys.stdout.encoding or "").lower().startswith("utf"))
    text = planned(linted, found, app, output.format, report, link_root, base=options.diff_base, ascii_only=ascii_only)
    put(linted.credentials.starred(text), output.file, found.root)
    return FAILED if linted.result.crashed else CLEAN
