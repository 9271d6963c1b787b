"""The path of an Application does not exist in the repository, so nothing of it can be synced.

Argo CD joins the path to the root of the repository. If no folder is there, if
it is a file, if the path begins with a slash or leads out of the repository,
manifests cannot be generated: the Application shows a ComparisonError ("app
path does not exist", "app path is absolute") with status Unknown, and is not
synced until the path is right. It happens when a folder is moved or renamed
and the Application is forgotten, or the other way round.

A missing folder is reported only for a source that surely means this
repository: its URL is a git remote or stands in repo-urls of the config, or it
is the only one in use and other paths of it are found here. For a path on
another branch than the main line it is a note; tags, commits and ranges of
versions are left alone, since they are not what is checked out. Where Applications
bring others, one that nothing brings is a warning, and a folder of such ones that
mostly lead nowhere is an archive, which is not judged. Below a folder that is empty
here, and may be a submodule, it is a note. Folders that
git ignores or the config excludes are not seen.

Fix: correct the path, or bring the folder back. For a leading slash a fix is
offered; it is unsafe, because the Application starts to sync.

See: argo-cd#2133, argo-cd#304, https://argo-cd.readthedocs.io/en/stable/user-guide/directory/

Bad:
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
    spec:
      source:
        repoURL: https://git.example.com/shop.git
        path: /deploy/prod  # <- here
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
        repoURL: https://git.example.com/shop.git
        path: deploy/prod
      destination:
        server: https://kubernetes.default.svc
        namespace: shop
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ...linter.api import Confidence, Finding, Fix, Moment, Node, Repo, Severity, by_line, listed, rule
from ...linter.argocd.applications import Application
from ...linter.dialects.spelling import is_placeholder
from ...linter.dialects.target_revision import follows_main_line


class Fault(NamedTuple):
    application: Application
    path: str
    what: str
    """To stand after the path."""
    do: str
    unless: str = ""
    confidence: Confidence = Confidence.HIGH
    severity: Severity = Severity.ERROR


@rule("GL701", Severity.ERROR, Moment.SYNC)
def check(repo: Repo) -> Iterator[Finding]:
    for place, faults in by_line(_faults(repo)):
        worst = max(fault.severity for fault in faults)
        first, *others = faults
        also = listed(f"{fault.path!r} of {fault.application.name!r}" for fault in others)
        yield Finding(
            place,
            headline=f"the path {first.path!r} of {first.application} {first.what}",
            happens=f"Argo CD cannot generate its manifests and syncs nothing{first.unless}."
            + (f" So it is with {also}." if also else ""),
            do=first.do,
            fixes=_fixes(place),
            severity=worst,
            confidence=first.confidence,
        )


def _fixes(place: Node) -> tuple[Fix, ...]:
    if not place.text.startswith("/"):
        return ()
    return (Fix("leave the slash out", place.set(place.text.lstrip("/") or "."), safe=False),)


def _faults(repo: Repo) -> Iterator[tuple[Node, Fault]]:
    files = {file.path for file in repo.files}
    for app in repo.applications:
        application = app.certain_application
        for one in app.rendered if application is not None else ():
            assert application is not None
            source = one.source
            place = application.place(f"{source.pointer}/path")
            if source.chart or is_placeholder(source.path):
                continue
            if source.path.startswith("/"):
                yield (
                    place,
                    Fault(
                        application,
                        source.path,
                        "begins with a slash",
                        "Write it from the root of the repository, without it.",
                    ),
                )
            elif source.path == ".." or source.path.startswith("../"):
                yield (
                    place,
                    Fault(
                        application, source.path, "leads out of the repository", "Write a path within the repository."
                    ),
                )
            elif one.missing and repo.paths.is_here(source.repo_url):
                follows = follows_main_line(source.target_revision)
                if follows is not False:
                    place = application.place_of_value(f"{source.pointer}/path", source.path)
                    yield place, _missing(repo, files, application, one.path, source.target_revision, bool(follows))


def _missing(
    repo: Repo, files: set[str], application: Application, path: str, revision: str, on_main_line: bool
) -> Fault:
    close = _nearest(path, repo)
    if path in files:
        what, do = "is a file", "Name the folder; directory.include picks the file."
    else:
        what = "is not in this repository"
        do = f"Write {close!r}, if that is meant." if close else "Correct the path, or bring the folder back."
    if repo.paths.may_be_in_submodule(path):  # Argo CD checks submodules out
        unless = ", unless a submodule that is not checked out here brings it"
        return Fault(application, path, what, do, unless, Confidence.LOW, Severity.NOTE)
    if on_main_line and application.is_open:  # no cluster may fit its set
        return Fault(application, path, what, do, "", Confidence.MEDIUM, Severity.WARNING)
    if repo.is_left_behind(application.resource):  # nothing brings it, and it could not be synced: it is over
        return Fault(application, path, what, do, confidence=Confidence.LOW, severity=Severity.NOTE)
    if application.resource.tentative:  # whether it reads this repository, a value says
        return Fault(application, path, what, do, confidence=Confidence.LOW, severity=Severity.NOTE)
    if on_main_line:
        return Fault(application, path, what, do)
    unless = f", unless the branch {revision!r} has it"
    return Fault(application, path, what, do, unless, Confidence.LOW, Severity.NOTE)


def _nearest(path: str, repo: Repo) -> str | None:
    """A folder beside it with a name like its own, else one of its own name elsewhere."""
    from difflib import get_close_matches

    above, _, name = path.rpartition("/")
    close = get_close_matches(name, repo.paths.folders_in(above), n=1, cutoff=0.7)
    if close:
        return f"{above}/{close[0]}" if above else close[0]
    close = [one for one in repo.paths.folders_called(name) if _is_alike(path.split("/"), one.split("/"))]
    return next(iter(get_close_matches(path, close, n=1, cutoff=0.88)), None)


def _is_alike(path: list[str], other: list[str]) -> bool:
    """Whether every part that differs may be a slip: another component's folder of the same name is none."""
    from difflib import SequenceMatcher

    pairs = zip(path, other, strict=False)
    return len(path) != len(other) or all(SequenceMatcher(None, a, b).ratio() > 0.7 for a, b in pairs)
