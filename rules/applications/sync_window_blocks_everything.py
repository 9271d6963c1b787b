"""Sync windows that leave an Application no time to sync.

An open deny window blocks, whatever else is open; where there are allow windows and
none is open, that blocks, too. Deny windows that cover the week, or every allow window,
leave no minute in which an automated sync may start. Nothing says so but a line in the
status of the Application.

Manual syncs are blocked as well, unless every window that blocks has manualSync: true.
Where all have it, it is a note: somebody may want syncs by hand only. Where some have
it, it is a warning. Windows that cannot be parsed are told by sync-window-invalid. Time
zones are taken into account as far as this machine knows them.

The windows of a project are judged together for each of its Applications in the
repository, and each deny window by itself for those that are not. Five years are looked
at, so that a window for 29 February counts.

Fix: shorten a window, or set manualSync: true to leave a way out. If everything is to
be frozen, say why in an ignore comment.

See: argo-cd#21692, argo-cd#10425, https://argo-cd.readthedocs.io/en/stable/user-guide/sync_windows/

Bad:
    apiVersion: argoproj.io/v1alpha1
    kind: AppProject
    metadata:
      name: shop
    spec:
      syncWindows:
        - kind: deny  # <- here
          schedule: 0 * * * *
          duration: 1h
          applications: ["*"]
Good:
    apiVersion: argoproj.io/v1alpha1
    kind: AppProject
    metadata:
      name: shop
    spec:
      syncWindows:
        - kind: deny
          schedule: 0 8-18 * * *
          duration: 1h
          applications: ["*"]
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ...linter.api import Confidence, Finding, Moment, Node, Note, Repo, Severity, by_line, counted, rule, sentence
from ...linter.argocd.applications import Application
from ...linter.argocd.projects import AppProject
from ...linter.argocd.window_times import ever_allows, is_always_open
from ...linter.argocd.windows import SyncWindow


class ByHand(NamedTuple):
    words: str
    severity: Severity


class Blocked(NamedTuple):
    application: Application | None
    """None for whatever a window that is always open is for."""
    windows: tuple[SyncWindow, ...]


@rule("GL626", Severity.ERROR, Moment.SYNC)
def check(repo: Repo) -> Iterator[Finding]:
    found = (blocked for project in repo.argocd.projects for blocked in _blocked(project, repo))
    for place, together in by_line(found):
        application, windows = together[0]
        by_hand = _by_hand(windows)
        others = {one.application.name for one in together if one.application} - {application and application.name}
        also = f" (as {counted(len(others), 'other')})" if others else ""
        subject = f"{application}{also}" if application else "whatever this window is for"
        yield Finding(
            place,
            headline=_why(windows),
            happens=sentence(f"{subject} is never synced automatically{by_hand.words}"),
            do="Let the window end, or set manualSync: true." if len(windows) == 1 else "Leave time between them.",
            related=tuple(Note(window.node, f"the {window}") for window in windows[1:]),
            severity=by_hand.severity,
            confidence=Confidence.HIGH if len(windows) == 1 else Confidence.MEDIUM,
        )


def _by_hand(windows: Sequence[SyncWindow]) -> ByHand:
    """Which windows block at a time decides, so where only some have manualSync it depends on the time."""
    if all(window.manual_sync for window in windows):
        return ByHand(", only by hand", Severity.NOTE)
    if any(window.manual_sync for window in windows):
        return ByHand(", and by hand only at times", Severity.WARNING)
    return ByHand(", nor by hand", Severity.ERROR)


def _why(windows: Sequence[SyncWindow]) -> str:
    if len(windows) == 1:
        return f"the {windows[0]} leaves no gap"  # one that allows opens at times, or has a problem of its own
    return f"these {len(windows)} windows leave no time between them"


def _blocked(project: AppProject, repo: Repo) -> Iterator[tuple[Node, Blocked]]:
    windows = [window for window in project.sync_windows if not window.problems()]
    always = [window for window in windows if window.kind == "deny" and is_always_open(window)]
    for window in always:
        yield window.node["kind"], Blocked(None, (window,))
    answers: dict[tuple[int, ...], bool] = {}
    for application in repo.argocd.applications_in(project):
        own = project.windows_for(application.name, application.destination, repo.versions.argocd)
        if not own or any(window.problems() or window in always for window in own):
            continue
        key = tuple(map(id, own))  # most Applications of a project have the same windows
        if key not in answers:
            answers[key] = ever_allows(own) is False
        if answers[key]:
            yield own[0].node["kind"], Blocked(application, own)
