"""Items of ignoreDifferences that leave out most of what somebody writes in git."""

from __future__ import annotations

from typing import Final

from ..dialects.jq_paths import Mark, Path
from .ignore_entries import IgnoreEntry
from .ignored_differences import paths_of_pointer, paths_of_query

_BROAD: Final[dict[Path, str]] = {(): "the whole object", ("spec",): "all of spec", ("metadata",): "all of metadata"}
_OF_A_TEMPLATE: Final[dict[Path, str]] = {
    (): "the whole pod template",
    ("spec",): "the spec of the pod template",
    ("spec", "containers"): "all containers",
    ("spec", "containers", Mark.EACH): "all containers",
}
_TEMPLATES: Final = (("spec", "template"), ("spec", "jobTemplate", "spec", "template"))


def broad_part(path: Path) -> str:
    """What a path stands for if that is most of an object; empty for a narrow one."""
    for template in _TEMPLATES:
        if path[: len(template)] == template:
            return _OF_A_TEMPLATE.get(path[len(template) :], "")
    return _BROAD.get(path, "")


def is_broad(entry: IgnoreEntry) -> bool:
    """Whether some path of an item is."""
    paths = [path for pointer in entry.pointers for path in paths_of_pointer(pointer.text)]
    paths += [path for expression in entry.expressions for path in paths_of_query(expression.text)]
    return any(map(broad_part, paths))
