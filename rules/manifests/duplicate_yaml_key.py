"""A key that a mapping has twice: one of the two is lost without a word.

YAML forbids it, and the tools differ in what they make of it. Argo CD, reading a
folder of plain manifests, takes the last one and drops the other whole: a second
annotations block takes every annotation of the first away, Prune=false included.
Helm does the same with values. Kustomize takes the first in a patch and the last in a
kustomization. In a manifest that it builds it puts metadata.annotations together; every
other key there fails the build, which kustomize-build-fails tells.

Where kind and apiVersion repeat at the top, two objects have become one document: the line
--- between them is missing, or it is indented, and then it is text. The first of them is
lost as a whole, and that is one finding.

It is a warning where something is lost, and a note where both values are the same or
nothing is lost. Looked at are objects, patches, kustomizations, files with the values of
charts, and the values of Helm within an Application. The schemas of large CRDs are left
out: programs write them.

Fix: keep one of the two; mostly the blocks should have been one. Where both have the
same simple value, one of them can go; that fix is safe.

See: argoproj/argo-helm#729, linuxfoundation/lfx-self-serve#1523

Bad:
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: settings
      labels:
        app: shop  # <- here
        tier: web
        app: shop
Good:
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: settings
      labels:
        tier: web
        app: shop
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from ...linter.api import (
    Finding,
    Fix,
    Moment,
    Node,
    Note,
    Patch,
    Repo,
    Resource,
    Severity,
    SourceFile,
    by_line,
    regex,
    rule,
)
from ...linter.argocd.application_spec import application_spec
from ...linter.dialects.spelling import is_placeholder
from ...linter.kubernetes.resource import resources_in
from ...linter.repo.file_roles import FileRoles, Role
from ...linter.yaml.duplicate_keys import may_repeat, repeated_in, repeated_keys

LAST_COUNTS: Final = {
    Role.KUSTOMIZATION: "Kustomize reads only the last one",
    Role.VALUES: "Helm reads only the last one",
    Role.OTHER: "Argo CD reads only the last one",
}
INDENTED_SEPARATOR: Final = regex(r"^[ \t]+---[ \t]*$", re.MULTILINE)


@rule("GL018", Severity.WARNING, Moment.SYNC, literal=True)
def check(repo: Repo) -> Iterator[Finding]:
    roles = FileRoles(repo.files)
    for _, (lost, *_) in by_line((node, node) for node in _one_of_each_object(repeated_keys(repo.files))):
        role = roles.of(lost.file.path)
        is_read = role in (Role.KUSTOMIZATION, Role.VALUES) or resources_in(lost.document.root)
        if is_read and role is not Role.DATA and not _fails_the_build(lost, role):
            yield _run_together(lost, role) if _is_lost_object(lost) else _finding(lost, role)
    printed = {id(one.node.document): one.node.document for one in repo.resources if one.built and not one.kustomized}
    for _, (lost, *_) in by_line((node, node) for document in printed.values() for node in repeated_in(document)):
        yield _finding(lost, Role.OTHER)
    for resource in repo.resources:
        if resource.kind == "ApplicationSet":
            yield from _in_values(resource)


def _one_of_each_object(repeated: Iterable[Node]) -> Iterator[Node]:
    """The kind stands for an object that is lost with all its keys."""
    return (node for node in repeated if node.key == "kind" or not _is_lost_object(node))


def _is_lost_object(lost: Node) -> bool:
    """Part of one, at its top."""
    if lost.parent is None or lost.parent.parent is not None:
        return False
    return {"apiVersion", "kind"} <= {node.key for node in lost.parent.duplicates}


def _run_together(kind: Node, role: Role) -> Finding:
    other = _other(kind)
    between = INDENTED_SEPARATOR.search(kind.file.text, kind.span.end, other.span.start)
    line = kind.file.position(between.end()).line if between else 0
    why = f"the --- in line {line} is indented and separates nothing" if line else "no line --- is between them"
    effect = "Kustomize reads only this one" if role is Role.NAMED else f"{LAST_COUNTS[role]}, and this one is lost"
    both = f"this {kind.scalar_text} and the {other.scalar_text} in line {_line(other)}"
    return Finding(
        kind,
        headline=f"{both} are one document",
        happens=f"{why[0].upper()}{why[1:]}. {effect}.",
        do="Put a line --- between them.",
        related=(Note(other, "the other object"),),
    )


def _finding(lost: Node, role: Role) -> Finding:
    other = _other(lost)
    severity, effect = _effect(lost, other, role)
    return Finding(
        lost,
        headline=_twice(lost, other),
        happens=f"{effect[0].upper()}{effect[1:]}.",
        do="Keep one of them.",
        fixes=_fixes(lost, other),
        related=(Note(other, f"{lost.key!r} again"),),
        severity=severity,
    )


def _twice(lost: Node, other: Node) -> str:
    if lost.document.is_built and _line(other) == _line(lost):  # in a chart that this one depends on
        return f"what is rendered from here has {lost.key!r} twice"
    return f"{lost.key!r} is here twice, again in line {_line(other)}"


def _other(lost: Node) -> Node:
    return lost.parent[lost.key] if lost.parent else lost


def _fails_the_build(lost: Node, role: Role) -> bool:
    return role is Role.KUSTOMIZED and not lost.pointer.startswith("/metadata/annotations")


def _effect(lost: Node, other: Node, role: Role) -> tuple[Severity, str]:
    if role is Role.KUSTOMIZED:
        return Severity.NOTE, "Kustomize puts annotations together, anything else that reads the file does not"
    if lost.value == other.value:
        return Severity.NOTE, "both have the same value, so nothing is lost here; Kustomize would refuse to build it"
    if role is Role.NAMED:
        return Severity.WARNING, "in a patch Kustomize reads only this one, and what comes later is lost"
    return Severity.WARNING, f"{LAST_COUNTS[role]}, and what is here is lost"


def _fixes(lost: Node, other: Node) -> tuple[Fix, ...]:
    if other.is_mapping or other.is_sequence or lost.value != other.value:
        return ()
    # A patch knows a key only once: it takes all of them away and puts one back.
    back = {"op": "add", "path": other.pointer, "value": other.value}
    patch = other.remove()
    return (Fix("keep one of them", Patch(patch.document, (*patch.operations, back)), safe=True),)


def _in_values(app: Resource) -> Iterator[Finding]:
    """Of sets; in an Application helm-inline-values-invalid tells it, which knows the line."""
    spec = application_spec(app)
    if spec is None:
        return
    for source in (spec["source"], *spec["sources"]):
        values = source["helm"]["values"]
        text = values.text
        if text and may_repeat(text) and not is_placeholder(text):
            lost = [node for node in repeated_keys([SourceFile("", text)]) if node.value != _other(node).value]
            if lost:
                named = ", ".join(dict.fromkeys(repr(node.key) for node in lost))
                yield Finding(
                    values,
                    headline=f"the values of {app} have {named} twice",
                    happens=f"{LAST_COUNTS[Role.VALUES]}, and what the first one says is lost.",
                    do="Keep one of them.",
                    severity=Severity.WARNING,
                )


def _line(node: Node) -> int:
    return node.file.position(node.span.start).line
