"""How large an object is in the annotation that a client-side apply keeps of it.

Exactly that is the length of some JSON. To look at every value of every CRD would take a twentieth of a run, in a
repository with many; so the text is asked first, which is enough for all that are not near the limit.
"""

from __future__ import annotations

from typing import Final

from ...yaml.compose import TEXT, Mapping, Raw, RawScalar
from ...yaml.scalars import NUMBER_STARTS, WORDS
from ..resource import Resource

LIMIT: Final = 262_144
"""Bytes of all annotations of an object, names and values: what the API server takes."""
ANNOTATION: Final = "kubectl.kubernetes.io/last-applied-configuration"
_CANDIDATE: Final = 80_000
"""Characters of YAML. Of fewer nothing comes near the limit, even if many of them take six bytes each in JSON."""
_CRD_CANDIDATE: Final = 150_000
"""Half of a large CRD is indentation, and little of it has to be escaped."""
_CRD_LINE: Final = (1.2, 3.2)
"""What each line of a CRD has in JSON, less what it has in YAML besides indentation: 1.6 to 2.8 in 55 large ones."""


def may_be_large(resource: Resource) -> bool:
    """By the length of its text, so at no cost."""
    raw = resource.node.raw
    length = raw.end_mark.index - raw.start_mark.index if raw is not None else 0
    return length >= (_CRD_CANDIDATE if resource.is_crd else _CANDIDATE)


def annotations_size(resource: Resource, at_least: int) -> int:
    """Bytes of the annotations with the copy of the object in one of them; 0 if that is less.

    Of a CRD that is not near the limit it is a rough figure, on the safe side; of one that something has built
    the exact one, for the text it was read from is not that of its file.
    """
    raw = resource.node.raw
    if raw is None or not may_be_large(resource):
        return 0
    low, high = _bounds_of_crd(resource, raw) if _is_written_so(resource) else (0, LIMIT)
    is_clear = high < at_least or low > LIMIT or (low >= at_least and high <= LIMIT)
    if not is_clear:
        others = sum(_text_size(key) + _text_size(node.text) for key, node in resource.annotations.items())
        low = len(ANNOTATION) + others + _json_size(raw)
    return low if low >= at_least else 0


def _is_written_so(resource: Resource) -> bool:
    """A CRD in a file of its own, whose indentation can be counted there."""
    return resource.is_crd and not resource.node.document.is_built


def _bounds_of_crd(resource: Resource, raw: Raw) -> tuple[int, int]:
    start, end = raw.start_mark.index, raw.end_mark.index
    dense = end - start - 2 * resource.file.text.count("  ", start, end)
    lines = raw.end_mark.line - raw.start_mark.line
    return dense + int(_CRD_LINE[0] * lines), dense + int(_CRD_LINE[1] * lines)


def _json_size(raw: Raw) -> int:
    """The texts are put together first, since counting in one long text takes next to no time."""
    texts: list[str] = []
    punctuation = _collect(raw, texts)
    return punctuation + _text_size("".join(texts))


def _collect(raw: Raw, texts: list[str]) -> int:
    """Adds all texts below, and returns how many brackets, commas, colons and quotes JSON has around them."""
    if isinstance(raw, RawScalar):
        text: str = raw.value
        texts.append(text)
        return 2 if raw.tag == TEXT or (text[:1] not in NUMBER_STARTS and text not in WORDS) else 0
    size = 1 + len(raw.value)
    if isinstance(raw, Mapping):
        for key, value in raw.value:
            texts.append(key.value)
            size += 3 + _collect(value, texts)
    else:
        for item in raw.value:
            size += _collect(item, texts)
    return size


def _text_size(text: str) -> int:
    """In bytes, without the quotes around it; Go writes < as six of them."""
    length = len(text) if text.isascii() else len(text.encode("utf-8", "replace"))
    return length + sum(text.count(one) for one in '"\\\n\r\t') + 5 * sum(text.count(one) for one in "<>&")
