"""An ignore that hides no finding hides the next one that nobody has seen.

It was written for a finding that is gone: the manifest was mended, or the
rule knows better by now. Left in place it will swallow the next finding of
that rule without a word. An ignore is called unused only where its rule ran
and saw everything: not for rules that were not selected, not in a file that
cannot be parsed, not on an object that a kustomization patches, and not in the
config when only a part of the repository was linted. The config's
per-file-ignores are never called unused, since they are written ahead.

Fix: remove the rule from the ignore, and the ignore when no rule is left in it.
In an annotation the fix does that; it is safe, since nothing but gitops-lint
reads it. A comment is left to you.

Bad:
    # gitops-lint: ignore[hook-without-deadline] the import takes hours  # <- here
    apiVersion: batch/v1
    kind: Job
    metadata:
      name: import
    spec:
      backoffLimit: 2
Good:
    apiVersion: batch/v1
    kind: Job
    metadata:
      name: import
    spec:
      backoffLimit: 2
"""

from collections.abc import Iterator

from ...linter.api import Finding, Fix, Moment, Severity, rule
from ...linter.lint.triage import Suppressions


@rule("GL011", Severity.NOTE, Moment.SYNC, literal=True)
def check(suppressions: Suppressions) -> Iterator[Finding]:
    for remark in suppressions.by_line():
        if not remark.unused:
            continue
        patch = remark.patch_without_unused
        fixes = (Fix("remove what is not needed", patch, safe=True),) if patch else ()
        names = " and ".join(remark.unused)
        yield Finding(remark.at, f"there is no finding of {names} to ignore here; the next one would be hidden", fixes)
