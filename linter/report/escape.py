"""Text from files and file names, made harmless for where it is going.

Whoever opens a pull request chooses this text. It must not move the cursor,
hide or reorder what a reviewer reads, run a workflow command, or become markup.
"""

from __future__ import annotations

import re
from typing import Final

from ..facts.regexes import regex
from ..yaml.scalars import UNKNOWN

_UNSEEN: Final = regex(
    "["
    "\x00-\x1f\x7f-\x9f"  # C0, DEL, C1: terminals obey them
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # they reorder what stands around them
    "\u00ad\u200b\u2028\u2029\u2060\ufeff\U000e0000-\U000e007f"  # they take no room, or break the line
    "\ud800-\udfff"  # bytes of a file name that are no UTF-8: no output stream takes them
    "]"
)
COMMAND_BRACKET: Final = regex(r"(?i:(?<=##)|(?<=##vso)|(?<=##teamcity))\[")
"""GitHub, Azure Pipelines and TeamCity look for `##[` and its like anywhere in a line of a step's output."""
_UNSEEN_IN_YAML: Final = regex(f"(?![\t\n]){_UNSEEN.pattern}|{COMMAND_BRACKET.pattern}")
_COMMAND_LINE: Final = regex(r"^\s*::", re.MULTILINE)
_MARKUP: Final = regex(r"[!\"#$&*:<>@\[\\\]^_`{|}~]|(?<=www)\.")

_MASKED: Final = regex(rf"(?:{UNKNOWN}|\\{{1,2}}u{ord(UNKNOWN):x}|#{ord(UNKNOWN)};)+")
"""What stands for an action in a template that was not rendered; JSON, sentences and Mermaid have it escaped."""


def without_masks(text: str) -> str:
    """With braces for what a template would fill in; also of a text that is a whole report already."""
    return _MASKED.sub(lambda found: "{{…}}" if found[0][0] == UNKNOWN else "{{...}}", text)


def code_of(character: str) -> str:
    """A character as an escape sequence that everybody can read."""
    number = ord(character)
    if number < 0x100:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


def visible(text: str) -> str:
    """On one line, with everything that acts instead of showing itself spelled out."""
    if text.isascii() and text.isprintable():
        return text
    return _UNSEEN.sub(lambda match: code_of(match[0]), text)


def terminal(text: str) -> str:
    """For a terminal, and for the log of a workflow step, which is one that also takes commands."""
    return COMMAND_BRACKET.sub(r"\\x5b", visible(text))


def terminal_line(text: str) -> str:
    """A whole line, whatever it begins with: the runner takes `::` after blanks for a command."""
    shown = terminal(text)
    return shown.replace(":", "\\x3a", 1) if shown.lstrip().startswith("::") else shown


def terminal_path(path: str) -> str:
    """A path that may begin a line, where the runner would take `::` for a command."""
    shown = terminal(path)
    return f"./{shown}" if shown.lstrip().startswith("::") else shown


def yaml_text(text: str) -> str:
    """YAML that we have written, for a terminal: what is escaped stands between double quotes (`needs_quotes`)."""
    return _UNSEEN_IN_YAML.sub(lambda match: code_of(match[0]), text)


def needs_quotes(text: str) -> bool:
    """Whether a scalar of YAML has to stand in double quotes, so that it can be escaped."""
    return _UNSEEN_IN_YAML.search(text) is not None or _COMMAND_LINE.search(text) is not None


def json_text(text: str) -> str:
    """JSON that we have written in ASCII: the same values, and no command of the runner in it."""
    return COMMAND_BRACKET.sub(r"\\u005b", text)


def command_data(text: str) -> str:
    """The message of a workflow command."""
    encoded = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return visible(encoded)


def command_property(text: str) -> str:
    """A property of a workflow command, such as its `file`."""
    return command_data(text).replace(":", "%3A").replace(",", "%2C")


def azure_data(text: str) -> str:
    """The message of a command of Azure Pipelines."""
    encoded = text.replace("%", "%AZP25").replace("\r", "%0D").replace("\n", "%0A")
    return terminal(encoded)


def azure_property(text: str) -> str:
    """A property of a command of Azure Pipelines."""
    return azure_data(text).replace("]", "%5D").replace(";", "%3B")


def markdown(text: str) -> str:
    """Plain text in a table cell: character references can be neither markup nor links nor tags."""
    return _MARKUP.sub(lambda match: f"&#{ord(match[0])};", visible(text))
