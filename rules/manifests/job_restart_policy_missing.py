"""A Job whose pods have no restartPolicy Never or OnFailure is refused by the API server.

The restart policy of a pod is Always unless it says otherwise, and a Job takes only
Never and OnFailure. The API server refuses the Job, or the CronJob, so the sync fails,
every time; if it is a hook, nothing after it is synced. A frequent cause is a
restartPolicy that slipped into the list of containers by its indentation.

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

from collections.abc import Iterator
from typing import Final

from ...linter.argo.spelling import is_placeholder
from ...linter.pods import pod_spec
from ...linter.resource import Resource
from ...linter.rule import Finding, Fix, Note, Severity, rule

FITTING: Final = ("Never", "OnFailure")


@rule("GL023", Severity.ERROR, kinds="Job CronJob")
def check(job: Resource) -> Iterator[Finding]:
    pod = pod_spec(job)
    if pod is None or not any(container["image"].present for container in pod["containers"]):
        return  # a patch that nobody names, or nothing to speak of
    policy = pod["restartPolicy"]
    if policy.text in FITTING or is_placeholder(policy.scalar_text) or policy.is_mapping:
        return
    says = f"restartPolicy {policy.scalar_text}" if policy.scalar_text else "no restartPolicy, which means Always"
    misplaced = next((one["restartPolicy"] for one in pod["containers"] if one["restartPolicy"].present), None)
    yield Finding(
        policy if policy.present else pod,
        f"the pods of {job} have {says}; the API server refuses a {job.kind} unless it is Never or OnFailure",
        (Fix("set restartPolicy: Never", policy.set("Never")),),
        (Note(misplaced, "this one belongs to a container, not to the pod"),) if misplaced else (),
    )
