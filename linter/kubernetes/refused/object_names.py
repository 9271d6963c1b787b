"""Names of objects, and the keys and values of labels and annotations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ...facts.regexes import regex
from ...facts.tables import builtin_kinds
from ...yaml.source import Node
from ..pods import pod_spec
from ..resource import Resource
from .refused import Refused, is_open, path_of_pods

_SUBDOMAIN: Final = regex(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_LABEL: Final = regex(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
_WORD: Final = regex(r"([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]")
_LONGEST_LABEL: Final = 63
_LONGEST_NAME: Final = 253

_SUBDOMAIN_WORDS: Final = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and"
    " end with an alphanumeric character"
)
_LABEL_WORDS: Final = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with"
    " an alphanumeric character"
)
_VALUE_WORDS: Final = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and"
    " end with an alphanumeric character"
)
_KEY_WORDS: Final = (
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric"
    " character"
)
_QUALIFIED_WORDS: Final = (
    "a qualified name must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an"
    " alphanumeric character"
)
_SERVICE_WORDS: Final = (
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character,"
    " and end with an alphanumeric character"
)
_ANY_NAME: Final = frozenset(("rbac.authorization.k8s.io", "apiregistration.k8s.io", "certificates.k8s.io"))
"""Groups whose names may hold colons and capitals."""
_SHORT: Final = frozenset(("Namespace", "Service"))


def names(resource: Resource) -> Iterator[Refused]:
    yield from _name(resource)
    yield from _metadata(resource.metadata, "metadata")
    pod = pod_spec(resource)
    if pod is not None and pod.parent is not None and resource.kind != "Pod" and resource.group in builtin_kinds():
        yield from _metadata(pod.parent["metadata"], path_of_pods(resource).removesuffix(".spec"))


def _name(resource: Resource) -> Iterator[Refused]:
    text = resource.name
    if not text or is_open(text) or resource.group not in builtin_kinds() or resource.group in _ANY_NAME:
        return
    at = resource.metadata["name"]
    is_short = resource.group == "" and resource.kind in _SHORT
    longest = _LONGEST_LABEL if is_short else _LONGEST_NAME
    if len(text) > longest:
        words = f"must be no more than {longest} characters"
        yield Refused(at, "metadata.name", words, "Shorten the name.", in_parts=False)
    elif not (_LABEL if is_short else _SUBDOMAIN).fullmatch(text):
        words = _label_words(resource) if is_short else _SUBDOMAIN_WORDS
        advice = "Write the name in small letters, digits and dashes."
        yield Refused(at, "metadata.name", words, advice, in_parts=False)


def _label_words(resource: Resource) -> str:
    if resource.kind == "Service":
        return _SERVICE_WORDS
    return "must not contain dots" if _SUBDOMAIN.fullmatch(resource.name) else _LABEL_WORDS


def _metadata(metadata: Node, path: str) -> Iterator[Refused]:
    for key, value in metadata["labels"].items():
        yield from _key(key, value, f"{path}.labels")
        text = value.text
        if not text or is_open(text):
            continue
        if len(text) > _LONGEST_LABEL:
            words = f"must be no more than {_LONGEST_LABEL} characters"
            yield Refused(value, f"{path}.labels", words, "Shorten the value, or make it an annotation.")
        elif not _WORD.fullmatch(text):
            yield Refused(value, f"{path}.labels", _VALUE_WORDS, "Correct the value, or make it an annotation.")
    for key, value in metadata["annotations"].items():
        yield from _key(key, value, f"{path}.annotations")


def _key(key: str, value: Node, path: str) -> Iterator[Refused]:
    if is_open(key):
        return
    prefix, slash, name = key.rpartition("/")
    prefix = prefix.lower() if path.endswith("annotations") else prefix
    if slash and not _SUBDOMAIN.fullmatch(prefix):
        words = _QUALIFIED_WORDS if "/" in prefix else f"prefix part {_SUBDOMAIN_WORDS}"
        yield Refused(value, path, words, "Correct the key: a domain, a slash, a name.")
    elif not _WORD.fullmatch(name):
        yield Refused(value, path, _KEY_WORDS, "Correct the key: letters, digits, dashes, dots and underscores.")
    elif len(name) > _LONGEST_LABEL:
        words = f"name part must be no more than {_LONGEST_LABEL} characters"
        yield Refused(value, path, words, "Shorten the key.")
