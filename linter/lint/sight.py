"""How much of what Argo CD syncs was seen: which Applications whole, and why others not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from ..argocd.this_repo import Belief
from ..dialects.spelling import is_placeholder
from ..files.elsewhere import BRINGS_IT, LACKING, shown
from ..kustomize.inflation import WITHOUT_HELM
from ..repo.app import App
from ..repo.model import Repo
from ..repo.ownership import ApplicationSet
from ..repo.sources.application_sources import SAYS_IT, Rendered
from ..repo.sources.kustomize_builds import NotAnalysed

WHOLE: Final = "whole"
PARTLY: Final = "partly"
NOT: Final = "not"
EXPANDED: Final = "expanded"
_NO_SOURCE: Final = "an Application has no source"
_FAILS: Final = "Argo CD cannot generate the manifests: `gitops-lint check` says why"
_CANNOT: Final = "Argo CD cannot generate all manifests of an Application"
ONCE: Final = "once"


class Sight(NamedTuple):
    applications: int = 0
    seen_whole: int = 0
    """Applications of which every object is known."""
    to_fetch: int = 0
    """Applications of which `gitops-lint fetch` would bring more."""
    to_render: int = 0
    """Applications that only want for a Helm to be found."""
    sets: int = 0
    sets_expanded: int = 0
    sets_open: int = 0
    """Of which only some is known, for example not the clusters: seen once, with blanks."""
    loose_units: int = 0
    """Kustomizations, charts and folders that no known Application syncs."""
    unseen: tuple[NotAnalysed, ...] = ()
    """Sources of Applications, and sets, that were not looked into."""


def look(repo: Repo) -> Sight:
    unseen = dict.fromkeys(item for app in repo.applications for item in _unseen(app))
    unseen |= dict.fromkeys(
        NotAnalysed(one.resource.file.path, f"{_how_far(one)}: {why.reason}", one.resource.name)
        for one in repo.argocd.sets
        for why in one.expansion.unresolved
    )
    return Sight(
        applications=len(repo.applications),
        seen_whole=sum(1 for app in repo.applications if app.is_complete),
        to_fetch=sum(1 for app in repo.applications if _needs_fetch(app)),
        to_render=sum(1 for app in repo.applications if _needs_helm(app)),
        sets=len(repo.argocd.sets),
        sets_expanded=sum(1 for one in repo.argocd.sets if seen_set(one) == EXPANDED),
        sets_open=sum(1 for one in repo.argocd.sets if seen_set(one) == ONCE),
        loose_units=len(loose_units(repo)),
        unseen=tuple(unseen),
    )


def loose_units(repo: Repo) -> list[App]:
    """Kustomizations, charts and folders that no known Application syncs, and that are judged all the same."""
    return [app for app in repo.apps if app.application is None and _is_read(repo, app)]


def _is_read(repo: Repo, app: App) -> bool:
    """By the files as they are named: asking Helm for the line of each object would render every chart again."""
    return any(one.file.path not in repo.reach.unread for one in app.resources)


def set_in_short(one: ApplicationSet) -> tuple[str, ...]:
    """Why a set was not expanded; empty if it was."""
    if seen_set(one) == EXPANDED:
        return ()
    reasons = dict.fromkeys(f"{_how_far(one)}: {why.reason}" for why in one.expansion.unresolved)
    return tuple(reasons) or (f"{_how_far(one)}: it fails, and `gitops-lint check` says why",)


def _how_far(one: ApplicationSet) -> str:
    return f"an ApplicationSet is {'seen once, with blanks' if seen_set(one) == ONCE else 'not expanded'}"


def seen_set(one: ApplicationSet) -> str:
    if one.expansion.is_open:
        return ONCE
    return NOT if one.expansion.unresolved or one.expansion.fails else EXPANDED


def seen_of(app: App) -> str:
    if app.is_complete:
        return WHOLE
    return PARTLY if app.resources else NOT


def why_not(app: App) -> tuple[str, ...]:
    """Why an Application was not seen whole, in words: the one answer of `apps` and `check`; empty if it was."""
    if app.is_complete:
        return ()
    found = dict.fromkeys(words for one in app.rendered for words in one.unresolved)
    found |= dict.fromkeys(
        f"{shown(failure.path)}: {failure.reason}" for one in app.rendered for failure in one.failures
    )
    return tuple(found) or ("it has no source",)


def why_in_short(app: App) -> tuple[str, ...]:
    """The same, in the same words for all that have the same reason."""
    if app.is_complete:
        return ()
    found = dict.fromkeys(reason for one in app.rendered for reason in _reasons(app, one))
    if any(one.failures for one in app.rendered):
        found[_FAILS] = None
    return tuple(found) or (_NO_SOURCE,)


def _reasons(app: App, one: Rendered) -> Iterator[str]:
    built = _told_by_its_build(one)
    return (built.get(words) or _reason(app, one, words) for words in one.unresolved)


def _needs_fetch(app: App) -> bool:
    return any(BRINGS_IT in words for one in app.rendered for words in one.unresolved)


def _needs_helm(app: App) -> bool:
    missing = [words for one in app.rendered for words in one.unresolved]
    return any(WITHOUT_HELM in words for words in missing) and not _needs_fetch(app)


def _unseen(app: App) -> Iterator[NotAnalysed]:
    """What fails in Argo CD, too, has a finding of its own, which may be ignored: that little was seen stays true."""
    application = app.application
    if application is None:
        return
    path = application.resource.file.path
    if not app.rendered:
        yield NotAnalysed(path, _NO_SOURCE, application.name)
    for one in app.rendered:
        told = _told_by_its_build(one)
        for words in one.unresolved:
            if words not in told:
                yield NotAnalysed(path, _reason(app, one, words), f"{application.name}: {words}")
        for failure in one.failures:
            yield NotAnalysed(path, _CANNOT, f"{application.name}: {shown(failure.path)}: {failure.reason}")


def _told_by_its_build(one: Rendered) -> dict[str, str]:
    """What is missing in a build is told once, where it is missing, however many Applications use it.

    By all of its words its reason alone.
    """
    build = one.build or one.chart
    return {item.words: item.reason for item in build.not_analysed} if build is not None else {}


def _reason(app: App, one: Rendered, words: str) -> str:
    """The same words for the same reason."""
    source = one.source
    if app.application is not None and app.application.resource.patched:
        return words
    if one.build is not None or one.chart is not None:
        return "not all values of an Application are known"
    if is_placeholder(source.path) or is_placeholder(source.repo_url):
        return "the source of an Application is a placeholder"
    if source.chart:
        return _elsewhere("an Application takes its chart from elsewhere", words)
    if one.tool == "plugin":
        reason = "a config management plugin makes the manifests of an Application"
        return f"{reason}: {SAYS_IT}" if SAYS_IT in words else reason
    if one.tool == "directory" and one.path:
        return words.partition(":")[0]  # Jsonnet
    if one.missing:
        return "the path of an Application is not in the repository"
    if one.belief is Belief.NO and source.repo_url:
        return _elsewhere("an Application takes its manifests from another repository", words)
    return words


def _elsewhere(reason: str, words: str) -> str:
    if LACKING in words:
        return f"{reason} ({LACKING}): {BRINGS_IT}"
    return f"{reason}: {BRINGS_IT}" if BRINGS_IT in words else reason
