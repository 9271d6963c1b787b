"""The whole way from files to a result: parse, build the model, run the rules, triage."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..facts.severity import Severity
from ..facts.versions import Version
from ..files.discover import Found
from ..files.disk import Reader
from ..programs import watch
from ..repo.model import Repo
from ..yaml.source import SourceFile
from .config import Config
from .credentials import Credentials
from .engine import Run
from .fetched_findings import told_where_it_is_named, without_fetched_paths
from .grading import grade
from .load_revisions import failing_builds, read_change, read_repo, read_so_far
from .own_review import distrust, new_ignores, switched_off
from .progress import Progress
from .redaction import without_values
from .result import Assumed, Reported, Result
from .rule import Rule, Scope
from .sight import look
from .touched_apps import Touched
from .triage import Triaged, triage

if TYPE_CHECKING:
    from ..change import Change
    from ..fetch.shelf_choice import ShelfChoice
    from ..files.revision import Base
    from ..helm.run.helm_choice import HelmChoice
    from ..kustomize.kustomize_binary import RealKustomize
    from ..repo.reuse import Reuse
    from .baseline import Baseline, Seen, StaleEntries
    from .own_review import Review


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
    credentials: Credentials = Credentials()
    """Which nothing that is said of the run may tell."""
    stopped: str = ""
    """Why the run ended before it was through; what it did not come to is not found."""


def lint(
    found: Found,
    config: Config,
    rules: Sequence[Rule],
    known_rules: Sequence[Rule],
    *,
    today: date,
    progress: Progress = Progress(),
    kustomize: RealKustomize | None = None,
    helm: HelmChoice | None = None,
    base: Base | None = None,
    new_only: bool = False,
    baseline: Baseline | None = None,
    reuse: Reuse | None = None,
    review: Review | None = None,
    fetched: ShelfChoice | None = None,
    repo: Repo | None = None,
    since: Repo | None = None,
    jobs: int = 1,
) -> Linted:
    """With a base, rules about the change run, too; `new_only` sets aside what the base has as well.

    `repo` is what was made of the files already. With `since`, an earlier look at nearly the same files, only what
    differs from it is looked at, and only by rules that can be asked about a part.
    """
    stopped, change = "", None
    try:
        repo = repo or read_repo(found, config, progress, kustomize, helm, reuse, fetched)
        with progress.during("Reading the other revision"):
            change = read_change(repo, base, config, helm, fetched) if base else None
    except watch.RunOver as reason:
        stopped, repo = str(reason), read_so_far(found, config, str(reason))
    rules = [rule for rule in rules if change or rule.scope is not Scope.CHANGE]
    if repo.is_flux_only:
        rules = [rule for rule in rules if not rule.needs_argocd]
    run = Run(repo, change)
    if since is not None:
        from .partial_run import OF_PARTS, PartialRun  # for editors only

        rules, run = [rule for rule in rules if rule.scope in OF_PARTS], PartialRun(repo, since)
    run.check([rule for rule in rules if rule.reads_files_alone] if stopped else rules, progress, jobs)
    if stopped:
        run.stopped = stopped
        run.not_run += [rule for rule in rules if not rule.reads_files_alone]
    crashed = {crash.rule.code for crash in run.crashes}
    unfinished = crashed | {rule.code for rule in run.not_run} | {rule.code for rule in rules if run.overruns}
    ran = [rule for rule in rules if rule.code not in unfinished]

    if review is not None and change is not None:
        new = new_ignores(change, known_rules, today)
        remarks = tuple(review.remarks(known_rules, new))
        follows = distrust(new if review.follows_base else ())
    else:
        remarks, follows = tuple(switched_off(config, known_rules)), distrust(())

    credentials = Credentials((*repo.files, *(change.base.files if change else ())))

    def judged(findings: Iterable[Reported]) -> Triaged:
        return triage(findings, repo, config, known_rules, ran, today, whole=repo.whole, follows=follows)

    run.reported[:] = told_where_it_is_named(run.reported, repo)
    first = judged(run.reported)
    second = judged(_asked(run, rules, Scope.SUPPRESSIONS, first.suppressions))
    kept = (*first.kept, *second.kept)
    covered: tuple[Reported, ...] = ()
    stale: StaleEntries | None = None
    if baseline is not None:
        from .baseline import match

        # All findings take part, also those of files that were not asked for: theirs are not to be taken for others'.
        seen = _seen(found, repo, config, known_rules, ran)
        open_ = tuple(item for item in kept if not config.requires(item.rule))
        required = tuple(item for item in kept if config.requires(item.rule))
        kept, covered, stale = match(open_, baseline, seen)
        kept = (*kept, *required)
    last = _asked(run, rules, Scope.BASELINE, stale) if stale else []
    for crash in list(run.crashes):
        last += _asked(run, rules, Scope.CRASH, crash, crash.file)
    third = judged(last) if last else Triaged(())
    starred = credentials.starred
    reported = [without_values(item, starred) for item in (*kept, *third.kept) if found.wants(item.file.path)]
    notes = [*found.versioned.notes] if found.versioned else []
    notes += [*base.notes, *failing_builds(change, base)] if base and change else []
    if run.stopped:
        notes.append(f"{run.stopped}: {len(run.not_run)} of {len(rules)} rules did not run")
    left_out: list[Reported] = []
    if base and change:
        from .new_since import new_or_old  # most runs have nothing to compare with

        def judged_before(before: Run, ran: Sequence[Rule]) -> Sequence[Reported]:
            found_before = told_where_it_is_named(before.reported, before.repo)
            return triage(found_before, before.repo, config, known_rules, ran, today, whole=repo.whole).kept

        with progress.during("Looking for what is new"):
            reported, unsure = new_or_old(reported, change, judged_before)
        if new_only:
            notes += unsure
            left_out = [item for item in reported if not item.is_new]
            reported = [item for item in reported if item.is_new]
        if left_out:
            count, them = ("1 finding is", "it") if len(left_out) == 1 else (f"{len(left_out)} findings are", "them")
            notes.append(f"{count} not shown: {base.revision} has {them}, too")
    reported, left_out = (_touching(_graded(items, config), repo) for items in (reported, left_out))
    sight = look(repo)
    result = Result(
        reported=tuple(sorted(reported, key=lambda item: item.sort_key)),
        rules=tuple(rules),
        files=(*repo.files, *found.templates),
        resources=len(repo.resources),
        sight=sight,
        suppressed=sum(len(one.suppressed) for one in (first, second, third)),
        baselined=sum(1 for item in covered if found.wants(item.file.path)),
        not_analysed=tuple(dict.fromkeys(without_fetched_paths((*repo.not_analysed, *sight.unseen, *run.overruns)))),
        out_of_reach=repo.reach.by_reason(found.wants),
        judged_unread=sum(map(found.wants, repo.reach.asked_for)),
        is_flux_only=repo.is_flux_only,
        assumed=_assumed(repo, config),
        crashed=bool(run.crashes or run.stopped) or any(item.met_limit for item in (*repo.not_analysed, *run.overruns)),
        remarks=remarks,
        left_out=tuple(left_out),
        changed_lines=change.changed_lines if change else None,
        changed_apps=len(change.changed_apps) if change else None,
    )
    return Linted(result, repo, dict(run.seconds), change, tuple(notes), stale, credentials, run.stopped)


def _assumed(repo: Repo, config: Config) -> tuple[Assumed, ...]:
    def why(option: str, known: Version | None) -> str:
        return config.origins.get(option, "as the repository shows" if known else "")

    argocd, kubernetes = repo.versions.argocd, repo.versions.kubernetes
    return (
        Assumed("Argo CD", "argocd-version", argocd, why("argocd-version", argocd)),
        Assumed("Kubernetes", "kubernetes-version", kubernetes, why("kubernetes-version", kubernetes)),
    )


def _touching(reported: Iterable[Reported], repo: Repo) -> list[Reported]:
    """With the Applications that each touches."""
    touched = Touched(repo)
    return [replace(item, applications=touched.by(item.resource, item.file)) for item in reported]


def _graded(reported: Iterable[Reported], config: Config) -> list[Reported]:
    """With the severity that the config, and what is new, make of it."""
    says_more = config.severity or config.per_path

    def severity(item: Reported) -> Severity:
        path = item.file.path
        given = config.severity_of(item.rule, path) if says_more and not config.requires(item.rule) else None
        return grade(item.rule, item.finding, is_new=item.is_new, moments=config.moments_at(path), given=given)

    return [item if (final := severity(item)) is item.severity else replace(item, severity=final) for item in reported]


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
        whole=repo.whole,
        unread={path_of(item.path) for item in repo.not_analysed},
        exists=Reader(top).is_file,
        path_of=path_of,
    )
