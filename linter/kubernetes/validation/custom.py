"""Custom resources against their CRDs: in the API server's order, so first pruned, then defaulted, then judged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...dialects.spelling import is_placeholder, meant
from ...yaml.source import Node
from ..crds import bounded_value
from ..defaulting import Schema, Steps, below, properties, store
from ..resource import Resource
from .cel_rules import broken_rules, has_rules
from .quick_custom import is_surely_valid
from .refusals import CustomFault, Refusal
from .shapes import Shape
from .structural import problems
from .violations import PATCH_DIRECTIVES, SOPS, Fault, violations


def custom_faults(resource: Resource, known: Sequence[Schema], metadata: Shape) -> Iterator[CustomFault]:
    """What all schemas of the kind say: which of several the cluster has, the files do not tell."""
    value = bounded_value(resource)
    if not isinstance(value, dict):
        return
    if not all(is_surely_valid(value, schema) and not has_rules(value, schema) for schema in known):
        yield from _agreed(resource, value, known)
    for one in violations(resource.metadata, metadata):
        if one.fault is Fault.UNKNOWN_FIELD and len(one.levels) == 1:
            yield CustomFault(Refusal.UNKNOWN_FIELD, ("metadata", one.field), one.suggestion or "")


def unknown_fields(resource: Resource, schema: Schema) -> Iterator[CustomFault]:
    """Of a schema that knows the names of fields and nothing else."""
    value = bounded_value(resource)
    if not isinstance(value, dict) or _is_patch(value):
        return
    for steps in store(value, schema).unknown:
        fault = CustomFault(Refusal.UNKNOWN_FIELD, steps, _meant(value, schema, steps))
        if steps[0] not in (SOPS, "metadata") and not _is_filled_in_later(resource.node, fault):
            yield fault


def _agreed(resource: Resource, value: dict[str, Any], known: Sequence[Schema]) -> Iterator[CustomFault]:
    if _is_patch(value):
        return
    first, *others = (list(_faults(value, schema)) for schema in known)
    for fault in first:
        if all(fault in other for other in others) and not _is_filled_in_later(resource.node, fault):
            yield fault


def _faults(value: dict[str, Any], schema: Schema) -> Iterator[CustomFault]:
    stored = store(value, schema)
    for steps in stored.unknown:
        if steps != (SOPS,):
            yield CustomFault(Refusal.UNKNOWN_FIELD, steps, _meant(value, schema, steps))
    found = problems(stored.value, schema)
    # The server asks the rules only of what fits the schema otherwise.
    for problem in found or broken_rules(stored.value, schema):
        yield CustomFault(Refusal.INVALID, problem.steps, problem.text, problem.missing)


def _meant(value: Any, schema: Schema, steps: Steps) -> str:
    inside: Schema | None = schema
    for step in steps[:-1]:
        value, inside = value[step], below(inside, step)
    known = properties(inside) if inside is not None else {}
    return meant(str(steps[-1]), [name for name in known if name not in value]) or ""


def _is_patch(value: Any) -> bool:
    if isinstance(value, dict):
        return any(name.startswith(PATCH_DIRECTIVES) or _is_patch(member) for name, member in value.items())
    return isinstance(value, list) and any(_is_patch(item) for item in value)


def _is_filled_in_later(root: Node, fault: CustomFault) -> bool:
    if fault.steps and is_placeholder(str(fault.steps[-1])):
        return True
    place = root.at(*fault.steps)
    return is_placeholder(place.scalar_text) or (
        place.is_mapping and place.raw is not None and place.file.text.startswith("{{", place.raw.start_mark.index)
    )
