"""What generators need to know, and what comes of them besides parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import Final, NamedTuple, Protocol

from ...dialects.go_template import fasttemplate, gotemplate
from ...dialects.go_template.budget import Budget
from ...dialects.go_template.evaluate import MissingKey
from ...dialects.go_template.go_values import Value
from ..clusters import Cluster

Parameters = dict[str, Value]


class Tree(Protocol):
    """The working tree: paths relative to its root, with forward slashes; only what git has."""

    def directories(self) -> Iterable[str]: ...
    def files(self) -> Iterable[str]: ...
    def read(self, path: str) -> str | None: ...


class ProblemKind(Enum):
    """What is wrong with a set, as far as Argo CD is concerned."""

    GENERATOR_ERROR = "generator-error"
    """A generator fails, and with it the reconciliation of the whole set: nothing is created, changed or deleted."""
    UNKNOWN_GENERATOR = "unknown-generator"
    """An item of the generators that is none: it yields nothing, and only a log says so."""
    TEMPLATE_ERROR = "template-error"
    """A template fails, and with it the reconciliation of the whole set."""
    SYNTAX_MISMATCH = "syntax-mismatch"
    """Written for the other template language: Go's with goTemplate off, or the plain one with goTemplate on."""
    UNKNOWN_PARAMETER = "unknown-parameter"
    """A name between braces that no generator gives stays as it is, braces and all."""
    NO_VALUE = "no-value"
    """A key that is not there was printed as <no value>."""
    EXPONENT = "exponent"
    """A number without quotes was printed with an exponent."""
    UNKNOWN_OPTION = "unknown-option"
    """A template option that Go does not know: the controller panics on it, each time."""
    EMPTY_NAME = "empty-name"
    DUPLICATE_NAME = "duplicate-name"
    INVALID_NAME = "invalid-name"
    PATTERN_MATCHES_NOTHING = "pattern-matches-nothing"
    """One of several patterns of a git generator."""
    NOTHING_GENERATED = "nothing-generated"
    """The whole set yields no Application, and so deletes those that it once made."""
    DOUBLE_STAR = "double-star"
    """``**`` in a pattern for folders, where it means no more than ``*``."""
    PATCH_ERROR = "patch-error"
    """The templatePatch cannot be applied; the reconciliation of the whole set fails."""


class Problem(NamedTuple):
    kind: ProblemKind
    message: str
    pointer: str
    """In the ApplicationSet."""
    always: bool = False
    """It is wrong whatever the generators give."""


class Unresolved(NamedTuple):
    """What could not be known from the files, and where it stands in the ApplicationSet."""

    reason: str
    pointer: str


class GeneratorFailed(Exception):
    """Argo CD reports an error for the set and leaves its Applications as they are."""

    def __init__(self, message: str, pointer: str) -> None:
        super().__init__(message)
        self.pointer = pointer


class NotKnown(Exception):
    """The answer is not in the files."""

    def __init__(self, reason: str, pointer: str) -> None:
        super().__init__(reason)
        self.pointer = pointer


@dataclass(frozen=True)
class Renderer:
    """Templates of one set, in the language that it chose."""

    go: bool
    missing_key: MissingKey
    budget: Budget

    def text(self, text: str, parameters: Parameters) -> str:
        if self.go:
            return gotemplate.render(text, parameters, self.missing_key, self.budget)
        self.budget.spend(1 + len(text) // 500)
        return fasttemplate.render(text, parameters)

    def deep(self, value: Value, parameters: Parameters) -> Value:
        """Every text in a value, and every key; nulls of maps go, as they do in Argo CD."""
        if isinstance(value, str):
            return self.text(value, parameters)
        if isinstance(value, list):
            return [self.deep(item, parameters) for item in value]
        if isinstance(value, dict):
            return {
                self.text(key, parameters): self.deep(item, parameters)
                for key, item in value.items()
                if item is not None
            }
        return value


class Controller(NamedTuple):
    """What is known of the Argo CD that expands the sets."""

    clusters: tuple[Cluster, ...] = ()
    knows_all_clusters: bool = True
    """False where they are only those that git shows: each Argo CD may have others."""
    fills_values_early: bool = False
    """Up to 3.3: the values of a generator in a matrix are filled in with what the one before it gives."""
    new_globbing: bool = False
    """In patterns for files ``*`` stays within a name, and ``**`` goes through folders."""


class OtherTrees(NamedTuple):
    """Git repositories that are not this one, as far as somebody brought them."""

    is_brought: Callable[[str], bool]
    """Whether the config says where it is checked out: then it is not this one."""
    find: Callable[[str, str, str], Tree | None]
    """By address, revision and the place of the generator in the set."""
    why_not: Callable[[str], str]
    """Of what was looked for last, after what it is."""


NO_OTHERS: Final = OtherTrees(lambda url: False, lambda url, revision, pointer: None, lambda words: words)


@dataclass(frozen=True)
class Context:
    renderer: Renderer
    tree: Tree
    is_this_repo: Callable[[str], bool]
    controller: Controller = Controller()
    supplied: Sequence[Mapping[str, Value]] | None = None
    """Parameters for the generators whose answer is not in the files."""
    problems: list[Problem] = field(default_factory=list)
    matched: dict[str, bool] = field(default_factory=dict)
    """By the place of a git generator's pattern: whether it ever matched something."""
    guesses: set[str] = field(default_factory=set)
    """Places of generators that gave what may not be all, or not that."""
    is_open: bool = False
    """What is not known is left blank, so that the rest can be seen."""
    any_cluster: bool = False
    """Those that are known are left blank, too: one stands for whichever there are."""
    others: OtherTrees = NO_OTHERS

    @property
    def go(self) -> bool:
        return self.renderer.go

    @cached_property
    def folders(self) -> list[str]:
        """In the order of a walk; hidden ones and what is in them are never offered, nor is the root."""
        visible = (path.split("/") for path in self.tree.directories())
        return ["/".join(parts) for parts in sorted(visible) if all(part and part[0] != "." for part in parts)]

    @cached_property
    def files(self) -> list[str]:
        return sorted(self.tree.files())

    def report(self, kind: ProblemKind, message: str, pointer: str, always: bool = False) -> None:
        if all((known.kind, known.pointer) != (kind, pointer) for known in self.problems):
            self.problems.append(Problem(kind, message, pointer, always))
