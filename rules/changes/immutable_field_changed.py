"""A field changes that the API server never lets change.

Some fields are decided when an object is made: the provisioner and the parameters of a
StorageClass, the address of a Service and its first IP family, the type of a Secret, the value
of a PriorityClass, the controller of an IngressClass, the source of a PersistentVolume, nearly
all of a Pod. The dry run of a sync does not notice; the API server refuses the update, the sync
fails, again at every retry, and later waves are not applied.

Compared is what the API server compares: a default that is written out is no change, and 1Gi is
1024Mi. A Service may drop its clusterIP (it keeps the address it has), a clusterIP that git adds
may be the one it got, so that is a warning. Custom resources of well-known operators are looked
at, too: their CRDs refuse such changes since some release, so that confidence is medium. With
Force=true (Argo CD 2.12 and later, not with server-side apply) the object is deleted and created
anew: a warning, for a PersistentVolume an error. Workload selectors, StatefulSets, Jobs, claims,
role bindings, immutable ConfigMaps and CRDs have rules of their own.

Fix: give the object another name and move over what uses it, or delete it by hand right before
the sync. Replace=true alone does not help: the update is refused all the same. With server-side diff
(ServerSideDiff=true) nothing of a sync helps, since the comparison of the Application fails already.

See: argo-cd#5882, argo-cd#2150, argo-cd#14910, argo-cd#29348,
https://kubernetes.io/docs/concepts/storage/storage-classes/

Bad:
    # before: fast.yaml
    apiVersion: storage.k8s.io/v1
    kind: StorageClass
    metadata:
      name: fast
    provisioner: ebs.csi.aws.com
    parameters:
      type: gp2
    # fast.yaml
    apiVersion: storage.k8s.io/v1
    kind: StorageClass
    metadata:
      name: fast
    provisioner: ebs.csi.aws.com
    parameters:
      type: gp3  # <- here
Good:
    # before: fast.yaml
    apiVersion: storage.k8s.io/v1
    kind: StorageClass
    metadata:
      name: fast
    provisioner: ebs.csi.aws.com
    parameters:
      type: gp2
    # fast.yaml
    apiVersion: storage.k8s.io/v1
    kind: StorageClass
    metadata:
      name: fast
    provisioner: ebs.csi.aws.com
    allowVolumeExpansion: true
    parameters:
      type: gp2
"""

from collections.abc import Iterator, Sequence

from ...linter.api import Change, Confidence, Finding, Moment, Node, Severity, by_line, rule, sentence
from ...linter.change.immutable import (
    Frozen,
    Rewritten,
    advice,
    answer,
    frozen_custom_fields,
    frozen_fields,
    others,
    outcome,
    rewritten,
)


@rule("GL902", Severity.ERROR, Moment.SYNC)
def check(change: Change) -> Iterator[Finding]:
    found = [
        (frozen.difference.at, (pair, frozen))
        for pair in rewritten(change)
        for frozen in (*frozen_fields(pair), *frozen_custom_fields(pair))
    ]
    for place, together in by_line(found):
        yield _finding(place, together)
    yield from _still_headless(change)


def _finding(place: Node, together: Sequence[tuple[Rewritten, Frozen]]) -> Finding:
    pair, frozen = together[0]
    result = outcome(pair.after, pair.app)
    known = advice(pair.kind)
    by = f", by the CRD of {frozen.operator}" if frozen.operator else ""
    if result.recreated:
        happens = f"{result.words}: {known['lost']}"
        severity = Severity.ERROR if known.get("grave") else Severity.WARNING
    elif frozen.certain or frozen.operator:
        happens = answer(frozen.says, result, by)
        severity = Severity.ERROR
    else:
        happens = f"if that is not what the cluster gave it: {answer(frozen.says, result, by)}"
        severity = Severity.WARNING
    confidence = Confidence.HIGH if frozen.certain else Confidence.MEDIUM
    return Finding(
        place,
        headline=f"{pair.after}{others([one for one, _ in together])}: {frozen.difference.words}",
        happens=sentence(happens),
        do=sentence(known["do"]),
        severity=severity,
        confidence=confidence,
    )


def _still_headless(change: Change) -> Iterator[Finding]:
    """A Service without an address keeps being one, and nobody says so."""
    for pair in rewritten(change):
        before, after = pair.before["spec"], pair.after["spec"]
        if pair.kind != "Service" or before["clusterIP"].text != "None" or after["type"].text == "ExternalName":
            continue
        if not after["clusterIP"].text and not outcome(pair.after, pair.app).recreated:
            yield Finding(
                after["clusterIP"],
                headline=f"{pair.after}: spec.clusterIP is gone (it was 'None'), but the API server keeps it",
                happens="The Service stays headless and gets no address.",
                do="To give it one, delete it by hand before the sync.",
                severity=Severity.WARNING,
            )
