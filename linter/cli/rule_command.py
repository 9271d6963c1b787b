"""`gitops-lint rule`."""

from __future__ import annotations

import click

from . import completion
from .output import fail


@click.command()
@click.argument("name", required=False, shell_complete=completion.rules)
@click.option("--all", "every", is_flag=True, help="Every rule.")
@click.option("--output-format", type=click.Choice(("text", "json")), default="text", help="[default: text]")
def rule(name: str | None, every: bool, output_format: str) -> None:
    """Print the manual of a rule, by its name or code."""
    from ...rules import load as load_rules
    from ..lint.selection import check_words
    from ..report import rule_page

    rules = load_rules()
    if every == bool(name):
        raise click.UsageError("give the name or code of a rule, or --all")
    if name:
        check_words([name], rules)
        rules = tuple(one for one in rules if name.upper() == one.code or name.lower() == one.name)
        if not rules:
            fail(f"{name!r} names several rules; give one code or name")
    if output_format == "json":
        import json

        data = [rule_page.as_data(one) for one in rules]
        click.echo(json.dumps(data if every else data[0], indent=2, ensure_ascii=False))
    else:
        click.echo("\n".join(rule_page.markdown(one) for one in rules), nl=False)
