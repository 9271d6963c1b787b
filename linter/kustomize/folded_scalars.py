"""What becomes of a folded scalar on its way through Kustomize.

Kustomize writes every object as YAML and reads it again before it prints it,
and keeps the style of its scalars. Its YAML writer has a fault: before a line
break in a folded scalar it looks at the beginning of the text instead of the
next line to see whether a blank line is needed. So texts with indented lines
come out with more blank lines than they had, and texts that begin with a
blank with fewer.
"""

from __future__ import annotations

from ..yaml import compose
from ..yaml.compose import RawScalar

_BLANKS = (" ", "\t", "")


def refolded(value: str) -> str:
    """A folded text as it comes out."""
    roots, errors = compose.documents(_written(value))
    if errors or not roots or not isinstance(roots[0], RawScalar):
        return value
    return str(roots[0].value)


def _written(value: str) -> str:
    start = value.lstrip("\n")[:1]
    doubles = start not in _BLANKS
    out = [">", "2" if value[:1] in (" ", "\n") else "", _chomping(value), "\n"]
    after_break = indented = True
    for char in value:
        if char == "\n":
            if not after_break and not indented and doubles:
                out.append("\n")
            out.append("\n")
            after_break = True
        else:
            if after_break:
                out.append("  ")
                indented = char in " \t"
            out.append(char)
            after_break = False
    return "".join(out)


def _chomping(value: str) -> str:
    if not value.endswith("\n"):
        return "-"
    return "+" if value.endswith("\n\n") or value == "\n" else ""
