"""Names by which objects refer to each other: they follow what prefixes, hashes, namespaces and patches rename.

Kustomize does this once, at the end of a build. For every field that may hold
a name it looks among the objects that had this name before; if there is one
that the object with the field can mean, the field takes its present name. A
field that names a namespace, too (a subject of a role binding, the service of
a webhook), also takes the present namespace, even where the name is the same.
Two that could be meant are an error.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from ...yaml.compose import Mapping, Raw, RawScalar
from ...yaml.source import Node
from ...yaml.values import scalar_value
from ..build_origin import BuiltDocument
from ..configurations import Configuration, defaults
from ..fieldspecs import FieldSpec
from ..kustomize_errors import BuildError, Cause
from ..objects import Id, Object
from ..objects_in_file import in_place_of
from ..trees import at, instead, is_null, items, map_items, member, scalar, text, with_member
from .name_fields import Ending, Field, ReferrerFields, Refused, updated
from .renamed import NO_NAMESPACE, Names, Renamed, are_namesakes, as_it_was

_NOBODY: Final[frozenset[str]] = frozenset()


def fix_name_references(objects: list[Object], configuration: Configuration) -> None:
    fields = _fields(configuration)
    names = Names(objects)
    for obj in objects:
        now = obj.gvk
        trees = fields.of(as_it_was(now, obj.previous[0]) if obj.previous else now)
        if trees:
            referrer = _Referrer(obj, Id(now, obj.name, obj.namespace), names)
            try:
                referrer.fix(trees)
            except Refused as refused:
                place = _spec_at(refused.path, configuration) or _place(obj, refused.raw)
                raise BuildError(Cause.BAD_REFERENCE, place, f"{obj.id}: {refused.message}") from None


def _spec_at(path: str, configuration: Configuration) -> Node | None:
    """Where a repository has a spec with this path, which Kustomize cannot follow."""
    return next((node for spec, node in configuration.places.items() if spec.written_path == path), None)


def _fields(configuration: Configuration) -> ReferrerFields:
    if configuration.name_references is defaults().name_references:
        return _default_fields()
    return ReferrerFields(configuration.name_references)


@cache
def _default_fields() -> ReferrerFields:
    return ReferrerFields(defaults().name_references)


class _Referrer:
    """An object that may refer to others, and whom it can mean."""

    def __init__(self, obj: Object, now: Id, names: Names) -> None:
        self._obj = obj
        self._names = names
        self._id = now
        self._home = now.effective_namespace
        self._accounts = _NOBODY
        """Other namespaces, from which a role binding takes service accounts."""
        self._meant: Renamed | None = None
        """Some object whose new name was put in."""

    def fix(self, trees: tuple[Field, ...]) -> None:
        root: Raw = self._obj.root
        if self._id.gvk.kind == "RoleBinding" and self._home != NO_NAMESPACE:
            self._accounts = _account_namespaces(self._obj)
        for tree in trees:
            root = updated(root, tree, self._fixed)
        self._obj.put(root, "names of other objects updated", _cause(self._meant.obj if self._meant else self._obj))

    # -- what may stand in a field

    def _fixed(self, raw: Raw, endings: list[Ending]) -> Raw:
        if isinstance(raw, RawScalar | Mapping):
            return self._fixed_item(raw, endings)
        return map_items(raw, lambda item: self._fixed_item(item, endings))

    def _fixed_item(self, raw: Raw, endings: list[Ending]) -> Raw:
        if isinstance(raw, RawScalar):
            return self._fixed_name(raw, endings) if self._names.once(raw.value) else raw
        if not isinstance(raw, Mapping):
            raise Refused(raw, f"a list stands where Kustomize looks for a name ({endings[0].path})")
        for ending in endings:
            raw = self._fixed_mapping(raw, ending)
        return raw

    def _fixed_name(self, raw: Raw, endings: list[Ending]) -> Raw:
        for ending in endings:
            found = self._candidates(text(raw), ending)
            if not found or is_null(raw):
                continue
            meant = self._selected(found, raw, ending, with_namespace=False)
            if meant is not None and meant.now.name != text(raw):
                self._meant = meant
                raw = _renamed(raw, meant.now.name)
        return raw

    def _fixed_mapping(self, raw: Mapping, ending: Ending) -> Mapping:
        name, namespace = member(raw, "name"), member(raw, "namespace")
        if name is None:
            raise Refused(raw, f"there is no name where Kustomize looks for one ({ending.path})")
        found = self._candidates(text(name), ending)
        if found and namespace is not None:
            written = text(namespace)
            at_first = written in self._names.first_namespaces(self._home, self._accounts)
            found = [one for one in found if written == (one.where.at_first if at_first else one.where.now)]
        meant = self._selected(found, name, ending, with_namespace=True)
        if meant is None:
            return raw
        fixed = with_member(raw, "name", _renamed(name, meant.now.name))
        if meant.now.namespace:
            source = at(meant.obj.root, "metadata", "namespace") or name
            wanted = meant.now.namespace
            new = scalar(wanted, source) if namespace is None else _renamed(namespace, wanted)
            fixed = with_member(fixed, "namespace", new)
        if fixed is not raw:
            self._meant = meant
        return fixed

    # -- whom it can mean

    def _candidates(self, name: str, ending: Ending) -> list[Renamed]:
        return [one for one in self._names.once(name) if self._can_mean(one, ending)]

    def _can_mean(self, one: Renamed, ending: Ending) -> bool:
        if not one.was_a(ending.target):
            return False
        if ending.is_role_ref and not self._role_ref_allows(one):
            return False
        return (
            one.where.now == self._home
            or self._home == NO_NAMESPACE
            or one.is_cluster_scoped
            or (one.now.gvk.kind == "ServiceAccount" and one.where.written in self._accounts)
        )

    def _role_ref_allows(self, one: Renamed) -> bool:
        group, kind = (at(self._obj.root, "roleRef", key) for key in ("apiGroup", "kind"))
        if group is None or kind is None:
            return True
        return one.was_a(FieldSpec(text(group), "", text(kind), ()))

    def _selected(self, found: list[Renamed], name: Raw, ending: Ending, *, with_namespace: bool) -> Renamed | None:
        for or_unnamed in (True, False):
            if len(found) > 1:
                found = [one for one in found if are_namesakes(one.obj, self._obj, or_unnamed=or_unnamed)]
        if not found:
            return None
        different = {(one.now.name, one.now.namespace if with_namespace else "") for one in found}
        if len(different) == 1:
            return found[0]
        meanings = ", ".join(str(one.now) for one in found)
        raise Refused(name, f"the name {text(name)!r} ({ending.path}) may mean any of {meanings}")


def _account_namespaces(binding: Object) -> frozenset[str]:
    """The namespaces of its subjects; Kustomize looks at their types before it looks for any name."""
    found = set()
    for subject in items(member(binding.root, "subjects")):
        if not isinstance(subject, Mapping):
            raise Refused(subject, "a subject must be a mapping, or Kustomize crashes")
        namespace, kind = member(subject, "namespace"), member(subject, "kind")
        if namespace is None or kind is None:
            continue
        if not _is_text(kind):
            raise Refused(kind, "the kind of a subject must be a text, or Kustomize crashes")
        if text(kind) == "ServiceAccount":
            if not _is_text(namespace):
                raise Refused(namespace, "the namespace of a subject is blank or no text, and Kustomize refuses that")
            found.add(text(namespace))
    return frozenset(found) if found else _NOBODY


def _is_text(raw: Raw) -> bool:
    return isinstance(raw, RawScalar) and isinstance(scalar_value(raw), str)


def _renamed(old: Raw, new: str) -> Raw:
    """The new text in place of the old. Written as the old one was: what looks like a number is one without quotes."""
    if text(old) == new:
        return old
    assert isinstance(old, RawScalar)
    return instead(in_place_of(old, new, old), old)


def _place(obj: Object, raw: Raw) -> Node:
    found = BuiltDocument(obj.document.file, obj.document.index, obj.root, obj).find(raw)
    return found or obj.document.root


def _cause(obj: Object) -> Node:
    """Where the last thing was done to the object that is now called otherwise."""
    return obj.steps[-1].at if obj.steps else obj.document.root
