"""`python -m lab`: builds the lab, runs cases in it, and writes down what was seen."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click
from gitops_lint.linter.lint.rule import Rule

from . import building
from .cases import Case, read_page
from .laboratory import Laboratory, laboratory
from .steps import Experiment

ARGOCD, KUBERNETES = next(iter(building.known()["argocd"])), next(iter(building.known()["kubernetes"]))
FAILED = "the lab failed"
versions = [
    click.option("--argocd", default=ARGOCD, type=click.Choice(list(building.known()["argocd"])), show_default=True),
    click.option(
        "--kubernetes", default=KUBERNETES, type=click.Choice(list(building.known()["kubernetes"])), show_default=True
    ),
]


def _versioned(command):  # type: ignore[no-untyped-def]
    for option in versions:
        command = option(command)
    return command


@click.group(help=__doc__)
def main() -> None:
    pass


@main.command()
@_versioned
def build(argocd: str, kubernetes: str) -> None:
    """Builds the programs, if they are not in the cache."""
    for program in _build(argocd, kubernetes):
        click.echo(program)


def _build(argocd: str, kubernetes: str) -> list[Path]:
    redis = building.redis()  # asked for first: nobody waits for a build to hear that it is missing
    tools = building.kustomize(argocd), building.helm(argocd)
    releases = (building.etcd(), building.kubernetes(kubernetes), building.argocd(argocd), *tools)
    return [*(release.program(name) for release in releases for name in release.packages), redis]


@main.command()
@_versioned
@click.argument("pages", nargs=-1, type=click.Path(exists=True, path_type=Path))
@click.option("-k", "pattern", default="", help="Only cases whose title has this in it.")
@click.option("--write", is_flag=True, help="Keep the answers in lab/answers/.")
@click.option("--missing", is_flag=True, help="Only cases without an answer of these versions.")
@click.option("--keep", type=click.Path(path_type=Path), help="A folder for logs that stays.")
def ask(
    argocd: str, kubernetes: str, pages: tuple[Path, ...], pattern: str, write: bool, missing: bool, keep: Path | None
) -> None:
    """Runs the cases of pages and shows what was seen."""
    from . import records

    with laboratory(argocd, kubernetes, keep) as lab:
        for page in pages:
            for case in read_page(page.read_text("utf-8")):
                if pattern not in case.name or not case.runs_on(argocd):
                    continue
                if missing and records.is_answered(page.stem, argocd, kubernetes, case.name):
                    continue
                seen = _run(lab, case)
                if not write:
                    click.echo(json.dumps({case.name: seen}, indent=1, ensure_ascii=False))
                elif FAILED not in seen:
                    records.write_answers(page.stem, argocd, kubernetes, {case.name: seen})


@main.command()
@_versioned
@click.argument("names", nargs=-1)
@click.option("--missing", is_flag=True, help="Only rules without a record of these versions and texts.")
@click.option("--jobs", default=1, show_default=True, help="So many labs at a time.")
@click.option("--keep", type=click.Path(path_type=Path), help="A folder for logs that stays; of one lab.")
def record(argocd: str, kubernetes: str, names: tuple[str, ...], missing: bool, jobs: int, keep: Path | None) -> None:
    """Runs Bad and Good of rules (all, or those named) and writes their records."""
    from . import records
    from .several import deal

    def run(turn: Iterable[Rule]) -> None:
        failed = []
        with laboratory(argocd, kubernetes, keep) as lab:
            for rule in turn:
                seen = {case: _run(lab, case, rule.name) for case in _cases(rule, argocd)}
                if any(FAILED in one for one in seen.values()):
                    failed.append(rule.name)
                    continue
                entries = {case.name.lower(): records.entry(case, one) for case, one in seen.items()}
                records.write(rule.name, argocd, kubernetes, entries)
        if failed:
            raise click.ClickException(f"the record of {', '.join(failed)} is as it was: {FAILED}")

    wanted = _wanted(names)
    if missing:
        wanted = [
            rule
            for rule in wanted
            if not all(records.is_recorded(rule.name, argocd, kubernetes, case) for case in _cases(rule, argocd))
        ]
    _build(argocd, kubernetes)
    deal(wanted, 1 if keep else jobs, run)


def _wanted(names: tuple[str, ...]) -> list[Rule]:
    """The rules of these names, or all; a name that would run nothing is refused."""
    from .records import not_shown
    from .rule_cases import rules

    known = {rule.name: rule for rule in rules()}
    for name in names:
        if name not in known:
            raise click.UsageError(f"{name}: {not_shown().get(name, 'there is no such rule')}")
    return [known[name] for name in names] or list(known.values())


def _cases(rule: Rule, argocd: str) -> list[Case]:
    from .rule_cases import cases_of

    return [case for case in cases_of(rule) if case.files and case.runs_on(argocd)]


@main.command()
@_versioned
def defaults(argocd: str, kubernetes: str) -> None:
    """Measures what custom resources with defaults become, and keeps it as test data."""
    from .defaulting import measure

    path = Path(__file__).parents[1] / "data" / "crd-defaulting-cases.json"
    data = json.loads(path.read_text("utf-8"))
    with laboratory(argocd, kubernetes) as lab:
        data["cases"] = measure(lab, data)
    known = building.known()
    data["about"] = (
        "Custom resources, what the API server said and stored, and what Argo CD said of them after a sync; measured by"
        f" `python -m lab defaults` with Argo CD {known['argocd'][argocd]['version'].removeprefix('v')} and Kubernetes"
        f" {known['kubernetes'][kubernetes]['version'].removeprefix('v')}."
    )
    path.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", "utf-8")


@main.command()
@_versioned
@click.argument("folders", nargs=-1, required=True, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--limit", default=50, show_default=True, help="So many Applications of a repository at most.")
@click.option("--no-sync", is_flag=True, help="Only what is generated.")
def compare(argocd: str, kubernetes: str, folders: tuple[Path, ...], limit: int, no_sync: bool) -> None:
    """Predictions of `render`, `plan` and `check`, beside what Argo CD does with these repositories."""
    from .agreement import table
    from .compare import compare as run

    with laboratory(argocd, kubernetes) as lab:
        results = {folder.name: run(lab, folder, limit, not no_sync) for folder in folders}
    click.echo(table(results))
    for name, compared in results.items():
        for one in compared:
            for difference in [*([one.remark] if one.remark else []), *one.differences]:
                click.echo(f"{name}: {one.name}: {difference}")


@main.command()
@_versioned
@click.argument("folders", nargs=-1, required=True, type=click.Path(exists=True, file_okay=False, path_type=Path))
def sets(argocd: str, kubernetes: str, folders: tuple[Path, ...]) -> None:
    """The Applications that we think the ApplicationSets of these folders make, beside those that are made."""
    from .sets import compare_sets

    with laboratory(argocd, kubernetes) as lab:
        for folder in folders:
            found = compare_sets(lab, folder)
            click.echo(f"{folder.name}: {sum(not one for one in found.values())} of {len(found)} ApplicationSets agree")
            for name, differences in found.items():
                for difference in differences:
                    click.echo(f"{name}: {difference}")


@main.command()
@click.option("--kubernetes", default=KUBERNETES, type=click.Choice(list(building.known()["kubernetes"])))
def refusals(kubernetes: str) -> None:
    """Asks the API server about every object that rules on refused objects have on their pages."""
    from .refusing import ask as run

    run(kubernetes)


@main.command()
def retell() -> None:
    """Words the outcome of every record anew; runs nothing."""
    from .records import retell as run

    run()


def _run(lab: Laboratory, case: Case, of: str = "") -> dict[str, Any]:
    start = time.monotonic()
    try:
        found: dict[str, Any] = Experiment(lab, case).run()
    except Exception as error:
        found = {FAILED: f"{type(error).__name__}: {error}"}
        print(found, file=sys.stderr)
    print(f"{time.monotonic() - start:5.0f} s  {of} {case.name}", file=sys.stderr, flush=True)
    return found


if __name__ == "__main__":
    main()
