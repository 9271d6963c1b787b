"""What a file is to whoever reads it: objects, a kustomization, a patch, the values of a chart."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable
from enum import Enum
from typing import Final, NamedTuple

from ..facts.file_names import KUSTOMIZATIONS
from ..facts.regexes import regex
from ..kustomize.outline import find_outlines
from ..yaml.source import SourceFile

_VALUES: Final = regex(r"(?:^|[-_./])values(?:[-_.][^/]*)?\.ya?ml$")


class Role(Enum):
    KUSTOMIZATION = "a kustomization"
    KUSTOMIZED = "objects that a kustomization builds from"
    NAMED = "a patch, or a file that a kustomization reads as it is"
    DATA = "variables that a generator takes, and no YAML"
    VALUES = "values of a chart"
    OTHER = "objects, or something else"


class _Read(NamedTuple):
    """What a kustomization builds from, what it reads besides, and what of that is for charts, or variables."""

    inputs: set[str]
    others: set[str]
    values: set[str]
    data: set[str]


class FileRoles:
    """Asked by few rules, for few files: only kustomizations that mention a file by name are read for it."""

    def __init__(self, files: Iterable[SourceFile]) -> None:
        self._kustomizations = [file for file in files if posixpath.basename(file.path) in KUSTOMIZATIONS]
        self._read: dict[str, _Read] = {}

    def of(self, path: str) -> Role:
        name = posixpath.basename(path)
        if name in KUSTOMIZATIONS:
            return Role.KUSTOMIZATION
        readers = [self._names_in(file) for file in self._kustomizations if name in file.text]
        if any(path in one.inputs for one in readers):
            return Role.KUSTOMIZED
        if any(path in one.others for one in readers):
            if any(path in one.values for one in readers):
                return Role.VALUES
            return Role.DATA if any(path in one.data for one in readers) else Role.NAMED
        return Role.VALUES if _VALUES.search(path) else Role.OTHER

    def _names_in(self, file: SourceFile) -> _Read:
        if file.path not in self._read:
            found = find_outlines([file]).values()
            self._read[file.path] = _Read(
                inputs={path for one in found for _, path in one.inputs()},
                others={path for one in found for path in one.other_files()},
                values={path for one in found for path in one.values_of_charts()},
                data={path for one in found for path in one.variables_of_generators()},
            )
        return self._read[file.path]
