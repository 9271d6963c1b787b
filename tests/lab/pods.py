"""Plays scheduler, kubelet and volume provisioner: pods start, end, fail or hang as a case says.

Without a word from the case a pod that restarts for ever becomes ready, any other one succeeds,
and a claim gets its volume when its storage class would give it one.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterator, Mapping
from typing import Any

from .api import Api, ApiError, Kind, Object

NODE = "lab-node"
BEHAVIOURS = ("ready", "succeed", "fail", "hang", "pending", "crash")
"""hang: runs, but is never ready and never ends. pending: no node takes it. crash: CrashLoopBackOff."""
_WHEN = "2020-01-01T00:00:00Z"


class Pods(threading.Thread):
    def __init__(self, api: Api) -> None:
        super().__init__(daemon=True, name="pods")
        self._api = api
        self._said: dict[str, str] = {}
        self._acted: dict[str, str] = {}
        self._ended = threading.Event()

    def behave(self, said: Mapping[str, str]) -> None:
        """A pattern of pod names → one of BEHAVIOURS."""
        unknown = set(said.values()) - set(BEHAVIOURS)
        if unknown:
            raise ValueError(f"pods cannot {', '.join(sorted(unknown))}; they can {', '.join(BEHAVIOURS)}")
        self._said = dict(said)
        self._acted = {uid: done for uid, done in self._acted.items() if done not in ("hang", "pending", "crash")}

    def run(self) -> None:
        while not self._ended.wait(0.25):
            try:
                self._look()
            except (ApiError, OSError, ValueError):
                time.sleep(0.2)  # changed under our hands: look again

    def stop(self) -> None:
        self._ended.set()

    def _look(self) -> None:
        kinds = self._api.core
        pods = self._api.list(kinds["Pod"])
        claims = self._api.list(kinds["PersistentVolumeClaim"])
        alone = {_place(one) for one in claims if one["spec"].get("accessModes") == ["ReadWriteOncePod"]}
        for pod in pods:
            held = {one for other in pods if other is not pod and _is_on_the_node(other) for one in _claims(other)}
            self._play(kinds["Pod"], pod, has_room=not alone & held & _claims(pod))
        for claim in claims:
            if claim.get("status", {}).get("phase") == "Pending" and not claim["spec"].get("volumeName"):
                self._provision(claim, pods)

    def _play(self, kind: Kind, pod: Object, has_room: bool) -> None:
        meta = pod["metadata"]
        namespace, name, uid = meta["namespace"], meta["name"], meta["uid"]
        if meta.get("deletionTimestamp"):
            self._api.delete(kind, name, namespace, gracePeriodSeconds="0")
            return
        behaviour = self._behaviour(pod) if self._has_all(pod) else "waiting"
        if not has_room and not _is_on_the_node(pod):
            behaviour = "pending"
        if self._acted.get(uid) == behaviour or pod.get("status", {}).get("phase") in ("Succeeded", "Failed"):
            return
        if behaviour != "pending":
            if not pod["spec"].get("nodeName"):
                target = {"apiVersion": "v1", "kind": "Node", "name": NODE}
                self._api.request(
                    "POST",
                    f"{kind.path(namespace, name)}/binding",
                    {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": name}, "target": target},
                )
                pod["spec"]["nodeName"] = NODE
            self._api.patch(kind, name, {"status": _status(pod, behaviour)}, namespace, "status")
        self._acted[uid] = behaviour

    def _has_all(self, pod: Object) -> bool:
        """A container does not start before the ConfigMaps and Secrets that it names are there."""
        namespace = pod["metadata"]["namespace"]
        return all(self._api.get(self._api.core[kind], name, namespace) for kind, name in set(_needed(pod["spec"])))

    def _behaviour(self, pod: Object) -> str:
        for pattern, behaviour in self._said.items():
            if re.match(pattern, pod["metadata"]["name"]):
                return behaviour
        return "ready" if pod["spec"].get("restartPolicy", "Always") == "Always" else "succeed"

    def _provision(self, claim: Object, pods: list[Object]) -> None:
        """A volume, if the class of the claim would make one now."""
        name, namespace = claim["metadata"]["name"], claim["metadata"]["namespace"]
        kinds = self._api.core
        chosen = self._api.get(kinds["StorageClass"], claim["spec"].get("storageClassName") or "-")
        if chosen is None or not chosen["provisioner"].startswith("lab.invalid/"):
            return
        if chosen.get("volumeBindingMode") == "WaitForFirstConsumer" and not any(
            volume.get("persistentVolumeClaim", {}).get("claimName") == name
            for pod in pods
            if pod["metadata"]["namespace"] == namespace
            for volume in pod["spec"].get("volumes") or []
        ):
            return
        volume = {
            "apiVersion": "v1",
            "kind": "PersistentVolume",
            "metadata": {"name": f"pv-{namespace}-{name}"},
            "spec": {
                "capacity": claim["spec"]["resources"]["requests"],
                "accessModes": claim["spec"]["accessModes"],
                "storageClassName": chosen["metadata"]["name"],
                "persistentVolumeReclaimPolicy": chosen.get("reclaimPolicy", "Delete"),
                "claimRef": {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "name": name, "namespace": namespace},
                "csi": {"driver": "lab.invalid", "volumeHandle": f"{namespace}-{name}"},
            },
        }
        self._api.create(kinds["PersistentVolume"], volume)


def _is_on_the_node(pod: Object) -> bool:
    return bool(pod["spec"].get("nodeName")) and pod.get("status", {}).get("phase") not in ("Succeeded", "Failed")


def _claims(pod: Object) -> set[tuple[str, str]]:
    """The claims that it uses, as (namespace, name). One with ReadWriteOncePod no second pod may use."""
    volumes = pod["spec"].get("volumes") or []
    names = {volume["persistentVolumeClaim"]["claimName"] for volume in volumes if "persistentVolumeClaim" in volume}
    return {(pod["metadata"]["namespace"], name) for name in names}


def _place(one: Object) -> tuple[str, str]:
    return one["metadata"]["namespace"], one["metadata"]["name"]


def _needed(spec: Object) -> Iterator[tuple[str, str]]:
    for container in [*(spec.get("initContainers") or []), *spec["containers"]]:
        for source in container.get("envFrom") or []:
            yield from _named(source, "configMapRef", "secretRef")
        for variable in container.get("env") or []:
            yield from _named(variable.get("valueFrom") or {}, "configMapKeyRef", "secretKeyRef")
    for volume in spec.get("volumes") or []:
        yield from _named(volume, "configMap", "secret")


def _named(holder: Object, config_map: str, secret: str) -> Iterator[tuple[str, str]]:
    for key, kind in ((config_map, "ConfigMap"), (secret, "Secret")):
        found = holder.get(key) or {}
        name = found.get("name") or found.get("secretName")
        if name and not found.get("optional"):
            yield kind, name


def _status(pod: Object, behaviour: str) -> dict[str, Any]:
    ready, ended = behaviour == "ready", behaviour in ("succeed", "fail")
    phase = {"succeed": "Succeeded", "fail": "Failed", "waiting": "Pending"}.get(behaviour, "Running")
    conditions = [
        {"type": kind, "status": "True" if value else "False", "lastTransitionTime": _WHEN}
        for kind, value in (
            ("PodScheduled", True),
            ("Initialized", True),
            ("ContainersReady", ready),
            ("Ready", ready),
        )
    ]
    return {
        "phase": phase,
        "startTime": _WHEN,
        "podIP": "10.0.0.1",
        "podIPs": [{"ip": "10.0.0.1"}],
        "conditions": conditions,
        "containerStatuses": [
            {
                "name": container["name"],
                "image": container.get("image", ""),
                "imageID": "",
                "ready": ready,
                "started": not ended and behaviour != "waiting",
                "restartCount": 5 if behaviour == "crash" else 0,
                "state": _state(behaviour),
            }
            for container in pod["spec"]["containers"]
        ],
    }


def _state(behaviour: str) -> dict[str, Any]:
    if behaviour in ("succeed", "fail"):
        code = 1 if behaviour == "fail" else 0
        reason = "Error" if code else "Completed"
        return {"terminated": {"exitCode": code, "reason": reason, "startedAt": _WHEN, "finishedAt": _WHEN}}
    if behaviour == "crash":
        return {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off restarting failed container"}}
    if behaviour == "waiting":
        return {"waiting": {"reason": "CreateContainerConfigError", "message": "a ConfigMap or Secret is not found"}}
    return {"running": {"startedAt": _WHEN}}
