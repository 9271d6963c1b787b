"""A custom resource does not fit the schema of its CRD: the API server refuses it, or drops the field.

The schema in a CRD says what its objects look like, and the API server keeps to it: a value of another type, a
required field that is missing, a value that is not in the enum or does not match the pattern is refused ("Invalid
value", "Unsupported value", "Required value"), and the sync fails. That is an error.

A field that the schema does not have is a warning: Argo CD asks for no strict validation, so the API server takes
the object and drops the field. The sync succeeds, what the field says is never done, and the object is OutOfSync for
ever. Validate=true does not change that. With ServerSideApply=true the object is refused, and with ServerSideDiff=true
the comparison fails; those are told by field-refused-by-server-side-apply, and so are nulls.

The schema comes from the CRDs in the repository, else from the folder in schema-dir; where several CRDs define
the kind, only what all of them forbid is reported; where nothing shows that the CRD comes to the same cluster
as the object, it is one step lower. Kinds without a schema are not checked. Rules in CEL
(x-kubernetes-validations) are asked of the object with its defaults, but for those about a change (oldSelf).
Formats (date-time, ipv4 ...) are not evaluated, nor what another tool fills in later. Fields below
x-kubernetes-preserve-unknown-fields are free, as they are for the API server, lists included. Applications,
ApplicationSets and AppProjects have rules of their own.

Fix: change the object, or bring the CRD up to date if the field is one that a newer release has.

See: argo-cd#16817, argo-cd#23846

Bad:
    apiVersion: apiextensions.k8s.io/v1
    kind: CustomResourceDefinition
    metadata:
      name: backups.shop.example.com
    spec:
      group: shop.example.com
      names: {kind: Backup, plural: backups}
      scope: Namespaced
      versions:
        - name: v1
          served: true
          storage: true
          schema:
            openAPIV3Schema:
              type: object
              properties:
                spec:
                  type: object
                  required: [bucket]
                  properties:
                    bucket: {type: string}
                    keep: {type: integer, minimum: 1}
    ---
    apiVersion: shop.example.com/v1
    kind: Backup
    metadata:
      name: nightly
    spec:  # <- here
      keep: 0  # <- here
      shedule: "0 3 * * *"  # <- here
Good:
    apiVersion: apiextensions.k8s.io/v1
    kind: CustomResourceDefinition
    metadata:
      name: backups.shop.example.com
    spec:
      group: shop.example.com
      names: {kind: Backup, plural: backups}
      scope: Namespaced
      versions:
        - name: v1
          served: true
          storage: true
          schema:
            openAPIV3Schema:
              type: object
              properties:
                spec:
                  type: object
                  required: [bucket]
                  properties:
                    bucket: {type: string}
                    keep: {type: integer, minimum: 1}
    ---
    apiVersion: shop.example.com/v1
    kind: Backup
    metadata:
      name: nightly
    spec:
      bucket: backups
      keep: 7
"""

from collections.abc import Iterator
from typing import Final

from ...linter.api import Confidence, Finding, Moment, Node, Repo, Resource, Severity, by_line, rule
from ...linter.kubernetes.validation import CheckedCustom, CustomFault, Refusal, path_text
from ...linter.repo.applied_options import is_refused, stops_comparison

LONGEST_SHOWN: Final = 40
SOPS: Final = "sops"


@rule("GL302", Severity.ERROR, Moment.SYNC, any_tool=True)
def check(repo: Repo) -> Iterator[Finding]:
    for checked in repo.validation.custom:
        told = _sees_the_server_all_of_it(repo, checked.resource)
        faults = [fault for fault in checked.faults if not (told and _is_of_the_schema(fault))]
        for place, together in by_line((checked.place(fault), fault) for fault in faults):
            resource = checked.resource
            refused = is_refused(repo, resource) or stops_comparison(repo, resource)
            yield _finding(place, together, checked, refused, repo.has_known_definition(resource))


def _sees_the_server_all_of_it(repo: Repo, resource: Resource) -> bool:
    """Then unknown fields stop more than this object, and have a rule of their own."""
    if not resource.hook.phases or resource[SOPS].present:
        return False
    options = repo.options_of(resource)
    return any(one.server_side_apply or (one.known and one.asks_server) for one in options)


def _is_of_the_schema(fault: CustomFault) -> bool:
    return fault.refusal is Refusal.UNKNOWN_FIELD and fault.steps[0] not in ("metadata", "status")


def _finding(place: Node, faults: list[CustomFault], checked: CheckedCustom, refused: bool, is_known: bool) -> Finding:
    named = " and ".join(_complaint(fault, checked) for fault in faults)
    headline = f"{checked.resource}: {named}"
    doubt = "" if is_known else " (if the cluster has it)"
    source = f"{checked.origin.text[0].upper()}{checked.origin.text[1:]}{doubt}"
    confidence = Confidence.HIGH if is_known else Confidence.MEDIUM
    if refused or any(fault.refusal is not Refusal.UNKNOWN_FIELD for fault in faults):
        return Finding(
            place,
            headline=headline,
            happens=f"{source} does not allow it, so the API server refuses the {checked.resource.kind} and the sync"
            " fails.",
            do="Correct the value, or bring the CRD up to date if a newer release of it takes this.",
            severity=None if is_known else Severity.WARNING,
            confidence=confidence,
        )
    return Finding(
        place,
        headline=headline,
        happens=f"{source} does not have it; the API server drops the field without an error, and Argo CD shows the"
        f" {checked.resource.kind} as OutOfSync for ever.",
        do="Correct the name, or bring the CRD up to date if a newer release of it has the field.",
        severity=Severity.WARNING if is_known else Severity.NOTE,
        confidence=confidence,
    )


def _complaint(fault: CustomFault, checked: CheckedCustom) -> str:
    path = path_text(fault.steps)
    if fault.refusal is Refusal.UNKNOWN_FIELD:
        return f"there is no field {path}{f' (did you mean {fault.text}?)' if fault.text else ''}"
    written = checked.place(fault).scalar_text if fault.text.startswith(("must be", "must match")) else ""
    unlike = f", not {written}" if 0 < len(written) <= LONGEST_SHOWN else ""
    return f"{path or 'the object'} {fault.text}{unlike}"
