"""What was typed, whatever the command."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from .arguments import Output

STDIN: Final = "-"
OFF: Final = "off"


@dataclass(frozen=True)
class Options:
    """What was typed; the names are those of the command line."""

    outputs: tuple[Output, ...] = ()
    output_format: tuple[str, ...] = ()
    output_file: tuple[str, ...] = ()
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    fail_on: str | None = None
    min_severity: str | None = None
    show: tuple[str, ...] = ()
    app: str | None = None
    group_by: str | None = None
    strict: bool = False
    exit_zero: bool = False
    fix: bool = False
    unsafe_fixes: bool = False
    diff: bool = False
    diff_base: str | None = None
    staged: bool = False
    new_only: bool = False
    baseline: str | None = None
    write_baseline: str | None = None
    """Empty: the usual file."""
    prune_baseline: bool = False
    config: tuple[str, ...] = ()
    """A file, or options with their values."""
    exclude: tuple[str, ...] = ()
    add_ignore: str | None = None
    config_from: str = "head"
    isolated: bool = False
    argocd_version: str | None = None
    kubernetes_version: str | None = None
    schema_dir: Path | None = None
    kustomize_binary: str = OFF
    helm: str = "auto"
    cache_dir: Path | None = None
    no_cache: bool = False
    store: Path | None = None
    repo: tuple[str, ...] = ()
    show_secrets: bool = False
    respect_gitignore: bool = True
    no_context: bool = False
    stdin_filename: str | None = None
    sarif_category: str | None = None
    sarif_fold: bool = False
    jobs: int = 0
    """0: as many as there are cores."""
    show_unread: bool = False
    show_files: bool = False
    show_settings: bool = False
    statistics: bool = False
    color: str = "auto"
    no_progress: bool = False
    quiet: bool = False
    verbose: bool = False
    to_stderr: bool = False
    """Standard output belongs to the fixed text."""

    @property
    def config_file(self) -> Path | None:
        """The last one that is named."""
        return next((Path(word) for word in reversed(self.config) if not _is_pair(word)), None)

    @property
    def config_pairs(self) -> list[str]:
        return [word for word in self.config if _is_pair(word)]

    @property
    def concerns_baseline(self) -> bool:
        return bool(self.baseline or self.prune_baseline or self.write_baseline is not None)


def _is_pair(word: str) -> bool:
    """`fail-on=error`, not the name of a file."""
    key, equals, _ = word.partition("=")
    return bool(equals) and key.replace("-", "").isalpha()


def words(values: Iterable[str]) -> list[str]:
    """`--select GL1,GL2` and `--select GL1 --select GL2` are the same."""
    return [word for value in values for part in value.split(",") if (word := part.strip())]
