"""The API server refuses the object: what it checks in code, beyond the types of fields.

A selector that does not fit the labels of its own pods, `data` of a Secret that is not base64,
two ports of a Service without names, a budget with both limits: every field is known and has
the right type, and still the server says no. The sync fails with its words, which the message
repeats, and fails again with every retry.

Looked at are: names of objects of built-in kinds; fields that they must have (selectors, templates,
containers with name and image, volumes with names, access modes and sizes of claims, ports of Services, backends
of an Ingress, schedules, verbs of roles and others); words where only some are taken (`pathType: prefix`);
keys and values of labels, keys of annotations, also of pod templates; base64, keys and types of Secrets and
ConfigMaps; selectors of Deployments, StatefulSets, DaemonSets and ReplicaSets; selectors of Jobs that were
exported from a cluster; schedules of CronJobs; mounts of volumes that the pod does not have; two handlers of a
probe; requests above limits; restartPolicy and strategy; names, numbers and node ports of Services;
PodDisruptionBudgets and HorizontalPodAutoscalers whose limits do not go together. What is missing, and names, are an
error in what an Application is seen to apply, a warning in a build that none is seen to use, for whoever uses it may
patch it, and nothing in a file alone. What another tool fills in later is left alone.

With ServerSideApply=true, where Flux applies, and in an object with nothing but metadata, a field that is missing is a
note: an object of which git has only a part is how something is added to one that another tool has made. Only where
nothing has made it the server refuses.

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
from typing import Final

from ...linter.api import Finding, Moment, Repo, Resource, Severity, rule
from ...linter.kubernetes.refused import Refused, refusals_of

MISSING: Final = "Required value"
OF_VALUES: Final = ("Unsupported value", "Invalid value", MISSING)
"""What a chart's own values leave open, or mark as to be filled in: whoever renders it says."""
PODS: Final = "spec.template.spec."


@rule("GL027", Severity.ERROR, Moment.SYNC)
def check(repo: Repo) -> Iterator[Finding]:
    told = _told_as_misspelt(repo)
    for resource in repo.resources:
        for one in refusals_of(resource) if not resource.patched else ():
            if one.says.startswith(MISSING) and one.path in told.get(id(resource), ()):
                continue
            if resource.tentative and one.says.startswith(OF_VALUES):
                continue
            if one.in_parts or repo.is_brought(resource):
                severity = Severity.ERROR if one.in_parts or repo.managers(resource) else Severity.WARNING
                may_be_part = one.says.startswith(MISSING) and _may_be_part(resource, repo)
                yield _finding(resource, one, Severity.NOTE if may_be_part else severity)


def _told_as_misspelt(repo: Repo) -> dict[int, set[str]]:
    """By object, where unknown-field says already that a field is missing: it stands there under another name."""
    found: dict[int, set[str]] = {}
    for resource, violations in repo.validation.builtin:
        for one in violations:
            if one.is_plainly_unknown and one.missed:
                found.setdefault(id(resource), set()).update(one.refused_for)
    return found


def _may_be_part(resource: Resource, repo: Repo) -> bool:
    """Whether it is merged into what is in the cluster, so that git need not have the whole.

    Nobody forgets all but the name: such an object brings labels or annotations to one that is there.
    """
    by_flux = resource.node.origin.file.path in repo.reach.by_flux
    if all(key in ("apiVersion", "kind", "metadata") for key, _ in resource.node.items()):
        return True
    return by_flux or all(options.server_side_apply for options in repo.options_of(resource))


def _finding(resource: Resource, one: Refused, severity: Severity) -> Finding:
    fault = "is missing" if one.says.startswith(MISSING) else "is not valid"
    return Finding(
        one.at,
        headline=f"the API server refuses {resource}: {one.path} {fault}",
        happens=f"It says of {one.path}: {one.says}. {_effect(resource, one)}",
        do=one.do,
        severity=severity,
    )


def _effect(resource: Resource, one: Refused) -> str:
    """Older servers look at the pods of a StatefulSet only when they are made."""
    if resource.kind == "StatefulSet" and one.path.startswith(PODS):
        return "Every sync fails; with an older Kubernetes it succeeds, and no pod is ever made."
    return "Every sync fails." if one.in_parts else "Every sync that has to create it fails."
