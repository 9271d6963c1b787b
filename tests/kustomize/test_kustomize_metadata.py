"""What Kustomize does to annotations and labels in the end. Every expectation here was tried on the real tool."""

from __future__ import annotations

from typing import Any

import pytest
from gitops_lint.linter.kustomize.kustomization import read
from gitops_lint.linter.kustomize.kustomize_errors import BuildError, Cause, NotBuilt
from gitops_lint.linter.kustomize.metadata import add_build_metadata, finish
from gitops_lint.linter.kustomize.objects import Object
from gitops_lint.linter.kustomize.objects_in_file import objects_in
from gitops_lint.linter.kustomize.release import Release
from gitops_lint.linter.kustomize.trees import member, value
from gitops_lint.linter.yaml.source import SourceFile


def configmap(metadata: str, path: str = "base/a.yaml") -> Object:
    text = f"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\n{metadata}"
    return objects_in(SourceFile(path, text))[0]


def finished(metadata: str) -> Any:
    one = configmap(metadata)
    finish(one)
    return value(member(one.root, "metadata"))


def test_annotations_come_out_as_texts_as_they_are_written() -> None:
    odd = "a: 1, b: true, c: null, d: 1.0, e: 2020-01-01, f: 0x1F, g: ~, h: yes, i: '', j: 1_000"
    assert finished(f"  annotations: {{{odd}}}\n")["annotations"] == {
        "a": "1", "b": "true", "c": "null", "d": "1.0", "e": "2020-01-01", "f": "0x1F", "g": "~", "h": "yes", "i": "", "j": "1_000",
    }  # fmt: skip


def test_labels_are_left_alone() -> None:
    for labels, expected in (("{a: 1}", {"a": 1}), ("{}", {}), ("null", None), ("text", "text")):
        assert finished(f"  labels: {labels}\n")["labels"] == expected


@pytest.mark.parametrize("nothing", ["{}", "null", "", "text", "[]", "{config.kubernetes.io/index: '0'}"])
def test_annotations_that_hold_nothing_go_away(nothing: str) -> None:
    assert finished(f"  annotations: {nothing}\n") == {"name": "x"}


def test_a_map_or_a_list_as_an_annotation_comes_out_empty() -> None:
    assert finished("  annotations: {a: {b: c}, d: [e]}\n")["annotations"] == {"a": "", "d": ""}


def test_kustomizes_own_notes_are_taken_off_and_others_of_their_domains_are_not() -> None:
    dropped = (
        "internal.config.kubernetes.io/previousNames: a, internal.config.kubernetes.io/id: a, config.k8s.io/id: a, "
        "config.kubernetes.io/path: a, config.kubernetes.io/origin: a, alpha.config.kubernetes.io/transformations: a"
    )
    kept = "internal.config.kubernetes.io/foo: a, config.kubernetes.io/id: b, config.kubernetes.io/function: c"
    assert list(finished(f"  annotations: {{{dropped}, {kept}}}\n")["annotations"]) == [
        "internal.config.kubernetes.io/foo",
        "config.kubernetes.io/id",
        "config.kubernetes.io/function",
    ]


@pytest.mark.parametrize("key", ["'1'", "'1.5'", "'true'", "'null'", "'2020-01-01'", "''"])
def test_a_key_that_is_no_text_without_its_quotes_makes_kustomize_fail(key: str) -> None:
    with pytest.raises(BuildError) as caught:
        finished(f"  annotations: {{{key}: a}}\n")
    assert caught.value.cause is Cause.BAD_MANIFEST
    assert caught.value.at.pointer == "/metadata/annotations"


def test_a_list_for_annotations_makes_kustomize_fail() -> None:
    with pytest.raises(BuildError):
        finished("  annotations: [a]\n")


@pytest.mark.parametrize(
    "usual", ["", "  labels: {a: b}\n", "  annotations: {a: b, 1password.com/x: 'true', 'y': '1'}\n"]
)
def test_the_usual_object_stays_the_same_tree(usual: str) -> None:
    one = configmap(usual)
    before = one.root
    finish(one)
    assert one.root is before
    assert one.steps == ()


# -- buildMetadata


def with_metadata(one: Object, wanted: str) -> Any:
    text = f"resources: [a.yaml]\nbuildMetadata: {wanted}\n"
    add_build_metadata([one], read(SourceFile("overlay/kustomization.yaml", text), "overlay"), Release.V5_7)
    return value(member(one.root, "metadata"))


@pytest.mark.parametrize("labels", ["", "  labels: null\n", "  labels: {app.kubernetes.io/managed-by: me}\n"])
def test_managed_by_label(labels: str) -> None:
    assert with_metadata(configmap(labels), "[managedByLabel]")["labels"] == {
        "app.kubernetes.io/managed-by": "kustomize-v5.7.1"
    }


def test_managed_by_label_needs_a_mapping() -> None:
    with pytest.raises(BuildError):
        with_metadata(configmap("  labels: text\n"), "[managedByLabel]")


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("base/a.yaml", "path: ../base/a.yaml\n"),
        ("overlay/sub/a.yaml", "path: sub/a.yaml\n"),
        ("overlay/a  b: #.yaml", "path: 'a  b: #.yaml'\n"),
    ],
)
def test_origin_of_an_object_in_a_file(path: str, expected: str) -> None:
    got = with_metadata(configmap("", path), "[originAnnotations]")
    assert got["annotations"] == {"config.kubernetes.io/origin": expected}


def test_origin_of_a_generated_object() -> None:
    one = configmap("")
    one.behavior = "create"
    one.document = SourceFile("base/kustomization.yaml", "configMapGenerator: []\n").documents[0]
    by_field = (
        "configuredIn: ../base/kustomization.yaml\nconfiguredBy:\n  apiVersion: builtin\n  kind: ConfigMapGenerator\n"
    )
    assert with_metadata(one, "[originAnnotations]")["annotations"]["config.kubernetes.io/origin"] == by_field
    text = "{apiVersion: builtin, kind: ConfigMapGenerator, metadata: {name: gen, namespace: ns}}"
    one.document = SourceFile("overlay/g.yaml", text).documents[0]
    by_file = "configuredIn: g.yaml\nconfiguredBy:\n  apiVersion: builtin\n  kind: ConfigMapGenerator\n  name: gen\n  namespace: ns\n"
    assert with_metadata(one, "[originAnnotations]")["annotations"]["config.kubernetes.io/origin"] == by_file


def test_what_kustomize_does_not_know_adds_nothing_and_transformers_are_not_listed() -> None:
    assert with_metadata(configmap(""), "[other]") == {"name": "x"}
    with pytest.raises(NotBuilt):
        with_metadata(configmap(""), "[transformerAnnotations]")
