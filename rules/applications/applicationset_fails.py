"""An ApplicationSet fails, so none of its Applications is created, changed or deleted.

When a generator or a template gives an error, the controller stops for the whole set:
it shows the condition ErrorOccurred and leaves all Applications as they are. What is
added to git later does not arrive either, until the error is gone. Causes that the
files show: a git generator without directories or files, a matrix of other than two
generators, a merge without keys, values that are no text in a list without
goTemplate, a file of parameters that does not parse, a template that cannot be
evaluated, a template option that Go does not know, a templatePatch that does not make
an Application. A git generator without revision or repoURL does not get that far: the CRD wants
both, and the API server refuses the set.

Generators that need a cluster or another repository are not evaluated; the rest of
the set is.

Fix: correct the place that is named. For a number or a boolean that has to be a text a
fix is offered; it is unsafe, because the set starts to work.

See: argo-cd#13731, https://argo-cd.readthedocs.io/en/stable/operator-manual/applicationset/

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
                replicas: 3  # <- here
      template:
        metadata:
          name: "{{name}}"
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
                replicas: "3"
      template:
        metadata:
          name: "{{name}}"
        spec:
          project: default
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ...linter.api import Finding, Fix, Moment, Node, Repo, Severity, by_line, rule

KINDS: Final = ("generator-error", "template-error", "unknown-option", "patch-error")
LONGEST: Final = 200


@rule("GL611", Severity.ERROR, Moment.SYNC)
def check(repo: Repo) -> Iterator[Finding]:
    yield from _refused(repo)
    found = ((node, (resource, problem)) for node, resource, problem in repo.argocd.set_problems(KINDS))
    for place, failures in by_line(found):
        resource, problem = failures[0]
        what = " ".join(problem.message.split())
        yield Finding(
            place,
            headline=f"{resource} fails, so none of its Applications is made, changed or deleted",
            happens=f"Argo CD shows an error: {what[:LONGEST]}.",
            do="Correct what the error names.",
            fixes=_fixes(place, problem.kind.value),
        )


def _refused(repo: Repo) -> Iterator[Finding]:
    """What the schema of the CRD wants of a git generator, itself an item or below one that combines; not deeper."""
    for resource in (one.resource for one in repo.argocd.sets):
        if resource.patched or resource.unrendered:
            continue
        for node in resource["spec"]["generators"].walk():
            if node.key == "git" and node.is_mapping and node.pointer.count("/generators/") <= 2:
                missing = [name for name in ("repoURL", "revision") if node[name].absent]
                if missing:
                    yield Finding(
                        node,
                        headline=f"{resource} has a git generator without {' and '.join(missing)}",
                        happens="The API server refuses the set: it is not created, or stays as it was.",
                        do="Write revision: HEAD to follow the main line." if missing == ["revision"] else "Write it.",
                        fixes=(Fix("follow the main line", node["revision"].set("HEAD")),)
                        if missing == ["revision"]
                        else (),
                    )


def _fixes(place: Node, kind: str) -> tuple[Fix, ...]:
    """Numbers and booleans in a list are refused without goTemplate; as texts they are what was meant."""
    if kind != "generator-error" or not place.scalar_text or place.text:
        return ()
    return (Fix("make it a text", place.set(place.scalar_text), safe=False),)
