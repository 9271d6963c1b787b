"""Which Helm renders, and where its output is kept: what the command line says, looked for when there is a chart."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from ...files.elsewhere import NOTHING, Elsewhere

if TYPE_CHECKING:
    from .lent_dependencies import ChartFiles
    from .real_helm import RealHelm

AUTO: Final = "auto"
OFF: Final = "off"


class HelmChoice(NamedTuple):
    word: str = AUTO
    cache_folder: Path | None = None
    """None: that of the user."""
    keeps: bool = True
    """False: nothing is kept, and nothing that was kept is used."""
    jobs: int = 0
    """How many run at once; 0 for as many as there are cores."""

    def at(
        self,
        root: Path,
        files: ChartFiles,
        elsewhere: Elsewhere = NOTHING,
        tells_secret: Callable[[str], bool] = lambda text: False,
    ) -> RealHelm | None:
        """For one state of a repository; None without a Helm. Raises NoBinary for a program that is none.

        What `tells_secret` is not kept.
        """
        if self.word == OFF:
            return None
        from ..line_marks import TOKEN, mark
        from .real_helm import RealHelm, find_helm
        from .render_cache import RenderCache, default_folder

        cache = RenderCache(self.cache_folder or default_folder(), root, tells_secret) if self.keeps else None
        binary = find_helm(self.word, cache)
        return (
            None if binary is None else RealHelm(binary, files, cache, partial(mark, token=TOKEN), elsewhere, self.jobs)
        )
