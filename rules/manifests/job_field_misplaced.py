"""A field of a Job stands at the wrong level, and the Job is refused.

A Job has four levels that are easily mixed up: the Job's own spec (backoffLimit,
ttlSecondsAfterFinished), the template, the spec of its pods (restartPolicy, volumes), and the
containers; a CronJob has one more. A field at another level is unknown there: "strict decoding error:
unknown field", and the sync fails; for a hook that is the whole sync. With Validate=false it is
dropped without a word.

activeDeadlineSeconds is a field of the Job and of its pods, and restartPolicy since 1.28 also one of containers; a
restartPolicy that the pods lack is for job-restart-policy-missing.

Fix: move the field to the level that the message names.

See: argo-cd#19571

Bad:
    apiVersion: batch/v1
    kind: Job
    metadata:
      name: migrate
    spec:
      template:
        spec:
          restartPolicy: Never
          backoffLimit: 2  # <- here
          containers:
            - name: migrate
              image: registry.example.com/migrate:1.4.2
              volumes: []  # <- here
Good:
    apiVersion: batch/v1
    kind: Job
    metadata:
      name: migrate
    spec:
      backoffLimit: 2
      template:
        spec:
          restartPolicy: Never
          volumes: []
          containers:
            - name: migrate
              image: registry.example.com/migrate:1.4.2
"""

from collections.abc import Iterator

from ...linter.api import Finding, Moment, Node, Repo, Resource, Severity, by_line, rule
from ...linter.kubernetes.validation import Violation
from ...linter.repo.applied_options import is_refused


@rule("GL016", Severity.ERROR, Moment.SYNC, literal=True)
def check(repo: Repo) -> Iterator[Finding]:
    for resource, violations in repo.validation.builtin:
        lost = [one for one in violations if one.is_lost_in_a_job and not _is_missed_by_the_pods(one)]
        for place, together in by_line((one.at, one) for one in lost):
            yield _lost(place, together, resource, is_refused(repo, resource))


def _is_missed_by_the_pods(violation: Violation) -> bool:
    """A Job without a restart policy of its pods is refused wherever else one stands, and has a rule of its own."""
    return violation.field == "restartPolicy" and violation.levels[-1].shape.name == "core.v1.Container"


def _lost(place: Node, violations: list[Violation], resource: Resource, refused: bool) -> Finding:
    named = " and ".join(f"{one.path} ({one.field} is a field of {one.home})" for one in violations)
    message = f"{resource} has a field at the wrong level: {named}"
    if refused:
        return Finding(place, f"{message}; the API server refuses the {resource.kind} and the sync fails")
    effect = "with Validate=false the API server drops it without a word"
    return Finding(place, f"{message}; {effect}", severity=Severity.WARNING)
