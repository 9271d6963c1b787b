"""Which Application brings which other one, and whether that comes to an end."""

from __future__ import annotations

from ..argocd.applications import GROUP, Application
from ..repo.model import Repo
from ..yaml.source import Node
from .rule import Cause, Finding, Fix, Note


def comes_first(repo: Repo, first: Application, then: Application) -> bool:
    """Whether one parent brings both, in waves, and waits for the health of Applications."""
    return _in_waves(repo, first, then)


def waits_for_itself(repo: Repo, refused: Application, provider: Application) -> bool:
    """Whether an Application that is refused until another has come keeps that one from coming.

    It does where the other comes by no way but through it; and where a parent that waits for its health brings the
    other only after that.
    """
    return _only_through(repo, provider, refused, frozenset()) or _in_waves(repo, refused, provider)


def _in_waves(repo: Repo, first: Application, then: Application) -> bool:
    if first.resource is then.resource or not repo.overrides_health(GROUP, "Application"):
        return False
    for parent in repo.managers(first.resource):
        before, after = parent.plan.slot(first.resource), parent.plan.slot(then.resource)
        if before is not None and after is not None and before < after:
            return True
    return False


def _only_through(repo: Repo, application: Application, gate: Application, seen: frozenset[int]) -> bool:
    above = [app.application for app in repo.managers(application.resource) if app.application]
    if not above or id(application) in seen:
        return False
    seen |= {id(application)}
    return all(one is gate or _only_through(repo, one, gate, seen) for one in above)


def deadlock(place: Node, kind: str, refused: Application, provider: Application, fix: Fix, note: Note) -> Finding:
    """A custom resource in an Application that has to be synced before the definition can come."""
    name, other = refused.name, provider.name
    return Finding(
        place,
        headline=f"Application {name!r} waits for {other!r}, which comes only after it",
        happens=f"On a cluster without the kind {kind} every sync of {name!r} is refused before anything is applied, so"
        f" {other!r} never comes, and no retry helps.",
        do=f"Move its custom resources into an Application of their own, or add {fix.title.removeprefix('add ')} to"
        f" the syncOptions of {name!r} (Argo CD 3.1 and later).",
        fixes=(fix,),
        related=(note,),
        never_heals=True,
        cause=Cause(
            f"Application {refused.namespace}/{name}",
            f"{{count}} objects of {name!r} wait for {other!r}, which comes only after it",
            refused.place("/spec/syncPolicy/syncOptions"),
        ),
    )
