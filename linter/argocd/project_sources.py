"""The patterns of sourceRepos in an AppProject, compared with the URL of a source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..dialects.git_urls import normal_git_url
from ..dialects.project_patterns import is_negated, matches_or_not_denied

if TYPE_CHECKING:
    from ..yaml.source import Node


@dataclass(frozen=True, eq=False)
class Pattern:
    """An item of a list of patterns, and where it is written."""

    text: str
    node: Node | None = None


def matches_url(pattern: str, url: str) -> bool:
    """Both sides are normalised, a negated pattern behind its exclamation mark; it matches all other URLs."""
    denial = "!" if is_negated(pattern) else ""
    return matches_or_not_denied(denial + normal_git_url(pattern.removeprefix("!")), normal_git_url(url), "/")


def reaching_further(pattern: str, url: str) -> str | None:
    """The pattern with stars that go over slashes, where that is all it lacks to match the URL."""
    wider = pattern.replace("**", "*").replace("*", "**")
    return wider if wider != pattern and matches_url(wider, url) else None
