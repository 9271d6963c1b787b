"""The whole way from files to a result: parse, build the model, run the rules, triage."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date
from typing import TYPE_CHECKING, NamedTuple

from .change import Change
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
    from .revision import Base

Progress = Callable[[Sequence[SourceFile]], Iterable[SourceFile]]
"""Wraps the files while they are parsed, which is most of the work."""


class Linted(NamedTuple):
    result: Result
    repo: Repo
    seconds: dict[str, float]
    """By rule code."""
    change: Change | None = None
    """Where there is a revision to compare with."""
    notes: tuple[str, ...] = ()
    """What is to be said about the comparison."""


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
    base: Base | None = None,
    new_only: bool = False,
) -> Linted:
    """With a base, rules about the change run, too; `new_only` leaves out what the base has as well."""
    repo = read_repo(found, config, progress, kustomize, helm)
    change = _change(repo, base, config, helm) if base else None
    rules = [rule for rule in rules if change or rule.scope is not Scope.CHANGE]
    run = Run(repo, change)
    run.check(rules)
    crashed = {crash.rule.code for crash in run.crashes}
    ran = [rule for rule in rules if rule.code not in crashed]
    first = triage(run.reported, repo, config, known_rules, ran, today, whole=found.whole)
    later = _about_the_run(run, rules, first.suppressions)
    second = triage(later, repo, config, known_rules, ran, today, whole=found.whole)
    reported = [item for item in (*first.kept, *second.kept) if found.wants(item.file.path)]
    notes = [*base.notes, *_failing(change, base)] if base and change else []
    if base and change and new_only:
        from .newness import only_new  # most runs have nothing to compare with

        def judged(before: Run, ran: Sequence[Rule]) -> Sequence[Reported]:
            return triage(before.reported, before.repo, config, known_rules, ran, today, whole=found.whole).kept

        new = only_new(reported, change, judged)
        notes += new.notes
        if len(new.reported) < len(reported):
            old = len(reported) - len(new.reported)
            count, them = ("1 finding is", "it") if old == 1 else (f"{old} findings are", "them")
            notes.append(f"{count} not shown: {base.revision} has {them}, too")
        reported = new.reported
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
    return Linted(result, repo, dict(run.seconds), change, tuple(notes))


def _change(head: Repo, base: Base, config: Config, helm: HelmChoice | None) -> Change:
    """Our own builds only: what is not on the disk no other program can build."""
    reuse = head.reused_by(base.differences.touched) if head.reused_by else None
    around = _around(base.found, config, helm)
    before = build_repo(base.found.files, config.versions, Schemas(config.schema_dir), around, reuse)
    return Change(before, head, base.differences.files)


def _failing(change: Change, base: Base) -> Iterator[str]:
    """Builds of the base that fail, and that the head does not have in the same way."""
    ours = {id(build) for build in change.head.builds}
    failing = [build for build in change.base.builds if build.errors and id(build) not in ours]
    failing = [build for build in failing if any(base.differences.touched(folder) for folder in build.folders)]
    if failing:
        first = failing[0]
        more = f" (and {len(failing) - 1} more)" if len(failing) > 1 else ""
        yield (
            f"the build of {first.folder} fails as {base.revision} has it{more}, so its objects are not compared:"
            f" {first.errors[0].message}"
        )


def read_repo(
    found: Found,
    config: Config,
    progress: Progress = iter,
    kustomize: RealKustomize | None = None,
    helm: HelmChoice | None = None,
) -> Repo:
    for file in progress(found.files):
        _ = file.documents
    around = _around(found, config, helm)._replace(kustomize=kustomize)
    return build_repo(found.files, config.versions, Schemas(config.schema_dir), around)


def _around(found: Found, config: Config, helm: HelmChoice | None) -> Surroundings:
    reader = found.reader or Reader(found.root)
    return Surroundings(
        folders=found.folders,
        passed_over=found.passed_over,
        empty=found.empty,
        templates=found.templates,
        others=found.others,
        reader=reader,
        remotes=found.remotes,
        repo_urls=config.repo_urls,
        supplied=config.applicationset_parameters,
        helm=helm.at(found.root, reader) if helm is not None and found.has_charts else None,
        base=found.base,
        whole=found.whole,
    )


def _about_the_run(run: Run, rules: Sequence[Rule], suppressions: Suppressions) -> list[Reported]:
    """What can only be said once the other rules are through: about ignores, and about rules that failed."""
    run.reported.clear()
    if run.repo.files:
        run.check_one(rules, Scope.SUPPRESSIONS, suppressions, run.repo.files[0])
    for crash in list(run.crashes):
        run.check_one(rules, Scope.CRASH, crash, crash.file)
    return run.reported
