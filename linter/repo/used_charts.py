"""The charts of the repository, and who renders them with which values."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from ..helm.chart import Chart
from ..yaml.lazy import lazy
from ..yaml.source import SourceFile
from .app import App
from .roots import Root
from .sources.charts import ChartBuild
from .unread import is_for_argo

if TYPE_CHECKING:
    from ..helm.run.real_helm import RealHelm
    from .sources.chart_proofs import Proofs
    from .sources.chart_uses import ChartUse
    from .sources.chart_views import ChartView

FILL_IN: Final = "change-me.yaml"
_FETCHED: Final = ("http", "oci:", "@", "alias:")
"""How the address of a chart begins that is not beside the one that needs it."""


@dataclass(frozen=True, eq=False)
class UsedCharts:
    applications: tuple[App, ...] = ()
    by_folder: Mapping[str, Chart] = field(default_factory=dict)
    """Every chart of this run, those within other charts included."""
    builds: tuple[ChartBuild, ...] = ()
    """Every chart with every set of values that it was rendered with, or would have been."""
    prove: Callable[[Collection[str]], Proofs] | None = field(default=None, repr=False)
    """Given folders of charts: what two renderings of each do not agree on."""
    helm: RealHelm | None = field(default=None, repr=False)
    """For the engine alone: rules start no process."""

    @lazy
    def uses(self) -> tuple[ChartUse, ...]:
        """The sources of Applications that are charts of this repository."""
        if not self.by_folder:
            return ()
        from .sources.chart_uses import ChartUse  # only where there are charts

        return tuple(
            ChartUse(app.application, one, self.by_folder[one.path])
            for app in self.applications
            for one in app.rendered
            if app.application and one.tool == "helm" and one.path in self.by_folder and not one.missing
        )

    @lazy
    def installed_by_hand(self) -> tuple[Root, ...]:
        """Charts that make Applications and that no Application renders, with each set of values that was tried.

        One that Helm refuses with its own values wants others, and nobody here says which.
        """
        found = dict.fromkeys(
            Root(one.folder, _from(one.folder, one.request.value_files) or ((FILL_IN,) if one.refusals else ()))
            for one in self.builds
            if one.request is not None and one.application is None and any(map(is_for_argo, one.resources))
        )
        return tuple(found)

    @lazy
    def rendered(self) -> tuple[Chart, ...]:
        """Those that Argo CD renders by themselves, or may: none that only lies within another one."""
        used = {id(use.chart) for use in self.uses}
        return tuple(
            one for one in self.by_folder.values() if id(one) in used or not (one.is_subchart or one.is_library)
        )

    def renders(self, chart: Chart) -> bool:
        """Whether an Application renders the chart; taken for granted where no Application is known."""
        return not self.applications or any(use.chart is chart for use in self.uses)

    def has_users(self, folder: str) -> bool:
        """Whether an Application renders the chart, or one that it is part of."""
        return any(view.use is not None for view in self.views.get(folder, ()))

    def is_copy(self, path: str) -> bool:
        """Whether a file belongs to a chart of somebody else that was copied here: it is not changed by hand."""
        folder = posixpath.dirname(path)
        while folder and folder not in self.by_folder:
            folder = posixpath.dirname(folder)
        chart = self.by_folder.get(folder)
        if chart is None:
            return False
        above = self.by_folder.get(chart.parent_folder or "")
        declared = [one for one in above.dependencies if one.name == chart.name] if above is not None else []
        return chart.says_its_home or any(one.repository.startswith(_FETCHED) for one in declared)

    @lazy
    def views(self) -> Mapping[str, tuple[ChartView, ...]]:
        """By folder: each chart with the values that it is rendered with, at least with its own."""
        if not self.by_folder:
            return {}
        from .sources.chart_views import views_of  # only where there are charts

        return views_of(self.by_folder, self.uses)

    @lazy
    def template_files(self) -> tuple[SourceFile, ...]:
        """Templates, partials and notes of all charts."""
        return tuple(file for chart in self.by_folder.values() for file in chart.templates.files)


def _from(folder: str, files: Iterable[str]) -> tuple[str, ...]:
    return tuple(posixpath.relpath(path, folder) for path in files)
