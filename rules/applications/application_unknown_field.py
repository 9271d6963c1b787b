"""A field that Applications do not have is dropped: it sets nothing, and the parent stays OutOfSync.

Mis-indented and invented fields (syncOptions under automated, ignoreDifferences under source, targetRevision under
spec, selfheal, valuesFiles): Argo CD applies an Application without strict validation, so the API server drops the
field. The Application behaves as if it had never been written, and a parent Application shows it as OutOfSync for
ever. kubectl apply refuses such an Application, and so does a parent with ServerSideApply=true (error). Refused
either way is one that lacks what it needs because of it: project, destination, the template of a set (error).

Applications, ApplicationSets (with their templates) and AppProjects are checked, against the version in
argocd-version, from 2.4 to 3.6. If that is not known, only a field that none of these versions has is reported. In
generators of ApplicationSets the newest fields may be missing from the table; there a field that resembles no other is
a warning. Free-form places (valuesObject, elements of a list generator, nested matrix and merge generators) are not
looked into. An unknown generator is for applicationset-generates-nothing.

Fix: correct the name, or move the field to where the message says it belongs. Mind that this switches on what has not
been on so far.

See: argo-cd#3208, adinhodovic/tanka-argocd-demo#2, lhc/infra#9

Bad:
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
    spec:
      project: default
      source:
        repoURL: https://git.example.com/shop
        path: deploy
        ignoreDifferences:  # <- here
          - kind: Secret
            jsonPointers: [/data]
      destination:
        server: https://kubernetes.default.svc
        namespace: shop
      syncPolicy:
        automated:
          selfheal: true  # <- here
Good:
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
    spec:
      project: default
      source:
        repoURL: https://git.example.com/shop
        path: deploy
      ignoreDifferences:
        - kind: Secret
          jsonPointers: [/data]
      destination:
        server: https://kubernetes.default.svc
        namespace: shop
      syncPolicy:
        automated:
          selfHeal: true
"""

from collections import Counter
from collections.abc import Iterator
from typing import Final

from ...linter.api import Cause, Confidence, Finding, Moment, Node, Repo, Resource, Severity, by_line, listed, rule
from ...linter.kubernetes.validation import Fault, Violation
from ...linter.repo.applied_options import is_refused

GENERATORS: Final = "spec.generators"
GENERATOR_TYPES: Final = ("Generator", "NestedGenerator")


@rule("GL618", Severity.WARNING, Moment.SYNC, literal=True, of_fetched=False)
def check(repo: Repo) -> Iterator[Finding]:
    found = [
        (resource, [one for one in violations if one.fault is Fault.UNKNOWN_FIELD and not _is_no_generator_at_all(one)])
        for resource, violations in repo.validation.argo_cd
    ]
    copies = Counter((resource.kind, path) for resource, unknown in found for path in {one.path for one in unknown})
    for resource, unknown in found:
        for place, together in by_line((one.at, one) for one in unknown):
            is_copied = all(copies[resource.kind, one.path] > 1 for one in together)
            yield _finding(place, together, resource, repo, _cause(resource, together, is_copied=is_copied))


def _is_no_generator_at_all(violation: Violation) -> bool:
    """An item without a generator that is known has a rule of its own."""
    known = set(violation.shape.fields) - {"selector"}
    return violation.shape.name in GENERATOR_TYPES and known.isdisjoint(key for key, _ in violation.siblings)


def _cause(resource: Resource, unknown: list[Violation], *, is_copied: bool) -> Cause:
    """One slip that was copied into many objects is one; else what one object has wrong."""
    if is_copied:
        fields = listed([one.path for one in unknown])
        return Cause(f"{resource.kind}, {fields}", f"{{count}} {resource.kind}s have the unknown field {fields}")
    return Cause(f"{resource} in {resource.file.path}", f"{resource} has {{count}} unknown fields")


def _finding(place: Node, unknown: list[Violation], resource: Resource, repo: Repo, cause: Cause) -> Finding:
    doubtful = all(_may_be_new(one) for one in unknown)
    severity, effect = _effect(unknown, resource, repo)
    return Finding(
        place,
        headline=f"{resource} has the unknown field {listed([one.path for one in unknown])}",
        happens=f"{_versions(unknown[0], resource)} {effect}",
        do=" ".join(dict.fromkeys(_advice(one, resource) for one in unknown)),
        severity=min(severity, Severity.WARNING) if doubtful else severity,
        confidence=Confidence.MEDIUM if doubtful else Confidence.HIGH,
        cause=cause,
    )


def _may_be_new(violation: Violation) -> bool:
    """Of generators not all fields of the newest versions are known."""
    return violation.path.startswith(GENERATORS) and not (violation.suggestion or violation.home or violation.releases)


def _effect(unknown: list[Violation], resource: Resource, repo: Repo) -> tuple[Severity, str]:
    parent = repo.manager_words(resource)
    if is_refused(repo, resource):
        return Severity.ERROR, f"Server-side apply refuses the {resource.kind}, and the sync of {parent} fails."
    missed = next((one.missed for one in unknown if one.missed), "")
    if missed:
        return Severity.ERROR, f"It is dropped, {missed} is missing then, and the API server refuses the object."
    if repo.managers(resource):
        return Severity.WARNING, f"It is dropped and sets nothing, and {parent} is OutOfSync for ever."
    return (
        Severity.WARNING,
        "A sync drops it, so that it sets nothing and the parent is OutOfSync for ever; kubectl apply refuses it.",
    )


def _advice(violation: Violation, resource: Resource) -> str:
    if violation.releases:
        return f"Take {violation.field} out, or upgrade Argo CD."
    if violation.home and resource.node.at(*violation.home.split("."), violation.field).present:
        return f"Take it out: {violation.home} has a {violation.field} already, which counts."
    if violation.home:
        return f"Move {violation.field} to {violation.home}, where it is a field."
    if violation.suggestion:
        return f"Write {violation.suggestion} if that is what you mean."
    return f"Correct the name of {violation.field}, or take it out."


def _versions(violation: Violation, resource: Resource) -> str:
    if violation.release is None:
        return f"No Argo CD version {violation.known_releases} has it."
    others = f" ({violation.releases} have)" if violation.releases else ""
    return f"Argo CD {resource.versions.argocd} does not have it{others}."
