"""A field that its kind does not have makes the API server refuse the object.

A typo (replcias), a wrong case (emptydir), a field one level too deep or of another kind (strategy
in a StatefulSet): Argo CD applies with strict validation, the API server answers "strict decoding
error: unknown field", and the sync fails. With the sync option Validate=false the field is dropped
without a word, so what it was to set is not set, and Argo CD may show the object as OutOfSync; a
server-side apply is refused all the same, and so is the comparison with ServerSideDiff=true.

Kinds of Kubernetes itself are checked, against the release in kubernetes-version (1.25 to 1.37). If
that is not known, only a field that none of these releases has is reported; for a newer cluster than
1.37 it is a warning. Custom resources have rules of their own, and so have the fields of a Job that
are at the wrong level. Patches are not looked at, nor what another tool fills in later.

Fix: correct the name, or move the field to where the message says it belongs.

See: argo-cd#16400, argo-cd#16817, argo-cd#17358, argo-cd#15176, argo-cd#23858, lsst-sqre/phalanx#4383

Bad:
    apiVersion: apps/v1
    kind: Deployment
    metadata:
      name: web
    spec:
      replcias: 3  # <- here
      selector:
        matchLabels:
          app: web
      template:
        metadata:
          labels:
            app: web
        spec:
          containers:
            - name: web
              image: registry.example.com/web:1.4.2
              imagePullSecrets:  # <- here
                - name: registry
Good:
    apiVersion: apps/v1
    kind: Deployment
    metadata:
      name: web
    spec:
      replicas: 3
      selector:
        matchLabels:
          app: web
      template:
        metadata:
          labels:
            app: web
        spec:
          imagePullSecrets:
            - name: registry
          containers:
            - name: web
              image: registry.example.com/web:1.4.2
"""

from collections.abc import Iterator
from typing import Final

from ...linter.api import Finding, Moment, Node, Repo, Resource, Severity, by_line, rule
from ...linter.kubernetes.validation import Fault, Violation
from ...linter.repo.applied_options import is_refused

MOST: Final = 200
"""Of one object, each with a finding of its own."""


@rule("GL014", Severity.ERROR, Moment.SYNC, literal=True)
def check(repo: Repo) -> Iterator[Finding]:
    for resource, violations in repo.validation.builtin:
        unknown = [one for one in violations if one.fault is Fault.UNKNOWN_FIELD and not one.is_lost_in_a_job]
        for place, together in by_line((one.at, one) for one in unknown[:MOST]):
            yield _finding(place, together, resource, is_refused(repo, resource))
        if len(unknown) > MOST:
            message = f"{resource} has {len(unknown) - MOST} more unknown fields from here on; they are not listed"
            yield Finding(unknown[MOST].at, message)


def _finding(place: Node, unknown: list[Violation], resource: Resource, refused: bool) -> Finding:
    newer = _is_newer(resource, unknown[0])
    if not refused:
        effect = "with Validate=false the API server drops it without a word"
    elif newer:
        effect = "unless a newer one has, the API server refuses the object and the sync fails"
    else:
        effect = "the API server refuses the object and the sync fails"
    named = " and ".join(f"{one.path}{_hint(one)}" for one in unknown)
    message = f"{resource} has an unknown field {named}; {_releases(unknown[0], resource)}: {effect}"
    return Finding(place, message, severity=Severity.ERROR if refused and not newer else Severity.WARNING)


def _hint(violation: Violation) -> str:
    if violation.releases:
        return ""
    if violation.home:
        return f" ({violation.field} is a field of {violation.home})"
    return f" (did you mean {violation.suggestion}?)" if violation.suggestion else ""


def _releases(violation: Violation, resource: Resource) -> str:
    if violation.release is None:
        return f"no Kubernetes release {violation.known_releases} has it"
    others = f" ({violation.releases} have)" if violation.releases else ""
    return f"Kubernetes {resource.versions.kubernetes} does not have it{others}"


def _is_newer(resource: Resource, violation: Violation) -> bool:
    """Whether the cluster is newer than what is known of fields."""
    kubernetes, last = resource.versions.kubernetes, violation.known_releases.until
    return kubernetes is not None and last is not None and kubernetes > last
