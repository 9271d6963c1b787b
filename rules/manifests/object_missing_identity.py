"""An object without kind, apiVersion or name cannot be applied, and mostly nothing beside it, either.

Kind and apiVersion say what an object is, metadata.name which one. A sync with an object
that has no apiVersion or no name is refused. A document without a kind fails the
whole Application that reads it; where the Application is known that is
application-source-broken's to tell, as it is kustomize-build-fails' that Kustomize takes
no object without a kind or a name.

It is an error where an Application or a kustomization is known to read the file. In a
repository without Applications the well-known kinds, Argo CD's own among them, are a warning
without a name. All else may well be meant for another tool. Patches, kustomizations, and the values of
charts are left alone, and so are files beside a kustomization that no one names. A
document that is empty or has only comments is no object.

Fix: write what is missing. There is no automatic fix, since only you know it.

See: argo-cd#954, https://argo-cd.readthedocs.io/en/stable/user-guide/directory/

Bad:
    apiVersion: v1
    kind: ConfigMap  # <- here
    metadata:
      labels:
        app: shop
    data:
      greeting: hello
Good:
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: settings
      labels:
        app: shop
    data:
      greeting: hello
"""

from collections.abc import Iterator
from typing import Final

from ...linter.api import Finding, Moment, Node, Repo, Severity, rule
from ...linter.facts.tables import kind_rank
from ...linter.repo.file_roles import FileRoles, Role

READ_OTHERWISE: Final = (Role.KUSTOMIZATION, Role.NAMED, Role.DATA, Role.VALUES)
NO_OBJECTS: Final = ("Kustomization", "Component")
ARGO_KINDS: Final = ("Application", "ApplicationSet", "AppProject")
EFFECTS: Final = {
    "name": "It cannot be applied, and every sync fails.",
    "apiVersion": "Argo CD cannot tell what it is, and refuses every sync of it.",
    "kind": "Argo CD cannot generate the manifests of an Application that reads this file.",
}


@rule("GL020", Severity.ERROR, Moment.SYNC, literal=True)
def check(repo: Repo) -> Iterator[Finding]:
    incomplete = [
        (root, missing)
        for root in _objects(repo)
        if (missing := _missing(root)) and not (missing == "kind" and root.file.path in repo.broken_for)
    ]
    if not incomplete:
        return
    roles = FileRoles(repo.files)
    synced = {resource.file.path for app in repo.applications for resource in app.resources}
    for root, missing in incomplete:
        path = root.file.path
        role = roles.of(path)
        is_told_elsewhere = role is Role.KUSTOMIZED and missing != "apiVersion"
        if role in READ_OTHERWISE or is_told_elsewhere:
            continue
        is_read = path in synced or role is Role.KUSTOMIZED
        is_told = not repo.applications or root["kind"].text in ARGO_KINDS
        is_meant = is_told and missing == "name" and _is_well_known(root)
        if is_read or is_meant:
            yield _finding(root, missing, None if is_read else Severity.WARNING)


def _objects(repo: Repo) -> Iterator[Node]:
    """All that may be one, without those that are known to be complete."""
    complete = {key for key, resource in repo.owners.items() if resource.name and resource.api_version}
    for file in repo.files:
        for document in file.documents:
            root = document.root
            if id(document.raw) in complete or not root.is_mapping or root["kind"].text in NO_OBJECTS:
                continue
            if root["kind"].text.endswith("List") and root["items"].is_sequence:
                yield from (item for item in root["items"] if item.is_mapping)
            else:
                yield root


def _missing(root: Node) -> str:
    """Which of the three is missing; empty for a document that has nothing of an object."""
    kind, api_version = root.texts("kind", "apiVersion")
    name = root["metadata"]["name"].value
    if kind and api_version:
        return "" if name or root["metadata"]["generateName"].value else "name"
    if not name or not (kind or api_version):
        return ""
    return "apiVersion" if kind else "kind"


def _is_well_known(root: Node) -> bool:
    """Many files look like objects and are none: a kubeconfig, the configuration of kind or kubeadm."""
    kind, api_version = root.texts("kind", "apiVersion")
    group = api_version.rpartition("/")[0]
    if group == "argoproj.io":
        return kind in ARGO_KINDS
    return kind_rank(kind) < kind_rank("") and ("." not in group or group.endswith(".k8s.io"))


def _finding(root: Node, missing: str, severity: Severity | None) -> Finding:
    kind, api_version = root["kind"], root["apiVersion"]
    name = root["metadata"]["name"].scalar_text
    words = f"this {kind.text or 'object'}{f' {name!r}' if name else ''}"
    return Finding(
        kind if kind.present else api_version,
        headline=f"{words} has no {missing}",
        happens=EFFECTS[missing],
        do=f"Write its {missing}.",
        severity=severity,
    )
