"""The options of a run: one frozen value, from a file and the command line."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from ...argocd.clusters import Cluster
from ...facts.severity import Severity
from ...facts.versions import Version, Versions
from ...files.path_globs import matches
from ...kubernetes.resource import Resource
from ...repo.roots import Root
from ...yaml.source import Place
from .. import selection
from ..rule import Moment, Rule
from .own_checks import OwnCheck


@dataclass(frozen=True)
class IgnoreEntry:
    """Findings that the config accepts: these rules, at the objects that every given condition fits."""

    rules: tuple[str, ...]
    at: Place = field(compare=False, repr=False)
    path: str = ""
    kind: str = ""
    namespace: str = ""
    name: str = ""
    reason: str = ""
    until: date | None = None

    def may_reach(self, path: str) -> bool:
        """Into this file, whatever is in it."""
        return not self.path or matches(self.path, path)

    def fits(self, path: str, resource: Resource | None) -> bool:
        if not self.may_reach(path):
            return False
        conditions = (self.kind, self.namespace, self.name)
        if resource is None:
            return not any(conditions)
        actual = (resource.kind, resource.namespace, resource.display_name)
        return all(fnmatchcase(value, wanted) for value, wanted in zip(actual, conditions, strict=True) if wanted)


@dataclass(frozen=True)
class PathGrades:
    """How findings below a path are graded."""

    path: str
    severity: Mapping[str, Severity] = field(default_factory=dict)
    moments: Mapping[Moment, Severity] = field(default_factory=dict)


@dataclass(frozen=True)
class Config:
    select: tuple[str, ...] | None = None
    """None: the rules that are on by default."""
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    severity: Mapping[str, Severity] = field(default_factory=dict)
    moments: Mapping[Moment, Severity] = field(default_factory=dict)
    """What a finding that bites then can be at most, where that is not the usual."""
    fail_on: str = "warning"
    exclude: tuple[str, ...] = ()
    per_file_ignores: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    ignores: tuple[IgnoreEntry, ...] = ()
    required_reason: bool = False
    """Whether an ignore without a reason is none."""
    checks: tuple[OwnCheck, ...] = ()
    """Rules of the config's own."""
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Of single rules, by their names."""
    data_kinds: Mapping[str, bool] = field(default_factory=dict)
    """`group/Kind` → whether deleting one loses data, where that is not as usual."""
    per_path: tuple[PathGrades, ...] = ()
    """Other severities below some paths; the last that fits counts."""
    required: tuple[str, ...] = ()
    """Rules that always run, and whose findings nobody can ignore."""
    argocd_version: Version | None = None
    kubernetes_version: Version | None = None
    repo_urls: tuple[str, ...] = ()
    repos: Mapping[str, Path] = field(default_factory=dict)
    """Address of another git repository → the folder of this one that it is checked out in."""
    fetch_hosts: tuple[str, ...] = ()
    """Hosts that `fetch` may ask."""
    applicationset_parameters: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)
    """By the name of the set: what its generators would give that cannot be known from the files."""
    clusters: tuple[Cluster, ...] = ()
    """Those that Argo CD knows."""
    roots: tuple[Root, ...] = ()
    """Charts that are installed by hand."""
    plugins: Mapping[str, str] = field(default_factory=dict)
    """Config management plugin → the command line that makes its manifests, where no file defines it."""
    schema_dir: Path | None = None
    baseline: Path | None = None
    """It need not be there: it may be about to be written."""
    output_format: str = "full"
    show_unread: bool = False
    """Whether files that no Application reads are judged, too; only the command line says so."""
    insist: tuple[str, ...] = ()
    """What the command line selects: it wins over an equally exact `ignore` of the file."""
    folder: Path | None = field(default=None, compare=False)
    """Where the patterns count from; None: from the root."""
    root: Path | None = field(default=None, compare=False)
    """Where the paths of files count from."""
    origins: Mapping[str, str] = field(default_factory=dict, compare=False)
    """Option → the line of the file, or the word of the command line, that set it."""

    def override(
        self,
        *,
        select: Sequence[str] | None = None,
        extend_select: Sequence[str] = (),
        ignore: Sequence[str] = (),
        fail_on: str | None = None,
        argocd_version: Version | None = None,
        kubernetes_version: Version | None = None,
        schema_dir: Path | None = None,
        output_format: str | None = None,
        exclude: Sequence[str] = (),
        show_unread: bool = False,
    ) -> Config:
        """The command line over the file: `select` starts anew, without extend-select; `ignore` and `exclude` add."""
        given: dict[str, object] = {
            "select": select,
            "extend-select": extend_select or None,
            "ignore": ignore or None,
            "fail-on": fail_on,
            "argocd-version": argocd_version,
            "kubernetes-version": kubernetes_version,
            "schema-dir": schema_dir,
            "output-format": output_format,
            "exclude": exclude or None,
        }
        said = {option: f"--{option}" for option, value in given.items() if value is not None}
        chosen = tuple(word for word in (*(select or ()), *extend_select) if word not in ignore)
        return replace(
            self,
            select=self.select if select is None else tuple(select),
            extend_select=(*(self.extend_select if select is None else ()), *extend_select),
            ignore=(*self.ignore, *ignore),
            insist=(*self.insist, *chosen),
            fail_on=fail_on or self.fail_on,
            argocd_version=argocd_version or self.argocd_version,
            kubernetes_version=kubernetes_version or self.kubernetes_version,
            schema_dir=schema_dir or self.schema_dir,
            output_format=output_format or self.output_format,
            exclude=(*self.exclude, *exclude),
            show_unread=show_unread or self.show_unread,
            origins={**self.origins, **said},
        )

    # -- what it means for a run

    def known(self, rules: Sequence[Rule]) -> tuple[Rule, ...]:
        """With the options and the checks of this config, and of no other."""
        others = [rule for rule in rules if not isinstance(rule.check, OwnCheck)]
        if self.options:
            others = [
                rule.with_options(self.options[rule.name]) if rule.name in self.options else rule for rule in others
            ]
        return (*others, *(check.as_rule() for check in self.checks))

    def rules_to_run(self, rules: Sequence[Rule]) -> tuple[Rule, ...]:
        rules = self.known(rules)
        chosen = selection.select(rules, self.select, self.extend_select, self.ignore, self.insist)
        return tuple(rule for rule in rules if rule in chosen or self.requires(rule)) if self.required else chosen

    def requires(self, rule: Rule) -> bool:
        return bool(self.required) and selection.exactness(self.required, rule) >= 0

    def severity_of(self, rule: Rule, path: str | None = None) -> Severity | None:
        """Of findings in this file, where one is given."""
        for grades in self._grades_at(path):
            found = selection.most_exact(grades.severity, rule)
            if found is not None:
                return found
        return selection.most_exact(self.severity, rule)

    def moments_at(self, path: str) -> Mapping[Moment, Severity]:
        """What a finding in this file can be at most, by its moment."""
        found = dict(self.moments)
        for grades in reversed(self._grades_at(path)):
            found.update(grades.moments)
        return found

    def _grades_at(self, path: str | None) -> list[PathGrades]:
        """The last one first."""
        if path is None or not self.per_path:
            return []
        local = self.local(path)
        return [one for one in reversed(self.per_path) if matches(one.path, local)]

    @property
    def threshold(self) -> Severity | None:
        """The least severity that fails the run; None: none does."""
        return None if self.fail_on == "never" else Severity[self.fail_on.upper()]

    @property
    def versions(self) -> Versions:
        return Versions(self.argocd_version, self.kubernetes_version)

    def is_excluded(self, path: str) -> bool:
        local = self.local(path) if self.exclude else path
        return any(matches(pattern, local) for pattern in self.exclude)

    def file_ignores(self, path: str) -> tuple[str, ...]:
        """The words of per-file-ignores that apply to a file: of every pattern that matches."""
        local = self.local(path)
        found = (words for pattern, words in self.per_file_ignores.items() if matches(pattern, local))
        return tuple(word for words in found for word in words)

    def local(self, path: str) -> str:
        """A file's path as the patterns see it."""
        if self.folder is None or self.root is None or self.folder == self.root:
            return path
        return Path(os.path.relpath(self.root / path, self.folder)).as_posix()
