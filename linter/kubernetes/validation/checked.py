"""What is wrong with the objects of a repository: each is looked at once, whatever rules ask."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from ...dialects.spelling import is_placeholder
from ...yaml.lazy import lazy
from ..crds import Schemas, released
from ..resource import Resource
from .refusals import CheckedCustom, Unreleased
from .shapes import FieldTypes, field_types
from .violations import Violation, violations

BUILTIN: Final = "builtin-types.json"
ARGO_CD: Final = "argocd-types.json"


class Checked(NamedTuple):
    """An object with something wrong."""

    resource: Resource
    violations: tuple[Violation, ...]


class Validation:
    """Of one repository."""

    def __init__(self, resources: Sequence[Resource], schemas: Schemas) -> None:
        self._resources = resources
        self._schemas = schemas
        versions = resources[0].versions if resources else None
        self._kubernetes = versions.kubernetes if versions else None
        self._argocd = versions.argocd if versions else None

    @lazy
    def builtin(self) -> Sequence[Checked]:
        """Objects of Kubernetes' own kinds."""
        return self._checked(field_types(BUILTIN, self._kubernetes))

    @lazy
    def argo_cd(self) -> Sequence[Checked]:
        """Applications, ApplicationSets and AppProjects."""
        return self._checked(field_types(ARGO_CD, self._argocd))

    def _checked(self, types: FieldTypes) -> list[Checked]:
        found = []
        for resource in self._resources:
            shape = types.of_kind(resource.api_version, resource.kind)
            is_later = _is_later_in_a_set if resource.kind == "ApplicationSet" else is_placeholder
            wrong = violations(resource.node, shape, is_later) if shape is not None else ()
            if wrong:
                found.append(Checked(resource, tuple(wrong)))
        return found

    @lazy
    def custom(self) -> Sequence[CheckedCustom]:
        """Custom resources of which a schema is known."""
        known = [(one, exact) for one in self._custom_resources() if (exact := self._schemas.exact(one))]
        if not known:
            return ()
        from .custom import custom_faults  # most repositories have no CRD, and there is much to import

        metadata = field_types(BUILTIN, None).shape("meta.v1.ObjectMeta")
        found = []
        for resource, exact in known:
            faults = tuple(custom_faults(resource, exact.schemas, metadata)) if exact.schemas else ()
            if faults:
                found.append(CheckedCustom(resource, faults, exact.origin))
        return found

    @lazy
    def unreleased(self) -> Sequence[Unreleased]:
        """Custom resources without a schema whose operator is known by its releases, and not by a newer one."""
        found = []
        for resource in self._custom_resources():
            known = released(resource.api_version, resource.kind)
            if known is None or self._schemas.exact(resource) is not None:
                continue
            pinned = self._schemas.pinned.get(known.operator, ())
            if any(release > known.newest for release in pinned):
                continue
            from .custom import unknown_fields

            faults = tuple(unknown_fields(resource, known.schema))
            if faults:
                found.append(Unreleased(resource, faults, known, bool(pinned)))
        return found

    @lazy
    def without_schema(self) -> Mapping[str, int]:
        """How many custom resources were not validated, by ``group/Kind``: nobody says what they may look like."""
        found: Counter[str] = Counter()
        for resource in self._custom_resources():
            exact = self._schemas.exact(resource)
            if exact is None or not exact.schemas:
                found[resource.group_kind] += 1
        return found

    def _custom_resources(self) -> Iterator[Resource]:
        return (resource for resource in self._resources if is_custom(resource))


def is_custom(resource: Resource) -> bool:
    """Of a group that is neither Kubernetes' own nor, for its three kinds, Argo CD's."""
    return (
        "." in resource.group
        and resource.group not in field_types(BUILTIN, None).groups
        and field_types(ARGO_CD, None).of_kind(resource.api_version, resource.kind) is None
    )


def _is_later_in_a_set(text: str) -> bool:
    """The templates of an ApplicationSet are its own business, and come after the API server has read it."""
    return is_placeholder(text.replace("{{", ""))
