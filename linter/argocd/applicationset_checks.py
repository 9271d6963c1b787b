"""What goes wrong in an ApplicationSet without any error, or whatever its parameters are."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from ..dialects.go_template import fasttemplate, gotemplate
from ..dialects.go_template.go_values import NO_VALUE, Value, plain
from ..dialects.go_template.template_errors import CannotEvaluate, ParseError, TemplateError
from ..facts.regexes import regex
from .application_places import PATCH, TEMPLATE, Map, as_list, as_map, texts
from .generators.combine import generators_of
from .generators.generator_context import Parameters, ProblemKind

Report = Callable[[ProblemKind, str, str], None]

_DNS_NAME: Final = regex(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*")
_EXPONENT: Final = regex(r"\d(?:\.\d+)?e[+-]\d\d+")
_GO_TAG: Final = regex(r"-?\s*\.\w")
_PLAIN_TAG: Final = regex(r"\w[\w.\[\]/-]*")


def check_syntax(spec: Map, go: bool, report: Report) -> None:
    for pointer, text in _templates(spec):
        if "{{" in text and go:
            _check_go(text, pointer, report)
        elif "{{" in text:
            _check_plain(text, pointer, report)


def _templates(spec: Map) -> Iterator[tuple[str, str]]:
    yield from texts(spec.get("template"), TEMPLATE)
    yield from texts(spec.get("templatePatch"), PATCH)
    for index, item in enumerate(as_list(spec.get("generators"))):
        for name in generators_of(as_map(item)):
            for key in ("template", "values"):
                yield from texts(as_map(as_map(item)[name]).get(key), f"/spec/generators/{index}/{name}/{key}")


def _check_go(text: str, pointer: str, report: Report) -> None:
    try:
        gotemplate.check(text)
    except CannotEvaluate:
        return
    except ParseError as error:
        kind = ProblemKind.SYNTAX_MISMATCH if _is_plain_style(text, str(error)) else ProblemKind.TEMPLATE_ERROR
        report(kind, f"failed to parse template {text}: {error}", pointer)


def _is_plain_style(text: str, error: str) -> bool:
    """``{{path}}``, ``{{path.basename}}`` and ``{{path[0]}}`` are no calls of functions."""
    undefined = re.search(r'function "(\w+)" not defined', error)
    if undefined:
        return re.search(rf"\{{\{{\s*{undefined[1]}[\w.]*\s*\}}\}}", text) is not None
    return "bad character U+005B" in error


def _check_plain(text: str, pointer: str, report: Report) -> None:
    try:
        tags = fasttemplate.tags(text)
    except TemplateError as error:
        report(ProblemKind.TEMPLATE_ERROR, str(error), pointer)
        return
    written = next((tag for tag in tags if _GO_TAG.match(tag)), None)
    if written is not None:
        message = f"{{{{{written}}}}} is Go template syntax; with goTemplate off it stays in the text as it is"
        report(ProblemKind.SYNTAX_MISMATCH, message, pointer)


def check_placeholders(written: Map, parameters: Parameters, where: Callable[[str], str], report: Report) -> None:
    """With goTemplate off: names between braces that no parameter has."""
    if not parameters:
        return
    for pointer, text in texts(written, ""):
        for tag in fasttemplate.tags(text) if "{{" in text else ():
            if _PLAIN_TAG.fullmatch(tag) and not isinstance(parameters.get(tag), str):
                message = f"no generator gives {tag!r} as a text; {{{{{tag}}}}} stays as it is"
                report(ProblemKind.UNKNOWN_PARAMETER, message, where(pointer))


def check_results(value: Map, parameters: Parameters, where: Callable[[str], str], report: Report) -> None:
    """With goTemplate on: keys that were not there, and numbers that came out with an exponent."""
    for pointer, text in texts(value, ""):
        if NO_VALUE in text:
            message = f"a key that is not among the parameters was printed: {text[:80]!r}"
            report(ProblemKind.NO_VALUE, message, where(pointer))
        exponents = _EXPONENT.findall(text) if "e+" in text or "e-" in text else []
        for number in exponents:
            if number in set(_exponents(parameters)):
                message = f"a number without quotes is printed as {number}"
                report(ProblemKind.EXPONENT, message, where(pointer))


def _exponents(value: Value) -> Iterator[str]:
    if isinstance(value, float):
        yield plain(value)
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for item in items:
        yield from _exponents(item)


def is_refused(name: str) -> bool:
    """Whether the API server makes no Application of this name; nobody can tell of one with blanks."""
    return _is_known(name) and (len(name) > 253 or not _DNS_NAME.fullmatch(name))


def _is_known(name: str) -> bool:
    return "{{" not in name and NO_VALUE not in name


def check_names(names: Iterable[tuple[str, str]], report: Report) -> None:
    """Names with the places that they come from."""
    seen: set[str] = set()
    for name, pointer in names:
        if not _is_known(name):
            continue  # has been said already
        if not name:
            report(ProblemKind.EMPTY_NAME, "'' is not a valid name for an Application", pointer)
        elif name in seen:
            report(ProblemKind.DUPLICATE_NAME, f"the set contains applications with duplicate name: {name}", pointer)
        elif is_refused(name):
            report(ProblemKind.INVALID_NAME, f"{name!r} is not a valid name for an Application", pointer)
        seen.add(name)
