"""The versions that the repository itself shows.

Argo CD: the image of its own Deployments, the address or the image of an
install in a kustomization, the appVersion of its vendored chart. Kubernetes:
the version in a cluster's definition. Where two places disagree, nothing is
taken for known: a repository may serve several clusters.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from ..resource import Resource
from ..versions import Version, Versions
from .tree import Tree

_IMAGE: Final = re.compile(r"(?:^|/)argoproj/argocd:v?(\d+\.\d+)")
_ADDRESS: Final = re.compile(r"argoproj/argo-cd(?:\.git)?(?=/).*?(?:\bref=|/)v(\d+\.\d+)\.\d+")
_ARGOCD_IMAGE: Final = re.compile(r"(?:^|/)argoproj/argocd$")
_CLUSTERS: Final = {
    "controlplane.cluster.x-k8s.io/KubeadmControlPlane": ("spec", "version"),
    "cluster.x-k8s.io/Cluster": ("spec", "topology", "version"),
    "eksctl.io/ClusterConfig": ("metadata", "version"),
    "upgrade.cattle.io/Plan": ("spec", "version"),
}


def complete(versions: Versions, tree: Tree) -> Versions:
    """What is not set is taken from the repository, if it says one thing."""
    objects = [resource for found in tree.by_file.values() for resource in found]
    return Versions(
        argocd=versions.argocd or _agreed(_argocd(objects, tree)),
        kubernetes=versions.kubernetes or _agreed(_kubernetes(objects)),
    )


def _agreed(texts: Iterable[str]) -> Version | None:
    found = set()
    for text in texts:
        try:
            found.add(Version.parse(text))
        except ValueError:
            continue
    return found.pop() if len(found) == 1 else None


def _argocd(objects: Iterable[Resource], tree: Tree) -> Iterator[str]:
    for resource in objects:
        # The same image is used in Jobs and Workflows for its command line: only the servers count.
        if resource.kind in ("Deployment", "StatefulSet") and "argocd" in resource.name:
            for container in resource["spec"]["template"]["spec"]["containers"]:
                yield from _IMAGE.findall(container["image"].text)
    for kustomization in tree.kustomizations.values():
        for entry, path in kustomization.inputs():
            if not path:
                yield from _ADDRESS.findall(entry.text)
        for image in kustomization.root["images"]:
            if _ARGOCD_IMAGE.search(image["name"].text):
                yield image["newTag"].text
    for chart in tree.charts:
        file = tree.sources.get(f"{chart}/Chart.yaml")
        root = file.documents[0].root if file and file.documents else None
        if root is not None and root["name"].text == "argo-cd":
            yield root["appVersion"].text


def _kubernetes(objects: Iterable[Resource]) -> Iterator[str]:
    for resource in objects:
        path = _CLUSTERS.get(resource.group_kind)
        if path:
            yield resource.node.at(*path).text
