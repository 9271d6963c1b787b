"""One invocation: its config, its rules, its files; linting them, and fixing them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from ...rules import load as load_rules
from ..files.discover import Found, discover
from ..files.tops import common_root, located
from .config import Config
from .progress import Progress
from .rule import Rule
from .run import Linted, lint

if TYPE_CHECKING:
    from ..fetch.shelf_choice import ShelfChoice
    from ..files.revision import Base
    from ..git import Repository
    from ..helm.run.helm_choice import HelmChoice
    from ..kustomize.kustomize_binary import Binary
    from ..repo.model import Repo
    from ..repo.reuse import Reuse
    from .baseline import Baseline
    from .own_review import Review


@dataclass(frozen=True)
class Session:
    config: Config
    rules: tuple[Rule, ...]
    today: date
    progress: Progress = Progress()
    respect_gitignore: bool = True
    context: bool = True
    """Folders are read with the repository around them."""
    kustomize: Binary | None = None
    """Builds in place of our own."""
    helm: HelmChoice | None = None
    """Renders charts."""
    fetched: ShelfChoice | None = None
    """What was fetched before; without it everything that is elsewhere is unknown."""
    diff_base: str = ""
    """The revision to compare with; empty for none."""
    staged: bool = False
    """Whether the index is looked at, not the working tree."""
    new_only: bool = False
    baseline: Baseline | None = None
    review: Review | None = None
    """With a revision to compare with: its config and that of the change."""
    jobs: int = 1
    """Processes that look at a large repository together."""

    def find(self, paths: Sequence[Path]) -> Found:
        excluded, respected = self.config.is_excluded, self.respect_gitignore
        if not (self.diff_base or self.staged):
            return discover(paths, excluded, respect_gitignore=respected, context=self.context)
        repository = self._repository(common_root([located(path) for path in paths]))
        found = discover(
            paths,
            excluded,
            respect_gitignore=respected,
            tracked=lambda: repository.index.entries,
            context=self.context,
        )
        if self.staged:
            from ..files.revision import index_of

            found = index_of(repository, found, excluded)
        return found

    def _repository(self, root: Path) -> Repository:
        from ..git import Repository  # starts processes, which hardly anything else does

        return Repository(root)

    def _base(self, found: Found) -> Base | None:
        if not self.diff_base:
            return None
        from ..files.revision import base_of

        return base_of(self._repository(found.root), self.diff_base, found, self.config.is_excluded)

    def lint(
        self, found: Found, reuse: Reuse | None = None, *, repo: Repo | None = None, since: Repo | None = None
    ) -> Linted:
        kustomize = self.kustomize.at(found.root) if self.kustomize else None
        return lint(
            found,
            self.config,
            self.rules,
            self.config.known(load_rules()),
            today=self.today,
            progress=self.progress,
            kustomize=kustomize,
            helm=self.helm,
            base=self._base(found),
            new_only=self.new_only,
            baseline=self.baseline,
            reuse=reuse,
            review=self.review,
            fetched=self.fetched,
            repo=repo,
            since=since,
            jobs=self.jobs,
        )
