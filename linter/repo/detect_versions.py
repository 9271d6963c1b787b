"""The versions that the repository itself shows.

Argo CD: the image of its own Deployments, the address or the image of an
install in a kustomization, the appVersion of its vendored chart, the version
of that chart where an Application, another chart or a kustomization asks for
it. Kubernetes: the version in a cluster's definition. Where two places
disagree, nothing is taken for known: a repository may serve several clusters.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from ..argocd.application_spec import application_spec
from ..facts.regexes import regex
from ..facts.tables import table
from ..facts.versions import Version, Versions
from ..helm.dependencies import CHART, REQUIREMENTS, Dependency, declared, joined
from ..kubernetes.resource import Resource, resources_in
from .tree import Tree

_IMAGE: Final = regex(r"(?:^|/)argoproj/argocd:v?(\d+\.\d+)")
_ADDRESS: Final = regex(r"argoproj/argo-cd(?:\.git)?(?=/).*?(?:\bref=|/)v(\d+\.\d+)\.\d+")
_ARGOCD_IMAGE: Final = regex(r"(?:^|/)argoproj/argocd$")
_LATER: Final = {"goTemplateOptions": "set-go-template-options", "templatePatch": "set-template-patch"}
"""Fields of sets, and since when they are there; nobody writes them for an Argo CD that drops them."""
_PIN: Final = regex(r"~?v?(\d+)\.(\d+)\.(\d+|[xX*])(?:[-+].*)?")
"""A version of a chart that leaves open no more than the patch."""
_CLUSTERS: Final = {
    "controlplane.cluster.x-k8s.io/KubeadmControlPlane": ("spec", "version"),
    "cluster.x-k8s.io/Cluster": ("spec", "topology", "version"),
    "eksctl.io/ClusterConfig": ("metadata", "version"),
    "upgrade.cattle.io/Plan": ("spec", "version"),
}


def complete(versions: Versions, tree: Tree) -> Versions:
    """What is not set is taken from the repository, if it says one thing."""
    objects = [resource for found in tree.by_file.values() for resource in found]
    texts = [] if versions.argocd else [*_argocd(objects, tree)]
    shown = Versions(argocd=_agreed(texts))
    return Versions(
        argocd=versions.argocd or (None if _is_outgrown(shown, objects) else shown.argocd),
        kubernetes=versions.kubernetes or _agreed(_kubernetes(objects)),
        oldest_argocd=None if versions.argocd or texts else _oldest_argocd(objects, tree),
    )


def _oldest_argocd(objects: Iterable[Resource], tree: Tree) -> Version | None:
    """From charts of which it is not known what they install, but what those before them did."""
    known = ([one for one in _until(*chart) if one] for chart in _charts_asked_for(objects, tree))
    return min((Version.parse(one[-1]) for one in known if one), default=None)


def _is_outgrown(shown: Versions, objects: Iterable[Resource]) -> bool:
    """Whether sets have what came later: then the version is one that was installed once."""
    too_new = [field for field, change in _LATER.items() if shown.lacks(change)]
    sets = (one["spec"] for one in objects if one.kind == "ApplicationSet") if too_new else ()
    return any(spec[field].present for spec in sets for field in too_new)


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
    for name, version, repository in _charts_asked_for(objects, tree):
        yield from _argocd_of_chart(name, version, repository)
    for folder in tree.charts:
        chart = tree.root_of(joined(folder, CHART))
        # One that brings the real chart along has an appVersion of its own, which nobody keeps up.
        is_wrapper = any(one.name == _pins()["chart"] for one in _dependencies(tree, folder))
        if chart is not None and chart["name"].text == _pins()["chart"] and not is_wrapper:
            yield chart["appVersion"].text


def _charts_asked_for(objects: Iterable[Resource], tree: Tree) -> Iterator[tuple[str, str, str]]:
    """Name, version and repository of charts from elsewhere."""
    for resource in (*objects, *_in_templates(tree)):
        spec = application_spec(resource)
        for source in (spec["source"], *spec["sources"]) if spec is not None else ():
            yield source["chart"].text, source["targetRevision"].text, source["repoURL"].text
    for kustomization in tree.kustomizations.values():
        for entry in kustomization.root["helmCharts"]:
            yield entry["name"].text, entry["version"].text, entry["repo"].text
    for folder in tree.charts:
        for dependency in _dependencies(tree, folder):
            yield dependency.name, dependency.version, dependency.repository


def _dependencies(tree: Tree, folder: str) -> tuple[Dependency, ...]:
    return declared(tree.root_of(joined(folder, CHART)), tree.root_of(joined(folder, REQUIREMENTS)))


def _in_templates(tree: Tree) -> Iterator[Resource]:
    """Applications that a chart makes and that ask for the chart; what a template fills in is no version."""
    for path, file in tree.templates.items():
        template = tree.template(path) if _pins()["chart"] in file.text and "targetRevision" in file.text else None
        for document in template.documents if template is not None else ():
            yield from resources_in(document.root)


def _argocd_of_chart(name: str, version: str, repository: str) -> Iterator[str]:
    yield from filter(None, _until(name, version, repository)[-1:])


def _until(name: str, version: str, repository: str) -> list[str]:
    """What a version of the chart and all before it install, the newest last; empty where that is not known."""
    pins = _pins()
    pinned = _PIN.fullmatch(version.strip())
    # Charts of others go by the same name and have other versions.
    if name != pins["chart"] or pinned is None or not any(one in repository for one in pins["repositories"]):
        return []
    release = (int(pinned[1]), int(pinned[2]), int(pinned[3]) if pinned[3].isdecimal() else 0)
    older = [argocd for first, argocd in pins["from"].items() if tuple(map(int, first.split("."))) <= release]
    return older if release[0] <= pins["newestMajor"] else [*older, ""]


def _pins() -> Any:
    return table("argo-cd-charts.json")


def _kubernetes(objects: Iterable[Resource]) -> Iterator[str]:
    for resource in objects:
        path = _CLUSTERS.get(resource.group_kind)
        if path:
            yield resource.node.at(*path).text
