"""Archives → files. A stranger packed them: nothing is written, and what is too much ends it."""

from __future__ import annotations

import gzip
import io
import posixpath
import tarfile
import zlib
from collections.abc import Iterator, Mapping
from typing import Final

from ..facts import limits

_DEEPEST_LINK: Final = 10


class BadArchive(Exception):
    """Why an archive is not unpacked."""


def unpacked(data: bytes) -> dict[str, bytes]:
    """The files of a tar archive, compressed or not, by path. Links count as what they lead to inside of it."""
    try:
        return _followed(*_members(_plain(data)))
    except (tarfile.TarError, EOFError, zlib.error, OSError, ValueError) as error:
        raise BadArchive(f"cannot be unpacked: {error}") from None


def _plain(data: bytes) -> bytes:
    if data[:2] != b"\x1f\x8b":
        return data
    with gzip.GzipFile(fileobj=io.BytesIO(data)) as stream:
        plain = stream.read(limits.UNPACKED_BYTES + 1)
    if len(plain) > limits.UNPACKED_BYTES:
        raise BadArchive(f"unpacks to more than {limits.UNPACKED_BYTES // 1024**2} MB")
    return plain


def _members(data: bytes) -> tuple[dict[str, bytes], dict[str, str]]:
    files: dict[str, bytes] = {}
    links: dict[str, str] = {}
    total = 0
    with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as archive:
        for number, one in enumerate(archive):
            if number >= limits.UNPACKED_FILES:
                raise BadArchive(f"has more than {limits.UNPACKED_FILES:,} files")
            if one.isdir():
                continue
            path = _inside(one.name)
            if one.issym() or one.islnk():
                base = posixpath.dirname(path) if one.issym() else ""
                target = posixpath.normpath(posixpath.join(base, one.linkname))
                if not _leads_out(target):  # what lies outside is none of it
                    links[path] = target
            elif one.isreg():
                total += one.size
                if total > limits.UNPACKED_BYTES:
                    raise BadArchive(f"unpacks to more than {limits.UNPACKED_BYTES // 1024**2} MB")
                content = archive.extractfile(one)
                files[path] = content.read() if content is not None else b""
    return files, links


def _inside(name: str) -> str:
    path = posixpath.normpath(name)
    if _leads_out(path) or "\\" in name or "\0" in name or len(name) > limits.PATH_LENGTH:
        raise BadArchive("has a file whose path leads out of it")
    return path


def _leads_out(path: str) -> bool:
    return path.startswith(("/", "../")) or path in ("..", ".")


def _followed(files: dict[str, bytes], links: Mapping[str, str]) -> dict[str, bytes]:
    found = dict(files)
    budget = limits.UNPACKED_FILES
    for path, target in links.items():
        for _ in range(_DEEPEST_LINK):
            if target not in links:
                break
            target = links[target]
        if target in files:
            found[path] = files[target]
            continue
        for inner in _below(files, target):
            budget -= 1
            if budget < 0:
                raise BadArchive("has links that lead to too many files")
            found[f"{path}{inner[len(target) :]}"] = files[inner]
    return found


def _below(files: Mapping[str, bytes], folder: str) -> Iterator[str]:
    return (path for path in files if path.startswith(f"{folder}/"))


def packed(files: Mapping[str, bytes]) -> bytes:
    """The same bytes for the same files, whoever packs them and when."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path in sorted(files):
            entry = tarfile.TarInfo(path)
            entry.size = len(files[path])
            archive.addfile(entry, io.BytesIO(files[path]))
    return out.getvalue()
