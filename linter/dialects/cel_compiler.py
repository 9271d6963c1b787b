"""From CEL's nodes to functions, so that nothing is looked up twice."""

from __future__ import annotations

import re
from collections.abc import Callable
from inspect import CO_VARARGS
from typing import Any, Final

from . import cel_functions, cel_kubernetes
from .cel_macros import MACROS, Evaluate, Run, optional_of, put, until
from .cel_nodes import (
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
)
from .cel_values import Failed, Optional, wrong_types
from .go_regexp import NotJudged

FUNCTIONS: Final = {**cel_functions.FUNCTIONS, **cel_kubernetes.FUNCTIONS}
METHODS: Final = {**cel_functions.METHODS, **cel_kubernetes.METHODS}
_ESCAPES: Final = {"__underscores__": "__", "__dot__": ".", "__dash__": "-", "__slash__": "/"}
_ESCAPED: Final = re.compile("|".join(_ESCAPES))


class Compiler:
    def __init__(self) -> None:
        self.free: set[str] = set()
        self.unknown: list[tuple[str, str]] = []
        self._bound: list[str] = []

    def of(self, node: Node) -> Evaluate:
        make = _MAKERS[type(node)]
        return make(self, node)

    def literal(self, node: Literal) -> Evaluate:
        value = node.value
        return lambda run: value

    def name(self, node: Name) -> Evaluate:
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

    def select(self, node: Select) -> Evaluate:
        operand, field = self.of(node.operand), node.field
        plain = unescaped(field)

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

    def index(self, node: Index) -> Evaluate:
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

    def call(self, node: Call) -> Evaluate:
        if node.receiver is None:
            return self._function(node.name, node.arguments)
        if isinstance(node.receiver, Name) and node.receiver.name not in self._bound:
            qualified = f"{node.receiver.name}.{node.name}"
            if qualified in FUNCTIONS:
                return self._function(qualified, node.arguments)
        if node.name in ("or", "orValue") and len(node.arguments) == 1:
            return self._or(node.receiver, node.arguments[0], unwrap=node.name == "orValue")
        return self._applied(node.name, METHODS.get(node.name), (node.receiver, *node.arguments))

    def _function(self, name: str, arguments: tuple[Node, ...]) -> Evaluate:
        return self._applied(name, FUNCTIONS.get(name), arguments)

    def _applied(self, name: str, function: Callable[..., Any] | None, arguments: tuple[Node, ...]) -> Evaluate:
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

    def _or(self, receiver: Node, argument: Node, unwrap: bool) -> Evaluate:
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

    def list_of(self, node: ListOf) -> Evaluate:
        items = [(self.of(item), optional) for item, optional in node.items]

        def made(run: Run) -> list[Any]:
            run.spend(len(items))
            found: list[Any] = []
            for item, optional in items:
                value = item(run)
                if optional:
                    found += [value.value] if optional_of(value).present else []
                else:
                    found.append(value)
            return found

        return made

    def map_of(self, node: MapOf) -> Evaluate:
        entries = [(self.of(key), self.of(value), optional) for key, value, optional in node.entries]

        def made(run: Run) -> dict[Any, Any]:
            run.spend(len(entries))
            found: dict[Any, Any] = {}
            for key_of, value_of, optional in entries:
                key, value = key_of(run), value_of(run)
                if optional and not optional_of(value).present:
                    continue
                if isinstance(key, (str, int)) and key in found:
                    raise NotJudged("a map with the same key twice")
                put(found, key, value.value if optional else value)
            return found

        return made

    def message(self, node: Message) -> Evaluate:
        def not_known(run: Run) -> Any:
            raise NotJudged(f"an object of the type {node.name}")

        return not_known

    def all_of(self, node: AllOf) -> Evaluate:
        return self._decided([self.of(part) for part in node.parts], by=False)

    def any_of(self, node: AnyOf) -> Evaluate:
        return self._decided([self.of(part) for part in node.parts], by=True)

    def _decided(self, parts: list[Evaluate], by: bool) -> Evaluate:
        def decided(run: Run) -> bool:
            run.spend(0)
            return until(by, (lambda part=part: part(run) for part in parts))

        return decided

    def choice(self, node: Choice) -> Evaluate:
        condition, then, otherwise = self.of(node.condition), self.of(node.then), self.of(node.otherwise)

        def chosen(run: Run) -> Any:
            value = condition(run)
            if not isinstance(value, bool):
                raise wrong_types("a choice")
            return then(run) if value else otherwise(run)

        return chosen

    def macro(self, node: Macro) -> Evaluate:
        receiver = self.of(node.receiver)
        self._bound += node.names
        bodies = [self.of(body) for body in node.bodies]
        del self._bound[len(self._bound) - len(node.names) :]
        names = node.names
        work = MACROS[node.name]

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


_MAKERS: Final[dict[type, Callable[[Compiler, Any], Evaluate]]] = {
    Literal: Compiler.literal,
    Name: Compiler.name,
    Select: Compiler.select,
    Index: Compiler.index,
    Call: Compiler.call,
    Macro: Compiler.macro,
    ListOf: Compiler.list_of,
    MapOf: Compiler.map_of,
    Message: Compiler.message,
    AllOf: Compiler.all_of,
    AnyOf: Compiler.any_of,
    Choice: Compiler.choice,
}


def _takes(function: Callable[..., Any], count: int) -> bool:
    """Whether it can be called with so many arguments beside the budget."""
    code = function.__code__
    most = code.co_argcount - 1
    return most - len(function.__defaults__ or ()) <= count and (count <= most or bool(code.co_flags & CO_VARARGS))


def unescaped(field: str) -> str:
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
