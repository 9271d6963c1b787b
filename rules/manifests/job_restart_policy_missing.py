"""A Job whose pods have no restartPolicy Never or OnFailure is refused by the API server.

The restart policy of a pod is Always unless it says otherwise, and a Job takes only
Never and OnFailure. The API server refuses the Job, or the CronJob, so the sync fails,
every time; if it is a hook, nothing after it is synced. A frequent cause is a
restartPolicy that slipped into the list of containers by its indentation. One that
slipped out of the pods' spec is for job-field-misplaced.

Fix: set restartPolicy: Never, or OnFailure, in spec.template.spec. The fix offered is
unsafe: the Job cannot be applied as it is, so with the fix it runs for the first time.

See: https://kubernetes.io/docs/concepts/workloads/controllers/job/#pod-template

Bad:
    apiVersion: batch/v1
    kind: Job
    metadata:
      name: migrate
    spec:
      template:
        spec:  # <- here
          containers:
            - name: migrate
              image: registry.example.com/migrate:1.4
Good:
    apiVersion: batch/v1
    kind: Job
    metadata:
      name: migrate
    spec:
      template:
        spec:
          containers:
            - name: migrate
              image: registry.example.com/migrate:1.4
          restartPolicy: Never
"""

from collections.abc import Iterator, Sequence
from functools import reduce
from typing import Final

from ...linter.api import Finding, Fix, Moment, Node, Patch, Resource, Severity, rule
from ...linter.dialects.spelling import is_placeholder
from ...linter.kubernetes.pods import pod_spec

FITTING: Final = ("Never", "OnFailure")


@rule("GL023", Severity.ERROR, Moment.SYNC, kinds="Job CronJob")
def check(job: Resource) -> Iterator[Finding]:
    pod = pod_spec(job)
    if pod is None or not any(container["image"].present for container in pod["containers"]):
        return  # a patch that nobody names, or nothing to speak of
    policy = pod["restartPolicy"]
    if policy.text in FITTING or is_placeholder(policy.scalar_text) or policy.is_mapping:
        return
    slipped = [one["restartPolicy"] for one in pod["containers"] if one["restartPolicy"].present]
    if policy.absent and _is_further_up(pod):
        return
    says = f"restartPolicy {policy.scalar_text}" if policy.scalar_text else "no restartPolicy, which means Always"
    why = ", for the one here is a container's" if slipped and policy.absent else ""
    yield Finding(
        policy if policy.present else slipped[0] if slipped else pod,
        headline=f"the pods of {job} have {says}{why}",
        happens=f"The API server refuses a {job.kind} whose restartPolicy is neither Never nor OnFailure.",
        do="Set restartPolicy: Never or OnFailure in the spec of the pods.",
        fixes=(_fix(policy, slipped),),
    )


def _is_further_up(pod: Node) -> bool:
    place = pod.parent
    while place is not None:
        if place["restartPolicy"].present:
            return True
        place = place.parent
    return False


def _fix(policy: Node, slipped: Sequence[Node]) -> Fix:
    if policy.present or not slipped or slipped[0].text not in FITTING:
        return Fix("set restartPolicy: Never", policy.set("Never"))
    taken = reduce(Patch.also, (one.remove() for one in slipped))
    return Fix("move it to the pods", taken.also(policy.set(slipped[0].text)))
