"""What to do about a finding, in a sentence."""

from __future__ import annotations

import re
from typing import Final

from ..result import Reported

_SENTENCE_END: Final = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")


def advice(item: Reported) -> str:
    """The title of its first fix; where it has none, the first sentence of the rule's advice."""
    if item.finding.fixes:
        fix = item.finding.fixes[0]
        return f"{fix.title} ({'--fix applies it' if fix.safe else '--fix --unsafe-fixes applies it'})"
    sentence = _SENTENCE_END.split(" ".join(item.rule.manual.fix.split()))[0]
    return sentence[:1].lower() + sentence[1:]
