"""What the repository shows of Argo CD's own settings.

They have many homes: the ConfigMaps argocd-cm and argocd-cmd-params-cm, patches
of these, values of Argo CD's chart, the ArgoCD object of its operator. So a
setting is looked for by its name, wherever it stands. What is commented out
does not count; what is kept in other files than YAML is taken for anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ..source import SourceFile, Span, Spot

if TYPE_CHECKING:
    from ..source import Node

_COMBINED: Final = "resource.customizations"
_HEALTH: Final = f"{_COMBINED}.health."
_IGNORED: Final = f"{_COMBINED}.ignoreDifferences."
_OPERATOR_HEALTH: Final = "resourceHealthChecks"
_OPERATOR_IGNORED: Final = "resourceIgnoreDifferences"
_MARKS: Final = (_COMBINED, _OPERATOR_HEALTH, _OPERATOR_IGNORED)
_FILE_OF_A_CONFIGMAP: Final = re.compile(
    r"^\s*-[^#\n]*\bresource\.customizations(?P<rest>\.[\w.*-]+)?\s*$", re.MULTILINE
)
_SERVER_SIDE_DIFF: Final = re.compile(
    r"^[^#\n]*\bcontroller\.diff\.server\.side[\"']?\s*[:=]\s*[\"']?true", re.MULTILINE
)
_BUILD_OPTIONS: Final = re.compile(
    r"^[^#\n]*\b(?P<key>kustomize(?:\.b|B)uildOptions)(?P<said>[^\n]*(?:\n[^\n]*){0,2})", re.MULTILINE
)
"""With two more lines: a patch has the value in the next one, and a folded text begins there."""
_NO_LOAD_RESTRICTION: Final = re.compile(r"--load[_-]restrictor[= ]+(?:LoadRestrictionsNone|none)\b")
_HELM_ENABLED: Final = re.compile(r"--enable-helm\b(?!=false)")
_ANY_NAMESPACE: Final = re.compile(
    r"^[^#\n]*(?:\bapplication\.namespaces[\"']?[ \t]*[:=]|--application-namespaces)[ \t=]*[\"']?[\w*/]", re.MULTILINE
)
_TRACKING: Final = re.compile(
    r"^[^#\n]*\b(?:application\.)?resourceTrackingMethod[\"']?[ \t]*[:=][ \t]*[\"']?(?P<method>[\w+]+)", re.MULTILINE
)
EVERYTHING: Final = "*/*"


class Customization(NamedTuple):
    """What is set for a kind: ``group/Kind``, either of which may hold stars; core kinds begin with the slash."""

    kind: str
    health: bool = False
    """It has a health check of its own."""
    ignored: Mapping[str, Any] | None = None
    """Differences that are ignored; an empty map stands for any."""
    at: Node | None = None
    """Where that is written, if it is YAML."""

    def is_for(self, group: str, kind: str) -> bool:
        return fnmatchcase(f"{group}/{kind}", self.kind)


class BuildOptions(NamedTuple):
    """What Argo CD calls Kustomize with; where several places say something, what any of them allows."""

    shown_at: Spot | None = None
    """The first place that sets them; None if they are not known."""
    enables_helm: bool = False
    reads_any_file: bool = False
    """Files outside the folder of their kustomization, too."""


@dataclass(frozen=True)
class Settings:
    customizations: tuple[Customization, ...] = ()
    server_side_diff: bool = False
    """Switched on for the whole controller."""
    build_options: BuildOptions = BuildOptions()
    tracking_method: str = ""
    """label, annotation or annotation+label; several if places disagree, empty if nothing is said."""
    any_namespace: bool = False
    """Applications are read in other namespaces than Argo CD's own, too."""

    def checks_health(self, group: str, kind: str) -> bool:
        return any(one.health and one.is_for(group, kind) for one in self.customizations)

    def ignored(self, group: str, kind: str) -> list[Mapping[str, Any]]:
        return [one.ignored for one in self.customizations if one.ignored is not None and one.is_for(group, kind)]


def read_settings(files: Iterable[SourceFile]) -> Settings:
    found: list[Customization] = []
    server_side_diff = any_namespace = False
    build_options = BuildOptions()
    tracking: set[str] = set()
    for file in files:
        text = file.text
        if any(mark in text for mark in _MARKS):
            found += _in_file(file)
        if "controller.diff.server.side" in text:
            server_side_diff = server_side_diff or _SERVER_SIDE_DIFF.search(text) is not None
        if "uildOptions" in text:
            build_options = _with_build_options(build_options, file)
        if "resourceTrackingMethod" in text:
            tracking.update(match["method"] for match in _TRACKING.finditer(text))
        if "application.namespaces" in text or "application-namespaces" in text:
            any_namespace = any_namespace or _ANY_NAMESPACE.search(text) is not None
    method = tracking.pop() if len(tracking) == 1 else "several" if tracking else ""
    return Settings(tuple(found), server_side_diff, build_options, method, any_namespace)


def _with_build_options(known: BuildOptions, file: SourceFile) -> BuildOptions:
    for place in _BUILD_OPTIONS.finditer(file.text):
        known = BuildOptions(
            known.shown_at or Spot(file, Span(*place.span("key"))),
            known.enables_helm or _HELM_ENABLED.search(place["said"]) is not None,
            known.reads_any_file or _NO_LOAD_RESTRICTION.search(place["said"]) is not None,
        )
    return known


def _in_file(file: SourceFile) -> Iterator[Customization]:
    for entry in _FILE_OF_A_CONFIGMAP.finditer(file.text):  # its content is not YAML, or not known to be
        yield Customization(_kind(entry["rest"].rpartition(".")[2]) if entry["rest"] else EVERYTHING, True, {})
    for document in file.documents:
        for node in document.root.walk():
            if isinstance(node.key, str) and node.key.startswith(_MARKS):
                yield from _of_key(node, node.key)


def _of_key(node: Node, key: str) -> Iterator[Customization]:
    if key.startswith(_HEALTH):
        yield Customization(_kind(key.removeprefix(_HEALTH)), health=True)
    elif key.startswith(_IGNORED):
        yield Customization(_kind(key.removeprefix(_IGNORED)), ignored=_parsed(node.text), at=node)
    elif key == _COMBINED:
        for name, value in _parsed(node.text).items():
            rule = value if isinstance(value, dict) else {}
            ignored = rule.get("ignoreDifferences")
            kind = name if "/" in name else f"/{name}"
            parsed = _parsed(ignored) if isinstance(ignored, str) else None
            yield Customization(kind, "health.lua" in rule, parsed, node)
    elif key == _OPERATOR_HEALTH:
        for check in node:
            yield Customization(f"{check['group'].text}/{check['kind'].text}", health=True)
    elif key == _OPERATOR_IGNORED:
        yield from _of_operator(node)


def _of_operator(node: Node) -> Iterator[Customization]:
    if node["all"].is_mapping:
        yield Customization(EVERYTHING, ignored=node["all"].value, at=node["all"])
    for one in node["resourceIdentifiers"]:
        ignored = one["customization"].value
        if isinstance(ignored, dict):
            group, kind = one.texts("group", "kind")
            yield Customization(f"{group}/{kind}", ignored=ignored, at=one["customization"])


def _kind(written: str) -> str:
    """``group_Kind`` in a key; ``all`` for every kind, and core kinds with or without the line."""
    if written == "all":
        return EVERYTHING
    group, _, kind = written.rpartition("_")
    return f"{group}/{kind}"


def _parsed(text: str) -> dict[str, Any]:
    documents = SourceFile("", text).documents
    value = documents[0].root.value if documents else None
    return value if isinstance(value, dict) else {}
