"""ValidatingAdmissionPolicies: what the API server asks of an object before it takes it.

Only what the files decide: a policy with a parameter, a name that no file tells (`authorizer`), a field that the server
fills in before it asks, and a namespace whose labels are not known leave it open, and then nothing is said.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from ..dialects.label_selectors import all_met, expressed, labelled
from ..dialects.spelling import is_placeholder
from ..facts.regexes import regex
from ..yaml.source import Node
from .resource import Resource

GROUP: Final = "admissionregistration.k8s.io"
POLICY: Final = f"{GROUP}/ValidatingAdmissionPolicy"
BINDING: Final = f"{GROUP}/ValidatingAdmissionPolicyBinding"
NAME_LABEL: Final = "kubernetes.io/metadata.name"
"""Every namespace has it, with its name."""

_ANY: Final = "*"
_STEPS: Final = 20_000
_FILLED_IN: Final = regex(
    r"\b(replicas|strategy|updateStrategy|revisionHistoryLimit|progressDeadlineSeconds|restartPolicy|dnsPolicy|schedulerName"
    r"|terminationGracePeriodSeconds|terminationMessagePath|terminationMessagePolicy|imagePullPolicy|protocol|targetPort"
    r"|sessionAffinity|clusterIP|clusterIPs|ipFamilies|internalTrafficPolicy|serviceAccountName|serviceAccount|completions"
    r"|parallelism|backoffLimit|suspend|volumeMode|storageClassName|apiVersion|timeoutSeconds|periodSeconds"
    r"|successThreshold|failureThreshold|scheme|defaultMode|securityContext|podManagementPolicy|type|uid|userInfo)\b"
)
"""Fields that the server has filled in by the time it asks: what a manifest leaves out says nothing of them."""


class Denied(NamedTuple):
    at: Node
    """Of the policy: the expression."""
    says: str


class Subject(NamedTuple):
    """An object on its way into a cluster."""

    resource: Resource
    namespace: str
    labels: Mapping[str, str] | None
    """Of its namespace; None where nobody knows them."""


def enforces(policy: Resource, binding: Resource) -> bool:
    """Whether a binding makes a policy deny anything that can be told from files."""
    return policy["spec"]["paramKind"].absent and "Deny" in {one.text for one in binding["spec"]["validationActions"]}


def denials(policy: Resource, binding: Resource, subject: Subject) -> Iterator[Denied]:
    """What a policy says no to, if a binding enforces it."""
    spec, bound = policy["spec"], binding["spec"]
    if not _selects(spec["matchConstraints"], subject, asks_for_rules=True):
        return
    if bound["matchResources"].present and not _selects(bound["matchResources"], subject, asks_for_rules=False):
        return
    value = subject.resource.node.value
    if not isinstance(value, dict) or _is_filled_in_later(value):
        return
    values = _values(value, subject, spec)
    if all(_holds(one["expression"].text, values) is True for one in spec["matchConditions"]):
        for one in spec["validations"]:
            if _holds(one["expression"].text, values) is False:
                yield Denied(one["expression"], _message(one, values))


def _values(value: dict[str, Any], subject: Subject, spec: Node) -> dict[str, Any]:
    metadata = {**(value.get("metadata") or {}), **({"namespace": subject.namespace} if subject.namespace else {})}
    variables: dict[str, Any] = {}
    values = {
        "object": {**value, "metadata": metadata},
        "oldObject": None,
        "request": {"operation": "CREATE", "namespace": subject.namespace, "name": subject.resource.name},
        "variables": variables,
    }
    if subject.labels is not None:
        values["namespaceObject"] = {"metadata": {"name": subject.namespace, "labels": dict(subject.labels)}}
    for one in spec["variables"]:
        found = _value(one["expression"].text, values)
        if found is not _UNKNOWN:
            variables[one["name"].text] = found
    return values


_UNKNOWN: Final = object()


def _value(expression: str, values: Mapping[str, Any]) -> Any:
    if _FILLED_IN.search(expression):
        return _UNKNOWN
    from ..dialects.cel import BadExpression, Failed, NotJudged, compile_cel  # few repositories have a policy

    try:
        return compile_cel(expression).evaluate(values, _STEPS)
    except (BadExpression, Failed, NotJudged):
        return _UNKNOWN


def _holds(expression: str, values: Mapping[str, Any]) -> bool | None:
    """None where nobody can tell."""
    if _FILLED_IN.search(expression):
        return None
    from ..dialects.cel import BadExpression, NotJudged, Verdict, compile_cel

    try:
        verdict = compile_cel(expression).ask(values, _STEPS).verdict
    except (BadExpression, NotJudged):
        return None
    return {Verdict.YES: True, Verdict.NO: False}.get(verdict)


def _message(validation: Node, values: Mapping[str, Any]) -> str:
    made = _value(validation["messageExpression"].text, values) if validation["messageExpression"].text else None
    said = made if isinstance(made, str) and made else validation["message"].text
    return " ".join(said.split()) or f"failed expression: {' '.join(validation['expression'].text.split())}"


# -- which objects


def _selects(match: Node, subject: Subject, *, asks_for_rules: bool) -> bool:
    resource = subject.resource
    rules = list(match["resourceRules"])
    if (rules or asks_for_rules) and not any(_is_meant(one, resource) for one in rules):
        return False
    if any(_is_meant(one, resource) for one in match["excludeResourceRules"]):
        return False
    labels = {key: value.scalar_text for key, value in resource.labels.items()}
    return _fits(match["objectSelector"], labels) and _fits(match["namespaceSelector"], subject.labels)


def _is_meant(rule: Node, resource: Resource) -> bool:
    def has(field: str, *words: str) -> bool:
        return not {one.text for one in rule[field]}.isdisjoint((*words, _ANY))

    names = {one.text for one in rule["resourceNames"]}
    return (
        has("apiGroups", resource.group)
        and has("apiVersions", resource.version)
        and has("resources", _plural(resource.kind), "*/*")
        and has("operations", "CREATE")
        and (not names or resource.name in names)
    )


def _plural(kind: str) -> str:
    """As all built-in kinds are called, and nearly all others."""
    word = kind.lower()
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return f"{word[:-1]}ies"
    return f"{word}es" if word.endswith(("s", "x", "ch")) else f"{word}s"


def _fits(selector: Node, labels: Mapping[str, str] | None) -> bool:
    wanted = [labelled(key, value.scalar_text) for key, value in selector["matchLabels"].items()]
    for one in selector["matchExpressions"]:
        made = expressed(one["key"].text, one["operator"].text, (value.text for value in one["values"]))
        if made is None:
            return False
        wanted.append(made)
    return not wanted or (labels is not None and all_met(wanted, labels))


def _is_filled_in_later(value: Any) -> bool:
    if isinstance(value, str):
        return is_placeholder(value)
    members = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return any(_is_filled_in_later(member) for member in members)
