"""What Argo CD would ask Helm for, and the words in which it asks."""

from __future__ import annotations

from typing import Final, NamedTuple

from ..facts.regexes import regex

_VERSION: Final = regex(r"\s*v?(\d+(?:\.\d+)+)")
_UNESCAPED_COMMA: Final = regex(r"(?<!\\),")
_SPLITS_A_LIST: Final = regex(r'[,"\r\n]')


class Request(NamedTuple):
    """What Argo CD, or Kustomize for it, would ask Helm for. Paths count from the root of the repository."""

    chart: str
    """Folder of the chart, ``.`` for the root."""
    release: str
    namespace: str = ""
    value_files: tuple[str, ...] = ()
    """In order, existing files of the repository."""
    values: str = ""
    """Inline values as YAML text, after the files; from Kustomize, before them."""
    set: tuple[tuple[str, str], ...] = ()
    """Parameters."""
    set_string: tuple[tuple[str, str], ...] = ()
    """With forceString."""
    set_file: tuple[tuple[str, str], ...] = ()
    """Name, path of a file of the repository."""
    kube_version: str = ""
    api_versions: tuple[str, ...] = ()
    include_crds: bool = True
    skip_tests: bool = False
    skip_schema_validation: bool = False
    skip_hooks: bool = False
    values_first: bool = False


def arguments(request: Request, inline: str = "") -> tuple[str, ...]:
    """In the order in which Argo CD gives them; `inline` is the path of the file that holds the inline values.

    Paths begin with ``./``: Helm takes other ones for the name of a chart in a
    repository, a bare ``-`` for its standard input, and some for addresses.
    """
    words = ["template", f"./{request.chart}", "--name-template", request.release]
    if request.namespace:
        words += ["--namespace", request.namespace]
    if request.kube_version:
        words += ["--kube-version", three_numbers(request.kube_version)]
    for option, pairs in (("--set", request.set), ("--set-string", request.set_string)):
        for name, value in pairs:
            words += [option, f"{name}={escaped(value)}"]
    for name, path in request.set_file:
        words += ["--set-file", f"{name}={escaped(f'./{path}')}"]
    values = [f"./{path}" for path in request.value_files]
    if request.values:
        values = [inline, *values] if request.values_first else [*values, inline]
    for path in values:
        words += ["--values", path]
    for version in request.api_versions:
        words += ["--api-versions", version]
    if request.include_crds:
        words.append("--include-crds")
    if request.skip_schema_validation:
        words.append("--skip-schema-validation")
    if request.skip_tests:
        words.append("--skip-tests")
    if request.skip_hooks:
        words.append("--no-hooks")
    return tuple(words)


def escaped(value: str) -> str:
    """Helm ends a value at a comma; a list in braces needs its commas."""
    if value.startswith("{") and value.endswith("}"):
        return value
    return _UNESCAPED_COMMA.sub(r"\\,", value)


def three_numbers(version: str) -> str:
    """``v1.33-eks`` → ``1.33.0``: Argo CD gives Helm the numbers alone. What is no version stays as it is."""
    found = _VERSION.match(version)
    if not found:
        return version
    numbers = found[1].split(".")
    return ".".join([*numbers, "0"] if len(numbers) == 2 else numbers)


def objection(request: Request) -> str:
    """Why Helm must not be asked this: it would do something else than take the words as they stand."""
    if "{{" in request.release:
        return "the release name is a template, and Helm would run it"
    named = (name for pairs in (request.set, request.set_string, request.set_file) for name, _ in pairs)
    for word in (request.release, request.namespace, request.kube_version, *request.api_versions, *named):
        if word.startswith("-"):
            # Helm looks for global options once before it knows which words are the values of others.
            return f"{word} looks like an option of Helm"
    for path in (request.chart, *request.value_files, *(path for _, path in request.set_file)):
        if path.startswith("/") or ".." in path.split("/"):
            return f"{path} leads out of the repository"
    for path in request.value_files:
        if _SPLITS_A_LIST.search(path):
            return f"Helm cannot be given the value file {path!r}: a comma or a quote in the path ends it"
    for name, _ in request.set_file:
        if _UNESCAPED_COMMA.search(name) or "=" in name:
            return f"the file parameter {name!r} has a comma or an equals sign in its name"
    return ""
