"""What somebody installs by hand, the beginning of all Applications: what the config says of it."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple


class Root(NamedTuple):
    path: str
    """The folder, from the top of the repository: a chart, as a rule."""
    values: tuple[str, ...] = ()
    """Files, from the folder of the chart, as an Application names them."""
    name: str = ""
    """Of the release; empty where it does not matter."""
    namespace: str = ""
    cluster: str = ""
    """Where the Argo CD is that it is installed for: what its Applications call in-cluster. Empty if nobody says."""

    @classmethod
    def configured(cls, entry: Mapping[str, Any]) -> Root:
        path = posixpath.normpath(entry["path"].strip("/") or ".")
        name, namespace, cluster = (entry.get(key, "") for key in ("name", "namespace", "cluster"))
        return cls(path, tuple(entry.get("values", ())), name, namespace, cluster)

    @property
    def entry(self) -> dict[str, Any]:
        """As the config has it."""
        every = {"path": self.path, "values": list(self.values), "name": self.name, "namespace": self.namespace}
        every |= {"cluster": self.cluster}
        return {key: value for key, value in every.items() if value}

    @property
    def value_files(self) -> tuple[str, ...]:
        """From the top of the repository; what leads out of it is none of its files."""
        found = (posixpath.normpath(posixpath.join(self.path, one)) for one in self.values)
        return tuple(one for one in found if not one.startswith(("..", "/")))


def home_of(roots: Iterable[Root], path: str) -> str:
    """The cluster that what is written at a path is installed for, by the nearest root above it; empty if none says."""
    above = [one for one in roots if one.cluster and (one.path == "." or f"{path}/".startswith(f"{one.path}/"))]
    return max(above, key=lambda one: len(one.path)).cluster if above else ""
