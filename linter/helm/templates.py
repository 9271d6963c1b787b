"""The templates of a chart, and what is known of all of them together."""

from __future__ import annotations

from collections.abc import Mapping

from ..yaml.lazy import lazy
from .expressions import Call, Path
from .statements import Statement, includes, statements_of
from .template_file import TemplateFile


class Templates:
    def __init__(self, files: tuple[TemplateFile, ...]) -> None:
        self.files = files

    @lazy
    def statements(self) -> tuple[Statement, ...]:
        return tuple(statement for file in self.files for statement in statements_of(file))

    @lazy
    def users(self) -> Mapping[str, list[Statement]]:
        """By the name of a named template: the statements that use it."""
        found: dict[str, list[Statement]] = {}
        for statement in self.statements:
            for name in includes(statement):
                if name is not None:
                    found.setdefault(name, []).append(statement)
        return found

    @lazy
    def has_made_up_names(self) -> bool:
        """Whether some named template is used by a name that only a render knows."""
        return any(name is None for statement in self.statements for name in includes(statement))

    @lazy
    def uses_unknown(self) -> bool:
        """Whether a named template is used that is made nowhere here, so that a file is missing."""
        made = {statement.define for statement in self.statements if statement.define}
        return any(name not in made for name in self.users)

    @lazy
    def calls(self) -> Mapping[str, list[tuple[Statement, Call]]]:
        """By the name of a function: where it is called."""
        found: dict[str, list[tuple[Statement, Call]]] = {}
        for statement in self.statements:
            for call in statement.calls:
                found.setdefault(call.name, []).append((statement, call))
        return found

    @lazy
    def together(self) -> Mapping[tuple[int, str], list[Statement]]:
        """By file and named template: the statements that see each other's variables."""
        found: dict[tuple[int, str], list[Statement]] = {}
        for statement in self.statements:
            found.setdefault((id(statement.file), statement.define), []).append(statement)
        return found

    @lazy
    def variable_uses(self) -> Mapping[tuple[int, str, str], list[tuple[Statement, Path]]]:
        """By file, named template and variable: where it is read."""
        found: dict[tuple[int, str, str], list[tuple[Statement, Path]]] = {}
        for statement in self.statements:
            for path in statement.paths:
                if path.base not in ("", "$"):
                    found.setdefault((id(statement.file), statement.define, path.base), []).append((statement, path))
        return found

    @lazy
    def by_variable(self) -> Mapping[tuple[int, str, str], list[Statement]]:
        """By file, named template and variable: what assigns to it."""
        found: dict[tuple[int, str, str], list[Statement]] = {}
        for statement in self.statements:
            if statement.variable:
                found.setdefault((id(statement.file), statement.define, statement.variable), []).append(statement)
        return found
