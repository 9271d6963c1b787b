"""The Pod Security standards, as far as a pod's spec tells."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from ..yaml.source import Node
from .pods import containers

ENFORCE: Final = "pod-security.kubernetes.io/enforce"

_HOST: Final = ("hostNetwork", "hostPID", "hostIPC")
_BASELINE: Final = frozenset(
    (
        "AUDIT_WRITE CHOWN DAC_OVERRIDE FOWNER FSETID KILL MKNOD NET_BIND_SERVICE SETFCAP SETGID SETPCAP SETUID"
        " SYS_CHROOT"
    ).split()
)
"""Capabilities that a container has anyway."""
_PROFILES: Final = ("RuntimeDefault", "Localhost")


class Violation(NamedTuple):
    at: Node
    words: str


def first_violation(pod: Node, level: str) -> Violation | None:
    """What the standard refuses first; None where it takes the pod, or is none that is known."""
    if not pod["containers"].is_sequence or level not in ("baseline", "restricted"):
        return None
    for violation in _baseline(pod):
        return violation
    return next(_restricted(pod), None) if level == "restricted" else None


def _baseline(pod: Node) -> Iterator[Violation]:
    for field in _HOST:
        if pod[field].value is True:
            yield Violation(pod[field], f"{field}: true")
    for volume in pod["volumes"]:
        if volume["hostPath"].present:
            yield Violation(volume["hostPath"], "a hostPath volume")
    for container in containers(pod):
        security = container["securityContext"]
        if security["privileged"].value is True:
            yield Violation(security["privileged"], "a privileged container")
        for added in security["capabilities"]["add"]:
            if added.text and added.text not in _BASELINE:
                yield Violation(added, f"the capability {added.text}")
        for port in container["ports"]:
            if port["hostPort"].value:
                yield Violation(port["hostPort"], "a hostPort")


def _restricted(pod: Node) -> Iterator[Violation]:
    of_pod = pod["securityContext"]
    for container in containers(pod):
        own = container["securityContext"]
        at = own if own.present else container["name"]
        if own["allowPrivilegeEscalation"].value is not False:
            yield Violation(at, "allowPrivilegeEscalation is not false")
        if "ALL" not in [one.text for one in own["capabilities"]["drop"]]:
            yield Violation(at, "capabilities are not dropped")
        if not _is_set(own["runAsNonRoot"], of_pod["runAsNonRoot"], True):
            yield Violation(at, "runAsNonRoot is not true")
        if (own["seccompProfile"]["type"].text or of_pod["seccompProfile"]["type"].text) not in _PROFILES:
            yield Violation(at, "no seccompProfile")


def _is_set(own: Node, of_pod: Node, wanted: bool) -> bool:
    """The container's word before the pod's."""
    return (own if own.present else of_pod).value is wanted
