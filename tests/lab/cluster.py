"""A Kubernetes control plane in three processes: etcd, the API server, the controller manager.

There is no scheduler and no kubelet: pods.py plays both. The API server keeps an audit log of
every write, so that the order in which Argo CD applied things is known and not guessed.
"""

from __future__ import annotations

import json
import secrets
import subprocess
from pathlib import Path

from . import building
from .api import Api, ApiError
from .processes import LOOPBACK, Processes, answers, free_port

USERS = (
    "lab",
    "controllers",
    "kubelet",
    "argocd-application-controller",
    "argocd-applicationset-controller",
    "argocd-repo-server",
)
"""Who may write, each under its own name: the audit log tells them apart."""

_AUDIT_POLICY = {
    "apiVersion": "audit.k8s.io/v1",
    "kind": "Policy",
    "omitStages": ["RequestReceived"],
    "rules": [
        {"level": "Metadata", "verbs": ["create", "update", "patch", "delete", "deletecollection"]},
        {"level": "None"},
    ],
}


class Cluster:
    def __init__(self, folder: Path, processes: Processes, version: str) -> None:
        self._folder, self._processes = folder, processes
        self._release = building.kubernetes(version)
        self.port = free_port()
        self.audit_log = folder / "audit.log"
        self._tokens = {user: secrets.token_hex() for user in USERS}

    def api(self, user: str = "lab") -> Api:
        return Api(self.port, self._tokens[user])

    def kubeconfig(self, user: str) -> Path:
        """For a program that wants a file. JSON is YAML."""
        path = self._folder / f"{user}.kubeconfig"
        server = {"server": f"https://{LOOPBACK}:{self.port}", "insecure-skip-tls-verify": True}
        config = {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "lab",
            "clusters": [{"name": "lab", "cluster": server}],
            "users": [{"name": user, "user": {"token": self._tokens[user]}}],
            "contexts": [{"name": "lab", "context": {"cluster": "lab", "user": user, "namespace": "argocd"}}],
        }
        path.write_text(json.dumps(config))
        return path

    def start(self) -> None:
        store = free_port()
        self._start_etcd(store)
        key = self._folder / "service-accounts.key"
        subprocess.run(["openssl", "genrsa", "-out", str(key), "2048"], check=True, capture_output=True)
        self._start_api_server(store, key)
        self._processes.start(
            "kube-controller-manager",
            [
                self._release.program("kube-controller-manager"),
                f"--kubeconfig={self.kubeconfig('controllers')}",
                f"--service-account-private-key-file={key}",
                "--use-service-account-credentials=false",
                "--leader-elect=false",
                "--secure-port=0",
                # Nobody is a node here: what watches them would evict the pods that we play.
                "--controllers=*,-node-lifecycle-controller,-node-ipam-controller,-service-lb-controller,-cloud-node-lifecycle-controller,-node-route-controller",
                "--pvclaimbinder-sync-period=1s",
                "--kube-api-qps=500",
                "--kube-api-burst=1000",
            ],
        )

    def _start_etcd(self, port: int) -> None:
        peer = free_port()
        self._processes.start(
            "etcd",
            [
                building.etcd().program("etcd"),
                f"--data-dir={self._folder / 'etcd'}",
                f"--listen-client-urls=http://{LOOPBACK}:{port}",
                f"--advertise-client-urls=http://{LOOPBACK}:{port}",
                f"--listen-peer-urls=http://{LOOPBACK}:{peer}",
                f"--initial-advertise-peer-urls=http://{LOOPBACK}:{peer}",
                f"--initial-cluster=default=http://{LOOPBACK}:{peer}",
                "--unsafe-no-fsync",
                "--log-level=error",
            ],
            ready=lambda: answers(port),
        )

    def _start_api_server(self, store: int, key: Path) -> None:
        policy, tokens = self._folder / "audit-policy.json", self._folder / "tokens.csv"
        policy.write_text(json.dumps(_AUDIT_POLICY))
        tokens.write_text("".join(f'{self._tokens[user]},{user},{user},"system:masters"\n' for user in USERS))
        self._processes.start(
            "kube-apiserver",
            [
                self._release.program("kube-apiserver"),
                f"--etcd-servers=http://{LOOPBACK}:{store}",
                f"--secure-port={self.port}",
                f"--bind-address={LOOPBACK}",
                f"--cert-dir={self._folder / 'certificates'}",
                f"--token-auth-file={tokens}",
                "--authorization-mode=RBAC",
                "--allow-privileged=true",  # as every installer sets it
                "--service-cluster-ip-range=10.96.0.0/16",
                "--service-account-issuer=https://lab.invalid",
                f"--service-account-key-file={key}",
                f"--service-account-signing-key-file={key}",
                # A pod needs no account here, and the defaults of a limit range are no question of ours.
                "--disable-admission-plugins=ServiceAccount",
                f"--audit-policy-file={policy}",
                f"--audit-log-path={self.audit_log}",
                "--audit-log-mode=blocking",
                "--max-requests-inflight=2000",
                "--max-mutating-requests-inflight=1000",
                "--v=0",
            ],
            ready=self._is_ready,
        )

    def _is_ready(self) -> bool:
        try:
            return self.api().request("GET", "/readyz").get("text") == "ok"
        except (ApiError, OSError):
            return False
