"""Config files: which one counts, what it says, and on which line."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, Final

from ...facts.regexes import regex
from ...files.tops import folder_of, repository_root
from ...yaml.source import BYTE_ORDER_MARK, Node, Place, SourceFile, Spot

YAML_NAMES: Final = (".gitops-lint.yaml", ".gitops-lint.yml")
PYPROJECT: Final = "pyproject.toml"
NAMES: Final = (*YAML_NAMES, "gitops-lint.toml", PYPROJECT)
"""In one folder the first of these counts."""
PYPROJECT_TABLE: Final = ("tool", "gitops-lint")
MAX_BYTES: Final = 1_000_000
MAX_VALUES: Final = 50_000

_DEEPEST: Final = 50
"""No setting lies deeper than five levels."""
_DOTTED: Final = r"""(?:[\w-]{1,200}|"(?:[^"\\\n]|\\.){0,200}"|'[^'\n]{0,200}')[ \t]*\.[ \t]*"""
_MANY_DOTS: Final = regex(rf"(?<![\w-]){_DOTTED}(?:{_DOTTED}){{{_DEEPEST}}}")
"""A key like a.a.a: Python's reader takes time and memory with the square of its length."""

Keys = tuple[str | int, ...]
_OUR_TABLE: Final = re.compile(rb"^[ \t]*\[+[ \t]*tool[ \t]*\.[ \t]*[\"']?gitops-lint[\"']?[ \t]*[.\]]", re.MULTILINE)


class ConfigError(Exception):
    """The config cannot be used; the run ends before it begins."""

    def __init__(self, path: str, line: int, message: str) -> None:
        super().__init__(f"{path}:{line}: {message}")
        self.path = path
        self.line = line
        self.message = message


@dataclass(frozen=True)
class Settings:
    """What one config file says, and where each value stands."""

    file: SourceFile
    values: Mapping[str, Any]
    root: Node | None = None
    """None for TOML, whose parser keeps no places; a line is found by its key, which needs no other parser."""
    table: tuple[str, ...] = ()
    """The TOML table that holds them."""

    def at(self, *path: str | int) -> Place:
        if self.root is not None:
            return self.root.at(*path)
        return Spot(self.file, self.file.line_span(_toml_line(self.file, (*self.table, *path))))

    def line(self, *path: str | int) -> int:
        place = self.at(*path)
        start = place.key_span.start if isinstance(place, Node) else place.span.start
        return self.file.position(start).line

    def error(self, message: str, *path: str | int) -> ConfigError:
        return ConfigError(self.file.path, self.line(*path), message)


# -- which file


def find(start: Path) -> tuple[Path, ...]:
    """The config files of the nearest folder that has any, the one that counts first.

    The search ends at the root of the repository: what lies above belongs to somebody else.
    Without a repository only the folder itself is looked at.
    """
    folder, root = folder_of(start), repository_root(start)
    while True:
        found = tuple(folder / name for name in NAMES if _is_config(folder / name))
        if found or folder == root:
            return found
        folder = folder.parent


def _is_config(path: Path) -> bool:
    if not path.is_file():
        return False
    if path.name != PYPROJECT:
        return True
    try:
        with path.open("rb") as file:
            return has_our_table(file.read(MAX_BYTES))
    except OSError:
        return True  # reading it again will say why it cannot be


# -- what it says


def read(path: Path, shown_as: str) -> Settings:
    try:
        data = path.read_bytes() if path.stat().st_size <= MAX_BYTES else None
        text = None if data is None else data.decode()
    except OSError as error:
        raise ConfigError(shown_as, 1, f"cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ConfigError(shown_as, 1, "is not UTF-8") from None
    if text is None:
        raise ConfigError(shown_as, 1, f"is larger than {MAX_BYTES:,} bytes")
    return parse(text, path.name, shown_as)


def parse(text: str, name: str, shown_as: str) -> Settings:
    file = SourceFile(shown_as, text)
    return _read_toml(file, name) if name.endswith(".toml") else _read_yaml(file)


def has_our_table(data: bytes) -> bool:
    """Of a pyproject.toml."""
    return _OUR_TABLE.search(data) is not None


def _read_yaml(file: SourceFile) -> Settings:
    if file.problems:
        problem = file.problems[0]
        raise ConfigError(file.path, file.position(problem.span.start).line, problem.message)
    if not file.documents:
        return Settings(file, {})
    if len(file.documents) > 1:
        line = file.position(file.documents[1].root.key_span.start).line
        raise ConfigError(file.path, line, "a config is one document; this begins another")
    root = file.documents[0].root
    for count, node in enumerate(root.walk()):
        if count > MAX_VALUES:
            raise ConfigError(file.path, 1, f"has more than {MAX_VALUES:,} values, aliases followed")
        for repeated in node.duplicates:
            line = file.position(repeated.key_span.start).line
            raise ConfigError(file.path, line, f"{repeated.key!r} is given twice")
    return Settings(file, {} if root.value is None else root.value, root)


def _read_toml(file: SourceFile, name: str) -> Settings:
    dotted = _MANY_DOTS.search(file.text)
    if dotted:
        raise ConfigError(file.path, file.position(dotted.start()).line, "is nested too deep")
    try:
        values = _plain(_toml(file.text))
    except ValueError as error:
        line = re.search(r"at line (\d+)", str(error))
        raise ConfigError(file.path, int(line[1]) if line else 1, f"not TOML: {error}") from None
    except RecursionError:
        raise ConfigError(file.path, 1, "is nested too deep") from None
    if name != PYPROJECT:
        return Settings(file, values)
    own = _table(values, PYPROJECT_TABLE)
    if own is None:
        raise ConfigError(file.path, 1, f"has no table [{'.'.join(PYPROJECT_TABLE)}]")
    return Settings(file, own, table=PYPROJECT_TABLE)


def _toml(text: str) -> dict[str, Any]:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    return tomllib.loads(text.removeprefix(BYTE_ORDER_MARK))


def _table(values: Mapping[str, Any], path: tuple[str, ...]) -> Any:
    inner: Any = values
    for key in path:
        inner = inner.get(key) if isinstance(inner, dict) else None
    return inner


def _plain(value: Any, depth: int = 0) -> Any:
    """TOML has dates of its own; the schema, like YAML here, has them as text."""
    if depth > _DEEPEST:
        raise RecursionError
    if isinstance(value, dict):
        return {key: _plain(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item, depth + 1) for item in value]
    return value.isoformat() if isinstance(value, date) else value


def _toml_line(file: SourceFile, path: Keys) -> int:
    """The line that begins with the key, each key after the one before it; good enough to find it by eye."""
    at = 0
    for position, key in enumerate(path):
        if isinstance(key, int):
            continue
        index = path[position + 1] if position + 1 < len(path) else 0
        word = rf"[\"']?{re.escape(key)}[\"']?"
        header = rf"^[ \t]*\[\[[^\]\n]*{word}[ \t]*\]\]"
        assignment = rf"^[ \t]*(?:\[[^\]\n]*)?{word}[ \t]*[=\].]|[{{,][ \t]*{word}[ \t]*="
        headers = list(re.compile(header, re.MULTILINE).finditer(file.text, at))
        if headers and isinstance(index, int) and index < len(headers):
            found: re.Match[str] | None = headers[index]
        else:
            found = re.compile(assignment, re.MULTILINE).search(file.text, at)
        if found is None:
            break
        at = found.start() + len(found[0]) - len(found[0].lstrip())
    return file.position(at).line
