"""The command line: arguments in, exit code out."""

from __future__ import annotations

import gc
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NoReturn

import click
from click.shell_completion import CompletionItem

from .. import VERSION
from ..programs import watch
from . import (
    apps_command,
    check_command,
    completion,
    fetch_command,
    init_command,
    plan_command,
    render_command,
    rule_command,
    server_command,
)
from .output import CLEAN, FAILED, fail

DEEPEST_CALLS: Final = 4_000
"""Documents are 250 levels deep at most; some who walk over them need a dozen calls a level."""


def main() -> NoReturn:
    # The process lives for one run: looking for garbage takes a third of its time and frees nothing,
    # and taking millions of small values down one by one at the end is of no use to anyone.
    gc.disable()
    sys.setrecursionlimit(DEEPEST_CALLS)
    code = _run()
    with suppress(BrokenPipeError, ValueError):  # a language server closes what it talked over
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(code)


def _run() -> int:
    try:
        cli(prog_name="gitops-lint", windows_expand_args=False)
    except SystemExit as done:
        return done.code if isinstance(done.code, int) else CLEAN
    except BrokenPipeError:  # `gitops-lint | head`
        return CLEAN
    except watch.RunOver as reason:
        click.echo(f"error: {reason}, and what it was to say is not there", err=True)
        return FAILED
    except Exception:  # the last resort, so that our own failure never looks like findings
        _tell_crash()
        click.echo("error: internal error in gitops-lint; please report it with the lines above", err=True)
        return FAILED
    return CLEAN


def _tell_crash() -> None:
    """Where it happened, and what, without the words of the repository."""
    import traceback

    from ..lint.looked import without_quotations
    from ..report.escape import terminal_line

    _, error, trace = sys.exc_info()
    lines = "".join(traceback.format_tb(trace)).splitlines()
    for line in (*lines, without_quotations(error) if error else ""):
        click.echo(terminal_line(line), err=True)


class _CheckByDefault(click.Group):
    """`gitops-lint PATH` means `gitops-lint check PATH`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if ctx.resilient_parsing and not args:
            return super().parse_args(ctx, args)
        self._demand_no_typing_error(ctx, args)
        if not args or args[0] not in (*self.commands, "--help", "-h", "--version", "-V"):
            args = ["check", *args]
        return super().parse_args(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The first word is a command, or belongs to `check`: an option, a path."""
        check = self.commands["check"]
        found = super().shell_complete(ctx, incomplete)
        found += check.shell_complete(click.Context(check, parent=ctx, resilient_parsing=True), incomplete)
        return [*{item.value: item for item in found}.values(), CompletionItem(incomplete, type="file")]

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except (SystemExit, click.exceptions.Exit, click.ClickException):
            raise
        except _refusals() as reason:
            fail(str(reason))

    def _demand_no_typing_error(self, ctx: click.Context, args: list[str]) -> None:
        """A word that is no path and nearly a command is not taken for a path."""
        word = args[0] if args else ""
        if not word.isalpha() or word in self.commands or ctx.resilient_parsing or Path(word).exists():
            return
        from ..lint.selection import did_you_mean

        meant = did_you_mean(word, self.commands)
        if meant:
            raise click.UsageError(f"{word!r} is neither a command nor a path{meant}")


def _refusals() -> tuple[type[Exception], ...]:
    """What a command may answer instead of doing it: a sentence, exit code 2. Only asked when something is raised."""
    from ...rules import BadRule
    from ..fetch.lock_file import BadLock
    from ..files.tops import NoSuchPath
    from ..git import GitError
    from ..lint.baseline import BaselineError
    from ..lint.config import ConfigError
    from ..lint.selection import UnknownRule
    from ..plan.views import UnknownApp

    return BadLock, BadRule, BaselineError, ConfigError, GitError, NoSuchPath, UnknownApp, UnknownRule


@click.group(
    cls=_CheckByDefault,
    context_settings={"help_option_names": ["-h", "--help"], "auto_envvar_prefix": "GITOPS_LINT"},
    invoke_without_command=True,
)
@click.option("-V", "--version", is_flag=True, help="Print the version and exit.")
def cli(version: bool) -> None:
    """Says, before the merge, what will go wrong when Argo CD syncs a GitOps repository.

    `gitops-lint PATH` is short for `gitops-lint check PATH`.
    """
    if version:
        click.echo(f"gitops-lint {VERSION}")
        click.get_current_context().exit(CLEAN)


for _command in (
    check_command.check,
    apps_command.apps,
    plan_command.plan,
    render_command.render,
    fetch_command.fetch,
    rule_command.rule,
    server_command.server,
    completion.completion,
    init_command.init,
):
    cli.add_command(_command)
