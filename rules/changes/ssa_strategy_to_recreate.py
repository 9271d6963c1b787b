"""A Deployment turns to the strategy Recreate, but server-side apply leaves the old settings in it.

A Deployment that rolls has spec.strategy.rollingUpdate, filled in by the API server where git does not
have it. A client-side apply clears it when the type changes. Server-side apply takes out only what git
had before, so maxSurge and maxUnavailable stay, and the API server refuses the two together:
`spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy type is 'Recreate'`. The
sync fails, again at every retry; with server-side diff the comparison of the whole Application does,
however the object is applied.

Silent without both, with Replace=true (unless compared server-side), and where git had both maxSurge and
maxUnavailable and was already applied server-side: then both go with the change.

Fix: give the Deployment Replace=true in its sync-options for this one sync, or keep RollingUpdate with
maxSurge: 0 and maxUnavailable: 100%, which also stops the old pods first.

See: linuxfoundation/lfx-self-serve#1523, JiRaska/open-bank-oss#1285,
https://kubernetes.io/docs/reference/using-api/server-side-apply/

Bad:
    # before: db.yaml
    apiVersion: apps/v1
    kind: Deployment
    metadata:
      name: db
      annotations:
        argocd.argoproj.io/sync-options: ServerSideApply=true
    spec:
      replicas: 1
    # db.yaml
    apiVersion: apps/v1
    kind: Deployment
    metadata:
      name: db
      annotations:
        argocd.argoproj.io/sync-options: ServerSideApply=true
    spec:
      replicas: 1
      strategy:
        type: Recreate  # <- here
Good:
    # before: db.yaml
    apiVersion: apps/v1
    kind: Deployment
    metadata:
      name: db
      annotations:
        argocd.argoproj.io/sync-options: ServerSideApply=true
    spec:
      replicas: 1
    # db.yaml
    apiVersion: apps/v1
    kind: Deployment
    metadata:
      name: db
      annotations:
        argocd.argoproj.io/sync-options: ServerSideApply=true
    spec:
      replicas: 1
      strategy:
        type: RollingUpdate
        rollingUpdate:
          maxSurge: 0
          maxUnavailable: 100%
"""

from collections.abc import Iterator
from typing import Final

from ...linter.api import Change, Finding, Moment, Severity, by_line, rule, sentence
from ...linter.change.immutable import Rewritten, answer, others, outcome, rewritten

SAYS: Final = "spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'"


@rule("GL910", Severity.ERROR, Moment.SYNC)
def check(change: Change) -> Iterator[Finding]:
    found = [(pair.after["spec"]["strategy"]["type"], pair) for pair in rewritten(change) if _is_caught(pair)]
    for place, together in by_line(found):
        pair = together[0]
        result = outcome(pair.after, pair.app)
        remedy = (
            "give it Replace=true in its sync-options for this one sync"
            if result.compared
            else "switch server-side diff off for this one sync, or keep RollingUpdate with maxSurge: 0"
        )
        yield Finding(
            place,
            headline=f"{pair.after}{others(together)} turns to the strategy Recreate, and keeps its rollingUpdate",
            happens=f"Server-side apply leaves in it what the API server has filled in: {answer(SAYS, result)}.",
            do=sentence(remedy),
        )


def _is_caught(pair: Rewritten) -> bool:
    options = pair.app.options_for(pair.after)
    if pair.kind != "apps/Deployment" or not (options.server_side_apply or (options.known and options.asks_server)):
        return False
    before, after = pair.before["spec"]["strategy"], pair.after["spec"]["strategy"]
    if after["type"].text != "Recreate" or before["type"].text == "Recreate":
        return False
    rolling = before["rollingUpdate"]
    all_in_git = rolling["maxSurge"].present and rolling["maxUnavailable"].present
    return not (all_in_git and pair.before_app.options_for(pair.before).server_side_apply)
