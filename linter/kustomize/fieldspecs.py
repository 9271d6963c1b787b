"""Field specs: the data by which Kustomize's transformers know the fields they change in objects of each kind."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from ..facts.regexes import regex
from ..yaml.compose import TEXT, Mapping, Raw, RawScalar, Sequence
from ..yaml.source import Node
from .kustomize_errors import BuildError, Cause
from .objects import Gvk, Object
from .trees import Made, is_null, map_items, mapping, scalar, sequence, with_member

Change = Callable[[Raw], Raw]

_NOT_A_KEY: Final = regex(r"[+-]?[0-9]+|-|\*|\[.*\]|")
"""Parts that Kustomize reads as a place in a list, though it only ever looks them up in maps."""


class FieldSpec(NamedTuple):
    group: str
    version: str
    kind: str
    path: tuple[str, ...]
    """Keys; lists on the way are stepped into, item by item, whether or not the key says so with `[]`."""
    create: bool = False
    written: str = ""
    """The path as a person wrote it."""

    def matches(self, gvk: Gvk) -> bool:
        """An empty group, version or kind stands for any."""
        return (
            (not self.kind or self.kind == gvk.kind)
            and (not self.group or self.group == gvk.group)
            and (not self.version or self.version == gvk.version)
        )

    @property
    def written_path(self) -> str:
        return self.written or "/".join(part.replace("/", "\\/") for part in self.path)


@lru_cache(maxsize=1024)
def split_path(path: str) -> tuple[str, ...]:
    """`a/b\\/c[]/d` → a, b/c[], d; one slash in front is allowed."""
    written = path.split("/")
    if len(written) > 1 and not written[0]:
        del written[0]
    parts = written[:1]
    for part in written[1:]:
        if parts[-1].endswith("\\"):
            parts[-1] = f"{parts[-1][:-1]}/{part}"
        else:
            parts.append(part)
    return tuple(part.strip() for part in parts)


class FieldSpecs:
    """An ordered list of specs that finds those of one kind at the price of one lookup."""

    __slots__ = ("_by_gvk", "specs")

    def __init__(self, specs: Iterable[FieldSpec] = ()) -> None:
        self.specs = tuple(specs)
        self._by_gvk: dict[Gvk, tuple[FieldSpec, ...]] = {}

    def __iter__(self) -> Iterator[FieldSpec]:
        return iter(self.specs)

    def __len__(self) -> int:
        return len(self.specs)

    def __repr__(self) -> str:
        return f"FieldSpecs({list(self.specs)!r})"

    def specs_for(self, gvk: Gvk) -> tuple[FieldSpec, ...]:
        found = self._by_gvk.get(gvk)
        if found is None:
            found = self._by_gvk[gvk] = tuple(spec for spec in self.specs if spec.matches(gvk))
        return found


class WrongShape(Exception):
    """A spec's path leads to a value of another type than the transformer can deal with."""

    def __init__(self, message: str, at: Node | None = None) -> None:
        super().__init__(message)
        self.at = at
        """Where a person wrote what is wrong, if it is in the kustomization."""


def update(
    root: Raw,
    path: tuple[str, ...],
    change: Change,
    create: type[RawScalar] | type[Mapping] | None,
    like: Raw,
) -> Raw:
    """Change every value that a path leads to; the same tree if `change` gave back what it got.

    `create` says what a missing last part is made as before it is changed;
    then missing parts on the way are made, too, except those that say `[]`.
    What is made counts as written where `like` is.
    """
    if not path:
        return change(root)
    if isinstance(root, Mapping):
        return _update_member(root, path, change, create, like)
    if isinstance(root, Sequence):
        return map_items(root, lambda item: update(item, path, change, create, like))
    if is_null(root):
        return root
    raise WrongShape(f"{path[0]!r} is looked for in {root.value!r}, which is neither a map nor a list")


def _update_member(
    root: Mapping,
    path: tuple[str, ...],
    change: Change,
    create: type[RawScalar] | type[Mapping] | None,
    like: Raw,
) -> Raw:
    name, is_list = _key(path[0])
    rest = path[1:]
    for key, old in root.value:
        if key.value == name:
            field = old
            if (is_list or create) and is_null(old):
                field = _filled_in(old, is_list, create if not rest else Mapping)
            new = update(field, rest, change, create, like)
            return root if new is old else with_member(root, name, new)
    if create is None or is_list:
        return root
    made = mapping((), like) if rest or create is Mapping else Made(TEXT, "", like.start_mark, like.end_mark)
    return with_member(root, name, update(made, rest, change, create, like), like)


def is_key(name: str) -> bool:
    """Whether a part of a path can be looked up in a map."""
    return _NOT_A_KEY.fullmatch(name) is None


@lru_cache(maxsize=1024)
def _key(part: str) -> tuple[str, bool]:
    name = part.removesuffix("[]")
    if not is_key(name):
        raise WrongShape(f"{part!r} cannot be the key of a map in the path of a field")
    return name, name != part


def _filled_in(null: RawScalar, is_list: bool, create: type[RawScalar] | type[Mapping] | None) -> Raw:
    """A null becomes what the spec expects there; a scalar keeps its text, which is then no null any more."""
    if is_list:
        return sequence((), null)
    if create is Mapping:
        return mapping((), null)
    return scalar(null.value, null)


def update_fields(
    obj: Object,
    specs: FieldSpecs,
    change: Change,
    create: type[RawScalar] | type[Mapping] | None,
    what: str,
    by: Node,
) -> None:
    """Change an object where its specs say; `what` was done, in words, and `by` whom in the kustomization."""
    assert by.raw is not None
    root: Raw = obj.root
    for spec in specs.specs_for(obj.gvk):
        try:
            root = update(root, spec.path, change, create if spec.create else None, by.raw)
        except WrongShape as wrong:
            raise refused(obj, spec.written_path, wrong, by) from None
    obj.put(root, what, by)


def refused(obj: Object, path: str, wrong: WrongShape, by: Node) -> BuildError:
    message = f"{_field(by)} cannot be set at {path} of {obj.id}: {wrong}"
    return BuildError(Cause.BAD_TRANSFORMER, wrong.at or by, message)


def _field(node: Node) -> str:
    """The field of the kustomization that a node belongs to."""
    while node.parent is not None and node.parent.parent is not None:
        node = node.parent
    return str(node.key)
