"""Why kustomizations cannot be built: each fault once, with all that it stops."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ...argocd.applications import Application
from ...dialects.phrases import and_more
from ...dialects.target_revision import follows_main_line
from ...facts.severity import Severity
from ...kustomize import BuildError, Cause
from ...kustomize.kustomize_errors import OperationError
from .kustomize_builds import KustomizeBuild

__all__ = ["BuildError", "Cause", "OperationError", "Refusal", "find_refusals"]


@dataclass(frozen=True, eq=False)
class Refusal:
    """A fault in one line; the base that it is in may be part of many builds."""

    error: BuildError
    folders: dict[str, None] = field(default_factory=dict)
    """The kustomizations that cannot be built because of it."""
    applications: dict[int, Application] = field(default_factory=dict)
    """Those among the known ones whose manifests cannot be generated."""
    others_are_known: bool = False
    """Applications of this repository are known, though maybe none that this stops."""

    may_be_built: bool = False
    """A set that could not be expanded may have it built."""

    @property
    def severity(self) -> Severity:
        """What no Application builds is probably out of use, if others are built; if none is known, nobody can tell."""
        if self.applications:
            return Severity.ERROR
        return Severity.WARNING if self.may_be_built or not self.others_are_known else Severity.NOTE

    @property
    def other_branch(self) -> str:
        """The branch that the Applications take it from, where all take it from one that may not be checked out."""
        revisions = [one.target_revision for app in self.applications.values() for one in app.sources if one.path]
        follow_none = all(follows_main_line(one) is None for one in revisions)
        return revisions[0] if revisions and follow_none else ""

    @property
    def sentence(self) -> str:
        """What it stops, without the full stop."""
        if self.applications:
            return f"Argo CD cannot generate the manifests of {_listed(map(str, self.applications.values()))}"
        folders = ("the root of the repository" if folder == "." else folder for folder in self.folders)
        return f"The build of {_listed(folders)} fails"

    @property
    def continued(self) -> str:
        """The same, after a colon."""
        return self.sentence if self.applications else f"{self.sentence[0].lower()}{self.sentence[1:]}"


def _listed(names: Iterable[str]) -> str:
    first, *more = dict.fromkeys(names)
    return f"{first}{and_more(len(more), ' (and of {} more)')}"


def find_refusals(
    builds: Iterable[KustomizeBuild],
    users: Mapping[int, Sequence[Application]],
    causes: Collection[Cause],
    *,
    others_are_known: bool,
) -> list[Refusal]:
    """One for each line that has a fault of these causes; `users` are the Applications of a build, by its id."""
    lines: dict[tuple[str, int], Refusal] = {}
    for build in builds:
        for error in build.errors:
            if error.cause not in causes:
                continue
            file = error.at.file
            line = file.position(error.at.span.start).line
            refusal = lines.setdefault((file.path, line), Refusal(error, others_are_known=others_are_known))
            refusal.folders[build.folder] = None
            refusal.applications.update({id(one): one for one in users.get(id(build), ())})
    return list(lines.values())
