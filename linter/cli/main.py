"""The command line: arguments in, exit code out."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NoReturn, TypeVar

import click

from .. import VERSION
from ..facts import limits
from ..programs import watch
from ..report.formats import CHANGED_PLAN, FINDINGS, PAGE
from . import commands, completion
from .arguments import Output, pair_outputs, settle_optional_file
from .commands import CLEAN, FAILED

FC = TypeVar("FC", bound=Callable[..., Any] | click.Command)
DEEPEST_CALLS: Final = 4_000
"""Documents are 250 levels deep at most; some who walk over them need a dozen calls a level."""


def main() -> NoReturn:
    # The process lives for one run: looking for garbage takes a third of its time and frees nothing,
    # and taking millions of small values down one by one at the end is of no use to anyone.
    gc.disable()
    sys.setrecursionlimit(DEEPEST_CALLS)
    code = _run()
    with suppress(BrokenPipeError):
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

    from ..lint.engine import without_quotations
    from ..report.escape import terminal_line

    _, error, trace = sys.exc_info()
    lines = "".join(traceback.format_tb(trace)).splitlines()
    for line in (*lines, without_quotations(error) if error else ""):
        click.echo(terminal_line(line), err=True)


class _CheckByDefault(click.Group):
    """`gitops-lint PATH` means `gitops-lint check PATH`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        self._demand_no_typing_error(ctx, args)
        if not args or args[0] not in (*self.commands, "--help", "-h", "--version", "-V"):
            args = ["check", *args]
        return super().parse_args(ctx, args)

    def _demand_no_typing_error(self, ctx: click.Context, args: list[str]) -> None:
        """A word that is no path and nearly a command is not taken for a path."""
        word = args[0] if args else ""
        if not word.isalpha() or word in self.commands or ctx.resilient_parsing or Path(word).exists():
            return
        from ..lint.selection import did_you_mean

        meant = did_you_mean(word, self.commands)
        if meant:
            raise click.UsageError(f"{word!r} is neither a command nor a path{meant}")


class _OutputsInPairs(click.Command):
    """Remembers which `-o FILE` came right after which `--output-format`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta["outputs"] = list(pair_outputs(args))
        return super().parse_args(ctx, settle_optional_file(args))


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


_kustomize_binary = click.option(
    "--kustomize-binary",
    default=commands.OFF,
    metavar="PATH|kubectl|off",
    help="Let this kustomize or kubectl do the builds; only here, no config file can say it.  [default: off]",
)
_helm = click.option(
    "--helm",
    default="auto",
    metavar="auto|off|PATH",
    help="The helm that renders charts; only here, no config file can say it.  [default: auto]",
)
_cache_dir = click.option(
    "--cache-dir",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Where rendered charts are kept.  [default: the user's cache]",
)


def _begin_watch(ctx: click.Context, option: click.Parameter, megabytes: float) -> None:
    ctx.meta["max-memory"] = megabytes
    watch.begin(ctx.meta.get("timeout", limits.TIMEOUT), megabytes)
    ctx.call_on_close(watch.finish)  # whoever calls the command from Python goes on without it


def _remember_timeout(ctx: click.Context, option: click.Parameter, seconds: float) -> None:
    ctx.meta["timeout"] = seconds


_timeout = click.option(
    "--timeout",
    type=click.FloatRange(min=0),
    default=limits.TIMEOUT,
    metavar="SECONDS",
    expose_value=False,
    is_eager=True,
    callback=_remember_timeout,
    help=f"What the run may take; 0 for as long as it needs.  [default: {limits.TIMEOUT:g}]",
)
_max_memory = click.option(
    "--max-memory",
    type=click.FloatRange(min=0),
    default=limits.MAX_MEMORY,
    metavar="MB",
    expose_value=False,
    callback=_begin_watch,
    help=f"The memory that the run may take; 0 for all there is.  [default: {limits.MAX_MEMORY:g}]",
)
_config = click.option(
    "--config",
    multiple=True,
    metavar="FILE|KEY=VALUE",
    help="Use this config file, or set one of its keys: fail-on=error; repeatable.",
)
_exclude = click.option("--exclude", multiple=True, metavar="PATTERN", help="Leave out these files, too; repeatable.")
_config_from = click.option(
    "--config-from",
    type=click.Choice(("base", "head")),
    default="head",
    help="With --diff-base: whose config, baseline and ignores count.  [default: head]",
)


def _rules(option: str, text: str) -> Callable[[FC], FC]:
    return click.option(option, multiple=True, metavar="RULES", shell_complete=completion.rules, help=text)


def _app(text: str) -> Callable[[FC], FC]:
    return click.option("--app", metavar="NAME", shell_complete=completion.apps, help=text)


_no_context = click.option("--no-context", is_flag=True, help="Read folders alone, without the repository around them.")
_no_cache = click.option("--no-cache", is_flag=True, help="Render every chart anew.")
_store = click.option(
    "--store",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Where `gitops-lint fetch` keeps what it brings.  [default: the user's cache]",
)
_repo = click.option(
    "--repo",
    multiple=True,
    metavar="URL=PATH",
    help="Another git repository is checked out there; repeatable.",
)


# -- check


@cli.command(cls=_OutputsInPairs)
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--output-format",
    multiple=True,
    type=click.Choice((*FINDINGS, PAGE)),
    help="How to report; repeatable.  [default: full]",
)
@click.option(
    "-o", "--output-file", multiple=True, metavar="FILE", help="Where to write the format before it; repeatable."
)
@_rules("--select", "Run these only: codes, prefixes (GL1), names, ALL.")
@_rules("--ignore", "Leave these out.")
@_rules("--extend-select", "Run these, too.")
@click.option(
    "--fail-on",
    type=click.Choice(("error", "warning", "note", "never")),
    help="The least severity that makes the exit code 1.  [default: warning]",
)
@click.option(
    "--min-severity",
    type=click.Choice(("error", "warning", "note")),
    help="Report only what is at least so severe, and all of that in full.",
)
@_rules("--show", "Report only these rules, with every place.")
@_app("Report only what touches this Application, or the folder of this name.")
@click.option(
    "--group-by",
    type=click.Choice(("file", "rule", "app")),
    help="A line each under headings.  [default: the worst first]",
)
@click.option("--strict", is_flag=True, help="Exit with 1 when something was not looked into.")
@click.option("--exit-zero", is_flag=True, help="Exit with 0 even when there are findings.")
@click.option("--fix", is_flag=True, help="Apply the safe fixes.")
@click.option("--unsafe-fixes", is_flag=True, help="With --fix or --diff: the unsafe ones, too.")
@click.option("--diff", is_flag=True, help="Show what the fixes would change, and write nothing.")
@click.option("--add-ignore", metavar="REASON", help="Write an ignore with this reason above all that is reported.")
@click.option("--watch", is_flag=True, help="Run again whenever a file changes.")
@click.option(
    "--diff-base",
    metavar="REV",
    help="Say, too, what the changes since this revision do; `REV...`: since HEAD left it.",
)
@click.option("--staged", is_flag=True, help="Look at what the index holds, not at the working tree.")
@click.option("--new-only", is_flag=True, help="With --diff-base: report only what that revision does not have.")
@click.option("--baseline", metavar="FILE|off", help="Leave out the findings that this file knows.")
@click.option("--write-baseline", metavar="[FILE]", help="Write all findings of now as the baseline, and stop.")
@click.option("--prune-baseline", is_flag=True, help="Remove from the baseline what is gone.")
@_exclude
@_config
@_config_from
@click.option("--isolated", is_flag=True, help="Use no config file.")
@click.option("--argocd-version", metavar="V", help="The Argo CD version to judge by, for example 3.3.")
@click.option("--kubernetes-version", metavar="V", help="The Kubernetes version to judge by.")
@click.option(
    "--schema-dir",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="A folder of CRDs or JSON schemas.",
)
@_kustomize_binary
@_helm
@_cache_dir
@_no_cache
@_store
@_repo
@_no_context
@_timeout
@_max_memory
@click.option(
    "--respect-gitignore/--no-respect-gitignore", default=True, help="Leave out what git ignores.  [default: yes]"
)
@click.option("--stdin-filename", metavar="PATH", help="The name of what `-` reads from standard input.")
@click.option("--sarif-category", metavar="NAME", help="Tells analyses of one commit apart on GitHub.")
@click.option("--sarif-fold", is_flag=True, help="In SARIF one result a cause, not one a place.")
@click.option("--show-files", is_flag=True, help="List the files that would be read, and stop.")
@click.option("--show-settings", is_flag=True, help="Print every setting and where it comes from, and stop.")
@click.option(
    "--statistics",
    is_flag=True,
    help="Only count the findings by rule; with -v the time, too.",
)
@click.option("--color", type=click.Choice(("auto", "always", "never")), default="auto", help="[default: auto]")
@click.option("--no-progress", is_flag=True, help="Do not tell on a terminal how far it is.")
@click.option("-q", "--quiet", is_flag=True, help="Print findings only: no summary, no progress.")
@click.option("-v", "--verbose", is_flag=True, help="Say what is read and how long it takes.")
@click.pass_context
def check(ctx: click.Context, /, paths: tuple[Path, ...], **given: Any) -> None:
    """Lint folders or files; the current folder when none is given.

    They are read with the whole repository around them as context, and only
    they are reported on. `-` reads standard input.
    """
    if given.pop("watch"):
        _watch(ctx, paths or (Path("."),))
    from ..fetch.lock_file import BadLock
    from ..files.discover import NoSuchPath
    from ..lint.baseline import BaselineError
    from ..lint.config import ConfigError
    from ..lint.selection import UnknownRule
    from ..plan.views import UnknownApp

    try:
        ctx.exit(commands.check(paths or (Path("."),), commands.Options(outputs=tuple(ctx.meta["outputs"]), **given)))
    except (BadLock, BaselineError, ConfigError, NoSuchPath, UnknownApp, UnknownRule, commands.Unable) as error:
        commands.fail(str(error))


def _watch(ctx: click.Context, paths: tuple[Path, ...]) -> None:
    if not hasattr(os, "fork"):
        raise click.UsageError("--watch needs a system that can fork: Linux or macOS")
    if any(str(path) == commands.STDIN for path in paths):
        raise click.UsageError("standard input cannot be watched")
    from .watching import again_and_again

    again_and_again(paths)
    watch.begin(ctx.meta.get("timeout", limits.TIMEOUT), ctx.meta["max-memory"])


# -- apps


@cli.command()
@click.argument("path", default=".", type=click.Path(path_type=Path))
@click.option(
    "--output-format",
    type=click.Choice(("table", "tree", "json", "markdown")),
    default="table",
    help="[default: table]",
)
@_config
@click.option("--isolated", is_flag=True, help="Use no config file.")
@_kustomize_binary
@_helm
@_cache_dir
@_no_cache
@_store
@_repo
@_no_context
@_timeout
@_max_memory
def apps(path: Path, output_format: str, **given: Any) -> None:
    """Show every Application, what it syncs where, and whether it was seen whole."""
    from ..fetch.lock_file import BadLock
    from ..files.discover import NoSuchPath
    from ..lint.config import ConfigError

    try:
        click.echo(commands.apps(path, output_format, commands.Options(**given)), nl=False)
    except (BadLock, ConfigError, NoSuchPath) as error:
        commands.fail(str(error))


# -- plan


@cli.command()
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@_app("Only the Application, or the folder, of this name.")
@click.option(
    "--output-format",
    type=click.Choice(tuple(CHANGED_PLAN)),
    default="text",
    help="markdown: with --diff-base only.  [default: text]",
)
@click.option("-o", "--output-file", metavar="FILE", help="Write there instead of to standard output.")
@click.option(
    "--diff-base",
    metavar="REV",
    help="Show what the changes since this revision do at the next sync; `REV...`: since HEAD left it.",
)
@click.option("--staged", is_flag=True, help="Look at what the index holds, not at the working tree.")
@_rules("--select", "Show the findings of these rules only.")
@_rules("--ignore", "Leave out the findings of these.")
@_config
@click.option("--isolated", is_flag=True, help="Use no config file.")
@click.option("--argocd-version", metavar="V", help="The Argo CD version to judge by, for example 3.3.")
@click.option("--kubernetes-version", metavar="V", help="The Kubernetes version to judge by.")
@_config_from
@_kustomize_binary
@_helm
@_cache_dir
@_no_cache
@_store
@_repo
@_no_context
@_timeout
@_max_memory
@click.option("--color", type=click.Choice(("auto", "always", "never")), default="auto", help="[default: auto]")
def plan(paths: tuple[Path, ...], app: str | None, output_format: str, output_file: str | None, **given: Any) -> None:
    """Show the predicted syncs: phases, waves, kinds, what waits for what, and the findings on the way.

    Of the current folder when no path is given. The exit code says nothing
    about the findings; `check` does. With `--diff-base`: what the next sync
    after a merge creates, changes, recreates and prunes.
    """
    if output_format == "markdown" and not given["diff_base"]:
        raise click.UsageError("--output-format markdown shows a change: --diff-base REV says which one")
    from ..fetch.lock_file import BadLock
    from ..files.discover import NoSuchPath
    from ..lint.config import ConfigError
    from ..lint.selection import UnknownRule
    from ..plan.views import UnknownApp

    try:
        code = commands.plan(paths or (Path("."),), app, Output(output_format, output_file), commands.Options(**given))
    except (BadLock, ConfigError, NoSuchPath, UnknownRule, UnknownApp, commands.Unable) as error:
        commands.fail(str(error))
    sys.exit(code)


# -- render


@cli.command()
@click.argument("path", type=click.Path(path_type=Path), default=".")
@_app("Only the objects of this Application.")
@click.option("--output-format", type=click.Choice(("yaml", "json")), default="yaml", show_default=True)
@click.option("-o", "--output-file", metavar="FILE", help="Write to a file instead of standard output.")
@_config
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
@_kustomize_binary
@_helm
@_cache_dir
@_no_cache
@_store
@_repo
@_timeout
@_max_memory
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
    from ..fetch.lock_file import BadLock
    from ..files.discover import NoSuchPath
    from ..lint.config import ConfigError
    from ..plan.views import UnknownApp
    from .render_command import ChartOptions

    try:
        chart = ChartOptions(release_name, namespace, values, not skip_crds)
        output = Output(output_format, output_file)
        code = commands.render(path, app, output, commands.Options(**given), chart)
    except (BadLock, ConfigError, NoSuchPath, UnknownApp) as error:
        commands.fail(str(error))
    sys.exit(code)


# -- fetch


@cli.command()
@click.argument("path", type=click.Path(path_type=Path), default=".")
@click.option("--locked", is_flag=True, help="Bring exactly what gitops-lint.lock names, and leave the lock alone.")
@click.option("--update", is_flag=True, help="Look for newer versions of everything, whatever the lock has.")
@click.option(
    "--offline-dir",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    metavar="DIR",
    help="Take what the lock names from this store, which somebody carried here, and not from the network.",
)
@click.option("--allow-host", multiple=True, metavar="HOST", help="Ask this host, too: name, or name:port; repeatable.")
@click.option(
    "--diff-base",
    metavar="REV",
    help="Let only the config and the lock of this revision say whom to ask.",
)
@click.option(
    "--lock-from",
    type=click.Choice(("base", "head")),
    default="head",
    help="With --diff-base and --locked: only what that revision's lock names, or what either does.  [default: head]",
)
@_config
@click.option("--isolated", is_flag=True, help="Use no config file.")
@_helm
@_cache_dir
@_no_cache
@_store
@_repo
@_timeout
@_max_memory
@click.option("--no-progress", is_flag=True, help="Do not tell on a terminal how far it is.")
@click.option("-q", "--quiet", is_flag=True, help="Say only what was not fetched, and the sum.")
def fetch(
    path: Path,
    locked: bool,
    update: bool,
    offline_dir: Path | None,
    allow_host: tuple[str, ...],
    lock_from: str,
    **given: Any,
) -> None:
    """Bring the charts, bases and repositories that this one takes from elsewhere.

    The only command that uses the network. It asks allowed hosts only, keeps what
    it brings in a store, and writes gitops-lint.lock: what was asked for, which
    version came, and its digest. All other commands read the store.
    """
    from ..fetch.lock_file import BadLock
    from ..files.discover import NoSuchPath
    from ..git import GitError
    from ..lint.config import ConfigError

    if locked and update:
        raise click.UsageError("--locked and --update exclude each other")
    if lock_from == "base" and not (given["diff_base"] and locked):
        raise click.UsageError("--lock-from base is for --locked with --diff-base")
    wanted = commands.FetchOptions(locked, update, offline_dir, allow_host, lock_from)
    try:
        code = commands.fetch(path, commands.Options(**given), wanted)
    except (BadLock, ConfigError, GitError, NoSuchPath, commands.Unable) as error:
        commands.fail(str(error))
    sys.exit(code)


# -- rule, init


@cli.command()
@click.argument("name", required=False, shell_complete=completion.rules)
@click.option("--all", "every", is_flag=True, help="Every rule.")
@click.option("--output-format", type=click.Choice(("text", "json")), default="text", help="[default: text]")
def rule(name: str | None, every: bool, output_format: str) -> None:
    """Print the manual of a rule, by its name or code."""
    from ...rules import load as load_rules
    from ..lint.selection import UnknownRule, check_words
    from ..report import rule_page

    rules = load_rules()
    if every == bool(name):
        raise click.UsageError("give the name or code of a rule, or --all")
    if name:
        try:
            check_words([name], rules)
        except UnknownRule as error:
            commands.fail(str(error))
        rules = tuple(one for one in rules if name.upper() == one.code or name.lower() == one.name)
        if not rules:
            commands.fail(f"{name!r} names several rules; give one code or name")
    if output_format == "json":
        import json

        data = [rule_page.as_data(one) for one in rules]
        click.echo(json.dumps(data if every else data[0], indent=2, ensure_ascii=False))
    else:
        click.echo("\n".join(rule_page.markdown(one) for one in rules), nl=False)


@cli.command()
@click.option("--stdio", is_flag=True, help="Talk over standard input and output; what it does anyway.")
@_config
@click.option("--isolated", is_flag=True, help="Use no config file.")
@_helm
@_cache_dir
@_no_cache
def server(stdio: bool, **given: Any) -> None:
    """Be the language server of an editor; needs the extra `gitops-lint[server]`."""
    commands.serve(commands.Options(no_progress=True, quiet=True, **given))


@cli.command("completion")
@click.argument("shell", type=click.Choice(completion.SHELLS))
def completion_(shell: str) -> None:
    """Print what makes a shell complete commands, options, rules and Applications.

    For bash: `eval "$(gitops-lint completion bash)"` in ~/.bashrc.
    """
    click.echo(completion.script(shell))


@cli.command()
@click.option("--force", is_flag=True, help="Replace a config that is there.")
def init(force: bool) -> None:
    """Write a commented .gitops-lint.yaml into the current folder."""
    from ..fix.write_files import NotWritten, demand_no_link
    from ..lint.config.config_text import init_text

    path = Path(".gitops-lint.yaml")
    try:
        demand_no_link(path, [Path.cwd()])
    except NotWritten as error:
        commands.fail(str(error))
    try:
        with path.open("w" if force else "x", encoding="utf-8") as file:
            file.write(init_text(commands.known_options()))
    except FileExistsError:
        commands.fail(f"{path} exists; --force replaces it")
    except OSError as error:
        commands.fail(f"{path}: {error.strerror or error}")
    click.echo(f"Wrote {path}")
