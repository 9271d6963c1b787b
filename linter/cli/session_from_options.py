"""From what was typed to a session: the config, the programs, the revisions that a run works with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from . import terminal
from .options import OFF, STDIN, Options, words
from .output import fail, remark

if TYPE_CHECKING:
    from ..fetch.shelf_choice import ShelfChoice
    from ..files.discover import Found
    from ..helm.run.helm_choice import HelmChoice
    from ..kustomize.kustomize_binary import Binary
    from ..lint.config import Config
    from ..lint.own_review import Review
    from ..lint.session import Session
    from ..repo.model import Repo


def session_of(paths: Sequence[Path], options: Options) -> Session:
    from ...rules import load as load_rules
    from ..files.tops import common_root, located
    from ..lint.config import with_pairs
    from ..lint.selection import check_words
    from ..lint.session import Session
    from ..programs.copies import cores

    start = [located(path) for path in paths if str(path) != STDIN] or [Path.cwd()]
    root = common_root(start)
    review = None
    if options.diff_base and not options.isolated:
        review = review_of(start[0], root, options)
        own = review.base if review.follows_base else review.head
        own = replace(own, required=tuple(dict.fromkeys((*own.required, *review.base.required))))
    else:
        own = own_config(start[0], root, options)

    def with_words(config: Config) -> Config:
        return with_pairs(config, options.config_pairs, load_rules()).override(
            select=words(options.select) or None,
            extend_select=words(options.extend_select),
            ignore=words(options.ignore),
            fail_on=options.fail_on,
            argocd_version=version(options.argocd_version, "--argocd-version"),
            kubernetes_version=version(options.kubernetes_version, "--kubernetes-version"),
            schema_dir=options.schema_dir,
            exclude=[_from_here(pattern, config) for pattern in options.exclude],
            show_unread=options.show_unread,
        )

    config = with_words(own)
    check_words(words(options.show), config.known(load_rules()))
    if review is not None:
        review = review._replace(base=with_words(review.base), head=with_words(review.head))
    return Session(
        config=config,
        rules=config.rules_to_run(load_rules()),
        today=date.today(),
        progress=terminal.progress(not (options.no_progress or options.quiet)),
        respect_gitignore=options.respect_gitignore,
        context=not options.no_context,
        kustomize=kustomize_binary(options.kustomize_binary),
        helm=helm_choice(options),
        fetched=shelf_choice(options),
        diff_base=options.diff_base or "",
        staged=options.staged,
        new_only=options.new_only,
        review=review,
        jobs=options.jobs or cores(),
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


def own_config(start: Path, root: Path, options: Options) -> Config:
    from ...rules import load as load_rules
    from ..lint.config import load

    loaded = load(start, options.config_file, options.isolated, root)
    loaded.check_rules(load_rules())
    for warning in loaded.warnings:
        remark(options, f"warning: {warning}")
    return loaded.config


def review_of(start: Path, root: Path, options: Options) -> Review:
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
        head = own_config(start, root, options)
    except ConfigError as error:
        if not follows_base:
            raise
        head, problem = Config(root=root), f"its config cannot be used: {error}"
    return Review(loaded.config, head, str(revision), follows_base, problem)


def helm_choice(options: Options) -> HelmChoice:
    from ..helm.run.helm_choice import AUTO, HelmChoice

    if options.helm not in (AUTO, OFF):
        from ..helm.run.real_helm import find_helm
        from ..programs.processes import NoBinary

        try:
            find_helm(options.helm)
        except NoBinary as error:
            fail(f"--helm: {error}")
    return HelmChoice(options.helm, options.cache_dir, not options.no_cache, options.jobs)


def shelf_choice(options: Options) -> ShelfChoice:
    from ..fetch.shelf_choice import ShelfChoice

    mapped = {}
    for word in options.repo:
        url, equals, folder = word.partition("=")
        if not (url and equals and Path(folder).is_dir()):
            fail(f"--repo {word}: give the address of a repository and the folder of its checkout, URL=PATH")
        mapped[url] = Path(folder).resolve()
    return ShelfChoice(options.store, mapped)


def kustomize_binary(word: str) -> Binary | None:
    if word == OFF:
        return None
    from ..kustomize.kustomize_binary import find_binary
    from ..programs.processes import NoBinary

    try:
        return find_binary(word)
    except NoBinary as error:
        fail(f"--kustomize-binary: {error}")


def version(text: str | None, option: str) -> Any:
    from ..facts.versions import Version

    try:
        return Version.parse(text) if text else None
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint=option) from None


def check_combination(paths: Sequence[Path], options: Options) -> None:
    """Two revisions, and what cannot be asked for together with them."""
    if not (options.diff_base or options.staged):
        return
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


def has_something(found: Found) -> bool:
    return any(found.wants(file.path) for file in (*found.files, *found.templates))


def look_at(path: Path, options: Options) -> Repo:
    """The repository without its findings."""
    return looked_at(path, options)[1]


def looked_at(path: Path, options: Options) -> tuple[Found, Repo]:
    from ...rules import load as load_rules
    from ..files.tops import common_root, located
    from ..lint.config import load, with_pairs
    from ..lint.load_revisions import read_repo
    from ..lint.session import Session

    start = located(path)
    loaded = load(start, options.config_file, options.isolated, common_root([start]))
    config = with_pairs(loaded.config, options.config_pairs, load_rules())
    progress = terminal.progress(not options.no_progress)
    session = Session(config, (), date.today(), progress, context=not options.no_context)
    binary, found = kustomize_binary(options.kustomize_binary), session.find([path])
    kustomize = binary.at(found.root) if binary else None
    helm, fetched = helm_choice(options), shelf_choice(options)
    return found, read_repo(found, session.config, session.progress, kustomize, helm, fetched=fetched)
