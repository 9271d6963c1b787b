"""A StatefulSet changes in a field that cannot change: its claim templates, its Service.

Of the spec of a StatefulSet only replicas, ordinals, template, updateStrategy,
persistentVolumeClaimRetentionPolicy and minReadySeconds may change (since Kubernetes 1.33
revisionHistoryLimit, too). Anything else, a larger disk in volumeClaimTemplates or one more label
there included, is refused: `updates to statefulset spec for fields other than ... are
forbidden`. The sync fails, again at every retry, and later waves are not applied.

Claims that exist are not touched by a template in any case: a larger size, another class, or
annotations like Prune=false reach only claims that are made later. Defaults that are written
out, and 1Gi for 1024Mi, are no change. The selector has a rule of its own, selector-changed.

With Force=true (Argo CD 2.12 and later, not with server-side apply) the StatefulSet is deleted and
created anew: a warning, since all of its pods stop at once; an error if
persistentVolumeClaimRetentionPolicy.whenDeleted is Delete, since the claims go with it.

Fix: shortly before the sync `kubectl delete statefulset NAME --cascade=orphan`: its pods keep
running, and the new StatefulSet adopts them. For more space also raise the request of each claim
that exists (`kubectl patch pvc`), if its class allows expansion.

See: argo-cd#1068, argo-cd#8501, argo-cd#28986, argo-helm#2494, kubernetes/kubernetes#130263

Bad:
    # before: db.yaml
    apiVersion: apps/v1
    kind: StatefulSet
    metadata:
      name: db
    spec:
      serviceName: db
      volumeClaimTemplates:
        - metadata:
            name: data
          spec:
            accessModes: [ReadWriteOnce]
            resources:
              requests:
                storage: 10Gi
    # db.yaml
    apiVersion: apps/v1
    kind: StatefulSet
    metadata:
      name: db
    spec:
      serviceName: db
      volumeClaimTemplates:
        - metadata:
            name: data
          spec:
            accessModes: [ReadWriteOnce]
            resources:
              requests:
                storage: 20Gi  # <- here
Good:
    # before: db.yaml
    apiVersion: apps/v1
    kind: StatefulSet
    metadata:
      name: db
    spec:
      serviceName: db
      replicas: 1
      volumeClaimTemplates:
        - metadata:
            name: data
          spec:
            accessModes: [ReadWriteOnce]
            resources:
              requests:
                storage: 10Gi
    # db.yaml
    apiVersion: apps/v1
    kind: StatefulSet
    metadata:
      name: db
    spec:
      serviceName: db
      replicas: 3
      volumeClaimTemplates:
        - metadata:
            name: data
          spec:
            accessModes: [ReadWriteOnce]
            resources:
              requests:
                storage: 10240Mi
"""

from collections.abc import Iterator, Sequence

from ...linter.api import Change, Finding, Moment, Node, Severity, by_line, rule, sentence
from ...linter.change.immutable import Frozen, Rewritten, answer, frozen_fields, others, outcome, place_of, rewritten
from ...linter.kubernetes.annotations.hooks import SYNC_OPTIONS


@rule("GL903", Severity.ERROR, Moment.SYNC)
def check(change: Change) -> Iterator[Finding]:
    found = [
        (place_of(pair, frozen.difference.at), (pair, frozen))
        for pair in rewritten(change)
        for frozen in frozen_fields(pair, "statefulset-immutable-changed")
    ]
    for place, together in by_line(found):
        yield _finding(place, together)


def _finding(place: Node, together: Sequence[tuple[Rewritten, Frozen]]) -> Finding:
    pair, frozen = together[0]
    result = outcome(pair.after, pair.app)
    what = f"{pair.after}{others([one for one, _ in together])} changes {frozen.field}, which is immutable"
    change = sentence(frozen.difference.words)
    late = _too_late(frozen)
    if result.recreated:
        loses = _loses_claims(pair)
        claims = "whenDeleted: Delete takes its claims and their data along" if loses else "its claims stay"
        happens = f"{result.words}, so all of its pods stop at once; {claims}{'' if loses else late}"
        do = "Take Force=true or Replace=true away, or take the change back."
        severity = Severity.ERROR if loses else Severity.WARNING
        return Finding(place, headline=what, happens=f"{change} {sentence(happens)}", do=do, severity=severity)
    return Finding(
        place,
        headline=what,
        happens=f"{change} {sentence(answer(frozen.says, result) + late)}",
        do=f"Before the sync run kubectl delete statefulset {pair.after.name} --cascade=orphan, which leaves its pods.",
    )


def _loses_claims(pair: Rewritten) -> bool:
    policy = pair.before["spec"]["persistentVolumeClaimRetentionPolicy"]
    return policy["whenDeleted"].text == "Delete"


def _too_late(frozen: Frozen) -> str:
    """What a template cannot do for claims that are already there."""
    if frozen.field != "spec.volumeClaimTemplates":
        return ""
    if SYNC_OPTIONS in frozen.difference.steps or _holds_options(frozen.difference.at):
        return "; claims that exist do not get the sync-options: annotate them by hand"
    if "requests" in frozen.difference.steps:
        return "; claims that exist keep their size: raise the request of each by hand, if their class allows it"
    return "; claims that exist stay as they are"


def _holds_options(node: Node) -> bool:
    return node[SYNC_OPTIONS].present or node["annotations"][SYNC_OPTIONS].present
