"""A sync window that Argo CD cannot read blocks every sync; one that says nothing does nothing.

A schedule has five fields: minute, hour, day, month, weekday. There is no field for
seconds, no @daily, and Sunday is 0, not 7. A duration is written as 90m or 24h;
there are no days. If one of the two cannot be parsed, Argo CD blocks all syncs of
the Applications that the window is for, manual ones too, and whatever other windows
allow.

Nothing is checked when an AppProject is applied from git, so these mistakes show
only when somebody waits for a sync. Others are silent for good, and warnings here: a
kind other than allow and deny, a window without applications, namespaces and
clusters, a time zone that nobody knows (Argo CD takes UTC), a duration of nothing,
and a date that never comes, which Argo CD takes for open all the time.

Fix: write what Argo CD reads. For a duration in days or weeks the fix is safe; it
takes away a block that nobody can have meant. For @daily and weekday 7, and for Allow
or DENY, it is unsafe: the window starts to work.

See: https://argo-cd.readthedocs.io/en/stable/user-guide/sync_windows/

Bad:
    apiVersion: argoproj.io/v1alpha1
    kind: AppProject
    metadata:
      name: shop
    spec:
      syncWindows:
        - kind: deny
          schedule: 0 22 * * 5
          duration: 2d  # <- here
          applications: ["*"]
Good:
    apiVersion: argoproj.io/v1alpha1
    kind: AppProject
    metadata:
      name: shop
    spec:
      syncWindows:
        - kind: deny
          schedule: 0 22 * * 5
          duration: 48h
          applications: ["*"]
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ...linter.api import Finding, Fix, Moment, Resource, Severity, by_line, rule, sentence
from ...linter.argocd.applications import GROUP
from ...linter.argocd.projects import AppProject
from ...linter.argocd.windows import Fault, WindowProblem

ADVICE: Final = {
    Fault.KIND: "Write allow or deny.",
    Fault.SCHEDULE: "Write five fields, as cron has them.",
    Fault.NEVER_CLOSES: "Write a date that there is.",
    Fault.DURATION: "Write a duration such as 90m or 24h.",
    Fault.NEVER_OPENS: "Write a duration above zero.",
    Fault.TIME_ZONE: "Write a name of the IANA list, such as Europe/Berlin.",
    Fault.NO_SELECTOR: "Name applications, namespaces or clusters; '*' is all of them.",
}
BLOCKING: Final = (Fault.SCHEDULE, Fault.DURATION)


@rule("GL625", Severity.ERROR, Moment.SYNC, kinds="AppProject")
def check(project: Resource) -> Iterator[Finding]:
    if project.group != GROUP:
        return
    windows = AppProject.read(project).sync_windows
    for place, problems in by_line((problem.at, problem) for window in windows for problem in window.problems()):
        first = problems[0]
        what, _, rest = first.message.partition("; ")
        others = [problem.message for problem in problems[1:]]
        blocks = any(problem.fault in BLOCKING for problem in problems)
        yield Finding(
            place,
            headline=f"{what}, in {project}",
            happens=" ".join(map(sentence, (rest or "the window does not do what it says", *others))),
            do=f"Write {first.instead}." if first.instead else ADVICE[first.fault],
            fixes=_fixes(problems),
            severity=None if blocks else Severity.WARNING,
        )


def _fixes(problems: list[WindowProblem]) -> tuple[Fix, ...]:
    if len(problems) > 1 or not problems[0].instead:
        return ()
    fault, at, _, instead = problems[0]
    return (Fix(f"write {instead}", at.set(instead), safe=fault is Fault.DURATION),)
