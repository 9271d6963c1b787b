"""A folder of plain manifests, exactly as Argo CD reads one."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any, Final, NamedTuple
from weakref import WeakKeyDictionary

from ...facts.versions import Versions
from ...kubernetes.resource import Resource
from ...yaml.source import EXTENSIONS, Document, SourceFile
from ..tree import Tree

SKIP_MARKER: Final = "+argocd:skip-file-rendering"
MANIFEST_WORDS: Final = ("apiVersion:", "kind:", "metadata:")
MAX_COMBINED: Final = 10 * 1024 * 1024


class Failure(NamedTuple):
    """Why Argo CD cannot generate the manifests."""

    path: str
    reason: str


class Directory(NamedTuple):
    resources: tuple[Resource, ...]
    files: tuple[str, ...]
    failures: tuple[Failure, ...]
    templates: tuple[str, ...]
    """Helm templates in the folder; Argo CD would try to read them as they are."""
    jsonnet: tuple[str, ...]
    """Programs in it, whose objects are not known here."""


_READ: Final[WeakKeyDictionary[Tree, dict[Hashable, Directory]]] = WeakKeyDictionary()


def read_directory(tree: Tree, folder: str, options: Mapping[str, Any], versions: Versions) -> Directory:
    """Once for all Applications that read it alike."""
    include, exclude = _text(options.get("include")), _text(options.get("exclude"))
    key = (folder, options.get("recurse") is True, include, exclude, versions)
    read = _READ.setdefault(tree, {})
    if key not in read:
        read[key] = _read(tree, *key)
    return read[key]


def _read(tree: Tree, folder: str, recurse: bool, include: str, exclude: str, versions: Versions) -> Directory:
    paths = tree.below(folder) if recurse else tree.in_folder.get(folder, [])
    resources: list[Resource] = []
    files: list[str] = []
    failures: list[Failure] = []
    templates: list[str] = []
    size, begin = 0, 0 if folder == "." else len(folder) + 1
    for path in paths:
        if not path.endswith(EXTENSIONS) or not _is_included(path[begin:], include, exclude):
            continue
        if path in tree.templates:
            templates.append(path)
            continue
        file = tree.sources[path]
        if SKIP_MARKER in file.text and not versions.lacks("skip-file-marker"):
            continue
        size += len(file.text)
        failure = _failure(file)
        if failure:
            failures.append(Failure(path, failure))
        elif tree.by_file.get(path):
            files.append(path)
            resources += tree.by_file[path]
    for path in tree.other_json(folder, recurse=recurse):
        if _is_included(path[begin:], include, exclude):
            failures.append(Failure(path, "JSON that is no manifest"))
    programs = tree.jsonnet(folder, recurse=recurse)
    jsonnet = tuple(path for path in programs if _is_included(path[begin:], include, exclude))
    if size > MAX_COMBINED:  # in characters, so never too early
        failures.append(Failure(folder, f"{size / 1024**2:.0f} MB of manifests; Argo CD takes 10 MB by default"))
    return Directory(tuple(resources), tuple(files), tuple(failures), tuple(templates), jsonnet)


class KeptOut(NamedTuple):
    excluded: list[str]
    """What somebody wrote down to be left alone."""
    not_included: list[str]


def kept_out(tree: Tree, folder: str, options: Mapping[str, Any]) -> KeptOut:
    """Files of the folder, and of those in it, that its Application would read without `include` and `exclude`."""
    include, exclude = _text(options.get("include")), _text(options.get("exclude"))
    found = KeptOut([], [])
    for path in tree.below(folder) if include or exclude else ():
        name = path if folder == "." else path[len(folder) + 1 :]
        if not _is_included(name, "", exclude):
            found.excluded.append(path)
        elif options.get("recurse") is True and not _is_included(name, include, ""):
            found.not_included.append(path)
    return found


def _failure(file: SourceFile) -> str:
    """A document without a kind, or that does not parse, fails everything, unless the file is no manifest at all."""
    broken = [problem for problem in file.problems if not problem.unreadable]
    kindless = [d for d in file.documents if not d.root["kind"].text and not _is_empty(d)]
    if not broken and not kindless:
        return ""
    looks_like_one = all(word in file.text for word in MANIFEST_WORDS)
    if not looks_like_one and not any(document.root["kind"].text for document in file.documents):
        return ""
    return f"does not parse: {broken[0].message}" if broken else "a document has no kind"


def _is_empty(document: Document) -> bool:
    return not document.root.is_mapping and not document.root.is_sequence and document.root.value in (None, "")


def _is_included(path: str, include: str, exclude: str) -> bool:
    if not include and not exclude:
        return True
    from ...dialects.project_patterns import matches_glob  # few Applications have either

    if exclude and matches_glob(exclude, path):
        return False
    return not include or matches_glob(include, path)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
