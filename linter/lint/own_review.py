"""What a change takes out of its own review: settings, ignores and entries of the baseline that come with it.

Whoever opens a pull request also writes the config that it is judged by. So
with a base the settings of the base can be made to count, and whichever count,
what the change would have silenced is said.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from ..dialects.phrases import counted, some
from ..facts.severity import Severity
from ..yaml.source import SourceFile
from .config import Config, ConfigError
from .config.config_file import MAX_BYTES, NAMES, PYPROJECT, has_our_table, parse
from .config.loaded_options import Loaded, loaded_from
from .rule import Rule, Scope
from .triage import Suppression, collect
from .triage.suppression import Form

if TYPE_CHECKING:
    from ..change import Change
    from ..git import Repository, Revision
    from .baseline import Baseline

BASE: Final = "base"
HEAD: Final = "head"
_NAMED: Final = 5


class Review(NamedTuple):
    """Two configs, of which one counts."""

    base: Config
    head: Config
    revision: str
    follows_base: bool
    problem: str = ""
    """Why the config of the change cannot be used; empty if it can."""
    new_baseline: int = 0
    """Entries that the change adds to the baseline."""

    def remarks(self, rules: Sequence[Rule], new_ignores: Sequence[Suppression]) -> Iterator[str]:
        said = [*([self.problem] if self.problem else []), *_differences(self.base, self.head, rules)]
        if self.new_baseline:
            said.append(f"{counted(self.new_baseline, 'finding', 'findings')} by the baseline")
        if new_ignores:
            places = dict.fromkeys(_place(item) for item in new_ignores)
            count = counted(len(new_ignores), "ignore", "ignores")
            said.append(f"{count} in manifests ({some(list(places), _NAMED)})")
        if said:
            which = f"not followed, the settings of {self.revision} count" if self.follows_base else "followed"
            yield f"this change itself silences: {'; '.join(said)} ({which})"


# -- the config of the base


def loaded_from_base(
    repository: Repository, revision: Revision, start: Path, explicit: Path | None, root: Path
) -> Loaded:
    """The config that the revision has for what is linted at `start`; the default one where it has none."""
    listing = repository.listing(revision)
    for path in _candidates(start, explicit, root):
        entry = listing.get(path)
        if entry is None or entry.is_link or entry.is_submodule:
            continue
        data = repository.contents([entry.oid], MAX_BYTES)[entry.oid]
        if not isinstance(data, bytes):
            reason = "git lacks it" if data is None else f"is larger than {MAX_BYTES:,} bytes"
            raise ConfigError(path, 1, f"{reason} in {revision}")
        if os.path.basename(path) == PYPROJECT and not has_our_table(data):
            continue
        shown = f"{revision}:{path}"
        settings = parse(data.decode("utf-8", "replace"), os.path.basename(path), shown)
        folder = root if explicit else root / os.path.dirname(path)
        return loaded_from(settings, root / path, folder, root)
    return Loaded(Config(root=root))


def _candidates(start: Path, explicit: Path | None, root: Path) -> Iterator[str]:
    if explicit is not None:
        path = os.path.relpath(os.path.abspath(explicit), root)
        if not path.startswith(".."):
            yield Path(path).as_posix()
        return
    folder = start if start.is_dir() else start.parent
    for above in (folder, *folder.parents):
        prefix = "" if above == root else f"{above.relative_to(root).as_posix()}/"
        yield from (f"{prefix}{name}" for name in NAMES)
        if above == root:
            return


def baseline_of_base(repository: Repository, revision: Revision, path: str) -> Baseline | None:
    from ..files.disk import MAX_BYTES as LARGEST
    from .baseline import parse as parse_baseline

    entry = repository.listing(revision).get(path)
    if entry is None or entry.is_link or entry.is_submodule:
        return None
    data = repository.contents([entry.oid], LARGEST)[entry.oid]
    return parse_baseline(SourceFile(path, data.decode("utf-8", "replace"))) if isinstance(data, bytes) else None


# -- settings


def _differences(base: Config, head: Config, rules: Sequence[Rule]) -> Iterator[str]:
    runs = set(head.rules_to_run(rules))
    off = [rule.name for rule in base.rules_to_run(rules) if rule not in runs]
    if off:
        yield f"{counted(len(off), 'rule', 'rules')} ({some(off, _NAMED)})"
    milder = [rule.name for rule in head.known(rules) if rule in runs and _grade(head, rule) < _grade(base, rule)]
    if milder:
        yield f"a lower severity of {some(milder, _NAMED)}"
    if (head.threshold or Severity.ERROR + 1) > (base.threshold or Severity.ERROR + 1):
        yield f"fail-on {head.fail_on} instead of {base.fail_on}"
    excluded = [pattern for pattern in head.exclude if pattern not in base.exclude]
    if excluded:
        yield f"what is excluded by {some([repr(pattern) for pattern in excluded], _NAMED)}"
    ignored = [glob for glob, words in head.per_file_ignores.items() if base.per_file_ignores.get(glob) != words]
    if ignored:
        yield f"per-file-ignores of {some([repr(glob) for glob in ignored], _NAMED)}"
    grades = [one for one in head.per_path if one not in base.per_path]
    if grades:
        yield f"other severities below {some([repr(one.path) for one in grades], _NAMED)}"
    entries = [entry for entry in head.ignores if entry not in base.ignores]
    if entries:
        yield f"{counted(len(entries), 'entry', 'entries')} of ignores in the config"
    if head.baseline is not None and head.baseline != base.baseline:
        yield f"what the baseline {head.baseline.name!r} knows"
    dropped = [word for word in base.required if word not in head.required]
    if dropped:
        yield f"required rules that it takes out of the list ({some(dropped, _NAMED)}; they run all the same)"


def _grade(config: Config, rule: Rule) -> Severity:
    return config.severity_of(rule) or rule.severity


def switched_off(config: Config, rules: Sequence[Rule]) -> Iterator[str]:
    """What a config file alone takes out of every run."""
    usual = [rule for rule in rules if rule.default and rule.scope is not Scope.CRASH]
    runs = set(config.rules_to_run(rules))
    off = [rule.name for rule in usual if rule not in runs]
    said_by = [origin for option in ("select", "ignore") if (origin := config.origins.get(option, ""))]
    by_file = [origin for origin in said_by if not origin.startswith("--")]
    if off and by_file and len(by_file) == len(said_by):
        which = f" ({some(off, _NAMED)})" if len(off) <= _NAMED else ""
        yield f"{len(off)} of {len(usual)} rules are switched off by {' and '.join(by_file)}{which}"
    fail_on = config.origins.get("fail-on", "")
    if config.threshold is None and fail_on and not fail_on.startswith("--"):
        yield f"no finding fails the run: fail-on is never by {fail_on}"


# -- ignores in manifests


def new_ignores(change: Change, known: Sequence[Rule], today: date) -> list[Suppression]:
    """Those that the base does not have: at another place of the same file they are the same."""
    before = collect(change.base, Config(), known, today)
    after = collect(change.head, Config(), known, today)
    moved = {one.after: one.before for one in change.changed_files if one.before and one.after}
    counts = Counter(_key(item, {}) for item in before)
    held = {(_key(item, {}), _covered(item)) for item in before}
    now = Counter(_key(item, moved) for item in after)
    return [
        item
        for item in after
        if now[key := _key(item, moved)] > counts[key] and (not counts[key] or (key, _covered(item)) not in held)
    ]


def distrust(items: Sequence[Suppression]) -> Callable[[Suppression], bool]:
    """What says of every ignore whether it is followed."""
    places = {(item.at.file.path, item.at.span) for item in items}
    return lambda item: item.form is Form.CONFIG or (item.at.file.path, item.at.span) not in places


def _key(item: Suppression, moved: dict[str, str]) -> tuple[object, ...]:
    path = item.at.file.path
    return (moved.get(path, path), item.form, item.words, item.directive.whole_file, item.directive.until)


def _covered(item: Suppression) -> str:
    if item.resource is not None:
        return item.resource.identity
    covers, file = item.covers, item.at.file
    return file.text[covers.start : covers.end].strip().partition("\n")[0] if covers else ""


def _place(item: Suppression) -> str:
    return f"{item.at.file.path}:{item.at.file.position(item.at.span.start).line}"
