"""Which findings of a revision the one before it did not have.

Lines move, so a finding is known by its rule, its object and its place in the
object, and by what it says with the numbers left out. Equal ones are counted:
a second one in an old object is new. What only an install can suffer from is new
where the change touches one of those that it is about, and its Application did not
suffer from it before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from ..change import Change
from ..change.object_pairs import key_of
from ..facts.regexes import regex
from ..repo.app import App
from .engine import Run
from .result import Reported
from .rule import Moment, Rule, Scope

_NUMBER: Final = regex(r"\d+")
_GENERATED: Final = regex(r"-[2456789bcdfghkmt]{10}\b")
"""The hash that Kustomize puts behind a name, in the letters that it uses: another content is no other finding."""
_COMPARED: Final = (Scope.RESOURCE, Scope.APP, Scope.REPO)

Judged = Callable[[Run, Sequence[Rule]], Sequence[Reported]]
"""The findings of a run that nobody ignores."""


class Dated(NamedTuple):
    reported: list[Reported]
    """All of them, each with `is_new`."""
    notes: tuple[str, ...] = ()


def new_or_old(reported: Sequence[Reported], change: Change, judged: Judged) -> Dated:
    shared = {id(resource) for resource in change.base.resources}
    waiting = [item for item in reported if item.rule.scope in _COMPARED and not _is_shared(item, shared)]
    run, old = _before(waiting, change, judged)
    known = known_before(waiting, old, change.path_after) | _one_more(waiting, old, change)
    dated = [replace(item, is_new=id(item) not in known and not _was_there(item, change, shared)) for item in reported]
    failed = dict.fromkeys(crash.rule.name for crash in run.crashes)
    return Dated(
        dated, tuple(f"{name} failed on the base, so that all of its findings count as new" for name in failed)
    )


def _is_shared(item: Reported, shared: set[int]) -> bool:
    """A rule that sees one object only says the same of it in both revisions, if it is the very same one."""
    return item.rule.scope is Scope.RESOURCE and item.resource is not None and id(item.resource) in shared


def _was_there(item: Reported, change: Change, shared: set[int]) -> bool:
    if item.rule.scope is Scope.SUPPRESSIONS:  # an ignore is as old as its line
        return item.start.line not in change.changed_lines(item.file.path)
    return _is_shared(item, shared) or _stands_by(item, change, shared)


def _one_more(waiting: Sequence[Reported], old: Sequence[Reported], change: Change) -> set[int]:
    """The ids of those that only an install can suffer from, and others of the same Application do already."""
    applications = {app.name for app in change.base.applications}
    told = (item for item in old if _is_of_install(item) and item.app in applications and item.finding.related)
    had = {_need(item, change.path_after) for item in told}
    return {id(item) for item in waiting if _is_of_install(item) and _need(item, str) in had}


def _need(item: Reported, path_after: Callable[[str], str]) -> object:
    """Which Application lacks something, and what that is."""
    needed = frozenset((path_after(note.at.file.path), note.at.pointer) for note in item.finding.related)
    return item.rule.code, item.app, needed


def _is_of_install(item: Reported) -> bool:
    return item.moment is Moment.INSTALL and not item.finding.never_heals


def _stands_by(item: Reported, change: Change, shared: set[int]) -> bool:
    """What only an install can suffer from, where object, Application and what they need stayed as they were.

    Something beside them made it worth telling: that is no reason to stop a change that neither brings nor breaks it.
    """
    if not _is_of_install(item) or id(item.resource) not in shared:
        return False
    apps = (app.file.path for app in change.head.applications if app.name == item.app)
    files = (item.file.path, *(note.at.file.path for note in item.finding.related), *apps)
    return not any(map(change.is_changed, files))


def _before(waiting: Sequence[Reported], change: Change, judged: Judged) -> tuple[Run, list[Reported]]:
    """What the rules say of the base that say something of the head."""
    rules = list({item.rule.code: item.rule for item in waiting}.values())
    run = Run(change.base, apps=list(_changed_apps(change)))
    run.check(rules)
    failed = {crash.rule.code for crash in run.crashes}
    ours = {id(resource) for resource in change.head.resources}
    old = [item for item in judged(run, rules) if item.rule.code not in failed and not _is_shared(item, ours)]
    unchanged = {id(app) for app in _unchanged_apps(change)}
    if unchanged and any(rule.scope is Scope.APP for rule in rules):
        # What is said of an app that is the same in both, the head has said already.
        again = Run(change.head, apps=[app for app in change.head.apps if id(app) in unchanged])
        again.check([rule for rule in rules if rule.scope is Scope.APP])
        old += judged(again, rules)
    return run, old


# -- apps that are the same


def _changed_apps(change: Change) -> Iterator[App]:
    same = {key_of(app) for app in _unchanged_apps(change)}
    return (app for app in change.base.apps if key_of(app) not in same)


def _unchanged_apps(change: Change) -> Iterator[App]:
    """Of the head: the same objects, the same Application, and no definition that differs anywhere."""
    if any(one.resource.is_crd for one in change.objects):
        return
    counts = Counter(key_of(app) for app in (*change.base.apps, *change.head.apps))
    before = {key_of(app): app for app in change.base.apps}
    for app in change.head.apps:
        old = before.get(key_of(app))
        if old is not None and counts[key_of(app)] == 2 and _is_same(old, app):
            yield app


def _is_same(before: App, after: App) -> bool:
    if list(map(id, before.resources)) != list(map(id, after.resources)):
        return False
    old, new = before.application, after.application
    return old is new is None or (old is not None and new is not None and old.value == new.value)


# -- findings that are the same


def known_before(
    waiting: Sequence[Reported], old: Sequence[Reported], path_after: Callable[[str], str] = lambda path: path
) -> set[int]:
    """The ids of those that are old; `path_after` is what a file is called by now."""
    known: set[int] = set()
    left = list(old)
    for sign in (_surely, _elsewhere, _at_the_place, _at_the_line):
        found = Counter(sign(item, path_after(item.file.path)) for item in left)
        taken: Counter[object] = Counter()
        for item in waiting:
            key = sign(item, item.file.path)
            if id(item) not in known and found[key] > taken[key]:
                taken[key] += 1
                known.add(id(item))
        left = list(_without(left, taken, lambda item: sign(item, path_after(item.file.path))))  # noqa: B023
    return known


def _without(
    items: Sequence[Reported], taken: Counter[object], sign: Callable[[Reported], object]
) -> Iterator[Reported]:
    gone = Counter(taken)
    for item in items:
        if gone[sign(item)] > 0:
            gone[sign(item)] -= 1
        else:
            yield item


def _surely(item: Reported, path: str) -> object:
    return (path, _elsewhere(item, path))


def _elsewhere(item: Reported, path: str) -> object:
    """In another file, or beside other things: numbers of places and of things may differ."""
    pointer, message = item.finding.at.pointer, item.finding.message
    return item.rule.code, _object(item, path), _NUMBER.sub("*", pointer), _NUMBER.sub("#", _GENERATED.sub("", message))


def _at_the_place(item: Reported, path: str) -> object:
    """With other words at the same place of the same object."""
    return item.rule.code, _object(item, path), path, item.finding.at.pointer


def _at_the_line(item: Reported, path: str) -> object:
    """What is written there, whatever object it is found on: a line of a base feeds several."""
    at = item.finding.at
    return item.rule.code, path, at.pointer, item.file.line_text(item.start.line), item.finding.message


def _object(item: Reported, path: str) -> str:
    return _GENERATED.sub("", item.resource.identity) if item.resource else path
