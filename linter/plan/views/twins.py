"""Applications of one name: what tells them apart."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

from .plan_views import AppView


def told_apart(apps: Sequence[AppView]) -> dict[str, str]:
    """By id, of those whose name others have, too: in what they differ, else what they read."""
    known = {app.id: app for app in apps}
    named: dict[str, list[AppView]] = defaultdict(list)
    for app in apps:
        named[app.title].append(app)
    facets = (_source, _destination, lambda app: made_by(app, known))
    return {app.id: _words(app, alike, facets) for alike in named.values() if len(alike) > 1 for app in alike}


def made_by(app: AppView, known: Mapping[str, AppView]) -> str:
    """Who creates it, with what that one reads: parents have one name where their children do."""
    makers = [known[id_] for id_, _ in app.parents if id_ in known]
    return f"created by {' and '.join(f'{one.title}, {one.source}' for one in makers)}" if makers else ""


def _words(app: AppView, alike: Sequence[AppView], facets: Sequence[Callable[[AppView], str]]) -> str:
    differing = (tell(app) for tell in facets if len(set(map(tell, alike))) > 1)
    return " ".join(filter(None, differing)) or app.source


def _source(app: AppView) -> str:
    return app.source


def _destination(app: AppView) -> str:
    return f"→ {app.destination}" if app.destination else ""
