"""A Job that is no hook and deletes itself when done is missing from then on, or runs again and again.

With ttlSecondsAfterFinished Kubernetes deletes the finished Job. For a hook that is in
order. A Job that is an ordinary object of the Application is still in git, so Argo CD
finds it missing: the Application is OutOfSync, and its next sync runs the Job once more.
With selfHeal that is at once, and so the Job runs for ever, as often as its lifetime
allows (warning). Without selfHeal it stays OutOfSync, and every sync for another reason
runs the Job again (note, as where no Application is known).

Fix: make it a hook with the delete policy HookSucceeded, or take the lifetime out. There
is no automatic fix, since these mean different things.

See: argo-cd#13851, argo-cd#8586, airbytehq/airbyte#15202, haproxytech/helm-charts#214, loculus-project/loculus#6567

Bad:
    apiVersion: batch/v1
    kind: Job
    metadata:
      name: migrate
    spec:
      ttlSecondsAfterFinished: 100  # <- here
Good:
    apiVersion: batch/v1
    kind: Job
    metadata:
      name: migrate
      annotations:
        argocd.argoproj.io/hook: PreSync
        argocd.argoproj.io/hook-delete-policy: BeforeHookCreation,HookSucceeded
    spec:
      ttlSecondsAfterFinished: 100
"""

from collections.abc import Iterator

from ...linter.api import Finding, Moment, Repo, Resource, Severity, rule


@rule("GL405", Severity.WARNING, Moment.SYNC)
def check(repo: Repo) -> Iterator[Finding]:
    for job in repo.resources:
        if job.kind == "Job" and job.group == "batch" and not job.is_hook and not job.hook.is_skipped:
            ttl = job["spec"]["ttlSecondsAfterFinished"]
            if ttl.value is not None:
                yield _finding(job, repo)


def _finding(job: Resource, repo: Repo) -> Finding:
    managers = [app.application for app in repo.managers(job) if app.application]
    healing = next((application for application in managers if application.heals), None)
    if healing:
        effect = f"{healing} heals itself and creates it again, so it runs for ever"
    else:
        named = str(managers[0]) if managers else "its Application"
        effect = f"{named} is OutOfSync from then on, and every later sync runs it again"
    return Finding(
        job["spec"]["ttlSecondsAfterFinished"],
        f"{job} is no hook, and Kubernetes deletes it when it is done; {effect}",
        severity=Severity.WARNING if healing else Severity.NOTE,
    )
