"""Variables: a field of one object, put in wherever others say `$(NAME)`.

Each kustomization binds its `vars:` to objects when all else in it is done,
so a name in `objref` may be any that the object had until then. The values
are read and put in once, when the whole build has its final names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal
from functools import lru_cache
from typing import Final, NamedTuple

from ..dialects.go_regexp import NotJudged
from ..facts.regexes import regex
from ..yaml.compose import PLAIN, Mapping, Raw, RawScalar, Sequence
from ..yaml.scalars import atoi
from ..yaml.source import Node
from ..yaml.values import scalar_value
from .build_origin import BuiltDocument
from .configurations import Configuration
from .fieldpaths import BadPath, Parts, look_up, split
from .fieldspecs import WrongShape, update
from .kustomize_errors import BuildError, Cause, demand_short
from .objects import Gvk, Id, Object
from .objects_in_file import ReadAnew
from .trees import instead, map_items, mapping, scalar

Value = str | int | float | bool

_REFERENCE: Final = regex(r"\$(?:\$|\(([^)]*)\))")
"""A doubled dollar, which stands for one, or a variable."""
_INDEXED: Final = regex(r"(.*)\[([0-9]+)\]")


class Variable(NamedTuple):
    name: str
    node: Node
    """Its item under `vars:`."""
    field: str


# -- binding


def merge_variables(existing: tuple[Variable, ...], entries: Node, objects: Iterable[Object]) -> tuple[Variable, ...]:
    """The variables of a kustomization, bound to its objects, after those of its bases."""
    known = tuple(objects)
    return joined_variables(existing, tuple(_bound(entry, known) for entry in entries))


def joined_variables(one: tuple[Variable, ...], other: tuple[Variable, ...]) -> tuple[Variable, ...]:
    """Both together; a name may be there only once."""
    known = {variable.name: variable for variable in one}
    for variable in other:
        before = known.get(variable.name)
        if before is not None:
            where = before.node.file
            line = where.position(before.node.span.start).line
            raise BuildError(
                Cause.BAD_VARIABLE,
                variable.node,
                f"the variable {variable.name!r} comes in a second time; the first is that of {where.path}:{line}",
            )
        known[variable.name] = variable
    return tuple(known.values())


def _bound(entry: Node, objects: tuple[Object, ...]) -> Variable:
    wanted = _wanted(entry["objref"])
    name = entry["name"].scalar_text
    found = [one for one in objects if any(_is_wanted(id_, wanted) for id_ in one.ids)]
    if len(found) > 1:
        raise BuildError(
            Cause.BAD_VARIABLE,
            entry["objref"],
            f"the variable {name!r} may take its value from any of {', '.join(str(one.id) for one in found)}",
        )
    for one in found:
        one.variables = (*one.variables, name)
    return Variable(name, entry, entry["fieldref"]["fieldPath"].text or "metadata.name")


def _wanted(objref: Node) -> Id:
    group, version = objref["group"].text, objref["version"].text
    parts = objref["apiVersion"].text.split("/")
    if parts != [""] and len(parts) <= 2:
        group, version = (parts[0] if len(parts) == 2 else group), parts[-1]
    return Id(Gvk(group, version, objref["kind"].text), objref["name"].text, objref["namespace"].text)


def _is_wanted(one: Id, wanted: Id) -> bool:
    return (
        one.name == wanted.name
        and one.gvk == wanted.gvk
        and (not wanted.namespace or one.effective_namespace == wanted.namespace)
    )


# -- reading


def resolve_variables(objects: list[Object], variables: tuple[Variable, ...], configuration: Configuration) -> None:
    """Put the values in; a `$(NAME)` that no variable has is left as it is, for a container's environment may."""
    values = {one.name: _value(one, objects) for one in sorted(variables, key=lambda one: one.name)}
    if not values:
        return
    nodes = {one.name: one.node for one in variables}
    change = _Expansion(values)
    for obj in objects:
        root: Raw = obj.root
        try:
            for spec in configuration.var_references.specs_for(obj.gvk):
                root = update(root, spec.path, change.field, None, obj.root)
        except WrongShape as wrong:
            message = f"{obj.id}: no variables can be put in at {spec.written_path}: {wrong}"
            written = None if change.refused else configuration.places.get(spec)
            raise BuildError(Cause.BAD_VARIABLE, written or _place(obj, change.refused), message) from None
        obj.put(root, "variables put in", nodes[change.used])


def _value(variable: Variable, objects: list[Object]) -> Value | None:
    """None for a map or a list: Kustomize then leaves the variable as it is."""
    obj = next((one for one in objects if variable.name in one.variables), None)
    if obj is None:
        objref = _wanted(variable.node["objref"])
        raise BuildError(
            Cause.BAD_VARIABLE,
            variable.node["objref"],
            f"the variable {variable.name!r} takes its value from {objref}, and there is no such object",
        )
    raw = _field(obj, variable.field)
    if raw is not None and not isinstance(raw, RawScalar):
        return None
    value = None if raw is None else _scalar(raw)
    if value is None:
        raise BuildError(
            Cause.BAD_VARIABLE,
            variable.node["fieldref"]["fieldPath"],
            f"the variable {variable.name!r} takes its value from {variable.field} of {obj.id}, which has none there",
        )
    return demand_short(value, variable.node) if isinstance(value, str) else value


def _scalar(raw: RawScalar) -> Value | None:
    """As Kustomize reads it: numbers in decimal only, and a null is the text that it is written as."""
    if isinstance(raw, ReadAnew):
        return raw.written
    value = scalar_value(raw)
    if isinstance(value, bool | str):
        return value
    if isinstance(value, int):
        return atoi(raw.value)
    return raw.value if value is None else value


def _field(obj: Object, path: str) -> Raw | None:
    try:
        return look_up(obj.root, _parts(path))
    except (BadPath, NotJudged):
        return None


@lru_cache(maxsize=256)
def _parts(path: str) -> Parts:
    """As in replacements, and besides `ports[0]` for `ports.0`."""
    parts: list[str] = []
    for part in split(path):
        indexed = _INDEXED.fullmatch(part)
        parts += indexed.groups() if indexed else (part,)
    return tuple(parts)


# -- putting in


class _Expansion:
    """Changes the fields that may hold variables."""

    def __init__(self, values: dict[str, Value | None]) -> None:
        self._values = values
        self.used = next(iter(values))
        """The variable that was put in last."""
        self.refused: Raw | None = None
        """The value that could not be dealt with."""

    def field(self, raw: Raw) -> Raw:
        if isinstance(raw, RawScalar):
            return self._expanded(raw)
        if isinstance(raw, Sequence):
            return map_items(raw, self._item)
        return self._members(raw)

    def _item(self, raw: Raw) -> Raw:
        if not _is_text(raw):
            self.refused = raw
            raise WrongShape("every item of this list must be a text")
        return self._expanded(raw)

    def _members(self, raw: Mapping) -> Mapping:
        changed = [(key, self._expanded(value)) for key, value in raw.value]
        if all(new is old for (_, new), (_, old) in zip(changed, raw.value, strict=True)):
            return raw
        return mapping(changed, raw)

    def _expanded(self, raw: Raw) -> Raw:
        if not isinstance(raw, RawScalar) or "$" not in raw.value or not _is_text(raw):
            return raw
        whole = _REFERENCE.fullmatch(raw.value)
        if whole and whole[1] is not None:
            value = self._value(whole[1])
            return raw if value is None else _made(value, raw)
        return _made(_REFERENCE.sub(self._written, raw.value), raw)

    def _written(self, found: re.Match[str]) -> str:
        name = found[1]
        if name is None:
            return "$"
        value = self._value(name)
        return found[0] if value is None else _in_words(value)

    def _value(self, name: str) -> Value | None:
        value = self._values.get(name)
        if value is not None:
            self.used = name
        return value


def _is_text(raw: Raw) -> bool:
    return isinstance(raw, RawScalar) and isinstance(scalar_value(raw), str)


def _made(value: Value, old: RawScalar) -> Raw:
    if isinstance(value, str):
        return old if value == old.value else scalar(value, old, over=old)
    if isinstance(value, float):
        digits = format(Decimal(repr(value)).normalize(), "f")
        return instead(RawScalar(PLAIN, digits, old.start_mark, old.end_mark), old)
    return scalar(value, old, over=old)


def _in_words(value: Value) -> str:
    """A value inside a text, as Go writes it: large and small numbers with an exponent of two digits."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, float):
        return str(value)
    number = Decimal(repr(value)).normalize()
    if -4 <= number.adjusted() < 6:
        return format(number, "f")
    mantissa, _, exponent = f"{number:e}".partition("e")
    return f"{mantissa}e{int(exponent):+03}"


def _place(obj: Object, raw: Raw | None) -> Node:
    document = BuiltDocument(obj.document.file, obj.document.index, obj.root, obj)
    return (document.find(raw) if raw is not None else None) or obj.document.root
