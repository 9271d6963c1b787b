"""Jobs and Pods that never come to an end.

Only what leaves no doubt counts: no pods at all, or a command that does
nothing but wait. A script with a way out of any kind is left alone.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from ..facts.regexes import regex

if TYPE_CHECKING:
    from ..kubernetes.resource import Resource
    from ..yaml.source import Node

_SHELLS: Final = frozenset(("sh", "bash", "ash", "dash", "zsh"))
_WAY_OUT: Final = regex(r"\b(?:if|case|exit|exec|return|break|kill|timeout|trap|read)\b|\|\||&|\bset +-\w*e")
_FOR_EVER: Final = regex(
    r"(?:^|[\n;])[ \t]*"
    r"(?:sleep[ \t]+inf(?:inity)?|tail[ \t]+-[fF][ \t]+/dev/null|while[ \t]+(?:true|:|\[ 1 \])[ \t]*[\n;])"
)
_COMMENT: Final = regex(r"(?m)(?:^|[ \t])#.*$")


class Endless(NamedTuple):
    at: Node
    """What keeps it from ending."""
    why: str
    """In words, to stand after "it"."""


def never_ends(resource: Resource) -> Endless | None:
    """Of a Job or a Pod: why it cannot come to an end. None if it may, and for all other kinds."""
    spec = resource["spec"]
    if resource.group_kind == "batch/Job":
        parallelism = spec["parallelism"]
        if _is_zero(parallelism) and not _is_zero(spec["completions"]):
            return Endless(parallelism, "starts no pod (parallelism: 0)")
        return _endless_pod(spec["template"]["spec"])
    return _endless_pod(spec) if resource.group_kind == "Pod" else None


def _is_zero(node: Node) -> bool:
    value = node.value
    return value == 0 and not isinstance(value, bool)


def _endless_pod(pod_spec: Node) -> Endless | None:
    if pod_spec["shareProcessNamespace"].value is True:
        return None  # one container may end another
    for part in ("initContainers", "containers"):
        for container in pod_spec[part]:
            is_sidecar = part == "initContainers" and container["restartPolicy"].text == "Always"
            at = None if is_sidecar else _endless_word(container)
            if at is not None:
                return Endless(at, f"runs container {container['name'].text!r}, whose command never ends")
    return None


def _endless_word(container: Node) -> Node | None:
    words: list[Node] = [*container["command"], *container["args"]]
    program = words[0].text.rpartition("/")[2] if words else ""
    texts = [word.text for word in words[1:]]
    if program == "sleep" and texts in (["infinity"], ["inf"]):
        return words[1]
    if program == "tail" and texts in (["-f", "/dev/null"], ["-F", "/dev/null"]):
        return words[2]
    if program in _SHELLS and len(texts) == 2 and re.fullmatch(r"-[a-df-z]*c", texts[0]) and _waits_for_ever(texts[1]):
        return words[2]
    return None


def _waits_for_ever(script: str) -> bool:
    plain = _COMMENT.sub("", script)
    return _FOR_EVER.search(plain) is not None and _WAY_OUT.search(plain) is None
