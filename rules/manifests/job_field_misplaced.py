"""A field of a Job that stands at the wrong level is dropped, and some Jobs are refused without it.

A Job has four levels that are easily mixed up: the Job's own spec (backoffLimit,
ttlSecondsAfterFinished), the template, the spec of its pods (restartPolicy, volumes), and the
containers; a CronJob has one more. At another level a field is unknown, and the API server drops it. The
sync succeeds, what the field was to set is not set, and Argo CD shows the Job as OutOfSync (warning).

It is an error where the Job is refused: because what it needs is the field that was dropped (the
restartPolicy of its pods, their containers, the template), or by server-side apply, which knows
no other fields. For a hook that fails the whole sync. With ServerSideDiff=true alone the
Application cannot be compared from then on.

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
from typing import Final

from ...linter.api import Cause, Finding, Moment, Node, Repo, Resource, Severity, by_line, listed, rule
from ...linter.kubernetes.pods import pod_spec
from ...linter.kubernetes.validation import Violation
from ...linter.repo.applied_options import is_refused, stops_comparison

OF_THE_PODS: Final = ("containers", "restartPolicy")
"""What they cannot do without."""
AROUND_THE_PODS: Final = ("template", "jobTemplate", "spec")


@rule("GL016", Severity.WARNING, Moment.SYNC, literal=True)
def check(repo: Repo) -> Iterator[Finding]:
    for resource, violations in repo.validation.builtin:
        lost = [one for one in violations if one.is_lost_in_a_job and not _is_missed_by_the_pods(one)]
        for place, together in by_line((one.at, one) for one in lost):
            yield _finding(place, together, resource, repo)


def _is_missed_by_the_pods(violation: Violation) -> bool:
    """A Job without a restart policy of its pods is refused wherever else one stands, and has a rule of its own."""
    return violation.field == "restartPolicy" and violation.levels[-1].shape.name == "core.v1.Container"


def _finding(place: Node, violations: list[Violation], resource: Resource, repo: Repo) -> Finding:
    severity, effect = _effect(violations, resource, repo)
    return Finding(
        place,
        headline=f"{resource} has {listed([one.path for one in violations])} at the wrong level",
        happens=effect,
        do=" ".join(f"Move {one.field} to {one.home}." for one in violations),
        severity=severity,
        cause=Cause(f"{resource} in {resource.file.path}", f"{resource} has {{count}} fields at the wrong level"),
    )


def _effect(violations: list[Violation], resource: Resource, repo: Repo) -> tuple[Severity, str]:
    if is_refused(repo, resource):
        return Severity.ERROR, "Server-side apply refuses the object (field not declared in schema) and its sync fails."
    needed = next((one.field for one in violations if _is_needed(one.field, resource)), "")
    if needed:
        return (
            Severity.ERROR,
            f"The API server drops it there, and refuses a {resource.kind} that has no {needed} where it belongs.",
        )
    dropped = "The API server drops it there, so what it was to set is not set"
    if stops_comparison(repo, resource):
        return (
            Severity.ERROR,
            f"{dropped}; then ServerSideDiff=true fails (field not declared in schema), and no automated sync starts.",
        )
    return Severity.WARNING, f"{dropped}; the sync succeeds, and Argo CD shows the object as OutOfSync for ever."


def _is_needed(field: str, resource: Resource) -> bool:
    pod = pod_spec(resource)
    if pod is None or pod.absent:
        return field in (*AROUND_THE_PODS, *OF_THE_PODS)
    return field in OF_THE_PODS and pod[field].absent
