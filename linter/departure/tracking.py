"""How Argo CD marks what belongs to an Application, as far as the repository shows it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from ..model import Repo
from ..resource import Resource
from ..source import Node, SourceFile

METHOD: Final = "application.resourceTrackingMethod"
LABEL_KEY: Final = "application.instanceLabelKey"
INSTALLATION: Final = "installationID"
_SPELLINGS: Final = {
    METHOD: METHOD,
    LABEL_KEY: LABEL_KEY,
    INSTALLATION: INSTALLATION,
    "resourceTrackingMethod": METHOD,
    "applicationInstanceLabelKey": LABEL_KEY,
}
"""In argocd-cm and in values of Argo CD's chart; the last two in the ArgoCD object of its operator."""
_OF_THE_OPERATOR: Final = ("resourceTrackingMethod", "applicationInstanceLabelKey")
DEFAULT_LABEL: Final = "app.kubernetes.io/instance"


class TrackingSetting(NamedTuple):
    name: str
    """As argocd-cm calls it."""
    value: str
    at: Node


def tracking_settings(files: Iterable[SourceFile]) -> Iterator[TrackingSetting]:
    for file in files:
        if not any(name in file.text for name in _SPELLINGS):
            continue
        for document in file.documents:
            kind = document.root["kind"].text
            for node in document.root.walk():
                name = _SPELLINGS.get(node.key) if isinstance(node.key, str) else None
                if name and node.text and (node.key not in _OF_THE_OPERATOR or kind == "ArgoCD"):
                    yield TrackingSetting(name, node.text, node)


def tracks_by_label(repo: Repo) -> bool:
    """Known to: the files say so, or the version is one that does unless told otherwise."""
    methods = {one.value for one in tracking_settings(repo.files) if one.name == METHOD}
    return methods == {"label"} or (not methods and repo.versions.argocd_before("3.0"))


def is_labelled(resource: Resource, name: str) -> bool:
    """Whether an object says by its own label that it belongs to an Application: Argo CD marks CRDs itself never."""
    return resource.labels[DEFAULT_LABEL].text == name
