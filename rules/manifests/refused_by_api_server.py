"""The API server refuses the object: what it checks in code, beyond the types of fields.

A selector that does not fit the labels of its own pods, `data` of a Secret that is not base64,
two ports of a Service without names, a budget with both limits: every field is known and has
the right type, and still the server says no. The sync fails with its words, which the message
repeats, and fails again with every retry.

Looked at are: names of objects of built-in kinds that something is seen to apply; keys and values of labels, keys of
annotations, also of pod templates; base64, keys and types of Secrets and ConfigMaps; selectors
of Deployments, StatefulSets, DaemonSets and ReplicaSets; selectors of Jobs that were exported from
a cluster; mounts of volumes that the pod does not have; two handlers of a probe; requests above
limits; restartPolicy and strategy; names, numbers and node ports of Services;
PodDisruptionBudgets and HorizontalPodAutoscalers whose limits do not go together. What another
tool fills in later is left alone.

Fix: as the message says.

See: https://kubernetes.io/docs/concepts/overview/working-with-objects/names/,
https://kubernetes.io/docs/concepts/services-networking/service/

Bad:
    apiVersion: v1
    kind: Service
    metadata:
      name: shop
    spec:
      ports:
        - port: 80  # <- here
        - port: 443  # <- here
Good:
    apiVersion: v1
    kind: Service
    metadata:
      name: shop
    spec:
      ports:
        - name: http
          port: 80
        - name: https
          port: 443
"""

from collections.abc import Iterator

from ...linter.api import Finding, Moment, Repo, Resource, Severity, rule
from ...linter.kubernetes.refused import Refused, refusals_of


@rule("GL027", Severity.ERROR, Moment.SYNC)
def check(repo: Repo) -> Iterator[Finding]:
    for resource in repo.resources:
        for one in refusals_of(resource) if not resource.patched else ():
            # Where nothing is seen to apply it, an odd name is one that is filled in later.
            if one.path != "metadata.name" or repo.is_brought(resource):
                yield _finding(resource, one)


def _finding(resource: Resource, one: Refused) -> Finding:
    return Finding(
        one.at,
        headline=f"the API server refuses {resource}: {one.path} is not valid",
        happens=f"It says of {one.path}: {one.says}. Every sync fails.",
        do=one.do,
    )
