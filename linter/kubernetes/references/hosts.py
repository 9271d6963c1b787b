"""The host names that the containers of a pod are told to call.

Only forms that leave no doubt: an URL, ``host:port``, the name after an
option or in a variable that says it is a host, a full Service name. A bare
word is no host.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from ...facts.regexes import regex
from ...yaml.source import Node

_HOST: Final = r"([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)"
_URL: Final = regex(rf"://(?:[^@/\s]*@)?{_HOST}")
# A short number is as often the tag of an image.
_HOST_AND_PORT: Final = regex(rf"{_HOST}:(?:80|\d{{3,5}})(?:/\S*)?")
_WHOLE: Final = regex(rf"{_HOST}\.?(?::\d{{1,5}})?(?:/\S*)?")
_SERVICE_NAME: Final = regex(r"([a-z0-9-]+\.[a-z0-9-]+\.svc(?:\.cluster\.local)?)\.?")
_SAYS_HOST: Final = regex(r"HOST|URL|ADDR|SERVER|ENDPOINT|URI|DSN", re.IGNORECASE)
_ASSIGNMENT: Final = regex(r"-{0,2}([A-Za-z][\w.-]*)=(.+)")
_HOST_OPTIONS: Final = frozenset(("-h", "--host", "--hostname", "--server", "--url", "--endpoint", "--address"))
_CERTIFICATE: Final = regex(r"--(?:secret-name|cert-name|tls-secret)\b")
"""Where a certificate goes: the hosts beside it are the names in it, and nobody calls them."""
_BETWEEN_WORDS: Final = regex(r"[\s'\"`;|&()<>,]+")
_LONGEST_SCRIPT: Final = 20_000
_WAITS: Final = regex(r"\b(?:until|while|for)\b[^#]*\bsleep\b|wait[-_]?for|wait4|--?wait\b|--retry", re.DOTALL)


class Call(NamedTuple):
    at: Node
    host: str


def calls(pod_spec: Node) -> Iterator[Call]:
    for part in ("initContainers", "containers"):
        for container in pod_spec[part]:
            for variable in container["env"]:
                yield from _in_variable(variable)
            yield from _in_words(container["command"])
            yield from _in_words(container["args"])


def waits_by_itself(pod_spec: Node) -> bool:
    """Whether a container polls until somebody answers, so that it need not find everything ready."""
    return any(
        _WAITS.search(argument.text)
        for part in ("initContainers", "containers")
        for container in pod_spec[part]
        for arguments in (container["command"], container["args"])
        for argument in arguments
    )


def service_and_namespace(host: str) -> tuple[str, str] | None:
    """``db``, ``db.shop``, ``db.shop.svc`` or ``db.shop.svc.cluster.local``; the namespace may be empty."""
    name, _, rest = host.partition(".")
    namespace, _, suffix = rest.partition(".")
    return (name, namespace) if suffix in ("", "svc", "svc.cluster.local") else None


def _in_variable(variable: Node) -> Iterator[Call]:
    value = variable["value"]
    if value.raw is not None and (text := value.text):
        yield from (Call(value, host) for host in _hosts(text, bool(_SAYS_HOST.search(variable["name"].text))))


def _in_words(arguments: Node) -> Iterator[Call]:
    if any(_CERTIFICATE.match(argument.text) for argument in arguments):
        return
    after_option = False
    for argument in arguments:
        text = argument.text
        for word in _BETWEEN_WORDS.split(text) if len(text) < _LONGEST_SCRIPT else ():
            assigned = _ASSIGNMENT.fullmatch(word)
            if assigned:
                hosts = _hosts(assigned[2], bool(_SAYS_HOST.search(assigned[1])))
            else:
                hosts = _hosts(word, after_option)
            yield from (Call(argument, host) for host in hosts)
            after_option = word in _HOST_OPTIONS


def _hosts(text: str, is_host: bool) -> list[str]:
    if "://" in text:
        return _URL.findall(text)
    match = _HOST_AND_PORT.fullmatch(text) or _SERVICE_NAME.fullmatch(text) or (is_host and _WHOLE.fullmatch(text))
    return [match[1]] if match else []
