"""What a kustomization has brought together, and what became of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple, ParamSpec, TypeVar

from ..facts.limits import MAX_COMPONENTS
from ..yaml.source import Node, Place, Span, Spot
from . import configurations
from .configurations import Configuration
from .kustomize_errors import BuildError, Cause, NotBuilt, OperationError
from .objects import Id, Object
from .patches import Schemas
from .variables import Variable

Given = ParamSpec("Given")
Made = TypeVar("Made")
Key = tuple[object, str, str]

MAX_OBJECTS: Final = 20_000
"""Of one build; bases that are included twice under other names double at every level."""
_FOLLOWS_FROM_GAPS: Final = frozenset(
    (Cause.NO_MATCH, Cause.BAD_REPLACEMENT, Cause.BAD_VARIABLE, Cause.BAD_GENERATOR, Cause.BAD_TRANSFORMER)
)
"""What may be wrong only because an object is missing that would have been there."""


class Reach(NamedTuple):
    entry: Node
    found: bool


@dataclass
class Accumulated:
    objects: list[Object] = field(default_factory=list)
    configuration: Configuration = configurations.EMPTY
    variables: tuple[Variable, ...] = ()
    schemas: Schemas | None = None
    """Of the OpenAPI document that a kustomization named first: that one then counts for all that follow."""
    has_merged: bool = False
    """Some patch was merged, by what the schemas say."""
    errors: list[BuildError] = field(default_factory=list)
    not_built: list[NotBuilt] = field(default_factory=list)
    folders: set[str] = field(default_factory=set)
    """Every folder with a kustomization that took part."""
    files: dict[str, None] = field(default_factory=dict)
    """The files whose objects are in it."""
    charts: dict[str, None] = field(default_factory=dict)
    """The folders of charts whose objects are in it, and the files of values that these were rendered with."""
    reached: dict[int, Reach] = field(default_factory=dict)
    """By the identity of its text: whether a patch with a target, or an image, found something to change."""
    takes_namespace: bool = False
    """A chart in it takes the namespace that an overlay has."""
    components: int = 0
    """How often one was included."""

    @property
    def has_gaps(self) -> bool:
        return bool(self.errors or self.not_built)

    def has_asked(self, schemas: Schemas) -> bool:
        """Whether Kustomize has looked into these by now: also to find out about kinds that it does not know."""
        return self.has_merged or any(schemas.of(one.gvk) is None for one in self.objects)

    def attempt(self, work: Callable[Given, Made], *args: Given.args, **kwargs: Given.kwargs) -> Made | None:
        """Do something; if it cannot be done, note why and go on."""
        try:
            return work(*args, **kwargs)
        except BuildError as error:
            if not self._follows_from_gaps(error):
                self.errors.append(error)
        except NotBuilt as reason:
            self.not_built.append(reason)
        return None

    def _follows_from_gaps(self, error: BuildError) -> bool:
        """Whether all may be well once what is missing is there."""
        if isinstance(error, OperationError):
            lacks_patch = any(one.cause is Cause.MISSING_FILE for one in self.errors)
            return lacks_patch or any(one.changes_others for one in self.not_built)
        return self.has_gaps and error.cause in _FOLLOWS_FROM_GAPS

    def count_component(self, entry: Node) -> None:
        self.components += 1
        if self.components > MAX_COMPONENTS:
            reason = f"more than {MAX_COMPONENTS:,} components in one build"
            raise NotBuilt(entry, reason, changes_others=True, met_limit=True)

    def note_reach(self, entry: Node, found: bool) -> None:
        """What finds nothing while objects are missing might have found one of these."""
        assert entry.raw is not None
        self.take_reaches({id(entry.raw.start_mark): Reach(entry, found or self.has_gaps)})

    def take_reaches(self, reaches: Mapping[int, Reach]) -> None:
        for key, reach in reaches.items():
            if reach.found or key not in self.reached:
                self.reached[key] = reach

    def add_problems(self, inner: Accumulated) -> None:
        """Those of a base, each once: it may come along several ways."""
        self.errors += (one for one in inner.errors if one not in self.errors)
        self.not_built += (one for one in inner.not_built if one not in self.not_built)

    def add(self, one: Object, entry: Node) -> None:
        if len(self.objects) >= MAX_OBJECTS:
            self.objects.clear()
            raise NotBuilt(entry, f"a build of more than {MAX_OBJECTS:,} objects", entry.text)
        self.objects.append(one)

    def copy(self) -> Accumulated:
        """To be changed without changing this one: a base is shared by its overlays."""
        return Accumulated(
            [one.copy() for one in self.objects],
            self.configuration,
            self.variables,
            self.schemas,
            self.has_merged,
            list(self.errors),
            list(self.not_built),
            set(self.folders),
            dict(self.files),
            dict(self.charts),
            dict(self.reached),
            self.takes_namespace,
        )


class Build(NamedTuple):
    """What came out."""

    folder: str
    objects: tuple[Object, ...] = ()
    errors: tuple[BuildError, ...] = ()
    """Why Kustomize refuses to build it; the objects are then what could be built all the same."""
    not_built: tuple[NotBuilt, ...] = ()
    folders: frozenset[str] = frozenset()
    files: tuple[str, ...] = ()
    charts: tuple[str, ...] = ()
    reached: Mapping[int, Reach] = {}


class Ids:
    """The ids that are taken: no two objects of a build have the same."""

    def __init__(self, objects: Iterable[Object], *, any_name: bool = False) -> None:
        """`any_name`: also the ids that the objects had before."""
        self._taken = {_key(id_): one for one in objects for id_ in (one.ids if any_name else (one.id,))}

    def take(self, one: Object, entry: Node) -> None:
        other = self._taken.setdefault(_key(one.id), one)
        if other is not one:
            place = place_of(other)
            line = place.file.position(place.span.start).line
            raise BuildError(
                Cause.DUPLICATE_ID,
                entry,
                f"{entry.text} brings {one.id.gvk.kind} {one.name!r}, which {place.file.path}:{line} brings already",
                other=place,
            )


def place_of(one: Object) -> Place:
    """Where an object begins."""
    if one.document.is_built:
        return one.document.root.origin
    start = one.root.start_mark.index
    return Spot(one.document.file, Span(start, start + 1))


def _key(one: Id) -> Key:
    return one.gvk, one.name, one.effective_namespace
