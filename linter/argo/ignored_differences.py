"""Which differences an Application tells Argo CD to ignore."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from .patterns import matches_glob

if TYPE_CHECKING:
    from ..resource import Resource
    from .applications import Application

Steps = Sequence[str | int]

_JQ_STEP: Final = re.compile(r"\.?(?:\[(?P<index>\d*)\]|\[?\"(?P<quoted>[^\"]+)\"\]?|(?P<word>[A-Za-z_][\w-]*))\??")
_WORD: Final = re.compile(r"[\w-]+")


def ignores(application: Application, resource: Resource, path: Steps) -> bool:
    """Whether the Application ignores a difference at this path of an object.

    Where it takes jq or the cluster to tell, the answer is yes: nothing is to be said about it then.
    """
    rules = application.spec.get("ignoreDifferences")
    return any(
        _is_for(rule, resource, application.destination.namespace) and covers(rule, path)
        for rule in (rules if isinstance(rules, list) else ())
        if isinstance(rule, Mapping)
    )


def _is_for(rule: Mapping[str, Any], resource: Resource, namespace: str) -> bool:
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
    if any(_is_above(_pointer(text), path) for text in pointers):
        return True
    return any(_jq_covers(text, path) for text in expressions)


def _texts(value: object) -> list[str]:
    return [text for text in value if isinstance(text, str)] if isinstance(value, list) else []


def _pointer(text: str) -> list[str | None]:
    if not text.startswith("/"):
        return ["/"]  # Argo CD finds nothing there
    return [step.replace("~1", "/").replace("~0", "~") for step in text.split("/")[1:]]


def _is_above(steps: Sequence[str | None], path: Steps) -> bool:
    """None stands for any item of a list."""
    if len(steps) > len(path):
        return False
    return all(
        isinstance(there, int) if step is None else step == str(there) for step, there in zip(steps, path, strict=False)
    )


def _jq_covers(expression: str, path: Steps) -> bool:
    """A plain path is compared; of anything else it is enough that it speaks of the last names of the path."""
    steps: list[str | None] = []
    at = 0
    while at < len(expression):
        step = _JQ_STEP.match(expression, at)
        if step is None:
            names = [name for name in path if isinstance(name, str)]
            return bool(names) and not set(names[-2:]).isdisjoint(_WORD.findall(expression))
        steps.append(step["index"] or None if step["index"] is not None else step["quoted"] or step["word"])
        at = step.end()
    return bool(steps) and _is_above(steps, path)
