"""Config management plugins that the repository defines, and what they come to.

Most are a known tool with a filter behind it that fills in secrets or variables:
`kustomize build --enable-helm`, `helm template … | argocd-vault-plugin generate -`.
Those are read as what they are. Nothing of them is executed; one that does
anything else is not understood.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from ..facts.regexes import regex
from ..facts.tables import table
from ..yaml.source import SourceFile

KIND: Final = "ConfigManagementPlugin"
_OLD_KEY: Final = "configManagementPlugins"
_SHELLS: Final = ("sh", "bash", "ash")
_HINTS: Final = (KIND, _OLD_KEY, "cmp:")
_PREPARATION: Final = regex(
    r"^\s*(?:set\s+(?:-\w+\s+)*(?:-\w*o\s+pipefail|-\w+)\s*(?:&&|;|\n)\s*)?"
    r"(?:helm\s+(?:dependency|dep)\s+(?:build|update|up)[^&|;<>]*&&)?"
)
TEXT: Final = "text-of:"
"""Stands before the name of a variable in a word that is its text, as if that were a file."""
_ECHOED: Final = regex(r"""<\(\s*echo\s+(["']?)\$\{?(?P<name>\w+)\}?\1\s*\)""")
_MORE_THAN_A_PIPE: Final = regex(r"&&|\|\||[;<>`]|\$\(|\b(?:if|for|while|case)\b")
_FILLED_BY_PERL: Final = regex(
    r"""\bperl\s+-pe\s+(?P<quote>["'])s(?:\{[^"']*\}\{|([/#])[^"']*\2)\$ENV\{\$\d\}[^"']*(?P=quote)"""
)
"""A program that puts the variable of that name wherever one is named, as envsubst does."""


class Plugin(NamedTuple):
    tool: str
    """helm, kustomize or directory; empty where it is not understood."""
    words: tuple[str, ...] = ()
    """What its tool is called with."""


NO_PLUGINS: Final[dict[str, Plugin]] = {}


def plugins_in(files: Iterable[SourceFile], said: Mapping[str, str] = MappingProxyType({})) -> dict[str, Plugin]:
    """By the names that Applications call them by; those that everybody defines alike are known by theirs.

    `said` are command lines by name, and win: whoever wrote them knows what runs.
    """
    found = {name: Plugin(tool) for name, tool in table("config-plugins.json")["known"].items()}
    for file in files:
        found |= file.once(_in_file)
    return found | {name: understood(script) for name, script in said.items()}


def _in_file(file: SourceFile) -> dict[str, Plugin]:
    if not any(hint in file.text for hint in _HINTS):
        return NO_PLUGINS
    return {name: plugin for document in file.documents for name, plugin in _defined(document.root.value)}


def _defined(value: Any) -> Iterator[tuple[str, Plugin]]:
    """Objects of their own, files in a ConfigMap, entries of argocd-cm, values of Argo CD's chart."""
    if isinstance(value, str):
        if KIND in value or value.lstrip().startswith("- name:"):
            for document in SourceFile("plugin.yaml", value).documents:
                if not isinstance(document.root.value, str):  # a sentence that speaks of plugins is itself once more
                    yield from _defined(document.root.value)
    elif isinstance(value, list):
        for item in value:
            if isinstance(item, Mapping) and isinstance(item.get("name"), str) and "generate" in item:
                yield item["name"], _understood(item)
            yield from _defined(item)
    elif isinstance(value, Mapping):
        if value.get("kind") == KIND:
            yield from _object(value)
            return
        plugins = _map(_map(value.get("cmp")).get("plugins"))
        for name, plugin in plugins.items():
            yield name, _understood(_map(plugin))
        for member in value.values():
            yield from _defined(member)


def _object(value: Mapping[str, Any]) -> Iterator[tuple[str, Plugin]]:
    name, spec = _map(value.get("metadata")).get("name"), _map(value.get("spec"))
    if isinstance(name, str):
        plugin = _understood(spec)
        yield name, plugin
        if isinstance(spec.get("version"), str):
            yield f"{name}-{spec['version']}", plugin


def _understood(plugin: Mapping[str, Any]) -> Plugin:
    generate = _map(plugin.get("generate"))
    words = [word for key in ("command", "args") for word in generate.get(key) or () if isinstance(word, str)]
    if words and words[0].rpartition("/")[2] in _SHELLS:
        script = next((word for word in words[1:] if not word.startswith("-")), "")
    else:
        script = shlex.join(words)
    return understood(script)


def understood(script: str) -> Plugin:
    script = _ECHOED.sub(rf"{TEXT}\g<name>", _PREPARATION.sub("", script.strip()))
    script = _FILLED_BY_PERL.sub("envsubst", script)
    if not script or _MORE_THAN_A_PIPE.search(script):
        return Plugin("")
    try:
        first, *filters = (shlex.split(stage, comments=True) for stage in script.split("|"))
    except ValueError:
        return Plugin("")
    fill_in = table("config-plugins.json")["filters"]
    if not first or any(not stage or stage[0].rpartition("/")[2] not in fill_in for stage in filters):
        return Plugin("")
    return Plugin(_tool(first), tuple(first[1:]))


def _tool(words: list[str]) -> str:
    program, first = words[0].rpartition("/")[2], words[1] if len(words) > 1 else ""
    if (program, first) in (("kustomize", "build"), ("kubectl", "kustomize")):
        return "kustomize" if _is_of_this_folder(words[2:]) else ""
    if (program, first) == ("helm", "template"):
        return "helm"
    if (program, first) == ("argocd-vault-plugin", "generate"):
        return "directory" if _is_of_this_folder(words[2:]) else ""
    return ""


def _is_of_this_folder(words: list[str]) -> bool:
    return all(word in (".", "./") for word in words if not word.startswith("-") and "=" not in word)


def _map(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
