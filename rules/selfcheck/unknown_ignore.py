"""An ignore that cannot be understood does nothing, though it looks as if it did.

A rule that does not exist, a missing bracket, a misspelt word, a date that is
none, a comment that no key follows, an annotation on the Pod template instead
of the object: the finding it was meant for is still reported, or comes up on
the day the rule first has something to say. Ignores name each rule in full, by
name or code: a prefix would also hide what nobody has looked at.

Fix: write `# gitops-lint: ignore[RULE, RULE] reason` after the line, above it,
or before the first key of a document; `ignore-file[RULE]` before the first key
of a file; or the annotation `gitops-lint.io/ignore: "RULE: reason; RULE: reason"`
on the object itself. With `until=2026-12-31` after the rules it ends.

Bad:
    apiVersion: batch/v1
    kind: Job
    metadata:
      name: migrate
      annotations:
        argocd.argoproj.io/hook: PreSync # gitops-lint: ignore[hook-without-dedline] takes hours  # <- here
    spec:
      backoffLimit: 2
Good:
    apiVersion: batch/v1
    kind: Job
    metadata:
      name: migrate
      annotations:
        argocd.argoproj.io/hook: PreSync # gitops-lint: ignore[hook-without-deadline] takes hours
    spec:
      backoffLimit: 2
"""

from collections.abc import Iterator
from typing import Final

from ...linter.api import Finding, Moment, Severity, and_more, rule
from ...linter.lint.triage import Suppressions

TOLD: Final = 3


@rule("GL012", Severity.WARNING, Moment.SYNC, literal=True)
def check(suppressions: Suppressions) -> Iterator[Finding]:
    for remark in suppressions.by_line():
        problems = remark.problems
        if problems:
            more = and_more(len(problems) - TOLD, "; and {} more")
            yield Finding(remark.at, f"this ignore does not work as written: {'; '.join(problems[:TOLD])}{more}")
