"""An Application of nothing but hooks is never synced by itself.

Hooks are not compared: they have no part in whether an Application is Synced or OutOfSync. One
that has nothing else has no differences, is Synced from the beginning, and an automated sync
starts only where something is OutOfSync. Its hooks run when somebody syncs it by hand, and
never after a commit.

Fix: add an object that is no hook and changes with the hooks, a ConfigMap with the version, or
make the Job a plain one with a name for each version.

See: argo-cd#7237

Bad:
    # app.yaml
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: migrations
      namespace: argocd
    spec:
      source:
        repoURL: https://git.example.com/shop.git
        path: migrations
      destination:
        server: https://kubernetes.default.svc
        namespace: shop
      syncPolicy:
        automated: {}  # <- here
    # migrations/job.yaml
    apiVersion: batch/v1
    kind: Job
    metadata:
      name: migrate
      annotations:
        argocd.argoproj.io/hook: Sync
Good:
    # app.yaml
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: migrations
      namespace: argocd
    spec:
      source:
        repoURL: https://git.example.com/shop.git
        path: migrations
      destination:
        server: https://kubernetes.default.svc
        namespace: shop
      syncPolicy:
        automated: {}
    # migrations/job.yaml
    apiVersion: batch/v1
    kind: Job
    metadata:
      name: migrate
      annotations:
        argocd.argoproj.io/hook: Sync
    # migrations/version.yaml
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: migrations
    data:
      version: "14"
"""

from collections.abc import Iterator

from ...linter.api import App, Finding, Moment, Node, Repo, Severity, by_line, rule


@rule("GL114", Severity.WARNING, Moment.SYNC)
def check(repo: Repo) -> Iterator[Finding]:
    for place, found in by_line(one for app in repo.applications for one in _idle(app)):
        yield Finding(
            place,
            headline=f"{found[0].application} has nothing but hooks",
            happens="Hooks are not compared, so it is never OutOfSync, and no automated sync ever starts.",
            do="Add an object that is no hook and changes with them.",
        )


def _idle(app: App) -> Iterator[tuple[Node, App]]:
    application = app.application
    if application is None or not application.is_automated or not app.is_complete or not app.resources:
        return
    if all(one.is_hook or not one.hook.phases for one in app.resources):
        yield application.place("/spec/syncPolicy/automated"), app
