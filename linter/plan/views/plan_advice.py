"""What to do about a finding, in a sentence."""

from __future__ import annotations

from ...dialects.phrases import first_sentence
from ...lint.result import Reported


def advice(item: Reported) -> str:
    """The title of its first fix; where it has none, the first sentence of the rule's advice."""
    if item.finding.fixes:
        fix = item.finding.fixes[0]
        return f"{fix.title} ({'--fix applies it' if fix.safe else '--fix --unsafe-fixes applies it'})"
    sentence = first_sentence(item.rule.manual.fix)
    return sentence[:1].lower() + sentence[1:]
