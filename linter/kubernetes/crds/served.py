"""Which versions of a custom kind the cluster serves: by the CRDs in the repository, else by the operator's releases.

``schemas/served-versions.json`` says what the newest release of an operator that was looked at serves. When it stopped
to serve a version is known from the defaults that went with it, for kinds that have defaults.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

from ...facts.regexes import regex
from ...facts.tables import table
from ...facts.versions import Version
from ..resource import Resource
from .facts import facts_of

if TYPE_CHECKING:
    from .schemas import Schemas

_VERSION: Final = regex(r"v(?P<major>\d+)(?:(?P<stage>alpha|beta)(?P<minor>\d+))?")
_STAGES: Final = {"alpha": 0, "beta": 1, None: 2}


class Kind(NamedTuple):
    """What is known of a kind that operators bring."""

    source: str
    newest: str
    """The release that was looked at; empty where the source has no releases."""
    served: tuple[str, ...]


class Unserved(NamedTuple):
    """A version that is not served."""

    by: str
    """Who does not: ``the CRD in crds/widget.yaml``, ``external-secrets 2.9``."""
    served: tuple[str, ...]
    """What is served instead, the best first."""
    until: str = ""
    """The last release that served it, if that is known."""
    certain: bool = True
    """The repository itself shows which definition the cluster has."""
    definition: Resource | None = None


@cache
def _kinds() -> Mapping[str, Kind]:
    facts = table("served-versions.json")
    return {
        f"{group}/{kind}": Kind(source, facts["sources"][source], _best_first(served.split()))
        for group, sources in facts["groups"].items()
        for source, versions in sources.items()
        for served, kinds in versions.items()
        for kind in kinds.split()
    }


def operator_of(group_kind: str) -> str | None:
    """The source of schemas/operators.json that brings a kind."""
    kind = _kinds().get(group_kind)
    return kind.source if kind else None


def unserved_by(resource: Resource, crds: Sequence[Resource]) -> Unserved | None:
    """None if one of the definitions serves the version, or if one cannot be read."""
    served: set[str] = set()
    for crd in crds:
        versions = crd["spec"]["versions"]
        if not versions.is_sequence:
            return None
        served |= {entry["name"].text for entry in versions if entry["served"].value is not False}
    if resource.version in served or not crds or not served:
        return None
    return Unserved(f"the CRD in {crds[0].file.path}", _best_first(served), definition=crds[0])


def unserved_by_operator(resource: Resource, schemas: Schemas) -> Unserved | None:
    """By what is known of operators; silent about versions that are newer than that."""
    kind = _kinds().get(resource.group_kind)
    if kind is None or resource.version in kind.served or _rank(resource.version) > _rank(kind.served[0]):
        return None
    facts = facts_of(resource.api_version, resource.kind)
    last = facts.last if facts else None
    releases = schemas.pinned.get(kind.source)
    name = f"{kind.source} {kind.newest}".rstrip()
    if not releases:
        return Unserved(name, kind.served, str(last or ""), certain=False)
    after = last or (Version.parse(kind.newest) if kind.newest else None)
    if after is None or not all(release > after or (last is None and release == after) for release in releases):
        return None
    used = f"{kind.source} {' and '.join(str(release) for release in sorted(releases))}, which this repository uses,"
    return Unserved(used, kind.served, str(last or ""))


def _best_first(versions: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(versions, key=_rank, reverse=True))


def _rank(version: str) -> tuple[int, int, int, str]:
    """As Kubernetes orders versions: v2 before v1, v1 before v1beta1, all of these before other words."""
    match = _VERSION.fullmatch(version)
    if match is None:
        return -1, 0, 0, version
    return _STAGES[match["stage"]], int(match["major"]), int(match["minor"] or 0), ""
