"""What the commands do, once the command line is read."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, NamedTuple, NoReturn

import click

from .. import VERSION
from ..facts.severity import Severity
from . import terminal
from .arguments import Output

if TYPE_CHECKING:
    from ..fetch.lock_file import Lock
    from ..fetch.shelf_choice import ShelfChoice
    from ..files.discover import Found
    from ..fix.fix_plan import Plan
    from ..helm.run.helm_choice import HelmChoice
    from ..kustomize.kustomize_binary import Binary
    from ..lint.config import Config
    from ..lint.own_review import Review
    from ..lint.result import Result
    from ..lint.run import Linted
    from ..lint.session import Session
    from ..repo.model import Repo
    from ..report import ReportOptions
    from .render_command import ChartOptions

CLEAN: Final = 0
FINDINGS: Final = 1
FAILED: Final = 2
STDIN: Final = "-"
OFF: Final = "off"


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
    min_severity: str | None = None
    show: tuple[str, ...] = ()
    app: str | None = None
    group_by: str | None = None
    strict: bool = False
    exit_zero: bool = False
    fix: bool = False
    unsafe_fixes: bool = False
    diff: bool = False
    diff_base: str | None = None
    staged: bool = False
    new_only: bool = False
    baseline: str | None = None
    write_baseline: str | None = None
    """Empty: the usual file."""
    prune_baseline: bool = False
    config: tuple[str, ...] = ()
    """A file, or options with their values."""
    exclude: tuple[str, ...] = ()
    add_ignore: str | None = None
    config_from: str = "head"
    isolated: bool = False
    argocd_version: str | None = None
    kubernetes_version: str | None = None
    schema_dir: Path | None = None
    kustomize_binary: str = OFF
    helm: str = "auto"
    cache_dir: Path | None = None
    no_cache: bool = False
    store: Path | None = None
    repo: tuple[str, ...] = ()
    show_secrets: bool = False
    respect_gitignore: bool = True
    no_context: bool = False
    stdin_filename: str | None = None
    sarif_category: str | None = None
    sarif_fold: bool = False
    show_files: bool = False
    show_settings: bool = False
    statistics: bool = False
    color: str = "auto"
    no_progress: bool = False
    quiet: bool = False
    verbose: bool = False
    to_stderr: bool = False
    """Standard output belongs to the fixed text."""

    @property
    def config_file(self) -> Path | None:
        """The last one that is named."""
        return next((Path(word) for word in reversed(self.config) if not _is_pair(word)), None)

    @property
    def config_pairs(self) -> list[str]:
        return [word for word in self.config if _is_pair(word)]

    @property
    def concerns_baseline(self) -> bool:
        return bool(self.baseline or self.prune_baseline or self.write_baseline is not None)


def _is_pair(word: str) -> bool:
    """`fail-on=error`, not the name of a file."""
    key, equals, _ = word.partition("=")
    return bool(equals) and key.replace("-", "").isalpha()


class FetchOptions(NamedTuple):
    """What `fetch` alone is told."""

    locked: bool = False
    update: bool = False
    offline_dir: Path | None = None
    allow_host: tuple[str, ...] = ()
    lock_from: str = "head"


class Unable(Exception):
    """What was asked for cannot be done here, and why."""


def fail(message: str) -> NoReturn:
    say(f"error: {message}")
    sys.exit(FAILED)


def say(message: str) -> None:
    """On standard error; what a repository says in it stays on its line, and does nothing there."""
    from ..report.escape import terminal_line

    click.echo(terminal_line(message), err=True)


def check(paths: Sequence[Path], options: Options) -> int:
    if not (options.diff_base or options.staged):
        return _check(paths, options)
    _check_combination(paths, options)
    from ..git import GitError  # most runs compare nothing

    try:
        return _check(paths, options)
    except GitError as error:
        raise Unable(str(error)) from None


def _check_combination(paths: Sequence[Path], options: Options) -> None:
    if STDIN in map(str, paths):
        raise click.UsageError("standard input is no part of a revision: --diff-base and --staged need files")
    if options.staged and options.kustomize_binary != OFF:
        raise click.UsageError("--kustomize-binary builds what is on the disk, and --staged looks at the index")
    if options.staged and options.add_ignore is not None:
        raise click.UsageError(
            "--add-ignore changes the working tree, and --staged looks at the index: use one of them"
        )
    if options.staged and options.fix:
        raise click.UsageError("--fix changes the working tree, and --staged looks at the index: use one of them")


def _check(paths: Sequence[Path], options: Options) -> int:
    if options.new_only and not options.diff_base:
        raise click.UsageError("--new-only needs the revision to compare with: --diff-base REV")
    if options.statistics and any(output.format not in ("", "full", "json") for output in options.outputs):
        raise click.UsageError("--statistics is printed as text (full) or as json")
    session = _session(paths, options)
    _demand_base_for_change_rules(session, options)
    if options.show_settings:
        from ..lint.config.config_text import show_settings

        click.echo(show_settings(session.config), nl=False)
        return CLEAN
    if options.concerns_baseline or session.config.baseline:
        from .baseline_command import with_baseline

        session = with_baseline(session, paths, options)
    if paths == (Path(STDIN),):
        return _check_stdin(session, options)
    found = session.find(paths)
    if options.show_files:
        from ..report.escape import terminal_path

        wanted = (file.path for file in found.files if found.wants(file.path))
        click.echo("".join(f"{terminal_path(path)}\n" for path in wanted), nl=False)
        return CLEAN
    if not (_has_something(found) or session.diff_base):
        fail(f"no YAML files in {', '.join(map(str, paths))}")
    if options.fix and not options.diff:
        from ..fix.fix_plan import fix_in_place

        fixed = fix_in_place(session, paths, unsafe=options.unsafe_fixes)
        for reason in fixed.not_written:
            _say(options, f"warning: not fixed: {reason}")
        _say(options, _count("Fixed", fixed.count, fixed.files, fixed.followed) if fixed.count else "")
        return _report(fixed.linted, found, session, options)
    linted = session.lint(found)
    if options.add_ignore is not None:
        return _add_ignores(linted, found, options)
    if options.diff:
        from ..fix.fix_plan import plan_fixes

        return _show_diff(plan_fixes(session, found, linted, unsafe=options.unsafe_fixes), options)
    return _report(linted, found, session, options)


def _demand_base_for_change_rules(session: Session, options: Options) -> None:
    """Who asks for rules about a change, and names none, would be told that all is well."""
    if not options.select or session.diff_base:
        return
    from ..lint.rule import Scope
    from ..lint.selection import exactness

    asked = [rule for rule in session.rules if exactness(_words(options.select), rule) > 0]
    idle = [rule.name for rule in asked if rule.scope is Scope.CHANGE]
    if idle and len(idle) == len(asked):
        names = f"{idle[0]} and {len(idle) - 1} more" if len(idle) > 1 else idle[0]
        raise click.UsageError(f"{names} can only look at a change: --diff-base REV says since when")
    if idle:
        _say(options, f"note: not run without --diff-base: {', '.join(idle[:5])}{', …' if len(idle) > 5 else ''}")


def _has_something(found: Found) -> bool:
    return any(found.wants(file.path) for file in (*found.files, *found.templates))


def _session(paths: Sequence[Path], options: Options) -> Session:
    from ...rules import load as load_rules
    from ..files.discover import common_root, located
    from ..lint.config import with_pairs
    from ..lint.selection import check_words
    from ..lint.session import Session

    start = [located(path) for path in paths if str(path) != STDIN] or [Path.cwd()]
    root = common_root(start)
    review = None
    if options.diff_base and not options.isolated:
        review = _review(start[0], root, options)
        own = review.base if review.follows_base else review.head
        own = replace(own, required=tuple(dict.fromkeys((*own.required, *review.base.required))))
    else:
        own = _own_config(start[0], root, options)

    def with_words(config: Config) -> Config:
        return with_pairs(config, options.config_pairs, load_rules()).override(
            select=_words(options.select) or None,
            extend_select=_words(options.extend_select),
            ignore=_words(options.ignore),
            fail_on=options.fail_on,
            argocd_version=_version(options.argocd_version, "--argocd-version"),
            kubernetes_version=_version(options.kubernetes_version, "--kubernetes-version"),
            schema_dir=options.schema_dir,
            exclude=[_from_here(pattern, config) for pattern in options.exclude],
        )

    check_words(_words(options.show), load_rules())
    config = with_words(own)
    if review is not None:
        review = review._replace(base=with_words(review.base), head=with_words(review.head))
    return Session(
        config=config,
        rules=config.rules_to_run(load_rules()),
        today=date.today(),
        progress=terminal.progress(not (options.no_progress or options.quiet)),
        respect_gitignore=options.respect_gitignore,
        context=not options.no_context,
        kustomize=_binary(options.kustomize_binary),
        helm=_helm(options),
        fetched=_fetched(options),
        diff_base=options.diff_base or "",
        staged=options.staged,
        new_only=options.new_only,
        review=review,
    )


def _from_here(pattern: str, config: Config) -> str:
    """A pattern as the config would write it: what is typed counts from the current folder."""
    from ..files.path_globs import glob_problem

    problem = glob_problem(pattern)
    if problem:
        raise click.BadParameter(problem, param_hint="--exclude")
    base = config.folder or config.root
    here = Path.cwd()
    if "/" not in pattern.rstrip("/") or base is None or here == base or not here.is_relative_to(base):
        return pattern
    return f"{here.relative_to(base).as_posix()}/{pattern.removeprefix('./')}"


def _own_config(start: Path, root: Path, options: Options) -> Config:
    from ...rules import load as load_rules
    from ..lint.config import load

    loaded = load(start, options.config_file, options.isolated, root)
    loaded.check_rules(load_rules())
    for warning in loaded.warnings:
        _say(options, f"warning: {warning}")
    return loaded.config


def _review(start: Path, root: Path, options: Options) -> Review:
    """The config of the change next to the one of the base; a broken one of the change stops nobody else's."""
    from ...rules import load as load_rules
    from ..git import Repository
    from ..lint.config import Config, ConfigError
    from ..lint.own_review import BASE, Review, loaded_from_base

    repository = Repository(root)
    revision = repository.revision(options.diff_base or "")
    follows_base = options.config_from == BASE
    loaded = loaded_from_base(repository, revision, start, options.config_file, root)
    loaded.check_rules(load_rules())
    problem = ""
    try:
        head = _own_config(start, root, options)
    except ConfigError as error:
        if not follows_base:
            raise
        head, problem = Config(root=root), f"its config cannot be used: {error}"
    return Review(loaded.config, head, str(revision), follows_base, problem)


def _helm(options: Options) -> HelmChoice:
    from ..helm.run.helm_choice import AUTO, HelmChoice

    if options.helm not in (AUTO, OFF):
        from ..helm.run.real_helm import find_helm
        from ..programs.processes import NoBinary

        try:
            find_helm(options.helm)
        except NoBinary as error:
            fail(f"--helm: {error}")
    return HelmChoice(options.helm, options.cache_dir, not options.no_cache)


def _fetched(options: Options) -> ShelfChoice:
    from ..fetch.shelf_choice import ShelfChoice

    mapped = {}
    for word in options.repo:
        url, equals, folder = word.partition("=")
        if not (url and equals and Path(folder).is_dir()):
            fail(f"--repo {word}: give the address of a repository and the folder of its checkout, URL=PATH")
        mapped[url] = Path(folder).resolve()
    return ShelfChoice(options.store, mapped)


def _binary(word: str) -> Binary | None:
    if word == OFF:
        return None
    from ..kustomize.kustomize_binary import find_binary
    from ..programs.processes import NoBinary

    try:
        return find_binary(word)
    except NoBinary as error:
        fail(f"--kustomize-binary: {error}")


def _words(values: Iterable[str]) -> list[str]:
    """`--select GL1,GL2` and `--select GL1 --select GL2` are the same."""
    return [word for value in values for part in value.split(",") if (word := part.strip())]


def _version(text: str | None, option: str) -> Any:
    from ..facts.versions import Version

    try:
        return Version.parse(text) if text else None
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint=option) from None


def _check_stdin(session: Session, options: Options) -> int:
    from ..files.discover import Found
    from ..files.disk import MAX_BYTES, decode
    from ..fix.fix_plan import plan_fixes

    # They would read the disk, where another text may stand.
    session = replace(session, kustomize=None, helm=None)
    name = options.stdin_filename or "stdin.yaml"
    data = sys.stdin.buffer.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise Unable(f"standard input: more than {MAX_BYTES // 1024**2} MB are not read")
    file = decode(Path(name).as_posix(), data)
    found = Found(Path.cwd(), [file])
    linted = session.lint(found)
    if not (options.fix or options.diff):
        return _report(linted, found, session, options)
    plan = plan_fixes(session, found, linted, unsafe=options.unsafe_fixes, on_disk=False)
    if options.diff:
        return _show_diff(plan, options)
    text = plan.changes[0].after if plan.changes else file.text
    _print((b"\xef\xbb\xbf" if file.has_bom else b"") + text.encode(), sys.stdout.buffer)
    rest = session.lint(Found(Path.cwd(), [decode(file.path, text.encode())]))
    return _report(rest, found, session, replace(options, to_stderr=True))


def _show_diff(plan: Plan, options: Options) -> int:
    from ..fix import unified_diff
    from ..lint.redaction import shown_whole
    from ..report.escape import terminal_line

    differences = [unified_diff(change, shown_whole).removesuffix("\n") for change in plan.changes]
    lines = [terminal_line(line) for difference in differences for line in difference.split("\n")]
    _put("".join(f"{line}\n" for line in lines), None)
    for held in plan.held:
        _say(options, f"warning: not fixed: {held}")
    words = _count("Would fix", plan.count, len(plan.changes), plan.followed)
    _say(options, words if plan.changes else "Nothing to fix.")
    return FINDINGS if plan.changes and not options.exit_zero else CLEAN


def _add_ignores(linted: Linted, found: Found, options: Options) -> int:
    from ..fix import NotWritten, write
    from ..fix.add_ignores import add_ignores

    ignored = add_ignores(_chosen(linted, options).reported, " ".join((options.add_ignore or "").split()))
    left = [f"{item.file.path}:{item.start.line}: {item.rule.name}: {reason}" for item, reason in ignored.left]
    count = files = 0
    for change in ignored.changes:
        try:
            write(found.root, change)
        except NotWritten as error:
            left.append(str(error))
            continue
        count, files = count + len(change.applied), files + 1
    for line in left:
        _say(options, f"warning: no ignore: {line}")
    _say(options, f"Wrote ignores for {count} of the findings in {files} files.")
    return FINDINGS if left and not options.exit_zero else CLEAN


def known_options() -> dict[str, Any]:
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


def _count(verb: str, count: int, files: int, followed: int) -> str:
    also = f" {followed} of them came up through the other fixes." if followed else ""
    return f"{verb} {count} of the findings in {files} files.{also}"


# -- what is printed


def _say(options: Options, message: str) -> None:
    if message and not options.quiet:
        say(message)


def _report(linted: Linted, found: Found, session: Session, options: Options) -> int:
    from ..report import renderer
    from ..report.formats import PAGE

    config = session.config
    if options.concerns_baseline:
        from .baseline_command import change

        linted, said, done = change(session, linted, found, options)
        _say(options, said)
        if done:
            return CLEAN
    linted = linted._replace(result=_chosen(linted, options))
    result = linted.result
    if linted.change and "markdown" in {output.format or config.output_format for output in _outputs(options)}:
        from ..plan.plan_command import with_affected

        result = with_affected(linted)
    for note in linted.notes:
        _say(options, f"note: {note}")
    for output in _outputs(options):
        report = _report_options(found, config, options, to_file=output.file is not None)
        if options.statistics:
            text = _counted(output, linted, report, options)
        elif output.format == PAGE:
            from ..plan.plan_command import page_of_findings

            link_root = _seen_from_page(output, found)
            text = page_of_findings(linted, result, found, options.app, report, link_root)
        else:
            text = renderer(output.format or config.output_format)(result, report)
        _put(text, output.file, found.root, to_stderr=options.to_stderr)
    if options.verbose:
        unknown = sum(linted.repo.validation.without_schema.values())
        _say(options, f"{unknown} custom resources not validated, since no schema is known" if unknown else "")
    if result.crashed:
        return FAILED
    failing = config.threshold is not None and any(item.severity >= config.threshold for item in result.reported)
    if options.strict and not result.is_complete:
        _say(options, "error: --strict: not everything was looked into, see what was not analysed")
        failing = True
    return FINDINGS if failing and not options.exit_zero else CLEAN


def _chosen(linted: Linted, options: Options) -> Result:
    """What was asked for of it; the exit code is about that, too."""
    from ..report.choice import chosen

    if options.app is not None:
        from ..plan.views import choose

        choose(linted.repo, options.app)  # says what there is, if there is no such Application
    least = Severity[options.min_severity.upper()] if options.min_severity else None
    return chosen(linted.result, least, _words(options.show), options.app)


def _outputs(options: Options) -> Sequence[Output]:
    return options.outputs or (Output("", None),)


def _counted(output: Output, linted: Linted, report: ReportOptions, options: Options) -> str:
    from ..report.statistics import Statistics, as_json, as_text

    found = Statistics(linted.result, linted.seconds, linted.repo.validation.without_schema)
    if output.format == "json":
        return as_json(found, report, timing=options.verbose)
    return as_text(found, timing=options.verbose)


def _put(text: str, file: str | None, *roots: Path, to_stderr: bool = False) -> None:
    if file is None:
        _print(text.encode("utf-8", "backslashreplace"), sys.stderr.buffer if to_stderr else sys.stdout.buffer)
        return
    from ..fix.write_files import NotWritten, write_report

    try:
        write_report(Path(file), text.encode("utf-8", "backslashreplace"), roots)
    except NotWritten as error:
        fail(str(error))


def _print(data: bytes, stream: BinaryIO) -> None:
    """All of it: with PYTHONUNBUFFERED, as many images have it, a pipe whose reader is slow takes a part at a time."""
    rest = memoryview(data)
    while rest:
        rest = rest[stream.write(rest) :]
    stream.flush()


def _report_options(found: Found, config: Config, options: Options, *, to_file: bool) -> ReportOptions:
    from ..report import ReportOptions

    return ReportOptions(
        tool_version=VERSION,
        color=not to_file and terminal.wants_color(options.color),
        width=terminal.width(),
        root=terminal.shown_root(found.root),
        seen_from=terminal.seen_from(found.root),
        sarif_category=options.sarif_category,
        sarif_fold=options.sarif_fold,
        every=bool(options.min_severity or options.show or options.app),
        group_by=options.group_by or "",
        quiet=options.quiet,
        threshold=None if options.exit_zero else config.threshold,
    )


def apps(path: Path, output_format: str, options: Options) -> str:
    from ..plan import app_table, app_tree

    found, repo = _looked_at(path, options)
    if output_format == "table":
        return app_table.as_table(repo, terminal.width(), found.wants)
    forms = {"tree": app_tree.as_text, "json": app_tree.as_json, "markdown": app_table.as_markdown}
    return forms[output_format](repo, found.wants)


def look_at(path: Path, options: Options) -> Repo:
    """The repository without its findings."""
    return _looked_at(path, options)[1]


def _looked_at(path: Path, options: Options) -> tuple[Found, Repo]:
    from ...rules import load as load_rules
    from ..files.discover import common_root, located
    from ..lint.config import load, with_pairs
    from ..lint.load_revisions import read_repo
    from ..lint.session import Session

    start = located(path)
    loaded = load(start, options.config_file, options.isolated, common_root([start]))
    config = with_pairs(loaded.config, options.config_pairs, load_rules())
    progress = terminal.progress(not options.no_progress)
    session = Session(config, (), date.today(), progress, context=not options.no_context)
    binary, found = _binary(options.kustomize_binary), session.find([path])
    kustomize = binary.at(found.root) if binary else None
    helm, fetched = _helm(options), _fetched(options)
    return found, read_repo(found, session.config, session.progress, kustomize, helm, fetched=fetched)


def fetch(path: Path, options: Options, wanted: FetchOptions) -> int:
    """Brings what the repository takes from elsewhere, and writes the lock."""
    from ..fetch.lock_file import LOCK_NAME, read_lock, written_lock
    from ..files.discover import common_root, located
    from ..lint.load_revisions import read_repo
    from .fetch_command import Fetching, from_folder, from_network, summary, trusted_hosts

    start = located(path)
    root = common_root([start])
    config = _review(start, root, options).base if options.diff_base else _own_config(start, root, options)
    session = replace(_session([path], replace(options, diff_base=None)), config=config)
    found = session.find([path])
    own = read_lock((found.reader or found.disk).data(LOCK_NAME))
    trusted = _lock_of_base(found.root, options.diff_base) if options.diff_base else own
    choice = _fetched(options)
    permission = trusted_hosts(trusted, config.fetch_hosts, wanted.allow_host)
    is_silent = options.quiet

    def tell(words: str) -> None:
        if not is_silent:
            say(words)

    def build(fetched: ShelfChoice) -> None:
        read_repo(found, config, session.progress, None, session.helm, fetched=fetched)

    source = (
        nullcontext(from_folder(wanted.offline_dir, {**trusted, **own}))
        if wanted.offline_dir
        else from_network(permission, _helm_program(options))
    )
    with source as get:
        fetching = Fetching(choice, permission, get, tell)
        if wanted.locked or wanted.offline_dir:
            done = fetching.locked(trusted if wanted.lock_from == "base" else {**trusted, **own})
        else:
            done = fetching.all({} if wanted.update else own, build)
            lock = done.lock if found.whole else {**own, **done.lock}  # who looks at a part knows only what that needs
            _put(written_lock(lock), str(found.root / LOCK_NAME), found.root)
    for line in summary(done, choice.store.folder):
        say(line)
    return FINDINGS if done.failed else CLEAN


def _lock_of_base(root: Path, revision: str) -> Lock:
    """As the revision has it, which nobody who opens a pull request can write."""
    from ..fetch.lock_file import LOCK_NAME, read_lock
    from ..files.disk import MAX_BYTES
    from ..git import Repository

    repository = Repository(root)
    entry = repository.listing(repository.revision(revision)).get(LOCK_NAME)
    if entry is None or entry.is_link or entry.is_submodule:
        return {}
    data = repository.contents([entry.oid], MAX_BYTES)[entry.oid]
    return read_lock(data if isinstance(data, bytes) else None)


def _helm_program(options: Options) -> str | None:
    from ..helm.run.real_helm import find_helm

    binary = find_helm(options.helm)
    return binary.program if binary is not None else None


def plan(paths: Sequence[Path], app: str | None, output: Output, options: Options) -> int:
    if not (options.diff_base or options.staged):
        return _plan(paths, app, output, options)
    _check_combination(paths, options)
    from ..git import GitError

    try:
        return _plan(paths, app, output, options)
    except GitError as error:
        raise Unable(str(error)) from None


def _plan(paths: Sequence[Path], app: str | None, output: Output, options: Options) -> int:
    from ..plan.plan_command import planned

    session = _session(paths, options)
    if options.diff_base:
        session = replace(session, rules=())  # it is about the change, whatever is found in it
    found = session.find(paths)
    if not (_has_something(found) or session.diff_base):
        fail(f"no YAML files in {', '.join(map(str, paths))}")
    linted = session.lint(found)
    for note in linted.notes:
        _say(options, f"note: {note}")
    report = _report_options(found, session.config, options, to_file=output.file is not None)
    link_root = _seen_from_page(output, found)
    ascii_only = not (output.file or (sys.stdout.encoding or "").lower().startswith("utf"))
    text = planned(linted, found, app, output.format, report, link_root, base=options.diff_base, ascii_only=ascii_only)
    _put(text, output.file, found.root)
    return FAILED if linted.result.crashed else CLEAN


def serve(options: Options) -> None:
    """Until the editor ends it."""
    try:
        from ..server.language_server import make_server
    except ImportError as error:
        fail(f"the server needs the package {error.name}: pip install 'gitops-lint[server]'")
    from ..report import ReportOptions

    make_server(ReportOptions(tool_version=VERSION), lambda root: _session([root], options)).start_io()


def _seen_from_page(output: Output, found: Found) -> str:
    """The root of the run, from the folder that a page will be in."""
    folder = Path(output.file).absolute().parent if output.file else Path.cwd()
    return Path(os.path.relpath(found.root, folder)).as_posix()


def render(path: Path, app: str | None, output: Output, options: Options, chart: ChartOptions) -> int:
    from ..files.discover import NoSuchPath
    from ..plan.views import choose
    from .render_command import (
        is_chart,
        is_kustomization,
        render_apps,
        render_chart,
        render_kustomization,
        without_secrets,
    )
    from .rendered_objects import as_json, as_yaml

    if not path.exists():
        raise NoSuchPath(f"{path}: no such file or folder")
    if app is None and is_kustomization(path):
        rendering = render_kustomization(path, _binary(options.kustomize_binary), _helm(options), _fetched(options))
    elif app is None and is_chart(path):
        rendering = render_chart(path, _helm(options), chart, _fetched(options))
    else:
        found, repo = _looked_at(path, options)
        rendering = render_apps(choose(repo, app, found.wants))
    for problem in rendering.problems:
        say(f"{'error' if problem.refused else 'note'}: {problem.where}: {problem.message}")
    objects = rendering.objects if options.show_secrets else tuple(without_secrets(one) for one in rendering.objects)
    if not (rendering.refused and not rendering.objects):
        _put((as_json if output.format == "json" else as_yaml)(objects), output.file, path)
    return FINDINGS if rendering.refused else CLEAN
