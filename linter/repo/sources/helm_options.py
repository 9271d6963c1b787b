"""From a source of an Application to what Argo CD asks of Helm, or why that cannot be known."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from ...argocd.applications import Application, Source
from ...argocd.build_environment import NotKnown, substituted
from ...argocd.source_references import named_sources
from ...facts.regexes import regex
from ...facts.versions import Versions
from ...helm.helm_request import Request, three_numbers
from ...helm.run.lent_dependencies import ChartFiles
from ...helm.sealed_values import unsealed
from .given_values import Given
from .value_files import VALUE_FILES, AtAddress, OptionProblem, Refs, Trouble, ValueFiles

GLOBS: Final = "value-file-globs"
_PLACEHOLDER: Final = "{{"
_KUBE_VERSION: Final = regex(r"\s*v?\d+\.\d+")
_PLAIN: Final = ("releaseName", "namespace", "kubeVersion")


class Asked(NamedTuple):
    """What the helm block of a source comes to."""

    request: Request | None
    """None when the outcome cannot be known, or Argo CD fails; the problems say why."""
    problems: tuple[OptionProblem, ...]
    value_files: tuple[str, ...]
    """Those that are here, in order, whatever is wrong with others."""
    guessed: tuple[str, ...] = ()
    """Keys of values that are encrypted and for which no placeholder can stand."""


def request_for(
    source: Source,
    application: Application,
    chart: str,
    files: ChartFiles,
    ref_roots: Mapping[str, str | None],
    versions: Versions,
    *,
    root: str | None = ".",
    api_versions: Sequence[str] = (),
    is_template: bool = False,
    at_address: AtAddress = lambda pointer, address: None,
) -> Asked:
    """`chart` is the folder of the source; `root` the folder that Argo CD takes for
    the root of the repository, None if that is another one. `ref_roots` has for the ref of every source that
    is this repository its root, and None for one that is elsewhere. `api_versions`
    are those of the cluster, if anybody knows. With `is_template` the Application
    still has the placeholders of its ApplicationSet, in its values too. `at_address`
    knows the files that were brought from addresses.
    """
    helm = source.tool("helm")
    problems = [
        OptionProblem(Trouble.NOT_KNOWN, f"/helm/{name}", text)
        for name in _PLAIN
        if _PLACEHOLDER in (text := _text(helm.get(name)))
    ]
    release = _text(helm.get("releaseName")) or application.name
    namespace = _text(helm.get("namespace")) or application.destination.namespace
    if _PLACEHOLDER in f"{release}{namespace}" and not problems:
        problems.append(OptionProblem(Trouble.NOT_KNOWN, "", f"{release} {namespace}"))
    variables = _variables(source, application)
    has_globs = not versions.lacks(GLOBS)
    finder = ValueFiles(files, chart, root, _refs(application, ref_roots), variables, has_globs, at_address)
    value_files, more = _value_files(helm, finder)
    problems += more
    values, more = _inline(Given(application, source), is_template)
    problems += more
    parameters, more = _parameters(helm, variables, is_template)
    problems += more
    set_file, more = _file_parameters(helm, finder)
    problems += more
    kube_version, more = _kube_version(helm, versions)
    problems += more
    if problems:
        return Asked(None, tuple(problems), tuple(value_files))
    listed = tuple(_text(one) for one in _list(helm.get("apiVersions")) if _text(one))
    request = Request(
        chart=chart,
        release=release,
        namespace=namespace,
        value_files=tuple(value_files),
        values=values,
        set=parameters[False],
        set_string=parameters[True],
        set_file=set_file,
        kube_version=kube_version,
        api_versions=listed or tuple(api_versions),
        include_crds=helm.get("skipCrds") is not True,
        skip_tests=helm.get("skipTests") is True,
        skip_schema_validation=helm.get("skipSchemaValidation") is True,
    )
    opened = (unsealed(files, path) for path in value_files)
    guessed = tuple(key for one in opened if one is not None for key in one.guessed)
    return Asked(request, (), request.value_files, guessed)


def _variables(source: Source, application: Application) -> dict[str, str]:
    return {
        "ARGOCD_APP_NAME": application.name,
        "ARGOCD_APP_NAMESPACE": application.destination.namespace,
        "ARGOCD_APP_PROJECT_NAME": application.project,
        "ARGOCD_APP_SOURCE_REPO_URL": source.repo_url,
        "ARGOCD_APP_SOURCE_PATH": source.path,
        "ARGOCD_APP_SOURCE_TARGET_REVISION": source.target_revision,
    }


def _refs(application: Application, roots: Mapping[str, str | None]) -> Refs:
    named = named_sources(application.sources)
    charts = frozenset(name for name, source in named.items() if source.chart)
    several = any(source.pointer.startswith("/spec/sources/") for source in application.sources)
    return Refs(several, charts, {name: roots.get(name) for name in named})


def _inline(given: Given, is_template: bool) -> tuple[str, list[OptionProblem]]:
    helm = given.source.tool("helm")
    value = helm.get("valuesObject")
    pointer = f"/helm/{'values' if value is None else 'valuesObject'}"
    text = _text(helm.get("values")) if value is None else json.dumps(value, ensure_ascii=False)
    if is_template and _PLACEHOLDER in text:
        return "", [OptionProblem(Trouble.NOT_KNOWN, pointer, text)]
    if isinstance(value, Mapping):
        return text, []
    found = given.inline()
    wrong = "it is no mapping" if value is not None else found.problem if found is not None else ""
    return (text, []) if not wrong else ("", [OptionProblem(Trouble.BAD_VALUES, pointer, text, detail=wrong)])


def _parameters(
    helm: Mapping[str, Any], variables: Mapping[str, str], is_template: bool
) -> tuple[dict[bool, tuple[tuple[str, str], ...]], list[OptionProblem]]:
    """By forceString. Of those with one name the last counts; Argo CD gives them in no order, and Helm needs one."""
    found: dict[bool, dict[str, str]] = {False: {}, True: {}}
    problems: list[OptionProblem] = []
    for index, parameter in enumerate(_list(helm.get("parameters"))):
        if not isinstance(parameter, Mapping):
            continue
        text = _text(parameter.get("value"))
        pointer = f"/helm/parameters/{index}/value"
        try:
            if is_template and _PLACEHOLDER in text:
                raise NotKnown("")
            value = substituted(text, variables)
        except NotKnown as variable:
            problems.append(OptionProblem(Trouble.NOT_KNOWN, pointer, text, detail=str(variable)))
            continue
        found[parameter.get("forceString") is True][_text(parameter.get("name"))] = value
    return {forced: tuple(sorted(pairs.items())) for forced, pairs in found.items()}, problems


def _value_files(helm: Mapping[str, Any], finder: ValueFiles) -> tuple[list[str], list[OptionProblem]]:
    entries = [(f"{VALUE_FILES}/{index}", _text(one)) for index, one in enumerate(_list(helm.get("valueFiles")))]
    return finder.resolve(entries, helm.get("ignoreMissingValueFiles") is True)


def _file_parameters(
    helm: Mapping[str, Any], finder: ValueFiles
) -> tuple[tuple[tuple[str, str], ...], list[OptionProblem]]:
    found: dict[str, str] = {}
    problems: list[OptionProblem] = []
    for index, parameter in enumerate(_list(helm.get("fileParameters"))):
        if isinstance(parameter, Mapping):
            path, more = finder.resolve_one(f"/helm/fileParameters/{index}/path", _text(parameter.get("path")))
            problems += more
            found[_text(parameter.get("name"))] = path
    return tuple(sorted(found.items())), problems


def _kube_version(helm: Mapping[str, Any], versions: Versions) -> tuple[str, list[OptionProblem]]:
    text = _text(helm.get("kubeVersion"))
    if not text:
        return (f"{versions.kubernetes}.0" if versions.kubernetes else ""), []
    if _PLACEHOLDER in text or _KUBE_VERSION.match(text):
        return three_numbers(text), []
    return "", [OptionProblem(Trouble.BAD_VERSION, "/helm/kubeVersion", text)]


def _list(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list) else ()


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
