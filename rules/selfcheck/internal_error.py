"""A rule of gitops-lint failed on this file, so it may have missed something.

This is a bug of ours, never of your files. All other rules still ran, and the
exit code is 2: the tool could not do all of its job. It cannot be ignored or
switched off.

Fix: report it, with the message and, if you can, the file. Until it is mended
you can leave the failing rule out with `--ignore`.
"""

from collections.abc import Iterator

from ...linter.api import Finding, Moment, Severity, rule
from ...linter.lint.looked import Crash


@rule("GL000", Severity.ERROR, Moment.SYNC)
def check(crash: Crash) -> Iterator[Finding]:
    yield Finding(crash.at, f"internal error: rule {crash.rule.name} failed with {crash.error}")
