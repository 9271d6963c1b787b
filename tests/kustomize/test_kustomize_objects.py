"""Objects on their way through a build."""

from __future__ import annotations

from dataclasses import fields

from gitops_lint.linter.kustomize.objects import Object
from gitops_lint.linter.kustomize.objects_in_file import objects_in
from gitops_lint.linter.yaml.source import SourceFile

CONFIG = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: config}\n"


def test_a_copy_has_all_that_the_object_has() -> None:
    names = [field.name for field in fields(Object)]
    marked = Object(*(object() for _ in names))  # type: ignore[arg-type]
    copy = marked.copy()
    assert copy is not marked
    assert all(getattr(copy, name) is getattr(marked, name) for name in names)


def test_a_change_of_a_copy_leaves_the_object_alone() -> None:
    (one,) = objects_in(SourceFile("config.yaml", CONFIG))
    copy = one.copy()
    copy.remember_id()
    assert copy.previous
    assert not one.previous
