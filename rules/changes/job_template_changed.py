"""A Job gets another template under its old name: the API server refuses it.

Once a Job exists its pod template cannot change, nor its selector, completionMode, completions,
podFailurePolicy, successPolicy, backoffLimitPerIndex or managedBy. A new image is enough, also by
the images of a kustomization: `spec.template: Invalid value: ...: field is immutable`. The dry run
does not notice; the sync fails, again at every retry and at every later sync, and later waves are
not applied.

Silent: hooks, which Argo CD deletes before it runs them again; Jobs with Force=true (Argo CD 2.12
and later; with server-side apply only together with Replace=true); generateName; parallelism,
suspend, backoffLimit, activeDeadlineSeconds and ttlSecondsAfterFinished, which may change; an
Indexed Job whose completions and parallelism change together; labels, annotations, resources and
scheduling of a Job that is suspended. A Job with ttlSecondsAfterFinished may be gone when the
change arrives: a warning. With server-side diff (the compare-option ServerSideDiff=true of the Application)
Force=true is of no help: the comparison of the whole Application fails already.

Fix: make the Job a hook, put a version into its name, or let Argo CD make it anew with
`argocd.argoproj.io/sync-options: Force=true,Replace=true`. The fix offered does the latter; it is
unsafe, since the Job then runs again at every sync that applies it. Replace=true alone does not help.

See: argo-cd#5882, argo-cd#14910, argo-cd#29348,
StarRocks/starrocks-kubernetes-operator#712, wiremind/wiremind-helm-charts#859

Bad:
    # before: migrate.yaml
    apiVersion: batch/v1
    kind: Job
    metadata:
      name: migrate
    spec:
      template:
        spec:
          restartPolicy: Never
          containers:
            - name: migrate
              image: shop:1.4
    # migrate.yaml
    apiVersion: batch/v1
    kind: Job
    metadata:
      name: migrate
    spec:
      template:
        spec:
          restartPolicy: Never
          containers:
            - name: migrate
              image: shop:1.5  # <- here
Good:
    # before: migrate.yaml
    apiVersion: batch/v1
    kind: Job
    metadata:
      name: migrate
    spec:
      template:
        spec:
          restartPolicy: Never
          containers:
            - name: migrate
              image: shop:1.4
    # migrate.yaml
    apiVersion: batch/v1
    kind: Job
    metadata:
      name: migrate
      annotations:
        argocd.argoproj.io/sync-options: Force=true,Replace=true
    spec:
      template:
        spec:
          restartPolicy: Never
          containers:
            - name: migrate
              image: shop:1.5
"""

from collections.abc import Iterator, Sequence
from typing import Final

from ...linter.api import Change, Confidence, Finding, Fix, Moment, Node, Resource, Severity, by_line, rule
from ...linter.change.immutable import Frozen, Rewritten, answer, frozen_fields, others, outcome, rewritten
from ...linter.kubernetes.annotations.hooks import SYNC_OPTIONS

ANEW: Final = ("Force=true", "Replace=true")


@rule("GL904", Severity.ERROR, Moment.SYNC)
def check(change: Change) -> Iterator[Finding]:
    found = [
        (frozen.difference.at, (pair, frozen))
        for pair in rewritten(change)
        for frozen in frozen_fields(pair, "job-template-changed")
        if not outcome(pair.after, pair.app).recreated
    ]
    for place, together in by_line(_first_of_each(found)):
        yield _finding(place, together)


def _first_of_each(
    found: list[tuple[Node, tuple[Rewritten, Frozen]]],
) -> Iterator[tuple[Node, tuple[Rewritten, Frozen]]]:
    """One word about a Job is enough: whatever changes, the remedy is the same."""
    told: set[int] = set()
    for place, item in found:
        if id(item[0].after) not in told:
            told.add(id(item[0].after))
            yield place, item


def _finding(place: Node, together: Sequence[tuple[Rewritten, Frozen]]) -> Finding:
    pair, frozen = together[0]
    may_be_gone = all(one.before["spec"]["ttlSecondsAfterFinished"].present for one, _ in together)
    gone = "unless its ttlSecondsAfterFinished has removed it by then: " if may_be_gone else ""
    result = outcome(pair.after, pair.app)
    remedy = "make it a hook, put a version into its name, or give it the sync-options Force=true,Replace=true"
    if not result.compared:
        remedy = "make it a hook, or put a version into its name"
    return Finding(
        place,
        f"{pair.after}{others([one for one, _ in together])}: {frozen.difference.words}; {gone}"
        f"{answer(f'{frozen.field}: Invalid value: …: {frozen.says}', result)}; {remedy}",
        fixes=_fixes(pair.after) if result.compared else (),
        severity=Severity.WARNING if may_be_gone else None,
        confidence=Confidence.MEDIUM if may_be_gone else Confidence.HIGH,
    )


def _fixes(job: Resource) -> tuple[Fix, ...]:
    options = ",".join((*job.sync_options, *(one for one in ANEW if one not in job.sync_options)))
    return (Fix(f"let Argo CD make {job} anew", job.annotation(SYNC_OPTIONS).set(options)),)
