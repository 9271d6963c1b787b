"""`namespace:` of a kustomization: put into every object that lives in one, and into what names one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ..yaml.compose import Mapping, Raw, RawScalar
from ..yaml.compose import Sequence as RawSequence
from ..yaml.source import Node
from ..yaml.values import scalar_value
from .fieldspecs import Change, FieldSpec, FieldSpecs, WrongShape, refused, update
from .kustomize_errors import BuildError, Cause
from .objects import Gvk, Id, Object
from .scopes import is_cluster_scoped
from .trees import is_null, map_items, member, scalar, with_member

_NAMESPACE: Final = ("metadata", "namespace")
_NAME: Final = ("metadata", "name")
_SUBJECT_NAMESPACE: Final = ("subjects", "namespace")
_BINDINGS: Final = ("RoleBinding", "ClusterRoleBinding")
_CHOSEN_SUBJECTS: Final = {
    "": ("name", "default"),
    "defaultOnly": ("name", "default"),
    "allServiceAccounts": ("kind", "ServiceAccount"),
    "none": None,
}
"""By setRoleBindingSubjects: the member by which subjects are chosen, and its value."""


def set_namespace(
    objects: Sequence[Object],
    value: Node,
    specs: FieldSpecs,
    *,
    spares_charts: bool = False,
    unset_only: bool = False,
    subjects: str = "",
) -> None:
    """Set the namespace; the last two options are those of a NamespaceTransformer, a kustomization has the defaults.

    Since 5.8 charts are spared: Helm alone decides about the namespaces of what it makes.
    """
    if subjects not in _CHOSEN_SUBJECTS:
        raise BuildError(
            Cause.BAD_TRANSFORMER, value, f"setRoleBindingSubjects is {subjects!r}, which Kustomize does not know"
        )
    if not value.text:
        return
    change = _setter(value, unset_only)
    for obj in objects:
        if not (spares_charts and obj.asked_by):
            obj.remember_id()
            _set_in(obj, value, specs, change, _CHOSEN_SUBJECTS[subjects])
    _refuse_equal_ids(objects, value)


def _setter(value: Node, unset_only: bool) -> Change:
    namespace, like = value.text, value.raw
    assert like is not None

    def change(raw: Raw) -> Raw:
        if not isinstance(raw, RawScalar):
            raise WrongShape("a namespace must be a text")
        if scalar_value(raw) == namespace or (unset_only and raw.value and not is_null(raw)):
            return raw
        return scalar(namespace, like, over=raw)

    return change


def _set_in(obj: Object, value: Node, specs: FieldSpecs, change: Change, chosen: tuple[str, str] | None) -> None:
    gvk, like = obj.gvk, value.raw
    assert like is not None
    root: Raw = obj.root
    path: tuple[str, ...] = _NAMESPACE
    try:
        if not is_cluster_scoped(gvk):
            root = update(root, path, change, RawScalar, like)
        if chosen and gvk.kind in _BINDINGS:
            path = _SUBJECT_NAMESPACE
            root = _with_subjects(root, chosen, change, like)
        for spec in specs.specs_for(gvk):
            if not _is_left_to_others(spec, gvk):
                path = spec.path
                root = update(root, path, change, RawScalar if spec.create else None, like)
    except WrongShape as wrong:
        raise refused(obj, "/".join(path), wrong, value) from None
    obj.put(root, "namespace set", value)


def _is_left_to_others(spec: FieldSpec, gvk: Gvk) -> bool:
    """Specs that Kustomize passes over: it does these fields by rules of its own."""
    return (
        spec.path == _NAMESPACE
        or (spec.path == _NAME and (gvk.group, gvk.version) != ("", "v1"))
        or (spec.path == _SUBJECT_NAMESPACE and spec.kind in _BINDINGS)
    )


def _with_subjects(root: Raw, chosen: tuple[str, str], change: Change, like: Raw) -> Raw:
    key, wanted = chosen
    subjects = member(root, "subjects")
    if subjects is None or is_null(subjects) or not isinstance(root, Mapping):
        return root
    if not isinstance(subjects, RawSequence):
        raise WrongShape("subjects must be a list")

    def changed(subject: Raw) -> Raw:
        if is_null(subject):
            return subject
        if not isinstance(subject, Mapping):
            raise WrongShape("a subject must be a map")
        named = member(subject, key)
        if named is None or is_null(named):
            return subject
        if not isinstance(named, RawScalar):
            raise WrongShape(f"{key} of a subject must be a text")
        return update(subject, ("namespace",), change, RawScalar, like) if named.value == wanted else subject

    return with_member(root, "subjects", map_items(subjects, changed))


def _refuse_equal_ids(objects: Sequence[Object], value: Node) -> None:
    seen: dict[tuple[Gvk, str, str], Object] = {}
    for obj in objects:
        now = obj.id
        other = seen.setdefault((now.gvk, now.name, now.effective_namespace), obj)
        if other is not obj:
            raise BuildError(
                Cause.DUPLICATE_ID,
                value,
                f"namespace {value.text} makes one object of two: {_before(other)} and {_before(obj)} "
                f"both become {now}",
            )


def _before(obj: Object) -> Id:
    before = obj.previous[-1] if obj.previous else obj.id
    return before._replace(namespace="") if is_cluster_scoped(before.gvk) else before
