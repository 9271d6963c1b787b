"""Prune=false alone does not keep the data when the whole Application is deleted.

Prune=false protects an object that leaves git. When its Application is deleted, with the
finalizer resources-finalizer.argocd.argoproj.io, everything that it manages is deleted,
too: also the claim or the database that was thought safe. That takes Delete=false, or
Delete=confirm, or Helm's helm.sh/resource-policy: keep, which Argo CD honours here.
Applications that an ApplicationSet makes have the finalizer unless the set says otherwise,
and are deleted when their element goes.

It is a warning where the Application has the finalizer, else a note: a deletion can be asked
to cascade, and the finalizer is often added later. Looked at are the same kinds as in
prune-stateful-unprotected, and Namespaces.

Fix: add Delete=false to the annotation. The fix is unsafe: it changes nothing as long as
the Application is there, but what is to outlive it is for you to decide.

See: argo-cd#9853, argo-cd#12388, https://argo-cd.readthedocs.io/en/stable/user-guide/sync-options/

Bad:
    apiVersion: v1
    kind: PersistentVolumeClaim
    metadata:
      name: database
      annotations:
        argocd.argoproj.io/sync-options: Prune=false  # <- here
Good:
    apiVersion: v1
    kind: PersistentVolumeClaim
    metadata:
      name: database
      annotations:
        argocd.argoproj.io/sync-options: Prune=false,Delete=false
"""

from collections.abc import Iterator
from typing import Final

from ...linter.api import App, Cause, Finding, Fix, Moment, Repo, Resource, Severity, rule
from ...linter.dialects.spelling import is_placeholder
from ...linter.kubernetes.annotations.hooks import SYNC_OPTIONS
from ...linter.kubernetes.annotations.option_lists import with_option
from ...linter.repo.data_holders import StatefulObjects

RESOURCE_POLICY: Final = "helm.sh/resource-policy"

TOGETHER: Final = Cause("Prune=false without Delete=false", "{count} objects have Prune=false, but not Delete=false")
"""Whoever keeps them decides that once, for all of the repository."""


@rule("GL505", Severity.WARNING, Moment.REMOVAL, of_fetched=False)
def check(repo: Repo) -> Iterator[Finding]:
    stateful = StatefulObjects(repo)
    for resource in repo.resources:
        options = resource.annotation(SYNC_OPTIONS)
        if options.absent or "Prune=" not in options.text or is_placeholder(options.text) or resource.is_hook:
            continue
        if resource.group_kind != "Namespace" and stateful.loss(resource) is None:
            continue
        half = [app for app in repo.apps_with(resource) if _is_half_protected(app, resource)]
        if half and resource.annotation(RESOURCE_POLICY).text != "keep":
            yield _finding(resource, half)


def _is_half_protected(app: App, resource: Resource) -> bool:
    effective = app.options_for(resource)
    return effective.prune != "true" and effective.delete == "true"


def _finding(resource: Resource, apps: list[App]) -> Finding:
    cascading = next((app.application for app in apps if app.application and app.application.cascades), None)
    options = resource.annotation(SYNC_OPTIONS)
    when = (
        f"{cascading} has the finalizer: if it is deleted, this is" if cascading else "If its Application is, this is"
    )
    inside = ", with everything in it" if resource.group_kind == "Namespace" else ""
    return Finding(
        options,
        headline=f"{resource} has Prune=false, but not Delete=false",
        happens=f"{when}, too{inside}.",
        do="Add Delete=false.",
        fixes=(Fix("add Delete=false", options.set(with_option(options.text, "Delete=false")), safe=False),),
        severity=Severity.WARNING if cascading else Severity.NOTE,
        cause=TOGETHER,
    )
