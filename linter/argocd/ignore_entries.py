"""Items of ignoreDifferences, wherever Argo CD reads them, each text with the place where it is written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ..dialects.project_patterns import matches_glob
from ..facts.tables import builtin_kinds
from .application_spec import GROUP, application_spec

if TYPE_CHECKING:
    from ..kubernetes.resource import Resource
    from ..yaml.source import Node
    from .argocd_settings import Customization


_LISTS: Final = ("jsonPointers", "jqPathExpressions", "managedFieldsManagers")


class Written(NamedTuple):
    text: str
    at: Node


@dataclass(frozen=True, eq=False)
class IgnoreEntry:
    at: Node
    owner: Resource | None
    """The Application or set that it is for; None for Argo CD's own settings, which are for all of them."""
    group: str
    kind: str
    pointers: tuple[Written, ...]
    expressions: tuple[Written, ...]
    managers: tuple[Written, ...]
    is_for_generated: bool = False
    """It tells a set which changes of its own Applications to leave alone."""

    @property
    def can_match(self) -> bool:
        """Whether there can be an object of such a group and kind; of custom kinds nobody can tell."""
        if any(sign in self.group for sign in "*?{["):
            return True
        known = builtin_kinds().get(self.group)
        if known is not None:
            return any(matches_glob(self.kind, one) for one in known)
        return "/" not in self.group and "." in self.group  # all groups but those of Kubernetes have a dot


def entries_of(resource: Resource) -> Iterator[IgnoreEntry]:
    """Those of an Application, or of an ApplicationSet."""
    spec = application_spec(resource)
    if spec is None:
        return
    for item in spec["ignoreDifferences"]:
        group, kind = item.texts("group", "kind")
        yield _entry(item, resource, group, kind)
    if resource.kind == "ApplicationSet":
        for item in resource["spec"]["ignoreApplicationDifferences"]:
            yield _entry(item, resource, GROUP, "Application", is_for_generated=True)


def entries_in(customizations: Iterable[Customization]) -> Iterator[IgnoreEntry]:
    """Those of Argo CD's own settings. What is YAML within a text has no place of its own but that of the text."""
    for one in customizations:
        if one.ignored and one.at is not None:
            group, _, kind = one.kind.rpartition("/")
            pointers, expressions, managers = (
                tuple(Written(text, one.at) for text in _texts(one.ignored.get(key))) for key in _LISTS
            )
            yield IgnoreEntry(one.at, None, group, kind, pointers, expressions, managers)


def _entry(item: Node, owner: Resource, group: str, kind: str, *, is_for_generated: bool = False) -> IgnoreEntry:
    pointers, expressions, managers = (
        tuple(Written(one.value, one) for one in item[key] if isinstance(one.value, str)) for key in _LISTS
    )
    return IgnoreEntry(item, owner, group, kind, pointers, expressions, managers, is_for_generated)


def _texts(value: Any) -> list[str]:
    return [text for text in value if isinstance(text, str)] if isinstance(value, list) else []
