"""What a shell proposes behind TAB: commands and options, rules, Applications."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click
from click.shell_completion import CompletionItem, get_completion_class

SHELLS: Final = ("bash", "zsh", "fish")
VARIABLE: Final = "_GITOPS_LINT_COMPLETE"


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
def completion(shell: str) -> None:
    """Print what makes a shell complete commands, options, rules and Applications.

    For bash: `eval "$(gitops-lint completion bash)"` in ~/.bashrc.
    """
    click.echo(script(shell))


def script(shell: str) -> str:
    """For the start-up file of the shell."""
    found = get_completion_class(shell)
    if found is None:
        raise KeyError(shell)
    return found(_NO_COMMAND, {}, "gitops-lint", VARIABLE).source()


_NO_COMMAND: Final = click.Command("gitops-lint")
"""The script asks the program itself for proposals: it needs no command, only its name."""


def rules(ctx: click.Context, option: click.Parameter, typed: str) -> list[CompletionItem]:
    """Names and codes; of a list with commas, its last word."""
    from ...rules import load

    before, comma, word = typed.rpartition(",")
    start = f"{before}{comma}"
    known = [(rule.name, rule.manual.summary) for rule in load()] + [(rule.code, rule.name) for rule in load()]
    return [CompletionItem(start + name, help=what) for name, what in known if name.startswith(word)]


def apps(ctx: click.Context, option: click.Parameter, typed: str) -> list[CompletionItem]:
    """The Applications of the current folder, seen without rendering charts: nobody waits long for a proposal."""
    from .options import OFF, Options
    from .session_from_options import look_at

    try:
        repo = look_at(Path("."), Options(helm=OFF, no_progress=True))
    except (Exception, SystemExit):  # whatever is wrong there, the command itself will say it
        return []
    names = dict.fromkeys(app.name for app in repo.apps if app.application is not None)
    return [CompletionItem(name) for name in names if name.startswith(typed)]
