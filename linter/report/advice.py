"""What to do about a finding: the rule's own words, else its fix, else what the manual says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ..facts.regexes import regex
from ..lint.result import Reported
from ..lint.rule import Fix

_SENTENCE_END: Final = regex(r"(?<=[.!?])\s+(?=[A-Z])")

_WORD: Final = regex(r"[\w=:./-]*\w")


def to_do(item: Reported) -> Iterator[str]:
    """The best advice first; the others are alternatives."""
    said = item.finding.wording.do
    fixes = item.finding.fixes
    for number, fix in enumerate(fixes):
        who = _who_applies(fix, number == 0, _first_safe(fixes))
        if number:
            yield f"or: {fix.title} ({who})"
        elif said:
            who = who if _says(said, fix.title) else f"{who.removesuffix(' applies it')}: {fix.title}"
            yield f"{said.rstrip('.')} ({who})."
        else:
            yield f"{fix.title} ({who})"
    if said and not fixes:
        yield said
    if not (said or fixes):
        sentence = _SENTENCE_END.split(" ".join(item.rule.manual.fix.split()))[0]
        if sentence:
            yield sentence[0].lower() + sentence[1:]


def _says(advice: str, title: str) -> bool:
    """Whether the rule's words are those of the fix already."""
    return set(_WORD.findall(title.lower())) <= set(_WORD.findall(advice.lower()))


def _first_safe(fixes: tuple[Fix, ...]) -> Fix | None:
    return next((fix for fix in fixes if fix.safe), None)


def _who_applies(fix: Fix, is_first: bool, first_safe: Fix | None) -> str:
    """`--fix` takes the first safe one, with `--unsafe-fixes` the first of all."""
    if fix is first_safe:
        return "--fix applies it"
    return "--fix --unsafe-fixes applies it" if is_first else "by hand"
