"""Nodes and data → text, as Go's text/template executes them, with a limit on everything."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, auto
from typing import Final

from .blanks import Blank, BlankTexts, OpenMap, refuse_blank
from .budget import Budget
from .function_types import Function, Type, assignable
from .go_values import MAX_TEXT, MISSING, Result, StringMap, Value, check_order, is_true, printed, size_of, type_name
from .template_errors import CannotEvaluate, TemplateError, WrongMap
from .template_nodes import (
    Action,
    Block,
    Branch,
    Call,
    Chain,
    Command,
    Dot,
    Field,
    Leave,
    Literal,
    Name,
    Nil,
    Node,
    Operand,
    Pipe,
    Range,
    Template,
    Text,
    Variable,
)

MAX_CALLS: Final = 20


class MissingKey(Enum):
    """What goTemplateOptions say about keys that are not there."""

    DEFAULT = "default"
    ZERO = "zero"
    ERROR = "error"


class _Next(Enum):
    GO_ON = auto()
    BREAK = auto()
    CONTINUE = auto()


class _Stop(Enum):
    NO_ARGUMENT = auto()


_NO_ARGUMENT: Final = _Stop.NO_ARGUMENT


def execute(
    template: Template, data: Value, functions: Mapping[str, Function], missing_key: MissingKey, budget: Budget
) -> str:
    run = _Run(template, functions, missing_key, budget)
    run.block(template.root, data, [("$", data)])
    return "".join(run.output)


class _Run:
    def __init__(
        self, template: Template, functions: Mapping[str, Function], missing_key: MissingKey, budget: Budget
    ) -> None:
        self.template = template
        self.budget = budget
        self.functions = functions
        self.missing_key = missing_key
        self.output: list[str] = []
        self.written = 0
        self.calls = 0
        self.variables: list[tuple[str, Result]] = []

    # -- limits and complaints

    def write(self, text: str) -> None:
        self.written += len(text)
        if self.written > MAX_TEXT:
            raise CannotEvaluate("a result of more than a million characters")
        self.output.append(text)

    def failed(self, node: Operand | Command | Call, message: str) -> TemplateError:
        before = self.template.source[: node.at]
        column = node.at - (before.rfind("\n") + 1)
        context = node.source if len(node.source) <= 20 else f"{node.source[:20]}..."
        where = f"template: :{before.count(chr(10)) + 1}:{column}"
        return TemplateError(f'{where}: executing "" at <{context}>: {message}')

    # -- nodes

    def block(self, nodes: Block, dot: Result, variables: list[tuple[str, Result]]) -> _Next:
        """Run nodes with these variables in sight; what they declare is gone afterwards."""
        outer, self.variables = self.variables, variables
        known = len(variables)
        following = _Next.GO_ON
        for node in nodes:
            self.budget.spend(1)
            following = self.node(node, dot)
            if following is not _Next.GO_ON:
                break
        del variables[known:]
        self.variables = outer
        return following

    def node(self, node: Node, dot: Result) -> _Next:
        if isinstance(node, Text):
            self.write(node.text)
        elif isinstance(node, Action):
            value = self.pipe(node.pipe, dot)
            if not node.pipe.variables:
                self.budget.spend(size_of(value) // 20)
                self.write(printed(value))
        elif isinstance(node, Branch):
            return self.branch(node, dot)
        elif isinstance(node, Range):
            return self.range_(node, dot)
        elif isinstance(node, Call):
            self.call(node, dot)
        elif isinstance(node, Leave):
            return _Next.BREAK if node.loop else _Next.CONTINUE
        return _Next.GO_ON

    def branch(self, node: Branch, dot: Result) -> _Next:
        known = len(self.variables)
        value = self.pipe(node.pipe, dot)
        refuse_blank(value)
        if is_true(value):
            following = self.block(node.then, value if node.sets_dot else dot, self.variables)
        else:
            following = self.block(node.otherwise, dot, self.variables)
        del self.variables[known:]
        return following

    def range_(self, node: Range, dot: Result) -> _Next:
        if node.pipe.assigns:
            raise CannotEvaluate("a range that assigns to variables declared before it")
        known = len(self.variables)
        value = self.pipe(node.pipe, dot)
        del self.variables[known:]
        check_order(value)
        refuse_blank(value)
        if isinstance(value, int) and not isinstance(value, bool):
            raise CannotEvaluate("a range over a number, which depends on the version of Go")
        if not isinstance(value, list | dict | None) and value is not MISSING:
            raise self.failed(node.pipe, f"range can't iterate over {printed(value)}")
        items = _items(value)
        for key, item in items:
            self.budget.spend(1)
            self.variables += zip(node.pipe.variables[::-1], (item, key), strict=False)
            following = self.block(node.body, item, self.variables)
            del self.variables[known:]
            if following is _Next.BREAK:
                break
        if not items:
            return self.block(node.otherwise, dot, self.variables)
        return _Next.GO_ON

    def call(self, node: Call, dot: Result) -> None:
        body = self.template.defined.get(node.name)
        if body is None:
            raise self.failed(node, f'template "{node.name}" not defined')
        self.calls += 1
        if self.calls > MAX_CALLS:
            raise CannotEvaluate("templates that call each other too deeply")
        argument = self.pipe(node.pipe, dot) if node.pipe else MISSING
        self.block(body, argument, [("$", argument)])
        self.calls -= 1

    # -- pipelines

    def pipe(self, pipe: Pipe, dot: Result) -> Result:
        value: Result | _Stop = _NO_ARGUMENT
        for command in pipe.commands:
            value = self.command(command, dot, value)
            if value is None:
                value = MISSING  # Go looks into the interface, and nothing is there
        result = MISSING if isinstance(value, _Stop) else value
        for name in pipe.variables:
            if pipe.assigns:
                self.assign(name, result)
            else:
                self.variables.append((name, result))
        return result

    def assign(self, name: str, value: Result) -> None:
        for index in range(len(self.variables) - 1, -1, -1):
            if self.variables[index][0] == name:
                self.variables[index] = (name, value)
                return

    def command(self, command: Command, dot: Result, final: Result | _Stop) -> Result:
        self.budget.spend(1)
        first, *arguments = command.words
        if isinstance(first, Name):
            return self.function(first, command, tuple(arguments), dot, final)
        if arguments or not isinstance(final, _Stop):
            if isinstance(first, Field | Variable | Chain) and first.names:
                raise self.failed(first, f"{first.names[-1]} is not a method but has arguments")
            raise self.failed(first, f"can't give argument to non-function {first.source}")
        if isinstance(first, Nil):
            raise self.failed(first, "nil is not a command")
        return self.operand(first, dot)

    def operand(self, node: Operand, dot: Result) -> Result:
        if isinstance(node, Literal):
            return node.value
        if isinstance(node, Dot):
            return dot
        if isinstance(node, Field):
            return self.fields(node, dot, node.names)
        if isinstance(node, Variable):
            return self.fields(node, self.variable(node), node.names)
        if isinstance(node, Pipe):
            known = len(self.variables)
            value = self.pipe(node, dot)
            del self.variables[known:]
            return value
        if isinstance(node, Chain):
            return self.fields(node, self.operand(node.inner, dot), node.names)
        if isinstance(node, Name):
            return self.function(node, node, (), dot, _NO_ARGUMENT)
        raise self.failed(node, "nil is not a command")

    def variable(self, node: Variable) -> Result:
        for name, value in reversed(self.variables):
            if name == node.name:
                return value
        raise self.failed(node, f"undefined variable: {node.name}")

    def fields(self, node: Field | Variable | Chain, value: Result, names: tuple[str, ...]) -> Result:
        for name in names:
            self.budget.spend(1)
            value = self.field(node, value, name)
        return value

    def field(self, node: Field | Variable | Chain, value: Result, name: str) -> Result:
        if value is MISSING:
            if self.missing_key is MissingKey.ERROR:
                raise self.failed(node, f'nil data; no entry for key "{name}"')
            return MISSING
        if value is None:
            raise self.failed(node, f"nil pointer evaluating interface {{}}.{name}")
        if isinstance(value, Blank):
            return value.field(name)
        if not isinstance(value, dict):
            raise self.failed(node, f"can't evaluate field {name} in type {type_name(value)}")
        if name in value:
            return value[name]
        if isinstance(value, OpenMap):
            return value.blank(name)
        if self.missing_key is MissingKey.ERROR:
            raise self.failed(node, f'map has no entry for key "{name}"')
        if self.missing_key is MissingKey.ZERO:
            return "" if isinstance(value, StringMap) else None
        return MISSING

    # -- functions

    def function(
        self, name: Name, node: Command | Name, arguments: tuple[Operand, ...], dot: Result, final: Result | _Stop
    ) -> Result:
        function = self.functions[name.source]
        if name.source in ("and", "or"):
            return self.logic(name, node, arguments, dot, final)
        count = len(arguments) + (not isinstance(final, _Stop))
        complaint = function.complaint(name.source, count)
        if complaint:
            raise self.failed(name, complaint)
        values = [self.argument(word, function.type_at(index), dot) for index, word in enumerate(arguments)]
        if not isinstance(final, _Stop):
            values.append(self.assigned(name, final, function.type_at(len(arguments))))
        if any(isinstance(value, Blank) for value in values):
            return Blank(f"{final.expression} | {node.source}" if isinstance(final, Blank) else node.source)
        self.charge(function, values)
        try:
            result = function.metered(self.budget, *values) if function.metered else function.call(*values)
        except TemplateError as error:
            raise self.failed(node, f"error calling {name.source}: {error}") from None
        self.budget.spend(len(result) // 20 if isinstance(result, list) else 0)
        return result

    def charge(self, function: Function, values: list[Value]) -> None:
        """A call counts for as many steps as it has to look at."""
        self.budget.spend(1 + sum(map(size_of, values)) // 20)
        if not function.orderless:
            for value in values:
                check_order(value)

    def logic(
        self, name: Name, node: Command | Name, arguments: tuple[Operand, ...], dot: Result, final: Result | _Stop
    ) -> Result:
        """and, or: the arguments after the one that decides are not looked at."""
        if not arguments and isinstance(final, _Stop):
            raise self.failed(name, f"wrong number of args for {name.source}: want at least 1 got 0")
        value: Value = None
        for word in arguments:
            value = self.argument(word, Type.ANY, dot)
            refuse_blank(value)
            if is_true(value) is (name.source == "or"):
                return value
        return value if isinstance(final, _Stop) else assignable(final, Type.ANY)

    def argument(self, word: Operand, wanted: Type, dot: Result) -> Value:
        if isinstance(word, Nil):
            if wanted not in (Type.ANY, Type.MAP):
                raise self.failed(word, f"cannot assign nil to {wanted.value}")
            return None
        if isinstance(word, Literal):
            return self.literal(word, wanted)
        return self.assigned(word, self.operand(word, dot), wanted)

    def literal(self, word: Literal, wanted: Type) -> Value:
        value = word.value
        if wanted is Type.FLOAT and isinstance(value, int) and not isinstance(value, bool):
            return float(value)
        if wanted is Type.INT and isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
            return int(value)
        expected = {Type.INT: "integer", Type.FLOAT: "float"}.get(wanted, wanted.value)
        if wanted is Type.MAP:
            raise self.failed(word, f"can't handle {word.source} for arg of type {wanted.value}")
        try:
            return assignable(value, wanted)
        except TemplateError:
            raise self.failed(word, f"expected {expected}; found {word.source}") from None

    def assigned(self, word: Operand, value: Result, wanted: Type) -> Value:
        if isinstance(value, BlankTexts) and wanted is Type.MAP:
            value = StringMap()  # of a blank its type is known here
        if isinstance(value, Blank):
            return value  # of whatever type is wanted
        try:
            return assignable(value, wanted)
        except TemplateError as error:
            failed = self.failed(word, str(error))
            raise (WrongMap(str(failed)) if isinstance(value, StringMap) else failed) from None


def _items(value: Result) -> list[tuple[Value, Value]]:
    if isinstance(value, dict):
        return sorted(value.items())
    return list(enumerate(value)) if isinstance(value, list) else []
