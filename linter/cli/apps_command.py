"""`gitops-lint apps`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from . import shared_options as shared
from . import terminal
from .options import Options
from .session_from_options import looked_at


@click.command()
@click.argument("path", default=".", type=click.Path(path_type=Path))
@click.option(
    "--output-format",
    type=click.Choice(("table", "tree", "json", "markdown")),
    default="table",
    help="[default: table]",
)
@shared.config
@click.option("--isolated", is_flag=True, help="Use no config file.")
@shared.kustomize_binary
@shared.sources
@shared.no_context
@shared.watched
def apps(path: Path, output_format: str, **given: Any) -> None:
    """Show every Application, what it syncs where, and whether it was seen whole."""
    from ..lint.credentials import Credentials
    from ..plan import app_table, app_tree

    found, repo = looked_at(path, Options(**given))
    if output_format == "table":
        text = app_table.as_table(repo, terminal.width(), found.wants)
    else:
        forms = {"tree": app_tree.as_text, "json": app_tree.as_json, "markdown": app_table.as_markdown}
        text = forms[output_format](repo, found.wants)
    click.echo(Credentials(found.files).starred(text), nl=False)
