"""`gitops-lint init`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from .options import Options
from .output import fail
from .session_from_options import look_at

if TYPE_CHECKING:
    from ..repo.model import Repo

_BUILD: Final = "kustomize build --enable-helm ."
_TEMPLATE: Final = "helm template ."


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
    text = init_text(*_options())
    try:
        with path.open("w" if force else "x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        fail(f"{path} exists; --force replaces it")
    except OSError as error:
        fail(f"{path}: {error.strerror or error}")
    click.echo(f"Wrote {path}")


def _options() -> tuple[dict[str, Any], dict[str, Any]]:
    """What the current folder shows of the options, and what it asks for; nothing where it cannot be read."""
    from ..argocd.clusters import clusters_in
    from ..files.tops import NoSuchPath
    from ..lint.config import ConfigError

    try:
        repo = look_at(Path("."), Options(isolated=True, no_progress=True))
    except (NoSuchPath, ConfigError):
        return {}, {}
    found = {"argocd-version": repo.versions.argocd, "kubernetes-version": repo.versions.kubernetes}
    known: dict[str, Any] = {option: str(version) for option, version in found.items() if version is not None}
    clusters, asked = [one.entry for one in clusters_in(repo.resources) if one.name], _asked_for(repo)
    if clusters and "clusters" in asked:  # those in git are not all: a list in the config would say that they are
        return known, asked | {"clusters": [*clusters, *asked["clusters"]]}
    return known | ({"clusters": clusters} if clusters else {}), asked


def _asked_for(repo: Repo) -> dict[str, Any]:
    """Clusters that sets ask Argo CD for, charts that somebody seems to install, plugins that nobody defines."""
    from ..argocd.proposed_clusters import proposed_clusters

    open_sets = [one for one in repo.argocd.sets if one.expansion.unresolved]
    wishes = ((one.resource.node.value, [made.parameters for made in one.expansion.applications]) for one in open_sets)
    clusters = [one.entry for one in proposed_clusters(wishes)]
    plugins = dict(sorted(_unknown_plugins(repo)))
    roots = [one.entry for one in repo.charts.installed_by_hand]
    asked = {"clusters": clusters, "roots": roots, "plugins": plugins}
    return {option: value for option, value in asked.items() if value}


def _unknown_plugins(repo: Repo) -> Iterator[tuple[str, str]]:
    """Plugins that make manifests nobody sees, each with what its folders look like; nothing where that is no help."""
    for one in (one for app in repo.applications for one in app.rendered if one.tool == "plugin" and one.unresolved):
        name = one.source.tool("plugin").get("name")
        if isinstance(name, str) and name and not one.resources:
            if one.path in repo.kustomize.by_folder:
                yield name, _BUILD
            elif one.path in repo.charts.by_folder:
                yield name, _TEMPLATE
