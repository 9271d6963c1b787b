"""A repository as it would be with other texts in some of its files. Nothing is written."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from hashlib import sha256

from ..files.discover import Found
from ..files.disk import Reader, Stamp, decode
from ..yaml.source import SourceFile

BOM = b"\xef\xbb\xbf"


class EditedReader(Reader):
    """Files of another reader, some of them with another content."""

    def __init__(self, other: Reader, contents: Mapping[str, bytes]) -> None:
        self._other = other
        self._contents = contents

    def file(self, path: str) -> SourceFile | None:
        return decode(path, self._contents[path]) if path in self._contents else self._other.file(path)

    def data(self, path: str) -> bytes | None:
        return self._contents[path] if path in self._contents else self._other.data(path)

    def stamp(self, path: str) -> Stamp | None:
        if path in self._contents:
            return Stamp(sha256(self._contents[path]).hexdigest(), 0)
        return self._other.stamp(path)

    def below(self, folder: str) -> Iterator[str]:
        return self._other.below(folder)

    def is_folder(self, path: str) -> bool:
        return self._other.is_folder(path)

    def is_file(self, path: str) -> bool:
        return self._other.is_file(path)

    def real(self, path: str) -> str:
        return self._other.real(path)


def with_texts(found: Found, texts: Mapping[str, str]) -> Found:
    """What is the same stays one and the same file; texts come without their byte order mark."""
    files = {file.path: file for group in (found.files, found.templates, found.others) for file in group}
    changed = {path: _like(files[path], text) for path, text in texts.items() if files[path].text != text}
    contents = {path: (BOM if file.has_bom else b"") + file.text.encode() for path, file in changed.items()}

    def put_in(group: Iterable[SourceFile]) -> list[SourceFile]:
        return [changed.get(file.path, file) for file in group]

    return replace(
        found,
        files=put_in(found.files),
        templates=put_in(found.templates),
        others=put_in(found.others),
        reader=EditedReader(found.reader or found.disk, contents),
    )


def _like(file: SourceFile, text: str) -> SourceFile:
    return type(file)(file.path, ("\ufeff" if file.has_bom else "") + text)


def folders_and(paths: Iterable[str]) -> frozenset[str]:
    """The paths and every folder above them."""
    found = {"."}
    for path in paths:
        while path and path not in found:
            found.add(path)
            path = os.path.dirname(path)
    return frozenset(found)
