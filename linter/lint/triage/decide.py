"""Findings → those to report: ignores are followed.

What became of each ignore is kept, since an ignore that is unknown, unused or
expired is a finding of its own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cache
from typing import NamedTuple

from ...kubernetes.resource import Resource
from ...repo.model import Repo
from ..config import Config
from ..result import Reported
from ..rule import Rule, Scope
from ..selection import exactness
from .suppression import Suppression, Suppressions, collect

__all__ = ["Hidden", "Suppression", "Suppressions", "Triaged", "triage"]


class Hidden(NamedTuple):
    """A finding that is not reported; `by` is None when per-file-ignores leave it out."""

    reported: Reported
    by: Suppression | None


@dataclass(frozen=True)
class Triaged:
    kept: tuple[Reported, ...]
    suppressed: tuple[Hidden, ...] = ()
    suppressions: Suppressions = field(default=Suppressions(), repr=False)


def triage(
    findings: Iterable[Reported],
    repo: Repo,
    config: Config,
    known: Sequence[Rule],
    ran: Collection[Rule],
    today: date,
    *,
    whole: bool = True,
    follows: Callable[[Suppression], bool] = lambda item: True,
) -> Triaged:
    """`whole` says that all of the repository was looked at, so that what was not found is not there."""
    ignores = _Ignores([item for item in collect(repo, config, known, today) if follows(item)], config)
    kept: list[Reported] = []
    hidden: list[Hidden] = []
    for item in findings:
        reason = ignores.hides(item)
        if reason is None:
            kept.append(item)
        else:
            hidden.append(Hidden(item, reason.by))
    judge = _Judge(repo, config, known, {rule.code for rule in ran}, whole)
    done = (replace(item, hid=tuple(ignores.hits[id(item)])) for item in ignores.items)
    items = tuple(replace(item, unused=judge.unused(item)) for item in done)
    return Triaged(tuple(kept), tuple(hidden), Suppressions(items))


# -- following them


class _Reason(NamedTuple):
    by: Suppression | None


class _Ignores:
    """All ignores, found quickly for a finding, and which words of which did something."""

    def __init__(self, items: Sequence[Suppression], config: Config) -> None:
        self.items = items
        self.config = config
        self.hits: dict[int, dict[str, None]] = defaultdict(dict)
        self._by_file: dict[str, list[Suppression]] = defaultdict(list)
        self._by_resource: dict[int, list[Suppression]] = defaultdict(list)
        self._entries = [item for item in items if item.entry is not None]
        for item in items:
            if item.resource is not None:
                self._by_resource[id(item.resource)].append(item)
            elif item.covers is not None:
                self._by_file[item.at.file.path].append(item)
        self._file_ignores = cache(config.file_ignores)

    def hides(self, item: Reported) -> _Reason | None:
        """Every ignore that covers the finding counts as used, whichever came first."""
        if item.rule.scope is Scope.CRASH or self.config.requires(item.rule):
            return None
        reason: _Reason | None = None
        for ignore in self._candidates(item):
            word = next((word for word in ignore.words if exactness((word,), item.rule) >= 0), None)
            if word is not None and ignore.reaches(item, self.config):
                self.hits[id(ignore)][word] = None
                reason = reason or (None if ignore.expired else _Reason(ignore))
        if self.config.per_file_ignores and exactness(self._file_ignores(item.file.path), item.rule) >= 0:
            reason = reason or _Reason(None)
        return reason

    def _candidates(self, item: Reported) -> Iterator[Suppression]:
        yield from self._by_file.get(item.file.path, ())
        if item.resource is not None:
            yield from self._by_resource.get(id(item.resource), ())
        yield from self._entries


# -- whether they were needed


@dataclass(frozen=True)
class _Judge:
    """Says that an ignore hides nothing only where it would have been seen if it did."""

    repo: Repo
    config: Config
    known: Sequence[Rule]
    ran: Collection[str]
    whole: bool

    def unused(self, item: Suppression) -> tuple[str, ...]:
        if item.expired or not self._was_seen(item):
            return ()
        rules = {word: [rule for rule in self.known if exactness((word,), rule) >= 0] for word in item.words}
        idle = (word for word in item.words if word not in item.hid)
        return tuple(word for word in idle if all(self._would_show(rule, item) for rule in rules[word]))

    def _was_seen(self, item: Suppression) -> bool:
        if item.entry is None:
            return not item.at.file.problems and item.at.file.path not in self.repo.reach.unread
        unread = [*(skipped.path for skipped in self.repo.not_analysed), *self.repo.reach.unread]
        unread += [file.path for file in self.repo.files if file.problems]
        return self.whole and not any(item.entry.may_reach(self.config.local(path)) for path in unread)

    def _would_show(self, rule: Rule, item: Suppression) -> bool:
        """Rules about ignores run later; rules across objects see too little of a part of the repository.

        What a rule says of one change it does not say of the next: an ignore that outlives the merge is not unused.
        """
        if rule.code not in self.ran or rule.scope in (Scope.SUPPRESSIONS, Scope.BASELINE, Scope.CHANGE):
            return False
        if not self.whole and rule.scope is not Scope.RESOURCE:
            return False
        return rule.literal or not any(self._is_about(item, resource) for resource in self._patched)

    @property
    def _patched(self) -> Iterator[Resource]:
        """What a kustomization changes is looked at by few rules."""
        return (resource for resource in self.repo.resources if resource.patched)

    def _is_about(self, item: Suppression, resource: Resource) -> bool:
        if item.entry is not None:
            return item.entry.fits(self.config.local(resource.file.path), resource)
        if item.resource is not None:
            return item.resource is resource
        if item.covers is None or item.at.file.path != resource.file.path or resource.node.raw is None:
            return False
        start, end = resource.node.raw.start_mark.index, resource.node.raw.end_mark.index
        return item.covers.start < end and start < item.covers.end
