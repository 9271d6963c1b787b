"""What looking at something with a rule came to: findings, or a rule that throws."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Final, NamedTuple

from ..facts.regexes import regex
from ..repo.sources.kustomize_builds import NotAnalysed
from ..yaml.source import Document, Node, SourceFile, Span, Spot
from .rule import Finding, Rule

_QUOTATION: Final = regex(r"""'[^']*'|"[^"]*"|['"].*|\S{20,}|(?=\S*\d)\S*[A-Za-z]\S*""")


class Crash(NamedTuple):
    """A rule threw. That is our bug: it is reported, never hidden, and the other rules go on."""

    rule: Rule
    file: SourceFile
    error: str
    trace: str
    """For tests; what it quotes may be a secret."""

    @property
    def at(self) -> Spot:
        return Spot(self.file, Span(0, 0))


class Looked(NamedTuple):
    """What looking at all subjects of a rule came to, before anybody judged it."""

    findings: Sequence[Finding]
    crashes: Sequence[Crash]
    overruns: Sequence[NotAnalysed]
    again: Sequence[int]
    """Numbers of the subjects that have to be looked at once more."""
    seconds: float


def without_quotations(error: BaseException) -> str:
    """What an exception is and says, without what it quotes: that may be a value of the repository.

    Of several lines the first: what follows are excerpts.
    """
    said = _QUOTATION.sub("'…'", str(error).partition("\n")[0])
    return f"{type(error).__name__}: {said}"


def file_in_hand(error: BaseException) -> SourceFile | None:
    """The file that a rule on the whole repository had in hand when it failed: the one of the innermost call."""
    found, step = None, error.__traceback__
    while step is not None:
        for value in list(step.tb_frame.f_locals.values()):
            if isinstance(value, Node | Document):
                with suppress(Exception):
                    found = value.file
            elif isinstance(value, SourceFile):
                found = value
        step = step.tb_next
    return found
