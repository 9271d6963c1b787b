"""ApplicationSets, expanded offline: which Applications the controller would make of the files as they are.

What depends on a cluster or on another repository is reported as unresolved;
what stops the controller, or makes it do what nobody meant, as a problem.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from ..dialects.go_template import gotemplate
from ..dialects.go_template.blanks import Blank
from ..dialects.go_template.budget import FOR_A_SET, Budget
from ..dialects.go_template.evaluate import MissingKey
from ..dialects.go_template.go_values import Value, plain
from ..dialects.go_template.template_errors import CannotEvaluate, TemplateError
from ..dialects.spelling import is_placeholder
from .application_places import PATCH, Map, Sources, as_list, as_map, at
from .application_template import ApplicationTemplate, NotEvaluated, TemplateFailed
from .applicationset_checks import check_names, check_placeholders, check_results, check_syntax, is_refused
from .generators.combine import generators_of, known_generators, names_given, transform
from .generators.generator_context import (
    NO_OTHERS,
    Context,
    Controller,
    GeneratorFailed,
    NotKnown,
    OtherTrees,
    Parameters,
    Problem,
    ProblemKind,
    Renderer,
    Tree,
    Unresolved,
)
from .generators.git_generator import add_values

__all__ = [
    "Controller",
    "Expansion",
    "Generated",
    "OtherTrees",
    "Problem",
    "ProblemKind",
    "Tree",
    "Unresolved",
    "expand",
]

_OF_THE_TEXT: Final = frozenset(
    (ProblemKind.SYNTAX_MISMATCH, ProblemKind.UNKNOWN_GENERATOR, ProblemKind.UNKNOWN_OPTION, ProblemKind.DOUBLE_STAR)
)
"""What is wrong whatever the generators give."""
Supplied = Mapping[str, Sequence[Mapping[str, Value]]]


@dataclass(frozen=True, eq=False)
class Generated:
    """One Application as the controller would create it."""

    value: Map
    parameters: Parameters
    generator: str
    """The pointer of the item of spec.generators that it comes from."""
    sources: Sources
    patched: frozenset[str]
    """The pointers in the Application that templatePatch has set."""
    is_open: bool = False
    """It stands for all that the set makes of what is not known, such as clusters; its name may have blanks."""

    @property
    def name(self) -> str:
        return plain(at(self.value, "metadata", "name") or "")

    def origin(self, pointer: str) -> str:
        """Where in the ApplicationSet a place of the Application is written, or the nearest above it that is."""
        parts = pointer.split("/")
        if any("/".join(parts[:end]) in self.patched for end in range(2, len(parts) + 1)):
            return PATCH
        return self.sources.find(pointer)


@dataclass(frozen=True, eq=False)
class Expansion:
    applications: tuple[Generated, ...]
    unresolved: tuple[Unresolved, ...]
    problems: tuple[Problem, ...]
    fails: bool
    """The controller reports an error instead and leaves the Applications of the set as they are."""
    has_more: bool = False
    """It goes over clusters of which git shows some: Argo CD may have others, and the set Applications for them."""

    @property
    def is_open(self) -> bool:
        """Not all is known of what it makes, but some is."""
        return any(made.is_open for made in self.applications)


def expand(
    appset: Map,
    tree: Tree,
    is_this_repo: Callable[[str], bool],
    supplied: Supplied | None = None,
    controller: Controller = Controller(),
    others: OtherTrees = NO_OTHERS,
) -> Expansion:
    """Expand one ApplicationSet, given as JSON has it.

    `supplied` are parameters by the name of the set, for those of its
    generators whose answer is not in the files.
    """
    metadata, spec = as_map(appset.get("metadata")), as_map(appset.get("spec"))
    go = spec.get("goTemplate") is True
    mode, problems = _options(spec) if go else (MissingKey.DEFAULT, [])
    context = Context(
        Renderer(go, mode, Budget(FOR_A_SET)),
        tree,
        is_this_repo,
        controller,
        (supplied or {}).get(plain(metadata.get("name") or "")),
        problems,
        others=others,
    )
    expander = _Expander(spec, metadata.get("namespace"), context, fails=bool(problems))
    check_syntax(spec, go, partial(context.report, always=True))
    for index, item in enumerate(as_list(spec.get("generators"))):
        expander.generate(as_map(item), f"/spec/generators/{index}")
    return expander.finished()


def _options(spec: Map) -> tuple[MissingKey, list[Problem]]:
    mode = MissingKey.DEFAULT
    problems: list[Problem] = []
    for index, option in enumerate(as_list(spec.get("goTemplateOptions"))):
        try:
            mode = gotemplate.missing_key([plain(option)])
        except TemplateError as error:
            problems.append(Problem(ProblemKind.UNKNOWN_OPTION, str(error), f"/spec/goTemplateOptions/{index}"))
    return mode, problems


class _Expander:
    def __init__(self, spec: Map, namespace: Value, context: Context, fails: bool) -> None:
        self.spec = spec
        self.namespace = namespace
        self.context = context
        self.fails = fails
        self.applications: list[Generated] = []
        self.unresolved: dict[Unresolved, None] = {}

    def fail(self, kind: ProblemKind, message: str, pointer: str, always: bool = False) -> None:
        self.fails = True
        said = (ProblemKind.SYNTAX_MISMATCH, ProblemKind.TEMPLATE_ERROR)
        if not any(known.pointer == pointer and known.kind in said for known in self.context.problems):
            self.context.report(kind, message, pointer, always)

    def generate(self, item: Map, pointer: str) -> None:
        """Each generator of an item by itself, so that one which is not known hides nothing of the others."""
        names = generators_of(item)
        if not names:
            self.context.report(ProblemKind.UNKNOWN_GENERATOR, _no_generator(item), pointer)
        for name in names:
            try:
                one = {name: item[name], "selector": item.get("selector")}
                sets = transform(one, pointer, self.context)[0][1]
            except GeneratorFailed as error:
                self.fail(ProblemKind.GENERATOR_ERROR, str(error), error.pointer)
            except TemplateError as error:
                self.fail(ProblemKind.TEMPLATE_ERROR, str(error), f"{pointer}/{name}")
            except NotKnown as reason:
                self.unresolved[Unresolved(str(reason), reason.pointer)] = None
                self.applications += self.once(one, pointer, name)
                self.check_names_of(one, pointer, name)
                self.fail_for_any_cluster(one, pointer, name)
            except CannotEvaluate as reason:
                self.unresolved[Unresolved(f"a template uses {reason}", f"{pointer}/{name}")] = None
            else:
                self.render(sets, as_map(as_map(item[name]).get("template")), pointer, name)
                if self.context.guesses:
                    self.fail_for_any_cluster(one, pointer, name)

    def once(self, item: Map, pointer: str, name: str) -> Iterator[Generated]:
        """What a generator that is not known makes, as far as the set itself says it, with blanks for the rest.

        Nothing of it is an error: with what is not known it may be another.
        """
        context = replace(self.context, problems=[], matched={}, guesses=set(), is_open=True)
        sources, template = self.open_template(item, pointer, name, context)
        with suppress(GeneratorFailed, TemplateError, NotKnown, CannotEvaluate, TemplateFailed):
            for parameters in transform(item, pointer, context)[0][1]:
                value, patched = template.application(parameters)
                if any(_is_literal(source) for source in _sources_of(value)):
                    yield Generated(value, parameters, pointer, sources, patched, is_open=True)

    def open_template(
        self, item: Map, pointer: str, name: str, context: Context
    ) -> tuple[Sources, ApplicationTemplate]:
        own = as_map(as_map(item[name]).get("template"))
        sources = Sources(as_map(self.spec.get("template")), own, f"{pointer}/{name}/template")
        return sources, ApplicationTemplate(self.spec, self.namespace, sources, context.renderer, is_open=True)

    def fail_for_any_cluster(self, item: Map, pointer: str, name: str) -> None:
        """What does not even fit the type of what a cluster gives is wrong, whichever clusters there are."""
        if not self.context.go:
            return
        context = replace(self.context, problems=[], matched={}, guesses=set(), is_open=True, any_cluster=True)
        _, template = self.open_template(item, pointer, name, context)
        with suppress(GeneratorFailed, TemplateError, NotKnown, CannotEvaluate):
            for parameters in transform(item, pointer, context)[0][1]:
                try:
                    template.application(parameters)
                except TemplateFailed as error:
                    if error.always:
                        self.fail(_kind_of(error), str(error), error.pointer, error.always)

    def check_names_of(self, item: Map, pointer: str, name: str) -> None:
        """What is not known may have names that are: a template that uses another one is wrong all the same."""
        names = names_given(name, self.context.go)
        if not names:
            return
        context = replace(self.context, problems=[], matched={}, guesses=set(), is_open=True)
        parameters: Parameters = {one: Blank(f".{one}" if context.go else one) for one in names}
        sources, template = self.open_template(item, pointer, name, context)
        with suppress(TemplateError, CannotEvaluate, TemplateFailed):  # with what comes it may be another
            add_values(as_map(item[name]).get("values"), parameters, context)
            value, patched = template.application(parameters)
            self.check(Generated(value, parameters, pointer, sources, patched, is_open=True), template)

    def render(self, sets: list[Parameters], own: Map, pointer: str, name: str) -> None:
        sources = Sources(as_map(self.spec.get("template")), own, f"{pointer}/{name}/template")
        template = ApplicationTemplate(self.spec, self.namespace, sources, self.context.renderer)
        for parameters in sets:
            try:
                value, patched = template.application(parameters)
            except NotEvaluated as reason:
                self.unresolved[Unresolved(f"a template uses {reason}", reason.pointer)] = None
            except TemplateFailed as error:
                self.fail(_kind_of(error), str(error), error.pointer, error.always)
            else:
                generated = Generated(value, parameters, pointer, sources, patched)
                self.applications.append(generated)
                self.check(generated, template)

    def check(self, generated: Generated, template: ApplicationTemplate) -> None:
        if self.context.go:
            check_results(generated.value, generated.parameters, generated.origin, self.context.report)
        else:
            check_placeholders(template.written, generated.parameters, generated.origin, self.context.report)

    def finished(self) -> Expansion:
        context = self.context
        for pointer, matched in context.matched.items():
            if not matched:
                context.report(ProblemKind.PATTERN_MATCHES_NOTHING, "no path of the repository matches it", pointer)
        certain = (one for one in self.applications if not one.is_open)
        check_names(((one.name, one.origin("/metadata/name")) for one in certain), context.report)
        if not self.applications and not self.unresolved and not self.fails:
            message = "the set gives no Application; Argo CD deletes those that it made before"
            context.report(ProblemKind.NOTHING_GENERATED, message, "/spec/generators")
        made = tuple(one for one in self.applications if one.is_open or not is_refused(one.name))
        if context.guesses:  # what is wrong for a cluster that the set may not be for is not wrong
            problems = [one for one in context.problems if one.always or one.kind in _OF_THE_TEXT]
            return Expansion(made, tuple(self.unresolved), tuple(problems), fails=False, has_more=True)
        return Expansion(made, tuple(self.unresolved), tuple(context.problems), self.fails)


def _kind_of(error: TemplateFailed) -> ProblemKind:
    return ProblemKind.PATCH_ERROR if error.pointer == PATCH else ProblemKind.TEMPLATE_ERROR


def _sources_of(application: Map) -> Iterator[Map]:
    spec = as_map(application.get("spec"))
    yield from map(as_map, as_list(spec.get("sources")) or [spec.get("source")])


def _is_literal(source: Map) -> bool:
    """Whether it is known what it takes."""
    taken = [plain(source.get(key) or "") for key in ("path", "chart")]
    return any(taken) and not any(map(is_placeholder, taken))


def _no_generator(item: Map) -> str:
    written = [key for key in item if key != "selector"]
    empty = next((key for key in written if key in known_generators()), None)
    if empty:
        return f"{empty} is null, which is no generator; {empty}: {{}} is one"
    return f"{', '.join(written) or 'an empty item'} is no generator that Argo CD knows; it yields nothing"
