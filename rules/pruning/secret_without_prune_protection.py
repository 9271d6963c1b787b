"""A Secret without Prune=false is deleted as soon as its manifest leaves git.

A file that is moved, renamed or dropped by mistake is enough: a sync that
prunes deletes what is no longer in git, and with a Secret goes what every
workload reads from it. The same holds for the objects that make a Secret and
own it: a SealedSecret, an ExternalSecret, a VaultStaticSecret take theirs with
them. It is a note, one for an Application: what comes back with a revert is no loss, and
Prune=false everywhere leaves orphans. It is a warning for what gives Argo CD access to a
cluster, where the Application prunes automatically: with the cluster goes all that is synced there,
and not even the revert can be. Access to a repository comes back from the store that the
object names, or by hand in a minute: a note. Where several Applications have the object, the one that
prunes decides.

Prune=false is read from the object in the cluster, so it protects only once it
has been synced, before the removal. The removed object then stays, and the
Application shows as OutOfSync. It does not protect from the deletion of the
Application (that takes Delete=false) nor of the namespace. helm.sh/resource-policy:
keep is not looked at when Argo CD prunes.

Silent for hooks, which are never pruned, for an object that leaves its Secret in
place (an ExternalSecret with creationPolicy: Orphan or Merge, a VaultStaticSecret
without destination.create), for tokens of service accounts, which Kubernetes fills in
again, for generated Secrets with a hash in their name, whose old ones are meant to go,
and where the Application has Prune=false or Prune=confirm among its syncOptions, which
counts since Argo CD 3.4.

Fix: add Prune=false to the annotation argocd.argoproj.io/sync-options, or
Prune=confirm (Argo CD 2.14 and later) to be asked. The fix is unsafe: it changes
nothing as long as the object is in git, but what becomes of it afterwards is for you
to decide.

See: argo-cd#9853, argo-cd#15058, https://argo-cd.readthedocs.io/en/stable/user-guide/sync-options/

Bad:
    apiVersion: v1
    kind: Secret  # <- here
    metadata:
      name: database
      annotations:
        argocd.argoproj.io/sync-wave: "-1"
Good:
    apiVersion: v1
    kind: Secret
    metadata:
      name: database
      annotations:
        argocd.argoproj.io/sync-wave: "-1"
        argocd.argoproj.io/sync-options: Prune=false
"""

from collections.abc import Iterator
from typing import Final

from ...linter.api import App, Cause, Finding, Fix, Moment, Repo, Resource, Severity, rule, table
from ...linter.argocd.clusters import SECRET_TYPE
from ...linter.dialects.spelling import is_placeholder
from ...linter.kubernetes.annotations.hooks import HELM_HOOK, HOOK, SYNC_OPTIONS
from ...linter.kubernetes.annotations.option_lists import with_option
from ...linter.repo.sources.kustomize_builds import has_hash

SERVICE_ACCOUNT_TOKEN: Final = "kubernetes.io/service-account-token"


@rule("GL501", Severity.WARNING, Moment.REMOVAL, of_fetched=False)
def check(repo: Repo) -> Iterator[Finding]:
    kinds = table("secret-kinds.json")["kinds"]
    for secret in repo.resources:
        if secret.group_kind not in kinds or not _can_be_pruned(secret) or not _takes_its_secret_along(secret):
            continue
        if has_hash(secret) or secret["type"].text == SERVICE_ACCOUNT_TOKEN:
            continue
        unprotected = [app for app in repo.apps_with(secret) if app.options_for(secret).prune == "true"]
        if not unprotected:
            continue
        pruning = next((app for app in unprotected if app.prunes), None)
        annotation = secret.annotation(SYNC_OPTIONS)
        yield Finding(
            annotation if annotation.present else secret["kind"],
            headline=f"{secret} is deleted when it leaves git",
            happens=_happens(secret, pruning),
            do="Add Prune=false, and sync that before a removal; it takes Delete=false to outlive the Application.",
            fixes=(Fix("add Prune=false", annotation.set(with_option(annotation.text, "Prune=false")), safe=False),),
            severity=Severity.WARNING if pruning and "cluster" in _doors(secret) else Severity.NOTE,
            cause=_cause(pruning),
        )


def _can_be_pruned(secret: Resource) -> bool:
    annotation = secret.annotation(SYNC_OPTIONS)
    if secret.annotation(HOOK).present or (secret.annotation(HELM_HOOK).present and secret.is_hook):
        return False
    return annotation.absent or (isinstance(annotation.value, str) and not is_placeholder(annotation.text))


def _takes_its_secret_along(secret: Resource) -> bool:
    condition = table("secret-kinds.json")["kinds"][secret.group_kind].get("ownsItsSecretIf")
    return condition is None or secret.node.at(*condition["path"]).value in condition["values"]


def _cause(pruning: App | None) -> Cause | None:
    """One Application, one decision."""
    application = pruning.application if pruning else None
    if application is None:
        return None
    key = f"Application {application.namespace}/{application.name}"
    return Cause(key, f"{{count}} objects that make Secrets of {application.name!r} are deleted when they leave git")


def _doors(secret: Resource) -> set[str]:
    """What it lets Argo CD into, a repository or a cluster, by its own label or the one that its template gives."""
    template = secret["spec"]["target"]["template"]["metadata"]["labels"]
    sealed = secret["spec"]["template"]["metadata"]["labels"]
    return {text for labels in (secret.labels, template, sealed) if (text := labels[SECRET_TYPE].text)}


def _happens(secret: Resource, pruning: App | None) -> str:
    who = f"{pruning.application} prunes automatically" if pruning else "Any sync that prunes removes it"
    lost = "Argo CD loses access by it" if _doors(secret) else "its workloads lose what they read"
    return f"{who}; if its file is moved or dropped by mistake, {lost}."
