"""Objects found by their labels."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from ...dialects.label_selectors import Requirement, all_met, expressed, labelled
from ...yaml.source import Node
from ..resource import Resource


@dataclass(frozen=True)
class LabelSelector:
    labels: dict[str, str]
    requirements: tuple[Requirement, ...] = ()
    """Beside those that the labels are."""
    is_valid: bool = True

    @classmethod
    def read(cls, node: Node, is_plain: bool) -> LabelSelector:
        if is_plain:
            return cls(label_texts(node))
        found = [_requirement(one) for one in node["matchExpressions"]]
        known = tuple(one for one in found if one is not None)
        return cls(label_texts(node["matchLabels"]), known, len(known) == len(found))

    def matches(self, labels: dict[str, str]) -> bool:
        wanted = (*(labelled(*pair) for pair in self.labels.items()), *self.requirements)
        return self.is_valid and all_met(wanted, labels)


def label_texts(node: Node) -> dict[str, str]:
    return {key: value.text for key, value in node.items()}


def _requirement(expression: Node) -> Requirement | None:
    values = [value.text for value in expression["values"]]
    return expressed(expression["key"].text, expression["operator"].text, values)


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
