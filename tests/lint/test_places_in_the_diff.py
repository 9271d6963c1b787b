"""GitHub shows a finding in a pull request only if its line is in the diff: those about the change are."""

from __future__ import annotations

from difflib import SequenceMatcher

import pytest
from gitops_lint.linter.change import Change, FileStatus
from gitops_lint.linter.lint.manual import unmarked
from gitops_lint.linter.lint.rule import Scope
from rule_pages import Case, cases
from support import CONFIG, change_of, rule_named, run_rules

CONTEXT = 3
"""Lines around a change that are part of the diff."""
CASES = [case for case in cases() if rule_named(case.rule).scope is Scope.CHANGE]


def in_the_diff(change: Change, path: str) -> set[int]:
    """Lines of the file as it is now."""
    before = change.base_files.get(change.path_before(path))
    after = change.head_files[path].text.split("\n")
    if before is None:
        return set(range(1, len(after) + 1))
    matcher = SequenceMatcher(None, before.text.split("\n"), after, autojunk=False)
    hunks = matcher.get_grouped_opcodes(CONTEXT)
    return {line + 1 for hunk in hunks for line in range(hunk[0][3], hunk[-1][4])}


@pytest.mark.parametrize("case", CASES, ids=str)
def test_what_is_said_of_a_change_stands_in_its_diff(case: Case) -> None:
    """A file that is gone, or has only moved, leaves no line in the diff to stand on: then it is elsewhere.

    So it is with what a generator reads: it is no manifest, and the entry of the generator stands for it.
    """
    after = {path: text if path == CONFIG else unmarked(text) for path, text in case.files.items()}
    before = case.before or {}
    found = run_rules(after, [rule_named(case.rule)], before)
    change = change_of(
        {path: text for path, text in before.items() if path != CONFIG},
        {path: text for path, text in after.items() if path != CONFIG},
    )
    outside = [
        (item.file.path, item.start.line)
        for item in found
        if item.start.line not in in_the_diff(change, item.file.path)
    ]
    leaves_no_line = any(one.status in (FileStatus.REMOVED, FileStatus.RENAMED) for one in change.changed_files)
    manifests = {one.node.origin.file.path for one in change.head.resources}
    of_generators = case.rule == "generator-hash-changed" and manifests.isdisjoint(
        one.after for one in change.changed_files
    )
    assert not outside or leaves_no_line or of_generators
