"""Whether holding values against a chart's schema would make Helm open something that is not in the chart.

Helm fetches what a `values.schema.json` refers to, from the network or from
this machine's disk. Neither is for a repository to ask of us. Helm and we read
archives and JSON with different libraries, so that only what was read to its
very end, and leaves no room for another reading, counts as clean.
"""

from __future__ import annotations

import io
import json
import tarfile
import zlib
from typing import Any, Final

from ...facts.regexes import regex

SCHEMA: Final = "values.schema.json"
ARCHIVE: Final = ".tgz"
_REFERENCES: Final = frozenset(("$ref", "$dynamicRef", "$recursiveRef"))
_KNOWN_DRAFT: Final = regex(r"https?://json-schema\.org/(draft-0[467]|draft/20(19-09|20-12))/schema#?")
_MAX_ARCHIVE: Final = 100 * 1024**2
_MAX_MEMBER: Final = 10 * 1024**2
_MAX_MEMBERS: Final = 20_000
_DEEPEST: Final = 4
_GZIP: Final = 31


class _LooksElsewhere(Exception):
    pass


def looks_elsewhere(name: str, data: bytes, depth: int = 0) -> bool:
    """Of a schema, or of an archive that may hold some. What cannot be looked through counts."""
    # Helm cleans the names in an archive, so that `values.schema.json/.` is a schema, too.
    if ARCHIVE in name.replace("\\", "/").rpartition("/")[2]:
        return depth >= _DEEPEST or _archive_looks_elsewhere(data, depth)
    return SCHEMA in name and _schema_looks_elsewhere(data)


def _schema_looks_elsewhere(data: bytes) -> bool:
    if b"$" not in data and b"\\" not in data:
        return False  # a key that refers to something cannot be spelled; whether it is JSON is for Helm to say
    try:
        json.loads(data.decode("utf-8-sig"), object_pairs_hook=_refuse_references)
    except (_LooksElsewhere, RecursionError, ValueError):
        return True  # Go reads the first value of what is no JSON to Python
    return False


def _refuse_references(pairs: list[tuple[str, Any]]) -> None:
    for key, value in pairs:
        if isinstance(value, str) and (
            (key in _REFERENCES and not value.startswith("#"))
            or (key == "$schema" and not _KNOWN_DRAFT.fullmatch(value))
        ):
            raise _LooksElsewhere


def _archive_looks_elsewhere(data: bytes, depth: int) -> bool:
    try:
        unpacked = _unzipped(data)
        if SCHEMA.encode() not in unpacked and ARCHIVE.encode() not in unpacked:
            return False  # whoever reads it: names stand in a tar as they are
        with tarfile.open(fileobj=io.BytesIO(unpacked), mode="r:") as archive:
            for number, member in enumerate(archive):
                if number > _MAX_MEMBERS or member.issparse() or member.size > _MAX_ARCHIVE:
                    return True
                if SCHEMA not in member.name and ARCHIVE not in member.name:
                    continue
                # Helm reads the content of every type of entry, also of those that it does not know.
                content = unpacked[member.offset_data : member.offset_data + member.size]
                if member.size > _MAX_MEMBER or looks_elsewhere(member.name, content, depth + 1):
                    return True
            return bool(unpacked[archive.offset :].strip(b"\0"))  # more than we could read
    except (_LooksElsewhere, tarfile.TarError, zlib.error, OSError, ValueError, EOFError):
        return True


def _unzipped(data: bytes) -> bytes:
    """All members of a gzip stream."""
    pieces: list[bytes] = []
    room = _MAX_ARCHIVE
    while data:
        member = zlib.decompressobj(wbits=_GZIP)
        pieces.append(member.decompress(data, room))
        room -= len(pieces[-1])
        if room <= 0 or not member.eof:
            raise _LooksElsewhere
        data = member.unused_data
    return b"".join(pieces)
