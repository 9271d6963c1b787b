"""A SealedSecret gets another name or namespace with its old content, which nobody can decrypt there.

A SealedSecret is sealed for one name in one namespace, unless it was sealed with the scope
namespace-wide (any name) or cluster-wide (anything). With another name, also by a namePrefix or
nameSuffix, or in another namespace, also by the destination of the Application, the controller
answers `no key could decrypt secret`: no Secret is made, Argo CD shows it as Degraded, and pods that
need it do not start. The Secret of the old name goes with the old SealedSecret when that is pruned.

Silent where the annotations sealedsecrets.bitnami.com/namespace-wide or cluster-wide say so, and where
the values were sealed anew.

Fix: seal the values again for the new name and namespace (`kubeseal`), or keep name and namespace.

See: https://github.com/bitnami-labs/sealed-secrets#scopes

Bad:
    # before: db.yaml
    apiVersion: bitnami.com/v1alpha1
    kind: SealedSecret
    metadata:
      name: db
      namespace: shop
    spec:
      encryptedData:
        password: AgBy3i4OJSWK+PiTySYZZA9rO43cGDEq
    # db.yaml
    apiVersion: bitnami.com/v1alpha1
    kind: SealedSecret
    metadata:
      name: database  # <- here
      namespace: shop
    spec:
      encryptedData:
        password: AgBy3i4OJSWK+PiTySYZZA9rO43cGDEq
Good:
    # before: db.yaml
    apiVersion: bitnami.com/v1alpha1
    kind: SealedSecret
    metadata:
      name: db
      namespace: shop
    spec:
      encryptedData:
        password: AgBy3i4OJSWK+PiTySYZZA9rO43cGDEq
    # db.yaml
    apiVersion: bitnami.com/v1alpha1
    kind: SealedSecret
    metadata:
      name: database
      namespace: shop
    spec:
      encryptedData:
        password: AgCq5ut7Vvr2eXlqD3KkTbH0gYd1Gfxw
"""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from ...linter.api import Change, Finding, Moment, Place, Resource, Severity, counted, rule
from ...linter.change import ObjectChange

SEALED: Final = "bitnami.com/SealedSecret"
SCOPES: Final = "sealedsecrets.bitnami.com/"


class Sealed(NamedTuple):
    change: ObjectChange
    resource: Resource
    namespace: str
    name: str


class Moved(NamedTuple):
    before: Sealed
    after: Sealed

    @property
    def other_name(self) -> bool:
        return self.before.name != self.after.name


@rule("GL912", Severity.ERROR, Moment.SYNC)
def check(change: Change) -> Iterator[Finding]:
    sealed = [one for one in change.objects if one.resource.group_kind == SEALED and one.identity and not one.is_kept]
    removed = [one for one in sealed if one.is_removed]
    found: dict[tuple[str, int], tuple[Place, list[Moved]]] = {}
    for one in sealed:
        moved = _origin(one, removed) if one.is_added else None
        if moved is not None:
            place = _place(change, moved)
            line = place.file.position(place.span.start).line
            found.setdefault((place.file.path, line), (place, []))[1].append(moved)
    for place, together in found.values():
        yield _finding(place, together)


def _place(change: Change, moved: Moved) -> Place:
    """The name or namespace, if it is what changed; else where the old one was taken away."""
    node = moved.after.resource.metadata["name" if moved.other_name else "namespace"]
    changed = node.file.position(node.span.start).line in change.changed_lines(node.file.path)
    return node if node.present and changed else change.place_of_removal(moved.before.change)


def _origin(added: ObjectChange, removed: Sequence[ObjectChange]) -> Moved | None:
    """The removed one whose values it has, if they were sealed for that one only."""
    after = _sealed(added)
    for one in removed:
        before = _sealed(one)
        if before and after and _values(before.resource) & _values(after.resource) and _is_bound(before, after):
            return Moved(before, after)
    return None


def _sealed(change: ObjectChange) -> Sealed | None:
    identity = change.identity
    return Sealed(change, change.resource, identity.namespace, identity.name) if identity else None


def _values(resource: Resource) -> set[str]:
    return {node.text for _, node in resource["spec"]["encryptedData"].items() if node.text}


def _is_bound(before: Sealed, after: Sealed) -> bool:
    """Whether what it was sealed for is no longer what it is."""
    if _has_scope(before.resource, "cluster-wide") or (before.name, before.namespace) == (after.name, after.namespace):
        return False
    return before.namespace != after.namespace or not _has_scope(before.resource, "namespace-wide")


def _has_scope(resource: Resource, scope: str) -> bool:
    key = f"{SCOPES}{scope}"
    template = resource["spec"]["template"]["metadata"]["annotations"]
    return "true" in (resource.annotation(key).scalar_text, template[key].scalar_text)


def _finding(place: Place, together: Sequence[Moved]) -> Finding:
    before, after = together[0]
    old, new = (f"{one.namespace}/{one.name}".lstrip("/") for one in (before, after))
    also = f" So it is with {counted(len(together) - 1, 'more SealedSecret')}." if len(together) > 1 else ""
    return Finding(
        place,
        headline=f"{after.resource} was sealed for {old}, and is {new} now",
        happens="The controller says 'no key could decrypt secret', no Secret is made, and Argo CD shows it as"
        f" Degraded.{also}",
        do="Seal its values again for the new name and namespace.",
    )
