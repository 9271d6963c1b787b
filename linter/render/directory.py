"""A folder of plain manifests, exactly as Argo CD reads one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any, Final, NamedTuple

from ..resource import Resource
from ..source import Document, SourceFile
from ..versions import Versions
from .tree import Tree

EXTENSIONS: Final = (".yaml", ".yml", ".json")
JSONNET: Final = (".jsonnet", ".libsonnet")
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


def read_directory(tree: Tree, folder: str, options: Mapping[str, Any], versions: Versions) -> Directory:
    recurse = options.get("recurse") is True
    paths = tree.below(folder) if recurse else tree.in_folder.get(folder, [])
    include, exclude = _text(options.get("include")), _text(options.get("exclude"))
    resources: list[Resource] = []
    files: list[str] = []
    failures: list[Failure] = []
    templates: list[str] = []
    size = 0
    for path in paths:
        relative = path if folder == "." else path[len(folder) + 1 :]
        if not path.endswith(EXTENSIONS) or not _is_included(relative, include, exclude):
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
        if _is_included(path if folder == "." else path[len(folder) + 1 :], include, exclude):
            failures.append(Failure(path, "JSON that is no manifest"))
    if size > MAX_COMBINED:  # in characters, so never too early
        failures.append(Failure(folder, f"{size / 1024**2:.0f} MB of manifests; Argo CD takes 10 MB by default"))
    return Directory(tuple(resources), tuple(files), tuple(failures), tuple(templates))


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
    if exclude and glob(exclude).fullmatch(path):
        return False
    return not include or glob(include).fullmatch(path) is not None


@cache
def glob(pattern: str) -> re.Pattern[str]:
    """gobwas's globs without separators: ``*`` goes through slashes, ``{a,b}`` chooses."""
    out, at, depth = [], 0, 0
    while at < len(pattern):
        char = pattern[at]
        if char == "*":
            out.append(".*")
            while pattern.startswith("*", at + 1):
                at += 1
        elif char == "?":
            out.append(".")
        elif char == "\\" and at + 1 < len(pattern):
            at += 1
            out.append(re.escape(pattern[at]))
        elif char == "{":
            depth += 1
            out.append("(?:")
        elif char == "}" and depth:
            depth -= 1
            out.append(")")
        elif char == "," and depth:
            out.append("|")
        elif char == "[" and (end := pattern.find("]", at + 2)) > 0:
            members = pattern[at + 1 : end].replace("\\", "\\\\")
            out.append(f"[^{members[1:]}]" if members[0] == "!" else f"[{members}]")
            at = end
        else:
            out.append(re.escape(char))
        at += 1
    try:
        return re.compile("".join(out) + ")" * depth, re.DOTALL)
    except re.error:
        return re.compile(re.escape(pattern))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
