"""How often a finding is true, and how often somebody would act on it: a sample, judged by a person.

    python scripts/judge.py draw FOLDER -o sample.jsonl     # FOLDER holds repositories, one a folder
    python scripts/judge.py ask FOLDER sample.jsonl         # shows each finding and takes a verdict
    python scripts/judge.py table sample.jsonl              # precision by rule and severity

A sample holds so many findings of each rule and severity, drawn at random: what is common does not
hide what is rare. The same seed draws the same ones. A verdict is two words: whether it is true of
Argo CD in this repository, and whether a maintainer would change something because of it.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import click

TOOL: Final = Path(sys.executable).with_name("gitops-lint")
CONTEXT: Final = 4
SEVERITIES: Final = ("error", "warning", "note")
VERDICTS: Final = {"t": "TRUE", "f": "FALSE", "u": "UNSURE"}
ACTS: Final = {"a": "ACT", "s": "SHRUG"}

Finding = dict[str, Any]


@click.group(help=__doc__)
def cli() -> None:
    pass


# -- draw


@cli.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("-o", "--output-file", type=click.Path(path_type=Path), required=True)
@click.option("--each", default=8, show_default=True, help="Findings of each rule and severity.")
@click.option("--seed", default=1, show_default=True)
@click.option("--rule", "rules", multiple=True, help="Only these codes.")
@click.option("--severity", "severities", multiple=True, type=click.Choice(SEVERITIES), help="Only these.")
def draw(
    folder: Path, output_file: Path, each: int, seed: int, rules: Sequence[str], severities: Sequence[str]
) -> None:
    """Run over every repository of the folder and write a sample."""
    found: dict[tuple[str, str], list[Finding]] = defaultdict(list)
    for repository in sorted(path for path in folder.iterdir() if path.is_dir()):
        for one in findings_of(repository):
            if (not rules or one["code"] in rules) and (not severities or one["severity"] in severities):
                found[one["code"], one["severity"]].append(one)
    chosen = list(sampled(found, each, seed))
    if output_file.exists():
        raise click.ClickException(f"{output_file} exists; verdicts in it would be lost")
    write(output_file, chosen)
    click.echo(f"{len(chosen)} of {sum(map(len, found.values()))} findings of {len(found)} rules and severities")


def findings_of(repository: Path) -> Iterator[Finding]:
    """Of the repository as it is, without a config that may be in it."""
    command = [str(TOOL), "check", ".", "--isolated", "--exit-zero", "--no-progress", "--output-format", "json"]
    done = subprocess.run(command, cwd=repository, capture_output=True, text=True)
    if done.returncode:
        click.echo(f"{repository.name}: {done.stderr.strip().splitlines()[-1:]}", err=True)
        return
    for one in json.loads(done.stdout)["findings"]:
        yield {
            "code": one["code"],
            "severity": one["severity"],
            "repo": repository.name,
            "path": one["path"],
            "line": one["range"]["start"]["line"],
            "message": one["message"],
        }


def sampled(found: dict[tuple[str, str], list[Finding]], each: int, seed: int) -> Iterator[Finding]:
    """So many of each, from different repositories as far as there are any."""
    for key in sorted(found):
        order = random.Random(f"{seed} {key}")
        by_repository: dict[str, list[Finding]] = defaultdict(list)
        for one in order.sample(found[key], len(found[key])):
            by_repository[one["repo"]].append(one)
        turns = [one for turn in range(each) for many in by_repository.values() for one in many[turn : turn + 1]]
        yield from turns[:each]


# -- ask


@cli.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("sample", type=click.Path(exists=True, dir_okay=False, path_type=Path))
def ask(folder: Path, sample: Path) -> None:
    """Show what has no verdict yet, and keep every verdict at once."""
    items = read(sample)
    waiting = [one for one in items if "verdict" not in one]
    for number, one in enumerate(waiting, 1):
        click.echo(f"\n[{number}/{len(waiting)}] {one['severity']} {one['code']}  {one['repo']}")
        click.echo("\n".join(shown(folder, one)))
        word = click.prompt("[t]rue, [f]alse, [u]nsure, [q]uit", type=click.Choice((*VERDICTS, "q")))
        if word == "q":
            break
        one["verdict"] = VERDICTS[word]
        one["act"] = ACTS[click.prompt("would somebody [a]ct, or [s]hrug", type=click.Choice(tuple(ACTS)))]
        one["why"] = click.prompt("why", default="", show_default=False)
        write(sample, items)


def shown(folder: Path, one: Finding) -> Iterator[str]:
    """What it says, and the lines around its place."""
    yield one["message"]
    yield f"  --> {one['path']}:{one['line']}"
    try:
        lines = (folder / one["repo"] / one["path"]).read_text("utf-8", "replace").splitlines()
    except OSError as error:
        yield f"  ({error.strerror})"
        return
    first = max(one["line"] - CONTEXT, 1)
    for number, line in enumerate(lines[first - 1 : one["line"] + CONTEXT], first):
        mark = ">" if number == one["line"] else " "
        yield f"{mark} {number:>5} | {click.unstyle(line)[:160]}"


# -- table


@cli.command()
@click.argument("samples", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path))
def table(samples: Sequence[Path]) -> None:
    """How many were true, and how many somebody would act on."""
    judged = [one for sample in samples for one in read(sample) if "verdict" in one]
    rows = [*_rows(judged, lambda one: "all"), *_rows(judged, lambda one: str(one["code"]))]
    click.echo("| severity | rule | n | true | false | unsure | act |\n|---|---|--:|--:|--:|--:|--:|")
    for row in rows:
        click.echo(f"| {' | '.join(row)} |")


def _rows(judged: Sequence[Finding], name_of: Callable[[Finding], str]) -> Iterator[tuple[str, ...]]:
    groups: dict[tuple[str, str], list[Finding]] = defaultdict(list)
    for one in judged:
        groups[one["severity"], name_of(one)].append(one)
    for severity, name in sorted(groups, key=lambda key: (SEVERITIES.index(key[0]), key[1])):
        found = groups[severity, name]
        verdicts = Counter(one["verdict"] for one in found)
        acts = sum(one["act"] == "ACT" for one in found)
        true = verdicts["TRUE"]
        yield (
            severity,
            name,
            str(len(found)),
            f"{true} ({100 * true // len(found)} %)",
            str(verdicts["FALSE"]),
            str(verdicts["UNSURE"]),
            f"{acts} ({100 * acts // len(found)} %)",
        )


def read(path: Path) -> list[Finding]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def write(path: Path, items: Sequence[Finding]) -> None:
    path.write_text("".join(f"{json.dumps(one, ensure_ascii=False)}\n" for one in items), "utf-8")


if __name__ == "__main__":
    cli()
