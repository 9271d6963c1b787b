"""What Kustomize 5.8 does otherwise than 5.7, against the real one; and that all else is the same in both."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from gitops_lint.linter.facts.versions import Version, Versions
from gitops_lint.linter.files.disk import Reader
from gitops_lint.linter.helm.run.helm_choice import HelmChoice
from gitops_lint.linter.kustomize.builder import Builder
from gitops_lint.linter.kustomize.release import Release, shipped_with
from gitops_lint.linter.repo.sources.charts import Charts
from gitops_lint.linter.repo.tree import Tree
from kustomize_pages import Case, cases, cases_of, record
from kustomize_yardstick import NOT_BUILT, differences, open_repository, our_build, outcome_of, read_objects, run_real
from real_tools import helm3, newer_kubectl

PAGES = Path(__file__).parents[1] / "kustomize_newer"
NEWER = [case for page in sorted(PAGES.glob("*.md")) for case in cases_of(page)]
CHARTS = [case for case in NEWER if case.page == "charts"]
CORPUS = os.environ.get("CORPUS", "")


def newer(root: Path, case: Case) -> Builder:
    if case.page != "charts":
        return open_repository(root, Release.V5_8)
    reader = Reader(root)
    tree = Tree((), {}, reader=reader)
    tree.inflate = Charts(tree, Versions(), HelmChoice(str(helm3()), keeps=False).at(root, reader)).inflate
    return tree.builder


@pytest.mark.parametrize("case", NEWER, ids=str)
def test_case(case: Case, tmp_path: Path) -> None:
    case.write(tmp_path)
    ours = our_build(newer(tmp_path, case), case.folder)
    if case.marks:
        got = [(one.path, one.line, "not built" if one.cause == NOT_BUILT else "refused") for one in ours.refusals]
        assert got == [(mark.path, mark.line, mark.what) for mark in case.marks], ours.refusals or "it was built"
        return
    assert case.expected is not None, "nothing is recorded: run with --update"
    assert not ours.refusals, ours.refusals
    found = differences(ours.objects, read_objects(case.expected))
    assert not found, "\n".join(map(str, found))


@pytest.mark.parametrize("case", NEWER, ids=str)
def test_the_page_tells_the_truth(case: Case, tmp_path: Path, pytestconfig: pytest.Config) -> None:
    case.write(tmp_path)
    helm = ("--enable-helm", "--helm-command", str(helm3())) if case in CHARTS else ()
    done = run_real(newer_kubectl(), tmp_path / case.folder, *helm)
    if case.marks:
        assert bool(done.returncode) == (case.marks[0].what == "refused"), done.stderr
        return
    assert done.returncode == 0, done.stderr
    if pytestconfig.getoption("--update"):
        record(case, done.stdout, PAGES)
    else:
        assert case.expected == done.stdout


@pytest.mark.parametrize("case", cases(), ids=str)
def test_what_was_recorded_with_the_older_one(case: Case, tmp_path: Path) -> None:
    """Both make the same of it, whatever that is by now."""
    case.write(tmp_path)
    ours = our_build(open_repository(tmp_path, Release.V5_8), case.folder)
    if any(one.cause == NOT_BUILT for one in ours.refusals):
        return
    done = run_real(newer_kubectl(), tmp_path / case.folder)
    theirs = outcome_of(done.returncode, done.stdout, done.stderr)
    assert bool(ours.refusals) == bool(theirs.refusals), (ours.refusals, theirs.refusals)
    assert not differences(ours.objects, theirs.objects) or theirs.refusals


@pytest.mark.parametrize(
    ("argocd", "release"),
    [(None, Release.V5_8), ("3.2", Release.V5_7), ("3.3", Release.V5_8), ("3.4", Release.V5_8), ("2.14", Release.V5_7)],
)
def test_the_version_of_argocd_chooses_the_release(argocd: str | None, release: Release) -> None:
    assert shipped_with(Versions(Version.parse(argocd) if argocd else None)) is release


@pytest.mark.skipif(not CORPUS, reason="CORPUS names no folder of repositories")
def test_real_overlays() -> None:
    folders = (Path(CORPUS) / "kustomize-ok.txt").read_text("utf-8").split()
    unequal = []
    for folder in folders:
        repository, _, inner = folder.partition("/")
        ours = our_build(open_repository(Path(CORPUS) / repository, Release.V5_8), inner or ".")
        done = run_real(newer_kubectl(), Path(CORPUS) / folder)
        theirs = outcome_of(done.returncode, done.stdout, done.stderr)
        assert not ours.refusals or theirs.refusals, f"{folder}: {ours.refusals}"
        if found := differences(ours.objects, theirs.objects):
            unequal.append(f"{folder}: {found[0]}")
    assert len(unequal) <= len(folders) * 0.005, "\n".join(unequal)
