"""An object as the API server keeps it, so far as that decides whether a field has changed.

What is written with its default is as good as not written, and so is what is
empty; quantities are numbers. Only for comparing: what is left out here is not
what the server leaves out.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, Final

from ...dialects.quantities import amount
from ...facts.tables import table
from ...kubernetes.resource import Resource

Row = tuple[tuple[str, ...], Any]

POD_SPECS: Final = {"batch/Job": ("spec", "template", "spec"), "Pod": ("spec",)}
CONTAINERS: Final = ("containers", "initContainers", "ephemeralContainers")
FREE_MAPS: Final = frozenset(
    "labels annotations matchLabels nodeSelector data binaryData stringData parameters volumeAttributes".split()
)
"""Maps with keys of their own: an entry with an empty text is an entry."""
QUANTITIES: Final = frozenset(("requests", "limits", "capacity", "hard"))
"""Maps from the name of a resource to how much of it."""
AMOUNTS: Final = frozenset(("sizeLimit", "divisor"))
ZEROES: Final = frozenset(
    "hostNetwork hostPID hostIPC stdin stdinOnce tty readOnly initialDelaySeconds hostPort manualSelector".split()
)
"""Fields without a third state: false, or zero, is the same as nothing. Of most others it is not."""


def stored(resource: Resource) -> Any:
    """To be compared with another of these, never to be shown."""
    value = resource.node.value
    for steps, default in _defaults(resource.group_kind):
        _strip(value, steps, default)
    pod = value
    for key in POD_SPECS.get(resource.group_kind, ("",)):
        pod = pod.get(key) if isinstance(pod, dict) else None
    if isinstance(pod, dict):
        _strip_pod(pod)
    return _pruned(value, "")


@cache
def _defaults(section: str) -> tuple[Row, ...]:
    rows = table("immutable-fields.json")["defaults"].get(section, ())
    return tuple((tuple(path.split(".")), default) for path, default in rows)


def _strip(value: Any, steps: Sequence[str], default: Any) -> None:
    """Take out what is no more than the default."""
    if not isinstance(value, dict):
        return
    key, rest = steps[0], steps[1:]
    if key.endswith("[]"):
        items = value.get(key[:-2])
        for item in items if isinstance(items, list) else ():
            _strip(item, rest, default)
    elif rest:
        _strip(value.get(key), rest, default)
    elif key in value and value[key] == default and isinstance(value[key], bool) == isinstance(default, bool):
        del value[key]


def _strip_pod(pod: dict[str, Any]) -> None:
    for steps, default in _defaults("pod"):
        _strip(pod, steps, default)
    account = pod.pop("serviceAccount", None)  # the old name of serviceAccountName
    pod.setdefault("serviceAccountName", account)
    for field in CONTAINERS:
        items = pod.get(field)
        for container in items if isinstance(items, list) else ():
            if isinstance(container, dict):
                for steps, default in _defaults("container"):
                    _strip(container, steps, default)
                if container.get("imagePullPolicy") == _pull_policy(container.get("image")):
                    del container["imagePullPolicy"]


def _pull_policy(image: Any) -> str:
    """What the API server fills in: it goes by the tag."""
    name = str(image).rpartition("/")[2]
    _, _, tag = name.partition("@")[0].partition(":")
    return "Always" if "@" not in name and tag in ("", "latest") else "IfNotPresent"


def _pruned(value: Any, key: str) -> Any:
    if isinstance(value, list):
        return [_pruned(item, "") for item in value]
    if not isinstance(value, dict):
        number = amount(value) if key in AMOUNTS else None
        return value if number is None else number
    if key in QUANTITIES:
        return {name: amount(one) if amount(one) is not None else one for name, one in value.items()}
    kept = {name: _pruned(one, name) for name, one in value.items()}
    return {name: one for name, one in kept.items() if not _is_nothing(one, name, key in FREE_MAPS)}


def _is_nothing(value: Any, key: str, in_free_map: bool) -> bool:
    if value is None:
        return True
    if in_free_map or key == "storageClassName":  # where "" asks for no class, and nothing for the default one
        return False
    return value == "" or value == {} or value == [] or (key in ZEROES and not value)
