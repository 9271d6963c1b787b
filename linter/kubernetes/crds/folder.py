"""A folder of schemas that the user names: kubeconform's and the CRDs-catalog's layouts, or CRDs as YAML.

Nothing is followed out of the folder: a repository may name it.
Files are found by their names, so a folder with thousands of schemas costs
nothing until one of them is asked for. YAML files have to be looked into; that
happens once, when the first kind is asked for that no file name answers.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from functools import cached_property
from pathlib import Path
from typing import Final, NamedTuple

from ...facts.regexes import regex
from ...files.disk import Reader
from ...yaml.source import SourceFile
from ..defaulting import Schema
from ..resource import Resource, resources_in

_CRD: Final = regex(r"""kind["']?\s*:\s*["']?CustomResourceDefinition\b""")
_NAMED_KIND: Final = regex(r"""[\s{,]["']?kind["']?\s*:\s*["']?(\w+)""")


_PLAIN: Final = regex(r"[A-Za-z0-9][A-Za-z0-9.-]*", re.ASCII)
"""What may become part of a file name: manifests are not trusted, so no way out of the folder."""


class Found(NamedTuple):
    """Either a schema, or the CRD that may have it."""

    path: str
    """Relative to the folder, with forward slashes."""
    schema: Schema | None
    crd: Resource | None = None


class SchemaFolder:
    def __init__(self, root: Path) -> None:
        self._files = Reader(root)
        self._root = root
        self._read: dict[str, list[Resource]] = {}

    def find(self, group: str, version: str, kind: str) -> Found | None:
        if not all(_PLAIN.fullmatch(part) for part in (group, version, kind)):
            return None
        for name in self._names(group, version, kind):
            schema = _load(self._files.data(name))
            if schema is not None:
                return Found(name, schema)
        return self._find_crd(f"{group}/{kind}", kind)

    def _names(self, group: str, version: str, kind: str) -> list[str]:
        kind, label = kind.lower(), group.partition(".")[0]
        names = [f"{group}/{kind}_{version}.json"]
        # kubeconform's default layout has a folder for each Kubernetes version; the newest one counts.
        return names + [f"{folder}/{kind}-{label}-{version}.json" for folder in self._standalone]

    @cached_property
    def _standalone(self) -> list[str]:
        folders = [path.name for path in self._root.glob("*-standalone*") if path.is_dir()]
        return sorted(folders, key=lambda name: [int(part) for part in re.findall(r"\d+", name)], reverse=True)

    def _find_crd(self, group_kind: str, kind: str) -> Found | None:
        for path in self._crd_files.get(kind, ()):
            for crd in self._crds_in(path):
                if crd.defines == group_kind:
                    return Found(path, None, crd)
        return None

    @cached_property
    def _crd_files(self) -> dict[str, list[str]]:
        files = defaultdict(list)
        for path in sorted(path for path in self._files.below(".") if path.endswith((".yaml", ".yml"))):
            text = self._text(path)
            for kind in set(_NAMED_KIND.findall(text)) if _CRD.search(text) else ():
                files[kind].append(path)
        return files

    def _text(self, path: str) -> str:
        return (self._files.data(path) or b"").decode("utf-8", errors="replace")

    def _crds_in(self, path: str) -> list[Resource]:
        if path not in self._read:
            file = SourceFile(str(self._root / path), self._text(path))
            objects = (found for document in file.documents for found in resources_in(document.root))
            self._read[path] = [found for found in objects if found.is_crd]
        return self._read[path]


def _load(data: bytes | None) -> Schema | None:
    """A file that is missing or broken is no schema: the next source is asked."""
    try:
        schema = json.loads(data or b"")
    except (ValueError, RecursionError):
        return None
    return schema if isinstance(schema, dict) else None
