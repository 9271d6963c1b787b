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

from collections.abc import Iterator
from typing import Final, NamedTuple

from ...linter.api import Confidence, Finding, Moment, Node, Repo, Severity, by_line, counted, rule
from ...linter.argocd.applications import Application, Source
from ...linter.argocd.source_references import named_sources
from ...linter.dialects.target_revision import follows_main_line
from ...linter.dialects.value_globs import is_pattern
from ...linter.repo.sources.application_sources import Rendered
from ...linter.repo.sources.value_files import VALUE_FILES, OptionProblem, Trouble

NOTHING_SYNCED: Final = "Argo CD cannot generate the manifests and syncs nothing"


class Fault(NamedTuple):
    application: Application
    what: str
    """The fault, to stand after the Application."""
    severity: Severity
    looked_for: str = ""
    unless: str = ""
    is_certain: bool = True


@rule("GL731", Severity.ERROR, Moment.SYNC, of_fetched=True)
def check(repo: Repo) -> Iterator[Finding]:
    if not repo.whole:
        return
    for place, faults in by_line(_found(repo)):
        first = max(faults, key=lambda fault: fault.severity)
        others = len({fault.application.name for fault in faults}) - 1
        also = f" So it is with {counted(others, 'more Application')}." if others else ""
        yield Finding(
            place,
            headline=f"{first.application} {first.what}",
            happens=f"{first.looked_for}{NOTHING_SYNCED}{first.unless}.{also}",
            do="Correct the path, bring the file back, or set ignoreMissingValueFiles: true.",
            severity=first.severity,
            confidence=Confidence.HIGH if first.is_certain else Confidence.LOW,
        )


def _found(repo: Repo) -> Iterator[tuple[Node, Fault]]:
    for app in repo.applications:
        application = app.certain_application
        if application is None:
            continue
        for one in app.rendered:
            for problem in one.asked.problems if one.asked else ():
                lender = _lender(problem, one, application, repo)
                if lender is not None:
                    for fault in _faults(problem, lender, application, repo):
                        yield application.place(f"{one.source.pointer}{problem.pointer}"), fault


def _lender(problem: OptionProblem, one: Rendered, application: Application, repo: Repo) -> Source | None:
    """The source that the file is taken from, if that is surely this repository."""
    lender = named_sources(application.sources).get(problem.ref) if problem.ref else one.source
    return lender if lender is not None and not lender.chart and repo.paths.is_here(lender.repo_url) else None


def _faults(problem: OptionProblem, lender: Source, application: Application, repo: Repo) -> Iterator[Fault]:
    follows = follows_main_line(lender.target_revision)
    wrong = _words(problem, application, repo)
    if follows is False or not wrong:
        return
    sought = _looked_for(problem, repo)
    is_values = problem.pointer.startswith(VALUE_FILES)
    what = f"takes {'the value file' if is_values else 'the file'} {problem.text!r}, {wrong}"
    if problem.kind in (Trouble.OUTSIDE, Trouble.BAD_PATTERN):  # whatever the branch has
        yield Fault(application, what, Severity.ERROR, sought)
    elif follows:
        is_open = repo.paths.may_be_in_submodule(problem.sought)
        certain = not is_open and not application.resource.tentative
        severity = Severity.ERROR if certain else Severity.NOTE
        rest = ", unless a submodule that is not checked out here brings it" if is_open else ""
        yield Fault(application, what, severity, sought, rest, certain)
    else:
        unless = f", unless the branch {lender.target_revision!r} has it"
        yield Fault(application, what, Severity.NOTE, sought, unless, is_certain=False)


def _words(problem: OptionProblem, application: Application, repo: Repo) -> str:
    """What is wrong with the file; empty if it is something else that is wrong."""
    if problem.kind is Trouble.OUTSIDE:
        return "which leads out of the repository"
    if problem.kind is Trouble.FOLDER:
        return f"which matches the folder {problem.detail}" if problem.detail else "which is a folder"
    if problem.kind is Trouble.BAD_PATTERN:
        return "a pattern that cannot be read"
    if problem.kind is Trouble.NO_MATCH:
        return "a pattern that matches no file here"
    if problem.kind is not Trouble.MISSING:
        return ""
    if is_pattern(problem.sought) and application.resource.versions.lacks("value-file-globs"):
        return "a pattern, which Argo CD takes for the name of a file before 3.5"
    return "which is not there"


def _looked_for(problem: OptionProblem, repo: Repo) -> str:
    """A sentence with what there is instead; empty where the file is named as it is looked for."""
    if problem.kind is not Trouble.MISSING:
        return ""
    near = repo.paths.nearest_path(problem.sought)
    if near and near != problem.sought and near not in repo.paths.folders:
        return f"There is no {problem.sought}, but {near}. "
    return "" if problem.sought == problem.text.lstrip("/") else f"There is no {problem.sought}. "
