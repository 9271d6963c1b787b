"""Whether fixes did good: what a look at the repository says afterwards, beside what it said before.

A fix has to put its finding right, must bring no other warning or error, and in
all that overlays and charts build nothing may differ but the field that it is
about.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from posixpath import basename
from typing import Any, Final, NamedTuple

from ..change import Change
from ..change.object_pairs import ObjectChange
from ..facts.file_names import KUSTOMIZATIONS
from ..facts.severity import Severity
from ..kustomize.build_origin import BuiltDocument
from ..lint.new_since import known_before
from ..lint.result import Reported
from ..lint.run import Linted
from ..yaml.json_pointer import escaped
from ..yaml.source import Node
from . import FileFix

_IDENTITY: Final = ("/apiVersion", "/kind", "/metadata/name", "/metadata/namespace")


class Objection(NamedTuple):
    """Why a set of fixes is not taken as it is."""

    reason: str
    paths: frozenset[str]
    """The files that have a part in it: the fault is more likely there than elsewhere."""
    finding: Reported | None = None
    """The one that came up."""


def left_over(before: Linted, after: Linted, applied: Sequence[Reported]) -> list[Reported]:
    """Those of the findings that are still there, though something was done about them."""
    chosen = known_before(before.result.reported, applied)
    # The others first: of equal findings those are left that nobody touched.
    others = [item for item in before.result.reported if id(item) not in chosen]
    known = known_before([*others, *applied], after.result.reported)
    return [item for item in applied if id(item) in known]


def objections(before: Linted, after: Linted, fixes: Sequence[FileFix]) -> list[Objection]:
    return [*_new_findings(before, after), *_differences(before, after, fixes)]


def _new_findings(before: Linted, after: Linted) -> Iterator[Objection]:
    for severity in (Severity.ERROR, Severity.WARNING):
        items = [item for item in after.result.reported if item.severity is severity]
        known = known_before(items, [item for item in before.result.reported if item.severity >= severity])
        for item in (item for item in items if id(item) not in known):
            places = (item.finding.at, *(note.at for note in item.finding.related))
            reason = f"it would bring a new {severity}, {item.rule.code} {item.rule.name}"
            yield Objection(reason, frozenset(place.file.path for place in places), item)


# -- what is built


def _differences(before: Linted, after: Linted, fixes: Sequence[FileFix]) -> Iterator[Objection]:
    edits = _Edits(fixes)
    for one in Change(before.repo, after.repo).objects:
        application = one.app.application if one.app else None
        if application is not None and application.resource.file.path in edits.paths:
            continue  # what is built of it is what the fix is about
        reason = _unmeant(one, edits)
        if reason:
            yield Objection(reason, _files_of(one))


def _unmeant(one: ObjectChange, edits: _Edits) -> str:
    if one.before is None or one.after is None:
        if edits.rename(one.resource.file.path):
            return ""
        return f"it would {'add' if one.is_added else 'remove'} {one.resource}"
    if not one.is_rewritten:
        return ""
    for steps in _differing(one.before.node.value, one.after.node.value, ()):
        if not any(edits.mean(node, steps) for node in (one.before.node, one.after.node)):
            field = ".".join(map(str, steps))
            return f"it would change {field} of {one.resource}, too" if field else f"it would change {one.resource}"
    return ""


def _files_of(one: ObjectChange) -> frozenset[str]:
    found = set()
    for resource in (one.before, one.after):
        if resource is not None:
            document = resource.node.document
            sources = document.sources if isinstance(document, BuiltDocument) else [document]
            found |= {resource.file.path, *(source.root.file.path for source in sources)}
    return frozenset(found)


def _differing(old: Any, new: Any, steps: tuple[str | int, ...]) -> Iterator[tuple[str | int, ...]]:
    if isinstance(old, dict) and isinstance(new, dict):
        for key in dict.fromkeys((*old, *new)):
            if key not in old or key not in new:
                yield (*steps, key)
            else:
                yield from _differing(old[key], new[key], (*steps, key))
    elif isinstance(old, list) and isinstance(new, list):
        for index, (one, other) in enumerate(zip_longest(old, new)):
            yield from _differing(one, other, (*steps, index))
    elif old != new or type(old) is not type(new):
        yield steps


class _Edits:
    """What the fixes were to change: places in files."""

    def __init__(self, fixes: Sequence[FileFix]) -> None:
        self.paths = frozenset(fix.file.path for fix in fixes)
        self._places: dict[str, list[tuple[int, str]]] = {}
        for fix in (fix for file in fixes for fix in file.fixes):
            document = fix.patch.document
            if fix.safe and basename(document.file.path) in KUSTOMIZATIONS:
                continue  # another spelling of a kustomization: what it builds has to be the same
            for operation in fix.patch.operations:
                for pointer in (operation["path"], operation.get("from", "")):
                    if pointer:
                        place = (document.index, _of_list(pointer))
                        self._places.setdefault(document.file.path, []).append(place)

    def rename(self, path: str) -> bool:
        """Whether a fix in the file makes another object of one."""
        return any(pointer.endswith(_IDENTITY) for _, pointer in self._places.get(path, ()))

    def mean(self, root: Node, steps: Sequence[str | int]) -> bool:
        """Whether a place in an object is what a fix changed: it comes from there, and is the same field.

        A build may copy a value elsewhere. Where it comes from a text that is no object (values of a chart, a list of
        operations) it goes by another name there, and only where it comes from counts.
        """
        node = root.at(*steps)
        origin = node.origin
        is_copy = node.document.is_built and origin.document.root["kind"].present
        field = "".join(f"/{escaped(str(step))}" for step in steps)
        for index, pointer in self._places.get(origin.document.file.path, ()):
            comes_from_it = origin.document.index == index and _are_near(pointer, origin.pointer)
            if comes_from_it and (not is_copy or _are_near(pointer, field) or _name(pointer) == _name(field)):
                return True
        return False


def _of_list(pointer: str) -> str:
    """An item that comes or goes renumbers the others: then it is about the list."""
    above, _, last = pointer.rpartition("/")
    return above if last == "-" or last.isdecimal() else pointer


def _are_near(one: str, other: str) -> bool:
    """Whether one is the other, or something around it."""
    return one == other or other.startswith(f"{one}/") or one.startswith(f"{other}/")


def _name(pointer: str) -> str:
    """The last part that is no number."""
    return next((part for part in reversed(pointer.split("/")) if not part.isdecimal()), "")
