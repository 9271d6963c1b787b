"""Whether holding values against a chart's schema would make Helm open something that is not in the chart.

Helm fetches what a `values.schema.json` refers to, from the network or from
this machine's disk. Neither is for a repository to ask of us.
"""

from __future__ import annotations

import io
import json
import re
import tarfile
import zlib
from typing import Any, Final

SCHEMA: Final = "values.schema.json"
_REFERENCES: Final = frozenset(("$ref", "$dynamicRef", "$recursiveRef"))
_KNOWN_DRAFT: Final = re.compile(r"https?://json-schema\.org/(draft-0[467]|draft/20(19-09|20-12))/schema#?")
_MAX_ARCHIVE: Final = 100 * 1024**2
_MAX_MEMBER: Final = 10 * 1024**2
_MAX_MEMBERS: Final = 20_000
_DEEPEST: Final = 4


class _LooksElsewhere(Exception):
    pass


def looks_elsewhere(name: str, data: bytes, depth: int = 0) -> bool:
    """Of a schema, or of an archive that may hold some. What cannot be looked through counts."""
    if name.endswith(".tgz"):
        return depth >= _DEEPEST or _archive_looks_elsewhere(data, depth)
    if name.rpartition("/")[2] != SCHEMA:
        return False
    try:
        json.loads(data.decode("utf-8", "replace"), object_pairs_hook=_refuse_references)
    except (_LooksElsewhere, RecursionError):
        return True
    except json.JSONDecodeError:
        return False  # for Helm to say
    except ValueError:
        return True
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
        unpacked = zlib.decompressobj(wbits=31).decompress(data, _MAX_ARCHIVE)
        if len(unpacked) >= _MAX_ARCHIVE:
            return True
        with tarfile.open(fileobj=io.BytesIO(unpacked), mode="r:") as archive:
            for number, member in enumerate(archive):
                if number > _MAX_MEMBERS:
                    return True
                if not member.isfile() or not member.name.endswith((SCHEMA, ".tgz")):
                    continue
                content = archive.extractfile(member) if member.size <= _MAX_MEMBER else None
                if content is None or looks_elsewhere(member.name, content.read(), depth + 1):
                    return True
    except (tarfile.TarError, zlib.error, OSError, ValueError, EOFError):
        return True
    return False
