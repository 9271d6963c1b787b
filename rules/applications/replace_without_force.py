"""Replace=true on a Job does not let its template change.

Replace=true has Argo CD replace the object instead of patching it. A Job's template is immutable for
either: "field is immutable". Only together with Force=true the Job is deleted and made anew. Without
it the option looks like the remedy and is none, and the next new image fails the sync.

Fix: put a version into the name of the Job, or make it a hook. Force=true beside Replace=true lets
every change pass, too, but then the Job runs again with every sync that applies it.

See: argo-cd#14910, argo-cd#5882, argo-cd#12439

Bad:
    apiVersion: batch/v1
    kind: Job
    metadata:
      name: migrate
      annotations:
        argocd.argoproj.io/sync-options: Replace=true  # <- here
Good:
    apiVersion: batch/v1
    kind: Job
    metadata:
      name: migrate
      annotations:
        argocd.argoproj.io/hook: PreSync
"""

from collections.abc import Iterator

from ...linter.api import Finding, Moment, Resource, Severity, rule
from ...linter.kubernetes.annotations.hooks import SYNC_OPTIONS


@rule("GL639", Severity.NOTE, Moment.SYNC, kinds="Job")
def check(job: Resource) -> Iterator[Finding]:
    if job.group != "batch" or job.is_hook or job.patched or job["spec"]["ttlSecondsAfterFinished"].present:
        return
    if job.sync_option("Replace") == "true" and job.sync_option("Force") != "true":
        yield Finding(
            job.annotation(SYNC_OPTIONS),
            headline=f"Replace=true alone does not let the template of {job} change",
            happens="The API server refuses the replacement, too, and the sync with a new image fails.",
            do="Put a version into its name, or make it a hook.",
        )
