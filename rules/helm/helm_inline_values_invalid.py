"""The values in an Application are no YAML mapping, so its manifests cannot be generated.

Argo CD writes helm.values into a file and hands it to Helm. If that text does not
parse (a tab, an indent that is off, a bracket that is not closed), or is a list or a
text instead of a mapping, Helm stops: the Application shows a ComparisonError
("failed to parse …") and nothing of it is synced. The Application itself is accepted,
since to the API server the values are a text like any other.

A key that is written twice in one mapping is a warning: Helm takes the last one, the
other does nothing, and nothing says so.

Texts with placeholders that another tool fills in are left alone, and so is a text
beside a valuesObject, which Argo CD does not read (helm-values-shadowed tells that).
ApplicationSets are judged by the Applications that they make.

Fix: correct the text, or write the values as valuesObject, where any editor checks
them.

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
          values: |
            image:
              tag: "1.4"
             pullPolicy: Always  # <- here
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
          values: |
            image:
              tag: "1.4"
              pullPolicy: Always
      destination:
        server: https://kubernetes.default.svc
        namespace: shop
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from ...linter.api import Finding, Moment, Node, Place, Repo, Severity, counted, regex, rule
from ...linter.argocd.applications import Application, Source
from ...linter.repo.sources.given_values import Given, InlineValues

_FILLED_IN: Final = regex(r"\{\{|\{%|<%|<[A-Za-z_][\w-]*>")


class Fault(NamedTuple):
    at: Place
    application: Application
    what: str
    """The fault, to stand before the Application."""
    happens: str
    do: str
    severity: Severity


@rule("GL732", Severity.ERROR, Moment.SYNC)
def check(repo: Repo) -> Iterator[Finding]:
    lines: dict[tuple[str, int], list[Fault]] = {}
    for app in repo.applications:
        application = app.certain_application
        if application is not None:
            for source in application.sources:
                for fault in _faults(application, source):
                    line = fault.at.file.position(fault.at.span.start).line
                    lines.setdefault((fault.at.file.path, line), []).append(fault)
    for together in lines.values():
        first = max(together, key=lambda fault: fault.severity)
        others = len({fault.application.name for fault in together}) - 1
        also = f" So it is with {counted(others, 'more Application')}." if others else ""
        yield Finding(
            first.at,
            headline=f"{first.what} of {first.application}",
            happens=f"{first.happens}{also}",
            do=first.do,
            severity=first.severity,
        )


def _faults(application: Application, source: Source) -> Iterator[Fault]:
    found = Given(application, source).inline()
    if found is None:
        return
    if found.problem:
        text = source.tool("helm").get("values")
        if not (isinstance(text, str) and _FILLED_IN.search(text)):
            happens = f"Argo CD cannot generate the manifests and syncs nothing: {found.problem}."
            at, do = found.problem_at or found.at, "Write values that are a YAML mapping."
            yield Fault(at, application, "nobody can read the values", happens, do, Severity.ERROR)
        return
    for key in _repeated(found):
        what, happens = (
            f"{str(key.key)!r} is written twice in the values",
            "Helm takes the last; this one does nothing.",
        )
        yield Fault(key, application, what, happens, "Keep one of them.", Severity.WARNING)


def _repeated(found: InlineValues) -> Iterator[Node]:
    if found.at.is_mapping:
        return  # a valuesObject is a part of the file, and told by the rule for these
    for root in found.roots:
        for mapping in root.walk():
            yield from mapping.duplicates
