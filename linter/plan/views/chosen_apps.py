"""Which apps somebody asks about."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...lint.sight import loose_units
from ...repo.app import App
from ...repo.model import Repo


class UnknownApp(Exception):
    """No app has the name."""


def choose(repo: Repo, name: str | None, wants: Callable[[str], bool] = lambda path: True) -> Sequence[App]:
    """By name, all that have it, Applications before folders; without one, all that are judged and have to do with
    the files that were asked for."""
    if name is None:
        judged = {*map(id, repo.applications), *map(id, loose_units(repo))}
        return [app for app in repo.apps if id(app) in judged and _concerns(app, wants)]
    found = [app for app in repo.apps if app.name == name]
    if not found:
        raise UnknownApp(_message(name, [app.name for app in repo.apps]))
    return [app for app in found if app.application is not None] or found


def _concerns(app: App, wants: Callable[[str], bool]) -> bool:
    return wants(app.file.path) or any(wants(resource.file.path) for resource in app.resources)


def _message(name: str, known: Sequence[str]) -> str:
    if not known:
        return f"there is no app {name!r}: nothing that Argo CD could sync was found"
    from difflib import get_close_matches

    close = get_close_matches(name, known, n=1, cutoff=0.5) or [one for one in known if name in one][:1]
    hint = f"did you mean {close[0]!r}?" if close else "`gitops-lint apps` lists them"
    return f"there is no app {name!r}; {hint}"
