"""`gitops-lint check`."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..facts import limits
from ..programs import watch
from ..report.formats import FINDINGS as FORMATS
from ..report.formats import PAGE
from . import shared_options as shared
from .arguments import pair_outputs, settle_optional_file
from .findings_output import chosen_of, report
from .kept_answers import answered
from .options import STDIN, Options, words
from .output import CLEAN, FINDINGS, fail, print_all, put, remark, rests_on_more
from .session_from_options import check_combination, has_something, session_of

if TYPE_CHECKING:
    from ..files.discover import Found
    from ..fix.fix_plan import Plan
    from ..lint.run import Linted
    from ..lint.session import Session


class _OutputsInPairs(click.Command):
    """Remembers which `-o FILE` came right after which `--output-format`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta["outputs"] = list(pair_outputs(args))
        return super().parse_args(ctx, settle_optional_file(args))


@click.command(cls=_OutputsInPairs)
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--output-format",
    multiple=True,
    type=click.Choice((*FORMATS, PAGE)),
    help="How to report; repeatable.  [default: full]",
)
@click.option(
    "-o", "--output-file", multiple=True, metavar="FILE", help="Where to write the format before it; repeatable."
)
@shared.rules("--select", "Run these only: codes, prefixes (GL1), names, ALL.")
@shared.rules("--ignore", "Leave these out.")
@shared.rules("--extend-select", "Run these, too.")
@click.option(
    "--fail-on",
    type=click.Choice(("error", "warning", "note", "never")),
    help="The least severity that makes the exit code 1.  [default: warning]",
)
@click.option(
    "--min-severity",
    type=click.Choice(("error", "warning", "note")),
    help="Report only what is at least so severe, and all of that in full.",
)
@shared.rules("--show", "Report only these rules, with every place.")
@shared.app("Report only what touches this Application, or the folder of this name.")
@click.option(
    "--group-by",
    type=click.Choice(("file", "rule", "app")),
    help="A line each under headings.  [default: the worst first]",
)
@click.option("--strict", is_flag=True, help="Exit with 1 when something was not looked into.")
@click.option("--exit-zero", is_flag=True, help="Exit with 0 even when there are findings.")
@click.option("--fix", is_flag=True, help="Apply the safe fixes.")
@click.option("--unsafe-fixes", is_flag=True, help="With --fix or --diff: the unsafe ones, too.")
@click.option("--diff", is_flag=True, help="Show what the fixes would change, and write nothing.")
@click.option("--add-ignore", metavar="REASON", help="Write an ignore with this reason above all that is reported.")
@click.option("--watch", is_flag=True, help="Run again whenever a file changes.")
@click.option(
    "--diff-base",
    metavar="REV",
    help="Say, too, what the changes since this revision do; `REV...`: since HEAD left it.",
)
@click.option("--staged", is_flag=True, help="Look at what the index holds, not at the working tree.")
@click.option("--new-only", is_flag=True, help="With --diff-base: report only what that revision does not have.")
@click.option("--baseline", metavar="FILE|off", help="Leave out the findings that this file knows.")
@click.option("--write-baseline", metavar="[FILE]", help="Write all findings of now as the baseline, and stop.")
@click.option("--prune-baseline", is_flag=True, help="Remove from the baseline what is gone.")
@shared.exclude
@shared.config
@shared.config_from
@click.option("--isolated", is_flag=True, help="Use no config file.")
@click.option("--argocd-version", metavar="V", help="The Argo CD version to judge by, for example 3.3.")
@click.option("--kubernetes-version", metavar="V", help="The Kubernetes version to judge by.")
@click.option(
    "--schema-dir",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="A folder of CRDs or JSON schemas.",
)
@shared.kustomize_binary
@shared.sources
@shared.no_context
@shared.jobs
@shared.watched
@click.option(
    "--respect-gitignore/--no-respect-gitignore", default=True, help="Leave out what git ignores.  [default: yes]"
)
@click.option("--stdin-filename", metavar="PATH", help="The name of what `-` reads from standard input.")
@click.option("--sarif-category", metavar="NAME", help="Tells analyses of one commit apart on GitHub.")
@click.option("--sarif-fold", is_flag=True, help="In SARIF one result a cause, not one a place.")
@click.option(
    "--show-unread", is_flag=True, help="Judge, one step lower, and list the files that no Application reads, too."
)
@click.option("--show-files", is_flag=True, help="List the files that would be read, and stop.")
@click.option("--show-settings", is_flag=True, help="Print every setting and where it comes from, and stop.")
@click.option(
    "--statistics",
    is_flag=True,
    help="Only count the findings by rule; with -v the time, too.",
)
@click.option("--color", type=click.Choice(("auto", "always", "never")), default="auto", help="[default: auto]")
@click.option("--no-progress", is_flag=True, help="Do not tell on a terminal how far it is.")
@click.option("-q", "--quiet", is_flag=True, help="Print findings only: no summary, no progress.")
@click.option("-v", "--verbose", is_flag=True, help="Say what is read and how long it takes.")
@click.pass_context
def check(ctx: click.Context, /, paths: tuple[Path, ...], **given: Any) -> None:
    """Lint folders or files; the current folder when none is given.

    They are read with the whole repository around them as context, and only
    they are reported on. `-` reads standard input.
    """
    if given.pop("watch"):
        _watch(ctx, paths or (Path("."),))
    options = Options(outputs=tuple(ctx.meta["outputs"]), **given)
    ctx.exit(answered(paths or (Path("."),), options, lambda: _check(paths or (Path("."),), options)))


def _watch(ctx: click.Context, paths: tuple[Path, ...]) -> None:
    if not hasattr(os, "fork"):
        raise click.UsageError("--watch needs a system that can fork: Linux or macOS")
    if any(str(path) == STDIN for path in paths):
        raise click.UsageError("standard input cannot be watched")
    from .watching import again_and_again

    again_and_again(paths)
    watch.begin(ctx.meta.get("timeout", limits.TIMEOUT), ctx.meta["max-memory"])


def _check(paths: Sequence[Path], options: Options) -> int:
    check_combination(paths, options)
    if options.new_only and not options.diff_base:
        raise click.UsageError("--new-only needs the revision to compare with: --diff-base REV")
    if options.statistics and any(output.format not in ("", "full", "json") for output in options.outputs):
        raise click.UsageError("--statistics is printed as text (full) or as json")
    session = session_of(paths, options)
    _demand_base_for_change_rules(session, options)
    if session.config.schema_dir or session.config.repos:
        rests_on_more()
    if options.show_settings:
        from ..lint.config.config_text import show_settings

        click.echo(show_settings(session.config), nl=False)
        return CLEAN
    if options.concerns_baseline or session.config.baseline:
        from .baseline_command import with_baseline

        session = with_baseline(session, paths, options)
    if paths == (Path(STDIN),):
        return _check_stdin(session, options)
    found = session.find(paths)
    if options.show_files:
        from ..report.escape import terminal_path

        wanted = (file.path for file in found.files if found.wants(file.path))
        click.echo("".join(f"{terminal_path(path)}\n" for path in wanted), nl=False)
        return CLEAN
    if not (has_something(found) or session.diff_base):
        fail(f"no YAML files in {', '.join(map(str, paths))}")
    if options.fix and not options.diff:
        from ..fix.fix_plan import fix_in_place

        fixed = fix_in_place(session, paths, unsafe=options.unsafe_fixes)
        for reason in fixed.not_written:
            remark(options, f"warning: not fixed: {reason}")
        remark(options, _count("Fixed", fixed.count, fixed.files, fixed.followed) if fixed.count else "")
        return report(fixed.linted, found, session, options)
    linted = session.lint(found)
    if options.add_ignore is not None:
        return _add_ignores(linted, found, options)
    if options.diff:
        from ..fix.fix_plan import plan_fixes

        return _show_diff(plan_fixes(session, found, linted, unsafe=options.unsafe_fixes), options)
    return report(linted, found, session, options)


def _demand_base_for_change_rules(session: Session, options: Options) -> None:
    """Who asks for rules about a change, and names none, would be told that all is well."""
    if not options.select or session.diff_base:
        return
    from ..dialects.phrases import some
    from ..lint.rule import Scope
    from ..lint.selection import exactness

    asked = [rule for rule in session.rules if exactness(words(options.select), rule) > 0]
    idle = [rule.name for rule in asked if rule.scope is Scope.CHANGE]
    if idle and len(idle) == len(asked):
        raise click.UsageError(f"{some(idle, 1)} can only look at a change: --diff-base REV says since when")
    if idle:
        remark(options, f"note: not run without --diff-base: {', '.join(idle[:5])}{', …' if len(idle) > 5 else ''}")


def _check_stdin(session: Session, options: Options) -> int:
    from ..files.discover import Found
    from ..files.disk import MAX_BYTES, decode
    from ..fix.fix_plan import plan_fixes

    # They would read the disk, where another text may stand.
    session = replace(session, kustomize=None, helm=None)
    name = options.stdin_filename or "stdin.yaml"
    data = sys.stdin.buffer.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        fail(f"standard input: more than {MAX_BYTES // 1024**2} MB are not read")
    file = decode(Path(name).as_posix(), data)
    found = Found(Path.cwd(), [file])
    linted = session.lint(found)
    if not (options.fix or options.diff):
        return report(linted, found, session, options)
    plan = plan_fixes(session, found, linted, unsafe=options.unsafe_fixes, on_disk=False)
    if options.diff:
        return _show_diff(plan, options)
    text = plan.changes[0].after if plan.changes else file.text
    print_all((b"\xef\xbb\xbf" if file.has_bom else b"") + text.encode(), sys.stdout.buffer)
    rest = session.lint(Found(Path.cwd(), [decode(file.path, text.encode())]))
    return report(rest, found, session, replace(options, to_stderr=True))


def _show_diff(plan: Plan, options: Options) -> int:
    from ..fix import unified_diff
    from ..lint.redaction import shown_whole
    from ..report.escape import terminal_line

    differences = [unified_diff(change, shown_whole).removesuffix("\n") for change in plan.changes]
    lines = [terminal_line(line) for difference in differences for line in difference.split("\n")]
    put("".join(f"{line}\n" for line in lines), None)
    for held in plan.held:
        remark(options, f"warning: not fixed: {held}")
    words = _count("Would fix", plan.count, len(plan.changes), plan.followed)
    remark(options, words if plan.changes else "Nothing to fix.")
    return FINDINGS if plan.changes and not options.exit_zero else CLEAN


def _add_ignores(linted: Linted, found: Found, options: Options) -> int:
    from ..fix import NotWritten, write
    from ..fix.add_ignores import add_ignores

    ignored = add_ignores(chosen_of(linted, options).reported, " ".join((options.add_ignore or "").split()))
    left = [f"{item.file.path}:{item.start.line}: {item.rule.name}: {reason}" for item, reason in ignored.left]
    count = files = 0
    for change in ignored.changes:
        try:
            write(found.root, change)
        except NotWritten as error:
            left.append(str(error))
            continue
        count, files = count + len(change.applied), files + 1
    for line in left:
        remark(options, f"warning: no ignore: {line}")
    remark(options, f"Wrote ignores for {count} of the findings in {files} files.")
    return FINDINGS if left and not options.exit_zero else CLEAN


def _count(verb: str, count: int, files: int, followed: int) -> str:
    also = f" {followed} of them came up through the other fixes." if followed else ""
    return f"{verb} {count} of the findings in {files} files.{also}"
