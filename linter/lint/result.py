"""What a run found, as reports and fixes see it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from ..facts.severity import Severity
from ..facts.versions import Version
from ..kubernetes.resource import Resource
from ..repo.sources.kustomize_builds import NotAnalysed
from ..yaml.lazy import lazy
from ..yaml.source import Position, SourceFile, Spot
from .causes import Group, grouped
from .grading import moment_of
from .rule import Confidence, Finding, Moment, Rule, Scope
from .sight import Sight


@dataclass(frozen=True)
class Reported:
    """A finding with its rule and its final severity."""

    rule: Rule
    finding: Finding
    severity: Severity
    resource: Resource | None
    app: str = ""
    """The app that the object is part of; of several, the first."""
    applications: tuple[str, ...] = ()
    """The names of the Applications that it touches."""
    is_new: bool | None = None
    """Whether the revision that is compared with does not have it; None where there is none."""

    @property
    def moment(self) -> Moment:
        return moment_of(self.rule, self.finding)

    @property
    def confidence(self) -> Confidence:
        return self.finding.confidence

    @property
    def file(self) -> SourceFile:
        return self.finding.at.file

    @property
    def has_safe_fix(self) -> bool:
        """Without one, a fix waits for `--unsafe-fixes`."""
        return any(fix.safe for fix in self.finding.fixes)

    @lazy
    def start(self) -> Position:
        return self.file.position(self.finding.at.span.start)

    @lazy
    def end(self) -> Position:
        """One past the last character, kept on the first line: reports show one-line regions."""
        span = self.finding.at.span
        line_end = self.file.line_span(self.start.line).end
        return self.file.position(min(max(span.end, span.start), line_end))

    @lazy
    def fingerprint(self) -> str:
        """Stays the same when lines move: rule, file, object and place in the object."""
        import hashlib

        identity = self.resource.identity if self.resource else ""
        place = self.finding.at.pointer
        if self.file.is_template and isinstance(self.finding.at, Spot):
            # There is no pointer, and perhaps the same fault in many lines.
            place = self.file.line_text(self.start.line).strip()
        parts = (self.rule.code, self.file.path, identity, place)
        return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]

    @property
    def sort_key(self) -> tuple[str, Position, str, str]:
        return (self.file.path, self.start, self.rule.code, self.finding.message)


class Assumed(NamedTuple):
    """A version that was judged by."""

    what: str
    """Argo CD or Kubernetes."""
    option: str
    version: Version | None
    """None where it is not known: what differs between versions is then told as such."""
    why: str = ""
    """Who says so."""


class AffectedApp(NamedTuple):
    """What the next sync after a merge does to one Application, or to a folder that none syncs, in numbers."""

    name: str
    status: str
    """added, removed or renamed; empty if it is none of them."""
    destination: str
    create: int
    change: int
    recreate: int
    prune: int
    refused: int
    automatic: str
    """yes, no or unknown."""


@dataclass(frozen=True)
class Result:
    reported: tuple[Reported, ...]
    """In order of file, line and rule."""
    rules: tuple[Rule, ...]
    """All that ran, whether or not they found something."""
    files: Sequence[SourceFile] = ()
    resources: int = 0
    sight: Sight = Sight()
    suppressed: int = 0
    baselined: int = 0
    """Findings that the baseline knows."""
    not_analysed: tuple[NotAnalysed, ...] = ()
    out_of_reach: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Files that no Application reads, by the reason, in words."""
    judged_unread: int = 0
    """How many of them were judged all the same, one step lower, since somebody asked for them."""
    is_flux_only: bool = False
    """Flux syncs the repository, so that rules about Argo CD have nothing to say."""
    assumed: tuple[Assumed, ...] = ()
    """The versions that were judged by, Argo CD first."""
    crashed: bool = False
    """A rule failed: the tool did not do all of its job."""
    remarks: tuple[str, ...] = ()
    """What somebody has switched off, or would have."""
    left_out: tuple[Reported, ...] = ()
    """What is not new, where only new findings were asked for."""
    unasked: int = 0
    """Findings that are not of the severity, the rule or the Application that was asked for."""
    changed_lines: Callable[[str], frozenset[int]] | None = None
    """Of a file, by its path; None where there is no revision to compare with."""
    changed_apps: int | None = None
    """Applications to which the change does something; None as before."""
    affected: tuple[AffectedApp, ...] | None = None
    """With a revision to compare with: what the change does; None without one."""

    @property
    def is_complete(self) -> bool:
        """Whether all that was recognised was looked into, by every rule."""
        return not (self.crashed or self.not_analysed)

    @lazy
    def groups(self) -> tuple[Group, ...]:
        """The findings by their causes: what concerns the reader most first, a running cluster before a new one."""
        return tuple(sorted(grouped(self.nearest_first), key=_concern))

    @lazy
    def nearest_groups(self) -> tuple[Group, ...]:
        """For readers of a change: those that have a place on its lines first."""
        return tuple(sorted(self.groups, key=lambda one: self._distance(one.first)))

    def count(self, severity: Severity) -> int:
        """Causes, not places."""
        return sum(1 for group in self.groups if group.severity is severity)

    def fixable(self, *, safe: bool) -> int:
        """Findings with a safe fix, or with one that needs `--unsafe-fixes`."""
        return sum(1 for item in self.reported if item.finding.fixes and item.has_safe_fix is safe)

    @lazy
    def worst_first(self) -> tuple[Reported, ...]:
        """For places that hold only so many; among equals the surer ones, then the order of files."""
        return tuple(sorted(self.reported, key=lambda item: (-item.severity, -item.confidence)))

    @lazy
    def nearest_first(self) -> tuple[Reported, ...]:
        """For readers of a change: what stands on its lines, what else is new, the rest; the worst of each first."""
        return tuple(sorted(self.worst_first, key=self._distance))

    def _distance(self, item: Reported) -> int:
        if item.rule.scope is Scope.CHANGE:
            return 0  # it is about the change, also where only lines next to a gap are left to stand on
        if self.changed_lines is not None and item.start.line in self.changed_lines(item.file.path):
            return 0
        return 1 if item.is_new else 2

    @property
    def whole(self) -> Result:
        """With what was left out since it is not new."""
        if not self.left_out:
            return self
        reported = sorted((*self.reported, *self.left_out), key=lambda item: item.sort_key)
        return replace(self, reported=tuple(reported), left_out=())


def _concern(one: Group) -> tuple[int, bool, bool, int]:
    return -one.severity, not one.is_new, one.moment is Moment.INSTALL, -len(one.applications)
