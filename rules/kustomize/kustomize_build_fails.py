"""Kustomize refuses a kustomization, so Argo CD cannot generate the manifests.

The build is done here as Kustomize 5.7 does it, and the first fault that stops it is
fatal: Argo CD shows a ComparisonError and syncs nothing of the Application until it is
repaired. This rule tells the faults that no other rule has a name for: a field that
Kustomize does not know, a value of the wrong type, an empty kustomization, a circle,
a component listed as a resource or the other way round, an object without a name, a
key that is there twice, a patch that is none, a generator that gets a key twice, a
replacement or a variable that leads nowhere, a name that stands for two objects, a chart
of helmCharts that Helm refuses to render.

One fault in a base is one finding, however many overlays use the base; the message
names an Application that it stops, or else a folder whose build fails. Where no
Application of the repository is known, it is a warning; where some are and none builds
it, a note. Where the value is a placeholder that another tool fills in, it is a note,
too. A file that is no valid YAML is yaml-parse-error's.

Fix: correct the place that is named; kubectl kustomize with the folder shows when it
builds.

See: redhat-appstudio/infra-deployments#2052, argo-cd#13414, https://kubectl.docs.kubernetes.io/references/kustomize/kustomization/

Bad:
    # kustomization.yaml
    resource:  # <- here
      - service.yaml
    ---
    # service.yaml
    apiVersion: v1
    kind: Service
    metadata:
      name: shop
Good:
    # kustomization.yaml
    resources:
      - service.yaml
    ---
    # service.yaml
    apiVersion: v1
    kind: Service
    metadata:
      name: shop
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ...linter.api import Confidence, Finding, Moment, Node, Repo, Severity, rule
from ...linter.dialects.spelling import is_placeholder
from ...linter.repo.sources.build_refusals import BuildError, Cause, OperationError

TOLD_ELSEWHERE: Final = frozenset(
    (
        Cause.MISSING_FILE,
        Cause.NO_KUSTOMIZATION,
        Cause.OUTSIDE_ROOT,
        Cause.DUPLICATE_ID,
        Cause.NO_MATCH,
        Cause.SEVERAL_MATCHES,
        Cause.SEVERAL_FILES,
    )
)


@rule("GL714", Severity.ERROR, Moment.SYNC)
def check(repo: Repo) -> Iterator[Finding]:
    files = set(repo.files)
    for refusal in repo.kustomize.refusals(*(cause for cause in Cause if cause not in TOLD_ELSEWHERE)):
        error = refusal.error
        if isinstance(error, OperationError) or (error.at.file in files and _does_not_parse(error)):
            continue
        is_open = is_placeholder(error.message) or is_placeholder(_written(error))
        unless = ", unless another tool fills this in first" if is_open else ""
        yield Finding(
            error.at,
            headline=error.message,
            happens=f"{refusal.sentence}{unless}.",
            do="Correct this place; kubectl kustomize with the folder shows when it builds.",
            severity=Severity.NOTE if is_open else refusal.severity,
            confidence=Confidence.LOW if is_open else Confidence.HIGH,
        )


def _does_not_parse(error: BuildError) -> bool:
    """A rule of its own tells that, with the Applications that it stops."""
    return any(problem.span == error.at.span for problem in error.at.file.problems)


def _written(error: BuildError) -> str:
    """The line; of a chart all that is said of it, since what another tool fills in may be a field beside it."""
    at = error.at
    entry = at if isinstance(at, Node) and error.cause is Cause.BAD_CHART else None
    while entry is not None and not isinstance(entry.key, int):
        entry = entry.parent
    line = at.file.line_text(at.file.position(at.span.start).line)
    return line if entry is None else at.file.text[entry.span.start : entry.span.end]
