"""images: and replicas:, as Kustomize 5.7.1 does them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from gitops_lint.linter.kustomize.fieldspecs import FieldSpec, FieldSpecs, split_path
from gitops_lint.linter.kustomize.images import change_all_images, change_images, split_image
from gitops_lint.linter.kustomize.kustomize_errors import BuildError, Cause, NotBuilt
from gitops_lint.linter.kustomize.objects import Object
from gitops_lint.linter.kustomize.replicas import set_replicas
from gitops_lint.linter.kustomize.trees import Rewritten, at, items, member, value
from gitops_lint.linter.yaml.source import Node, SourceFile


def specs(*paths: str, kind: str = "", create: bool = False) -> FieldSpecs:
    return FieldSpecs(FieldSpec("", "", kind, split_path(path), create) for path in paths)


NONE = specs()
IMAGES = specs("spec/containers[]/image", "spec/template/spec/containers[]/image", "spec/volumes[]/image/reference")
REPLICAS = FieldSpecs(FieldSpec("", "", kind, ("spec", "replicas"), True) for kind in ("Deployment", "StatefulSet"))


def entries(text: str) -> list[Node]:
    return list(SourceFile("kustomization.yaml", f"[{text}]").documents[0].root)


def entry(text: str) -> Node:
    return SourceFile("kustomization.yaml", text).documents[0].root


def resource(content: str, kind: str = "Foo") -> Object:
    text = f"apiVersion: x/v1\nkind: {kind}\nmetadata: {{name: a}}\n{content}\n"
    document = SourceFile("manifest.yaml", text).documents[0]
    return Object(document.raw, document)  # type: ignore[arg-type]


def changed(images: list[Any], rules: str, field_specs: FieldSpecs = IMAGES) -> list[Any]:
    one = resource(f"spec: {{containers: {json.dumps([{'image': image} for image in images])}}}")
    change_all_images([one], entries(rules), field_specs)
    return [value(member(container, "image")) for container in items(at(one.root, "spec", "containers"))]


# -- one image


@pytest.mark.parametrize(
    ("image", "parts"),
    [
        ("nginx", ("nginx", "", "")), ("nginx:1", ("nginx", "1", "")), ("nginx@sha256:ab", ("nginx", "", "sha256:ab")),
        ("nginx:1@sha256:ab", ("nginx", "1", "sha256:ab")), ("r:5000/n", ("r:5000/n", "", "")),
        ("r:5000/n:1", ("r:5000/n", "1", "")), ("r:5000/n@sha256:ab", ("r:5000/n", "", "sha256:ab")), ("r:5000", ("r", "5000", "")),
    ],
)  # fmt: skip
def test_the_parts_of_an_image(image: str, parts: tuple[str, str, str]) -> None:
    assert split_image(image) == parts


ALL = ["nginx", "nginx:1", "nginx:1@sha256:abc", "nginx@sha256:abc"]


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("newTag: '2'", ["nginx:2"] * 4),
        ("digest: 'sha256:def'", ["nginx@sha256:def"] * 4),
        ("newTag: '3', digest: 'sha256:def'", ["nginx:3@sha256:def"] * 4),
        ("newName: 'r:5000/x'", ["r:5000/x", "r:5000/x:1", "r:5000/x:1@sha256:abc", "r:5000/x@sha256:abc"]),
        ("newName: 'r:5000/x', newTag: '2'", ["r:5000/x:2"] * 4),
        ("tagSuffix: -x, newTag: '3'", ["nginx:3"] * 4),
        ("newTag: ''", ALL),
    ],
)
def test_what_an_entry_sets(rule: str, expected: list[str]) -> None:
    assert changed(ALL, f"{{name: nginx, {rule}}}") == expected


def test_a_tag_suffix_is_appended_once_by_each_of_the_two_looks() -> None:
    rule = "{name: nginx, tagSuffix: -x}"
    assert changed(ALL, rule) == ["nginx:-x-x", "nginx:1-x-x", "nginx:1-x-x", "nginx:-x-x"]
    assert changed(ALL, rule, NONE) == ["nginx:-x", "nginx:1-x", "nginx:1-x", "nginx:-x"]


@pytest.mark.parametrize(
    "image", ["foo/nginx", "nginx:1:2", "nginx:$(TAG)", "nginx@sha512:abc", "Nginx", "nginx\n", "nginx ", "", None]
)
def test_images_that_do_not_match(image: str | None) -> None:
    assert changed([image], "{name: nginx, newTag: '2'}") == [image]


@pytest.mark.parametrize(
    ("name", "image", "expected"),
    [
        ("a.b", "axb", "axb:5"), ("(.*)nginx", "foo/nginx:1", "foo/nginx:5"), ("a|b", "xb:1", "xb:5"), ("a|b", "ax", "ax:5"),
        ("nginx:1", "nginx:1", "nginx:5"), ("nginx:1", "nginx", "nginx"), ("${IMG}", "${IMG}", "${IMG}"), ("r:5000/n", "r:5000/n:1", "r:5000/n:5"),
        ("nginx", "nginx:{TAG}", "nginx:5"),
    ],
)  # fmt: skip
def test_a_name_is_a_regular_expression(name: str, image: str, expected: str) -> None:
    assert changed([image], f"{{name: '{name}', newTag: '5'}}") == [expected]


def test_kustomize_breaks_down_on_a_name_that_is_no_regular_expression() -> None:
    with pytest.raises(BuildError) as caught:
        changed(["nginx"], "{name: 'ngi(nx', newTag: '5'}")
    assert caught.value.cause is Cause.BAD_TRANSFORMER


@pytest.mark.parametrize("name", ["(a+)+", "(a{2}){2}", "a*a*a*"])
def test_a_name_that_could_take_for_ever_to_match_is_not_tried(name: str) -> None:
    with pytest.raises(NotBuilt):
        changed(["a" * 200 + "!"], f"{{name: '{name}', newTag: '5'}}")


def test_entries_apply_one_after_the_other() -> None:
    assert changed(["a", "b"], "{name: a, newName: b}, {name: b, newName: c}") == ["c", "c"]
    assert changed(["a", "c"], "{name: a, newName: b}, {name: c, newName: a}") == ["b", "a"]


def test_quotes_decide_whether_a_new_name_is_a_number() -> None:
    one = resource("containers: [{image: x}, {image: 'x'}]")
    change_images([one], entry("{name: x, newName: '12'}"), NONE)
    assert value(member(one.root, "containers")) == [{"image": 12}, {"image": "12"}]


def test_a_changed_image_leads_to_the_new_tag_and_remembers_the_old_image() -> None:
    rule = entry("{name: nginx, newName: other, newTag: '2'}")
    one = resource("containers: [{image: 'nginx:1'}]")
    change_images([one], rule, NONE)
    image = member(items(member(one.root, "containers"))[0], "image")
    assert isinstance(image, Rewritten)
    assert image.start_mark is rule["newTag"].raw.start_mark  # type: ignore[union-attr]
    assert image.before.value == "nginx:1"
    assert [(step.what, step.at) for step in one.steps] == [("image changed", rule)]


# -- where images are


def test_lists_of_containers_are_found_anywhere() -> None:
    one = resource(
        "x: [{z: {initContainers: [{image: nginx, containers: [{image: 'nginx:2'}]}], others: [{image: nginx}]}}]"
    )
    change_images([one], entry("{name: nginx, newTag: '5'}"), NONE)
    (inner,) = value(member(one.root, "x"))
    assert inner["z"] == {
        "initContainers": [{"image": "nginx:5", "containers": [{"image": "nginx:5"}]}],
        "others": [{"image": "nginx"}],
    }


def test_field_specs_add_places() -> None:
    one = resource("spec: {volumes: [{image: {reference: nginx}}], containers: {image: nginx}}")
    change_images([one], entry("{name: nginx, newTag: '5'}"), IMAGES)
    assert value(member(one.root, "spec")) == {
        "volumes": [{"image": {"reference": "nginx:5"}}],
        "containers": {"image": "nginx:5"},
    }


@pytest.mark.parametrize(
    "content",
    [
        "containers: [nginx]", "containers: [[{image: nginx}]]", "containers: [{image: {a: b}}]", "spec: hello",
        "spec: {template: hello}", "spec: {volumes: [{image: nginx}]}", "spec: {volumes: [{image: {reference: [x]}}]}",
    ],
)  # fmt: skip
def test_kustomize_refuses_other_shapes_whatever_the_images_are_called(content: str) -> None:
    rule = entry("{name: other, newTag: '5'}")
    with pytest.raises(BuildError) as caught:
        change_images([resource(content)], rule, IMAGES)
    assert caught.value.cause is Cause.BAD_TRANSFORMER
    assert caught.value.at is rule


@pytest.mark.parametrize(
    "content", ["containers: [null, {}]", "containers: {image: [x]}", "spec: null", "spec: {template: null}"]
)
def test_shapes_that_kustomize_passes_over(content: str) -> None:
    one = resource(content)
    before = one.root
    change_images([one], entry("{name: nginx, newTag: '5'}"), IMAGES)
    assert one.root is before
    assert one.steps == ()


def test_containers_that_are_null_become_a_list() -> None:
    one = resource("spec: {containers: null}")
    change_images([one], entry("{name: nginx, newTag: '5'}"), IMAGES)
    assert value(member(one.root, "spec")) == {"containers": []}


def test_a_custom_resource_definition_is_left_alone() -> None:
    one = resource("spec: {containers: [{image: nginx}]}", "CustomResourceDefinition")
    before = one.root
    change_images([one], entry("{name: nginx, newTag: '5'}"), IMAGES)
    assert one.root is before


# -- replicas


def replicas(content: str, rule: str = "{name: a, count: 5}", kind: str = "Deployment") -> Any:
    one = resource(content, kind)
    set_replicas([one], entry(rule), REPLICAS)
    return value(member(one.root, "spec"))


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("", {"replicas": 5}), ("spec: null", {"replicas": 5}), ("spec: {replicas: 3}", {"replicas": 5}),
        ("spec: {replicas: null}", {"replicas": 5}), ("spec: {replicas: '3'}", {"replicas": "5"}),
    ],
)  # fmt: skip
def test_replicas_are_set_and_made(content: str, expected: dict[str, object]) -> None:
    assert replicas(content) == expected


@pytest.mark.parametrize(("count", "expected"), [("count: 0", 0), ("count: -1", -1), ("count: 5.0", 5), ("", 0)])
def test_counts(count: str, expected: int) -> None:
    assert replicas("", f"{{name: a, {count}}}") == {"replicas": expected}


@pytest.mark.parametrize("content", ["spec: x", "spec: {replicas: {a: b}}"])
def test_replicas_in_other_shapes_are_refused(content: str) -> None:
    with pytest.raises(BuildError) as caught:
        replicas(content)
    assert caught.value.cause is Cause.BAD_TRANSFORMER


@pytest.mark.parametrize(
    ("rule", "kind"),
    [("{name: b, count: 1}", "Deployment"), ("{name: a, count: 1}", "DaemonSet"), ("{count: 1}", "Deployment")],
)
def test_a_workload_of_that_name_must_be_there(rule: str, kind: str) -> None:
    with pytest.raises(BuildError) as caught:
        replicas("spec: {replicas: 3}", rule, kind)
    assert caught.value.cause is Cause.NO_MATCH


def test_a_workload_is_found_by_the_name_it_had_and_the_one_it_has() -> None:
    for name in ("a", "p-a"):
        one = resource("", "StatefulSet")
        one.remember_id()
        renamed = SourceFile("m.yaml", "{apiVersion: x/v1, kind: StatefulSet, metadata: {name: p-a}}").documents[0]
        one.root = renamed.raw  # type: ignore[assignment]
        set_replicas([one], entry(f"{{name: {name}, count: 2}}"), REPLICAS)
        assert value(member(one.root, "spec")) == {"replicas": 2}


def test_configurations_can_add_kinds() -> None:
    one = resource("spec: {replicas: 3}", "Rollout")
    rule = entry("{name: a, count: 2}")
    set_replicas([one], rule, specs("spec/replicas", kind="Rollout"))
    assert value(member(one.root, "spec")) == {"replicas": 2}
    assert [(step.what, step.at) for step in one.steps] == [("replicas set", rule)]
