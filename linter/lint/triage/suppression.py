"""Every ignore of a run: where it is written, what it covers, what became of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from enum import Enum
from itertools import groupby, islice
from typing import Final, NamedTuple

from ...kubernetes.resource import Resource
from ...repo.model import Repo
from ...yaml.source import Node, Patch, Place, SourceFile, Span, Spot
from ..config import Config, IgnoreEntry
from ..result import Reported
from ..rule import Rule, Scope
from ..selection import exactness, named, suggestion
from .coverage import Coverage
from .ignore_directives import ANNOTATION, MARK, Directive, in_annotation, in_comment, without

MAX_PER_FILE: Final = 1_000


class Form(Enum):
    """Where an ignore is written."""

    COMMENT = "comment"
    ANNOTATION = "annotation"
    CONFIG = "config"


@dataclass(frozen=True, eq=False)
class Suppression:
    """One ignore, and what became of it."""

    form: Form
    at: Place
    directive: Directive
    words: tuple[str, ...] = ()
    """Those of its words that name rules."""
    problems: tuple[str, ...] = ()
    covers: Span | None = None
    """Of a comment: the stretch of its file."""
    resource: Resource | None = None
    """Of an annotation: the object that has it."""
    entry: IgnoreEntry | None = None
    expired: bool = False
    hid: tuple[str, ...] = ()
    """The words under which it hides findings, or would if it had not expired."""
    unused: tuple[str, ...] = ()
    """The words that certainly hide nothing."""

    def reaches(self, item: Reported, config: Config) -> bool:
        if self.entry is not None:
            return self.entry.fits(config.local(item.file.path), item.resource)
        if item.rule.scope is Scope.SUPPRESSIONS and _same_place(self.at, item.finding.at):
            return False  # no ignore answers for itself
        if self.resource is not None:
            return item.resource is self.resource
        return self.covers is not None and self.covers.start <= item.finding.at.span.start < self.covers.end


class Remark(NamedTuple):
    """What is to be said about the ignores of one line."""

    at: Place
    suppressions: tuple[Suppression, ...]

    @property
    def unused(self) -> list[str]:
        return [word for item in self.suppressions for word in item.unused]

    @property
    def problems(self) -> list[str]:
        return [problem for item in self.suppressions for problem in item.problems]

    @property
    def expired(self) -> list[Suppression]:
        return [item for item in self.suppressions if item.expired]

    @property
    def patch_without_unused(self) -> Patch | None:
        """Only an annotation is data; a comment is nothing that a patch could change."""
        first = next((item for item in self.suppressions if item.form is Form.ANNOTATION and item.unused), None)
        if first is None or not isinstance(first.at, Node):
            return None
        node = first.at
        same = [item for item in self.suppressions if item.resource is first.resource and item.form is first.form]
        left = [text for item in same if (text := without(item.directive, item.unused))]
        if left:
            return node.set(("\n" if "\n" in node.text else "; ").join(left))
        siblings = node.parent
        return siblings.remove() if siblings and len(list(siblings.items())) == 1 else node.remove()


@dataclass(frozen=True)
class Suppressions:
    """Every ignore of a run: what the rules about ignores look at."""

    items: tuple[Suppression, ...] = ()

    def by_line(self) -> Iterator[Remark]:
        def line(item: Suppression) -> tuple[str, int]:
            return (item.at.file.path, item.at.file.position(item.at.span.start).line)

        for _, group in groupby(sorted(self.items, key=line), key=line):
            suppressions = tuple(group)
            yield Remark(suppressions[0].at, suppressions)


def _same_place(one: Place, other: Place) -> bool:
    return one.file.path == other.file.path and one.span == other.span


# -- finding them


def collect(repo: Repo, config: Config, known: Sequence[Rule], today: date) -> list[Suppression]:
    written = [*_from_config(config)]
    # A template without braces is read as a manifest, and its comments with it.
    read = {file.path for file in repo.files}
    templates = (file for file in repo.charts.template_files if file.path not in read)
    marked = [file for file in (*repo.files, *templates) if file.once(_is_marked)]
    for file in marked:
        written += _from_comments(file)
    if any(ANNOTATION in file.text for file in marked):
        written += _from_annotations(repo.resources)
    return [_judged(item, config, known, today) for item in written]


def _is_marked(file: SourceFile) -> bool:
    return MARK in file.text


def _from_config(config: Config) -> Iterator[Suppression]:
    for entry in config.ignores:
        yield Suppression(Form.CONFIG, entry.at, Directive(entry.rules, entry.until, entry.reason), entry=entry)


def _from_comments(file: SourceFile) -> Iterator[Suppression]:
    coverage = Coverage(file)
    found = ((comment, directive) for comment in file.comments for directive in in_comment(comment.text))
    for comment, directive in islice(found, MAX_PER_FILE):
        covers = None if directive.problem else coverage.of(comment, directive.whole_file)
        if covers is None and not directive.problem:
            head = "ignore-file belongs before the first key of the file"
            tail = "it covers nothing: no key or item of its document comes after it"
            directive = directive._replace(problem=head if directive.whole_file else tail)
        yield Suppression(Form.COMMENT, Spot(file, comment.span), directive, covers=covers)
    for comment, _ in islice(found, 1):
        problem = f"more than {MAX_PER_FILE:,} ignores in one file; from here on they are not read"
        yield Suppression(Form.COMMENT, Spot(file, comment.span), Directive(problem=problem))


def _from_annotations(resources: Iterable[Resource]) -> Iterator[Suppression]:
    for resource in resources:
        node = resource.annotation(ANNOTATION)
        if node.present:
            for directive in islice(in_annotation(node.text), MAX_PER_FILE):
                yield Suppression(Form.ANNOTATION, node, directive, resource=resource)
        for template in _pod_templates(resource.node):
            node = template.at("metadata", "annotations", ANNOTATION)
            if node.present:
                problem = f"on a template it does nothing; it belongs into the metadata of the {resource.kind} itself"
                yield Suppression(Form.ANNOTATION, node, Directive(problem=problem, text=node.text))


def _pod_templates(node: Node) -> Iterator[Node]:
    for keys in (("template",), ("jobTemplate",), ("jobTemplate", "spec", "template")):
        template = node["spec"].at(*keys)
        if template["spec"]["containers"].present or template["spec"]["template"].present:
            yield template


def _judged(item: Suppression, config: Config, known: Sequence[Rule], today: date) -> Suppression:
    directive = item.directive
    if directive.problem:
        return replace(item, problems=(directive.problem,))
    if config.required_reason and not directive.reason:
        return replace(item, problems=("it gives no reason, and required-reason asks for one",))
    expired = directive.until is not None and today > directive.until
    if item.form is Form.CONFIG:  # its words were checked when it was read, and may be prefixes
        return replace(item, words=directive.words, expired=expired)
    problems = {word: _word_problem(word, known) for word in directive.words}
    words = tuple(word for word, problem in problems.items() if not problem)
    faults = tuple(problem for problem in problems.values() if problem)
    return replace(item, words=words, problems=faults, expired=expired and bool(words))


def _word_problem(word: str, known: Sequence[Rule]) -> str:
    rule = named(word, known)
    if rule is not None:
        return f"{rule.name} cannot be ignored" if rule.scope is Scope.CRASH else ""
    if any(exactness((word,), rule) >= 0 for rule in known):
        return f"{word!r} is more than one rule; an ignore names each rule in full"
    return f"unknown rule {word[:80]!r}{suggestion(word, known)}"
