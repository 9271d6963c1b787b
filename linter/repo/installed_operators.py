"""Which operators an Application installs together with their CRDs."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from ..argocd.applications import Application
from ..argocd.operator_providers import installed, operator_named
from ..facts.file_names import KUSTOMIZATIONS
from ..facts.tables import table
from ..helm.chart import Chart
from ..helm.dependencies import Dependency
from ..kubernetes.annotations.hooks import SYNC_OPTIONS, split
from ..kubernetes.crds.operators import chart_named, remote_pins
from ..kustomize.build_files import is_remote
from ..yaml.source import Document, Node, SourceFile
from .app import App
from .model import Repo
from .sources.application_sources import Rendered
from .sources.given_values import Given

Name = tuple[str, ...]
"""Of a value, key by key."""
_BASES: Final = ("resources", "bases", "components")


class InstalledOperators:
    """Of one repository: its Applications are asked one after the other."""

    def __init__(self, repo: Repo) -> None:
        self.repo = repo
        self.kustomizations = {
            posixpath.dirname(file.path) or ".": file
            for file in repo.files
            if posixpath.basename(file.path) in KUSTOMIZATIONS
        }

    def with_crds(self, app: App) -> set[str]:
        """Without those whose chart leaves the CRDs out, by its default or by what the files say."""
        application = app.application
        found = {
            operator
            for one in app.rendered
            for operator in installed(one.source)
            if application and not self.leaves_crds_out(application, one)
        }
        return found | {operator for operator, brings_crds in self._taken(app) if brings_crds}

    def may_hold(self, app: App, operator: str) -> bool:
        """Whether what is not known of an Application may be this operator: its chart, or a base from anywhere."""
        sources = app.application.sources if app.application else ()
        own = {found for source in sources for found in installed(source)}
        return operator in own | {found for found, _ in self._taken(app)} or self._has_base_from_elsewhere(app)

    def _has_base_from_elsewhere(self, app: App) -> bool:
        folders = (folder for one in app.rendered if one.build for folder in one.build.folders)
        roots = (document.root for one in folders for document in self._documents(one))
        return any(is_remote(entry.text) for root in roots for field in _BASES for entry in root[field])

    def _documents(self, folder: str) -> Sequence[Document]:
        return self.kustomizations[folder].documents if folder in self.kustomizations else ()

    def leaves_crds_out(self, application: Application, one: Rendered) -> bool:
        """Whether the chart that a source names is rendered without its CRDs."""
        helm, chart = one.source.tool("helm"), one.source.chart
        switch = _switch(chart)
        if helm.get("skipCrds") is True and switch.get("folder", True):
            return True
        said = dict(self._said(application, one, switches_of(chart)))
        if said:
            return not any(said.values())
        # Files of values that are elsewhere are taken to say what makes the operator work.
        return switch.get("default") is False and not (helm.get("valueFiles") and _has_unseen_values(one))

    def options_on_crds(self, application: Application, one: Rendered) -> Sequence[str]:
        """The sync options that values put on the CRDs of a chart, as most charts with many let one do."""
        given = dict(self._said(application, one, [("crds", "annotations")])).get(("crds", "annotations"))
        return split(str(given.get(SYNC_OPTIONS, ""))) if isinstance(given, Mapping) else ()

    def _said(self, application: Application, one: Rendered, names: Sequence[Name]) -> Iterator[tuple[Name, Any]]:
        """What the Application gives for these values, layer over layer: the last one counts."""
        given = Given(application, one.source)
        inline = given.inline()
        for root in (*self._value_files(one), *(inline.roots if inline else ())):
            for name in names:
                node = root.at(*name)
                if node.present:
                    yield name, node.value
        for parameter in given.parameters():
            if parameter.path in names:
                yield parameter.path, parameter.value

    def _value_files(self, one: Rendered) -> Iterator[Node]:
        """Those that are here, also where another source of the Application lends them."""
        for path in one.asked.value_files if one.asked else ():
            file = self.repo.file_at(path)
            yield from (document.root for document in (file.documents if file else ()))

    def _taken(self, app: App) -> Iterator[tuple[str, bool]]:
        """What its charts depend on, and what its kustomizations take from elsewhere; and whether CRDs come along."""
        for one in app.rendered:
            chart = self.repo.charts.by_folder.get(one.path) if one.path else None
            for dependency in chart.not_vendored if chart else ():
                operator = operator_named(chart_named(dependency.repository, dependency.name, ""))
                if chart and operator:
                    yield operator, not comes_without_crds(chart, dependency)
            for folder in one.build.folders if one.build else ():
                if folder in self.kustomizations:
                    yield from _taken_by(self.kustomizations[folder])


def _taken_by(kustomization: SourceFile) -> Iterator[tuple[str, bool]]:
    for pin in remote_pins(kustomization):
        operator = operator_named(pin)
        if operator:
            yield operator, True
    for entry in (entry for document in kustomization.documents for entry in document.root["helmCharts"]):
        operator = operator_named(chart_named(*entry.texts("repo", "name", "version")))
        if operator:
            yield operator, entry["includeCRDs"].value is True and _switch(entry["name"].text).get("folder", True)


def comes_without_crds(chart: Chart, dependency: Dependency) -> bool:
    """Whether the values of a chart leave the CRDs of what it depends on out, or all of it."""
    values = chart.values
    off = [_at(values, tuple(one.split("."))) for one in dependency.conditions]
    said = [_at(values, (dependency.key, *name)) for name in switches_of(dependency.name)]
    decided = [one for one in said if one is not None]
    return False in off or False in decided or (not decided and _switch(dependency.name).get("default") is False)


def _at(values: Node | None, names: tuple[str, ...]) -> Any:
    return values.at(*names).value if values is not None else None


def _switch(chart: str) -> Mapping[str, Any]:
    found: Mapping[str, Any] = table("crd-switches.json")["charts"].get(chart, {})
    return found


def switches_of(chart: str) -> list[Name]:
    """The values that decide whether a chart brings its CRDs."""
    return [tuple(name.split(".")) for name in _switch(chart).get("values", ())]


def _has_unseen_values(one: Rendered) -> bool:
    return one.asked is None or bool(one.asked.problems)
