"""What a template function is: its parameters' Go types, and what it does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from .go_values import MISSING, Result, StringMap, Value, type_name
from .template_errors import TemplateError


class Type(Enum):
    """The type of a parameter, by Go's name for it."""

    ANY = "interface {}"
    STRING = "string"
    INT = "int"
    FLOAT = "float64"
    BOOL = "bool"
    MAP = "map[string]interface {}"


_PYTHON: dict[Type, type] = {
    Type.STRING: str,
    Type.FLOAT: float,
    Type.BOOL: bool,
    Type.MAP: dict,
}


@dataclass(frozen=True)
class Function:
    call: Callable[..., Value]
    parameters: tuple[Type, ...] = ()
    rest: Type | None = None
    """The type of any number of further arguments."""
    orderless: bool = False
    """Its result does not depend on the order of a list that it is given."""
    metered: Callable[..., Value] | None = None
    """In the place of `call`, for work that its arguments do not show: it is given the budget first."""

    def type_at(self, index: int) -> Type:
        if index < len(self.parameters):
            return self.parameters[index]
        return self.rest or Type.ANY

    def complaint(self, name: str, count: int) -> str:
        """What is wrong with the number of arguments; empty when nothing is."""
        wanted = len(self.parameters)
        if self.rest is not None:
            return f"wrong number of args for {name}: want at least {wanted} got {count}" if count < wanted else ""
        return f"wrong number of args for {name}: want {wanted} got {count}" if count != wanted else ""


def assignable(value: Result, wanted: Type) -> Value:
    """The value as an argument; Go converts nothing, it only looks into interfaces."""
    if wanted is Type.ANY:
        return None if value is MISSING else value
    if value is MISSING:
        if wanted is Type.MAP:
            return None  # a nil map, which may be read
        raise TemplateError(f"invalid value; expected {wanted.value}")
    if value is None:
        raise TemplateError(f"wrong type for value; expected {wanted.value}; got interface {{}}")
    if _is(value, wanted):
        return value
    raise TemplateError(f"wrong type for value; expected {wanted.value}; got {type_name(value)}")


def _is(value: Value, wanted: Type) -> bool:
    if wanted is Type.INT:
        return type(value) is int
    return isinstance(value, _PYTHON[wanted]) and not isinstance(value, StringMap)
