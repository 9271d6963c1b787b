"""Charts that somebody installs by hand: what the config says of them."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from typing import Any, NamedTuple


class Root(NamedTuple):
    path: str
    """Of the chart, from the top of the repository."""
    values: tuple[str, ...] = ()
    """Files, from the folder of the chart, as an Application names them."""
    name: str = ""
    """Of the release; empty where it does not matter."""
    namespace: str = ""

    @classmethod
    def configured(cls, entry: Mapping[str, Any]) -> Root:
        path = posixpath.normpath(entry["path"].strip("/") or ".")
        return cls(path, tuple(entry.get("values", ())), entry.get("name", ""), entry.get("namespace", ""))

    @property
    def entry(self) -> dict[str, Any]:
        """As the config has it."""
        every = {"path": self.path, "values": list(self.values), "name": self.name, "namespace": self.namespace}
        return {key: value for key, value in every.items() if value}

    @property
    def value_files(self) -> tuple[str, ...]:
        """From the top of the repository; what leads out of it is none of its files."""
        found = (posixpath.normpath(posixpath.join(self.path, one)) for one in self.values)
        return tuple(one for one in found if not one.startswith(("..", "/")))
