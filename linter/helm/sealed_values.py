"""Value files that sops has encrypted and helm-secrets decrypts: the same keys, a placeholder for what is encrypted.

Nothing is decrypted here. Texts become placeholders, about which nobody says anything. A number or a
switch has to be some number for Helm; what comes of it is a guess, and is told as one.
"""

from __future__ import annotations

import json
from typing import Any, Final, NamedTuple

from ..facts.regexes import regex
from ..kustomize.sealed_secrets import SEALED
from .run.lent_dependencies import ChartFiles, root_at

_HINT: Final = b"sops"
_ENCRYPTED: Final = regex(r"ENC\[[^\]]*\btype:(\w+)\]")
_GUESSES: Final = {"int": 1, "float": 1.0, "bool": True}


class Unsealed(NamedTuple):
    data: bytes
    guessed: tuple[str, ...]
    """Keys of what is encrypted and no text."""


def unsealed(files: ChartFiles, path: str) -> Unsealed | None:
    """A value file as helm-secrets would have it, but for the values; None if it is not encrypted."""
    if _HINT not in (files.data(path) or b""):
        return None
    root = root_at(files, path)
    if root is None or not root["sops"].is_mapping:
        return None
    guessed: list[str] = []
    values = {key: _opened(value, key, guessed) for key, value in root.value.items() if key != "sops"}
    return Unsealed(json.dumps(values).encode(), tuple(guessed))


def _opened(value: Any, key: str, guessed: list[str]) -> Any:
    if isinstance(value, dict):
        return {name: _opened(one, f"{key}.{name}", guessed) for name, one in value.items()}
    if isinstance(value, list):
        return [_opened(one, f"{key}[{index}]", guessed) for index, one in enumerate(value)]
    found = _ENCRYPTED.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        return value
    if found[1] in _GUESSES:
        guessed.append(key)
    return _GUESSES.get(found[1], SEALED)
