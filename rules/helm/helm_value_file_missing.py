"""An Application names a value file that is not there, so its manifests cannot be generated.

Argo CD looks for the entries of helm.valueFiles and helm.fileParameters before it
calls Helm: from the folder of the chart, with a leading slash from the root of the
repository, with $ref/ from the root of the source of that ref. If one of them is
missing, or leads out of the repository, the Application shows a ComparisonError
("no such file or directory", "resolved to outside repository root") and nothing of it
is synced. It happens when a file is moved or renamed and the Application is forgotten.

From Argo CD 3.5 on an entry may be a pattern (*, ?, [, also **); one that matches
nothing is an error, and before 3.5 a pattern is taken for the name of a file.
ignoreMissingValueFiles: true skips value files that are missing; fileParameters and
paths that lead out of the repository are errors with it, too.

Checked are sources that surely mean this repository: the chart is in it, or the ref
is. On another branch than the main line the file may be there: that is a note. Tags
and commits, addresses (https://, secrets://), placeholders, and entries with a build
variable that only Argo CD knows are left alone. ApplicationSets are judged by the
Applications that they make.

Fix: correct the path, bring the file back, or, if it is meant to be optional, set
ignoreMissingValueFiles: true.

See: argo-cd#7767, argo-cd#10524, https://argo-cd.readthedocs.io/en/stable/user-guide/helm/

Bad:
    # apps/shop.yaml
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
    spec:
      source:
        repoURL: https://git.example.com/platform.git
        path: charts/shop
        helm:
          valueFiles:
            - values-prod.yaml  # <- here
      destination:
        server: https://kubernetes.default.svc
        namespace: shop
    ---
    # charts/shop/Chart.yaml
    apiVersion: v2
    name: shop
    version: 1.4.2
    ---
    # charts/shop/values-production.yaml
    replicas: 3
Good:
    # apps/shop.yaml
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
    spec:
      source:
        repoURL: https://git.example.com/platform.git
        path: charts/shop
        helm:
          valueFiles:
            - values-production.yaml
      destination:
        server: https://kubernetes.default.svc
        namespace: shop
    ---
    # charts/shop/Chart.yaml
    apiVersion: v2
    name: shop
    version: 1.4.2
    ---
    # charts/shop/values-production.yaml
    replicas: 3
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import Final, NamedTuple

from ...linter.argo.applications import Application, Source
from ...linter.argo.revisions import follows_main_line
from ...linter.argo.source_references import named_sources
from ...linter.argo.value_files import Kind, ValueFile, matching
from ...linter.model import Repo, by_line
from ...linter.render.chart_uses import files_of
from ...linter.render.sources import Rendered
from ...linter.rule import Confidence, Finding, Severity, rule
from ...linter.source import Node

NOTHING_SYNCED: Final = "Argo CD cannot generate the manifests and syncs nothing"


class Fault(NamedTuple):
    application: Application
    what: str
    severity: Severity
    is_certain: bool = True


@rule("GL731", Severity.ERROR)
def check(repo: Repo) -> Iterator[Finding]:
    if not repo.whole:
        return
    for place, faults in by_line(_found(repo)):
        first = max(faults, key=lambda fault: fault.severity)
        others = len({fault.application.name for fault in faults}) - 1
        also = f" (and {others} more Applications)" if others else ""
        yield Finding(
            place,
            f"{first.application}{also} {first.what}",
            severity=first.severity,
            confidence=Confidence.HIGH if first.is_certain else Confidence.LOW,
        )


def _found(repo: Repo) -> Iterator[tuple[Node, Fault]]:
    for app in repo.applications:
        application = app.application
        if application is None or application.resource.patched:
            continue
        for one in app.rendered:
            # Of a chart that is elsewhere, only what it takes from a ref can be here.
            for entry in files_of(application, one.source, one.path):
                lender = _lender(entry, one, application, repo)
                if lender is not None:
                    for fault in _faults(entry, one.source, lender, application, repo):
                        yield application.place(entry.pointer), fault


def _lender(entry: ValueFile, one: Rendered, application: Application, repo: Repo) -> Source | None:
    """The source that the file is taken from, if that is surely this repository."""
    if entry.ref:
        lender = named_sources(application.sources).get(entry.ref)
    else:
        lender = one.source if one.tool == "helm" and one.path and not one.missing else None
    return lender if lender is not None and not lender.chart and repo.is_here(lender.repo_url) else None


def _faults(entry: ValueFile, source: Source, lender: Source, application: Application, repo: Repo) -> Iterator[Fault]:
    follows = follows_main_line(lender.target_revision)
    if follows is False:
        return
    what = f"takes {'the file' if entry.is_parameter else 'the value file'} {entry.text!r}"
    if entry.kind is Kind.OUTSIDE:
        yield Fault(application, f"{what}, which leads out of the repository; {NOTHING_SYNCED}", Severity.ERROR)
        return
    is_skipped = source.tool("helm").get("ignoreMissingValueFiles") is True and not entry.is_parameter
    missing = _missing(entry, application, repo)
    if missing and not is_skipped:
        if follows:
            certain = not _may_be_in_submodule(repo, entry.path)
            severity = Severity.ERROR if certain else Severity.NOTE
            rest = "" if certain else ", unless a submodule that is not checked out here brings it"
            yield Fault(application, f"{what}, {missing}; {NOTHING_SYNCED}{rest}", severity, certain)
        else:
            unless = f"unless the branch {lender.target_revision!r} has it, {NOTHING_SYNCED}"
            yield Fault(application, f"{what}, {missing}; {unless}", Severity.NOTE, is_certain=False)


def _missing(entry: ValueFile, application: Application, repo: Repo) -> str:
    """Why there is no such file; empty if there is one, or nobody can tell."""
    if entry.kind is Kind.FILE:
        return "" if repo.has_file(entry.path) else _words(entry, repo)
    if entry.kind is not Kind.PATTERN or repo.has_file(entry.path):
        return ""
    if application.resource.versions.lacks("value-file-globs"):
        return "a pattern, which Argo CD takes for the name of a file before 3.5"
    known = [file.path for file in repo.files]
    return "" if matching(entry.path, known) or not _is_readable(entry.path) else "a pattern that matches no file here"


def _is_readable(path: str) -> bool:
    """Whether what it may match is among the files of a run."""
    return path.endswith((".yaml", ".yml"))


def _words(entry: ValueFile, repo: Repo) -> str:
    if entry.path in repo.folders:
        return "which is a folder"
    near = repo.nearest_path(entry.path)
    hint = f" (there is {near})" if near and near != entry.path and near not in repo.folders else ""
    where = f"and there is no {entry.path}" if entry.path != entry.text.lstrip("/") else "which is not there"
    return f"{where}{hint}"


def _may_be_in_submodule(repo: Repo, path: str) -> bool:
    """Whether the last folder on the way to the file is there and empty."""
    while path and path not in repo.folders:
        path = posixpath.dirname(path)
    return path in repo.empty_folders
