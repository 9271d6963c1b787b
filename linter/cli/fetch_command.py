"""`gitops-lint fetch`: the one command that uses the network."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from . import shared_options as shared
from .options import Options
from .output import CLEAN, FINDINGS, put, remark, say
from .session_from_options import own_config, review_of, session_of, shelf_choice

if TYPE_CHECKING:
    from ..fetch.lock_file import Lock
    from ..fetch.shelf_choice import ShelfChoice


class FetchOptions(NamedTuple):
    """What `fetch` alone is told."""

    locked: bool = False
    update: bool = False
    offline_dir: Path | None = None
    allow_host: tuple[str, ...] = ()
    lock_from: str = "head"


@click.command()
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
@shared.config
@click.option("--isolated", is_flag=True, help="Use no config file.")
@shared.sources
@shared.watched
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
    if locked and update:
        raise click.UsageError("--locked and --update exclude each other")
    if lock_from == "base" and not (given["diff_base"] and locked):
        raise click.UsageError("--lock-from base is for --locked with --diff-base")
    sys.exit(_fetch(path, Options(**given), FetchOptions(locked, update, offline_dir, allow_host, lock_from)))


def _fetch(path: Path, options: Options, wanted: FetchOptions) -> int:
    """Brings what the repository takes from elsewhere, and writes the lock."""
    from ..fetch.fetch_run import Fetching, from_folder, from_network, summary, trusted_hosts
    from ..fetch.lock_file import LOCK_NAME, read_lock, written_lock
    from ..files.tops import common_root, located
    from ..lint.load_revisions import read_repo

    start = located(path)
    root = common_root([start])
    config = review_of(start, root, options).base if options.diff_base else own_config(start, root, options)
    session = replace(session_of([path], replace(options, diff_base=None)), config=config)
    found = session.find([path])
    own = read_lock((found.reader or found.disk).data(LOCK_NAME))
    trusted = _lock_of_base(found.root, options.diff_base) if options.diff_base else own
    choice = shelf_choice(options)
    permission = trusted_hosts(trusted, config.fetch_hosts, wanted.allow_host)

    def tell(words: str) -> None:
        remark(options, words)

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
            put(written_lock(lock), str(found.root / LOCK_NAME), found.root)
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
