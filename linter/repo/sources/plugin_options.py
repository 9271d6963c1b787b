"""Which plugin makes the manifests, and what one that calls `helm template` says to Helm."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from typing import Any, Final

from ...argocd.applications import Application, Source
from ...argocd.build_environment import NotKnown, substituted
from ...argocd.config_plugins import TEXT, Plugin
from ...facts.versions import Versions
from ..tree import Tree
from .directory import read_directory

_FILES: Final = ("-f", "--values")
_WITH_VALUE: Final = ("-n", "--namespace", "--name-template", "--kube-version", "--api-versions", "-a")
_ALONE: Final = ("--include-crds", "--release-name", "--skip-tests")
_OF_THE_CLUSTER: Final = ("KUBE_VERSION", "KUBE_API_VERSIONS")
"""Helm is told them anyway, from what is known of the cluster."""
_PREFIX: Final = "ARGOCD_ENV_"


def plugin_of(name: object, path: str, tree: Tree, plugins: Mapping[str, Plugin]) -> Plugin | None:
    """Without a name Argo CD asks each plugin: it is the one of this repository that is for folders of this kind."""
    if isinstance(name, str) and name:
        return plugins.get(name)
    tool = "kustomize" if path in tree.kustomizations else "helm" if path in tree.charts else ""
    fitting = {one for one in plugins.values() if one.tool == tool and one.words}
    return fitting.pop() if len(fitting) == 1 else None


def is_familiar(tree: Tree, path: str, versions: Versions) -> bool:
    """Whether a folder holds what some tool of ours reads, whatever the plugin makes of it."""
    is_built = path in tree.kustomizations or path in tree.charts
    return is_built or bool(read_directory(tree, path, {"recurse": True}, versions).resources)


def helm_options_of(plugin: Plugin, source: Source, application: Application) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The helm block of a source, and what of the command line is not understood."""
    variables = _variables(source, application)
    files: list[str] = []
    inline = ""
    unknown: list[str] = []
    words = _filled(plugin.words[1:], variables, unknown)
    for word in words:
        option, equals, value = word.partition("=")
        if option in _FILES:
            file = value if equals else next(words, "")
            if inline:
                unknown.append(file)  # what comes later wins, and Argo CD knows inline values only as the last
            elif file.startswith(TEXT):
                inline = variables.get(file.removeprefix(TEXT), "")
            else:
                files.append(file)
        elif option in _WITH_VALUE:
            value = value if equals else next(words, "")
        elif option.startswith("-") and option not in _ALONE:
            unknown.append(option)
    return {"valueFiles": files, **({"values": inline} if inline else {})}, tuple(unknown)


def _filled(words: tuple[str, ...], variables: Mapping[str, str], unknown: list[str]) -> Iterator[str]:
    """With the variables of the build; one may stand for several words."""
    for word in words:
        try:
            yield from shlex.split(substituted(word, variables))
        except (NotKnown, ValueError):
            unknown.append(word)


def _variables(source: Source, application: Application) -> dict[str, str]:
    """Those of the plugin block come with a prefix, and once came without."""
    found = {"ARGOCD_APP_NAME": application.name, "ARGOCD_APP_NAMESPACE": application.destination.namespace}
    found |= {name: name for name in _OF_THE_CLUSTER}
    env = source.tool("plugin").get("env")
    for one in env if isinstance(env, list) else ():
        if isinstance(one, Mapping) and isinstance(one.get("name"), str) and isinstance(one.get("value"), str):
            found[one["name"]] = found[f"{_PREFIX}{one['name']}"] = one["value"]
    return found
