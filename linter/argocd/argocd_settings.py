"""What the repository shows of Argo CD's own settings.

They have many homes: the ConfigMaps argocd-cm and argocd-cmd-params-cm, patches
of these, values of Argo CD's chart, the ArgoCD object of its operator. So a
setting is looked for by its name, wherever it stands, also within a text: the
values that an Application gives, a patch in a kustomization. What is commented
out does not count; what is kept in other files than YAML is taken for anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ..facts.regexes import regex
from ..yaml.source import SourceFile, Span, Spot

if TYPE_CHECKING:
    from ..facts.versions import Versions
    from ..kubernetes.resource import Resource
    from ..yaml.source import Node
    from .applications import Application

_COMBINED: Final = "resource.customizations"
_HEALTH: Final = f"{_COMBINED}.health."
_IGNORED: Final = f"{_COMBINED}.ignoreDifferences."
_OPERATOR_HEALTH: Final = "resourceHealthChecks"
_OPERATOR_IGNORED: Final = "resourceIgnoreDifferences"
_MARKS: Final = (_COMBINED, _OPERATOR_HEALTH, _OPERATOR_IGNORED)
TRACKING_METHOD: Final = "application.resourceTrackingMethod"
INSTANCE_LABEL: Final = "application.instanceLabelKey"
INSTALLATION: Final = "installationID"
_TRACKING: Final = {name: name for name in (TRACKING_METHOD, INSTANCE_LABEL, INSTALLATION)}
_OPERATOR_TRACKING: Final = {"resourceTrackingMethod": TRACKING_METHOD, "applicationInstanceLabelKey": INSTANCE_LABEL}
"""How the ArgoCD object of the operator spells them; in any other object the words mean nothing."""
_ANY_TRACKING: Final = ("esourceTrackingMethod", "nstanceLabelKey", INSTALLATION)
BY_LABEL: Final = "label"
DEFAULT_LABEL: Final = "app.kubernetes.io/instance"
_FILE_OF_A_CONFIGMAP: Final = regex(r"^\s*-[^#\n]*\bresource\.customizations(?P<rest>\.[\w.*-]+)?\s*$", re.MULTILINE)
_SERVER_SIDE_DIFF: Final = regex(r"^[^#\n]*\bcontroller\.diff\.server\.side[\"']?\s*[:=]\s*[\"']?true", re.MULTILINE)
_BUILD_OPTIONS: Final = regex(
    r"^[^#\n]*\b(?P<key>kustomize(?:\.b|B)uildOptions)(?P<said>[^\n]*(?:\n[^\n]*){0,2})", re.MULTILINE
)
"""With two more lines: a patch has the value in the next one, and a folded text begins there."""
_NO_LOAD_RESTRICTION: Final = regex(r"--load[_-]restrictor[= ]+(?:LoadRestrictionsNone|none)\b")
_HELM_ENABLED: Final = regex(r"--enable-(?:helm|alpha-plugins)\b(?!=false)")
"""Kustomize switches its charts on together with its plugins."""
_ANY_NAMESPACE: Final = regex(
    r"^[^#\n]*(?:\bapplication\.namespaces[\"']?[ \t]*[:=]|--application-namespaces)[ \t=]*[\"']?[\w*/]", re.MULTILINE
)
_NEW_GLOBBING: Final = regex(
    r"^[^#\n]*(?:enable\.new\.git\.file\.globbing|ENABLE_NEW_GIT_FILE_GLOBBING)[^\n]*(?:\n\s*value:)?[ \t:=\"']*true"
    r"|^[^#\n]*--enable-new-git-file-globbing(?![ =]*false)",
    re.MULTILINE,
)
_TRACKING_ID: Final = "argocd.argoproj.io/tracking-id"
EVERYTHING: Final = "*/*"


class Customization(NamedTuple):
    """What is set for a kind: ``group/Kind``, either of which may hold stars; core kinds begin with the slash."""

    kind: str
    health: bool = False
    """It has a health check of its own."""
    ignored: Mapping[str, Any] | None = None
    """Differences that are ignored; an empty map stands for any."""
    at: Node | None = None
    """Where that is written; None where only the name of a file is known."""

    def is_for(self, group: str, kind: str) -> bool:
        return fnmatchcase(f"{group}/{kind}", self.kind)


class BuildOptions(NamedTuple):
    """What Argo CD calls Kustomize with; where several places say something, what any of them allows."""

    shown_at: Spot | None = None
    """The first place that sets them; None if they are not known."""
    enables_helm: bool = False
    reads_any_file: bool = False
    """Files outside the folder of their kustomization, too."""


class TrackingSetting(NamedTuple):
    """One of those that decide how Argo CD marks what belongs to an Application."""

    name: str
    """As argocd-cm calls it."""
    value: str
    at: Node


@dataclass(frozen=True)
class Settings:
    customizations: tuple[Customization, ...] = ()
    server_side_diff: bool = False
    """Switched on for the whole controller."""
    build_options: BuildOptions = BuildOptions()
    tracking: tuple[TrackingSetting, ...] = ()
    any_namespace: bool = False
    """Applications are read in other namespaces than Argo CD's own, too."""
    new_globbing: bool = False
    """Patterns for files in git generators are matched name by name."""

    def health_check(self, group: str, kind: str) -> Customization | None:
        """What adds a health check for a kind, or replaces Argo CD's own."""
        return next((one for one in self.customizations if one.health and one.is_for(group, kind)), None)

    def tracked_by(self, name: str) -> frozenset[str]:
        """All that is said of one of the settings of tracking; empty if nothing is."""
        return frozenset(one.value for one in self.tracking if one.name == name)

    def tracks_by_label(self, versions: Versions) -> bool:
        """Known to: all places say so, or none does and the version is one that does unless told otherwise."""
        methods = self.tracked_by(TRACKING_METHOD)
        return methods == {BY_LABEL} or (not methods and versions.lacks("annotation-tracking"))

    def is_marked(self, resource: Resource, application: Application, versions: Versions) -> bool:
        """Whether an object says in git already that it belongs to an Application.

        Argo CD adds its mark to all objects but CRDs. One with a mark of its own is taken for the
        Application's all the same, and so it is pruned.
        """
        names = (application.name, f"{application.namespace}_{application.name}")
        if self.tracks_by_label(versions):
            keys = self.tracked_by(INSTANCE_LABEL) or {DEFAULT_LABEL}
            return any(resource.labels[key].text in names for key in keys)
        app, _, rest = resource.annotation(_TRACKING_ID).text.partition(":")
        kind, _, name = rest.partition(":")
        return app in names and kind == f"{resource.group}/{resource.kind}" and name.split("/")[-1] == resource.name

    def ignored(self, group: str, kind: str) -> list[Mapping[str, Any]]:
        return [one.ignored for one in self.customizations if one.ignored is not None and one.is_for(group, kind)]


def read_settings(files: Iterable[SourceFile]) -> Settings:
    said = [found for file in files if (found := file.once(_said_by)) is not SILENT]
    options = [place for one in said for place in one.build_options]
    return Settings(
        tuple(customization for one in said for customization in one.customizations),
        any(one.server_side_diff for one in said),
        BuildOptions(
            options[0].shown_at if options else None,
            any(one.enables_helm for one in options),
            any(one.reads_any_file for one in options),
        ),
        tuple(setting for one in said for setting in one.tracking),
        any(one.any_namespace for one in said),
        any(one.new_globbing for one in said),
    )


class Said(NamedTuple):
    """What one file says of them."""

    customizations: tuple[Customization, ...] = ()
    server_side_diff: bool = False
    build_options: tuple[BuildOptions, ...] = ()
    tracking: tuple[TrackingSetting, ...] = ()
    any_namespace: bool = False
    new_globbing: bool = False


SILENT: Final = Said()


def _said_by(file: SourceFile) -> Said:
    text = file.text
    found = Said(
        tuple(_in_file(file)) if any(mark in text for mark in _MARKS) else (),
        "controller.diff.server.side" in text and _SERVER_SIDE_DIFF.search(text) is not None,
        tuple(_build_options(file)) if "uildOptions" in text else (),
        tuple(_tracking_in(file)) if any(name in text for name in _ANY_TRACKING) else (),
        ("application.namespaces" in text or "application-namespaces" in text)
        and _ANY_NAMESPACE.search(text) is not None,
        ("file.globbing" in text or "file-globbing" in text or "FILE_GLOBBING" in text)
        and _NEW_GLOBBING.search(text) is not None,
    )
    return SILENT if found == SILENT else found


def _build_options(file: SourceFile) -> Iterator[BuildOptions]:
    for place in _BUILD_OPTIONS.finditer(file.text):
        yield BuildOptions(
            Spot(file, Span(*place.span("key"))),
            _HELM_ENABLED.search(place["said"]) is not None,
            _NO_LOAD_RESTRICTION.search(place["said"]) is not None,
        )


def _in_file(file: SourceFile) -> Iterator[Customization]:
    for entry in _FILE_OF_A_CONFIGMAP.finditer(file.text):  # its content is not YAML, or not known to be
        yield Customization(_kind(entry["rest"].rpartition(".")[2]) if entry["rest"] else EVERYTHING, True, {})
    for document in file.documents:
        for key, node, at in _written(document.root, _MARKS):
            if key.startswith(_MARKS):
                yield from _of_key(key, node, at)


def _written(root: Node, marks: Iterable[str]) -> Iterator[tuple[str, Node, Node]]:
    """Every key with its value, and where people find that: of YAML within a text, the text."""
    for node in root.walk():
        if isinstance(node.key, str):
            yield node.key, node, node
        text = node.text
        if "\n" in text and any(mark in text for mark in marks):
            for document in SourceFile("", text).documents:
                for inner in document.root.walk():
                    if isinstance(inner.key, str):
                        yield inner.key, inner, node


def _tracking_in(file: SourceFile) -> Iterator[TrackingSetting]:
    for document in file.documents:
        for key, node, at in _written(document.root, _ANY_TRACKING):
            of_operator = node.document.root["kind"].text == "ArgoCD"
            name = _TRACKING.get(key) or (_OPERATOR_TRACKING.get(key) if of_operator else None)
            if name and node.text:
                yield TrackingSetting(name, node.text, at)


def _of_key(key: str, node: Node, at: Node) -> Iterator[Customization]:
    if key.startswith(_HEALTH):
        yield Customization(_kind(key.removeprefix(_HEALTH)), health=True, at=at)
    elif key.startswith(_IGNORED):
        yield Customization(_kind(key.removeprefix(_IGNORED)), ignored=_parsed(node.text), at=at)
    elif key == _COMBINED:
        for name, value in _parsed(node.text).items():
            rule = value if isinstance(value, dict) else {}
            ignored = rule.get("ignoreDifferences")
            kind = name if "/" in name else f"/{name}"
            parsed = _parsed(ignored) if isinstance(ignored, str) else None
            yield Customization(kind, "health.lua" in rule, parsed, at)
    elif key == _OPERATOR_HEALTH:
        for check in node:
            kind = f"{check['group'].text}/{check['kind'].text}"
            yield Customization(kind, health=True, at=check["kind"] if at is node else at)
    elif key == _OPERATOR_IGNORED:
        yield from _of_operator(node, None if at is node else at)


def _of_operator(node: Node, text: Node | None) -> Iterator[Customization]:
    if node["all"].is_mapping:
        yield Customization(EVERYTHING, ignored=node["all"].value, at=text or node["all"])
    for one in node["resourceIdentifiers"]:
        ignored = one["customization"].value
        if isinstance(ignored, dict):
            group, kind = one.texts("group", "kind")
            yield Customization(f"{group}/{kind}", ignored=ignored, at=text or one["customization"])


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
