"""Findings that have one cause are one: one headline, one thing to do, many places.

A rule may name the cause. Where it does not, these belong together: what one
rule says of one Application about its set-up (order, pruning); what it says in
the same words but for names in many files, since a manifest that was copied is mended
by the same hand, or of one Application; and what it says of one file.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from ..facts.regexes import regex
from ..facts.severity import Severity
from ..yaml.lazy import lazy
from .rule import Moment, Rule
from .wording import shortened

if TYPE_CHECKING:
    from .result import Reported

MANY_FILES: Final = 5
"""A text that is in so many files was copied."""
_SET_UP: Final = frozenset((Moment.INSTALL, Moment.REMOVAL))
"""What bites then is mended where the Application is set up, whatever the objects are."""
_NAMED: Final = regex(r"\b([A-Z]\w+) (?:'[^']*'|\"[^\"]*\")")
"""How messages name an object: its kind, and its name in quotes."""
_PATH_OR_NUMBER: Final = regex(r"(?:[\w.-]+/)+[\w.-]*|\d+")


@dataclass(frozen=True)
class Group:
    """All findings of one rule that have one cause and one severity."""

    key: str
    """The same tomorrow, if other places have it then."""
    what: str
    """The cause in words, for people: ``Application shop``; empty for a finding that is alone."""
    places: tuple[Reported, ...]

    @property
    def first(self) -> Reported:
        """The one to show."""
        return self.places[0]

    @property
    def rule(self) -> Rule:
        return self.first.rule

    @property
    def severity(self) -> Severity:
        return self.first.severity

    @property
    def moment(self) -> Moment:
        return self.first.moment

    @lazy
    def applications(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for item in self.places for name in item.applications))

    @property
    def is_new(self) -> bool | None:
        """Whether any of its places is; None where nothing is compared."""
        return None if self.first.is_new is None else any(item.is_new for item in self.places)

    @property
    def headline(self) -> str:
        cause = self.first.finding.cause
        if len(self.places) > 1 and cause is not None and cause.together:
            return shortened(cause.together.replace("{count}", str(len(self.places))))
        return self.first.finding.wording.headline

    @lazy
    def fingerprint(self) -> str:
        import hashlib

        return hashlib.sha256(f"{self.rule.code}\0{self.key}".encode("utf-8", "surrogatepass")).hexdigest()[:32]


def grouped(reported: Iterable[Reported]) -> tuple[Group, ...]:
    """In the order of their first places; each place is in one group."""
    by_rule: dict[tuple[str, Severity], list[Reported]] = {}
    order: dict[int, int] = {}
    for number, item in enumerate(reported):
        order[id(item)] = number
        by_rule.setdefault((item.rule.code, item.severity), []).append(item)
    groups = [group for items in by_rule.values() for group in _of_one_rule(items)]
    return tuple(sorted(groups, key=lambda group: order[id(group.first)]))


def _of_one_rule(items: Sequence[Reported]) -> Iterator[Group]:
    rest = list(items)
    for key_of in (_named_cause, _set_up, _copied(rest), _in_application, _in_file):
        rest = yield from _taken(rest, key_of)
    for item in rest:
        yield Group(f"finding {item.fingerprint}", "", (item,))


KeyOf = Callable[["Reported"], "tuple[str, str] | None"]
"""Key and words of the cause; None where it is not to be told in this way."""


def _taken(items: Sequence[Reported], key_of: KeyOf) -> Generator[Group, None, list[Reported]]:
    """Yields what belongs together by the key, and returns the others."""
    found: dict[tuple[str, str], list[Reported]] = {}
    rest = []
    for item in items:
        key = key_of(item)
        if key is None:
            rest.append(item)
        else:
            found.setdefault(key, []).append(item)
    for (key_, what), together in found.items():
        if len(together) > 1 or key_of in (_named_cause, _set_up):
            yield Group(key_, what, tuple(together))
        else:
            rest.append(together[0])
    return rest


def _named_cause(item: Reported) -> tuple[str, str] | None:
    cause = item.finding.cause
    return (cause.key, cause.key) if cause is not None else None


def _set_up(item: Reported) -> tuple[str, str] | None:
    if item.finding.never_heals or item.moment not in _SET_UP or not item.applications:
        return None
    what = f"Application {item.applications[0]}"
    return what, what


def _copied(items: Sequence[Reported]) -> KeyOf:
    files: dict[str, set[str]] = {}
    for item in items:
        if item.finding.cause is None:
            files.setdefault(pattern_of(item), set()).add(item.file.path)

    def key_of(item: Reported) -> tuple[str, str] | None:
        pattern = pattern_of(item)
        count = len(files.get(pattern, ()))
        return (f"pattern {pattern}", f"the same in {count} files") if count >= MANY_FILES else None

    return key_of


def _in_application(item: Reported) -> tuple[str, str] | None:
    if not item.applications:
        return None
    what = f"Application {item.applications[0]}"
    return f"{what}: {pattern_of(item)}", what


def _in_file(item: Reported) -> tuple[str, str] | None:
    if item.finding.never_heals:
        return None
    return f"file {item.file.path}", item.file.path


def pattern_of(item: Reported) -> str:
    """What it says, with the names of objects, paths and numbers left out."""
    text = _NAMED.sub(r"\1 …", item.finding.message)
    own = item.resource.display_name if item.resource else ""
    for name in (own, *item.applications):
        if len(name) > 2:
            text = text.replace(name, "…")
    return _PATH_OR_NUMBER.sub("…", text)
