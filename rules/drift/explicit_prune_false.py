"""An explicit prune: false lets the parent Application drift, up to Argo CD 3.3.

prune: false under syncPolicy.automated is the default. When a sync operation
of the Application starts, Argo CD writes the whole object back through its Go
types, and up to version 3.3 a false of this kind is left out then. If the
Application is itself managed by another one (app of apps), the field is in git
and no longer in the cluster: the parent is OutOfSync from that moment, and
with self-heal it writes the field back, until the child's next sync.

Since 3.4 the value is kept and nothing drifts; then this is a note. When no
version is known it is a warning, if another Application is seen to manage this
one. Nothing happens to an Application that no other one manages, so else it is
a note. It is one, too, in the template of an
ApplicationSet, which is written back only on rare occasions. What several
Applications below one parent have is one finding.

Fix: leave the line out. The fix is safe: absent and false mean the same.
When nothing else is left, automated: {} stays, since it is what switches
automated sync on.

See: argo-cd#3815, argo-cd#15898, argo-cd#26763

Bad:
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
    spec:
      syncPolicy:
        automated:
          prune: false  # <- here
          selfHeal: true
Good:
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
    spec:
      syncPolicy:
        automated:
          selfHeal: true
"""

from collections.abc import Iterator

from ...linter.api import Cause, Finding, Fix, Moment, Repo, Resource, Severity, rule
from ...linter.argocd.application_spec import application_spec


@rule("GL401", Severity.WARNING, Moment.SYNC, literal=True)
def check(repo: Repo) -> Iterator[Finding]:
    for app in repo.resources:
        spec = application_spec(app)
        prune = spec["syncPolicy"]["automated"]["prune"] if spec is not None else None
        if prune is None or prune.value is not False:
            continue
        is_set = app.kind == "ApplicationSet"
        kept = app.versions.has("automated-flags-kept")
        if is_set and kept:
            continue
        yield Finding(
            prune,
            headline=f"{app} has prune: false, which is the default",
            happens=_effect(app, repo, kept),
            do="Leave the line out: absent means the same.",
            fixes=(Fix("leave it out, it is the default", prune.remove(), safe=True),),
            severity=Severity.NOTE if is_set or kept or not repo.managers(app) else Severity.WARNING,
            cause=Cause("prune: false", "{count} Applications have prune: false, which is the default"),
        )


def _effect(app: Resource, repo: Repo, kept: bool) -> str:
    if kept:
        return f"Argo CD {app.versions.argocd_words} keeps it; before 3.4 it made a parent Application OutOfSync."
    when = f"it rewrites {app}" if app.kind == "ApplicationSet" else f"{app} next syncs"
    return f"Argo CD up to 3.3 drops it when {when}, and {repo.manager_words(app)} is OutOfSync from then on."
