"""A custom resource has a field that no release of its operator has: the API server drops it.

The CRD is not in the repository, but the operator is one whose releases are known. None of them has the field, so it
is misspelt, or stands at the wrong level. Argo CD asks for no strict validation: the API server takes the object and
drops the field. The sync succeeds, what the field says is never done, and the object is OutOfSync for ever. With
ServerSideApply=true the object is refused instead.

It is a warning where the repository names the release of the operator that it uses, and where the operator has a field
of nearly that name at that place, or of just that name at another. Else it is a note: a release that is newer than
those looked at may have it, or a fork. Where the repository names a newer release, and below fields that take
anything, nothing is said. CRDs in the repository or in schema-dir go first, then
cr-schema-violation speaks. The names come from the CRDs of the operators (schemas/operator-fields.json).

Fix: correct the name or move the field to where the operator has it.

See: argo-cd#16817

Bad:
    apiVersion: external-secrets.io/v1
    kind: ExternalSecret
    metadata:
      name: db
      namespace: shop
    spec:
      secretStoreRef:
        name: vault
        kind: ClusterSecretStore
      target:
        name: db
        template:
          labels:  # <- here
            team: shop
      dataFrom:
        - extract:
            key: shop/db
Good:
    apiVersion: external-secrets.io/v1
    kind: ExternalSecret
    metadata:
      name: db
      namespace: shop
    spec:
      secretStoreRef:
        name: vault
        kind: ClusterSecretStore
      target:
        name: db
        template:
          metadata:
            labels:
              team: shop
      dataFrom:
        - extract:
            key: shop/db
"""

from collections.abc import Iterator

from ...linter.api import Confidence, Finding, Moment, Node, Repo, Severity, by_line, rule
from ...linter.kubernetes.validation import CustomFault, Unreleased, path_text
from ...linter.repo.applied_options import is_refused


@rule("GL309", Severity.WARNING, Moment.SYNC, any_tool=True)
def check(repo: Repo) -> Iterator[Finding]:
    for checked in repo.validation.unreleased:
        for place, together in by_line((checked.place(fault), fault) for fault in checked.faults):
            yield _finding(place, together, checked, is_refused(repo, checked.resource))


def _finding(place: Node, faults: list[CustomFault], checked: Unreleased, refused: bool) -> Finding:
    known = checked.released
    cures = [cure for fault in faults if (cure := _cure(fault, checked))]
    kind = checked.resource.kind
    sure = checked.is_pinned or len(cures) == len(faults)
    outcome = (
        f"the API server refuses the {kind} under ServerSideApply=true, and the sync fails."
        if refused
        else f"the API server drops the field without an error, and Argo CD shows the {kind} as OutOfSync for ever."
    )
    return Finding(
        place,
        headline=f"{checked.resource}: there is no field {' and '.join(path_text(fault.steps) for fault in faults)}",
        happens=f"No release of {known.operator} from {known.oldest} to {known.newest} has it; {outcome}",
        do=f"{', '.join(cures) or 'Correct the name, or take it out'}.",
        severity=None if sure else Severity.NOTE,
        confidence=Confidence.HIGH if sure else Confidence.MEDIUM,
    )


def _cure(fault: CustomFault, checked: Unreleased) -> str:
    name = str(fault.steps[-1])
    if fault.text:
        return f"Write {fault.text} for {name} if that was meant"
    elsewhere = checked.released.elsewhere(name)
    return f"Move {name} to {path_text(elsewhere)}" if elsewhere else ""
