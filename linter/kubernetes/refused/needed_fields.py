"""Fields that the server wants, and fields with a few words to choose from: both by a table.

A path of the table reads ``spec.volumes[].secret?.secretName``: every item of a list; a block with a question mark only
where it is there; ``a|b`` where one of the two is enough.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, Final, NamedTuple

from ...dialects.spelling import nearest
from ...facts.tables import table
from ...yaml.source import Node
from ..pods import pod_spec
from ..resource import Resource
from .refused import Refused, is_open, path_of_pods

_PODS: Final = "pods"
_ITEMS: Final = "[]"
_WHERE_THERE: Final = "?"


class _Level:
    """What is asked of one mapping, and of what is below it."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, Any]] = []
        self.below: dict[str, _Level] = {}


class _Place(NamedTuple):
    holder: Node
    path: str
    names: list[str]
    says: Any


@cache
def _asked(section: str, of: str) -> _Level:
    root = _Level()
    for path, says in table("checked-in-code.json")[section].get(of, {}).items():
        *way, last = path.replace(_ITEMS, f".{_ITEMS}").split(".")
        level = root
        for step in way:
            level = level.below.setdefault(step, _Level())
        level.asked.append((last, says))
    return root


def missing(resource: Resource) -> Iterator[Refused]:
    for place in _places(resource, "required"):
        if all(_is_empty(place.holder[name]) for name in place.names):
            at, name = place.holder[place.names[0]], " or ".join(place.names)
            path, says = _in_its_words(_joined(place.path, name), place.says)
            yield Refused(at, path, says, f"Write {name}.", in_parts=False)


def unsupported(resource: Resource) -> Iterator[Refused]:
    for place in _places(resource, "choices"):
        (name,) = place.names
        row = place.says if isinstance(place.says, dict) else {"choices": place.says}
        choices = row["choices"]
        for index, value in enumerate(place.holder if name == _ITEMS else [place.holder[name]]):
            text = value.text
            if text and text not in choices and not is_open(text):
                item = f"[{index}]" if row.get("by-item") else ""
                path = f"{place.path}{item}" if name == _ITEMS else _joined(place.path, name)
                words = row["says"].format(text) if "says" in row else _words(text, choices)
                path, words = _in_its_words(path, {**row, "says": words})
                yield Refused(value, path, words, _advice(text, choices))


def _in_its_words(path: str, says: Any) -> tuple[str, str]:
    """The server may miss a field further up, or down, than where it has to be written."""
    if isinstance(says, str):
        return path, says
    above = path.rsplit(".", says["up"])[0] if "up" in says else path
    return f"{above}{says.get('down', '')}", says["says"]


def _places(resource: Resource, section: str) -> Iterator[_Place]:
    if not (resource.name or resource.generate_name):
        return  # a value that is not known made more than this empty
    if "beta" in resource.version:
        return  # filled in by defaults of its own, where it is served at all
    yield from _below(resource.node, "", _asked(section, resource.group_kind))
    pod = pod_spec(resource)
    if pod is not None and pod.parent is not None and pod.parent.present and resource.group != "argoproj.io":
        yield from _below(pod, path_of_pods(resource), _asked(section, _PODS))


def _below(node: Node, path: str, level: _Level) -> Iterator[_Place]:
    for names, says in level.asked:
        yield _Place(node, path, names.split("|"), says)
    for step, inner in level.below.items():
        if step == _ITEMS:
            for index, item in enumerate(node):
                yield from _below(item, f"{path}[{index}]", inner)
            continue
        name = step.removesuffix(_WHERE_THERE)
        if name == step or node[name].is_mapping:
            yield from _below(node[name], _joined(path, name), inner)


def _is_empty(node: Node) -> bool:
    return node.absent or (not node.is_mapping and node.value in (None, "", []))


def _joined(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _words(text: str, choices: list[str]) -> str:
    supported = ", ".join(f'"{one}"' for one in choices)
    return f'Unsupported value: "{text}": supported values: {supported}'


def _advice(text: str, choices: list[str]) -> str:
    meant = nearest(text, choices)
    return f"Write {meant}." if meant else "Write one of these."
