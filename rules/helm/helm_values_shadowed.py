"""A value in an Application does nothing, because another one in the same Application goes before it.

Where an Application has both helm.values and helm.valuesObject, Argo CD takes
valuesObject and does not read values at all: nothing is merged. And helm.parameters
go before all values, be they in files or in the Application; what the values of the
same Application say of that key is then without effect. Both happen when somebody
adds a value in one place and does not see the other, and the change does nothing.

A parameter that says the same as the value is left alone, and so is one that
overrides a file: that is what parameters are for. Placeholders are left alone.

Fix: keep the value in one place.

See: https://argo-cd.readthedocs.io/en/stable/user-guide/helm/

Bad:
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
    spec:
      source:
        repoURL: https://charts.example.com
        chart: shop
        targetRevision: 1.4.2
        helm:
          valuesObject:
            replicas: 2
          values: |  # <- here
            image:
              tag: "1.4"
      destination:
        server: https://kubernetes.default.svc
        namespace: shop
Good:
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
    spec:
      source:
        repoURL: https://charts.example.com
        chart: shop
        targetRevision: 1.4.2
        helm:
          valuesObject:
            replicas: 2
            image:
              tag: "1.4"
      destination:
        server: https://kubernetes.default.svc
        namespace: shop
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ...linter.api import Finding, Moment, Node, Note, Repo, Severity, by_line, counted, rule
from ...linter.argocd.applications import Application, Source
from ...linter.dialects.spelling import is_placeholder
from ...linter.helm.merged_values import Leaf, TooLarge, Tree, find, overlay
from ...linter.repo.sources.given_values import Given


class Fault(NamedTuple):
    application: Application
    what: str
    """The fault, to stand after the Application."""
    happens: str
    do: str
    other: Note


@rule("GL733", Severity.WARNING, Moment.SYNC)
def check(repo: Repo) -> Iterator[Finding]:
    for place, faults in by_line(_found(repo)):
        first = faults[0]
        others = len({fault.application.name for fault in faults}) - 1
        also = f" So it is with {counted(others, 'more Application')}." if others else ""
        yield Finding(
            place,
            headline=f"{first.application} {first.what}",
            happens=f"{first.happens}{also}",
            do=first.do,
            related=(first.other,),
        )


def _found(repo: Repo) -> Iterator[tuple[Node, Fault]]:
    for app in repo.applications:
        application = app.certain_application
        if application is not None:
            for source in application.sources:
                yield from _unread_values(application, source)
                yield from _overridden(application, source)


def _unread_values(application: Application, source: Source) -> Iterator[tuple[Node, Fault]]:
    helm = source.tool("helm")
    text, given = helm.get("values"), helm.get("valuesObject")
    if isinstance(text, str) and text.strip() and isinstance(given, Mapping) and given:
        used = application.place(f"{source.pointer}/helm/valuesObject")
        what, happens = (
            "has both values and valuesObject",
            "Argo CD takes valuesObject and does not read values at all.",
        )
        place, do = application.place(f"{source.pointer}/helm/values"), "Move into valuesObject what is to count."
        yield place, Fault(application, what, happens, do, Note(used, "what counts"))


def _overridden(application: Application, source: Source) -> Iterator[tuple[Node, Fault]]:
    given = Given(application, source)
    inline = given.inline()
    if inline is None or not inline.roots or not source.tool("helm").get("parameters"):
        return
    tree: Tree = {}
    try:
        for root in inline.roots:
            overlay(tree, root, keeps_null=True)
    except TooLarge:
        return
    for parameter in given.parameters():
        found = find(tree, parameter.steps) if parameter.steps and not is_placeholder(parameter.name) else None
        if isinstance(found, Leaf) and str(found.value) != str(parameter.value):
            what = f"sets {parameter.name!r} in its values and as a parameter"
            happens, do = "The parameter counts, and what the values say of it does nothing.", "Keep one of them."
            yield found.at, Fault(application, what, happens, do, Note(parameter.at, "the parameter"))
