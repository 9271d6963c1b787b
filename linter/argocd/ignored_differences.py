"""Which differences an Application tells Argo CD to ignore."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from ..dialects import jq
from ..dialects.jq_paths import Mark, Path, Step, Where
from ..dialects.project_patterns import matches_glob
from ..facts.regexes import regex
from ..yaml.json_pointer import steps

if TYPE_CHECKING:
    from ..kubernetes.resource import Resource
    from ..yaml.source import Node
    from .applications import Application
    from .argocd_settings import Settings

Steps = Sequence[str | int]

_WORD: Final = regex(r"[\w-]+")


def is_ignored(settings: Settings, application: Application | None, resource: Resource, path: Steps) -> bool:
    """Whether Argo CD's settings or the Application ignore a difference at this path, or nobody can tell."""
    if any(covers(rule, path) for rule in settings.ignored(resource.group, resource.kind)):
        return True
    return application is not None and ignores(application, resource, path)


def ignores(application: Application, resource: Resource, path: Steps) -> bool:
    """Whether the Application ignores a difference at this path of an object.

    Where it takes jq or the cluster to tell, the answer is yes: nothing is to be said about it then.
    """
    namespace = application.destination.namespace
    if resource.group_kind == "Secret" and list(path[:1]) == ["stringData"]:
        path = ("data", *path[1:])  # Argo CD moves it there before it looks at what is ignored
    return any(is_for(rule, resource, namespace) and covers(rule, path) for rule in application.ignored_differences)


def is_for(rule: Mapping[str, Any], resource: Resource, namespace: str) -> bool:
    """Group and kind are patterns; a name or a namespace that is left out stands for all."""
    if rule.get("name") not in (None, "", resource.name):
        return False
    if rule.get("namespace") not in (None, "", resource.namespace or namespace):
        return False
    group, kind = rule.get("group") or "", rule.get("kind") or ""
    return matches_glob(str(group), resource.group) and matches_glob(str(kind), resource.kind)


def covers(rule: Mapping[str, Any], path: Steps) -> bool:
    """Whether an item of ignoreDifferences, or one of Argo CD's own settings, reaches this path."""
    if not rule:
        return True  # nobody knows what it says
    if any(not manager.startswith("kube-") for manager in _texts(rule.get("managedFieldsManagers"))):
        return True  # a controller that writes the object may own its defaults; Kubernetes' own do not
    pointers, expressions = _texts(rule.get("jsonPointers")), _texts(rule.get("jqPathExpressions"))
    if any(_is_above(one, path) for text in pointers for one in paths_of_pointer(text)):
        return True
    return any(_jq_covers(text, path) for text in expressions)


def paths_of_pointer(text: str) -> tuple[Path, ...]:
    """None at all for a pointer where Argo CD finds nothing. What may be a number is one only in a list."""
    if not text.startswith("/"):
        return ()
    return (tuple(steps(text)),)


def paths_of_query(text: str) -> tuple[Path, ...]:
    """None at all where it takes jq to tell, or where jq refuses the text."""
    try:
        return jq.parse(text).paths or ()
    except jq.JqError:
        return ()


def reached(node: Node, path: Path) -> Iterator[Node]:
    """The places of an object that a path leads to and that have a value."""
    if node.absent:
        return
    if not path:
        if node.value is not None:
            yield node
        return
    step, rest = path[0], path[1:]
    if step is Mark.EACH:
        for one in (*node, *(member for _, member in node.items())):
            yield from reached(one, rest)
    elif isinstance(step, Where):
        if any(_is_same(one.value, step.value) for one in reached(node, step.path)):
            yield from reached(node, rest)
    elif isinstance(step, int) or (node.is_sequence and step.isdecimal() and len(step) < 9):
        yield from reached(node[int(step)], rest)
    else:
        yield from reached(node[step], rest)


def _is_same(value: object, constant: object) -> bool:
    return value == constant and isinstance(value, bool) is isinstance(constant, bool)


def _texts(value: object) -> list[str]:
    return [text for text in value if isinstance(text, str)] if isinstance(value, list) else []


def _jq_covers(expression: str, path: Steps) -> bool:
    """A plain path is compared; of anything else it is enough that it speaks of the last names of the path."""
    try:
        paths = jq.parse(expression).paths
    except jq.JqError:
        return True  # then nothing is compared at all
    if paths is None:
        names = [name for name in path if isinstance(name, str)]
        return bool(names) and not set(names[-2:]).isdisjoint(_WORD.findall(expression))
    # A condition may hold.
    return any(_is_above([step for step in one if not isinstance(step, Where)], path) for one in paths)


def _is_above(steps: Sequence[Step], path: Steps) -> bool:
    """A pointer counts the items of a list with digits, jq with numbers."""
    return len(steps) <= len(path) and all(
        step is Mark.EACH or step == there or step == str(there) for step, there in zip(steps, path, strict=False)
    )
