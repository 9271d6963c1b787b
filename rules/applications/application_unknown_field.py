"""A field that Applications do not have is refused by the API server, or dropped without a word.

Mis-indented and invented fields (syncOptions under automated, ignoreDifferences under source, targetRevision under
spec, selfheal, valuesFiles): strict validation, which kubectl and Argo CD itself use, answers "unknown field" and the
Application is not created or updated. Tools that apply without it get a warning at best; the field is dropped, the
Application behaves as if it had never been written, and a parent Application shows it as OutOfSync.

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

from collections.abc import Iterator
from typing import Final

from ...linter.api import Confidence, Finding, Moment, Node, Repo, Resource, Severity, by_line, rule
from ...linter.kubernetes.validation import Fault, Violation
from ...linter.repo.applied_options import is_refused

GENERATORS: Final = "spec.generators"
GENERATOR_TYPES: Final = ("Generator", "NestedGenerator")


@rule("GL618", Severity.ERROR, Moment.SYNC, literal=True)
def check(repo: Repo) -> Iterator[Finding]:
    for resource, violations in repo.validation.argo_cd:
        unknown = [one for one in violations if one.fault is Fault.UNKNOWN_FIELD and not _is_no_generator_at_all(one)]
        for place, together in by_line((one.at, one) for one in unknown):
            yield _finding(place, together, resource, repo)


def _is_no_generator_at_all(violation: Violation) -> bool:
    """An item without a generator that is known has a rule of its own."""
    known = set(violation.shape.fields) - {"selector"}
    return violation.shape.name in GENERATOR_TYPES and known.isdisjoint(key for key, _ in violation.siblings)


def _finding(place: Node, unknown: list[Violation], resource: Resource, repo: Repo) -> Finding:
    named = " and ".join(f"{one.path}{_hint(one)}" for one in unknown)
    refused = not repo.managers(resource) or is_refused(repo, resource)
    doubtful = all(_may_be_new(one) for one in unknown)
    who = _versions(unknown[0], resource)
    return Finding(
        place,
        f"{resource} has an unknown field {named}; {who}: {_effect(resource, repo, refused)}",
        severity=Severity.ERROR if refused and not doubtful else Severity.WARNING,
        confidence=Confidence.MEDIUM if doubtful else Confidence.HIGH,
    )


def _may_be_new(violation: Violation) -> bool:
    """Of generators not all fields of the newest versions are known."""
    return violation.path.startswith(GENERATORS) and not (violation.suggestion or violation.home or violation.releases)


def _hint(violation: Violation) -> str:
    if violation.releases:
        return ""
    if violation.home:
        return f" ({violation.field} is a field of {violation.home})"
    return f" (did you mean {violation.suggestion}?)" if violation.suggestion else ""


def _versions(violation: Violation, resource: Resource) -> str:
    if violation.release is None:
        return f"no Argo CD version {violation.known_releases} has it"
    others = f" ({violation.releases} have)" if violation.releases else ""
    return f"Argo CD {resource.versions.argocd} does not have it{others}"


def _effect(resource: Resource, repo: Repo, refused: bool) -> str:
    if not refused:
        return f"with Validate=false it is dropped, sets nothing, and {repo.manager_words(resource)} stays OutOfSync"
    if repo.managers(resource):
        return f"the API server refuses the {resource.kind}, and the sync of {repo.manager_words(resource)} fails"
    return f"kubectl and Argo CD refuse to apply the {resource.kind}, and a tool that does not validate loses the field"
