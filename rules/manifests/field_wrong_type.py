"""A value of the wrong type: the API server cannot read the object, and the sync fails.

YAML makes numbers and booleans of what is written without quotes: encrypted: true in the parameters of a
StorageClass, a value in matchExpressions. These fields are strings, and the API server answers "cannot
unmarshal number into Go struct field ... of type string". The other way round it refuses replicas: "3" and
readOnly: "true", a single value where a list is expected (command: run.sh), 3000000000 where 32 bits have to
do, and quantities like 512 MB or 1gb. There is no option that helps: Validate=false is about unknown fields.

Kinds of Kubernetes itself are checked. ConfigMaps, Secrets, environment variables and commands are for
configmap-or-env-not-string; annotations, labels and selectors for annotation-value-not-string; custom resources
for cr-schema-violation. An empty value is no fault, for the API server takes it for a field that is left out.
What another tool fills in later is not looked at.

Fix: put quotes around a string, or take them off. These fixes are safe: they keep what is written, and the
object cannot be applied as it is. For everything else only you know what was meant.

See: aws/aws-application-networking-k8s#323

Bad:
    apiVersion: storage.k8s.io/v1
    kind: StorageClass
    metadata:
      name: quick
    provisioner: ebs.csi.aws.com
    parameters:
      iops: 3000  # <- here
      encrypted: yes  # <- here
    ---
    apiVersion: apps/v1
    kind: Deployment
    metadata:
      name: web
    spec:
      replicas: "3"  # <- here
Good:
    apiVersion: storage.k8s.io/v1
    kind: StorageClass
    metadata:
      name: quick
    provisioner: ebs.csi.aws.com
    parameters:
      iops: "3000"
      encrypted: "yes"
    ---
    apiVersion: apps/v1
    kind: Deployment
    metadata:
      name: web
    spec:
      replicas: 3
"""

import re
from collections.abc import Iterator
from functools import reduce
from typing import Final

from ...linter.api import Finding, Fix, Moment, Node, Patch, Repo, Resource, Severity, by_line, regex, rule
from ...linter.kubernetes.validation import Fault, Kind, Violation

TOLD_ELSEWHERE: Final = regex(
    r"""
    (?:ConfigMap|Secret)/(?:data|binaryData|stringData)\..*
    | .*/(?:.*\.)?(?:c|initC|ephemeralC)ontainers\[\d+\]\.
      (?:env\[\d+\]\.value|(?:(?:\w+Probe|lifecycle\.\w+)\.exec\.command|command|args)\[\d+\])
    """,
    re.VERBOSE,
)
"""Texts that people most often forget to quote: configmap-or-env-not-string."""


@rule("GL024", Severity.ERROR, Moment.SYNC, of_fetched=True)
def check(repo: Repo) -> Iterator[Finding]:
    for resource, violations in repo.validation.builtin:
        wrong = [one for one in violations if one.fault is Fault.WRONG_TYPE and not _is_told_elsewhere(one, resource)]
        for place, together in by_line((one.at, one) for one in wrong):
            yield _finding(place, together, resource)


def _is_told_elsewhere(violation: Violation, resource: Resource) -> bool:
    if violation.shape.kind is not Kind.STRING:
        return False
    place = f"{resource.kind}/{violation.path}"
    return violation.is_in_a_string_map(resource) or TOLD_ELSEWHERE.fullmatch(place) is not None


def _finding(place: Node, wrong: list[Violation], resource: Resource) -> Finding:
    named = " and ".join(f"{one.path} of {resource} {one.complaint}" for one in wrong)
    happens = "The API server cannot read the object, and the sync fails."
    patches = [one.at.set(one.corrected) for one in wrong if one.corrected is not None]
    if len(patches) < len(wrong):
        return Finding(place, headline=named, happens=happens, do="Write a value of that type.")
    quotes = "put it in quotes" if isinstance(wrong[0].corrected, str) else "take the quotes off"
    fixes = (Fix(quotes, reduce(Patch.also, patches), safe=True),)
    return Finding(place, headline=named, happens=happens, do=f"{quotes[0].upper()}{quotes[1:]}.", fixes=fixes)
