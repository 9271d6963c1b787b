"""Manifests read with care: which fields their kind does not have, which values are of another type.

What another tool fills in later (``${REPLICAS}``) is not judged, nor is what SOPS adds to a file that it encrypts.
An object with directives of a patch is a patch, and those are not whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum
from functools import cache
from typing import Final, NamedTuple

from ...dialects.spelling import is_placeholder, meant
from ...facts.limits import MAX_COMPARED_FIELDS
from ...facts.tables import table
from ...facts.versions import Version
from ...yaml.compose import PLAIN, TEXT, RawScalar
from ...yaml.lazy import lazy
from ...yaml.source import Node
from ..annotations import hooks
from ..resource import Resource
from .quick import is_surely_fine
from .shapes import Kind, Releases, Shape
from .typed_scalars import complaint, corrected, fits

PATCH_DIRECTIVES: Final = ("$patch", "$retainKeys", "$setElementOrder/", "$deleteFromPrimitiveList/")
SOPS: Final = "sops"
LOST_ANNOTATIONS: Final = frozenset(
    (
        *(hooks.HOOK, hooks.DELETE_POLICY, hooks.WAVE, hooks.SYNC_OPTIONS, hooks.COMPARE_OPTIONS),
        *(hooks.HELM_HOOK, hooks.HELM_WEIGHT, hooks.HELM_DELETE_POLICY),
    )
)
"""Directly below metadata: they have a rule of their own, which says what Argo CD does without them."""
_METADATA: Final = ("metadata.annotations.", "metadata.labels.")
JOBS: Final = ("batch.v1.Job", "batch.v1.CronJob")
_STEPS_DOWN: Final = 3
"""From the spec of a Job to what a container has."""
_CONTAINERS: Final = "containers[]"
_SIDE_WAYS: Final = ("initContainers", "ephemeralContainers")
"""Nobody who loses a field of a container means these."""


@cache
def _string_maps() -> Mapping[str, Sequence[str]]:
    return {kind: [f"{path}." for path in paths] for kind, paths in table("string-maps.json")["kinds"].items()}


@cache
def _needed() -> Mapping[str, Sequence[str]]:
    return dict(table("needed-fields.json")["types"])


class Fault(Enum):
    UNKNOWN_FIELD = "unknown field"
    WRONG_TYPE = "wrong type"


class Level(NamedTuple):
    """A mapping of the object, and the type it has."""

    node: Node
    shape: Shape


class Violation:
    def __init__(self, fault: Fault, at: Node, shape: Shape, levels: tuple[Level, ...]) -> None:
        self.fault: Final = fault
        self.at: Final = at
        self.shape: Final = shape
        """What was expected at a wrong type; of an unknown field, the type that does not have it."""
        self.levels: Final = levels
        """The mappings around it that have types, the outermost first."""

    @property
    def field(self) -> str:
        return str(self.at.key)

    @property
    def path(self) -> str:
        """As the API server writes it: ``spec.containers[0].name``."""
        return path_of(self.at, self.levels[0].node)

    @property
    def siblings(self) -> Iterator[tuple[str, Node]]:
        """The members of the mapping that it is in, itself included."""
        return self.levels[-1].node.items()

    @property
    def complaint(self) -> str:
        """About a wrong type: ``must be a string, not the number 8080``."""
        return complaint(self.at.scalar_text, self.at.value, self.shape.kind)

    @property
    def corrected(self) -> str | int | bool | None:
        """What was surely meant by a scalar of the wrong type: the same token with quotes, or without them."""
        raw = self.at.raw
        return corrected(raw.value, self.at.value, self.shape.kind) if isinstance(raw, RawScalar) else None

    def is_in_a_string_map(self, resource: Resource) -> bool:
        """Annotations, labels, selectors: what is no string there has effects and a rule of its own."""
        inside = (*_METADATA, *_string_maps().get(resource.group_kind, ()))
        return self.shape.kind is Kind.STRING and self.path.startswith(inside)

    @lazy
    def suggestion(self) -> str | None:
        """The field that was probably meant."""
        raw = self.levels[-1].node.raw
        if raw is None or len(raw.value) > MAX_COMPARED_FIELDS:
            return None
        written = {key for key, _ in self.siblings}
        return meant(self.field, [name for name in self.shape.fields if name not in written])

    @property
    def missed(self) -> str:
        """A field beside it without which the API server refuses the object; empty where none is missing.

        It may be the field itself, if it belongs into a block beside it that cannot be without it.
        """
        here = self.levels[-1]
        choices = (needed.split("|") for needed in _needed().get(here.shape.name, ()))
        beside = next((" or ".join(one) for one in choices if all(here.node[name].absent for name in one)), "")
        return beside or next((self.field for name, block in here.shape.fields.items() if self._lacks(name, block)), "")

    def _lacks(self, name: str, block: Shape) -> bool:
        node = self.levels[-1].node[name]
        return self.field in _needed().get(block.name, ()) and node.is_mapping and node[self.field].absent

    @property
    def refused_for(self) -> tuple[str, ...]:
        """Where the API server may say that something is missing which this should have been."""
        around = self._path(self.levels[-1])
        return (around, *(f"{around}.{name}".removeprefix(".") for name in self.missed.split(" or ") if name))

    @property
    def releases(self) -> Releases | None:
        """Those that have the field, where it is not the one in use."""
        return self.shape.elsewhere.get(self.field)

    @property
    def release(self) -> Version | None:
        """The one that the verdict is for; None for all that are known."""
        return self.shape.types.release

    @property
    def known_releases(self) -> Releases:
        return self.shape.types.releases

    @property
    def is_lost_in_a_job(self) -> bool:
        """A field of a Job, at another of its levels."""
        in_a_job = self.levels[0].shape.name in JOBS
        return in_a_job and self.fault is Fault.UNKNOWN_FIELD and self.home is not None

    @property
    def is_plainly_unknown(self) -> bool:
        """Whether it is no field here, and for no rule of Jobs."""
        return self.fault is Fault.UNKNOWN_FIELD and not self.is_lost_in_a_job

    @lazy
    def home(self) -> str | None:
        """Where in the object the field would be right: around its place, or below it."""
        above = [level for level in reversed(self.levels[:-1]) if self.field in level.shape.fields]
        free = next((level for level in above if level.node[self.field].absent), None)
        if free is None and (below := _below(self.shape, self.field, self.levels[-1].node)):
            return ".".join(part for part in (self._path(self.levels[-1]), below) if part)
        level = free or next(iter(above), None)
        return (self._path(level) or "the top level") if level else None

    def _path(self, level: Level) -> str:
        return path_of(level.node, self.levels[0].node)


def violations(root: Node, shape: Shape, is_later: Callable[[str], bool] = is_placeholder) -> list[Violation]:
    """`is_later` tells a text that another tool fills in."""
    if root.raw is None or is_surely_fine(root.raw, shape):
        return []
    try:
        found = list(_walk(root, shape, ()))
    except _IsPatch:
        return []
    return [one for one in found if not is_later(one.field if one.fault is Fault.UNKNOWN_FIELD else one.at.scalar_text)]


class _IsPatch(Exception):
    pass


def _walk(node: Node, shape: Shape, levels: tuple[Level, ...]) -> Iterator[Violation]:
    kind = shape.kind
    if kind in (Kind.STRUCT, Kind.MAP, Kind.OBJECT):
        if not node.is_mapping:
            yield from _scalar(node, shape, levels)
        elif kind is Kind.STRUCT:
            yield from _fields(node, shape, levels)
        elif kind is Kind.MAP:
            for _, value in node.items():
                yield from _walk(value, shape.inner, levels)
    elif kind is Kind.LIST:
        if not node.is_sequence:
            yield from _scalar(node, shape, levels)
        for item in node:
            yield from _walk(item, shape.inner, levels)
    elif kind is not Kind.ANY:
        yield from _scalar(node, shape, levels)


def _fields(node: Node, shape: Shape, levels: tuple[Level, ...]) -> Iterator[Violation]:
    inside = (*levels, Level(node, shape))
    for name, value in node.items():
        inner = shape.fields.get(name)
        if inner is not None:
            yield from _walk(value, inner, inside)
        elif name.startswith(PATCH_DIRECTIVES):
            raise _IsPatch
        elif name in LOST_ANNOTATIONS and shape.name.endswith("ObjectMeta") and len(levels) <= 1:
            continue
        elif not _is_template(node) and (levels or name != SOPS):
            yield Violation(Fault.UNKNOWN_FIELD, value, shape, inside)


def _scalar(node: Node, shape: Shape, levels: tuple[Level, ...]) -> Iterator[Violation]:
    raw = node.raw
    if isinstance(raw, RawScalar):
        if raw.tag not in (PLAIN, TEXT):
            return
        if shape.kind in (Kind.STRUCT, Kind.MAP, Kind.OBJECT, Kind.LIST):
            fine = node.value is None
        else:
            fine = fits(node.value, shape.kind)
    else:
        fine = _is_template(node)
    if not fine:
        yield Violation(Fault.WRONG_TYPE, node, shape, levels)


def _is_template(node: Node) -> bool:
    """An unquoted ``{{ x }}`` reads as a mapping in a mapping; whatever renders it comes first."""
    return node.is_mapping and node.raw is not None and node.file.text.startswith("{{", node.raw.start_mark.index)


def path_of(node: Node, root: Node) -> str:
    steps: list[str] = []
    place: Node | None = node
    while place is not None and place.raw is not root.raw:
        steps.append(f"[{place.key}]" if isinstance(place.key, int) else f".{place.key}")
        place = place.parent
    return "".join(reversed(steps)).removeprefix(".")


def _below(shape: Shape, field: str, node: Node) -> str | None:
    """The way down to the nearest type that has the field; of several a container, or the only one that is there."""
    ways = [("", shape)]
    seen = {shape.name}
    for _ in range(_STEPS_DOWN):
        ways = [
            (f"{way}.{name}{'[]' * (inner is not below)}".removeprefix("."), inner)
            for way, above in ways
            for name, below in above.fields.items()
            for inner in (below.inner if below.kind is Kind.LIST else below,)
            if inner.kind is Kind.STRUCT and inner.name not in seen and name not in _SIDE_WAYS
        ]
        having = [way for way, inner in ways if field in inner.fields]
        if len(having) > 1:
            there = [way for way in having if node[way.partition(".")[0].removesuffix("[]")].present]
            having = [way for way in having if way.endswith(_CONTAINERS)] or (there if len(there) == 1 else [""])
        if having:
            return having[0] or None
        seen |= {inner.name for _, inner in ways}
    return None
