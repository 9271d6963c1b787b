"""`replicas:` sets how many pods a workload shall have."""

from __future__ import annotations

from collections.abc import Iterable

from ..yaml.compose import PLAIN, TEXT, Raw, RawScalar
from ..yaml.source import Node
from .fieldspecs import FieldSpec, FieldSpecs, WrongShape, refused, update
from .kustomize_errors import BuildError, Cause
from .objects import Object
from .trees import instead


def set_replicas(objects: Iterable[Object], entry: Node, field_specs: FieldSpecs) -> None:
    """Of every workload that has, or ever had, this name; there must be one."""
    name = entry["name"].text
    named = [one for one in objects if any(known.name == name for known in one.ids)]
    found = False
    for spec in field_specs:
        for one in named:
            if any(known.name == name and spec.matches(known.gvk) for known in one.ids):
                found = True
                _set(one, spec, entry)
    if not found:
        kinds = ", ".join(spec.kind or "any kind" for spec in field_specs)
        raise BuildError(Cause.NO_MATCH, entry["name"], f"there is no workload called {name!r}, of {kinds}")


def _set(one: Object, spec: FieldSpec, entry: Node) -> None:
    assert entry.raw is not None
    if not spec.matches(one.gvk):
        return
    try:
        root = update(
            one.root, spec.path, lambda old: _count(old, entry), RawScalar if spec.create else None, entry.raw
        )
    except WrongShape as wrong:
        raise refused(one, spec.written_path, wrong, entry) from None
    one.put(root, "replicas set", entry)


def _count(old: Raw, entry: Node) -> Raw:
    """Quotes stay as they are: a count that was a text is one again, with a new number in it."""
    if not isinstance(old, RawScalar):
        raise WrongShape("a number of replicas must be a scalar")
    count = entry["count"]
    like = count.raw if count.raw is not None else entry.raw
    assert like is not None
    number = f"{int(count.value or 0)}"
    return instead(RawScalar(TEXT if old.style else PLAIN, number, like.start_mark, like.end_mark), old)
