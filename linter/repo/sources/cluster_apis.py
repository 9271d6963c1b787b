"""What a cluster serves, as far as the files show it: the kinds of Kubernetes itself, and CRDs of the repository.

Argo CD gives Helm the APIs of the cluster. Helm alone knows groups and versions, but
no kinds: `.Capabilities.APIVersions.Has "policy/v1/PodDisruptionBudget"` would be false.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ...facts.tables import table
from ...facts.versions import Version, Versions
from ...kubernetes.resource import Resource
from ...kubernetes.validation.checked import BUILTIN
from ...kubernetes.validation.shapes import field_types
from ..tree import Tree


def cluster_apis(tree: Tree, versions: Versions) -> tuple[str, ...]:
    """Empty where no template asks for any."""
    if not any("APIVersions" in file.text for file in tree.templates.values()):
        return ()
    brought = (one for objects in tree.by_file.values() for one in objects if one.is_crd)
    return tuple(sorted({*_built_in(versions.kubernetes), *_of_crds(brought)}))


def _built_in(kubernetes: Version | None) -> Iterator[str]:
    """Of a release; where it is not known, what the oldest supported one has."""
    release = kubernetes or Version.parse(str(table("removed-apis.json")["oldestSupported"]))
    for name in field_types(BUILTIN, release).kinds:
        yield name
        yield name.rpartition("/")[0]


def _of_crds(brought: Iterable[Resource]) -> Iterator[str]:
    for crd in brought:
        group, kind = crd["spec"]["group"].text, crd["spec"]["names"]["kind"].text
        for version in crd["spec"]["versions"]:
            if group and kind and version["served"].value is True:
                yield f"{group}/{version['name'].text}"
                yield f"{group}/{version['name'].text}/{kind}"
