"""Options that several commands have, each written once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from ..facts import limits
from ..programs import watch
from . import completion
from .options import OFF

FC = TypeVar("FC", bound=Callable[..., Any] | click.Command)

kustomize_binary = click.option(
    "--kustomize-binary",
    default=OFF,
    metavar="PATH|kubectl|off",
    help="Let this kustomize or kubectl do the builds; only here, no config file can say it.  [default: off]",
)
helm = click.option(
    "--helm",
    default="auto",
    metavar="auto|off|PATH",
    help="The helm that renders charts; only here, no config file can say it.  [default: auto]",
)
cache_dir = click.option(
    "--cache-dir",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Where rendered charts and answers are kept.  [default: the user's cache]",
)


def _begin_watch(ctx: click.Context, option: click.Parameter, megabytes: float) -> None:
    ctx.meta["max-memory"] = megabytes
    watch.begin(ctx.meta.get("timeout", limits.TIMEOUT), megabytes)
    ctx.call_on_close(watch.finish)  # whoever calls the command from Python goes on without it


def _remember_timeout(ctx: click.Context, option: click.Parameter, seconds: float) -> None:
    ctx.meta["timeout"] = seconds


timeout = click.option(
    "--timeout",
    type=click.FloatRange(min=0),
    default=limits.TIMEOUT,
    metavar="SECONDS",
    expose_value=False,
    is_eager=True,
    callback=_remember_timeout,
    help=f"What the run may take; 0 for as long as it needs.  [default: {limits.TIMEOUT:g}]",
)
max_memory = click.option(
    "--max-memory",
    type=click.FloatRange(min=0),
    default=limits.MAX_MEMORY,
    metavar="MB",
    expose_value=False,
    callback=_begin_watch,
    help=f"The memory that the run may take; 0 for all there is.  [default: {limits.MAX_MEMORY:g}]",
)
config = click.option(
    "--config",
    multiple=True,
    metavar="FILE|KEY=VALUE",
    help="Use this config file, or set one of its keys: fail-on=error; repeatable.",
)
exclude = click.option("--exclude", multiple=True, metavar="PATTERN", help="Leave out these files, too; repeatable.")
config_from = click.option(
    "--config-from",
    type=click.Choice(("base", "head")),
    default="head",
    help="With --diff-base: whose config, baseline and ignores count.  [default: head]",
)


def rules(option: str, text: str) -> Callable[[FC], FC]:
    return click.option(option, multiple=True, metavar="RULES", shell_complete=completion.rules, help=text)


def app(text: str) -> Callable[[FC], FC]:
    return click.option("--app", metavar="NAME", shell_complete=completion.apps, help=text)


no_context = click.option("--no-context", is_flag=True, help="Read folders alone, without the repository around them.")
jobs = click.option(
    "--jobs",
    type=click.IntRange(min=0),
    default=0,
    metavar="N",
    help="Work with so many processes; what is said is the same.  [default: one a core]",
)
no_cache = click.option("--no-cache", is_flag=True, help="Render every chart and answer anew.")
store = click.option(
    "--store",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Where `gitops-lint fetch` keeps what it brings.  [default: the user's cache]",
)
repo = click.option(
    "--repo",
    multiple=True,
    metavar="URL=PATH",
    help="Another git repository is checked out there; repeatable.",
)


def together(*options: Callable[[FC], FC]) -> Callable[[FC], FC]:
    """In the order in which `--help` shows them."""

    def add(command: FC) -> FC:
        for option in reversed(options):
            command = option(command)
        return command

    return add


charts = together(helm, cache_dir, no_cache)
sources = together(charts, store, repo)
"""What a command needs that looks into sources."""
watched = together(timeout, max_memory)
