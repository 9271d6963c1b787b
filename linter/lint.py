"""The whole way from files to a result: parse, build the model, run the rules, triage."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from .change import Change
from .config import Config
from .discover import Found
from .engine import Run
from .model import Repo
from .reading import Reader
from .result import Reported, Result
from .revisions import Progress, failing_builds, read_change, read_repo
from .rule import Rule, Scope
from .source import SourceFile
from .triage import Triaged, triage

if TYPE_CHECKING:
    from .baseline import Baseline, Seen, StaleEntries
    from .render.helm_choice import HelmChoice
    from .render.real_kustomize import RealKustomize
    from .revision import Base


class Linted(NamedTuple):
    result: Result
    repo: Repo
    seconds: dict[str, float]
    """By rule code."""
    change: Change | None = None
    """Where there is a revision to compare with."""
    notes: tuple[str, ...] = ()
    """What is to be said about the comparison."""
    stale: StaleEntries | None = None
    """Of the baseline; None without one."""


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
    baseline: Baseline | None = None,
) -> Linted:
    """With a base, rules about the change run, too; `new_only` sets aside what the base has as well."""
    repo = read_repo(found, config, progress, kustomize, helm)
    change = read_change(repo, base, config, helm) if base else None
    rules = [rule for rule in rules if change or rule.scope is not Scope.CHANGE]
    if repo.is_flux_only:
        rules = [rule for rule in rules if not rule.needs_argocd]
    run = Run(repo, change)
    run.check(rules)
    crashed = {crash.rule.code for crash in run.crashes}
    ran = [rule for rule in rules if rule.code not in crashed]

    def judged(findings: Iterable[Reported]) -> Triaged:
        return triage(findings, repo, config, known_rules, ran, today, whole=found.whole)

    first = judged(run.reported)
    second = judged(_asked(run, rules, Scope.SUPPRESSIONS, first.suppressions))
    kept = (*first.kept, *second.kept)
    covered: tuple[Reported, ...] = ()
    stale: StaleEntries | None = None
    if baseline is not None:
        from .baseline import match

        # All findings take part, also those of files that were not asked for: theirs are not to be taken for others'.
        seen = _seen(found, repo, config, known_rules, ran)
        kept, covered, stale = match(kept, baseline, seen)
    last = _asked(run, rules, Scope.BASELINE, stale) if stale else []
    for crash in list(run.crashes):
        last += _asked(run, rules, Scope.CRASH, crash, crash.file)
    third = judged(last) if last else Triaged(())
    reported = [item for item in (*kept, *third.kept) if found.wants(item.file.path)]
    notes = [*base.notes, *failing_builds(change, base)] if base and change else []
    left_out: list[Reported] = []
    if base and change:
        from .newness import new_or_old  # most runs have nothing to compare with

        def judged_before(before: Run, ran: Sequence[Rule]) -> Sequence[Reported]:
            return triage(before.reported, before.repo, config, known_rules, ran, today, whole=found.whole).kept

        reported, unsure = new_or_old(reported, change, judged_before)
        if new_only:
            notes += unsure
            left_out = [item for item in reported if not item.is_new]
            reported = [item for item in reported if item.is_new]
        if left_out:
            count, them = ("1 finding is", "it") if len(left_out) == 1 else (f"{len(left_out)} findings are", "them")
            notes.append(f"{count} not shown: {base.revision} has {them}, too")
    result = Result(
        reported=tuple(sorted(reported, key=lambda item: item.sort_key)),
        rules=tuple(rules),
        files=(*repo.files, *found.templates),
        resources=len(repo.resources),
        apps=len(repo.apps),
        suppressed=sum(len(one.suppressed) for one in (first, second, third)),
        baselined=sum(1 for item in covered if found.wants(item.file.path)),
        not_analysed=repo.not_analysed,
        out_of_reach=repo.reach.by_reason,
        is_flux_only=repo.is_flux_only,
        versions=repo.versions,
        crashed=bool(run.crashes),
        left_out=tuple(left_out),
        changed_lines=change.changed_lines if change else None,
        changed_apps=len(change.changed_apps) if change else None,
    )
    return Linted(result, repo, dict(run.seconds), change, tuple(notes), stale)


def _asked(
    run: Run, rules: Sequence[Rule], scope: Scope, subject: Any, file: SourceFile | None = None
) -> list[Reported]:
    """What can only be said once the other rules are through: about ignores, the baseline, rules that failed."""
    run.reported.clear()
    if file or run.repo.files:
        run.check_one(rules, scope, subject, file or run.repo.files[0])
    return list(run.reported)


def _seen(found: Found, repo: Repo, config: Config, known: Sequence[Rule], ran: Sequence[Rule]) -> Seen:
    """What the baseline has to know of the run; its paths count from the top of the repository."""
    from .baseline import Seen

    top = config.root or found.root

    def path_of(path: str) -> str:
        if top == found.root and not os.path.isabs(path):
            return path
        # What standard input is called counts from the current folder, or is absolute.
        return Path(os.path.relpath(found.root / path, top)).as_posix()

    return Seen(
        files={path_of(file.path): file for file in repo.files},
        ran={rule.code for rule in ran},
        known={rule.code for rule in known},
        whole=found.whole,
        unread={path_of(item.path) for item in repo.not_analysed},
        exists=Reader(top).is_file,
        path_of=path_of,
    )
