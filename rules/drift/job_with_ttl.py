"""A Job that is no hook and deletes itself when done is missing from then on, or runs again and again.

With ttlSecondsAfterFinished Kubernetes deletes the finished Job. For a hook that is in
order. A Job that is an ordinary object of the Application is still in git, so Argo CD
finds it missing: the Application is OutOfSync, and its next sync runs the Job once more.
With selfHeal that is at once, and so the Job runs over and over, as often as its lifetime
allows (warning). Without selfHeal it stays OutOfSync, and every sync for another reason
runs the Job again (note). Where no Application is known, nothing is said.

Fix: make it a hook with the delete policy HookSucceeded, or take the lifetime out. There
is no automatic fix, since these mean different things.

See: argo-cd#13851, argo-cd#8586, airbytehq/airbyte#15202, haproxytech/helm-charts#214, loculus-project/loculus#6567

Bad:
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
    spec:
      source:
        repoURL: https://git.example.com/shop.git
        path: .
      syncPolicy:
        automated:
          selfHeal: true
    ---
    apiVersion: batch/v1
    kind: Job
    metadata:
      name: migrate
    spec:
      ttlSecondsAfterFinished: 100  # <- here
Good:
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
    spec:
      source:
        repoURL: https://git.example.com/shop.git
        path: .
      syncPolicy:
        automated:
          selfHeal: true
    ---
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
from ...linter.argocd.applications import Application


@rule("GL405", Severity.WARNING, Moment.SYNC)
def check(repo: Repo) -> Iterator[Finding]:
    for job in repo.resources:
        if job.kind == "Job" and job.group == "batch" and not job.is_hook and not job.hook.is_skipped:
            ttl = job["spec"]["ttlSecondsAfterFinished"]
            managers = [app.application for app in repo.managers(job) if app.application]
            if ttl.value is not None and managers:
                yield _finding(job, managers)


def _finding(job: Resource, managers: list[Application]) -> Finding:
    healing = next((application for application in managers if application.heals), None)
    if healing:
        effect = f"{healing} heals itself and creates it again each time, so it runs over and over."
    else:
        effect = f"{managers[0]} is OutOfSync from then on, and every later sync runs it again."
    return Finding(
        job["spec"]["ttlSecondsAfterFinished"],
        headline=f"{job} deletes itself when it is done, and is no hook",
        happens=effect,
        do="Make it a hook with the delete policy HookSucceeded, or take ttlSecondsAfterFinished out.",
        severity=Severity.WARNING if healing else Severity.NOTE,
    )
