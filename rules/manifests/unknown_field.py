"""A field that its kind does not have is dropped by the API server, and what it was to set is not set.

A typo (replcias), a wrong case (emptydir), a field one level too deep or of another kind (strategy
in a StatefulSet): Argo CD does not ask for strict validation, so the API server drops the field, and
the sync succeeds. Argo CD then shows the object as OutOfSync for ever, with just that field (warning).
Where all that is wrong is upper and lower case, it even shows it as Synced: its comparison does not
tell Ports from ports. The sync option Validate makes no difference.

It is an error where the object does not get in. With ServerSideApply=true the sync of the object fails
("field not declared in schema"). With ServerSideDiff=true alone the first sync succeeds, and then the
Application cannot be compared any more: its status is Unknown and no automated sync starts. And an
object that now lacks a field which it needs, such as the selector of a Deployment, or a port that stands
beside the service and not in it, is refused anyway.

Kinds of Kubernetes itself are checked, against the release in kubernetes-version (1.25 to 1.37). If
that is not known, only a field that none of these releases has is reported; for a newer cluster than
1.37 it is a note. Custom resources have rules of their own, and so have the fields of a Job that
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

from ...linter.api import Cause, Finding, Moment, Node, Repo, Resource, Severity, by_line, listed, rule
from ...linter.kubernetes.validation import Violation
from ...linter.repo.applied_options import is_refused, stops_comparison

MOST: Final = 200
"""Of one object, each with a finding of its own."""


@rule("GL014", Severity.WARNING, Moment.SYNC, literal=True)
def check(repo: Repo) -> Iterator[Finding]:
    for resource, violations in repo.validation.builtin:
        unknown = [one for one in violations if one.is_plainly_unknown]
        for place, together in by_line((one.at, one) for one in unknown[:MOST]):
            yield _finding(place, together, resource, repo, _shown(unknown))
        if len(unknown) > MOST:
            yield Finding(
                unknown[MOST].at,
                headline=f"{resource} has {len(unknown) - MOST} more unknown fields from here on",
                happens="They are not listed.",
                do="Mend the first ones, and look again.",
                cause=_cause(resource),
            )


def _finding(place: Node, unknown: list[Violation], resource: Resource, repo: Repo, shown: str) -> Finding:
    severity, effect = _effect(unknown, resource, repo, shown)
    if _is_newer(resource, unknown[0]):
        severity, effect = Severity.NOTE, f"Unless a newer one has it: {effect[0].lower()}{effect[1:]}"
    return Finding(
        place,
        headline=f"{resource} has the unknown field {listed([one.path for one in unknown])}",
        happens=f"{_releases(unknown[0], resource)} {effect}",
        do=" ".join(dict.fromkeys(_advice(one) for one in unknown)),
        severity=severity,
        cause=_cause(resource),
    )


def _cause(resource: Resource) -> Cause:
    """An object is copied or written as a whole, and mended as one."""
    return Cause(f"{resource} in {resource.file.path}", f"{resource} has {{count}} unknown fields")


def _differs_in_case(violation: Violation) -> bool:
    """Argo CD compares by Go types, whose decoder takes such a field for the other and drops it: no difference is left.

    Another unknown field in the object stops the decoder, and all of them are compared.
    """
    return violation.field.casefold() == (violation.suggestion or "").casefold()


def _shown(unknown: list[Violation]) -> str:
    """What comes of an object with all these; nothing is to be said where one of them has it refused."""
    if any(one.missed for one in unknown):
        return ""
    status = "Synced all the same" if all(map(_differs_in_case, unknown)) else "OutOfSync for ever"
    return f"; the sync succeeds, and Argo CD shows the object as {status}"


def _effect(unknown: list[Violation], resource: Resource, repo: Repo, shown: str) -> tuple[Severity, str]:
    if is_refused(repo, resource):
        return Severity.ERROR, "Server-side apply refuses the object (field not declared in schema) and its sync fails."
    missed = next((one.missed for one in unknown if one.missed), "")
    if missed:
        return Severity.ERROR, f"It is dropped, {missed} is missing then, and the API server refuses the object."
    dropped = "The API server drops it, so what it was to set is not set"
    if stops_comparison(repo, resource):
        return (
            Severity.ERROR,
            f"{dropped}; then ServerSideDiff=true fails (field not declared in schema), and no automated sync starts.",
        )
    return Severity.WARNING, f"{dropped}{shown}."


def _advice(violation: Violation) -> str:
    if violation.releases:
        return f"Take {violation.field} out, or upgrade Kubernetes."
    if violation.home:
        return f"Move {violation.field} to {violation.home}, where it is a field."
    if violation.suggestion:
        return f"Write {violation.suggestion} if that is what you mean."
    return f"Correct the name of {violation.field}, or take it out."


def _releases(violation: Violation, resource: Resource) -> str:
    if violation.release is None:
        return f"No Kubernetes release {violation.known_releases} has it."
    others = f" ({violation.releases} have)" if violation.releases else ""
    return f"Kubernetes {resource.versions.kubernetes} does not have it{others}."


def _is_newer(resource: Resource, violation: Violation) -> bool:
    """Whether the cluster is newer than what is known of fields."""
    kubernetes, last = resource.versions.kubernetes, violation.known_releases.until
    return kubernetes is not None and last is not None and kubernetes > last
