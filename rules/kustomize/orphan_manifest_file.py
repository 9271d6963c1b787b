"""A manifest lies beside a kustomization that does not name it, so it is never applied.

In a folder that Kustomize builds, only what the kustomization lists is deployed. A
file that was added and forgotten there looks deployed and is not; one that was taken
off the list, but not deleted, misleads whoever reads the folder next.

Whether a file was meant to be applied, files cannot tell for sure, so the rule is off
by default (--extend-select orphan-manifest-file). It is silent where there is a sign
of intent: the name stands in another file of the folder, be it in a comment; an
object of its kind and a like name is in the build, as it is with patches and
alternatives; the file's own name says patch, example, test, template, values, backup
or the like; it is encrypted; it holds Secrets, which are often put in by hand, or a Job
or Pod, which are often run by hand; an Application reads it as a plain manifest.

Fix: add the file to the resources of the kustomization, or delete it.

See: https://kubectl.docs.kubernetes.io/references/kustomize/kustomization/resource/

Bad:
    # kustomization.yaml
    resources:
      - service.yaml
    ---
    # service.yaml
    apiVersion: v1
    kind: Service
    metadata:
      name: shop
    ---
    # budget.yaml
    apiVersion: policy/v1
    kind: PodDisruptionBudget  # <- here
    metadata:
      name: shop
Good:
    # kustomization.yaml
    resources:
      - service.yaml
      - budget.yaml
    ---
    # service.yaml
    apiVersion: v1
    kind: Service
    metadata:
      name: shop
    ---
    # budget.yaml
    apiVersion: policy/v1
    kind: PodDisruptionBudget
    metadata:
      name: shop
"""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

from ...linter.api import Confidence, Finding, Moment, Repo, Resource, Severity, SourceFile, regex, rule

MEANT_FOR_OTHERS: Final = regex(
    r"(?i)patch|example|sample|test|template|values|secret|sops|\benc\b|backup|\bbak\b|\bold\b|disabled|unused|\btmp\b"
)
RUN_BY_HAND: Final = frozenset(("Secret", "Job", "Pod"))


@rule("GL721", Severity.NOTE, Moment.SYNC, default=False, any_file=True)
def check(repo: Repo) -> Iterator[Finding]:
    built = {folder for build in repo.kustomize.used_builds for folder in build.folders}
    objects = _objects(repo)
    by_folder = _by_folder(repo)
    for path, resources in _unread(repo).items():
        folder, name = posixpath.split(path)
        if (folder or ".") not in built or MEANT_FOR_OTHERS.search(name):
            continue
        if any(name in other.text for other in by_folder[folder] if other.path != path):
            continue
        if any(_is_no_orphan(one, objects[folder or "."]) for one in resources):
            continue
        yield Finding(
            resources[0]["kind"],
            headline=f"no kustomization names {name}",
            happens=f"{resources[0]} is not applied.",
            do="Add the file to the resources of the kustomization, or delete it.",
            confidence=Confidence.LOW,
        )


def _unread(repo: Repo) -> dict[str, list[Resource]]:
    """The objects of files beside a kustomization that nothing reads."""
    found: dict[str, list[Resource]] = defaultdict(list)
    for resource in repo.resources:
        if not resource.kustomized and repo.reach.is_left_out(resource.file.path):
            found[resource.file.path].append(resource)
    return found


def _objects(repo: Repo) -> dict[str, set[tuple[str, str]]]:
    """By folder: kind and name of what comes out of the builds that it has a part in."""
    found: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for build in repo.kustomize.builds:
        names = {(one.kind, one.name) for one in build.resources}
        for folder in build.folders:
            found[folder] |= names
    return found


def _by_folder(repo: Repo) -> dict[str, Sequence[SourceFile]]:
    found: dict[str, list[SourceFile]] = defaultdict(list)
    for file in repo.files:
        found[posixpath.dirname(file.path)].append(file)
    return dict(found)


def _is_no_orphan(resource: Resource, there: set[tuple[str, str]]) -> bool:
    if not resource.name or resource.kind in RUN_BY_HAND:
        return True
    return any(kind == resource.kind and resource.name in name for kind, name in there)
