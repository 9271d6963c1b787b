"""A baseline entry without its finding hides the next one that nobody has seen.

The finding that the entry stands for is gone: the manifest was mended, or the
rule knows better by now. Left in place, the entry will answer for the next
finding of that rule at the same place. An entry is called stale only where its
rule ran and saw everything: not when a part of the repository or of the rules
was left out, and not for a file that cannot be parsed or was not analysed. It
cannot itself be part of a baseline.

Fix: run `gitops-lint --prune-baseline`, which takes these entries out and
leaves everything else in the file as it is.
"""

from collections.abc import Iterator

from ...linter.api import Finding, Moment, Severity, rule
from ...linter.lint.baseline import StaleEntries, StaleEntry


@rule("GL010", Severity.NOTE, Moment.SYNC, literal=True)
def check(stale: StaleEntries) -> Iterator[Finding]:
    for item in stale.items:
        yield Finding(item.at, f"{_message(item)} (--prune-baseline does it)")


def _message(item: StaleEntry) -> str:
    entry, now = item.entry, item.entry.count - item.left
    what = f"{entry.rule} at {entry.object or entry.path}"
    if now:
        return f"the entry counts {entry.count} findings of {what}, and there is only {now}: lower the count"
    return f"there is no finding of {what} any more: remove the entry, which would hide the next one"
