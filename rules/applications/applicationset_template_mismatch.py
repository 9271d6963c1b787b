"""A template of an ApplicationSet is written for the other template language.

An ApplicationSet has two: Go templates with goTemplate: true ({{.path.basename}}), and
a plain replacement of names without it ({{path.basename}}). In the wrong one the
controller does not guess. With goTemplate on, {{path.basename}} is a call of a function
that does not exist: the whole set fails, and nothing of it is created, changed or
deleted any more. With goTemplate off, {{.path.basename}} is no name of a parameter and
stays in the text, braces and all: Applications get names and paths that nobody meant.

Fix: use one language throughout. Where all of a set is written for Go templates, the
fix switches goTemplate on. Where goTemplate is on, the fix writes plain names as Go has
them ({{path}} of a git generator is {{.path.path}}, {{path[0]}} is
{{index .path.segments 0}}). Both are unsafe, because the set starts to make Applications.

See: https://argo-cd.readthedocs.io/en/stable/operator-manual/applicationset/GoTemplate/, applicationset#122

Bad:
    apiVersion: argoproj.io/v1alpha1
    kind: ApplicationSet
    metadata:
      name: shops
    spec:
      generators:
        - list:
            elements:
              - name: cart
      template:
        metadata:
          name: "{{.name}}"  # <- here
        spec:
          project: default
Good:
    apiVersion: argoproj.io/v1alpha1
    kind: ApplicationSet
    metadata:
      name: shops
    spec:
      generators:
        - list:
            elements:
              - name: cart
      template:
        metadata:
          name: "{{.name}}"
        spec:
          project: default
      goTemplate: true
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from ...linter.api import Cause, Finding, Fix, Moment, Node, Repo, Resource, Severity, by_line, regex, rule, sentence

PLAIN_TAG: Final = regex(r"\{\{\s*[\w\[\]/-]+[\w.\[\]/-]*\s*\}\}")
NAME: Final = regex(r"\{\{\s*(?P<first>\w+)(?P<rest>(?:\.\w+)*)(?:\[(?P<index>\d+)\])?\s*\}\}")
LONGEST: Final = 160


@rule("GL610", Severity.ERROR, Moment.SYNC)
def check(repo: Repo) -> Iterator[Finding]:
    fixed: set[int] = set()
    found = ((node, (resource, problem)) for node, resource, problem in repo.argocd.set_problems(("syntax-mismatch",)))
    for place, mismatches in by_line(found):
        resource, problem = mismatches[0]
        is_go = resource["spec"]["goTemplate"].value is True
        what = " ".join(problem.message.split())
        yield Finding(
            place,
            headline=f"{resource} {_fault(is_go)} goTemplate: true",
            happens=_effect(is_go, what[:LONGEST]),
            do="Write {{.name}} for {{name}}." if is_go else "Set goTemplate: true, and write {{.name}} everywhere.",
            fixes=_in_go(place, resource) if is_go else () if id(resource) in fixed else _fixes(resource),
            cause=Cause(f"{resource} in {resource.file.path}", f"{resource} {_fault(is_go)} goTemplate: true"),
        )
        fixed.add(id(resource))


def _fault(is_go: bool) -> str:
    return "has no Go template here, with" if is_go else "uses Go templates without"


def _effect(is_go: bool, what: str) -> str:
    if is_go:
        return f"The set fails, and none of its Applications is touched: {what}."
    return sentence(what.partition(";")[0]) + " The Applications get these braces as they are."


def _fixes(resource: Resource) -> tuple[Fix, ...]:
    texts = (node.text for part in ("template", "templatePatch") for node in resource["spec"][part].walk())
    if any(PLAIN_TAG.search(text) for text in texts):
        return ()
    return (Fix("switch goTemplate on", resource["spec"]["goTemplate"].set(True), safe=False),)


def _in_go(place: Node, resource: Resource) -> tuple[Fix, ...]:
    """Only where all that stands between braces is a plain name."""
    text = place.text
    if not text or len(NAME.findall(text)) != text.count("{{"):
        return ()
    has_paths = any(node.key == "git" for node in resource["spec"]["generators"].walk())
    written = NAME.sub(lambda name: _go_name(name, has_paths), text)
    return (Fix(f"write {written}", place.set(written), safe=False),)


def _go_name(name: re.Match[str], has_paths: bool) -> str:
    """With a git generator path is a map, of which the plain name path is one member."""
    first, rest, index = name["first"], name["rest"], name["index"]
    if first == "path" and has_paths and not rest:
        return f"{{{{index .path.segments {index}}}}}" if index else "{{.path.path}}"
    return f"{{{{index .{first}{rest} {index}}}}}" if index else f"{{{{.{first}{rest}}}}}"
