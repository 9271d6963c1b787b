"""Kustomizations that ask for charts, against the real Kustomize with a real Helm 3, which is the one that it takes.

The page holds what the real tools printed, and is held against them where they
can be had; `--update` records anew. Our builds need the real Helm as well.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from gitops_lint.linter.facts.versions import Versions
from gitops_lint.linter.files.disk import Reader
from gitops_lint.linter.helm.run.helm_choice import OFF, HelmChoice
from gitops_lint.linter.kustomize.builder import Builder
from gitops_lint.linter.kustomize.release import Release
from gitops_lint.linter.repo.sources.charts import Charts
from gitops_lint.linter.repo.tree import Tree
from kustomize_pages import Case, cases_of, record
from kustomize_yardstick import NOT_BUILT, differences, our_build, read_objects, run_real
from real_tools import helm3, kubectl

PAGES = Path(__file__).parents[1] / "kustomize_charts"
CASES = [case for page in sorted(PAGES.glob("*.md")) for case in cases_of(page)]


def builder(root: Path, helm: str, release: Release = Release.V5_7) -> Builder:
    reader = Reader(root)
    tree = Tree((), {}, reader=reader)
    tree.kustomize = release
    tree.inflate = Charts(tree, Versions(), HelmChoice(helm, keeps=False).at(root, reader)).inflate
    return tree.builder


@pytest.mark.parametrize("case", CASES, ids=str)
def test_case(case: Case, tmp_path: Path) -> None:
    case.write(tmp_path)
    ours = our_build(builder(tmp_path, str(helm3())), case.folder)
    if case.marks:
        got = [(one.path, one.line, "not built" if one.cause == NOT_BUILT else "refused") for one in ours.refusals]
        (mark,) = case.marks
        assert set(got) == {(mark.path, mark.line, mark.what)}, ours.refusals or "it was built"
        assert mark.cause in ("", ours.refusals[0].cause), ours.refusals[0].message
    else:
        assert case.expected is not None, "nothing is recorded: run with --update"
        assert not ours.refusals, ours.refusals
        found = differences(ours.objects, read_objects(case.expected))
        assert not found, "\n".join(map(str, found))


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_page_tells_the_truth(case: Case, tmp_path: Path, pytestconfig: pytest.Config) -> None:
    if any(mark.what == "not built" for mark in case.marks):
        return  # the real tool would look into the network
    case.write(tmp_path)
    done = run_real(kubectl(), tmp_path / case.folder, "--enable-helm", "--helm-command", str(helm3()))
    if case.marks:
        assert done.returncode, "the real tool builds it"
        return
    assert done.returncode == 0, done.stderr
    if pytestconfig.getoption("--update"):
        record(case, done.stdout, PAGES)
    else:
        assert case.expected == done.stdout


@pytest.mark.parametrize("case", [case for case in CASES if not case.marks], ids=str)
def test_without_helm_the_charts_are_named(case: Case, tmp_path: Path) -> None:
    case.write(tmp_path)
    ours = our_build(builder(tmp_path, OFF), case.folder)
    assert {(one.cause, one.message) for one in ours.refusals} <= {
        (NOT_BUILT, f"helmCharts: charts are not rendered without Helm {name}") for name in ("demo", "other")
    }
    assert ours.refusals
