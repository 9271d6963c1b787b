"""Transformers and generators that are objects of their own. Every expectation here was tried on the real tool."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass, field
from typing import Any

import pytest
from gitops_lint.linter.kustomize.kustomize_errors import BuildError, NotBuilt
from gitops_lint.linter.kustomize.objects import Object
from gitops_lint.linter.kustomize.objects_in_file import objects_in
from gitops_lint.linter.kustomize.patches import Schemas
from gitops_lint.linter.kustomize.plugins import generate, transform
from gitops_lint.linter.kustomize.release import Release
from gitops_lint.linter.kustomize.trees import at, value
from gitops_lint.linter.kustomize.value_add import inserted
from gitops_lint.linter.yaml.source import Document, Node, SourceFile

DEPLOYMENT = """
    apiVersion: apps/v1
    kind: Deployment
    metadata:
      name: web
    spec:
      replicas: 1
      template:
        spec:
          containers:
          - {name: web, image: nginx, args: [--root, "/data/files"]}
"""
PATCH = "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {replicas: 9}}\n"
IN_NAME = "fieldSpecs: [{path: metadata/name}]"


@dataclass
class Files:
    """The files of a kustomization's folder."""

    texts: dict[str, str] = field(default_factory=dict)
    schemas: Schemas = field(default_factory=Schemas)
    release: Release = Release.V5_7

    def load(self, at: Node, path: str) -> bytes:
        return self.texts[path].encode()

    def documents(self, at: Node, path: str) -> list[Document]:
        return SourceFile(path, self.texts[path]).documents


def config(kind: str, text: str, metadata: str = "{name: config}", api_version: str = "builtin") -> Document:
    head = f"apiVersion: {api_version}\nkind: {kind}\nmetadata: {metadata}\n"
    return SourceFile("config.yaml", head + textwrap.dedent(text)).documents[0]


def changed(kind: str, text: str, metadata: str = "{name: config}", **files: str) -> list[Object]:
    objects = list(objects_in(SourceFile("web.yaml", textwrap.dedent(DEPLOYMENT))))
    return transform(
        objects, config(kind, text, metadata), Files({f"{name}.yaml": text for name, text in files.items()})
    )


def only(kind: str, text: str, metadata: str = "{name: config}", **files: str) -> Any:
    (one,) = changed(kind, text, metadata, **files)
    return value(one.root)


# -- what is built in


@pytest.mark.parametrize("api_version", ["builtin/v1", "kustomize.config.k8s.io/v1beta1", "viaduct.ai/v1"])
def test_only_the_version_builtin_is_built_in(api_version: str) -> None:
    document = config("LabelTransformer", "", api_version=api_version)
    with pytest.raises(NotBuilt) as caught:
        transform([], document, Files())
    assert (caught.value.detail, caught.value.changes_others) == ("LabelTransformer", True)
    with pytest.raises(NotBuilt) as caught:
        generate(document, Files())
    assert not caught.value.changes_others


@pytest.mark.parametrize(
    "kind", ["FooTransformer", "SortOrderTransformer", "LegacyOrderTransformer", "ConfigMapGenerator"]
)
def test_what_is_no_transformer_is_refused(kind: str) -> None:
    with pytest.raises(BuildError) as caught:
        changed(kind, "")
    assert caught.value.at.pointer == "/kind"


@pytest.mark.parametrize("kind", ["FooGenerator", "LabelTransformer"])
def test_what_is_no_generator_is_refused(kind: str) -> None:
    with pytest.raises(BuildError):
        generate(config(kind, ""), Files())


# -- transformers


def test_labels_and_annotations_go_only_where_field_specs_say() -> None:
    assert "labels" not in only("LabelTransformer", "labels: {a: b}")["metadata"]
    got = only("LabelTransformer", "labels: {a: b}\nfieldSpecs: [{path: metadata/labels, create: true}]")
    assert got["metadata"]["labels"] == {"a": "b"}
    got = only(
        "AnnotationsTransformer", "annotations: {a: b}\nfieldSpecs: [{path: metadata/annotations, create: true}]"
    )
    assert got["metadata"]["annotations"] == {"a": "b"}


def test_names_of_fields_may_have_any_case_unknown_ones_are_ignored_and_numbers_become_texts() -> None:
    text = (
        "Labels: {index: 1, b: true, c: 1.50}\nfieldspecs: [{path: metadata/labels, create: true, other: 1}]\nfoo: bar"
    )
    assert only("LabelTransformer", text)["metadata"]["labels"] == {"index": "1", "b": "true", "c": "1.5"}


def test_the_namespace_is_that_of_the_config() -> None:
    got = only("NamespaceTransformer", "fieldSpecs: [{path: spec/ns, create: true}]", "{name: config, namespace: ns}")
    assert (got["metadata"]["namespace"], got["spec"]["ns"]) == ("ns", "ns")
    assert "namespace" not in only("NamespaceTransformer", "namespace: ns")["metadata"]
    with pytest.raises(BuildError):
        changed("NamespaceTransformer", "setRoleBindingSubjects: some", "{name: config, namespace: ns}")


def test_prefix_and_suffix() -> None:
    assert only("PrefixTransformer", f"prefix: a-\n{IN_NAME}")["metadata"]["name"] == "a-web"
    assert only("SuffixTransformer", f"suffix: -z\n{IN_NAME}")["metadata"]["name"] == "web-z"
    assert only("PrefixSuffixTransformer", f"prefix: a-\nsuffix: -z\n{IN_NAME}")["metadata"]["name"] == "a-web-z"
    assert only("PrefixTransformer", "prefix: a-\nfieldSpecs: []")["metadata"]["name"] == "web"
    for kind in ("PrefixTransformer", "SuffixTransformer", "PrefixSuffixTransformer"):
        with pytest.raises(BuildError, match="fieldSpecs"):
            changed(kind, "prefix: a-\nsuffix: -z")


def test_images_are_found_without_field_specs_and_a_tag_may_look_like_a_number() -> None:
    got = only("ImageTagTransformer", "imageTag: {name: nginx, newTag: 1.21}")
    assert got["spec"]["template"]["spec"]["containers"][0]["image"] == "nginx:1.21"
    assert only("ImageTagTransformer", "")["spec"]["replicas"] == 1


def test_replicas_need_field_specs() -> None:
    text = "replica: {name: web, count: 5}\n"
    assert (
        only("ReplicaCountTransformer", f"{text}fieldSpecs: [{{path: spec/replicas, kind: Deployment}}]")["spec"][
            "replicas"
        ]
        == 5
    )
    with pytest.raises(BuildError):
        changed("ReplicaCountTransformer", text)


OPERATION = """'[{"op": "replace", "path": "/spec/replicas", "value": 7}]'"""


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        ("PatchTransformer", f"patch: {OPERATION}\ntarget: {{kind: Deploy.*}}", 7),
        ("PatchTransformer", f"patch: |-\n  {PATCH}", 9),
        ("PatchTransformer", "path: patch.yaml", 9),
        ("PatchJson6902Transformer", f"jsonOp: {OPERATION}\ntarget: {{kind: Deployment, name: web}}", 7),
        ("PatchStrategicMergeTransformer", "paths: [patch.yaml]", 9),
        ("PatchStrategicMergeTransformer", f"patches: |-\n  {PATCH}", 9),
        ("PatchStrategicMergeTransformer", f"paths:\n- '{PATCH.strip()}'", 9),
    ],
)
def test_patches_in_files_and_in_place(kind: str, text: str, expected: int) -> None:
    assert only(kind, text, patch=PATCH)["spec"]["replicas"] == expected


@pytest.mark.parametrize("kind", ["PatchTransformer", "PatchJson6902Transformer", "PatchStrategicMergeTransformer"])
def test_a_patch_must_be_somewhere(kind: str) -> None:
    with pytest.raises(BuildError):
        changed(kind, "")


REPLACEMENT = (
    "{source: {name: web}, targets: [{select: {kind: Deployment}, fieldPaths: [spec.by], options: {create: true}}]}"
)


@pytest.mark.parametrize("text", [f"replacements: [{REPLACEMENT}]", "replacements: [{path: file.yaml}]"])
def test_replacements_in_files_and_in_place(text: str) -> None:
    assert only("ReplacementTransformer", text, file=f"- {REPLACEMENT}\n")["spec"]["by"] == "web"


def test_hashes_may_be_added_ahead_of_time() -> None:
    (made,) = generate(config("ConfigMapGenerator", "literals: [a=b]"), Files())
    (one,) = transform([made], config("HashTransformer", ""), Files())
    assert (one.name, one.needs_hash) == ("config-4h2mbtbbt6", True)  # so the end of the build adds another one


def test_a_value_is_added_to_fields_that_targets_name() -> None:
    text = """
        value: abc
        targets:
        - {fieldPath: spec/template/spec/nodeName}
        - {fieldPath: metadata/name, filePathPosition: 1}
        - {fieldPath: spec/other, selector: {kind: Service}}
        - {fieldPath: metadata/namespace}
    """
    got = only("ValueAddTransformer", text)
    assert got["spec"]["template"]["spec"]["nodeName"] == "abc"
    assert got["metadata"] == {"name": "abc/web", "namespace": "abc"}
    assert "other" not in got["spec"]
    for wrong in ("value: abc", "value: abc\ntargets: [{}]", "value: abc\ntargets: [{fieldPath: spec}]"):
        with pytest.raises(BuildError):
            changed("ValueAddTransformer", wrong)


@pytest.mark.parametrize(
    ("path", "position", "expected"),
    [
        ("", 0, "PEACH"),
        ("/", 5, "/PEACH"),
        ("pie", 0, "PEACH/pie"),
        ("/pie", 0, "/PEACH/pie"),
        ("/raw", 1, "/raw/PEACH"),
        ("a/nice/warm/pie", 3, "a/nice/warm/PEACH/pie"),
        ("/a/nice/warm/pie", 99, "/a/nice/warm/pie/PEACH"),
    ],
)
def test_a_part_is_put_into_a_path(path: str, position: int, expected: str) -> None:
    assert inserted(path, position, "PEACH") == expected


# -- generators


def test_a_generator_takes_its_name_from_its_metadata_unless_it_has_one() -> None:
    (one,) = generate(config("ConfigMapGenerator", "literals: [a=b]", "{name: config, labels: {a: b}}"), Files())
    assert value(one.root) == {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "config"},
        "data": {"a": "b"},
    }
    (one,) = generate(
        config("ConfigMapGenerator", "name: own\nfiles: [f]", "{name: config, namespace: ns}"), Files({"f": "text"})
    )
    assert (one.name, one.namespace, value(at(one.root, "data"))) == ("own", "ns", {"f": "text"})


def test_a_secret_is_generated_without_the_generator_options_of_the_kustomization() -> None:
    text = "type: example\nliterals: [a=b]\noptions: {disableNameSuffixHash: true}\nbehavior: create"
    (one,) = generate(config("SecretGenerator", text), Files())
    assert (one.needs_hash, one.behavior, value(at(one.root, "data"))) == (False, "create", {"a": "Yg=="})


def test_what_is_done_is_noted_at_the_config() -> None:
    (one,) = changed("LabelTransformer", "labels: {a: b}\nfieldSpecs: [{path: metadata/labels, create: true}]")
    (step,) = one.steps
    assert (step.at.file.path, step.at.pointer) == ("config.yaml", "/labels")
