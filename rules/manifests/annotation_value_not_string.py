"""An annotation or label that is not a string fails the sync, often of the whole Application.

Values of annotations, labels and label selectors are strings. YAML makes
numbers and booleans of what is written without quotes: sync-wave: 5, on, yes,
1e3, 0644, and nothing at all of an empty value.

In metadata.annotations this stops Argo CD before it starts: it cannot add its
tracking annotation (the default since 3.0), reports a ComparisonError, and
nothing of the Application is synced. With label tracking (the default before
3.0) the same holds for metadata.labels; until then Argo CD drops every
annotation of the object, wave and hook included. Everywhere else (CRDs, which
are not tracked, labels, pod templates, selectors, nodeSelector,
managedNamespaceMetadata) the API server refuses the object. A label without a
value counts as no label and is a note.

Kustomize puts quotes around the annotations of every object that it builds
(not around labels, nor in pod templates), so there they are silent; only a
mapping or a list is a warning, for it becomes an empty string.

Fix: put quotes around the value. The fix is safe: it keeps what is written,
and the object cannot be applied as it is. An empty value is made an empty
string, which is unsafe, since something may be missing there.

See: kubernetes-sigs/external-dns#2521, argoproj/argo-helm#532, argoproj/argo-helm#1379

Bad:
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: settings
      annotations:
        argocd.argoproj.io/sync-wave: 5  # <- here
        example.com/enabled: yes  # <- here
Good:
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: settings
      annotations:
        argocd.argoproj.io/sync-wave: "5"
        example.com/enabled: "yes"
"""

from collections.abc import Iterator
from functools import cache, reduce
from itertools import groupby
from typing import Final, NamedTuple

from ...linter.api import Finding, Fix, Moment, Node, Patch, Resource, Severity, rule, table
from ...linter.yaml.quoting import not_texts, quoted, type_words

REFUSED: Final = "the API server refuses the object"
WHOLE_APPLICATION: Final = "Argo CD cannot generate the manifests of the whole Application"


class Fault(NamedTuple):
    value: Node
    type: str
    effect: str
    severity: Severity = Severity.ERROR


@rule("GL801", Severity.ERROR, Moment.SYNC, literal=True)
def check(resource: Resource) -> Iterator[Finding]:
    faults = list({id(fault.value.raw): fault for fault in _faults(resource)}.values())  # an anchor counts once
    for _, on_one_line in groupby(faults, key=lambda fault: fault.value.file.position(fault.value.span.start).line):
        yield _finding(list(on_one_line), resource)


def _faults(resource: Resource) -> Iterator[Fault]:
    if resource.kustomized:
        for _, value in resource.annotations.items():
            written = value if value.text else value.origin  # looked up only for the few that came out empty
            if written.is_mapping or written.is_sequence:
                yield Fault(written, type_words(written), "Kustomize makes it an empty string", Severity.WARNING)
    else:
        for value in not_texts(resource.annotations):
            yield Fault(value, type_words(value), _effect_of_annotation(resource))
    for value in not_texts(resource.labels):
        if type_words(value):
            yield Fault(value, type_words(value), _effect_of_label(resource))
        elif not resource.is_crd:
            yield _empty_label(value, resource)
    for path in _other_maps().get(resource.group_kind, ()):
        for value in not_texts(resource.node.at(*path)):
            if type_words(value):  # the API server reads an empty value as an empty string
                yield Fault(value, type_words(value), REFUSED)


@cache
def _other_maps() -> dict[str, list[list[str]]]:
    kinds = table("string-maps.json")["kinds"]
    return {kind: [path.split(".") for path in paths] for kind, paths in kinds.items()}


def _effect_of_annotation(resource: Resource) -> str:
    if resource.is_crd:
        return REFUSED
    if resource.versions.lacks("annotation-tracking"):
        return "Argo CD loses every annotation of the object and the API server refuses it"
    return f"{WHOLE_APPLICATION} (with annotation tracking, the default since 3.0)"


def _effect_of_label(resource: Resource) -> str:
    if resource.versions.lacks("annotation-tracking") and not resource.is_crd:
        return f"{WHOLE_APPLICATION} (with label tracking, the default before 3.0)"
    return REFUSED


def _empty_label(value: Node, resource: Resource) -> Fault:
    if resource.versions.lacks("annotation-tracking"):
        return Fault(value, "", _effect_of_label(resource))
    return Fault(value, "", "it is left out, and with label tracking it fails the whole Application", Severity.NOTE)


def _finding(faults: list[Fault], resource: Resource) -> Finding:
    named = " and ".join(f"{fault.value.key!r} of {resource} {_fault(fault)}" for fault in faults)
    severity = max(fault.severity for fault in faults)
    effect = next(fault.effect for fault in faults if fault.severity is severity)
    return Finding(
        faults[0].value,
        headline=named,
        happens=f"{effect[0].upper()}{effect[1:]}.",
        do="Put it in quotes."
        if any(fault.type for fault in faults)
        else "Give it a value, or quotes with nothing in them.",
        fixes=_fixes(faults),
        severity=severity,
    )


def _fault(fault: Fault) -> str:
    return f"is {fault.type}, not a string" if fault.type else "has no value"


def _fixes(faults: list[Fault]) -> tuple[Fix, ...]:
    patches = [patch for fault in faults if (patch := quoted(fault.value)) is not None]
    if len(patches) < len(faults):
        return ()  # a mapping or a list has no quotes to put it in
    return (Fix("put it in quotes", reduce(Patch.also, patches), safe=all(fault.type for fault in faults)),)
