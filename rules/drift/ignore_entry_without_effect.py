"""An item of ignoreDifferences that can ignore nothing: it names no field, or a name with a star.

An item says which objects (group, kind, name, namespace) and which of their fields:
jsonPointers, jqPathExpressions or managedFieldsManagers. Without any of the three there is no
field to leave out, and all differences count; it does not mean all fields.

Group and kind are patterns, name and namespace are not: `name: shop-*` fits only an object
that is called just so, and no object can be.

Fix: name the fields; leave the name out where all objects of the kind are meant.

See: https://argo-cd.readthedocs.io/en/stable/user-guide/diffing/

Bad:
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
    spec:
      ignoreDifferences:
        - group: apps
          kind: Deployment  # <- here
        - group: apps
          kind: StatefulSet
          name: shop-*  # <- here
          jsonPointers:
            - /spec/replicas
Good:
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
    spec:
      ignoreDifferences:
        - group: apps
          kind: Deployment
          jsonPointers:
            - /spec/replicas
        - group: apps
          kind: StatefulSet
          jsonPointers:
            - /spec/replicas
"""

from collections.abc import Iterator
from typing import Final

from ...linter.api import Finding, Moment, Node, Resource, Severity, rule
from ...linter.argocd.application_spec import application_spec
from ...linter.dialects.spelling import is_placeholder

FIELDS: Final = ("jsonPointers", "jqPathExpressions", "managedFieldsManagers")
EXACT: Final = ("name", "namespace")
WILD: Final = frozenset("*?[")


@rule("GL419", Severity.WARNING, Moment.SYNC, kinds="Application ApplicationSet")
def check(app: Resource) -> Iterator[Finding]:
    spec = application_spec(app)
    for item in spec["ignoreDifferences"] if spec is not None else ():
        if not item.is_mapping:
            continue
        if not app.patched and not any(_has_items(item[field]) for field in FIELDS):
            yield _without_fields(item, app)
        for key in EXACT:
            text = item[key].text
            if not WILD.isdisjoint(text) and not is_placeholder(text):
                yield _pattern(item[key], app)


def _has_items(node: Node) -> bool:
    return node.present and (not node.is_sequence or any(True for _ in node))


def _without_fields(item: Node, app: Resource) -> Finding:
    kind = item["kind"]
    return Finding(
        kind if kind.present else item,
        headline=f"ignoreDifferences of {app} names no field of {kind.text or 'the object'}",
        happens="The item ignores nothing, and every difference counts.",
        do="Name the fields in jsonPointers or jqPathExpressions, or take the item away.",
    )


def _pattern(node: Node, app: Resource) -> Finding:
    return Finding(
        node,
        headline=f"{node.key}: {node.text} in ignoreDifferences of {app} is no pattern",
        happens=f"Argo CD compares the {node.key} as it stands: the item fits no object and ignores nothing.",
        do=f"Write the {node.key} in full, or leave it out for all.",
    )
