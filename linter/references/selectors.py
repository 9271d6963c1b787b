"""Objects found by their labels."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from ..resource import Resource
from ..source import Node


@dataclass(frozen=True)
class LabelSelector:
    labels: dict[str, str]
    expressions: tuple[Node, ...] = ()

    @classmethod
    def read(cls, node: Node, is_plain: bool) -> LabelSelector:
        if is_plain:
            return cls(label_texts(node))
        return cls(label_texts(node["matchLabels"]), tuple(node["matchExpressions"]))

    def matches(self, labels: dict[str, str]) -> bool:
        return all(labels.get(key) == value for key, value in self.labels.items()) and all(
            _holds(expression, labels) for expression in self.expressions
        )


def label_texts(node: Node) -> dict[str, str]:
    return {key: value.text for key, value in node.items()}


def _holds(expression: Node, labels: dict[str, str]) -> bool:
    actual = labels.get(expression["key"].text)
    values = [value.text for value in expression["values"]]
    operator = expression["operator"].text
    if operator == "In":
        return actual in values
    if operator == "NotIn":
        return actual not in values
    return (actual is not None) == (operator == "Exists")


class Labelled:
    """Objects by namespace and label, so that a selector looks at few of them."""

    def __init__(self) -> None:
        self._by_label: dict[tuple[str, str, str], list[tuple[Resource, dict[str, str]]]] = defaultdict(list)

    def add(self, resource: Resource, namespace: str, labels: dict[str, str]) -> None:
        for key, value in labels.items():
            self._by_label[namespace, key, value].append((resource, labels))

    def select(self, selector: LabelSelector, namespace: str) -> list[Resource]:
        """Nothing for a selector without a plain label: what selects everything names nobody."""
        if not selector.labels:
            return []
        buckets = (self._by_label.get((namespace, key, value), []) for key, value in selector.labels.items())
        candidates = min(buckets, key=len)
        return [resource for resource, labels in candidates if selector.matches(labels)]
