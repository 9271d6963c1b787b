"""What a run has to say about itself: files it could not read, things it did not look into.

GitHub shows none of it; other readers of SARIF do.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ..lint.result import Result
from ..yaml.source import Spot
from . import summary
from .escape import visible
from .sarif_places import SarifFiles

Json = dict[str, object]

_UNPARSABLE: Final = "unparsable-file"
_NOT_ANALYSED: Final = "not-analysed"
_DROPPED: Final = "results-dropped"
_SILENCED: Final = "silenced"
"""What a change would keep from being said about itself, or a config from being looked for."""


def notifications(result: Result, dropped: int, every: int, files: SarifFiles) -> list[Json]:
    found = [*_problems(result, files), *_not_analysed(result)]
    found += [_notification(_SILENCED, "warning", summary.sentence(remark)) for remark in result.remarks]
    if dropped:
        which = "the least severe ones" if result.changed_lines is None else "those that concern the change least"
        text = f"{dropped} of {every} findings were left out, {which}."
        found.append(_notification(_DROPPED, "warning", text))
    return found


def _notification(kind: str, level: str, text: str) -> Json:
    # Not declared in the driver: GitHub's validator takes what is declared there for rules.
    return {"descriptor": {"id": kind}, "level": level, "message": {"text": visible(text)}}


def _problems(result: Result, files: SarifFiles) -> Iterator[Json]:
    for file in result.files:
        for problem in file.problems:
            place = Spot(file, problem.span)
            found = _notification(_UNPARSABLE, "error", _sentence(problem.message))
            yield {**found, "locations": [{"physicalLocation": files.physical_location(place)}]}


def _not_analysed(result: Result) -> Iterator[Json]:
    for reason, paths in summary.not_analysed(result).items():
        yield _notification(_NOT_ANALYSED, "note", _sentence(summary.not_analysed_sentence(reason, paths)))


def _sentence(text: str) -> str:
    return text if text.endswith(".") else f"{text}."
