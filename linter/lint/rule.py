"""What rules are made of: types only, nothing runs here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum, IntEnum
from functools import cached_property
from importlib import import_module
from typing import Any, Final, NamedTuple

from ..dialects.phrases import sentence
from ..facts.severity import Severity
from ..yaml.source import Patch, Place
from .manual import Manual
from .wording import Wording, joined, shortened, split


class Moment(Enum):
    """When it bites; the value is its word in configs and reports."""

    SYNC = "sync"
    """With the next sync of a running cluster, if not already."""
    INSTALL = "install"
    """Only where a cluster is built from nothing."""
    REMOVAL = "removal"
    """When something leaves git, or its Application is deleted."""
    TROUBLE = "trouble"
    """When something else hangs or fails."""
    UPGRADE = "upgrade"
    """When Kubernetes, Argo CD, an operator or something that is fetched gets another version."""

    def __str__(self) -> str:
        return self.value


class Confidence(IntEnum):
    """How sure a look at the files alone can be."""

    LOW = 1
    MEDIUM = 2
    HIGH = 3

    def __str__(self) -> str:
        return self.name.lower()


class Note(NamedTuple):
    """A second place that belongs to a finding, and what is there."""

    at: Place
    message: str


class Fix(NamedTuple):
    """A JSON Patch, and whether it may be applied unasked.

    Safe means: it cannot change a working deployment for the worse.
    """

    title: str
    patch: Patch
    safe: bool = False


class Cause(NamedTuple):
    """What has to change so that a finding goes, and all others of its rule with the same cause.

    Name one where many objects suffer from one setting: the Application, the AppProject, the
    operator. Without one, `causes` finds out what belongs together.
    """

    key: str
    """Equal for equal causes, and the same tomorrow: ``Application argocd/shop``. It is what people read, too."""
    together: str = ""
    """The headline for several places, `{count}` for their number: ``{count} Secrets of 'shop' go when …``."""
    at: Place | None = None
    """Where to change it, if that is another place than those of the findings."""


@dataclass(frozen=True)
class Finding:
    """One thing that will go wrong, at one place.

    In three parts: `headline` says the fault in at most 100 characters, `happens` what comes of it and
    when, `do` what to do about it, a sentence each. Or, in older rules, in one `message`.
    """

    at: Place
    message: str = ""
    """All of it in one text; made of the parts where there are any."""
    fixes: tuple[Fix, ...] = ()
    """The best one first; the others are alternatives, never applied together with it."""
    related: tuple[Note, ...] = ()
    severity: Severity | None = None
    """Set where the context grades it otherwise than the rule's declaration."""
    confidence: Confidence = Confidence.HIGH
    headline: str = ""
    happens: str = ""
    do: str = ""
    moment: Moment | None = None
    """Set where it bites at another time than the rule's declaration says."""
    never_heals: bool = False
    """No retry and no waiting helps: an error whenever it bites, unless `severity` says less."""
    loses_data: bool = False
    """What it destroys does not come back: as bad as `severity` says, whenever it bites."""
    cause: Cause | None = None

    def __post_init__(self) -> None:
        if self.headline:
            object.__setattr__(self, "message", joined(Wording(self.headline, self.happens, self.do)))

    @property
    def wording(self) -> Wording:
        """In three parts, whichever way the rule gives it."""
        if not self.headline:
            return split(self.message)
        return Wording(shortened(self.headline), self.happens, self.do)

    def reworded(self, change: Callable[[str], str]) -> Finding:
        """With every text of it changed in one way."""
        if not self.headline:
            return replace(self, message=change(self.message))
        parts = (self.headline, self.happens, self.do)
        headline, happens, do = (change(part) if part else "" for part in parts)
        return replace(self, headline=headline, happens=happens, do=do)

    def with_remark(self, remark: str) -> Finding:
        """With something to be said behind what happens."""
        if not self.headline:
            return replace(self, message=f"{self.message} ({remark})")
        return replace(self, happens=f"{self.happens} {sentence(remark)}".strip())


class Scope(Enum):
    """What a rule looks at; the value is the name of its parameter's type."""

    RESOURCE = "Resource"
    APP = "App"
    REPO = "Repo"
    CHANGE = "Change"
    """Runs only where there is a revision to compare with."""
    SUPPRESSIONS = "Suppressions"
    BASELINE = "StaleEntries"
    CRASH = "Crash"


_OF_ANY_TOOL: Final = frozenset(("manifests", "kustomize", "selfcheck"))
"""Topics about YAML, the API server and Kustomize."""

_OF_THE_SYNC: Final = frozenset(("hooks", "waves", "crds", "drift", "pruning", "applications", "sources", "changes"))
"""Topics about what happens to objects, whoever wrote them; the others are about how they are written."""

OUR_LETTERS: Final = "GL"

Check = Callable[..., Iterator[Finding]]
"""Of the subject; and of the options, if it has any."""


@dataclass(frozen=True)
class Rule:
    code: str
    severity: Severity
    check: Check
    module: str
    scope: Scope
    moment: Moment = Moment.SYNC
    kinds: frozenset[str] = frozenset()
    annotated: frozenset[str] = frozenset()
    """Only resources of these kinds, or with one of these annotations, are shown to it; none given means
    all. Part of the declaration so that the engine can leave out the call: most rules have nothing to say
    about most objects."""
    literal: bool = False
    """True when the verdict depends on nothing but the text at the place, so that it also holds
    where a later patch or template may change the rest of the object."""
    default: bool = True
    """False for a rule that runs only when it is selected."""
    any_file: bool = False
    """True when it holds of a file in git whether or not anything applies it."""
    any_tool: bool | None = None
    """True when it holds whatever applies the objects: Flux, kubectl. None where the topic says so."""
    of_fetched: bool | None = None
    """True when it holds of what a fetched chart or base brings, too: it is about the sync, and whoever names the
    chart can do something about it. None where the topic says so."""
    options: Any = None
    """What people can set (`options` in the config), as the frozen dataclass that the check takes second."""
    _doc: str = field(default="", repr=False)
    """In place of its module's."""

    @cached_property
    def name(self) -> str:
        return self.module.rpartition(".")[2].replace("_", "-")

    @cached_property
    def letters(self) -> str:
        """What its code begins with: GL for ours, others for those of packages."""
        return self.code.rstrip("0123456789")

    @cached_property
    def is_ours(self) -> bool:
        """Whether our manual has a page of it."""
        return self.letters == OUR_LETTERS

    @cached_property
    def topic(self) -> str:
        return self.module.split(".")[-2]

    @cached_property
    def needs_argocd(self) -> bool:
        """Whether it speaks of what Argo CD does."""
        return not (self.topic in _OF_ANY_TOOL if self.any_tool is None else self.any_tool)

    @property
    def reads_files_alone(self) -> bool:
        """Whether it holds of a file whatever is made of it, so that nothing has to be built first."""
        return self.literal or self.any_file

    @cached_property
    def speaks_of_fetched(self) -> bool:
        """Whether its findings in fetched charts and bases are told."""
        return self.topic in _OF_THE_SYNC if self.of_fetched is None else self.of_fetched

    def with_options(self, values: Mapping[str, Any]) -> Rule:
        """With what the config says; schemas/config.schema.json has judged it."""
        return replace(
            self, options=replace(self.options, **{key.replace("-", "_"): one for key, one in values.items()})
        )

    def findings(self, subject: Any) -> Iterator[Finding]:
        return self.check(subject) if self.options is None else self.check(subject, self.options)

    @cached_property
    def manual(self) -> Manual:
        return Manual.parse(self._doc or import_module(self.module).__doc__ or "")


def rule(
    code: str,
    severity: Severity,
    moment: Moment,
    *,
    kinds: str | Iterable[str] = (),
    annotated: Iterable[str] = (),
    literal: bool = False,
    default: bool = True,
    any_file: bool = False,
    any_tool: bool | None = None,
    of_fetched: bool | None = None,
    options: Any = None,
) -> Callable[[Check], Rule]:
    """Make a check the rule of its module: the file's name and docstring are the rule's."""

    def declare(check: Check) -> Rule:
        annotation = next(type_ for name, type_ in check.__annotations__.items() if name != "return")
        scope = Scope(getattr(annotation, "__name__", annotation))
        chosen = frozenset(kinds.split() if isinstance(kinds, str) else kinds)
        return Rule(
            code,
            severity,
            check,
            check.__module__,
            scope,
            moment,
            chosen,
            frozenset(annotated),
            literal,
            default,
            any_file,
            any_tool,
            of_fetched,
            options,
        )

    return declare
