"""A retry block without a limit switches retries off instead of on.

Without a retry block Argo CD tries a failed automated sync five more times. A
block that is there takes the place of that default whole, and a limit that is
left out is 0: retry with nothing but backoff means no retry at all. A sync that
fails because something was not ready yet is then not tried again until the next
commit, for Argo CD syncs a revision by itself only once.

An explicit limit: 0 beside a backoff is a note: it says the same, and the backoff
is never used. limit: 0 alone is left alone; somebody wants no retries. A duration
that cannot be read (1d, 5 min) keeps Argo CD from retrying, too, as soon as a sync
fails; whole numbers are seconds, anything else is written as 30s, 5m, 1h30m.

Fix: write a limit; -1 is for ever. The fix offered writes 5, the default. It is
unsafe: a failed sync is tried again.

See: https://argo-cd.readthedocs.io/en/stable/user-guide/auto_sync/

Bad:
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
    spec:
      syncPolicy:
        automated: {}
        retry:  # <- here
          backoff:
            duration: 10s
            maxDuration: 5m
Good:
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
    spec:
      syncPolicy:
        automated: {}
        retry:
          backoff:
            duration: 10s
            maxDuration: 5m
          limit: 5
"""

from __future__ import annotations

from collections.abc import Iterator

from ...linter.api import Finding, Fix, Moment, Node, Resource, Severity, rule
from ...linter.argocd.application_spec import application_spec
from ...linter.dialects.durations import meant_duration, parse_duration
from ...linter.dialects.spelling import is_placeholder


@rule("GL623", Severity.WARNING, Moment.TROUBLE, kinds="Application ApplicationSet")
def check(app: Resource) -> Iterator[Finding]:
    spec = application_spec(app)
    retry = spec["syncPolicy"]["retry"] if spec is not None else None
    if retry is None or not retry.is_mapping:
        return
    limit = retry["limit"]
    if limit.value is None:
        yield Finding(
            retry,
            headline=f"retry of {app} has no limit, so a failed sync is not tried again",
            happens="Argo CD takes a missing limit for 0; without the block it would try five times.",
            do="Write a limit, or take the block away.",
            fixes=(Fix("write limit: 5", limit.set(5)),),
        )
        return
    if limit.value == 0 and retry["backoff"].is_mapping:
        yield Finding(
            limit,
            headline=f"limit: 0 means that a failed sync of {app} is not tried again",
            happens="The backoff beside it is never used.",
            do="Write a limit, or take the backoff away.",
            severity=Severity.NOTE,
        )
        return
    for key in ("duration", "maxDuration"):
        yield from _unreadable(retry["backoff"][key], app)


def _unreadable(duration: Node, app: Resource) -> Iterator[Finding]:
    text = duration.text
    if not text or is_placeholder(text) or text.lstrip("+-").isdecimal() or parse_duration(text) is not None:
        return
    instead = meant_duration(text)
    yield Finding(
        duration,
        headline=f"{duration.key} {text!r} of {app} is no duration that Argo CD can read",
        happens="A sync that fails is not tried again.",
        do=f"Write {instead}." if instead else "Write one such as 30s or 5m.",
        fixes=(Fix(f"write {instead}", duration.set(instead)),) if instead else (),
    )
