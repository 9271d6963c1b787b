"""A file in the folder of an Application makes Argo CD fail for all of it.

An Application whose folder has neither a kustomization nor a chart is read file
by file. One that has a document without a kind is skipped if nothing in it looks
like a manifest. If an earlier document of it was an object, or the text contains
apiVersion:, kind: and metadata: anywhere, the manifests of the whole Application
cannot be generated, and nothing of it is synced any more. The same goes for a
file that does not parse, which yaml-parse-error tells.

With recurse: true two more things are swept up. Helm templates are read as they
are and do not parse. A kustomization.yaml that has a kind becomes an object; the
cluster knows no such kind, the sync is refused before it starts, and nothing is
applied. One without a kind is skipped.

An Application with a helm block is rendered by Helm, whatever lies in its folder. Without a
Chart.yaml there Helm refuses the folder, and nothing is synced.

The rule follows Applications whose source is this repository. For a branch other
than the main line it is a note, since that may have other files; tags and commits
are left alone.

Fix: repair the file, or keep it out: with directory.exclude in the Application,
by moving it elsewhere, or (Argo CD 3.1 and later) with the comment
+argocd:skip-file-rendering in it. For a folder without a chart take the helm block away,
or name the folder that has the chart.

See: argo-cd#17288, https://argo-cd.readthedocs.io/en/stable/user-guide/directory/

Bad:
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
    spec:
      source:
        repoURL: https://git.example.com/shop.git
        path: .
      destination:
        server: https://kubernetes.default.svc
        namespace: shop
    ---
    image:  # <- here
      tag: "1.4"
Good:
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
    spec:
      source:
        repoURL: https://git.example.com/shop.git
        path: .
      destination:
        server: https://kubernetes.default.svc
        namespace: shop
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from ...linter.api import (
    App,
    Cause,
    Confidence,
    Finding,
    Moment,
    Note,
    Place,
    Repo,
    Resource,
    Severity,
    SourceFile,
    listed,
    rule,
)
from ...linter.argocd.applications import Application
from ...linter.argocd.this_repo import Belief
from ...linter.dialects.target_revision import follows_main_line
from ...linter.kustomize.kustomization import API_GROUP

NOT_GENERATED: Final = "Argo CD cannot generate the manifests of"
EXCLUDE: Final = "Take the file out of the folder, or exclude it."
BUILD: Final = "Exclude it, and let an Application without a directory block build its folder."
NO_CHART: Final = "Name the folder that has the chart, or take the helm block away."
REFUSED: Final = "Argo CD refuses every sync of"
CONFIDENCE: Final = {
    Belief.CERTAIN: Confidence.HIGH,
    Belief.ONLY_ONE: Confidence.MEDIUM,
    Belief.BY_PATH: Confidence.LOW,
}


class Fault(NamedTuple):
    at: Place
    effect: str
    why: str
    do: str


class Broken(NamedTuple):
    at: Place
    effect: str
    """What Argo CD does not do, to stand before the names of the Applications."""
    why: str
    do: str
    application: Application
    path: Place
    on_main_line: bool
    confidence: Confidence


@rule("GL702", Severity.ERROR, Moment.SYNC)
def check(repo: Repo) -> Iterator[Finding]:
    lines: dict[tuple[str, int], list[Broken]] = {}
    for app in repo.applications:
        for broken in _broken(app, repo):
            line = broken.at.file.position(broken.at.span.start).line
            lines.setdefault((broken.at.file.path, line), []).append(broken)
    for together in lines.values():
        yield _finding(together)


def _finding(together: list[Broken]) -> Finding:
    first = together[0]
    names = list(dict.fromkeys(str(one.application) for one in together))
    paths = {(one.path.file.path, one.path.span): Note(one.path, f"{one.application} reads it") for one in together}
    return Finding(
        first.at,
        headline=first.why,
        happens=f"{first.effect} {listed(names)}.",
        do=first.do,
        cause=Cause(
            f"{first.application}, {first.effect}", f"{{count}} files in the folder of {names[0]} stop its syncs"
        ),
        related=tuple(note for note in paths.values() if note.at is not first.at),
        severity=None if any(one.on_main_line for one in together) else Severity.NOTE,
        confidence=max(one.confidence for one in together),
    )


def _broken(app: App, repo: Repo) -> Iterator[Broken]:
    application = app.certain_application
    if application is None:
        return
    for one in app.rendered:
        follows = follows_main_line(one.source.target_revision)
        is_chart = one.tool == "helm" and one.chart is None and not one.source.chart
        if not (one.tool == "directory" or is_chart) or follows is False:
            continue
        path, do = application.place(f"{one.source.pointer}/path"), NO_CHART if is_chart else EXCLUDE
        faults = [
            Fault(_where(repo.file_at(failure.path)) or path, NOT_GENERATED, f"{failure.path}: {failure.reason}", do)
            for failure in one.failures
            if not _is_told_elsewhere(repo.file_at(failure.path))
        ]
        for fault in (*faults, *_kustomizations(one.resources)):
            confidence = CONFIDENCE.get(one.belief, Confidence.LOW)
            yield Broken(*fault, application, path, follows is True, confidence)


def _kustomizations(resources: Iterable[Resource]) -> Iterator[Fault]:
    for resource in resources:
        if resource.group == API_GROUP:
            why = f"in a folder of plain manifests this {resource.kind} is an object of an unknown kind"
            yield Fault(resource["kind"], REFUSED, why, BUILD)


def _is_told_elsewhere(file: SourceFile | None) -> bool:
    """A text that does not parse is another rule's business, which names the Applications, too."""
    return file is not None and any(not problem.unreadable for problem in file.problems)


def _where(file: SourceFile | None) -> Place | None:
    """What stops Argo CD: the document without a kind."""
    if file is None:
        return None
    kindless = (document.root for document in file.documents if not document.root["kind"].text)
    return next((root for root in kindless if root.is_mapping or root.is_sequence), None)
