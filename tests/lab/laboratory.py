"""A whole lab: cluster, pods, git and Argo CD, in a folder that is gone afterwards."""

from __future__ import annotations

import shutil
import signal
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from .api import Api, ApiError, Kind, Object
from .argocd import ArgoCD
from .audit import AuditLog
from .cluster import Cluster
from .git_server import GitServer
from .pods import NODE, Pods
from .processes import Processes

STORAGE_CLASS = {
    "apiVersion": "storage.k8s.io/v1",
    "kind": "StorageClass",
    "metadata": {"name": "standard", "annotations": {"storageclass.kubernetes.io/is-default-class": "true"}},
    "provisioner": "lab.invalid/volumes",
    "volumeBindingMode": "WaitForFirstConsumer",
}
_TRANSIENT = {"Event", "Lease", "EndpointSlice", "Endpoints", "ControllerRevision", "IPAddress"}


class Identity(NamedTuple):
    kind: Kind
    namespace: str
    name: str


class Laboratory(NamedTuple):
    argocd_version: str
    kubernetes_version: str
    api: Api
    pods: Pods
    git: GitServer
    argocd: ArgoCD
    audit: AuditLog
    processes: Processes
    furniture: frozenset[tuple[str, str, str]]
    """What was there before any case, as (kind, namespace, name)."""

    def objects(self) -> Iterator[tuple[Identity, Object]]:
        """What a case has brought."""
        for kind in self.api.kinds():
            if kind.kind in _TRANSIENT or not {"list", "delete"} <= set(kind.verbs):
                continue
            for one in self.api.list(kind):
                if kind.kind == "APIService" and not one["spec"].get("service"):
                    continue  # the API server's own, one for each group
                identity = Identity(kind, one["metadata"].get("namespace", ""), one["metadata"]["name"])
                if not self._is_furniture(identity):
                    yield identity, {**one, "kind": kind.kind, "apiVersion": kind.api_version}

    def _is_furniture(self, identity: Identity) -> bool:
        key = (identity.kind.kind, identity.namespace, identity.name)
        return key in self.furniture or (
            identity.name in ("kube-root-ca.crt", "default")
            and identity.kind.kind
            in (
                "ConfigMap",
                "ServiceAccount",
            )
        )

    def clear(self, patience: float = 60) -> None:
        """The cluster as it was before the case. What does not go by itself loses its finalizers."""
        self.pods.behave({})
        self.argocd.settings({})
        self.argocd.restore_project()
        end = time.monotonic() + patience
        while left := list(self.objects()):
            if time.monotonic() > end:
                raise RuntimeError(f"these stay: {[str(identity[1:]) for identity, _ in left]}")
            # Applications first, so that no controller brings back what goes; webhooks next, so that nothing stops us.
            inhabited = {identity.namespace for identity, _ in left}
            for identity, one in sorted(left, key=lambda item: _goes(item[0].kind.kind)):
                # What is left in a namespace that is gone could not be touched any more.
                if identity.kind.kind != "Namespace" or identity.name not in inhabited:
                    self._remove(identity, one)
            time.sleep(0.1)

    def _remove(self, identity: Identity, one: Object) -> None:
        kind, namespace, name = identity
        try:
            if one["metadata"].get("finalizers"):
                self.api.patch(kind, name, {"metadata": {"finalizers": None}}, namespace)
            self.api.delete(kind, name, namespace, gracePeriodSeconds="0", propagationPolicy="Background")
            if kind.kind == "Namespace":
                body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}, "spec": {"finalizers": []}}
                self.api.request("PUT", f"{kind.path('', name)}/finalize", body)
        except ApiError:
            pass  # gone meanwhile, or still changing: the next round tells


def _goes(kind: str) -> int:
    order = ["ApplicationSet", "Application", "ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"]
    order += ["ValidatingAdmissionPolicyBinding", "CronJob", "Deployment", "StatefulSet", "DaemonSet", "Job"]
    return (
        order.index(kind)
        if kind in order
        else 98
        if kind == "Namespace"
        else 97
        if kind == "CustomResourceDefinition"
        else 50
    )


@contextmanager
def laboratory(argocd_version: str, kubernetes_version: str, keep: Path | None = None) -> Iterator[Laboratory]:
    for number in (signal.SIGTERM, signal.SIGINT):  # however we are asked to end, we end what we started
        signal.signal(number, signal.default_int_handler)
    folder = keep or Path(tempfile.mkdtemp(prefix="gitops-lint-lab-"))
    processes = Processes(folder / "logs")
    pods: Pods | None = None
    git: GitServer | None = None
    try:
        cluster = Cluster(folder, processes, kubernetes_version)
        cluster.start()
        api = cluster.api()
        node = {"metadata": {"name": NODE}, "status": {"conditions": [{"type": "Ready", "status": "True"}]}}
        api.create(api.core["Node"], node)
        api.create(api.core["StorageClass"], STORAGE_CLASS)
        pods = Pods(cluster.api("kubelet"))
        pods.start()
        git = GitServer(folder / "git")
        argocd = ArgoCD(folder, processes, cluster, argocd_version)
        argocd.start()
        audit = AuditLog(cluster.audit_log)
        bare = Laboratory(argocd_version, kubernetes_version, api, pods, git, argocd, audit, processes, frozenset())
        furniture = frozenset((i.kind.kind, i.namespace, i.name) for i, _ in bare.objects())
        yield bare._replace(furniture=furniture)
    finally:
        if pods:
            pods.stop()
        if git:
            git.stop()
        processes.stop()
        if keep is None:
            shutil.rmtree(folder, ignore_errors=True)
