"""The command line: arguments in, exit code out."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, NoReturn

import click

from . import VERSION

if TYPE_CHECKING:
    from .config import Config
    from .discover import Found
    from .lint import Linted
    from .model import Repo
    from .report import ReportOptions
    from .result import Result
    from .session import Session
    from .source import SourceFile

CLEAN: Final = 0
FINDINGS: Final = 1
FAILED: Final = 2
FORMATS: Final = ("full", "concise", "json", "sarif", "github", "markdown")
FILES_WORTH_A_PROGRESS_BAR: Final = 400
STDIN: Final = "-"


def main() -> NoReturn:
    # The process lives for one run: looking for garbage takes a third of its time and frees nothing,
    # and taking millions of small values down one by one at the end is of no use to anyone.
    gc.disable()
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
    except Exception:  # the last resort, so that our own failure never looks like findings
        import traceback

        traceback.print_exc()
        click.echo("error: internal error in gitops-lint; please report it with the lines above", err=True)
        return FAILED
    return CLEAN


class _CheckByDefault(click.Group):
    """`gitops-lint PATH` means `gitops-lint check PATH`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args or args[0] not in (*self.commands, "--help", "-h", "--version", "-V"):
            args = ["check", *args]
        return super().parse_args(ctx, args)


class Output(NamedTuple):
    format: str
    file: str | None
    """None: standard output."""


class _OutputsInPairs(click.Command):
    """Remembers which `-o FILE` came right after which `--output-format`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta["outputs"] = list(pair_outputs(args))
        return super().parse_args(ctx, args)


def pair_outputs(args: Sequence[str]) -> Iterator[Output]:
    """An empty format stands for the default one."""
    waiting: str | None = None
    rest = iter(args)
    for argument in rest:
        name, equals, value = argument.partition("=")
        if argument == "--":
            break
        if name == "--output-format":
            if waiting is not None:
                yield Output(waiting, None)
            waiting = value if equals else next(rest, "")
        elif name == "--output-file" or argument == "-o":
            yield Output(waiting or "", value if equals else next(rest, ""))
            waiting = None
        elif argument.startswith("-o") and not argument.startswith("--"):
            yield Output(waiting or "", argument[2:].removeprefix("="))
            waiting = None
    if waiting is not None:
        yield Output(waiting, None)


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


# -- check


@dataclass(frozen=True)
class Options:
    """What was typed; the names are those of the command line."""

    outputs: tuple[Output, ...] = ()
    output_format: tuple[str, ...] = ()
    output_file: tuple[str, ...] = ()
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    fail_on: str | None = None
    exit_zero: bool = False
    fix: bool = False
    unsafe_fixes: bool = False
    diff: bool = False
    config: Path | None = None
    isolated: bool = False
    argocd_version: str | None = None
    kubernetes_version: str | None = None
    schema_dir: Path | None = None
    respect_gitignore: bool = True
    stdin_filename: str | None = None
    sarif_category: str | None = None
    show_files: bool = False
    show_settings: bool = False
    statistics: bool = False
    color: str = "auto"
    no_progress: bool = False
    quiet: bool = False
    verbose: bool = False
    to_stderr: bool = False
    """Standard output belongs to the fixed text."""


@cli.command(cls=_OutputsInPairs)
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--output-format", multiple=True, type=click.Choice(FORMATS), help="How to report; repeatable.  [default: full]"
)
@click.option(
    "-o", "--output-file", multiple=True, metavar="FILE", help="Where to write the format before it; repeatable."
)
@click.option("--select", multiple=True, metavar="RULES", help="Run these only: codes, prefixes (GL1), names, ALL.")
@click.option("--ignore", multiple=True, metavar="RULES", help="Leave these out.")
@click.option("--extend-select", multiple=True, metavar="RULES", help="Run these, too.")
@click.option(
    "--fail-on",
    type=click.Choice(("error", "warning", "note", "never")),
    help="The least severity that makes the exit code 1.  [default: warning]",
)
@click.option("--exit-zero", is_flag=True, help="Exit with 0 even when there are findings.")
@click.option("--fix", is_flag=True, help="Apply the safe fixes.")
@click.option("--unsafe-fixes", is_flag=True, help="With --fix or --diff: the unsafe ones, too.")
@click.option("--diff", is_flag=True, help="Show what the fixes would change, and write nothing.")
@click.option("--config", type=click.Path(path_type=Path), metavar="FILE", help="Use this config file.")
@click.option("--isolated", is_flag=True, help="Use no config file.")
@click.option("--argocd-version", metavar="V", help="The Argo CD version to judge by, for example 3.3.")
@click.option("--kubernetes-version", metavar="V", help="The Kubernetes version to judge by.")
@click.option(
    "--schema-dir",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="A folder of CRDs or JSON schemas.",
)
@click.option(
    "--respect-gitignore/--no-respect-gitignore", default=True, help="Leave out what git ignores.  [default: yes]"
)
@click.option("--stdin-filename", metavar="PATH", help="The name of what `-` reads from standard input.")
@click.option("--sarif-category", metavar="NAME", help="Tells analyses of one commit apart on GitHub.")
@click.option("--show-files", is_flag=True, help="List the files that would be read, and stop.")
@click.option("--show-settings", is_flag=True, help="Print every setting and where it comes from, and stop.")
@click.option("--statistics", is_flag=True, help="Count the findings by rule instead of listing them.")
@click.option("--color", type=click.Choice(("auto", "always", "never")), default="auto", help="[default: auto]")
@click.option("--no-progress", is_flag=True, help="No progress bar on a terminal.")
@click.option("-q", "--quiet", is_flag=True, help="Print findings only, no summary to standard error.")
@click.option("-v", "--verbose", is_flag=True, help="Say what is read and how long it takes.")
@click.pass_context
def check(ctx: click.Context, /, paths: tuple[Path, ...], **given: Any) -> None:
    """Lint folders or files; the current folder when none is given.

    Folders are read alone. Files are read with the whole repository around
    them as context, and only they are reported on. `-` reads standard input.
    """
    from .config import ConfigError
    from .discover import NoSuchPath
    from .selection import UnknownRule

    try:
        ctx.exit(_check(paths or (Path("."),), Options(outputs=tuple(ctx.meta["outputs"]), **given)))
    except (ConfigError, NoSuchPath, UnknownRule) as error:
        _fail(str(error))


def _fail(message: str) -> NoReturn:
    click.echo(f"error: {message}", err=True)
    sys.exit(FAILED)


def _check(paths: Sequence[Path], options: Options) -> int:
    session = _session(paths, options)
    if options.show_settings:
        from .config.text import show_settings

        click.echo(show_settings(session.config), nl=False)
        return CLEAN
    if paths == (Path(STDIN),):
        return _check_stdin(session, options)
    found = session.find(paths)
    if options.show_files:
        click.echo("".join(f"{file.path}\n" for file in found.files), nl=False)
        return CLEAN
    if not found.files and not found.templates:
        _fail(f"no YAML files in {', '.join(map(str, paths))}")
    if options.fix and not options.diff:
        from .session import fix_in_place

        fixed = fix_in_place(session, paths, unsafe=options.unsafe_fixes)
        for reason in fixed.not_written:
            _say(options, f"warning: not fixed: {reason}")
        _say(options, f"Fixed {fixed.count} of the findings in {fixed.files} files." if fixed.count else "")
        return _report(fixed.linted, found, session.config, options)
    linted = session.lint(found)
    if options.diff:
        return _show_diff(linted.result, options)
    return _report(linted, found, session.config, options)


def _session(paths: Sequence[Path], options: Options) -> Session:
    from ..rules import load as load_rules
    from .config import load
    from .discover import common_root, located
    from .session import Session

    start = [located(path) for path in paths if str(path) != STDIN] or [Path.cwd()]
    loaded = load(start[0], options.config, options.isolated, common_root(start))
    loaded.check_rules(load_rules())
    for warning in loaded.warnings:
        _say(options, f"warning: {warning}")
    config = loaded.config.override(
        select=_words(options.select) or None,
        extend_select=_words(options.extend_select),
        ignore=_words(options.ignore),
        fail_on=options.fail_on,
        argocd_version=_version(options.argocd_version, "--argocd-version"),
        kubernetes_version=_version(options.kubernetes_version, "--kubernetes-version"),
        schema_dir=options.schema_dir,
    )
    return Session(
        config=config,
        rules=config.rules_to_run(load_rules()),
        today=date.today(),
        progress=_progress(options),
        respect_gitignore=options.respect_gitignore,
    )


def _words(values: Iterable[str]) -> list[str]:
    """`--select GL1,GL2` and `--select GL1 --select GL2` are the same."""
    return [word for value in values for part in value.split(",") if (word := part.strip())]


def _version(text: str | None, option: str) -> Any:
    from .versions import Version

    try:
        return Version.parse(text) if text else None
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint=option) from None


def _check_stdin(session: Session, options: Options) -> int:
    from .discover import Found, decode
    from .fix import fix_files

    name = options.stdin_filename or "stdin.yaml"
    file = decode(Path(name).as_posix(), sys.stdin.buffer.read())
    found = Found(Path.cwd(), [file])
    linted = session.lint(found)
    if options.diff:
        return _show_diff(linted.result, options)
    if not options.fix:
        return _report(linted, found, session.config, options)
    fixes = fix_files(linted.result.reported, unsafe=options.unsafe_fixes)
    text = fixes[0].after if fixes else file.text
    sys.stdout.buffer.write((b"\xef\xbb\xbf" if file.has_bom else b"") + text.encode())
    rest = session.lint(Found(Path.cwd(), [decode(file.path, text.encode())]))
    return _report(rest, found, session.config, replace(options, to_stderr=True))


def _show_diff(result: Result, options: Options) -> int:
    from .fix import fix_files, unified_diff

    fixes = [fix for fix in fix_files(result.reported, unsafe=options.unsafe_fixes) if fix.changes]
    for fix in fixes:
        click.echo(unified_diff(fix), nl=False)
    count = sum(len(fix.applied) for fix in fixes)
    _say(options, f"Would fix {count} of the findings in {len(fixes)} files." if fixes else "Nothing to fix.")
    return FINDINGS if fixes and not options.exit_zero else CLEAN


# -- what is printed


def _say(options: Options, message: str) -> None:
    if message and not options.quiet:
        click.echo(message, err=True)


def _report(linted: Linted, found: Found, config: Config, options: Options) -> int:
    result = linted.result
    if options.statistics:
        from .report.statistics import statistics

        click.echo(statistics(result, linted.seconds), nl=False)
    else:
        for output in options.outputs or (Output("", None),):
            _write(output, result, _report_options(found, options, to_file=output.file is not None), config, options)
    if options.verbose:
        _say(options, f"{len(result.files)} files, {result.resources} objects, {result.apps} units")
    if result.crashed:
        return FAILED
    failing = config.threshold is not None and any(item.severity >= config.threshold for item in result.reported)
    return FINDINGS if failing and not options.exit_zero else CLEAN


def _write(output: Output, result: Result, report: ReportOptions, config: Config, options: Options) -> None:
    from .report import renderer

    _put(renderer(output.format or config.output_format)(result, report), output.file, to_stderr=options.to_stderr)


def _put(text: str, file: str | None, *, to_stderr: bool = False) -> None:
    if file is None:
        data = text.encode("utf-8", "backslashreplace")
        stream = sys.stderr.buffer if to_stderr else sys.stdout.buffer
        stream.write(data)
        stream.flush()
        return
    try:
        Path(file).write_text(text, "utf-8", "backslashreplace")
    except OSError as error:
        _fail(f"{file}: {error.strerror or error}")


def _report_options(found: Found, options: Options, *, to_file: bool) -> ReportOptions:
    from .report import ReportOptions

    return ReportOptions(
        tool_version=VERSION,
        color=not to_file and _wants_color(options.color),
        width=_width(),
        root=_shown_root(found.root),
        seen_from=_seen_from(found.root),
        sarif_category=options.sarif_category,
    )


def _wants_color(choice: str) -> bool:
    if choice != "auto":
        return choice == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR") or os.environ.get("CLICOLOR_FORCE", "0") != "0":
        return True
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def _width() -> int:
    import shutil

    return shutil.get_terminal_size((120, 24)).columns if sys.stdout.isatty() else 120


def _shown_root(root: Path) -> str:
    """What to put before a path so that it can be opened from here."""
    here = Path.cwd()
    if here.is_relative_to(root):
        return ""
    return root.relative_to(here).as_posix() if root.is_relative_to(here) else root.as_posix()


def _seen_from(root: Path) -> str:
    here = Path.cwd()
    return here.relative_to(root).as_posix() if here.is_relative_to(root) and here != root else ""


def _progress(options: Options) -> Any:
    def wrapped(files: Sequence[SourceFile]) -> Iterable[SourceFile]:
        quiet = options.no_progress or options.quiet or not sys.stderr.isatty()
        if quiet or len(files) < FILES_WORTH_A_PROGRESS_BAR:
            return files
        return _with_bar(files)

    return wrapped


def _with_bar(files: Sequence[SourceFile]) -> Iterator[SourceFile]:
    with click.progressbar(length=len(files), label="Reading", file=sys.stderr, update_min_steps=50) as bar:
        for file in files:
            yield file
            bar.update(1)
    with suppress(OSError):
        sys.stderr.write("\x1b[1A\x1b[2K")  # leave the terminal to the findings
        sys.stderr.flush()


# -- apps, rule, init


@cli.command()
@click.argument("path", default=".", type=click.Path(path_type=Path))
@click.option("--output-format", type=click.Choice(("text", "json")), default="text", help="[default: text]")
@click.option("--config", type=click.Path(path_type=Path), metavar="FILE", help="Use this config file.")
@click.option("--isolated", is_flag=True, help="Use no config file.")
def apps(path: Path, output_format: str, config: Path | None, isolated: bool) -> None:
    """Show every Application, what it syncs where, and what could not be resolved."""
    from .config import ConfigError
    from .discover import NoSuchPath
    from .report import app_tree

    try:
        repo = _look_at(path, config, isolated)
    except (ConfigError, NoSuchPath) as error:
        _fail(str(error))
    click.echo(app_tree.as_json(repo) if output_format == "json" else app_tree.as_text(repo), nl=False)


def _look_at(path: Path, config: Path | None, isolated: bool) -> Repo:
    """The repository without its findings."""
    from .config import load
    from .discover import common_root, located
    from .lint import read_repo
    from .session import Session

    start = located(path)
    session = Session(load(start, config, isolated, common_root([start])).config, (), date.today())
    return read_repo(session.find([path]), session.config)


# -- plan


@cli.command()
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option("--app", metavar="NAME", help="Only the Application, or the folder, of this name.")
@click.option(
    "--output-format", type=click.Choice(("text", "json", "mermaid", "html")), default="text", help="[default: text]"
)
@click.option("-o", "--output-file", metavar="FILE", help="Write there instead of to standard output.")
@click.option("--select", multiple=True, metavar="RULES", help="Show the findings of these rules only.")
@click.option("--ignore", multiple=True, metavar="RULES", help="Leave out the findings of these.")
@click.option("--config", type=click.Path(path_type=Path), metavar="FILE", help="Use this config file.")
@click.option("--isolated", is_flag=True, help="Use no config file.")
@click.option("--argocd-version", metavar="V", help="The Argo CD version to judge by, for example 3.3.")
@click.option("--kubernetes-version", metavar="V", help="The Kubernetes version to judge by.")
@click.option("--color", type=click.Choice(("auto", "always", "never")), default="auto", help="[default: auto]")
def plan(paths: tuple[Path, ...], app: str | None, output_format: str, output_file: str | None, **given: Any) -> None:
    """Show the predicted syncs: phases, waves, kinds, what waits for what, and the findings on the way.

    Of the current folder when no path is given. The exit code says nothing
    about the findings; `check` does.
    """
    from .config import ConfigError
    from .discover import NoSuchPath
    from .planview import UnknownApp
    from .selection import UnknownRule

    try:
        code = _plan(paths or (Path("."),), app, Output(output_format, output_file), Options(**given))
    except (ConfigError, NoSuchPath, UnknownRule, UnknownApp) as error:
        _fail(str(error))
    sys.exit(code)


def _plan(paths: Sequence[Path], app: str | None, output: Output, options: Options) -> int:
    from .planview import build_view, choose
    from .report import plan_formats

    session = _session(paths, options)
    found = session.find(paths)
    if not found.files and not found.templates:
        _fail(f"no YAML files in {', '.join(map(str, paths))}")
    linted = session.lint(found)
    view = build_view(linted.repo, linted.result.reported, choose(linted.repo, app, found.wants))
    report = _report_options(found, options, to_file=output.file is not None)
    page_folder = Path(output.file).absolute().parent if output.file else Path.cwd()
    link_root = Path(os.path.relpath(found.root, page_folder)).as_posix()
    ascii_only = not (output.file or (sys.stdout.encoding or "").lower().startswith("utf"))
    _put(plan_formats.render(output.format, view, report, link_root, ascii_only=ascii_only), output.file)
    return FAILED if linted.result.crashed else CLEAN


# -- rule, init


@cli.command()
@click.argument("name", required=False)
@click.option("--all", "every", is_flag=True, help="Every rule.")
@click.option("--output-format", type=click.Choice(("text", "json")), default="text", help="[default: text]")
def rule(name: str | None, every: bool, output_format: str) -> None:
    """Print the manual of a rule, by its name or code."""
    from ..rules import load as load_rules
    from .report import rule_page
    from .selection import UnknownRule, check_words

    rules = load_rules()
    if every == bool(name):
        raise click.UsageError("give the name or code of a rule, or --all")
    if name:
        try:
            check_words([name], rules)
        except UnknownRule as error:
            _fail(str(error))
        rules = tuple(one for one in rules if name.upper() == one.code or name.lower() == one.name)
        if not rules:
            _fail(f"{name!r} names several rules; give one code or name")
    if output_format == "json":
        import json

        data = [rule_page.as_data(one) for one in rules]
        click.echo(json.dumps(data if every else data[0], indent=2, ensure_ascii=False))
    else:
        click.echo("\n".join(rule_page.markdown(one) for one in rules), nl=False)


@cli.command()
@click.option("--force", is_flag=True, help="Replace a config that is there.")
def init(force: bool) -> None:
    """Write a commented .gitops-lint.yaml into the current folder."""
    from .config.text import init_text

    path = Path(".gitops-lint.yaml")
    try:
        with path.open("w" if force else "x", encoding="utf-8") as file:
            file.write(init_text())
    except FileExistsError:
        _fail(f"{path} exists; --force replaces it")
    except OSError as error:
        _fail(f"{path}: {error.strerror or error}")
    click.echo(f"Wrote {path}")
