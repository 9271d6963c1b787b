"""Keys and values for a generator: from env files, from literals, from whole files, in this order."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from ...yaml.source import BYTE_ORDER_MARK, Node
from ..kustomize_errors import BuildError, Cause

Load = Callable[[Node, str], bytes]
"""The content of a file that a kustomization names at a place; a BuildError when there is none to be had."""

_GO_SPACES: Final = (
    "\t\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000"
    "\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
)
_LONGEST_LINE: Final = 64 * 1024
"""Of an env file. Kustomize stops reading at a longer one, without a word."""


class KeyValue(NamedTuple):
    key: str
    value: str | bytes
    """Bytes only if they are no text."""
    at: Node
    """The item of the list that brought it."""


def key_values(entry: Node, load: Load) -> list[KeyValue]:
    """All of them; a key that comes twice is refused."""
    found: dict[str, KeyValue] = {}
    for one in _all(entry, load):
        if one.key in found:
            raise _refused(one.at, f"the key {one.key!r} comes twice, and Kustomize refuses that")
        found[one.key] = one
    return list(found.values())


def _all(entry: Node, load: Load) -> Iterator[KeyValue]:
    for item in entry["envs"]:
        yield from _from_env_file(item, load)
    if entry["env"].text:
        yield from _from_env_file(entry["env"], load)
    for item in entry["literals"]:
        yield _from_literal(item)
    for item in entry["files"]:
        yield _from_file(item, load)


def _from_env_file(item: Node, load: Load) -> Iterator[KeyValue]:
    """`KEY=value` on each line, taken as it stands: no quotes, no `export`, no value from the environment.

    Older releases of Kustomize took the value of a line without `=` from the
    environment; 5.7 gives the empty text.
    """
    for number, line in enumerate(load(item, item.text).split(b"\n")):
        if len(line) >= _LONGEST_LINE:
            return
        try:
            text = line.removesuffix(b"\r").decode()
        except UnicodeDecodeError:
            raise _refused(item, f"line {number + 1} of {item.text} is not UTF-8") from None
        if number == 0:
            text = text.removeprefix(BYTE_ORDER_MARK)
        text = text.lstrip(_GO_SPACES)
        key, _, value = text.partition("=")
        if key and not key.startswith("#"):
            yield KeyValue(key, value, item)


def _from_literal(item: Node) -> KeyValue:
    key, equals, value = item.text.partition("=")
    if not key or not equals:
        raise _refused(item, f"the literal {item.text!r} is not of the form key=value")
    return KeyValue(key, _unquoted(value), item)


def _unquoted(text: str) -> str:
    """Without one pair of quotes around it; a quote all alone counts as no pair."""
    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
        return text[1:-1]
    return text


def _from_file(item: Node, load: Load) -> KeyValue:
    key, equals, path = item.text.partition("=")
    if not equals:
        key, path = _base_name(item.text), item.text
    elif not key:
        raise _refused(item, f"the file {item.text!r} has an empty key")
    elif not path:
        raise _refused(item, f"the key {key!r} has no path of a file behind it")
    elif "=" in path:
        raise _refused(item, f"{item.text!r} has more than one =, and Kustomize allows it in no key and no path")
    content = load(item, path)
    try:
        return KeyValue(key, content.decode(), item)
    except UnicodeDecodeError:
        return KeyValue(key, content, item)


def _base_name(path: str) -> str:
    return posixpath.basename(path.rstrip("/")) or path[:1] or "."


def _refused(at: Node, message: str) -> BuildError:
    return BuildError(Cause.BAD_GENERATOR, at, message)
