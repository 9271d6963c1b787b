"""A PersistentVolumeClaim changes in what cannot change, or is to shrink.

After its creation only the request for storage of a claim may change, upwards, and its
volumeAttributesClassName (Kubernetes 1.31 and later, where switched on). Another class, access mode,
volume or data source is refused: `spec is immutable after creation except resources.requests and
volumeAttributesClassName for bound claims`. A smaller request is refused with `field can not be less
than status.capacity` (before 1.32: than previous value): no volume shrinks. The sync fails,
again at every retry, and later waves are not applied.

A larger request needs allowVolumeExpansion of the StorageClass: an error where the class is in the
repository and does not allow it, or where the claim names no class ("" means volumes made by
hand); silent where the class is not known. A class that git adds may be the one that the cluster
chose: a warning. With Force=true (not with server-side apply) Argo CD deletes the claim and makes a new one:
an error, because of the data.

Fix: make a new claim with another name, copy the data, and switch over. To get more space raise
only the request.

See: argo-cd#8501, https://kubernetes.io/docs/concepts/storage/persistent-volumes/#expanding-persistent-volumes-claims

Bad:
    # before: data.yaml
    apiVersion: v1
    kind: PersistentVolumeClaim
    metadata:
      name: data
    spec:
      accessModes: [ReadWriteOnce]
      storageClassName: standard
      resources:
        requests:
          storage: 20Gi
    # data.yaml
    apiVersion: v1
    kind: PersistentVolumeClaim
    metadata:
      name: data
    spec:
      accessModes: [ReadWriteOnce]
      storageClassName: fast  # <- here
      resources:
        requests:
          storage: 10Gi  # <- here
Good:
    # before: data.yaml
    apiVersion: v1
    kind: PersistentVolumeClaim
    metadata:
      name: data
    spec:
      accessModes: [ReadWriteOnce]
      storageClassName: standard
      resources:
        requests:
          storage: 20Gi
    # data.yaml
    apiVersion: v1
    kind: PersistentVolumeClaim
    metadata:
      name: data
    spec:
      accessModes: [ReadWriteOnce]
      storageClassName: standard
      volumeMode: Filesystem
      resources:
        requests:
          storage: 30Gi
"""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from ...linter.api import Change, Confidence, Finding, Moment, Node, Repo, Severity, by_line, rule, sentence
from ...linter.change.immutable import (
    Frozen,
    Rewritten,
    answer,
    difference,
    frozen_fields,
    others,
    outcome,
    rewritten,
)
from ...linter.dialects.quantities import amount
from ...linter.repo.data_holders import StatefulObjects

CLAIM: Final = "PersistentVolumeClaim"
STORAGE: Final = ("spec", "resources", "requests", "storage")
DATABASE: Final = "postgresql.cnpg.io/Cluster"
DATABASE_SIZES: Final = (("spec", "storage", "size"), ("spec", "walStorage", "size"))
NEW_DATABASE: Final = "write the old size, or recover into a new Cluster"
NO_EXPANSION: Final = (
    "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize"
)
NEW_CLAIM: Final = "make a claim with another name and copy the data"


class Refused(NamedTuple):
    pair: Rewritten
    frozen: Frozen
    remedy: str
    forced: bool = True
    """Whether Force=true would delete the claim for it: not for what admission refuses."""


@rule("GL905", Severity.ERROR, Moment.SYNC)
def check(change: Change) -> Iterator[Finding]:
    found: list[tuple[Node, Refused]] = []
    for pair in rewritten(change):
        if pair.kind == CLAIM:
            found += ((one.frozen.difference.at, one) for one in _refused(pair, change.head))
        elif pair.after.group_kind == DATABASE:
            found += ((one.frozen.difference.at, one) for one in _shrunk(pair))
    for place, together in by_line(found):
        yield _finding(place, together, change.head)


def _refused(pair: Rewritten, repo: Repo) -> Iterator[Refused]:
    for frozen in frozen_fields(pair, "pvc-spec-changed"):
        old = pair.before["spec"]
        if frozen.field == "spec.volumeName" and not old["volumeName"].text:
            continue  # may be set once, and once it is bound it says what the cluster says
        if frozen.field in ("spec.dataSource", "spec.dataSourceRef") and _same_source(pair):
            continue  # the API server fills in the one from the other
        is_new_class = frozen.field == "spec.storageClassName" and old["storageClassName"].absent
        yield Refused(pair, frozen._replace(certain=not is_new_class), NEW_CLAIM)
    yield from _resized(pair, repo)


def _same_source(pair: Rewritten) -> bool:
    old, new = (
        one["spec"]["dataSourceRef"].value or one["spec"]["dataSource"].value for one in (pair.before, pair.after)
    )
    return bool(old == new)


def _resized(pair: Rewritten, repo: Repo) -> Iterator[Refused]:
    before, after = (one.node.at(*STORAGE).value for one in (pair.before, pair.after))
    old, new = amount(before), amount(after)
    if old is None or new is None:
        return
    change = difference(pair.before, pair.after, STORAGE, before, after)
    path = ".".join(STORAGE)
    if new < old:
        older = pair.after.versions.kubernetes is not None and pair.after.versions.kubernetes < (1, 32)
        bound = "previous value" if older else "status.capacity"
        says = f"{path}: Forbidden: field can not be less than {bound}"
        yield Refused(pair, Frozen(path, change, says), f"no volume shrinks: {NEW_CLAIM}")
    elif new > old and (remedy := _cannot_grow(pair, repo)) is not None:
        yield Refused(pair, Frozen(path, change, NO_EXPANSION), remedy, False)


def _shrunk(pair: Rewritten) -> Iterator[Refused]:
    """The webhook of CloudNativePG answers for the claims that it makes."""
    for steps in DATABASE_SIZES:
        before, after = (one.node.at(*steps).value for one in (pair.before, pair.after))
        old, new = amount(before), amount(after)
        if old is not None and new is not None and new < old:
            path = ".".join(steps)
            says = f"{path}: can't shrink existing storage from {before} to {after}"
            change = difference(pair.before, pair.after, steps, before, after)
            yield Refused(pair, Frozen(path, change, says), f"no volume shrinks: {NEW_DATABASE}", False)


def _cannot_grow(pair: Rewritten, repo: Repo) -> str | None:
    name = pair.before["spec"]["storageClassName"]
    if name.value == "":
        return f"a claim without a StorageClass cannot grow: {NEW_CLAIM}"
    classes = [
        one for one in repo.resources if one.group_kind == "storage.k8s.io/StorageClass" and one.name == name.text
    ]
    refusing = [one for one in classes if one["allowVolumeExpansion"].value is not True and not one.patched]
    if not refusing or len(refusing) < len(classes):
        return None
    return f"first set allowVolumeExpansion: true on {refusing[0]}, if its driver can do it"


def _finding(place: Node, together: Sequence[Refused], repo: Repo) -> Finding:
    pair, frozen, remedy, forced = together[0]
    result = outcome(pair.after, pair.app)
    what = f"{pair.after}{others([one.pair for one in together])}: {frozen.difference.words}"
    if result.recreated and forced:
        loss = StatefulObjects(repo).loss(pair.before)
        happens = (
            f"{result.words}: the claim goes, {loss.words if loss else 'and its data with it'}; as long as a pod uses"
            " it the deletion, and with it the sync, hangs"
        )
        return Finding(place, headline=what, happens=sentence(happens), do=sentence(remedy))
    if frozen.certain:
        return Finding(place, headline=what, happens=sentence(answer(frozen.says, result)), do=sentence(remedy))
    return Finding(
        place,
        headline=what,
        happens=sentence(f"if the cluster chose another one: {answer(frozen.says, result)}"),
        do=sentence(remedy),
        severity=Severity.WARNING,
        confidence=Confidence.MEDIUM,
    )
