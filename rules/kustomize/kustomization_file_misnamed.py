"""A kustomization file has a name that nobody recognises, or a folder has two of them.

Kustomize and Argo CD know kustomization.yaml, kustomization.yml and Kustomization, in
exactly this spelling. A folder with any other name, a Kustomization.yaml say, is read
as plain manifests: what the file lists or patches is not looked at, and its own kind
is unknown to the cluster, so every sync is refused. As a base such a folder cannot be
built at all. Of two files with a proper name Kustomize says "Found multiple
kustomization files" and builds neither.

A file counts as meant to be a kustomization if its name comes close to a proper one
and it holds what a kustomization does, and no proper one is beside it. Kustomizations
of Flux (kustomize.toolkit.fluxcd.io) are objects and may have any name.

Fix: rename the file to kustomization.yaml; of two, remove one.

See: https://argo-cd.readthedocs.io/en/stable/user-guide/tool_detection/, https://kubectl.docs.kubernetes.io/references/kustomize/glossary/

Bad:
    # kustomisation.yaml
    apiVersion: kustomize.config.k8s.io/v1beta1
    kind: Kustomization  # <- here
    resources:
      - service.yaml
Good:
    # kustomization.yaml
    apiVersion: kustomize.config.k8s.io/v1beta1
    kind: Kustomization
    resources:
      - service.yaml
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import Final

from ...linter.api import Finding, Moment, Node, Repo, Severity, SourceFile, rule, table
from ...linter.repo.sources.build_refusals import Cause

GROUP: Final = "kustomize.config.k8s.io/"
STEM: Final = "kustomization"
PROPER: Final = (f"{STEM}.yaml", f"{STEM}.yml")
SHORT: Final = "kustomize"
CLOSE_ENOUGH: Final = 0.85


@rule("GL715", Severity.ERROR, Moment.SYNC, any_tool=False)
def check(repo: Repo) -> Iterator[Finding]:
    for refusal in repo.kustomize.refusals(Cause.SEVERAL_FILES):
        yield Finding(
            refusal.error.at,
            headline=refusal.error.message,
            happens=f"{refusal.sentence}.",
            do="Keep one of the files.",
            severity=refusal.severity,
        )
    for file in repo.files:
        folder, name = posixpath.split(file.path)
        if "ustom" in name and (folder or ".") not in repo.kustomize.by_folder and _is_close(name):
            root = _kustomization_in(file)
            if root is not None:
                yield _finding(repo, root, folder or ".", name)


def _is_close(name: str) -> bool:
    stem, extension = posixpath.splitext(name)
    if name in PROPER or extension not in (".yaml", ".yml") or not stem.isalpha():
        return False
    from difflib import SequenceMatcher  # hardly any file has such a name

    return stem.lower() == SHORT or SequenceMatcher(None, stem.lower(), STEM).ratio() >= CLOSE_ENOUGH


def _kustomization_in(file: SourceFile) -> Node | None:
    """The root of what can only be meant for Kustomize."""
    root = file.documents[0].root if len(file.documents) == 1 else None
    if root is None or not root.is_mapping:
        return None
    api_version, kind = root.texts("apiVersion", "kind")
    if api_version or kind:
        return root if api_version.startswith(GROUP) else None
    known = table("kustomization-fields.json")["types"]["Kustomization"]
    fits = all(name in known for name, _ in root.items())
    return root if fits and root["resources"].is_sequence else None


def _finding(repo: Repo, root: Node, folder: str, name: str) -> Finding:
    readers = [
        app.application
        for app in repo.applications
        if app.application and any(one.path == folder and one.tool == "directory" for one in app.rendered)
    ]
    effect = "a folder with it counts as one of plain manifests"
    if readers:
        refused = ", and its kind is unknown to the cluster: every sync is refused" if root["kind"].present else ""
        effect = f"{readers[0]} reads the folder as plain manifests{refused}"
    return Finding(
        root["kind"] if root["kind"].present else root,
        headline=f"{name} is no name that Kustomize or Argo CD looks for",
        happens=f"{effect[0].upper()}{effect[1:]}.",
        do=f"Rename the file to {STEM}.yaml.",
        severity=Severity.ERROR if readers or _is_used_as_base(repo, folder) else Severity.WARNING,
    )


def _is_used_as_base(repo: Repo, folder: str) -> bool:
    return any(refusal.error.sought == folder for refusal in repo.kustomize.refusals(Cause.NO_KUSTOMIZATION))
