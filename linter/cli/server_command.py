"""`gitops-lint server`."""

from __future__ import annotations

from typing import Any

import click

from .. import VERSION
from . import shared_options as shared
from .options import Options
from .output import fail
from .session_from_options import session_of


@click.command()
@click.option("--stdio", is_flag=True, help="Talk over standard input and output; what it does anyway.")
@shared.config
@click.option("--isolated", is_flag=True, help="Use no config file.")
@shared.charts
def server(stdio: bool, **given: Any) -> None:
    """Be the language server of an editor; needs the extra `gitops-lint[server]`."""
    options = Options(no_progress=True, quiet=True, **given)
    try:
        from ..server.language_server import make_server
    except ImportError as error:
        fail(f"the server needs the package {error.name}: pip install 'gitops-lint[server]'")
    from ..report import ReportOptions

    make_server(ReportOptions(tool_version=VERSION), lambda root: session_of([root], options)).start_io()
