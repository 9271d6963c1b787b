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

Fix: put a version into the name of the Job, so that it is another one, or make it a hook, or
delete the old one once. The sync-options Force=true,Replace=true let it pass, too, but then the Job
is killed and runs again at every sync that applies it, not only after a change: a long migration
never ends. No fix is offered. Replace=true alone does not help.

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

from ...linter.api import Change, Confidence, Finding, Moment, Node, Severity, by_line, rule
from ...linter.change.immutable import Frozen, Rewritten, answer, frozen_fields, others, outcome, rewritten


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
    refused = answer(f"{frozen.field}: Invalid value: …: {frozen.says}", result)
    return Finding(
        place,
        headline=f"{pair.after}{others([one for one, _ in together])}: {frozen.difference.words}",
        happens=f"{_capital(f'{gone}{refused}')}.",
        do="Put a version into its name, so that it is another Job, or make it a hook.",
        severity=Severity.WARNING if may_be_gone else None,
        confidence=Confidence.MEDIUM if may_be_gone else Confidence.HIGH,
    )


def _capital(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}"
