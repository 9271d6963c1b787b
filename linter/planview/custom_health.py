"""Health checks that the repository itself adds to Argo CD's settings.

They stand in the ConfigMap argocd-cm, in the values of the argo-cd chart, in
a patch of either, or in the object that Argo CD's operator reads. All of them
spell the same key, so that the text of the files is the place to look.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Final, NamedTuple

from ..model import Repo
from ..resource import Resource
from ..source import SourceFile, Span, Spot
from .views import Link

_WORD: Final = "customizations.health."
_KEY: Final = re.compile(r"^[ \t]*[\"']?resource\.customizations\.health\.([\w.*-]+?)[\"']?[ \t]*:", re.MULTILINE)


class CustomHealth(NamedTuple):
    places: Mapping[str, Link]
    """By ``group/Kind``, where ``*`` stands for anything."""

    def of(self, group: str, kind: str) -> Link | None:
        wanted = f"{group}/{kind}"
        if wanted in self.places:
            return self.places[wanted]
        return next((link for key, link in self.places.items() if "*" in key and fnmatchcase(wanted, key)), None)


def custom_health(repo: Repo) -> CustomHealth:
    found: dict[str, Link] = {}
    for file in repo.files:
        found.update(_spelled_in(file))
    for resource in repo.resources:
        if resource.kind in ("ConfigMap", "ArgoCD"):
            found.update(_in_settings(resource))
    return CustomHealth(found)


def _spelled_in(file: SourceFile) -> Iterator[tuple[str, Link]]:
    if _WORD in file.text:
        for match in _KEY.finditer(file.text):
            group, _, kind = match[1].rpartition("_")
            yield f"{group}/{kind}", Link.to(Spot(file, Span(match.start(1), match.end(1))))


def _in_settings(resource: Resource) -> Iterable[tuple[str, Link]]:
    """The two forms that do not spell the kind in a key of its own."""
    if resource.kind == "ArgoCD" and resource.group == "argoproj.io":
        for check in resource["spec"]["resourceHealthChecks"]:
            yield f"{check['group'].text}/{check['kind'].text}", Link.to(check["kind"])
    elif resource.name == "argocd-cm" and not resource.group:
        together = resource["data"]["resource.customizations"]
        for document in SourceFile("argocd-cm", together.text).documents if together.text else ():
            for key, customization in document.root.items():
                if customization["health.lua"].present:
                    yield key if "/" in key else f"/{key}", Link.to(together)
