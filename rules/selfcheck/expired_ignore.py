"""An ignore that has expired hides nothing any more.

It was given an end, `until=` in a comment or annotation or `until` in the
config, and that day has passed. Its findings are reported again.

Fix: mend what was put off and remove the ignore, or give it a new end.

Bad:
    # gitops-lint: ignore[hook-without-deadline] until=2020-12-31 until the import is split  # <- here
    apiVersion: batch/v1
    kind: Job
    metadata:
      name: import
      annotations:
        argocd.argoproj.io/hook: PreSync
Good:
    # gitops-lint: ignore[hook-without-deadline] until=2999-12-31 until the import is split
    apiVersion: batch/v1
    kind: Job
    metadata:
      name: import
      annotations:
        argocd.argoproj.io/hook: PreSync
"""

from collections.abc import Iterator

from ...linter.api import Finding, Moment, Severity, rule
from ...linter.lint.triage import Suppression, Suppressions


@rule("GL013", Severity.WARNING, Moment.SYNC, literal=True)
def check(suppressions: Suppressions) -> Iterator[Finding]:
    for remark in suppressions.by_line():
        if remark.expired:
            yield Finding(remark.at, "; ".join(_message(item) for item in remark.expired))


def _message(item: Suppression) -> str:
    now = f"findings of {' and '.join(item.hid)} are reported again" if item.hid else "remove it, or give it a new end"
    return f"the ignore of {' and '.join(item.words)} ended on {item.directive.until}: {now}"
