"""The git generator: a set of parameters for each folder, or for each file's content."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from ...dialects.generator_globs import BadPattern, matches_file, matches_folder
from ...dialects.generator_selectors import flattened
from ...dialects.go_template import go_paths
from ...dialects.go_template.blanks import Blank, OpenMap, is_blank
from ...dialects.go_template.encodings import read_yaml
from ...dialects.go_template.go_values import StringList, StringMap, Value, from_json, plain
from ...dialects.go_template.safe_names import normalized
from ...dialects.go_template.template_errors import TemplateError
from ...dialects.spelling import is_placeholder
from ...dialects.value_globs import TooMuch, expand
from ...facts.regexes import regex
from .generator_context import Context, GeneratorFailed, NotKnown, Parameters, ProblemKind

_PINNED: Final = regex(r"[0-9a-f]{7,40}|v?\d+\.\d+(?:\.\d+)?(?:[-+].*)?")
_WORD_TO_FILL_IN: Final = regex(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")


def from_git(git: dict[str, Value], pointer: str, context: Context) -> list[Parameters]:
    url, revision = plain(git.get("repoURL") or ""), plain(git.get("revision") or "")
    folders, files = _patterns(git.get("directories")), _patterns(git.get("files"))
    if not folders and not files:
        raise GeneratorFailed("a git generator needs directories or files", pointer)
    blank = next((pattern for _, pattern, _ in (*folders, *files) if context.is_open and is_blank(pattern)), None)
    if blank is not None:
        raise NotKnown(f"the path {blank} is filled in with what is not known", pointer)
    foreign = next((pattern for _, pattern, _ in (*folders, *files) if is_placeholder(pattern)), None)
    if foreign is not None:
        raise NotKnown(f"another tool fills in the path {foreign}", pointer)
    if not context.is_this_repo(url) or context.others.is_brought(url):
        other = context.others.find(url, revision, pointer)
        if other is None:
            words = context.others.why_not(f"reads the repository {url}, which is not this one")
            raise NotKnown(words, f"{pointer}/repoURL")
        context = replace(context, tree=other)
    elif _PINNED.fullmatch(revision):
        raise NotKnown(f"reads the revision {revision}, not the files that are checked out", f"{pointer}/revision")
    word = next((word for _, pattern, _ in (*folders, *files) if (word := _to_fill_in(pattern, context))), None)
    if word is not None:
        raise NotKnown(f"the path has {word} for somebody to fill in", pointer)
    values = git.get("values")
    prefix = plain(git.get("pathParamPrefix") or "")
    if folders:
        chosen = _folders(folders, f"{pointer}/directories", context)
        found = [_of_path(path, "", prefix, context.go) for path in chosen]
    else:
        found = [
            parameters
            for path in _files(files, f"{pointer}/files", context)
            for parameters in _of_file(path, prefix, pointer, context)
        ]
    for parameters in found:
        add_values(values, parameters, context)
    return found


def _to_fill_in(pattern: str, context: Context) -> str | None:
    """A part of a path like CLUSTER_NAME, unless there is such a folder."""
    words = {part for part in pattern.split("/") if _WORD_TO_FILL_IN.fullmatch(part)}
    return min(words.difference(*(path.split("/") for path in context.folders)), default=None) if words else None


def _patterns(items: Value) -> list[tuple[int, str, bool]]:
    """Index, pattern, and whether it excludes."""
    return [
        (index, plain(item.get("path") or ""), item.get("exclude") is True)
        for index, item in enumerate(items if isinstance(items, list) else ())
        if isinstance(item, dict)
    ]


def _folders(patterns: list[tuple[int, str, bool]], pointer: str, context: Context) -> list[str]:
    context.renderer.budget.spend(1 + len(patterns) * len(context.folders) // 10)
    chosen: dict[str, None] = {}
    excluded: set[str] = set()
    for index, pattern, exclude in patterns:
        place = f"{pointer}/{index}/path"
        if "**" in pattern:
            context.report(ProblemKind.DOUBLE_STAR, f"in {pattern!r} each ** stands for one folder, as * does", place)
        matching = _matching_folders(pattern, context)
        if exclude:
            excluded.update(matching)
        else:
            context.matched[place] = context.matched.get(place, False) or bool(matching)
            chosen.update(dict.fromkeys(matching))
    return [path for path in context.folders if path in chosen and path not in excluded]


def _matching_folders(pattern: str, context: Context) -> list[str]:
    try:
        return [path for path in context.folders if matches_folder(pattern, path)]
    except BadPattern:
        return []  # Argo CD writes it to its log and goes on


def _files(patterns: list[tuple[int, str, bool]], pointer: str, context: Context) -> list[str]:
    context.renderer.budget.spend(1 + len(patterns) * len(context.files) // 10)
    chosen: set[str] = set()
    excluded: set[str] = set()
    for index, pattern, exclude in patterns:
        place = f"{pointer}/{index}/path"
        if pattern.startswith(("/", "../")) or not pattern:
            raise GeneratorFailed(f"git refuses the path {pattern!r}: it is not in the repository", place)
        if pattern.startswith(":") or "[[:" in pattern:
            raise NotKnown(f"the path {pattern!r} is more than a simple pattern", place)
        try:
            matching = _matching_files(pattern, context)
        except BadPattern:
            matching = []
        if exclude:
            excluded.update(matching)
        else:
            context.matched[place] = context.matched.get(place, False) or bool(matching)
            chosen.update(matching)
    return sorted(chosen - excluded)


def _matching_files(pattern: str, context: Context) -> list[str]:
    if not context.controller.new_globbing:
        return [path for path in context.files if matches_file(pattern, path)]
    try:
        return expand(pattern, context.files)[0]
    except TooMuch:
        raise NotKnown(f"the path {pattern!r} has too many meanings", "") from None


def _of_file(path: str, prefix: str, pointer: str, context: Context) -> list[Parameters]:
    """One set for a map, one for each map of a list; an empty file counts as an empty map."""
    text = context.tree.read(path)
    if text is None:
        raise NotKnown(f"the file {path} cannot be read", f"{pointer}/files")
    context.renderer.budget.spend(1 + len(text) // 1000)
    try:
        content = from_json(read_yaml(text))
    except TemplateError as error:
        message = f"unable to process file '{path}': unable to parse file: {error}"
        raise GeneratorFailed(message, f"{pointer}/files") from None
    items = content if isinstance(content, list) else [content]
    found: list[Parameters] = []
    for item in items:
        if item is not None and not isinstance(item, dict):
            raise GeneratorFailed(f"unable to process file '{path}': it holds no map", f"{pointer}/files")
        own: Parameters = dict(item or {}) if context.go else dict(flattened(item or {}))
        found.append(own | _of_path(go_paths.parent(path), go_paths.base(path), prefix, context.go))
    return found


def _of_path(path: str, filename: str, prefix: str, go: bool) -> Parameters:
    """The parameters that a folder gives, or a file in it."""
    named: Parameters = {"basename": go_paths.base(path), "basenameNormalized": normalized(go_paths.base(path))}
    if filename:
        named |= {"filename": filename, "filenameNormalized": normalized(filename)}
    segments = StringList(path.split("/"))
    if go:
        whole: Value = {"path": path, **named, "segments": segments}
        return {prefix: {"path": whole}} if prefix else {"path": whole}
    name = f"{prefix}.path" if prefix else "path"
    numbered = {f"{name}[{index}]": segment for index, segment in enumerate(segments) if segment}
    return {name: path, **{f"{name}.{key}": value for key, value in named.items()}, **numbered}


def add_values(values: Value, parameters: Parameters, context: Context) -> None:
    """The generator's own values, templates over the parameters so far but not over each other."""
    if not isinstance(values, dict) or not values:
        return
    rendered: dict[str, Value] = {
        key: _marked(context.renderer.text(plain(value), parameters), context) for key, value in values.items()
    }
    if context.go:
        parameters["values"] = StringMap(rendered)
    else:
        parameters |= {f"values.{key}": value for key, value in rendered.items()}


def _marked(text: str, context: Context) -> Value:
    """One with a blank in it is not known, and is printed as it is."""
    return Blank("values", text=text) if context.is_open and context.go and is_blank(text) else text


def unknown_sets(body: dict[str, Value], context: Context, reason: NotKnown) -> list[Parameters]:
    """In place of what a generator would give: nothing is known of it but its own values."""
    if not context.is_open:
        raise reason
    parameters: Parameters = OpenMap() if context.go else {}
    add_values(body.get("values"), parameters, context)
    return [parameters]
