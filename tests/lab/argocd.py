"""Argo CD as it is installed by default, without its web server: controller, repo-server, ApplicationSets, redis.

An Application is an object in the cluster, and a sync is asked for by its `operation`, as the
server would do it.
"""

from __future__ import annotations

import gzip
import json
import os
import shutil
import socket
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from . import building
from .api import Api, ApiError, Object
from .cluster import Cluster
from .processes import LOOPBACK, Processes, answers, free_port

NAMESPACE = "argocd"
REVISION_CACHE = 5
"""Seconds for which the repo-server does not ask git anew what a branch is; three minutes by default."""


EVERYTHING: Object = {
    "sourceRepos": ["*"],
    "destinations": [{"server": "*", "namespace": "*"}],
    "clusterResourceWhitelist": [{"group": "*", "kind": "*"}],
}


class ArgoCD:
    def __init__(self, folder: Path, processes: Processes, cluster: Cluster, version: str) -> None:
        self._folder, self._processes, self._cluster = folder, processes, cluster
        self._line, self._release = version, building.argocd(version)
        self._redis, self._repo_server = free_port(), free_port()
        self._probe = free_port()
        self._settings: dict[str, str] | None = None
        """What the release is installed with."""

    def start(self) -> None:
        self.install()
        self._start_redis()
        self._start_repo_server()
        program = self._release.program("argocd")
        servers = [f"--redis={LOOPBACK}:{self._redis}", f"--repo-server={LOOPBACK}:{self._repo_server}"]
        metrics = free_port()
        self._processes.start(
            "argocd-application-controller",
            [
                program,
                *servers,
                f"--kubeconfig={self._cluster.kubeconfig('argocd-application-controller')}",
                f"--metrics-port={metrics}",
                "--loglevel=info",
            ],
            self._environment("argocd-application-controller"),
            ready=lambda: answers(metrics),
        )
        addresses = {"metrics-addr": free_port(), "probe-addr": self._probe, "webhook-addr": free_port()}
        self._processes.start(
            "argocd-applicationset-controller",
            [
                program,
                f"--argocd-repo-server={LOOPBACK}:{self._repo_server}",
                "--enable-progressive-syncs",  # not the default; it is about sets with a strategy alone
                f"--kubeconfig={self._cluster.kubeconfig('argocd-applicationset-controller')}",
                *(f"--{name}={LOOPBACK}:{port}" for name, port in addresses.items()),
            ],
            self._environment("argocd-applicationset-controller"),
            ready=lambda: answers(self._probe),
        )

    def install(self) -> None:
        """CRDs and settings of the release itself, and the project that Argo CD's server would make."""
        api = self._cluster.api()
        api.create(api.core["Namespace"], {"metadata": {"name": NAMESPACE}})
        manifests = self._release.source / "manifests"
        for path in sorted((manifests / "crds").glob("*-crd.yaml")):
            _create(api, path)
        for path in sorted((manifests / "base" / "config").glob("argocd-*.yaml")):
            _create(api, path, NAMESPACE)
        secret = {"server.secretkey": "bGFiLWxhYi1sYWI="}
        api.patch(api.core["Secret"], "argocd-secret", {"data": secret}, NAMESPACE)
        project = {
            "apiVersion": "argoproj.io/v1alpha1",
            "kind": "AppProject",
            "metadata": {"name": "default", "namespace": NAMESPACE},
            "spec": EVERYTHING,
        }
        kind = _patiently(lambda: api.kind("argoproj.io/v1alpha1", "AppProject"))
        _patiently(lambda: api.create(kind, project))

    def settings(self, changes: Mapping[str, str]) -> None:
        """Entries of argocd-cm beside those of the release; the controllers see them at once."""
        api = self._cluster.api()
        kind = api.core["ConfigMap"]
        held = (api.get(kind, "argocd-cm", NAMESPACE) or {}).get("data") or {}
        if self._settings is None:
            self._settings = dict(held)
        wanted = {**self._settings, **changes}
        if wanted != held:
            api.patch(kind, "argocd-cm", {"data": {**dict.fromkeys(held), **wanted}}, NAMESPACE)

    def restore_project(self) -> None:
        """The default project as it was: a repository may bring one of its own."""
        api = self._cluster.api()
        kind = api.kind("argoproj.io/v1alpha1", "AppProject")
        held = api.get(kind, "default", NAMESPACE)
        if held is not None and held["spec"] != EVERYTHING:
            api.request("PUT", kind.path(NAMESPACE, "default"), {**held, "spec": EVERYTHING})

    def managed_resources(self, application: str) -> list[dict[str, Any]]:
        """What the controller compared, object by object: target, live, and both as it normalised them."""
        data = self._redis_get(f"app|managed-resources|{application}|1.8.3.gz")
        if data is None:
            return []
        found: list[dict[str, Any]] = json.loads(gzip.decompress(data)) or []
        return found

    def manifests(self, application: str) -> list[dict[str, Any]]:
        """What the repo-server generated for it, hooks included."""
        found = []
        for key in self._redis_keys(f"mfst|*|{application}|*"):
            answer = json.loads(gzip.decompress(self._redis_get(key) or b"") or b"{}")
            texts = (answer.get("manifestResponse") or {}).get("manifests") or []
            found += [json.loads(text) for text in texts]
        return found

    def forget(self) -> None:
        """What the repo-server has cached, so that an Application of the same name is a new one."""
        with socket.create_connection((LOOPBACK, self._redis), timeout=10) as one, one.makefile("rb") as answer:
            one.sendall(b"*1\r\n$8\r\nFLUSHALL\r\n")
            answer.readline()

    def _redis_keys(self, pattern: str) -> list[str]:
        with socket.create_connection((LOOPBACK, self._redis), timeout=10) as one, one.makefile("rb") as answer:
            name = pattern.encode()
            one.sendall(b"*2\r\n$4\r\nKEYS\r\n$%d\r\n%s\r\n" % (len(name), name))
            count = int(answer.readline()[1:])
            return [answer.read(int(answer.readline()[1:]) + 2)[:-2].decode() for _ in range(count)]

    def _redis_get(self, key: str) -> bytes | None:
        with socket.create_connection((LOOPBACK, self._redis), timeout=10) as one, one.makefile("rb") as answer:
            name = key.encode()
            one.sendall(b"*2\r\n$3\r\nGET\r\n$%d\r\n%s\r\n" % (len(name), name))
            size = int(answer.readline()[1:])
            return answer.read(size) if size >= 0 else None

    def _start_redis(self) -> None:
        self._processes.start(
            "redis",
            [building.redis(), "--bind", LOOPBACK, "--port", str(self._redis), "--save", "", "--appendonly", "no"],
            ready=lambda: answers(self._redis),
        )

    def _start_repo_server(self) -> None:
        self._processes.start(
            "argocd-repo-server",
            [
                self._release.program("argocd"),
                f"--redis={LOOPBACK}:{self._redis}",
                f"--address={LOOPBACK}",
                f"--port={self._repo_server}",
                f"--metrics-address={LOOPBACK}",
                f"--metrics-port={free_port()}",
            ],
            self._environment("argocd-repo-server") | {"ARGOCD_RECONCILIATION_TIMEOUT": f"{REVISION_CACHE}s"},
            ready=lambda: answers(self._repo_server),
        )

    def _environment(self, name: str) -> dict[str, str]:
        tools = self._folder / "bin"
        if not tools.exists():
            tools.mkdir()
            (tools / "helm").symlink_to(building.helm(self._line).program("helm"))
            (tools / "kustomize").symlink_to(building.kustomize(self._line).program("kustomize"))
            script = Path(shutil.copy(self._release.source / "hack" / "git-verify-wrapper.sh", tools))
            script.chmod(0o755)  # the repo-server asks it about the signature of every commit
        for part in ("tmp", "home", "tls", "ssh", "gpg", "plugins"):
            (self._folder / part).mkdir(exist_ok=True)
        return {
            "ARGOCD_BINARY_NAME": name,
            "ARGOCD_FAKE_IN_CLUSTER": "true",
            "ARGOCD_GPG_ENABLED": "false",
            "ARGOCD_TLS_DATA_PATH": str(self._folder / "tls"),
            "ARGOCD_SSH_DATA_PATH": str(self._folder / "ssh"),
            "ARGOCD_GNUPGHOME": str(self._folder / "gpg"),
            "ARGOCD_PLUGINSOCKFILEPATH": str(self._folder / "plugins"),
            "ARGOCD_RECONCILIATION_JITTER": "0",
            # Not the default: so that the health of each object can be read from the Application.
            "ARGOCD_APPLICATION_CONTROLLER_PERSIST_RESOURCE_HEALTH": "true",
            "KUBECONFIG": str(self._cluster.kubeconfig(name)),
            "TMPDIR": str(self._folder / "tmp"),
            "HOME": str(self._folder / "home"),
            "PATH": f"{tools}:{os.environ['PATH']}",
        }


def _create(api: Api, path: Path, namespace: str = "") -> None:
    for document in yaml.safe_load_all(path.read_text("utf-8")):
        if namespace:
            document["metadata"]["namespace"] = namespace
        kind = api.kind(document["apiVersion"], document["kind"])
        api.create(kind, document)


def _patiently(action: Any) -> Any:
    """A CRD is served a moment after it was created."""
    for _ in range(600):
        try:
            return action()
        except ApiError as error:
            last = error
            time.sleep(0.2)
    raise last


def application(name: str, spec: Mapping[str, Any], **metadata: Any) -> Object:
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"name": name, "namespace": NAMESPACE, **metadata},
        "spec": dict(spec),
    }
