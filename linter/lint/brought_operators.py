"""Which Application brings which other one, and whether that comes to an end."""

from __future__ import annotations

from typing import Final

from ..argocd.applications import GROUP, Application
from ..facts.severity import Severity
from ..kubernetes.annotations.hooks import SYNC_OPTIONS
from ..kubernetes.annotations.option_lists import with_option
from ..kubernetes.resource import Resource
from ..repo.model import Repo
from ..yaml.source import Node
from .rule import Cause, Confidence, Finding, Fix, Note

SKIP_DRY_RUN: Final = "SkipDryRunOnMissingResource=true"
OPTIONS: Final = "/spec/syncPolicy/syncOptions"


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
    if first.resource is then.resource or not repo.argocd.overrides_health(GROUP, "Application"):
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


def refused(
    place: Node, resource: Resource, application: Application, provider: Application, note: Note, sure: bool
) -> Finding:
    """A custom resource of an Application whose definition somebody else brings."""
    name, kind = application.name, resource.kind
    gives_up = application.is_automated and not application.retries
    if gives_up:
        after = f"and {name!r} is not synced again before the next commit, since it has no retries"
    else:
        after = "until a retry finds the CRD" if application.is_automated else "until somebody syncs it again"
    return Finding(
        place,
        headline=f"{resource} needs a CRD that comes with {provider}",
        happens=f"On a cluster that does not have the CRD yet the whole sync of {name!r} is refused and nothing of it"
        f" is applied, {after}.",
        do=f"Add {SKIP_DRY_RUN} {skip_dry_run_at(application)}, so that only the {kind} has to wait.",
        fixes=(skip_dry_run(resource, application),),
        related=(note,),
        severity=(Severity.WARNING if gives_up else Severity.ERROR) if sure else Severity.NOTE,
        never_heals=gives_up and sure,
        confidence=Confidence.MEDIUM if sure else Confidence.LOW,
        cause=_cause(application, f"{{count}} objects of {name!r} need CRDs that come with others"),
    )


def deadlock(place: Node, resource: Resource, application: Application, provider: Application, note: Note) -> Finding:
    """A custom resource in an Application that has to be synced before the definition can come."""
    name, other = application.name, provider.name
    return Finding(
        place,
        headline=f"Application {name!r} waits for {other!r}, which comes only after it",
        happens=f"On a cluster without the kind {resource.kind} every sync of {name!r} is refused before anything is"
        f" applied, so {other!r} never comes, and no retry helps.",
        do=f"Move its custom resources into an Application of their own, or add {SKIP_DRY_RUN}"
        f" {skip_dry_run_at(application)}.",
        fixes=(skip_dry_run(resource, application),),
        related=(note,),
        never_heals=True,
        cause=_cause(application, f"{{count}} objects of {name!r} wait for {other!r}, which comes only after it"),
    )


def skip_dry_run(resource: Resource, application: Application | None) -> Fix:
    """One line at the Application where that counts, else at the object."""
    options = application.field(OPTIONS) if application and _counts_at(application) else None
    if options is not None:
        return Fix(f"add {SKIP_DRY_RUN} to the syncOptions", options.append(SKIP_DRY_RUN), safe=False)
    annotation = resource.annotation(SYNC_OPTIONS)
    return Fix(f"add {SKIP_DRY_RUN}", annotation.set(with_option(annotation.text, SKIP_DRY_RUN)), safe=False)


def _counts_at(application: Application) -> bool:
    return not application.resource.versions.lacks("skip-dry-run-of-application")


def skip_dry_run_at(application: Application | None) -> str:
    """The words for where the option belongs."""
    if application is None or not _counts_at(application):
        return "to its annotation argocd.argoproj.io/sync-options"
    return f"to the syncOptions of {application.name!r} (Argo CD 3.1 and later)"


def _cause(application: Application, together: str) -> Cause:
    return Cause(f"Application {application.namespace}/{application.name}", together, application.place(OPTIONS))
