"""Links from the page to the files."""

from __future__ import annotations

import posixpath
from typing import NamedTuple
from urllib.parse import quote

from ...lint.result import Reported
from ...report.region import region_of
from .markup import Html, tag


class Places(NamedTuple):
    root: str
    """The run's root, seen from the folder that the page is in."""

    def of(self, item: Reported) -> Html:
        return self.link(item.file.path, region_of(item.finding.at).line)

    def link(self, path: str, line: int) -> Html:
        """Relative, so that it works wherever the folder is; the dot keeps a colon in a name from being a scheme."""
        target = posixpath.normpath(posixpath.join(self.root or ".", path))
        address = quote(target.encode("utf-8", "replace"))
        dotted = address if address.startswith(("/", "../")) else f"./{address}"
        return tag("a", {"class": "place", "href": f"{dotted}#L{line}"}, f"{path}:{line}")
