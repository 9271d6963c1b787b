"""Data that a prune deletes: a claim, a database or a queue that leaves git leaves the cluster.

A file that is moved, renamed or dropped by mistake is enough: a sync that prunes deletes
what is no longer in git. With a PersistentVolumeClaim goes its volume, with a database of
an operator (CloudNativePG, Elasticsearch, RabbitMQ and others) its volumes, with a KafkaTopic
its messages. It is a warning where the Application prunes automatically, else a note,
since any sync can be run with pruning. Where the repository shows that the data outlive the
claim (a StorageClass, also one in the values of its chart, or a volume that retains; a volume bound
by hand) or are filled in from elsewhere (dataSourceRef), and for what is called a cache or a benchmark, it is a
note, too. All that one repository has is one finding: to protect data is one decision.

A Namespace counts where it holds such an object that is itself protected: if the Namespace
is pruned, that protection is worth nothing. (Namespaces that several Applications use are
shared-namespace-unprotected's.)

Objects that leave their volumes behind are left alone: StatefulSets, unless their
persistentVolumeClaimRetentionPolicy says Delete, and operators that do likewise. So are
CRDs, which Argo CD never prunes. Prune=false is read from the object in the cluster, so it
protects only once it has been synced.

Fix: add Prune=false,Delete=false to the annotation argocd.argoproj.io/sync-options
(Prune=confirm and Delete=confirm ask instead, since Argo CD 2.14). The fix is unsafe: it
changes nothing as long as the object is in git, but what becomes of it afterwards is for
you to decide.

See: argo-cd#9853, argo-cd#15058, argo-cd#24408, Altinity/clickhouse-operator#1272

Bad:
    apiVersion: v1
    kind: PersistentVolumeClaim  # <- here
    metadata:
      name: database
    spec:
      accessModes: [ReadWriteOnce]
Good:
    apiVersion: v1
    kind: PersistentVolumeClaim
    metadata:
      name: database
      annotations:
        argocd.argoproj.io/sync-options: Prune=false,Delete=false
    spec:
      accessModes: [ReadWriteOnce]
"""

from collections.abc import Iterator
from functools import reduce
from typing import Final

from ...linter.api import App, Cause, Finding, Fix, Moment, Repo, Resource, Severity, rule
from ...linter.dialects.spelling import is_placeholder
from ...linter.kubernetes.annotations.hooks import SYNC_OPTIONS
from ...linter.kubernetes.annotations.option_lists import with_option
from ...linter.repo.data_holders import Loss, StatefulObjects

TOGETHER: Final = Cause("data that prunes delete", "{count} objects with data are deleted when they leave git")
"""Whoever protects data decides that once, for all of the repository."""


@rule("GL504", Severity.WARNING, Moment.REMOVAL)
def check(repo: Repo) -> Iterator[Finding]:
    stateful = StatefulObjects(repo)
    protected: dict[str, Resource] = {}
    for resource in repo.resources:
        loss = stateful.loss(resource)
        if loss is not None and not resource.is_hook and not is_placeholder(resource.annotation(SYNC_OPTIONS).text):
            unprotected = _unprotected(resource, repo)
            if unprotected:
                yield _finding(resource, loss, unprotected)
            elif resource.namespace:
                protected[resource.namespace] = resource
    yield from _namespaces(repo, protected)


def _unprotected(resource: Resource, repo: Repo) -> list[App]:
    return [app for app in repo.apps_with(resource) if app.options_for(resource).prune == "true"]


def _namespaces(repo: Repo, protected: dict[str, Resource]) -> Iterator[Finding]:
    for namespace in repo.resources if protected else ():
        inside = protected.get(namespace.name) if namespace.group_kind == "Namespace" else None
        owners = _unprotected(namespace, repo) if inside else []
        if inside is None or namespace.is_hook or not owners or _is_shared(namespace, owners, repo):
            continue
        yield _finding(namespace, Loss(f"with everything in it, also {inside}, which is protected", True), owners)


def _is_shared(namespace: Resource, owners: list[App], repo: Repo) -> bool:
    names = {app.name for app in owners}
    users = (app for app in repo.applications if app.application and app.name not in names)
    return any(app.application and app.application.destination.namespace == namespace.name for app in users)


def _is_passing(resource: Resource) -> bool:
    return any(word in resource.name.lower() for word in ("cache", "tmp", "temp", "benchmark", "fio-"))


def _finding(resource: Resource, loss: Loss, apps: list[App]) -> Finding:
    pruning = next((app.application for app in apps if app.prunes), None)
    when = f"{pruning} prunes automatically" if pruning else "Any sync can be run with pruning"
    missing = ["Prune=false"] + ["Delete=false"] * all(app.options_for(resource).delete == "true" for app in apps)
    annotation = resource.annotation(SYNC_OPTIONS)
    options = reduce(with_option, missing, annotation.text)
    return Finding(
        annotation if annotation.present else resource["kind"],
        headline=f"{resource} is deleted when it leaves git",
        happens=f"{when}; a file that was moved or dropped by mistake deletes it, {loss.words}.",
        do=f"Add {','.join(missing)}, and sync that before a removal.",
        fixes=(Fix(f"add {','.join(missing)}", annotation.set(options), safe=False),),
        severity=Severity.WARNING if pruning and loss.certain and not _is_passing(resource) else Severity.NOTE,
        cause=TOGETHER if pruning else None,
    )
