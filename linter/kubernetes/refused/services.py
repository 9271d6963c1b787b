"""Services and what scales or guards workloads: fields that do not go together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ...facts.regexes import regex
from ..resource import Resource
from .refused import Refused, is_open

_LABEL: Final = regex(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
_HIGHEST: Final = 65535


def service_ports(service: Resource) -> Iterator[Refused]:
    spec = service["spec"]
    if spec["type"].text == "ExternalName":
        if spec["externalName"].value in (None, ""):
            at = spec["externalName"]
            yield Refused(at, "spec.externalName", "Required value", "Write externalName.", in_parts=False)
    elif spec["clusterIP"].text != "None" and spec["ports"].value in (None, []):
        advice = "Write ports, or clusterIP: None."
        yield Refused(spec["ports"], "spec.ports", "Required value", advice, in_parts=False)
    ports = list(service["spec"]["ports"])
    seen: set[str] = set()
    for index, port in enumerate(ports):
        path, name = f"spec.ports[{index}]", port["name"]
        if not name.scalar_text and len(ports) > 1 and port.is_mapping:
            yield Refused(port["port"], f"{path}.name", "Required value", "Name the ports of a Service with several.")
        if name.text and name.text in seen:
            yield Refused(name, f"{path}.name", f'Duplicate value: "{name.text}"', "Give one of them another name.")
        elif name.text and not is_open(name.text) and not _LABEL.fullmatch(name.text):
            words = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-'"
            yield Refused(name, f"{path}.name", words, "Write the name in small letters, digits and dashes.")
        seen.add(name.text)
        number = port["port"].value
        if isinstance(number, int) and not 1 <= number <= _HIGHEST:
            words = f"must be between 1 and {_HIGHEST}, inclusive"
            yield Refused(port["port"], f"{path}.port", words, "Correct the number.")
        if port["nodePort"].value and service["spec"]["type"].text in ("", "ClusterIP"):
            words = "Forbidden: may not be used when `type` is 'ClusterIP'"
            yield Refused(port["nodePort"], f"{path}.nodePort", words, "Take nodePort away, or use type: NodePort.")


def disruption_budget(budget: Resource) -> Iterator[Refused]:
    spec = budget["spec"]
    if spec["minAvailable"].value is not None and spec["maxUnavailable"].value is not None:
        words = "minAvailable and maxUnavailable cannot be both set"
        yield Refused(spec["maxUnavailable"], "spec", words, "Keep one of the two.")


def autoscaler(scaler: Resource) -> Iterator[Refused]:
    least, most = scaler["spec"]["minReplicas"], scaler["spec"]["maxReplicas"]
    if isinstance(least.value, int) and isinstance(most.value, int) and most.value < least.value:
        words = "must be greater than or equal to `minReplicas`"
        yield Refused(most, "spec.maxReplicas", words, "Raise maxReplicas, or lower minReplicas.")
