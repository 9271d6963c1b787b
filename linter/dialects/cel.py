"""CEL, the expressions of Kubernetes' own validation, asked about plain data.

Who uses it: checks in the configuration, rules in CRDs, admission policies. The
expression may be a stranger's, so each evaluation has a budget, counted in steps
that are the same on every machine; and where Kubernetes knows something that is
not known here, the answer is that nobody can tell.

The engines of PyPI were measured on 128 expressions of the kind that stand in CRDs, each
with the verdict of Kubernetes 1.34, on Python 3.11 (`right` of 128, then one small rule):

    engine                            right   import   read it   ask it   installed
    cel-python 0.5 (Python)             68    0.4 s     760 us   880 us     38 MB
    common-expression-language 0.10     67    0.9 s         280 us, both    67 MB
    cel-expr-python 0.1.3 (C++)         97    0.01 s    260 us    26 us     75 MB
    this one                           127    0.06 s     50 us     5 us

None of them knows the functions that Kubernetes adds, which are most of the difference; the
last two have no wheel for Python 3.10; only the C++ one has a bound, on how often it goes
round, and none on what one round makes. So there is no dependency and no extra for CEL.
`tests/dialects/test_cel.py` holds this one against the answers of the API server's own library.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import Any, Final

from ..facts.limits import CEL_STEPS
from .cel_compiler import FUNCTIONS, METHODS, Compiler, unescaped
from .cel_macros import Run
from .cel_nodes import Name, Node, Select
from .cel_syntax import parse
from .cel_values import BadExpression, Failed, TooMuch
from .go_regexp import NotJudged

__all__ = ["FUNCTION_NAMES", "Answer", "BadExpression", "Failed", "NotJudged", "Program", "Verdict", "compile_cel"]

FUNCTION_NAMES: Final = tuple(name for name in (*FUNCTIONS, *METHODS) if name[0].isalpha())


class Verdict(Enum):
    YES = "yes"
    NO = "no"
    ERROR = "error"
    """Kubernetes, too, ends with an error; a validation rule then refuses the object."""
    UNKNOWN = "unknown"
    """Nobody can tell here."""


@dataclass(frozen=True)
class Answer:
    verdict: Verdict
    why: str = ""
    """Of an error, and of what nobody can tell."""


class Program:
    """An expression that was read once and can be asked often."""

    def __init__(self, text: str) -> None:
        self.text = text
        compiler = Compiler()
        self._tree = parse(text)
        self._evaluate = compiler.of(self._tree)
        self.names = frozenset(compiler.free)
        """What it takes from outside: `self`, `oldSelf`, `object` …"""
        self.unknown = tuple(compiler.unknown)
        """Functions that are not known here, each with what may have been meant."""

    def first_path(self, name: str) -> tuple[str, ...]:
        """The fields that follow the name where it is written first, and most of them."""
        return _path_of(self._tree, name)

    def evaluate(self, values: Mapping[str, Any], steps: int = CEL_STEPS) -> Any:
        """Its value. Raises Failed and NotJudged."""
        try:
            return self._evaluate(Run(dict(values), steps))
        except RecursionError:
            raise TooMuch("values that are nested too deep") from None

    def ask(self, values: Mapping[str, Any], steps: int = CEL_STEPS) -> Answer:
        """Whether it holds."""
        try:
            value = self.evaluate(values, steps)
        except Failed as error:
            return Answer(Verdict.ERROR, str(error))
        except NotJudged as error:
            return Answer(Verdict.UNKNOWN, str(error))
        if not isinstance(value, bool):
            return Answer(Verdict.UNKNOWN, "its value is neither true nor false")
        return Answer(Verdict.YES if value else Verdict.NO)


@lru_cache(maxsize=2_000)
def compile_cel(text: str) -> Program:
    """Raises BadExpression, and NotJudged where it is larger than we take on."""
    return Program(text)


def _path_of(node: Any, name: str) -> tuple[str, ...]:
    if isinstance(node, Select):
        fields: list[str] = []
        inner: Node = node
        while isinstance(inner, Select):
            fields.insert(0, unescaped(inner.field))
            inner = inner.operand
        return tuple(fields) if inner == Name(name) else _path_of(inner, name)
    parts = node if isinstance(node, tuple) else vars(node).values() if hasattr(node, "__dict__") else ()
    return next(filter(None, (_path_of(part, name) for part in parts)), ())
