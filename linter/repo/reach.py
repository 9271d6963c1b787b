"""Is it applied at all? The one place that decides it, for every rule.

A file is read if an Application reads it, or a kustomization or a chart that
one uses. Where Applications of the repository are known, what none of them
reads is out of judgement: test data, copies of charts, what a kustomization
leaves out. Names alone decide nothing: they count where nothing reads the file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from ..kubernetes.resource import Resource
from ..yaml.lazy import lazy
from .followed_applications import Followed
from .left_over import LeftOver
from .open_paths import OpenPath, open_paths
from .sources.charts import Charts
from .sources.kustomize_builds import Builds
from .tree import Tree
from .unread import NEVER_APPLIED, Unread

if TYPE_CHECKING:
    from ..argocd.applications import Application
    from .ownership import Owners

MEANT: Final = frozenset(
    (Unread.LEFT_OUT, Unread.PASSED_OVER, Unread.COMMENTED_OUT, Unread.UNUSED, Unread.SAMPLE, Unread.EXPORT)
)
"""Whole objects all the same: where somebody asks for them, they can be judged."""
NAMED: Final = MEANT - NEVER_APPLIED
"""Those that somebody may mean to apply one day, so that the name alone is asking for them."""


@dataclass(frozen=True, eq=False)
class Reach:
    read: frozenset[str] = frozenset()
    """Files that an Application reads."""
    unread: Mapping[str, Unread] = field(default_factory=dict)
    """Files that nobody applies: out of judgement."""
    doubtful: Mapping[str, Unread] = field(default_factory=dict)
    """Files that look as if nobody applied them, where no Application says more."""
    by_flux: frozenset[str] = frozenset()
    """Files that Flux applies, and no Application reads."""
    asked_for: frozenset[str] = frozenset()
    """Of the doubtful files those that nobody applies, and somebody wants judged."""
    open_paths: tuple[OpenPath, ...] = ()
    """What Applications may read that cannot be told from the files: sets that are not expanded."""
    tells_most: bool = False
    """Whether Applications read more than is left over: then hardly anybody applies the rest."""

    def templates_for(self, folder: str) -> tuple[Application, ...]:
        """What sets that are not expanded may make of a folder."""
        return tuple(one.application for one in self._fitting(folder))

    def options_for(self, folder: str) -> Application | None:
        """The template that tells how a folder is synced, if all that may be meant agree, and are about it."""
        found = self._fitting(folder)
        said = {_options(one.application) for one in found}
        agreed = len(said) == 1 and not any(one.is_anything for one in found)
        return found[0].application if agreed else None

    def _fitting(self, folder: str) -> list[OpenPath]:
        """Many sets have one path, so it is tried once."""
        fits = {one.pattern for one in self._different_paths if one.covers(folder)}
        return [one for one in self.open_paths if one.pattern in fits]

    @lazy
    def _different_paths(self) -> list[OpenPath]:
        return list({one.pattern: one for one in self.open_paths}.values())

    def by_reason(self, wanted: Callable[[str], bool]) -> dict[str, tuple[str, ...]]:
        """Of some files those that nobody applies, judged or not, by the reason in words, the commonest first."""
        files = {**self.unread, **{path: self.doubtful[path] for path in self.asked_for}}
        files = {path: why for path, why in files.items() if wanted(path)}
        found = {reason: tuple(sorted(p for p, why in files.items() if why is reason)) for reason in Unread}
        return {
            reason.value: found[reason] for reason in sorted(Unread, key=lambda one: -len(found[one])) if found[reason]
        }

    def judging(self, asked: Callable[[str], bool], *, everything: bool = False) -> Reach:
        """With the unread files that somebody asks for judged all the same, as doubtful ones: one step lower."""
        meant = MEANT if everything else NAMED
        found = {path: why for path, why in self.unread.items() if why in meant and (everything or asked(path))}
        if not found:
            return self
        unread = {path: why for path, why in self.unread.items() if path not in found}
        return replace(self, unread=unread, doubtful={**self.doubtful, **found}, asked_for=frozenset(found))

    def is_read(self, resource: Resource) -> bool:
        """False for what nobody applies."""
        return resource.node.origin.file.path not in self.unread

    def is_left_out(self, path: str) -> bool:
        """Whether it lies beside a kustomization that does not name it."""
        return self.unread.get(path) is Unread.LEFT_OUT


def find_reach(tree: Tree, builds: Builds, charts: Charts, owners: Owners) -> tuple[Reach, Owners]:
    """Also the owners without those that nobody applies."""
    followed = Followed(tree, builds, charts, owners)
    followed.follow_applications()
    live = owners.of(followed.live, [one for one in owners.sets if followed.is_live(one.resource)])
    paths = tuple(open_paths(live.sets, live.owned, live.this_repo))
    left = LeftOver(followed)
    unread, doubtful = left.rest(paths)
    by_flux = frozenset(left.by_flux())
    tells_most = left.reads_more_than_is_left(unread.keys() | by_flux)
    reach = Reach(frozenset(followed.read), unread, doubtful, by_flux, open_paths=paths, tells_most=tells_most)
    return reach, live


def _options(template: Application) -> tuple[object, ...]:
    return template.prunes, template.server_side_apply, template.server_side_diff
