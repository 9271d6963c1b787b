"""Applications that manage each other in a circle cannot be created or deleted on their own.

An app of apps that is itself brought by one of its children works as long as
nobody touches it. But no sync can bring the first of them: somebody has to
create it by hand. And where the Applications have the resources finalizer,
deleting any of them deletes what it manages, so the next Application, and so
on round the circle, with everything that they deploy.

An Application that manages itself is a common way to install Argo CD and is
not reported. Only Applications whose sources are in this repository are seen.

Fix: let one Application stand outside: created by hand, or by an Application
that is not among those it manages.

See: https://argo-cd.readthedocs.io/en/stable/operator-manual/cluster-bootstrapping/

Bad:
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: root  # <- here
    spec:
      source:
        repoURL: https://git.example.com/shop.git
        path: .
    ---
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: child
    spec:
      source:
        repoURL: https://git.example.com/shop.git
        path: .
Good:
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: root
    spec:
      source:
        repoURL: https://git.example.com/shop.git
        path: .
"""

from __future__ import annotations

from collections.abc import Iterator

from ...linter.api import App, Confidence, Finding, Moment, Note, Repo, Severity, rule


@rule("GL617", Severity.NOTE, Moment.INSTALL)
def check(repo: Repo) -> Iterator[Finding]:
    reported: set[int] = set()
    for app in repo.applications:
        circle = _circle_from(app, repo)
        if len(circle) > 1 and not reported.intersection(map(id, circle)):
            reported.update(map(id, circle))
            yield _finding(circle)


def _circle_from(start: App, repo: Repo) -> list[App]:
    """The way up through what manages an Application, if it leads back to it; the shortest one."""
    ways = [[start]]
    seen = {id(start)}
    while ways:
        way = ways.pop(0)
        application = way[-1].application
        for above in repo.managers(application.resource) if application else ():
            if above is start and len(way) > 1:
                return way
            if id(above) not in seen:
                seen.add(id(above))
                ways.append([*way, above])
    return []


def _finding(circle: list[App]) -> Finding:
    applications = [app.application for app in circle if app.application]
    names = " -> ".join(str(one.name) for one in reversed(applications))
    cascades = all(one.cascades for one in applications)
    effect = (
        "Deleting any of them deletes them all, with everything that they deploy"
        if cascades
        else "No sync can bring the first of them"
    )
    first, *others = applications
    return Finding(
        first.place("/metadata/name"),
        headline=f"{first} is part of a circle of Applications that manage each other",
        happens=f"{effect}: {names} -> {applications[-1].name}.",
        do="Take one of them out of what another one deploys.",
        related=tuple(Note(one.place("/metadata/name"), f"{one} is part of it") for one in others),
        severity=Severity.WARNING if cascades else None,
        moment=Moment.REMOVAL if cascades else None,
        confidence=Confidence.MEDIUM,
    )
