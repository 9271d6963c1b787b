"""Where fetched things lie: each under the digest of its bytes, so that none can stand for another."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Final

from ..facts import limits

_PREFIX: Final = "sha256:"


def digest_of(data: bytes) -> str:
    return _PREFIX + sha256(data).hexdigest()


def default_store() -> Path:
    base = os.environ.get("XDG_CACHE_HOME", "")
    if os.name == "nt":
        base = os.environ.get("LOCALAPPDATA", "")
    return Path(base if os.path.isabs(base) else Path.home() / ".cache") / "gitops-lint" / "fetched"


class Store:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, digest: str) -> Path:
        name = digest.removeprefix(_PREFIX)
        return self.folder / "sha256" / name[:2] / name

    def has(self, digest: str) -> bool:
        """Whether it seems to be there; only `get` knows."""
        return self.path(digest).is_file()

    def get(self, digest: str) -> bytes | None:
        """None if it is not there, or something else lies in its place."""
        try:
            if self.path(digest).stat().st_size > limits.FETCHED_BYTES:
                return None
            data = self.path(digest).read_bytes()
        except OSError:
            return None
        return data if digest_of(data) == digest else None

    def put(self, data: bytes) -> str:
        digest = digest_of(data)
        path = self.path(digest)
        if self.get(digest) is None:
            path.parent.mkdir(parents=True, exist_ok=True)
            handle, scratch = tempfile.mkstemp(dir=path.parent)
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(data)
                os.replace(scratch, path)  # whoever reads it meanwhile sees all of it or nothing
            except BaseException:
                with suppress(OSError):
                    os.unlink(scratch)
                raise
        return digest
