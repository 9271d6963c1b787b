"""A number or boolean where Kubernetes takes only strings; the API server refuses the object.

The values of a ConfigMap, of a Secret's stringData, of environment variables, and
the items of command and args are strings. YAML makes numbers and booleans of what
is written without quotes: 8080, true, yes, 1e3, 0644. The object is refused ("cannot
unmarshal number into Go struct field … of type string"), so its sync
fails, every time.

Looked at are ConfigMaps, Secrets, and the containers of the built-in workloads and
of Rollouts, with the commands of their probes and lifecycle hooks. An empty value
is no fault: Kubernetes reads it as an empty string. Neither is an unquoted {{ x }},
which something else renders first. Annotations and labels have a rule of their own.

Fix: put quotes around the value. The fix is safe: it keeps what is written, and the
object cannot be applied as it is. There is none for a mapping or a list, nor for
the data of a Secret, which must be base64 and not just a string.

See: aws/aws-application-networking-k8s#323, argo-cd#20979

Bad:
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: settings
    data:
      PORT: 8080  # <- here
      DEBUG: off  # <- here
Good:
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: settings
    data:
      PORT: "8080"
      DEBUG: "off"
"""

from collections.abc import Iterator
from functools import reduce
from itertools import groupby
from typing import Final, NamedTuple

from ...linter.api import Finding, Fix, Moment, Node, Patch, Resource, Severity, rule
from ...linter.kubernetes.pods import KINDS, containers, pod_spec
from ...linter.yaml.quoting import is_text, not_texts, quoted, type_words

TEXT_MAPS: Final = {"ConfigMap": ("data", "binaryData"), "Secret": ("stringData", "data")}
PROBES: Final = ("livenessProbe", "readinessProbe", "startupProbe")
LIFECYCLE: Final = ("postStart", "preStop")


class Fault(NamedTuple):
    value: Node
    name: str
    """As messages call the place."""


@rule("GL017", Severity.ERROR, Moment.SYNC, kinds=f"ConfigMap Secret {KINDS}", literal=True)
def check(resource: Resource) -> Iterator[Finding]:
    found = _in_maps(resource) if resource.group_kind in TEXT_MAPS else _in_pods(resource)
    faults = {id(fault.value.raw): fault for fault in found if type_words(fault.value)}  # an anchor counts once
    for _, on_one_line in groupby(faults.values(), key=lambda one: one.value.file.position(one.value.span.start).line):
        yield _finding(list(on_one_line), resource)


def _in_maps(resource: Resource) -> Iterator[Fault]:
    for field in TEXT_MAPS[resource.kind]:
        for value in not_texts(resource[field]):
            yield Fault(value, f"{value.key!r} in {field}")


def _in_pods(resource: Resource) -> Iterator[Fault]:
    pod = pod_spec(resource)
    for container in containers(pod) if pod is not None else ():
        for variable in container["env"]:
            if not is_text(variable["value"]):
                yield Fault(variable["value"], f"env {variable['name'].scalar_text!r}")
        for name, words in _commands(container):
            yield from (Fault(word, f"item {word.key} of {name}") for word in words if not is_text(word))


def _commands(container: Node) -> Iterator[tuple[str, Node]]:
    for field, value in container.items():
        if field in ("command", "args"):
            yield field, value
        elif field in PROBES:
            yield f"the command of its {field}", value["exec"]["command"]
        elif field == "lifecycle":
            for when in LIFECYCLE:
                yield f"the command of its {when} hook", value[when]["exec"]["command"]


def _finding(faults: list[Fault], resource: Resource) -> Finding:
    named = " and ".join(f"{fault.name} of {resource} is {type_words(fault.value)}, not a string" for fault in faults)
    patches = [patch for fault in faults if _may_be_quoted(fault.value, resource) and (patch := quoted(fault.value))]
    fixes = (Fix("put it in quotes", reduce(Patch.also, patches), safe=True),) if len(patches) == len(faults) else ()
    return Finding(
        faults[0].value,
        headline=named,
        happens="The API server refuses the object.",
        do="Put it in quotes.",
        fixes=fixes,
    )


def _may_be_quoted(value: Node, resource: Resource) -> bool:
    holder = value.parent
    return not (holder is not None and resource.kind == "Secret" and holder.key == "data")
