"""Repository URLs as Argo CD compares them: its NormalizeGitURL, with what Go's net/url does to a text on the way.

Patterns go through the same steps as URLs, with effects that nobody expects:
braces in a path come out as escapes and match nothing any more, and a pattern
that Go's parser refuses (``*://host/x``, ``https://{a,b}.example.com/x``)
becomes the empty text.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from ..facts.regexes import regex

_SSH: Final = regex(r"(?:ssh://)?[^/:]*@[^@]+", re.DOTALL)
_SCHEME: Final = regex(r"([a-z][a-z0-9+.-]*):")
_CONTROL: Final = regex(r"[\x00-\x1f\x7f]")
_BAD_ESCAPE: Final = regex(r"%(?![0-9a-f]{2})")
_VALID_PATH: Final = regex(r"[\w.~$&+,/:;=@!'()*\[\]%-]*", re.ASCII)
_VALID_USER: Final = regex(r"[\w.:~!$&'()*+,;=%@-]*", re.ASCII)
_VALID_HOST: Final = regex(r"(?:[\w.~!$&'()*+,;=:\[\]<>\"-]|[^\x00-\x7f])*", re.ASCII)
_PORT: Final = regex(r"(?::[0-9]*)?")


@lru_cache(maxsize=1024)
def normal_git_url(url: str) -> str:
    """Lower case, one form for ssh, no ``.git`` at the end; empty when Go cannot parse it."""
    text = url.strip().lower()
    if _SSH.fullmatch(text) and not text.startswith("ssh://"):
        text = "ssh://" + text.replace(":", "/", 1)
    return (_printed(text.removesuffix(".git")) or "").removeprefix("ssh://")


def _printed(url: str) -> str | None:
    """What Go's url.Parse and URL.String make of it; None for an error."""
    text, hash_sign, fragment = url.partition("#")
    if _CONTROL.search(text) or text.startswith(":"):
        return None
    found = _SCHEME.match(text)
    scheme = found[0] if found else ""
    rest, question_mark, query = text.removeprefix(scheme).partition("?")
    end = question_mark + query + (hash_sign + fragment if fragment else "")
    if not rest.startswith("/"):
        if scheme:
            return scheme + rest + end
        if ":" in rest.partition("/")[0]:
            return None
    authority: str | None = ""
    if rest.startswith("//") and (scheme or not rest.startswith("///")):
        written, slash, path = rest[2:].partition("/")
        authority, rest = _authority(written), slash + path
        authority = None if authority is None else f"//{authority}" if authority or rest else ""
    path_printed = _path(rest)
    return None if authority is None or path_printed is None else scheme + authority + path_printed + end


def _path(path: str) -> str | None:
    if _BAD_ESCAPE.search(path):
        return None
    if _VALID_PATH.fullmatch(path):
        return path
    # One character that has to be escaped, and stars are escaped with it.
    return _escaped(path, "$&+,/:;=@")


def _authority(authority: str) -> str | None:
    user, at_sign, host = authority.rpartition("@")
    if _BAD_ESCAPE.search(user) or not _VALID_USER.fullmatch(user) or not _is_host(host):
        return None
    name, colon, password = user.partition(":")
    printed_user = _escaped(name, "$&+,;=") + colon + _escaped(password, "$&+,;=")
    return printed_user + at_sign + _escaped(host, "!$&'()*+,;=:[]<>\"")


def _is_host(host: str) -> bool:
    if host.startswith("["):
        inside, bracket, port = host.rpartition("]")
        return bool(inside and bracket and _PORT.fullmatch(port))
    _, colon, port = host.rpartition(":")
    return _VALID_HOST.fullmatch(host) is not None and _PORT.fullmatch(colon + port if colon else "") is not None


def _escaped(text: str, kept: str) -> str:
    from urllib.parse import quote, unquote_to_bytes

    return quote(unquote_to_bytes(text), safe=kept)
