"""What Secrets and ConfigMaps hold."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator
from typing import Final

from ...facts.regexes import regex
from ...yaml.source import Node
from ..resource import Resource
from .refused import Refused, is_open

_KEY: Final = regex(r"[-._a-zA-Z0-9]+")
_KEY_WORDS: Final = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'"
_NEEDED: Final = {
    "kubernetes.io/tls": ("tls.crt", "tls.key"),
    "kubernetes.io/dockerconfigjson": (".dockerconfigjson",),
    "kubernetes.io/dockercfg": (".dockercfg",),
    "kubernetes.io/ssh-auth": ("ssh-privatekey",),
}


def secret_contents(secret: Resource) -> Iterator[Refused]:
    for key, value in secret["data"].items():
        yield from _bytes(value, f"data.{key}", "Encode it, or put it into stringData.")
    for field in ("data", "stringData"):
        yield from _keys(secret[field], "data")  # the server has put both together before it looks
    given = {key for field in ("data", "stringData") for key, _ in secret[field].items()}
    for key in _NEEDED.get(secret["type"].text, ()):
        if key not in given and secret["sops"].absent:
            yield Refused(secret["type"], f"data[{key}]", "Required value", f"Write {key}, or use the type Opaque.")


def config_map_contents(config: Resource) -> Iterator[Refused]:
    for field in ("data", "binaryData"):
        yield from _keys(config[field], field)
    for key, value in config["binaryData"].items():
        yield from _bytes(value, f"binaryData.{key}", "Encode it, or put it into data.")
        if config["data"][key].present:
            words = "duplicate of key present in binaryData"
            yield Refused(value, f"data[{key}]", words, "Take one of the two away.")


def _bytes(value: Node, path: str, advice: str) -> Iterator[Refused]:
    """Line breaks are passed over; anything else outside the alphabet is not. Dots stand for what is to come."""
    text = value.text.replace("\r", "").replace("\n", "")
    if not text.strip(".") or is_open(text) or text.startswith(("ENC[", "<path:", "<", "$")):
        return
    try:
        base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        yield Refused(value, path, "illegal base64 data", advice)


def _keys(mapping: Node, field: str) -> Iterator[Refused]:
    for key, value in mapping.items():
        if not _KEY.fullmatch(key) and not is_open(key):
            yield Refused(value, f"{field}[{key}]", _KEY_WORDS, "Correct the key; a path has no place in it.")
