"""`gitops-lint rule`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from . import completion
from .output import fail

if TYPE_CHECKING:
    from ..lint.config import Config


@click.command()
@click.argument("name", required=False, shell_complete=completion.rules)
@click.option("--all", "every", is_flag=True, help="Every rule.")
@click.option("--list", "as_list", is_flag=True, help="Every rule in a line.")
@click.option("--test", is_flag=True, help="Try the checks of the config on their own examples.")
@click.option(
    "--config", "config_file", type=click.Path(path_type=Path), metavar="FILE", help="The config with checks."
)
@click.option("--output-format", type=click.Choice(("text", "json")), default="text", help="[default: text]")
def rule(
    name: str | None, every: bool, as_list: bool, test: bool, config_file: Path | None, output_format: str
) -> None:
    """Print the manual of a rule, by its name or code; those of the config in this folder are rules, too."""
    from ...rules import load as load_rules
    from ..lint.config import load
    from ..lint.selection import check_words
    from ..report import rule_page

    loaded = load(Path("."), config_file)
    loaded.check_rules(load_rules())
    rules = loaded.config.known(load_rules())
    if test:
        _test(loaded.config, name)
        return
    if (every or as_list) == bool(name):
        raise click.UsageError("give the name or code of a rule, or --all, or --list")
    if name:
        check_words([name], rules)
        rules = tuple(one for one in rules if name.upper() == one.code or name.lower() == one.name)
        if not rules:
            fail(f"{name!r} names several rules; give one code or name")
    if output_format == "json":
        import json

        data = [rule_page.as_data(one) for one in rules]
        click.echo(json.dumps(data[0] if name else data, indent=2, ensure_ascii=False))
    elif as_list:
        click.echo(rule_page.as_lines(rules))
    else:
        click.echo("\n".join(rule_page.markdown(one) for one in rules), nl=False)


def _test(config: Config, name: str | None) -> None:
    """Whether each check says what its examples want; the exit code is 1 where one does not."""
    from ..dialects.phrases import counted
    from ..lint.config.own_checks import failures
    from ..report.escape import terminal_line

    chosen = [one for one in config.checks if name is None or name in (one.name, one.code)]
    if not chosen:
        fail(f"no check of the config is called {name!r}" if name else "the config has no checks")
    wrong = 0
    for one in chosen:
        found = list(failures(one))
        wrong += bool(found)
        click.echo(f"{'FAILED' if found else 'ok':6} {one.code} {one.name}")
        for problem in found:
            click.echo(f"       {terminal_line(problem)}")
    click.echo(
        f"{counted(len(chosen), 'check')}, {wrong} failed." if wrong else f"{counted(len(chosen), 'check')} passed."
    )
    if wrong:
        raise SystemExit(1)
