"""`gitops-lint render`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from . import shared_options as shared
from .arguments import Output
from .options import Options
from .output import CLEAN, FINDINGS, put, say
from .session_from_options import helm_choice, kustomize_binary, looked_at, session_of, shelf_choice

if TYPE_CHECKING:
    from .rendered_objects import ChartOptions


@click.command()
@click.argument("path", type=click.Path(path_type=Path), default=".")
@shared.app("Only the objects of this Application.")
@click.option("--output-format", type=click.Choice(("yaml", "json")), default="yaml", show_default=True)
@click.option("-o", "--output-file", metavar="FILE", help="Write to a file instead of standard output.")
@shared.config
@click.option("--isolated", is_flag=True, help="Ignore config files.")
@click.option(
    "-f",
    "--values",
    multiple=True,
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    metavar="FILE",
    help="Of a chart: values over its own; repeatable.",
)
@click.option("--release-name", default="release-name", show_default=True, help="Of a chart.")
@click.option("--namespace", default="default", show_default=True, help="Of a chart.")
@click.option("--show-secrets", is_flag=True, help="Print what Secrets hold, which is hidden else.")
@click.option("--skip-crds", is_flag=True, help="Of a chart: leave out its crds/ folder, which Argo CD includes.")
@shared.kustomize_binary
@shared.sources
@shared.watched
def render(
    path: Path,
    app: str | None,
    output_format: str,
    output_file: str | None,
    values: tuple[Path, ...],
    release_name: str,
    namespace: str,
    skip_crds: bool,
    **given: Any,
) -> None:
    """Print the objects that Argo CD would see, each with the place it comes from.

    A folder with a kustomization is built as `kustomize build` would, a chart
    rendered as `helm template` would; for any other folder, the objects of all
    Applications and units in it are printed. What Kustomize or Helm refuses is
    told on standard error, with exit code 1; what is not analysed (a remote
    base, a dependency that is not there) is told there, too.
    """
    from .rendered_objects import ChartOptions

    chart = ChartOptions(release_name, namespace, values, not skip_crds)
    sys.exit(_render(path, app, Output(output_format, output_file), Options(**given), chart))


def _render(path: Path, app: str | None, output: Output, options: Options, chart: ChartOptions) -> int:
    from ..files.tops import NoSuchPath
    from ..plan.views import choose
    from .rendered_objects import (
        as_json,
        as_yaml,
        credentials_around,
        is_chart,
        is_kustomization,
        render_apps,
        render_chart,
        render_kustomization,
        without_secrets,
    )

    if not path.exists():
        raise NoSuchPath(f"{path}: no such file or folder")
    if app is None and is_kustomization(path):
        binary = kustomize_binary(options.kustomize_binary)
        versions = session_of([path], options).config.versions
        rendering = render_kustomization(path, binary, helm_choice(options), shelf_choice(options), versions)
    elif app is None and is_chart(path):
        rendering = render_chart(path, helm_choice(options), chart, shelf_choice(options))
    else:
        found, repo = looked_at(path, options)
        rendering = render_apps(choose(repo, app, found.wants))
    objects = rendering.objects
    starred: Callable[[str], str] = str
    if not options.show_secrets:
        objects = tuple(without_secrets(one) for one in objects)
        starred = credentials_around(path).starred
    for problem in rendering.problems:
        say(starred(f"{'error' if problem.refused else 'note'}: {problem.where}: {problem.message}"))
    if not (rendering.refused and not rendering.objects):
        put(starred((as_json if output.format == "json" else as_yaml)(objects)), output.file, path)
    return FINDINGS if rendering.refused else CLEAN
