"""What came of asking Helm, and what it could not be given."""

from __future__ import annotations

from typing import Final, NamedTuple

from ..programs.outcomes import Failed, Outcome


class MissingDependency(NamedTuple):
    """A chart that Chart.yaml names, that is not in `charts/`, and that cannot be taken from the repository."""

    name: str
    version: str = ""
    repository: str = ""
    alias: str = ""


class LeftOut(NamedTuple):
    """A file that Helm did not get to see."""

    path: str
    reason: str
    refusal: str = ""
    """What Helm says of a template that needs a dependency which is not here; empty for any other reason."""


class Rendering(NamedTuple):
    outcome: Outcome
    missing: tuple[MissingDependency, ...] = ()
    """Their objects are not in the output, and Argo CD would have fetched them."""
    left_out: tuple[LeftOut, ...] = ()
    marked: tuple[str, ...] = ()
    """The template files of a marked rendering, by the number in their marks."""
    schema_unchecked: str = ""
    """Why the values were not held against the schemas of the charts, if the request wants it; else empty."""
    warnings: tuple[str, ...] = ()


LATER: Final = Rendering(Failed("is asked when the rules have run"))
"""In place of an answer, while no process may start."""


class NotYet(Exception):
    """Where a line comes from is known when Helm was asked again."""
