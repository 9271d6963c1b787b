"""A kustomization names a file or folder that is not there, so it cannot be built.

Kustomize stops at the first entry that it cannot find: of resources, bases,
components, patches, generators and all the rest. Argo CD then shows a
ComparisonError ("no such file or directory") and syncs nothing of the Application
until the path is right. It happens when a file is moved or renamed and the
kustomization is forgotten. A folder must hold a kustomization of its own; one with
plain manifests is no base.

Also checked: components and patches that an Application adds (spec.source.kustomize;
components not with ignoreMissingComponents), and an Application that has Kustomize
build a folder without a kustomization. One finding stands for all builds that use the
line. A file that git ignores counts as there if it is on the disk; where it is missing, it is
one step lower, since something may write it before the build. Below a folder that
is empty here, and may be a git submodule that was not checked out, it is a note.

Where no Application of the repository is known, it is a warning; where some are and none of
them builds it, a note, and a warning if a set that cannot be expanded may have it built. Addresses are not
fetched, placeholders are left alone.

Fix: correct the path, or bring the file back.

See: argo-cd#1651, argo-cd#1817, https://kubectl.docs.kubernetes.io/references/kustomize/kustomization/resource/

Bad:
    # overlays/prod/kustomization.yaml
    resources:
      - ../../bse  # <- here
    ---
    # base/kustomization.yaml
    resources:
      - service.yaml
    ---
    # base/service.yaml
    apiVersion: v1
    kind: Service
    metadata:
      name: shop
Good:
    # overlays/prod/kustomization.yaml
    resources:
      - ../../base
    ---
    # base/kustomization.yaml
    resources:
      - service.yaml
    ---
    # base/service.yaml
    apiVersion: v1
    kind: Service
    metadata:
      name: shop
"""

from __future__ import annotations

from collections.abc import Iterator

from ...linter.api import Confidence, Finding, Moment, Node, Repo, Severity, rule
from ...linter.dialects.spelling import is_placeholder
from ...linter.repo.sources.build_refusals import BuildError, Cause


@rule("GL710", Severity.ERROR, Moment.SYNC)
def check(repo: Repo) -> Iterator[Finding]:
    for refusal in repo.kustomize.refusals(Cause.MISSING_FILE, Cause.NO_KUSTOMIZATION):
        error = refusal.error
        if isinstance(error.at, Node) and is_placeholder(error.at.text):
            continue
        is_open = repo.paths.may_be_in_submodule(error.sought)
        is_ignored = bool(error.sought) and repo.paths.is_ignored(error.sought)
        branch = refusal.other_branch
        unless = ", unless a submodule that is not checked out here brings it" if is_open else ""
        unless = ", unless something writes it before the build" if is_ignored else unless
        unless = f", unless the branch {branch!r} has it" if branch and not unless else unless
        lower = Severity(max(refusal.severity - 1, Severity.NOTE))
        yield Finding(
            error.at,
            headline=f"{error.message}{', and .gitignore keeps it out of git' if is_ignored else _hint(repo, error)}",
            happens=f"{refusal.sentence}{unless}.",
            do="Commit the file, encrypted if it holds a secret, or take the entry out."
            if is_ignored
            else "Correct the path, or bring the file back.",
            severity=Severity.NOTE if is_open or branch else lower if is_ignored else refusal.severity,
            confidence=Confidence.LOW if is_open or is_ignored or branch else Confidence.HIGH,
        )


def _hint(repo: Repo, error: BuildError) -> str:
    if error.cause is Cause.NO_KUSTOMIZATION:
        below = sorted(folder for folder in repo.kustomize.by_folder if folder.startswith(f"{error.sought}/"))
        return f" (there is one in {below[0]})" if below else ""
    near = repo.paths.nearest_path(error.sought) if error.sought else None
    return f" (there is {near})" if near and near != error.sought else ""
