"""The Secrets and ConfigMaps that the commands of a container make.

Only two forms, and only with names that are written out: ``kubectl create
secret generic NAME`` (or ``oc``, or a ConfigMap), and a manifest in the text
of a script that applies it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ...facts.regexes import regex
from ...yaml.source import Node
from .making import Made

_CONTINUED: Final = regex(r"\\\n")
_BETWEEN_COMMANDS: Final = regex(r"[\n;|&()`]+")
_TOOLS: Final = ("kubectl", "oc")
_KINDS: Final = {"secret": "Secret", "configmap": "ConfigMap", "cm": "ConfigMap"}
_NAMESPACE_OPTIONS: Final = ("-n", "--namespace")
_NAME: Final = regex(r"[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?")
_MANIFEST: Final = regex(
    r"\bkind:\s*(?P<kind>Secret|ConfigMap)\s*\n\s*metadata:\s*\n"
    r"(?:\s*namespace:\s*(?P<before>\S+)\s*\n)?\s*name:\s*(?P<name>\S+)(?:\s*\n\s*namespace:\s*(?P<after>\S+))?"
)
_APPLIES: Final = regex(r"\b(?:kubectl|oc)\b[^\n]*\b(?:apply|create|replace)\b")


def made_by_commands(pod_spec: Node) -> Iterator[Made]:
    for part in ("initContainers", "containers"):
        for container in pod_spec[part]:
            for words in (container["command"], container["args"]):
                for word in words:
                    if "kubectl" in word.text or "oc " in word.text:
                        yield from _made_by(_CONTINUED.sub(" ", word.text))


def _made_by(script: str) -> Iterator[Made]:
    for command in _BETWEEN_COMMANDS.split(script):
        made = _created(command.split()) if " create " in command else None
        if made is not None:
            yield made
    if _APPLIES.search(script):
        for match in _MANIFEST.finditer(script):
            made = _made(match["kind"], match["name"], match["before"] or match["after"] or "")
            if made is not None:
                yield made


def _created(words: list[str]) -> Made | None:
    """What a command line makes; words before the tool (``sudo``, ``echo x``) do not matter."""
    tool = next((index for index, word in enumerate(words) if word.rpartition("/")[2] in _TOOLS), len(words))
    namespace = ""
    plain: list[str] = []
    rest = iter(words[tool + 1 :])
    for word in rest:
        option, equals, value = word.partition("=")
        if option in _NAMESPACE_OPTIONS:
            namespace = value if equals else next(rest, "")
        elif not word.startswith("-"):
            plain.append(word)
    what = plain[plain.index("create") + 1 :] if "create" in plain else []
    kind = _KINDS.get(what[0], "") if what else ""
    at = 2 if kind == "Secret" else 1  # before the name of a Secret stands its type
    return _made(kind, what[at], namespace) if kind and len(what) > at else None


def _made(kind: str, name: str, namespace: str) -> Made | None:
    """None where a variable hides the name or the namespace."""
    name, namespace = name.strip("'\""), namespace.strip("'\"")
    if not _NAME.fullmatch(name) or (namespace and not _NAME.fullmatch(namespace)):
        return None
    return Made(kind, name, namespace, everywhere=False, quick=False)
