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

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from inspect import CO_VARARGS
from typing import Any, Final

from ..facts.limits import CEL_STEPS
from . import cel_functions, cel_kubernetes, cel_lists
from .cel_syntax import (
    AllOf,
    AnyOf,
    Call,
    Choice,
    Index,
    ListOf,
    Literal,
    Macro,
    MapOf,
    Message,
    Name,
    Node,
    Select,
    parse,
)
from .cel_values import BadExpression, Failed, Optional, TooMuch, wrong_types
from .go_regexp import NotJudged

__all__ = ["FUNCTION_NAMES", "Answer", "BadExpression", "Failed", "NotJudged", "Program", "Verdict", "compile_cel"]

_FUNCTIONS: Final = {**cel_functions.FUNCTIONS, **cel_kubernetes.FUNCTIONS}
_METHODS: Final = {**cel_functions.METHODS, **cel_kubernetes.METHODS}
FUNCTION_NAMES: Final = tuple(name for name in (*_FUNCTIONS, *_METHODS) if name[0].isalpha())
_ESCAPES: Final = {"__underscores__": "__", "__dot__": ".", "__dash__": "-", "__slash__": "/"}
_ESCAPED: Final = re.compile("|".join(_ESCAPES))


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


class Run:
    """One evaluation: what names stand for, and what may still be spent."""

    __slots__ = ("left", "values")

    def __init__(self, values: dict[str, Any], steps: int) -> None:
        self.values = values
        self.left = steps

    def spend(self, steps: int) -> None:
        self.left -= 1 + steps
        if self.left < 0:
            raise TooMuch("an expression that takes too many steps")


_Evaluate = Callable[[Run], Any]


class Program:
    """An expression that was read once and can be asked often."""

    def __init__(self, text: str) -> None:
        self.text = text
        compiler = _Compiler()
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


class _Compiler:
    """Nodes become functions, so that nothing is looked up twice."""

    def __init__(self) -> None:
        self.free: set[str] = set()
        self.unknown: list[tuple[str, str]] = []
        self._bound: list[str] = []

    def of(self, node: Node) -> _Evaluate:
        make = _MAKERS[type(node)]
        return make(self, node)

    def literal(self, node: Literal) -> _Evaluate:
        value = node.value
        return lambda run: value

    def name(self, node: Name) -> _Evaluate:
        name = node.name
        if name not in self._bound:
            if name in cel_functions.TYPES:
                return self.literal(Literal(cel_functions.TYPES[name]))
            self.free.add(name)

        def value(run: Run) -> Any:
            run.spend(0)
            try:
                return run.values[name]
            except KeyError:
                raise NotJudged(f"{name!r}, which is not known here") from None

        return value

    def select(self, node: Select) -> _Evaluate:
        operand, field = self.of(node.operand), node.field
        plain = _unescaped(field)

        def selected(run: Run) -> Any:
            run.spend(0)
            value = operand(run)
            within = value.value if isinstance(value, Optional) else value
            if isinstance(value, Optional) and not value.present:
                return False if node.only_has else value
            if not isinstance(within, dict):
                raise wrong_types(f"the field {field!r}")
            key = field if field in within else plain
            if node.only_has:
                return key in within
            if node.optional or isinstance(value, Optional):
                return Optional(within[key], True) if key in within else Optional()
            if key not in within:
                raise Failed(f"no such key: {field}")
            return within[key]

        return selected

    def index(self, node: Index) -> _Evaluate:
        operand, key_of = self.of(node.operand), self.of(node.key)

        def indexed(run: Run) -> Any:
            run.spend(0)
            value, key = operand(run), key_of(run)
            if isinstance(value, Optional) and not value.present:
                return value
            within = value.value if isinstance(value, Optional) else value
            found = _at(within, key)
            if node.optional or isinstance(value, Optional):
                return found
            if not found.present:
                raise Failed("no such key" if isinstance(within, dict) else "index out of bounds")
            return found.value

        return indexed

    def call(self, node: Call) -> _Evaluate:
        if node.receiver is None:
            return self._function(node.name, node.arguments)
        if isinstance(node.receiver, Name) and node.receiver.name not in self._bound:
            qualified = f"{node.receiver.name}.{node.name}"
            if qualified in _FUNCTIONS:
                return self._function(qualified, node.arguments)
        if node.name in ("or", "orValue") and len(node.arguments) == 1:
            return self._or(node.receiver, node.arguments[0], unwrap=node.name == "orValue")
        return self._applied(node.name, _METHODS.get(node.name), (node.receiver, *node.arguments))

    def _function(self, name: str, arguments: tuple[Node, ...]) -> _Evaluate:
        return self._applied(name, _FUNCTIONS.get(name), arguments)

    def _applied(self, name: str, function: Callable[..., Any] | None, arguments: tuple[Node, ...]) -> _Evaluate:
        values = [self.of(one) for one in arguments]
        if function is None or not _takes(function, len(values)):
            self.unknown.append((name, " with so many arguments" if function else ""))

            def not_known(run: Run) -> Any:
                raise NotJudged(f"the function {name}()")

            return not_known
        if len(values) == 2:
            first, second = values

            def of_two(run: Run) -> Any:
                run.spend(0)
                return function(run.spend, first(run), second(run))

            return of_two

        def applied(run: Run) -> Any:
            run.spend(0)
            return function(run.spend, *[value(run) for value in values])

        return applied

    def _or(self, receiver: Node, argument: Node, unwrap: bool) -> _Evaluate:
        first, other = self.of(receiver), self.of(argument)

        def either(run: Run) -> Any:
            run.spend(0)
            value = first(run)
            if not isinstance(value, Optional):
                raise wrong_types("or()")
            if not value.present:
                return other(run)
            return value.value if unwrap else value

        return either

    def list_of(self, node: ListOf) -> _Evaluate:
        items = [(self.of(item), optional) for item, optional in node.items]

        def made(run: Run) -> list[Any]:
            run.spend(len(items))
            found: list[Any] = []
            for item, optional in items:
                value = item(run)
                if optional:
                    found += [value.value] if _optional(value).present else []
                else:
                    found.append(value)
            return found

        return made

    def map_of(self, node: MapOf) -> _Evaluate:
        entries = [(self.of(key), self.of(value), optional) for key, value, optional in node.entries]

        def made(run: Run) -> dict[Any, Any]:
            run.spend(len(entries))
            found: dict[Any, Any] = {}
            for key_of, value_of, optional in entries:
                key, value = key_of(run), value_of(run)
                if optional and not _optional(value).present:
                    continue
                if isinstance(key, (str, int)) and key in found:
                    raise NotJudged("a map with the same key twice")
                _put(found, key, value.value if optional else value)
            return found

        return made

    def message(self, node: Message) -> _Evaluate:
        def not_known(run: Run) -> Any:
            raise NotJudged(f"an object of the type {node.name}")

        return not_known

    def all_of(self, node: AllOf) -> _Evaluate:
        return self._decided([self.of(part) for part in node.parts], by=False)

    def any_of(self, node: AnyOf) -> _Evaluate:
        return self._decided([self.of(part) for part in node.parts], by=True)

    def _decided(self, parts: list[_Evaluate], by: bool) -> _Evaluate:
        def decided(run: Run) -> bool:
            run.spend(0)
            return _until(by, (lambda part=part: part(run) for part in parts))

        return decided

    def choice(self, node: Choice) -> _Evaluate:
        condition, then, otherwise = self.of(node.condition), self.of(node.then), self.of(node.otherwise)

        def chosen(run: Run) -> Any:
            value = condition(run)
            if not isinstance(value, bool):
                raise wrong_types("a choice")
            return then(run) if value else otherwise(run)

        return chosen

    def macro(self, node: Macro) -> _Evaluate:
        receiver = self.of(node.receiver)
        self._bound += node.names
        bodies = [self.of(body) for body in node.bodies]
        del self._bound[len(self._bound) - len(node.names) :]
        names = node.names
        work = _MACROS[node.name]

        def evaluated(run: Run) -> Any:
            value = receiver(run)
            hidden = {name: run.values[name] for name in names if name in run.values}
            try:
                return work(run, value, names, bodies)
            finally:
                for name in names:
                    run.values.pop(name, None)
                run.values.update(hidden)

        return evaluated


_MAKERS: Final[dict[type, Callable[[_Compiler, Any], _Evaluate]]] = {
    Literal: _Compiler.literal,
    Name: _Compiler.name,
    Select: _Compiler.select,
    Index: _Compiler.index,
    Call: _Compiler.call,
    Macro: _Compiler.macro,
    ListOf: _Compiler.list_of,
    MapOf: _Compiler.map_of,
    Message: _Compiler.message,
    AllOf: _Compiler.all_of,
    AnyOf: _Compiler.any_of,
    Choice: _Compiler.choice,
}


def _path_of(node: Any, name: str) -> tuple[str, ...]:
    if isinstance(node, Select):
        fields: list[str] = []
        inner: Node = node
        while isinstance(inner, Select):
            fields.insert(0, _unescaped(inner.field))
            inner = inner.operand
        return tuple(fields) if inner == Name(name) else _path_of(inner, name)
    parts = node if isinstance(node, tuple) else vars(node).values() if hasattr(node, "__dict__") else ()
    return next(filter(None, (_path_of(part, name) for part in parts)), ())


def _takes(function: Callable[..., Any], count: int) -> bool:
    """Whether it can be called with so many arguments beside the budget."""
    code = function.__code__
    most = code.co_argcount - 1
    return most - len(function.__defaults__ or ()) <= count and (count <= most or bool(code.co_flags & CO_VARARGS))


def _unescaped(field: str) -> str:
    """The property that is meant: what is no CEL name is written so that it is one."""
    if "__" not in field:
        return field
    if field.startswith("__") and field.endswith("__") and field[2:-2].isalpha():
        return field[2:-2]
    return _ESCAPED.sub(lambda match: _ESCAPES[match[0]], field)


def _at(within: Any, key: Any) -> Optional:
    if isinstance(within, list):
        if isinstance(key, bool) or not isinstance(key, (int, float)) or key != int(key):
            raise wrong_types("an index")
        return Optional(within[int(key)], True) if 0 <= key < len(within) else Optional()
    if isinstance(within, dict):
        if isinstance(key, bool) or not isinstance(key, (str, int, float)):
            raise wrong_types("a key")
        return Optional(within[key], True) if key in within else Optional()
    raise wrong_types("an index")


def _optional(value: Any) -> Optional:
    if not isinstance(value, Optional):
        raise wrong_types("an optional entry")
    return value


def _put(found: dict[Any, Any], key: Any, value: Any) -> None:
    if isinstance(key, bool) or not isinstance(key, (str, int)):
        raise NotJudged("a map with such keys")
    if key in found:
        raise Failed(f"insert failed: key {key} already exists")
    found[key] = value


def _until(by: bool, parts: Any) -> bool:
    """`&&`, `||`, all() and exists(): one part can decide, and what fails beside it does not count."""
    pending: Failed | NotJudged | None = None
    for part in parts:
        try:
            value = part()
            if not isinstance(value, bool):
                raise wrong_types("and, or or all()")
        except TooMuch:
            raise
        except NotJudged as error:
            pending = error
        except Failed as error:
            pending = pending or error
        else:
            if value is by:
                return by
    if pending is not None:
        raise pending
    return not by


# -- macros

_Names = tuple[str, ...]
_Bodies = list[_Evaluate]


def _steps(run: Run, value: Any, names: _Names) -> Any:
    """Goes through a list or a map, and binds the names at each step."""
    if not isinstance(value, (list, dict)):
        raise wrong_types("a loop")
    if len(names) == 1:
        pairs: Any = ((one,) for one in value)
    else:
        pairs = value.items() if isinstance(value, dict) else enumerate(value)
    for bound in pairs:
        run.spend(1)
        for name, one in zip(names, bound, strict=True):
            run.values[name] = one
        yield bound


def _all(run: Run, value: Any, names: _Names, bodies: _Bodies) -> bool:
    return _until(False, ((lambda: bodies[0](run)) for _ in _steps(run, value, names)))


def _exists(run: Run, value: Any, names: _Names, bodies: _Bodies) -> bool:
    return _until(True, ((lambda: bodies[0](run)) for _ in _steps(run, value, names)))


def _true(value: Any) -> bool:
    if not isinstance(value, bool):
        raise wrong_types("a condition")
    return value


def _exists_one(run: Run, value: Any, names: _Names, bodies: _Bodies) -> bool:
    return sum(_true(bodies[0](run)) for _ in _steps(run, value, names)) == 1


def _mapped(run: Run, value: Any, names: _Names, bodies: _Bodies) -> list[Any]:
    *conditions, body = bodies
    return [body(run) for _ in _steps(run, value, names) if all(_true(one(run)) for one in conditions)]


def _filtered(run: Run, value: Any, names: _Names, bodies: _Bodies) -> list[Any]:
    return [bound[0] for bound in _steps(run, value, names) if _true(bodies[0](run))]


def _to_map(run: Run, value: Any, names: _Names, bodies: _Bodies) -> dict[Any, Any]:
    *conditions, body = bodies
    found: dict[Any, Any] = {}
    for bound in _steps(run, value, names):
        if all(_true(one(run)) for one in conditions):
            _put(found, bound[0], body(run))
    return found


def _to_entries(run: Run, value: Any, names: _Names, bodies: _Bodies) -> dict[Any, Any]:
    *conditions, body = bodies
    found: dict[Any, Any] = {}
    for _ in _steps(run, value, names):
        if all(_true(one(run)) for one in conditions):
            entry = body(run)
            if not isinstance(entry, dict):
                raise wrong_types("transformMapEntry()")
            for key, one in entry.items():
                _put(found, key, one)
    return found


def _sorted_by(run: Run, value: Any, names: _Names, bodies: _Bodies) -> list[Any]:
    keys = [bodies[0](run) for _ in _steps(run, value, names)]
    return cel_lists.sort_by(run.spend, value, keys)


def _opt_map(run: Run, value: Any, names: _Names, bodies: _Bodies) -> Optional:
    if not _optional(value).present:
        return Optional()
    run.values[names[0]] = value.value
    return Optional(bodies[0](run), True)


def _opt_flat_map(run: Run, value: Any, names: _Names, bodies: _Bodies) -> Optional:
    found = _opt_map(run, value, names, bodies)
    return _optional(found.value) if found.present else found


_MACROS: Final[dict[str, Callable[[Run, Any, _Names, _Bodies], Any]]] = {
    "all": _all,
    "exists": _exists,
    "exists_one": _exists_one,
    "existsOne": _exists_one,
    "map": _mapped,
    "filter": _filtered,
    "transformList": _mapped,
    "transformMap": _to_map,
    "transformMapEntry": _to_entries,
    "sortBy": _sorted_by,
    "optMap": _opt_map,
    "optFlatMap": _opt_flat_map,
}
