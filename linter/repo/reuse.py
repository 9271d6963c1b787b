"""What was made of another revision and holds for this one, too: objects of files, and builds of kustomizations."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from ..facts.versions import Versions
from ..kubernetes.resource import Resource
from ..yaml.source import SourceFile
from .tree import Tree

if TYPE_CHECKING:
    from ..helm.helm_request import Request
    from .sources.charts import ChartBuild, Charts
    from .sources.kustomize_builds import Builds, KustomizeBuild


class Reuse:
    def __init__(
        self, tree: Tree, builds: Builds, charts: Charts, versions: Versions, touched: Callable[[str], bool]
    ) -> None:
        self._tree = tree
        self._builds = builds
        self._charts = charts
        self._touched = touched
        """Whether a file, or anything in a folder, differs between the revisions."""
        self._verdicts: dict[str, bool] = {}
        self.versions = versions
        self.restricted = tree.restricted

    def objects(self, file: SourceFile) -> Sequence[Resource] | None:
        """Of a file that is one and the same."""
        return self._tree.by_file.get(file.path) if self._tree.sources.get(file.path) is file else None

    def build(self, folder: str) -> KustomizeBuild | None:
        build = self._builds.built(folder)
        return build if build is not None and self._holds(build) else None

    def build_for(self, key: object) -> KustomizeBuild | None:
        """With what an Application adds; the key says what that is."""
        build = self._builds.built_for(key)
        return build if build is not None and self._holds(build) else None

    def chart(self, request: Request) -> ChartBuild | None:
        build = self._charts.built(request)
        is_same = build is not None and not any(self._is_touched(path) for path in self._charts.inputs(request))
        return build if is_same else None

    def _holds(self, build: KustomizeBuild) -> bool:
        return not build.errors and not any(self._is_touched(path) for path in self._inputs(build))

    def _is_touched(self, path: str) -> bool:
        if path not in self._verdicts:
            self._verdicts[path] = self._touched(path)
        return self._verdicts[path]

    def _inputs(self, build: KustomizeBuild) -> Iterator[str]:
        """Whole folders, and what their kustomizations name elsewhere."""
        yield from build.folders
        yield from build.files
        yield from build.charts
        for folder in build.folders:
            kustomization = self._tree.kustomizations.get(folder)
            if kustomization is not None:
                yield from (path for _, path in kustomization.inputs() if path)
                yield from kustomization.other_files()
