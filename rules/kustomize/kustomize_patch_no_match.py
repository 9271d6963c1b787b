"""A patch fits no object, so the build fails, or nothing of the patch is applied.

A strategic merge patch without a target must name one object that is there, by group,
version, kind, name and namespace as they were before prefixes and suffixes; else
Kustomize refuses the build ("no matches for Id"). It also refuses an operation of a
JSON patch that does not fit: a path through something that is not there, an index
beyond the end, a test that fails. Argo CD then syncs nothing of the Application.

A patch with a target is another matter: where no object is selected, Kustomize drops
the patch without a word. That is a warning if the target has a name, which was
probably changed or misspelled, else a note: a target of all Deployments may well find
none. A note, too, for a patch that deletes ($patch: delete), since nothing is left to
delete, and where no Application of the repository builds the kustomization and it has
nothing of that kind: it may be a part that others are to include. It is reported only
if the target selects nothing in any build of the repository, and not where objects may
be missing (a remote base, a chart, an earlier error).

Fix: correct the name, kind or namespace, or remove the patch. The message says what
there is of a like name.

See: kubernetes-sigs/kustomize#4379, kubernetes-sigs/kustomize#5093, kubernetes-sigs/kustomize#335

Bad:
    # kustomization.yaml
    resources:
      - deployment.yaml
    patches:
      - target:
          kind: Deployment
          name: shpo  # <- here
        patch: |
          - op: replace
            path: /spec/replicas
            value: 3
    ---
    # deployment.yaml
    apiVersion: apps/v1
    kind: Deployment
    metadata:
      name: shop
    spec:
      replicas: 1
Good:
    # kustomization.yaml
    resources:
      - deployment.yaml
    patches:
      - target:
          kind: Deployment
          name: shop
        patch: |
          - op: replace
            path: /spec/replicas
            value: 3
    ---
    # deployment.yaml
    apiVersion: apps/v1
    kind: Deployment
    metadata:
      name: shop
    spec:
      replicas: 1
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from ...linter.api import Confidence, Finding, Moment, Node, Repo, Severity, regex, rule
from ...linter.dialects.spelling import is_placeholder, nearest
from ...linter.repo.sources.build_refusals import Cause, OperationError

DELETES: Final = regex(r"^\$patch:\s*[\"']?delete\b", re.MULTILINE)


@rule("GL712", Severity.ERROR, Moment.SYNC)
def check(repo: Repo) -> Iterator[Finding]:
    for refusal in repo.kustomize.refusals(Cause.NO_MATCH, Cause.SEVERAL_MATCHES):
        hint = _hint(repo, refusal.error.at, list(refusal.folders))
        yield Finding(
            refusal.error.at,
            headline=f"{refusal.error.message}{hint}",
            happens=f"{refusal.sentence}.",
            do="Correct the name, kind, version or namespace of the patch, or remove it.",
            severity=refusal.severity,
        )
    for refusal in repo.kustomize.refusals(Cause.BAD_PATCH):
        if isinstance(refusal.error, OperationError):
            yield Finding(
                refusal.error.at,
                headline=refusal.error.message,
                happens=f"{refusal.sentence}.",
                do="Correct the path of the operation, or remove it.",
                severity=refusal.severity,
            )
    for entry in repo.kustomize.idle_entries:
        if entry["target"].present:
            yield from _idle(repo, entry)


def _idle(repo: Repo, entry: Node) -> Iterator[Finding]:
    target = entry["target"]
    if any(is_placeholder(one.scalar_text) for _, one in target.items()):
        return
    name = target["name"]
    deletes = DELETES.search(entry["patch"].text) is not None
    certain = name.present and not deletes and not _is_a_part(repo, target["kind"].text, _builds_with(repo, entry))
    yield Finding(
        name if name.present else target,
        headline=f"the patch finds no {_wanted(target)}{_hint(repo, name, _builds_with(repo, entry))}",
        happens="There is nothing to delete, and Kustomize drops the patch without a word."
        if deletes
        else "Kustomize drops the patch without a word, so what it should change is deployed as it is.",
        do="Correct the target, or remove the patch.",
        severity=Severity.WARNING if certain else Severity.NOTE,
        confidence=Confidence.HIGH if certain else Confidence.MEDIUM,
    )


def _wanted(target: Node) -> str:
    """As messages name objects, with what else has to fit: ``Deployment 'web' with namespace: shop``."""
    kind, name = target["kind"].scalar_text or "object", target["name"].scalar_text
    others = [f"{key}: {one.scalar_text}" for key, one in target.items() if key not in ("kind", "name")]
    return " ".join(
        part for part in (kind, repr(name) if name else "", "with" if others else "", ", ".join(others)) if part
    )


def _builds_with(repo: Repo, entry: Node) -> list[str]:
    return [build.folder for build in repo.kustomize.builds_with(entry)]


def _is_a_part(repo: Repo, kind: str, folders: list[str]) -> bool:
    """Whether it may be meant for others to include: no Application builds it, and it has nothing of the kind."""
    builds = [build for build in repo.kustomize.builds if build.folder in folders]
    used = any(id(build) in repo.kustomize.users_of for build in builds)
    return not used and repo.kustomize.others_are_known and not any(r.kind == kind for b in builds for r in b.resources)


def _hint(repo: Repo, name: object, folders: list[str]) -> str:
    """An object of the same kind that may be meant."""
    if not isinstance(name, Node) or not name.scalar_text or name.parent is None:
        return ""
    above = name.parent
    holder = above.parent if above.key == "metadata" and above.parent is not None else above
    kind = holder["kind"].text
    there = {
        one.name
        for build in repo.kustomize.builds
        if build.folder in folders
        for one in build.resources
        if one.kind == kind and one.name != name.scalar_text
    }
    meant = nearest(name.scalar_text, there)
    return f" (there is {kind} {meant!r})" if meant else ""
