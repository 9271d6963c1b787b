"""Links in a kustomization's folder: Kustomize follows those that stay in it."""

from __future__ import annotations

from pathlib import Path

import pytest
from gitops_lint.linter.files.disk import Reader
from gitops_lint.linter.kustomize.builder import Builder
from gitops_lint.linter.repo.tree import Tree
from kustomize_yardstick import Folder, our_build, real_build
from real_tools import kubectl

CONFIG = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
KUSTOMIZATION = "resources: [cm.yaml]\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for folder in ("app/inner", "shared"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "shared/cm.yaml").write_text(CONFIG)
    (tmp_path / "app/kustomization.yaml").write_text(KUSTOMIZATION)
    return tmp_path


def outcome(root: Path, folder: str = "app") -> str:
    """The same of both, and of both kinds of files that ours reads."""
    ours = our_build(Builder(Folder(root)), folder)
    ours_again = our_build(Tree((), {}, reader=Reader(root)).builder, folder)
    theirs = real_build(kubectl(), root / folder)
    assert bool(ours.refusals) == bool(ours_again.refusals) == bool(theirs.refusals), (ours, theirs)
    assert ours.objects == ours_again.objects == theirs.objects or theirs.refusals
    return ours.refusals[0].cause if ours.refusals else "built"


def test_a_link_out_of_the_folder_is_refused(root: Path) -> None:
    (root / "app/cm.yaml").symlink_to("../shared/cm.yaml")
    assert outcome(root) == "OUTSIDE_ROOT"


def test_a_link_that_stays_in_the_folder_is_followed(root: Path) -> None:
    (root / "app/inner/real.yaml").write_text(CONFIG)
    (root / "app/cm.yaml").symlink_to("inner/real.yaml")
    assert outcome(root) == "built"


def test_a_folder_on_the_way_may_be_the_link(root: Path) -> None:
    (root / "app/kustomization.yaml").write_text("resources: [link/cm.yaml]\n")
    (root / "app/link").symlink_to("../shared")
    assert outcome(root) == "OUTSIDE_ROOT"


def test_a_folder_that_is_a_link_itself_is_the_one_that_it_leads_to(root: Path) -> None:
    (root / "app/cm.yaml").write_text(CONFIG)
    (root / "other").symlink_to("app")
    assert outcome(root, "other") == "built"


def test_without_the_restriction_it_is_followed(root: Path) -> None:
    (root / "app/cm.yaml").symlink_to("../shared/cm.yaml")
    assert not our_build(Builder(Folder(root), restricted=False), "app").refusals


def test_a_kustomization_that_is_a_link_out_of_its_folder_is_none(root: Path) -> None:
    (root / "app/kustomization.yaml").unlink()
    (root / "app/cm.yaml").write_text(CONFIG)
    (root / "shared/kustomization.yaml").write_text(KUSTOMIZATION)
    (root / "app/kustomization.yaml").symlink_to("../shared/kustomization.yaml")
    (root / "top").mkdir()
    (root / "top/kustomization.yaml").write_text("resources: [../app]\n")
    assert outcome(root, "top") == "NO_KUSTOMIZATION"
