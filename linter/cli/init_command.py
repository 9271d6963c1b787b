"""`gitops-lint init`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from .options import OFF, Options
from .output import fail
from .session_from_options import look_at


@click.command()
@click.option("--force", is_flag=True, help="Replace a config that is there.")
def init(force: bool) -> None:
    """Write a commented .gitops-lint.yaml into the current folder."""
    from ..fix.write_files import NotWritten, demand_no_link
    from ..lint.config.config_text import init_text

    path = Path(".gitops-lint.yaml")
    try:
        demand_no_link(path, [Path.cwd()])
    except NotWritten as error:
        fail(str(error))
    text = init_text(_known_options())
    try:
        with path.open("w" if force else "x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        fail(f"{path} exists; --force replaces it")
    except OSError as error:
        fail(f"{path}: {error.strerror or error}")
    click.echo(f"Wrote {path}")


def _known_options() -> dict[str, Any]:
    """What the current folder shows of the options; nothing where it cannot be read."""
    from ..argocd.clusters import clusters_in
    from ..files.discover import NoSuchPath
    from ..lint.config import ConfigError

    try:
        repo = look_at(Path("."), Options(helm=OFF, isolated=True, no_progress=True))
    except (NoSuchPath, ConfigError):
        return {}
    found = zip(("argocd-version", "kubernetes-version"), repo.versions, strict=True)
    known: dict[str, Any] = {option: str(version) for option, version in found if version is not None}
    clusters = [one.entry for one in clusters_in(repo.resources) if one.name]
    roots = [one.entry for one in repo.charts.installed_by_hand]
    return known | ({"clusters": clusters} if clusters else {}) | ({"roots": roots} if roots else {})
