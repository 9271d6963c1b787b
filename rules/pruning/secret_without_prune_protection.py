"""A Secret without Prune=false is deleted as soon as its manifest leaves git.

A file that is moved, renamed or dropped by mistake is enough: a sync that
prunes deletes what is no longer in git, and with a Secret goes what every
workload reads from it. The same holds for the objects that make a Secret and
own it: a SealedSecret, an ExternalSecret, a VaultStaticSecret take theirs with
them. A warning when the Application prunes automatically, else a note, since
any sync can be run with pruning.

Prune=false is read from the object in the cluster, so it protects only once it
has been synced, before the removal. The removed object then stays, and the
Application shows as OutOfSync. It does not protect from the deletion of the
Application (that takes Delete=false) nor of the namespace. helm.sh/resource-policy:
keep is not looked at when Argo CD prunes.

Silent for hooks, which are never pruned, and for an object that leaves its
Secret in place (an ExternalSecret with creationPolicy: Orphan or Merge, a
VaultStaticSecret without destination.create).

Fix: add Prune=false to the annotation argocd.argoproj.io/sync-options, or
Prune=confirm (Argo CD 2.14 and later) to be asked. The fix is safe: it changes
nothing as long as the object is in git.

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

from ...linter.argo.hooks import HELM_HOOK, HOOK, SYNC_OPTIONS
from ...linter.argo.spelling import is_placeholder, respelled
from ...linter.knowledge import table
from ...linter.model import App
from ...linter.resource import Resource
from ...linter.rule import Finding, Fix, Severity, rule
from ...linter.source import Node


@rule("GL501", Severity.WARNING)
def check(app: App) -> Iterator[Finding]:
    kinds = table("secret-kinds.json")["kinds"]
    for secret in app.resources:
        if secret.group_kind in kinds and _can_be_pruned(secret) and _takes_its_secret_along(secret):
            annotation = secret.annotation(SYNC_OPTIONS)
            yield Finding(
                annotation if annotation.present else secret["kind"],
                _message(secret, app),
                (Fix("add Prune=false", annotation.set(_with_protection(annotation, secret)), safe=True),),
                severity=Severity.WARNING if app.options.prunes else Severity.NOTE,
            )


def _can_be_pruned(secret: Resource) -> bool:
    annotation = secret.annotation(SYNC_OPTIONS)
    if secret.annotation(HOOK).present or (secret.annotation(HELM_HOOK).present and secret.is_hook):
        return False
    if annotation.present and (not isinstance(annotation.value, str) or is_placeholder(annotation.text)):
        return False
    return secret.sync_option("Prune") not in ("false", "confirm")


def _takes_its_secret_along(secret: Resource) -> bool:
    condition = table("secret-kinds.json")["kinds"][secret.group_kind].get("ownsItsSecretIf")
    return condition is None or secret.node.at(*condition["path"]).value in condition["values"]


def _with_protection(annotation: Node, secret: Resource) -> str:
    text = annotation.text.strip()
    written = [item for item in secret.sync_options if item.startswith("Prune=")]
    if written:  # the first of them is the one that counts
        return respelled(text, {written[0]: "Prune=false"})
    separator = ", " if ", " in text else ","
    return f"{text.rstrip(', ')}{separator}Prune=false" if secret.sync_options else "Prune=false"


def _message(secret: Resource, app: App) -> str:
    when = "since its Application prunes automatically" if app.options.prunes else "by any sync that prunes"
    return (
        f"{secret} is deleted when it leaves git, {when}; Prune=false keeps it, if it was synced before the removal"
        " (deleting the Application takes Delete=false, too)"
    )
