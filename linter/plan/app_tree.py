"""`gitops-lint apps` as a tree and as JSON: every Application, what it syncs where, and why it was not seen."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from ..files.elsewhere import shown
from ..lint.sight import loose_units, seen_of, seen_set, why_not
from ..repo.app import App
from ..repo.model import Repo
from ..repo.ownership import ApplicationSet
from ..report.escape import json_text, terminal, without_masks
from .app_table import Wants, concerns, summary


def as_text(repo: Repo, wants: Wants = lambda path: True) -> str:
    lines = list(_forest(repo, wants))
    sets = [one for one in repo.argocd.sets if one.expansion.unresolved or one.expansion.problems]
    for one in (one for one in sets if wants(one.resource.file.path)):
        lines.append(f"ApplicationSet {one.resource.name}  [{shown(one.resource.file.path)}]")
        lines += [f"  ! {reason}" for reason in dict.fromkeys(_words(one))]
    return "".join(f"{terminal(without_masks(line))}\n" for line in (*lines, "", summary(repo, wants)))


def _words(one: ApplicationSet) -> Iterator[str]:
    yield from (item.reason for item in one.expansion.unresolved)
    yield from (problem.message for problem in one.expansion.problems)


def parents(repo: Repo) -> dict[int, list[App]]:
    """By the id of a child app: the apps that hold its Application, or the set that makes it, as an object."""
    found: dict[int, list[App]] = {}
    for child in repo.applications:
        if child.application:
            holders = repo.apps_with(child.application.resource)
            found[id(child)] = [app for app in holders if app.application and app is not child]
    return found


def _forest(repo: Repo, wants: Wants) -> Iterator[str]:
    above = parents(repo)
    below: dict[int, list[App]] = {}
    wanted = [app for app in repo.applications if concerns(app, wants)]
    for child in wanted:
        for parent in above.get(id(child), ()):
            below.setdefault(id(parent), []).append(child)
    shown: set[int] = set()
    ids = set(map(id, wanted))
    roots = [app for app in wanted if not any(id(parent) in ids for parent in above.get(id(app), ()))]
    for root in roots:
        yield from _branch(root, below, "", shown)
    for app in wanted:  # a circle has no root
        if id(app) not in shown:
            yield from _branch(app, below, "", shown)


def _branch(app: App, below: dict[int, list[App]], indent: str, shown: set[int]) -> Iterator[str]:
    again = id(app) in shown
    shown.add(id(app))
    yield f"{indent}{_title(app)}{'  (shown above)' if again else ''}"
    if again:
        return
    for reason in why_not(app):
        yield f"{indent}  ! {reason}"
    for child in below.get(id(app), ()):
        yield from _branch(child, below, f"{indent}  ", shown)


def _title(app: App) -> str:
    application = app.application
    if application is None:
        return app.name
    paths = " + ".join(one.path or one.source.chart or one.source.repo_url or "?" for one in app.rendered)
    tools = "/".join(dict.fromkeys(one.tool or "?" for one in app.rendered))
    made = f", made by ApplicationSet {application.resource.name}" if application.is_generated else ""
    where = f"{shown(application.resource.file.path)}:{_line(app)}"
    return f"{application.name}  {paths} ({tools}) -> {application.target}, {_policy(app)}  [{where}{made}]"


def _line(app: App) -> int:
    assert app.application
    place = app.application.place("/metadata/name")
    return place.file.position(place.span.start).line


def _policy(app: App) -> str:
    application = app.application
    if application is None or not application.is_automated:
        return f"{len(app.resources)} objects, synced by hand"
    words = [word for word, on in (("prune", application.prunes), ("selfHeal", application.heals)) if on]
    options = [option for option in application.sync_options if "=" in option]
    return f"{len(app.resources)} objects, automated{''.join(f' {word}' for word in (*words, *options))}"


def as_json(repo: Repo, wants: Wants = lambda path: True) -> str:
    above = parents(repo)
    wanted = [app for app in repo.applications if concerns(app, wants)]
    data = {
        "applications": [_data(app, above.get(id(app), [])) for app in wanted],
        "applicationSets": [
            {
                "name": one.resource.name,
                "path": shown(one.resource.file.path),
                "seen": seen_set(one),
                "applications": [made.name for made in one.expansion.applications],
                "unresolved": [item.reason for item in one.expansion.unresolved],
                "problems": [problem.message for problem in one.expansion.problems],
            }
            for one in repo.argocd.sets
            if wants(one.resource.file.path)
        ],
        "units": [{"name": app.name, "objects": len(app.resources)} for app in loose_units(repo)],
    }
    return without_masks(json_text(json.dumps(data, indent=2))) + "\n"


def _data(app: App, above: Sequence[App]) -> dict[str, Any]:
    application = app.application
    assert application
    return {
        "name": application.name,
        "namespace": application.namespace,
        "project": application.project,
        "path": shown(application.resource.file.path),
        "line": _line(app),
        "applicationSet": application.resource.name if application.is_generated else None,
        "parents": [parent.name for parent in above],
        "destination": {
            "server": application.destination.server,
            "name": application.destination.name,
            "namespace": application.destination.namespace,
        },
        "argocdCluster": application.home,
        "seen": seen_of(app),
        "notSeen": list(why_not(app)),
        "automated": application.is_automated,
        "prune": application.prunes,
        "selfHeal": application.heals,
        "syncOptions": list(application.sync_options),
        "sources": [
            {
                "repoURL": one.source.repo_url,
                "path": one.path or one.source.path,
                "chart": one.source.chart,
                "tool": one.tool,
                "objects": len(one.resources),
                "unresolved": list(one.unresolved),
                "failures": [{"path": shown(failure.path), "reason": failure.reason} for failure in one.failures],
            }
            for one in app.rendered
        ],
        "objects": len(app.resources),
    }
