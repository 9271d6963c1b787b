"""Whether Helm comes to an action with given values: yes, no, or nobody can tell.

Three-valued throughout: True, False, and None for what only a render knows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from .expressions import Call, Expression, Literal, Path, Unknown, walk
from .merged_values import Leaf, Tree, find, plain
from .statements import Guard, Statement

if TYPE_CHECKING:
    from .templates import Templates

_DEEPEST: Final = 12
_MOST_USES: Final = 20
RANDOM: Final = frozenset(
    {
        "randAlphaNum", "randAlpha", "randNumeric", "randAscii", "randBytes", "randInt", "shuffle", "uuidv4",
        "genPrivateKey", "genCA", "genCAWithKey", "genSelfSignedCert", "genSelfSignedCertWithKey",
        "genSignedCert", "genSignedCertWithKey", "htpasswd", "bcrypt", "encryptAES",
    }
)  # fmt: skip
CLOCK: Final = frozenset({"now", "ago"})
_RELEASE: Final[Mapping[str, object]] = {"IsInstall": True, "IsUpgrade": False, "Revision": 1}


class _Undecided:
    """The value of what nobody can tell."""


UNDECIDED: Final = _Undecided()


class Way(NamedTuple):
    """One thing that has to hold for an action to be reached, and which value decides it."""

    holds: bool | None
    path: Path | None = None
    """The value that keeps it from being reached because it is set."""


@dataclass(eq=False)
class Reach:
    """What the templates of one chart do with one set of values."""

    values: Tree
    templates: Templates
    is_open: bool = False
    """True when templates that are not here may use those that are: of a library, or of a parent."""
    _defines: dict[str, bool | None] = field(default_factory=dict)

    def of(self, statement: Statement, part: Expression | None = None) -> bool | None:
        """Whether the action is reached, and the value of a part of it is used."""
        return _all(way.holds for way in self.ways(statement, part))

    def ways(self, statement: Statement, part: Expression | None = None) -> list[Way]:
        return list(self._ways(statement, part, 0))

    def _ways(self, statement: Statement, part: Expression | None, depth: int) -> Iterator[Way]:
        if statement.define:
            yield Way(self._used(statement.define, depth))
        for guard in statement.guards:
            yield self._guard(guard, statement)
        if part is not None:
            yield from self._chain(statement.expression, part, statement)
            if statement.variable and statement.keyword == "":
                yield from self._through_variable(statement, depth)

    def _guard(self, guard: Guard, statement: Statement) -> Way:
        truth = self.truth(guard.condition, statement)
        holds = None if truth is None else truth is guard.holds
        path = _only_path(guard.condition) if holds is False else None
        return Way(holds, path if path is not None and self._is_set(path, statement) else None)

    def _is_set(self, path: Path, statement: Statement) -> bool:
        return self.truth(path, statement) is True

    # -- named templates

    def _used(self, name: str, depth: int) -> bool | None:
        if name not in self._defines:
            self._defines[name] = False if depth <= _DEEPEST else None  # one that uses itself adds nothing
            users = self.templates.users.get(name, ())
            verdict = _any(_all(way.holds for way in self._ways(one, None, depth + 1)) for one in users)
            if verdict is False and not users and (self.is_open or self.templates.has_made_up_names):
                verdict = None
            self._defines[name] = verdict
        return self._defines[name]

    # -- variables

    def _through_variable(self, statement: Statement, depth: int) -> Iterator[Way]:
        """What is kept in a variable counts where the variable is used."""
        if depth > _DEEPEST or any(call.name in ("set", "unset", "merge", "append") for call in statement.calls):
            return
        read = self.templates.variable_uses.get((id(statement.file), statement.define, statement.variable), ())
        later = [(one, path) for one, path in read if one.span.start > statement.span.start]
        uses = later[:_MOST_USES]
        verdicts: list[bool | None] = []
        ways: list[Way] = []
        for one, path in uses:
            found = list(self._ways(one, path, depth + 1))
            verdicts.append(_all(way.holds for way in found))
            ways += [way for way in found if way.path is not None]
        if len(later) > _MOST_USES:
            verdicts.append(None)
        verdict = _any(verdicts) if uses else False
        yield Way(verdict, ways[0].path if verdict is False and ways else None)

    # -- what a part of an expression is used for

    def _chain(self, whole: Expression, part: Expression, statement: Statement) -> Iterator[Way]:
        """``default``, ``coalesce``, ``ternary`` and the like take one of the things that they are given."""
        if whole is part or isinstance(whole, (Literal, Path)):
            return
        inside = whole.inside if isinstance(whole, Unknown) else whole.arguments
        at = next((number for number, one in enumerate(inside) if _holds(one, part)), None)
        if at is None:
            return
        if isinstance(whole, Call):
            yield from self._choice(whole, at, statement)
        yield from self._chain(inside[at], part, statement)

    def _choice(self, call: Call, at: int, statement: Statement) -> Iterator[Way]:
        arguments = call.arguments
        before: tuple[Expression, ...] = ()
        if call.name == "default" and at == 0 and len(arguments) > 1:
            before = arguments[1:2]
        elif call.name in ("coalesce", "or"):
            before = arguments[:at]
        elif call.name == "ternary" and len(arguments) == 3 and at < 2:
            truth = self.truth(arguments[2], statement)
            yield Way(None if truth is None else truth is (at == 0), _only_path(arguments[2]))
        elif call.name == "and":
            yield from (Way(self.truth(one, statement)) for one in arguments[:at])
        for one in before:
            truth = self.truth(one, statement)
            yield Way(None if truth is None else not truth, _only_path(one) if truth else None)

    # -- truth

    def truth(self, expression: Expression, statement: Statement) -> bool | None:
        value = self.value(expression, statement)
        return None if value is UNDECIDED else bool(value)

    def value(self, expression: Expression, statement: Statement, depth: int = 0) -> Any:
        if depth > _DEEPEST:
            return UNDECIDED
        if isinstance(expression, Literal):
            return expression.value
        if isinstance(expression, Path):
            return self._path(expression, statement, depth)
        if isinstance(expression, Call):
            return self._call(expression, statement, depth)
        return UNDECIDED

    def _path(self, path: Path, statement: Statement, depth: int) -> Any:
        if path.base not in ("", "$"):
            return self._variable(path, statement, depth)
        if path.names[:1] == ("Values",):
            return self._at(path.names[1:])
        if path.names[:1] == ("Release",) and len(path.names) == 2:
            return _RELEASE.get(path.names[1], UNDECIDED)
        dot = next((guard for guard in reversed(statement.guards) if guard.kind in ("with", "range")), None)
        if path.base == "" and dot is not None and dot.kind == "with" and dot.holds:
            above = dot.condition
            if isinstance(above, Path) and above.base in ("", "$") and above.names[:1] == ("Values",):
                return self._at((*above.names[1:], *path.names))
        return UNDECIDED

    def _at(self, names: Sequence[str]) -> Any:
        found = find(self.values, names)
        return None if found is None else plain(found)

    def leaf(self, path: Path) -> Leaf | None:
        """The value that a path of ``.Values`` leads to, with its place."""
        if path.base not in ("", "$") or path.names[:1] != ("Values",):
            return None
        found = find(self.values, path.names[1:])
        return found if isinstance(found, Leaf) else None

    def _variable(self, path: Path, statement: Statement, depth: int) -> Any:
        written = self.templates.by_variable.get((id(statement.file), statement.define, path.base), ())
        if len(written) != 1 or written[0].keyword:
            return UNDECIDED
        value = self.value(written[0].expression, written[0], depth + 1)
        for name in path.names:
            if value is UNDECIDED:
                return UNDECIDED
            value = value.get(name) if isinstance(value, dict) else None
        return value

    def _call(self, call: Call, statement: Statement, depth: int) -> Any:
        name = call.name
        if name == "lookup":
            return {}
        given = [self.value(one, statement, depth + 1) for one in call.arguments]
        if name in ("and", "or"):
            return _logic(name, given)
        if name == "default" and len(given) == 2:
            return given[0] if given[1] is not UNDECIDED and not given[1] else given[1]
        if any(one is UNDECIDED for one in given):
            return UNDECIDED
        if name in ("not", "empty") and len(given) == 1:
            return not given[0]
        if name in ("eq", "ne") and len(given) >= 2:
            same = any(given[0] == other and type(given[0]) is type(other) for other in given[1:])
            return same if name == "eq" else not same
        if name == "hasKey" and len(given) == 2 and isinstance(given[0], dict):
            return given[1] in given[0]
        if name == "coalesce":
            return next((one for one in given if one), None)
        if name == "required" and len(given) == 2:
            return given[1]
        if name in ("get", "index") and len(given) == 2 and isinstance(given[0], dict):
            return given[0].get(given[1])
        if name in ("index", "dig") and given and given[0] == {}:
            return None if name == "index" else UNDECIDED
        return UNDECIDED


def _logic(name: str, given: list[Any]) -> Any:
    deciding = name == "or"
    for one in given:
        if one is not UNDECIDED and bool(one) is deciding:
            return one
    if any(one is UNDECIDED for one in given):
        return UNDECIDED
    return given[-1] if given else UNDECIDED


def _holds(expression: Expression, part: Expression) -> bool:
    return any(one is part for one in walk(expression))


def _only_path(expression: Expression) -> Path | None:
    """The value that a condition asks for, where it asks for one."""
    paths = [one for one in walk(expression) if isinstance(one, Path) and one.names]
    return paths[0] if len(paths) == 1 else None


def _all(verdicts: Iterator[bool | None] | Sequence[bool | None]) -> bool | None:
    found: bool | None = True
    for one in verdicts:
        if one is False:
            return False
        found = None if one is None else found
    return found


def _any(verdicts: Iterator[bool | None] | Sequence[bool | None]) -> bool | None:
    found: bool | None = False
    for one in verdicts:
        if one is True:
            return True
        found = None if one is None else found
    return found
