"""Arguments that click alone would read in another way than people mean them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

WRITE_BASELINE: Final = "--write-baseline"


def settle_optional_file(args: Sequence[str]) -> list[str]:
    """`--write-baseline [FILE]`: the next word is the file if it ends like one, since paths to lint may follow, too."""
    settled: list[str] = []
    words = iter(args)
    for word in words:
        if settled and settled[-1] == f"{WRITE_BASELINE}=" and word.endswith(".json"):
            settled[-1] += word
        elif word == "--":
            return [*settled, word, *words]
        else:
            settled.append(f"{word}=" if word == WRITE_BASELINE else word)
    return settled


class Output(NamedTuple):
    format: str
    file: str | None
    """None: standard output."""


def pair_outputs(args: Sequence[str]) -> Iterator[Output]:
    """An empty format stands for the default one."""
    waiting: str | None = None
    rest = iter(args)
    for argument in rest:
        name, equals, value = argument.partition("=")
        if argument == "--":
            break
        if name == "--output-format":
            if waiting is not None:
                yield Output(waiting, None)
            waiting = value if equals else next(rest, "")
        elif name == "--output-file" or argument == "-o":
            yield Output(waiting or "", value if equals else next(rest, ""))
            waiting = None
        elif argument.startswith("-o") and not argument.startswith("--"):
            yield Output(waiting or "", argument[2:].removeprefix("="))
            waiting = None
    if waiting is not None:
        yield Output(waiting, None)
