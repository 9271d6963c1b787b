"""What a kustomization names is read as Kustomize reads it: who looks at files and who builds agree."""

from __future__ import annotations

import pytest
from gitops_lint.linter.kustomize.outline import find_outlines
from gitops_lint.linter.repo.build_repo import build_repo
from gitops_lint.linter.yaml.source import SourceFile

JOB = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: migrate}\n"


@pytest.mark.parametrize("field", ["resources", "Resources", "RESOURCES", "Bases"])
def test_names_in_any_case_give_one_unit(field: str) -> None:
    """With two units every finding would be made twice."""
    kustomization = SourceFile("a/kustomization.yaml", f"{field}: [job.yaml]\nnamePrefix: prod-\n")
    repo = build_repo([kustomization, SourceFile("a/job.yaml", JOB)])
    assert [[one.name for one in app.resources] for app in repo.apps] == [["prod-migrate"]]


def test_files_below_a_name_in_another_case_are_no_objects() -> None:
    text = "configMapGenerator: [{name: a, Files: [x=b.yaml]}]\nPatches: [{Path: p.yaml}]\nKind: Component\n"
    outline = find_outlines([SourceFile("a/kustomization.yaml", text)])["a"]
    assert sorted(outline.other_files()) == ["a/b.yaml", "a/p.yaml"]
    assert outline.is_component


def test_what_is_spelled_as_kustomize_spells_it_is_the_file_itself() -> None:
    file = SourceFile("kustomization.yaml", "resources: [a.yaml]\nunknown: {Path: x}\n")
    assert find_outlines([file])["."].root is file.documents[0].root


@pytest.mark.parametrize("text", ["Resources: 1", "Resources: {a: 1}", "patches: [1, [2]]", "<<: 1"])
def test_what_does_not_fit_is_passed_over(text: str) -> None:
    outline = find_outlines([SourceFile("kustomization.yaml", text)])["."]
    assert list(outline.inputs()) == []
    assert list(outline.other_files()) == []


def test_what_cannot_be_read_has_no_outline_but_a_problem() -> None:
    file = SourceFile("kustomization.yaml", "? [a]\n: b")
    assert find_outlines([file]) == {}
    assert ["a list cannot be a key" in problem.message for problem in file.problems] == [True]


def test_a_field_beside_a_name_in_another_case_can_still_be_fixed() -> None:
    """`objref` for objRef is read by Kustomize, and is no reason to offer no fix for `bases`."""
    text = "bases: [../b]\nvars: [{name: A, objref: {kind: Job, name: a, apiVersion: v1}}]\n"
    file = SourceFile("a/kustomization.yaml", text)
    assert find_outlines([file])["a"].root["bases"].document is file.documents[0]
