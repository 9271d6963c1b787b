"""Why a file is likely to be read by nobody, as far as its name and its neighbours tell."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from enum import Enum
from typing import Any, Final

from ..argocd.applications import GROUP
from ..argocd.unquoted_template import unquoted_template
from ..facts.file_names import KUSTOMIZATIONS
from ..facts.regexes import regex
from ..facts.tables import table
from ..kubernetes.resource import Resource
from ..yaml.source import SourceFile
from .tree import Tree

ARGO_KINDS: Final = frozenset(("Application", "ApplicationSet", "AppProject"))
_PATCH: Final = regex(r"(?:^|[/_.-])patch(?:es)?(?:[/_.-]|$)", re.IGNORECASE)
_WORD_BREAK: Final = regex(r"[-_. ]+")
_PATTERN: Final = regex(r"[-_.]template(?=\.)|^template[-_.]", re.IGNORECASE)
_MARK: Final = regex(r"\$\{\{|\{\{|\{%|%\{|<%|\$\{[A-Za-z_]|\$[A-Z_]{3,}|\{[A-Z_]{3,}\}")
_IDENTITY: Final = regex(rf"^\s*(?:name|namespace|kind|apiVersion):\s*['\"]?[^\s'\"]*(?:{_MARK.pattern})", re.MULTILINE)
_FOREIGN: Final = regex(
    r"\$\{\{\s*(?:values|parameters)\b|\{\{-?\s*cookiecutter\.|^\s*\{%|^\s*%\{|^\s*</?#[a-z]", re.MULTILINE
)
"""Backstage, cookiecutter, Jinja, Terraform and FreeMarker: no reader of manifests takes these for anything."""
_IN_FOREIGN: Final = ("${{", "cookiecutter.", "{%", "%{", "<#", "</#")
"""One of these is in whatever has a match: looking for them is a hundred times as fast."""


class Unread(Enum):
    """Why nobody applies a file; the value follows their number in reports: «1 in folders that …»."""

    LEFT_OUT = "beside a kustomization that does not name them"
    PASSED_OVER = "left out by a kustomization that names what lies beside them"
    EXCLUDED = "kept out by directory.include or exclude of the Application above them"
    COMMENTED_OUT = "commented out in a kustomization"
    PATCH = "as a patch that no kustomization names"
    CHART_DATA = "in a chart, as neither template nor definition"
    SKELETON = "for another template tool"
    SAMPLE = "as a test, a sample or the like"
    EXPORT = "as a copy out of a cluster"
    UNUSED = "in folders that no Application uses"


NEVER_APPLIED: Final = frozenset((Unread.CHART_DATA, Unread.SKELETON, Unread.SAMPLE, Unread.EXPORT))
"""What nobody means to apply; the others were applied once, or will be."""


class Suspicion:
    """What a file would be if nothing reads it; whether something does is not asked here."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._known: dict[str, Unread | None] = {}
        self._samples: dict[str, str] = {}

    def of(self, path: str) -> Unread | None:
        if path not in self._known:  # asked for every object, and a file may have hundreds
            self._known[path] = self._look_at(path)
        return self._known[path]

    def _look_at(self, path: str) -> Unread | None:
        if path in self._tree.commented_out:
            return Unread.COMMENTED_OUT
        return Unread.LEFT_OUT if path in self._tree.unnamed else self.by_itself(path)

    def by_itself(self, path: str) -> Unread | None:
        """Whatever kustomizations say of it, and leave unsaid."""
        if _PATCH.search(path) and not self._is_named(path):
            return Unread.PATCH
        if self._is_chart_data(path):
            return Unread.CHART_DATA
        if self.sample_folder(path):
            return Unread.SAMPLE
        if path in self._tree.in_charts or self._is_kustomization(path):
            return None
        if _is_sample(posixpath.basename(path)) or self._is_pattern(path):
            return Unread.SAMPLE
        if any(map(_is_export, self._tree.by_file.get(path, ()))):
            return Unread.EXPORT
        file = self._tree.sources.get(path)
        return Unread.SKELETON if file is not None and self._is_skeleton(file) else None

    def _is_named(self, path: str) -> bool:
        """Whether a kustomization names it, or it is one; a chart's templates are read by their folder."""
        tree = self._tree
        return (
            path in tree.not_objects
            or path in tree.kustomized
            or path in tree.in_charts
            or self._is_kustomization(path)
        )

    def _is_kustomization(self, path: str) -> bool:
        return posixpath.basename(path) in KUSTOMIZATIONS

    def _is_chart_data(self, path: str) -> bool:
        """What Helm does not read by itself, though a template may: known by its folder, or since it is no YAML yet.

        Objects beside Chart.yaml, too, unless they are Argo CD's: whoever renders the chart has none of them.
        """
        if self._is_beside_chart(path):
            return True
        parts = path.split("/")
        folders = [part for at, part in enumerate(parts[:-1]) if ("/".join(parts[:at]) or ".") in self._tree.charts]
        if not folders or path in self._tree.in_charts or self._is_kustomization(path):
            return False
        if any(part in _names()["chartFolders"] for part in folders):
            return True
        file = self._tree.sources.get(path)
        return file is not None and "{{" in file.text and bool(file.problems)

    def _is_beside_chart(self, path: str) -> bool:
        if (posixpath.dirname(path) or ".") not in self._tree.charts or self._is_named(path):
            return False
        return bool(self._tree.by_file.get(path)) and not any(self.argo_objects(path))

    def sample_folder(self, path: str) -> str:
        """The outermost folder on the way whose name says that it holds tests or samples; empty if none does."""
        folder = self._samples_above(posixpath.dirname(path))
        is_templates = folder.endswith("templates") and posixpath.basename(folder) == "templates"
        return "" if is_templates and path in self._tree.in_charts else folder

    def _samples_above(self, folder: str) -> str:
        """Of a folder, itself included; asked for every file, and a folder has many."""
        found = self._samples.get(folder)
        if found is None:
            above, _, name = folder.rpartition("/")
            found = self._samples[folder] = (above and self._samples_above(above)) or self._as_samples(folder, name)
        return found

    def _as_samples(self, folder: str, name: str) -> str:
        if is_of_tests(folder):
            return folder
        name = name.lower()
        words = set(_WORD_BREAK.split(name))
        is_sample = name in _names()["sampleFolders"] or not words.isdisjoint(_names()["sampleFolderWords"])
        return folder if is_sample and not self._is_environment(folder) else ""

    def _is_environment(self, folder: str) -> bool:
        """`overlays/test` is where things run."""
        above = posixpath.dirname(folder)
        if posixpath.basename(above).lower() in _names()["environmentsIn"]:
            return True
        return any(posixpath.join(above, name) in self._tree.folders for name in _names()["environments"])

    def _is_skeleton(self, file: SourceFile) -> bool:
        """Somebody fills it in before it is a manifest: its objects have no names yet."""
        if file.once(_is_foreign):
            return True
        objects = self._tree.by_file.get(file.path, ())
        if any(one.group == GROUP for one in objects):
            return False  # templates of sets, and Applications whose blanks are known to be such
        if unquoted_template(file) is not None:
            return False
        if file.problems or not objects:
            return file.mentions(_IDENTITY)
        return any(_is_blank(one) for one in objects)

    def _is_pattern(self, path: str) -> bool:
        """Whether its name says that it is to be copied, and the copy of the same object lies beside it."""
        folder, name = posixpath.split(path)
        copy = posixpath.join(folder, _PATTERN.sub("", name, count=1))
        made = {_identity(one) for one in self._tree.by_file.get(copy, ())} if copy != path else ()
        return bool(made) and any(_identity(one) in made for one in self._tree.by_file.get(path, ()))

    def argo_objects(self, path: str) -> Iterator[str]:
        """Kinds of what only Argo CD takes."""
        return (one.kind for one in self._tree.by_file.get(path, ()) if is_for_argo(one))


def is_for_argo(resource: Resource) -> bool:
    """Not the Application of somebody else: several have that kind."""
    return resource.group == GROUP and resource.kind in ARGO_KINDS


def is_of_tests(folder: str) -> bool:
    """Whether the name of a folder of samples says that they are the data of tests."""
    return posixpath.basename(folder).lower() in _names()["testFolders"]


def _is_foreign(file: SourceFile) -> bool:
    """Whether it is written in the language of another template tool."""
    return any(mark in file.text for mark in _IN_FOREIGN) and _FOREIGN.search(file.text) is not None


def _is_export(resource: Resource) -> bool:
    """Whether it is what a cluster said of an Application: nobody who writes one gives it a uid and a status."""
    return is_for_argo(resource) and resource.metadata["uid"].present and resource["status"].present


def _is_blank(resource: Resource) -> bool:
    """Whether its name or namespace is to be filled in; braces without quotes are read as a mapping."""
    named = (resource.metadata["name"], resource.metadata["namespace"])
    return any(_MARK.search(one.text) is not None or one.is_mapping for one in named)


def _identity(resource: Resource) -> tuple[str, str, str]:
    return resource.group_kind, resource.namespace, resource.name


def _is_sample(name: str) -> bool:
    return not set(_WORD_BREAK.split(name.lower())).isdisjoint(_names()["sampleNames"])


def _names() -> Any:
    return table("reach.json")
