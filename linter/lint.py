"""The whole way from files to a result: parse, build the model, run the rules, triage."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import date
from typing import TYPE_CHECKING, NamedTuple

from .config import Config
from .crds import Schemas
from .discover import Found
from .engine import Run
from .model import Repo, Surroundings, build_repo
from .reading import Reader
from .result import Reported, Result
from .rule import Rule, Scope
from .source import SourceFile
from .triage import Suppressions, triage

if TYPE_CHECKING:
    from .render.helm_choice import HelmChoice
    from .render.real_kustomize import RealKustomize

Progress = Callable[[Sequence[SourceFile]], Iterable[SourceFile]]
"""Wraps the files while they are parsed, which is most of the work."""


class Linted(NamedTuple):
    result: Result
    repo: Repo
    seconds: dict[str, float]
    """By rule code."""


def lint(
    found: Found,
    config: Config,
    rules: Sequence[Rule],
    known_rules: Sequence[Rule],
    *,
    today: date,
    progress: Progress = iter,
    kustomize: RealKustomize | None = None,
    helm: HelmChoice | None = None,
) -> Linted:
    repo = read_repo(found, config, progress, kustomize, helm)
    run = Run(repo)
    run.check(rules)
    crashed = {crash.rule.code for crash in run.crashes}
    ran = [rule for rule in rules if rule.code not in crashed]
    first = triage(run.reported, repo, config, known_rules, ran, today, whole=found.whole)
    later = _about_the_run(run, rules, first.suppressions)
    second = triage(later, repo, config, known_rules, ran, today, whole=found.whole)
    reported = [item for item in (*first.kept, *second.kept) if found.wants(item.file.path)]
    result = Result(
        reported=tuple(sorted(reported, key=lambda item: item.sort_key)),
        rules=tuple(rules),
        files=repo.files,
        resources=len(repo.resources),
        apps=len(repo.apps),
        suppressed=len(first.suppressed) + len(second.suppressed),
        not_analysed=repo.not_analysed,
        versions=repo.versions,
        crashed=bool(run.crashes),
    )
    return Linted(result, repo, dict(run.seconds))


def read_repo(
    found: Found,
    config: Config,
    progress: Progress = iter,
    kustomize: RealKustomize | None = None,
    helm: HelmChoice | None = None,
) -> Repo:
    for file in progress(found.files):
        _ = file.documents
    reader = Reader(found.root)
    around = Surroundings(
        folders=found.folders,
        passed_over=found.passed_over,
        empty=found.empty,
        templates=found.templates,
        others=found.others,
        reader=reader,
        remotes=found.remotes,
        repo_urls=config.repo_urls,
        supplied=config.applicationset_parameters,
        kustomize=kustomize,
        helm=helm.at(found.root, reader) if helm is not None and found.has_charts else None,
        base=found.base,
        whole=found.whole,
    )
    return build_repo(found.files, config.versions, Schemas(config.schema_dir), around)


def _about_the_run(run: Run, rules: Sequence[Rule], suppressions: Suppressions) -> list[Reported]:
    """What can only be said once the other rules are through: about ignores, and about rules that failed."""
    run.reported.clear()
    if run.repo.files:
        run.check_one(rules, Scope.SUPPRESSIONS, suppressions, run.repo.files[0])
    for crash in list(run.crashes):
        run.check_one(rules, Scope.CRASH, crash, crash.file)
    return run.reported
