"""Workloads: selectors, containers and what they mount, policies that do not go together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ...dialects.cron import CronError, parse_schedule
from ...dialects.quantities import amount
from ...yaml.source import Node
from ..pods import pod_spec
from ..resource import Resource
from .refused import Refused, is_open, path_of_pods

_SELECTING: Final = ("Deployment", "StatefulSet", "DaemonSet", "ReplicaSet")
_HANDLERS: Final = ("exec", "httpGet", "tcpSocket", "grpc")
_PROBES: Final = ("livenessProbe", "readinessProbe", "startupProbe")
_MISMATCH: Final = "`selector` does not match template `labels`"


def selectors(workload: Resource) -> Iterator[Refused]:
    if workload.kind not in _SELECTING or workload["spec"].absent:
        return
    written = workload["spec"]["selector"]
    if written.is_mapping and not any(True for _ in written.items()):
        words = f"empty selector is invalid for {workload.kind.lower()}"
        yield Refused(written, "spec.selector", words, "Select the labels of the pods.")
    selector = written["matchLabels"]
    labels = workload["spec"]["template"]["metadata"]["labels"]
    for key, wanted in selector.items():
        got = labels[key]
        if is_open(key) or is_open(wanted.text) or is_open(got.text) or not wanted.text:
            continue
        if got.absent or (got.text and got.text != wanted.text):
            path = "spec.template.metadata.labels"
            advice = f"Give the pods the label {key}: {wanted.text}."
            yield Refused(got if got.present else wanted, path, _MISMATCH, advice)


def schedules(cron_job: Resource) -> Iterator[Refused]:
    """``@hourly`` and its like are fine; a time zone has a field of its own."""
    schedule = cron_job["spec"]["schedule"]
    text = schedule.text
    if not text or text.startswith("@") or is_open(text):
        return
    if "TZ" in text:
        words = "cannot use TZ or CRON_TZ in schedule, use timeZone field instead"
        yield Refused(schedule, "spec.schedule", words, "Move the zone to timeZone.")
        return
    try:
        parse_schedule(text)
    except CronError as error:
        words, advice = f'Invalid value: "{text}"', f"Correct the schedule: {error}."
        yield Refused(schedule, "spec.schedule", words, advice)


def job_selectors(job: Resource) -> Iterator[Refused]:
    """The server makes both itself, from a uid that git cannot know."""
    if job["spec"]["manualSelector"].value is True:
        return
    for key, value in job["spec"]["selector"]["matchLabels"].items():
        if key.endswith("controller-uid"):
            words = "`selector` not auto-generated"
            yield Refused(value, "spec.selector", words, "Take the selector and these labels of the template away.")
            return
    labels = job["spec"]["template"]["metadata"]["labels"]
    for key, value in labels.items():
        if key.endswith("controller-uid"):
            yield Refused(value, "spec.template.metadata.labels", "must be the uid of the Job", f"Take {key} away.")
            return


def policies(workload: Resource) -> Iterator[Refused]:
    spec = workload["spec"]
    if workload.kind == "Deployment" and spec["strategy"]["type"].text == "Recreate":
        rolling = spec["strategy"]["rollingUpdate"]
        if rolling.is_mapping and any(True for _ in rolling.items()):
            words = "Forbidden: may not be specified when strategy `type` is 'Recreate'"
            yield Refused(rolling, "spec.strategy.rollingUpdate", words, "Take rollingUpdate away.")
    restart = spec["template"]["spec"]["restartPolicy"]
    if workload.kind in _SELECTING and restart.text in ("Never", "OnFailure"):
        path = "spec.template.spec.restartPolicy"
        words = f'Unsupported value: "{restart.text}": supported values: "Always"'
        yield Refused(restart, path, words, "Take restartPolicy away, or make it a Job.")


def pods(workload: Resource) -> Iterator[Refused]:
    pod = pod_spec(workload)
    if pod is None or not pod["containers"].is_sequence:
        return
    volumes = {one["name"].text for one in pod["volumes"]}
    volumes |= {one["metadata"]["name"].text for one in workload["spec"]["volumeClaimTemplates"]}
    is_checked = not any(map(is_open, volumes))
    base = path_of_pods(workload)
    for field in ("initContainers", "containers"):
        for index, container in enumerate(pod[field]):
            path = f"{base}.{field}[{index}]"
            if is_checked:
                mounts = _mounts(container, path, volumes)
                yield from (one._replace(in_parts=workload.kind != "StatefulSet") for one in mounts)
            yield from _container(container, path)


def _mounts(container: Node, path: str, volumes: set[str]) -> Iterator[Refused]:
    for index, mount in enumerate(container["volumeMounts"]):
        name = mount["name"]
        if name.text and name.text not in volumes and not is_open(name.text):
            words, advice = f'Not found: "{name.text}"', f"Add a volume {name.text}, or correct the name."
            yield Refused(name, f"{path}.volumeMounts[{index}].name", words, advice)


def _container(container: Node, path: str) -> Iterator[Refused]:
    for probe in _PROBES:
        handlers = [one for one in _HANDLERS if container[probe][one].present]
        if len(handlers) > 1:
            words = "Forbidden: may not specify more than 1 handler type"
            yield Refused(container[probe][handlers[1]], f"{path}.{probe}.{handlers[1]}", words, "Keep one of them.")
    limits, requests = container["resources"]["limits"], container["resources"]["requests"]
    for name, asked in requests.items():
        limit = limits[name]
        wanted, most = amount(asked.value), amount(limit.value)
        if wanted is not None and most is not None and wanted > most:
            words = f"must be less than or equal to {name} limit of {limit.scalar_text}"
            yield Refused(asked, f"{path}.resources.requests", words, "Lower the request, or raise the limit.")
