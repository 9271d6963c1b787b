"""The baseline on the disk: which file it is, reading it, writing it, taking stale entries out of it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from ...rules import load as load_rules
from ..dialects.phrases import counted
from ..files.discover import Found
from ..files.disk import MAX_BYTES, Reader, read_file
from ..fix.write_files import NotWritten, create_file, demand_no_link, replace_file
from ..lint.baseline import Baseline, BaselineError, Entry, entry_of, parse, to_text, without
from ..lint.baseline.known_findings import NEVER_KNOWN
from ..lint.config import Config
from ..lint.rule import Rule, Scope
from ..lint.run import Linted

if TYPE_CHECKING:
    from ..lint.session import Session
    from .options import Options

DEFAULT: Final = ".gitops-lint-baseline.json"
OFF: Final = "off"
STDIN: Final = Path("-")
BOM: Final = b"\xef\xbb\xbf"


class Target(NamedTuple):
    """A file that is, or will be, a baseline."""

    path: Path
    shown: str
    """As reports name it: from the top of the repository."""
    said_by: str = ""
    """The option, or the line of the config, that names it."""


def target(named: str | None, config: Config, root: Path) -> Target:
    """What the command line names, else the config, else the usual file at the top of the repository."""
    if named and named != OFF:
        return _target(Path(named).absolute(), root, "--baseline")
    if config.baseline is not None and named != OFF:
        return _target(config.baseline, root, config.origins.get("baseline", ""))
    return _target(root / DEFAULT, root, "")


def _target(path: Path, root: Path, said_by: str) -> Target:
    real = path.parent.resolve() / path.name
    return Target(path, Path(os.path.relpath(real, root)).as_posix(), said_by)


def with_baseline(session: Session, paths: Sequence[Path], options: Options) -> Session:
    """The session with the baseline that it is to use. Raises BaselineError when that cannot be used."""
    changes = options.prune_baseline or options.write_baseline is not None
    if changes and (options.diff or STDIN in paths):
        raise BaselineError(DEFAULT, None, "is written and pruned for files only, and never together with --diff")
    if options.write_baseline is not None or options.baseline == OFF:
        return session
    chosen = target(options.baseline, session.config, session.config.root or Path.cwd())
    found = read(chosen)
    if session.review is not None:
        from ..git import Repository
        from ..lint.own_review import baseline_of_base

        repository = Repository(session.config.root or Path.cwd())
        before = baseline_of_base(repository, repository.revision(session.diff_base), chosen.shown)
        new = len(set(found.entries if found else ()) - set(before.entries if before else ()))
        session = replace(session, review=session.review._replace(new_baseline=new))
        if session.review is not None and session.review.follows_base and not (found is before is None):
            return replace(session, baseline=before)
    if found is None:
        who = f"{chosen.said_by}: " if chosen.said_by else ""
        raise BaselineError(f"{who}{chosen.shown}", None, "there is no such baseline; --write-baseline writes one")
    return replace(session, baseline=found)


def read(chosen: Target) -> Baseline | None:
    """None when there is no such file."""
    if chosen.path.is_symlink():
        raise BaselineError(chosen.shown, None, "is a link; name the file itself")
    if chosen.path.is_dir():
        raise BaselineError(chosen.shown, None, "is a folder, not a baseline")
    file = read_file(str(chosen.path.parent), chosen.path.name)
    if file is None:
        return None
    file.path = chosen.shown
    for problem in file.problems if file.refused else ():
        raise BaselineError(chosen.shown, None, problem.message)
    return parse(file)


# -- changing it


class Changed(NamedTuple):
    linted: Linted
    said: str = ""
    done: bool = False
    """There is nothing more to report."""


def change(session: Session, linted: Linted, found: Found, options: Options) -> Changed:
    """Writes or prunes it, if that is asked for."""
    if options.write_baseline is not None:
        if linted.result.crashed:
            return Changed(linted, "error: no baseline is written, since not every rule could run")
        chosen = target(options.write_baseline or options.baseline, session.config, found.root)
        said = _write(chosen, linted, found, session.config.known(load_rules()))
        in_use = chosen.path.resolve() == session.config.baseline
        use = f" Use it with `--baseline {chosen.shown}`, or with `baseline` in the config."
        return Changed(linted, said if in_use else said + use, done=True)
    if options.prune_baseline and session.baseline is not None:
        return _prune(target(options.baseline, session.config, found.root), session.baseline, linted, found)
    return Changed(linted)


def _write(chosen: Target, linted: Linted, found: Found, known: Sequence[Rule]) -> str:
    """Every finding of the run, and the old entries that it could not see."""
    old = read(chosen)
    items = [item for item in linted.result.reported if item.rule.scope not in NEVER_KNOWN]
    kept = _unseen(old, linted, found, known) if old else []
    text = to_text([*(entry_of(item) for item in items), *kept])
    if len(text) > MAX_BYTES:
        raise BaselineError(chosen.shown, None, f"{len(items)} findings are too many for a baseline; leave rules out")
    _put(chosen, old, text, found.root)
    also = f", and kept {counted(len(kept), 'entry', 'entries')} that this run could not see" if kept else ""
    return f"Wrote {counted(len(items), 'finding')} to {chosen.shown}{also}."


def _unseen(old: Baseline, linted: Linted, found: Found, known: Sequence[Rule]) -> list[Entry]:
    """Entries whose findings may still be there: the rule did not run, or the file was not asked for."""
    ran = {rule.code for rule in linted.result.rules}
    idle = {rule.code for rule in known} - ran
    asked = {file.path for file in linted.result.files if found.wants(file.path)}
    is_file, everything = Reader(found.root).is_file, found.whole and found.requested is None

    def was_asked(path: str) -> bool:
        return everything or path in asked or not is_file(path)

    return [entry for entry in old.entries if entry.code in idle or not was_asked(entry.path)]


def _prune(chosen: Target, baseline: Baseline, linted: Linted, found: Found) -> Changed:
    """Nothing is said of the stale entries any more, but how many they were."""
    if not found.whole:
        part = "only a part of the repository was linted, so none of its entries can be called stale"
        raise BaselineError(chosen.shown, None, f"not pruned: {part}")
    stale = linted.stale.items if linted.stale else ()
    if not stale:
        return Changed(linted, f"Nothing in {chosen.shown} is stale.")
    _put(chosen, baseline, without(baseline, stale), found.root)
    left = tuple(item for item in linted.result.reported if item.rule.scope is not Scope.BASELINE)
    pruned = linted._replace(result=replace(linted.result, reported=left))
    return Changed(pruned, f"Pruned {counted(len(stale), 'stale entry', 'stale entries')} in {chosen.shown}.")


def _put(chosen: Target, old: Baseline | None, text: str, root: Path) -> None:
    mark = BOM if old is not None and old.file.has_bom else b""
    try:
        demand_no_link(chosen.path, [root])
        if old is None:
            create_file(chosen.path, text.encode())
        else:
            before = mark + old.file.text.encode()
            replace_file(chosen.path.parent, chosen.path.name, before, mark + text.encode())
    except NotWritten as error:
        raise BaselineError(chosen.shown, None, str(error).rpartition(": ")[2]) from None
