"""Which releases of an operator the repository itself names.

Only what leaves no doubt counts: a chart whose version is the operator's own, or
is known to install a release of it, the operator's image, a link to a release of its
repository. ``schemas/operators.json`` and ``umbrella-charts.json`` say what these are called.
"""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Final, NamedTuple

from ...facts.file_names import KUSTOMIZATIONS
from ...facts.regexes import regex
from ...facts.tables import table
from ...facts.versions import Version
from ...yaml.source import SourceFile
from ..resource import Resource

WORKLOADS: Final = frozenset(("Deployment", "DaemonSet", "StatefulSet"))

_RELEASE: Final = regex(r"(?:knative-|release-)?v?(\d+)\.(\d+)(?:\.(?:\d+|[x*]))?(?:[-+].*)?", re.ASCII)
_EXACT: Final = regex(r"v?(\d+)\.(\d+)\.(\d+)", re.ASCII)
_GITHUB: Final = regex(r"(?:github\.com|raw\.githubusercontent\.com)[/:]([\w.-]+/[\w.-]+?)(?:\.git)?(?=[/?#]|$)")
_TAG: Final = regex(r"[?&]ref=([^&]+)|/releases/download/([^/]+)/|githubusercontent\.com/[^/]+/[^/]+/([^/]+)/")


class Pin(NamedTuple):
    kind: str
    """``charts``, ``images`` or ``repositories``: where in the table to look the name up."""
    name: str
    version: str


@cache
def names_of_operators() -> Mapping[tuple[str, str], str]:
    """Kind of a pin and its name → the operator."""
    return {
        (kind, name): source
        for source, entry in table("operators.json").items()
        for kind in ("charts", "images", "repositories")
        for name in entry.get(kind, ())
    }


def pinned_releases(resources: Iterable[Resource], files: Iterable[SourceFile]) -> Mapping[str, frozenset[Version]]:
    """Source → the minor releases that the repository names; several where clusters differ."""
    names = names_of_operators()
    found: dict[str, set[Version]] = defaultdict(set)
    for pin in _pins(resources, files):
        source = names.get((pin.kind, pin.name))
        for operator, minor in _installed_by(pin):
            found[operator].add(minor)
        release = _RELEASE.fullmatch(pin.version)
        if source and release:
            found[source].add(Version(int(release[1]), int(release[2])))
    return {source: frozenset(releases) for source, releases in found.items()}


def _installed_by(pin: Pin) -> Iterator[tuple[str, Version]]:
    """What a chart with versions of its own brings."""
    version = _EXACT.fullmatch(pin.version)
    for entry in table("umbrella-charts.json") if version and pin.kind == "charts" else ():
        if version and pin.name in entry["charts"] and int(version[1]) <= entry["newestMajor"]:
            wanted = tuple(map(int, version.groups()))
            older = [minor for first, minor in entry["from"].items() if tuple(map(int, first.split("."))) <= wanted]
            if older:
                yield entry["operator"], Version.parse(older[-1])


def _pins(resources: Iterable[Resource], files: Iterable[SourceFile]) -> Iterator[Pin]:
    for resource in resources:
        if resource.kind in ("Application", "ApplicationSet") and resource.group == "argoproj.io":
            spec = resource["spec"] if resource.kind == "Application" else resource["spec"]["template"]["spec"]
            for source in (spec["source"], *spec["sources"]):
                yield from source_pins(*source.texts("repoURL", "chart", "targetRevision"))
        elif resource.kind in WORKLOADS and not resource.patched:
            yield from _image_pins(resource)
    for file in files:
        name = posixpath.basename(file.path)
        if name in KUSTOMIZATIONS:
            yield from remote_pins(file)
            for chart in (chart for document in file.documents for chart in document.root["helmCharts"]):
                yield chart_named(*chart.texts("repo", "name", "version"))
        elif name == "Chart.yaml":
            for document in file.documents:
                for entry in document.root["dependencies"]:
                    yield chart_named(*entry.texts("repository", "name", "version"))


def source_pins(url: str, chart: str, revision: str) -> Iterator[Pin]:
    """What a source of an Application names."""
    if chart:
        yield chart_named(url, chart, revision)
    elif repository := _GITHUB.search(url):
        yield Pin("repositories", repository[1], revision)


def chart_named(repository: str, name: str, version: str) -> Pin:
    return Pin("charts", chart_pin(repository, name), version)


def chart_pin(repository: str, name: str) -> str:
    """How tables name a chart: ``charts.jetstack.io/cert-manager``."""
    return f"{_bare(repository)}/{name}"


def _bare(url: str) -> str:
    return url.partition("://")[2].rstrip("/") if "://" in url else url.rstrip("/")


def _image_pins(workload: Resource) -> Iterator[Pin]:
    for container in workload.node.at("spec", "template", "spec", "containers"):
        name, _, tag = container["image"].text.partition("@")[0].rpartition(":")
        # Mirrors put their own host and folders in front, so only the end of the name is compared.
        parts = name.split("/")
        for start in range(len(parts) - 1):
            yield Pin("images", "/".join(parts[start:]), tag)


def remote_pins(kustomization: SourceFile) -> Iterator[Pin]:
    """What a kustomization takes from a repository by a fixed revision."""
    for document in kustomization.documents:
        root = document.root
        for entry in (*root["resources"], *root["bases"], *root["components"]):
            repository, tag = _GITHUB.search(entry.text), _TAG.search(entry.text)
            if repository and tag:
                yield Pin("repositories", repository[1], next(text for text in tag.groups() if text))
