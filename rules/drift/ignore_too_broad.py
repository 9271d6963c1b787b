"""An item of ignoreDifferences that covers the better part of an object hides real changes.

What is ignored is taken out of both sides before Argo CD compares them. A commit
that changes nothing but the ignored part does not make the Application
OutOfSync, so no automated sync starts and the change does not arrive; what
somebody changes there by hand stays. With RespectIgnoreDifferences=true it does
not arrive with other syncs either: Argo CD writes back what the cluster has.

Reported are spec, metadata and the whole object; the pod template of a workload,
its spec, and all of its containers; managedFieldsManagers with Argo CD's own
name, which owns what comes from git, in a client-side apply, too. A note: such an item that is for
one named object; Leases, Events and Endpoints, which programs write for themselves;
data of all Secrets or ConfigMaps; and an item for the objects of every kind. Not
reported are status, the spec of a Namespace, and webhooks as a whole, which injectors rewrite.

Fix: name the fields that somebody else writes, with jqPathExpressions where they
are in a list. To leave one container alone, select it by its name.

See: argo-cd#16651, argo-cd#23283, argo-rollouts#3854

Bad:
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
    spec:
      ignoreDifferences:
        - group: apps
          kind: Deployment
          jqPathExpressions:
            - .spec.template.spec.containers[]  # <- here
Good:
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
    spec:
      ignoreDifferences:
        - group: apps
          kind: Deployment
          jqPathExpressions:
            - .spec.template.spec.containers[] | select(.name == "istio-proxy")
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from ...linter.api import Finding, Moment, Node, Repo, Resource, Severity, by_line, rule
from ...linter.argocd.application_spec import application_spec
from ...linter.argocd.broad_ignores import broad_part
from ...linter.argocd.ignore_entries import IgnoreEntry
from ...linter.argocd.ignored_differences import paths_of_pointer, paths_of_query
from ...linter.dialects.jq_paths import Path
from ...linter.dialects.spelling import is_placeholder

CONTENTS: Final[dict[Path, str]] = {("data",): "all of data", ("stringData",): "all of stringData"}
EVERYWHERE: Final = ("metadata", "status")
"""What all objects have: to ignore a field of it for every kind may well be meant."""
WITHOUT_SPEC: Final = ("Namespace", "ServiceAccount")
"""What a spec of theirs says nobody writes in git."""
NOT_IN_GIT: Final = frozenset(("Lease", "Endpoints", "EndpointSlice", "Event"))
"""What programs write for themselves: hardly a commit is ever lost with it."""
OWN_MANAGERS: Final = ("argocd-controller", "argocd-application-controller")


class Broad(NamedTuple):
    entry: IgnoreEntry
    what: str
    severity: Severity


@rule("GL415", Severity.WARNING, Moment.SYNC)
def check(repo: Repo) -> Iterator[Finding]:
    for place, found in by_line(_broad(repo)):
        worst = max(found, key=lambda one: one.severity)
        yield Finding(
            place,
            headline=f"ignoreDifferences leaves out {worst.what} of {_subject(worst.entry)}",
            happens=_effect(worst.entry),
            do="Name only the fields that somebody else writes.",
            severity=worst.severity,
        )


def _broad(repo: Repo) -> Iterator[tuple[Node, Broad]]:
    for entry in repo.argocd.ignore_entries:
        if entry.is_for_generated or is_placeholder(entry.kind) or not entry.can_match:
            continue
        for pointer in entry.pointers:
            yield from _covered(pointer.at, entry, paths_of_pointer(pointer.text))
        for expression in entry.expressions:
            yield from _covered(expression.at, entry, paths_of_query(expression.text))
        for manager in entry.managers:
            if manager.text in OWN_MANAGERS:
                yield manager.at, Broad(entry, f"whatever {manager.text} has written", Severity.WARNING)


def _covered(at: Node, entry: IgnoreEntry, paths: tuple[Path, ...]) -> Iterator[tuple[Node, Broad]]:
    for path in paths:
        what = broad_part(path)
        if path == ("spec",) and entry.kind in WITHOUT_SPEC:
            continue
        if what:
            severity = Severity.NOTE if entry.at["name"].text or entry.kind in NOT_IN_GIT else Severity.WARNING
            yield at, Broad(entry, what, severity)
        elif path in CONTENTS and entry.kind in ("Secret", "ConfigMap") and not entry.at["name"].text:
            yield at, Broad(entry, CONTENTS[path], Severity.NOTE)
        elif entry.kind == "*" and entry.group == "*" and path and path[0] not in EVERYWHERE:
            yield at, Broad(entry, ".".join(str(step) for step in path), Severity.NOTE)


def _subject(entry: IgnoreEntry) -> str:
    if entry.kind == "*":
        return "objects of every kind"
    name = entry.at["name"].text if entry.owner else ""
    return f"{entry.kind} {name!r}" if name else f"every {entry.kind}"


def _effect(entry: IgnoreEntry) -> str:
    if entry.owner is not None and _respects(entry.owner):
        return "With RespectIgnoreDifferences=true no change of it in git reaches an object that exists."
    unseen = "A commit that changes nothing else makes nothing OutOfSync"
    return f"{unseen}, so {'no automated sync starts' if _syncs_itself(entry.owner) else 'nobody is told to sync'}."


def _syncs_itself(owner: Resource | None) -> bool:
    """Settings of Argo CD are for all Applications."""
    spec = application_spec(owner) if owner is not None else None
    return spec is None or spec["syncPolicy"]["automated"].present


def _respects(owner: Resource) -> bool:
    spec = application_spec(owner)
    options = spec["syncPolicy"]["syncOptions"] if spec is not None else ()
    return any(option.text == "RespectIgnoreDifferences=true" for option in options)
