"""Whether `check` and `plan` say the same of what leaves git: over the commits of real histories.

    python scripts/hold_check_to_plan.py CLONE… [--commits N] [--since REVISION]

Of each clone the last N commits that take a manifest away, or change an Application, are compared with their first
parents. What rules about the change say is deleted, kept or lost is held against what the plan of the same change
has for the object; both are printed where they differ. Each commit is checked out in a copy of its own.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import NamedTuple

from gitops_lint.linter.change import Fate
from gitops_lint.linter.helm.run.helm_choice import AUTO, HelmChoice
from gitops_lint.linter.lint.config import Config
from gitops_lint.linter.lint.result import Reported
from gitops_lint.linter.lint.rule import Rule, Scope, Severity
from gitops_lint.linter.lint.session import Session
from gitops_lint.linter.plan.changes import build_changes
from gitops_lint.linter.plan.changes.change_views import Action, ChangedObject
from gitops_lint.rules import load

DELETION = frozenset("GL931 GL932 GL933 GL934 GL935 GL936 GL937 GL938 GL939 GL941".split())
_NAMED = re.compile(r"\b([A-Z]\w+) '([^']+)'")
_MORE = re.compile(r"\band \d+ more\b|\b\d+ objects?\b|everything|all that")
_GOES = re.compile(r"\bsync(?: of [^.]*?)? deletes (?!it, with all)|\bdeletes (?:it|them) at once")
_STAYS = re.compile(r"stays in the cluster|keeps running|left running|remains OutOfSync until|is kept")


class Said(NamedTuple):
    code: str
    text: str
    severity: Severity

    @property
    def names(self) -> set[tuple[str, str]]:
        return set(_NAMED.findall(self.text))

    @property
    def makers(self) -> set[tuple[str, str]]:
        """Sets that no longer make what is told to go."""
        return (
            set(_NAMED.findall(self.text.partition(" no longer makes ")[0]))
            if "no longer makes" in self.text
            else set()
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clone", nargs="+", type=Path)
    parser.add_argument("--commits", type=int, default=15)
    parser.add_argument("--since", default="HEAD", help="the newest commit to look at")
    wanted = parser.parse_args()
    rules = tuple(rule for rule in load() if rule.scope is Scope.CHANGE)
    total: Counter[str] = Counter()
    for clone in wanted.clone:
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / clone.name
            _git(None, "clone", "-q", "--no-checkout", str(clone), str(copy))
            for commit in _commits(copy, wanted.since, wanted.commits):
                try:
                    _git(copy, "-c", "filter.lfs.required=false", "checkout", "-q", "--force", commit)
                except subprocess.CalledProcessError as error:
                    print(f"{clone.name} {commit[:10]} cannot be checked out: {error.stderr.strip()}", flush=True)
                    continue
                counts = Counter(_compared(copy, f"{clone.name} {commit[:10]}", rules))
                total += counts
                print(f"{clone.name} {commit[:10]} {dict(counts)}", flush=True)
    print(f"all: {dict(total)}")
    return 1 if any(word.startswith("differs") for word in total) else 0


def _git(folder: Path | None, *words: str) -> str:
    return subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True, text=True).stdout


def _commits(copy: Path, newest: str, number: int) -> list[str]:
    """Those that take a YAML file away, or touch a file that names an Application: the latest of them."""
    gone = _git(copy, "log", "--first-parent", "-m", "--diff-filter=D", "--format=%H", newest, "--", "*.yaml", "*.yml")
    touched = _git(
        copy,
        "log",
        "--first-parent",
        "-m",
        "-G",
        "kind: Application|prune:|resources:",
        "--format=%H",
        newest,
        "--",
        "*.yaml",
    )
    known = set(gone.split()) | set(touched.split())
    history = [one.split() for one in _git(copy, "log", "--first-parent", "--format=%H %P", newest).splitlines()]
    fit = [commit for commit, *parents in history if parents and commit in known]
    first = [one for one in fit if one in set(gone.split())]
    return [*first[:number], *[one for one in fit if one not in set(first)][: max(0, number - len(first))]]


def _compared(copy: Path, where: str, rules: tuple[Rule, ...]) -> Iterator[str]:
    config = Config(folder=copy, root=copy)
    session = Session(config, rules, date.today(), diff_base="HEAD^1", helm=HelmChoice(AUTO, None, True))
    linted = session.lint(session.find([copy]))
    assert linted.change is not None, where
    said = [_said(item) for item in linted.result.reported if item.rule.code in DELETION]
    view = build_changes(linted.change)
    for app in view.apps:
        yield "Applications"
        for one in app.objects:
            if one.gone:
                yield f"objects: {one.action.value}, {one.fate.value if one.fate else 'no fate'}"
                yield from _held(one, app.name, said, where)
    gone = [one for app in view.apps for one in app.objects if one.gone]
    for finding in said:
        yield f"findings: {finding.code}"
        yield from _shown(finding, gone, where)


def _said(item: Reported) -> Said:
    return Said(item.rule.code, item.finding.message, item.severity)


def _held(one: ChangedObject, app: str, said: list[Said], where: str) -> Iterator[str]:
    """What the plan has as deleted is in a finding, by its name, or as a part of what goes from its Application."""
    named = [each for each in said if (one.resource.kind, one.resource.display_name) in each.names]
    together = [each for each in said if f"'{app}'" in each.text and _MORE.search(each.text)]
    story = f"{app}: {one.title}, {'; '.join(one.remarks)}"
    if one.action is Action.PRUNE and not (named or together):
        yield _differs("pruned, and nothing is said", where, story)
    elif one.action is Action.PRUNE and one.loses_data and max(e.severity for e in named + together) < Severity.ERROR:
        yield _differs("lost, and no error", where, story)
    elif one.fate in (Fate.WITH_PRUNE, Fate.CONFIRMED) and not (named or together):
        yield _differs("may be deleted, and nothing is said", where, story)


def _shown(finding: Said, gone: list[ChangedObject], where: str) -> Iterator[str]:
    """What a finding says is deleted, or stays, the plan has so, too."""
    for kind, name in sorted(finding.names - finding.makers):
        found = [one for one in gone if (one.resource.kind, one.resource.display_name) == (kind, name)]
        if not found:
            continue
        actions = {one.action for one in found}
        if _GOES.search(finding.text) and Action.PRUNE not in actions:
            yield _differs("deleted, and the plan keeps it", where, f"{finding.code} {finding.text}\n{_told(found)}")
        if _STAYS.search(finding.text) and not _GOES.search(finding.text) and Action.STAY not in actions:
            yield _differs("kept, and the plan prunes it", where, f"{finding.code} {finding.text}\n{_told(found)}")


def _told(found: list[ChangedObject]) -> str:
    return "\n".join(f"  plan: {one.action.value} {one.title}: {'; '.join(one.remarks)}" for one in found)


def _differs(what: str, where: str, text: str) -> str:
    print(f"{where}: {what}\n  {text}", flush=True)
    return f"differs: {what}"


if __name__ == "__main__":
    sys.exit(main())
