"""Go's path package: slashes only, and no file system."""

from __future__ import annotations

import posixpath


def base(path: str) -> str:
    if not path:
        return "."
    return path.rstrip("/").rpartition("/")[2] or "/"


def clean(path: str) -> str:
    cleaned = posixpath.normpath(path) if path else "."
    return cleaned[1:] if cleaned.startswith("//") else cleaned


def parent(path: str) -> str:
    head, slash, _ = path.rpartition("/")
    return clean(head + slash) if slash else "."


def extension(path: str) -> str:
    name = path.rpartition("/")[2]
    return name[name.rfind(".") :] if "." in name else ""
