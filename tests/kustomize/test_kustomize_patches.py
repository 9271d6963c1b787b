"""Patches: what Kustomize 5.7.1 makes of an object and a patch. Where it surprises, its own output decided."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml
from gitops_lint.linter.dialects.label_selectors import parse
from gitops_lint.linter.kustomize.embedded import EmbeddedDocument, documents_in
from gitops_lint.linter.kustomize.kustomize_errors import BuildError, Cause, NotBuilt
from gitops_lint.linter.kustomize.objects import Id, Object, gvk
from gitops_lint.linter.kustomize.objects_in_file import objects_in
from gitops_lint.linter.kustomize.patches import (
    PatchEntry,
    PatchField,
    Schemas,
    Selector,
    apply_patch,
    apply_patches,
    demand_known_version,
)
from gitops_lint.linter.kustomize.trees import Rewritten, at, value
from gitops_lint.linter.yaml.source import Node, SourceFile

SCHEMAS = Schemas()
DEPLOYMENT = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\n"
POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\n"
CUSTOM = "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: web}\n"
CONFIG = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\n"


def objects(text: str) -> list[Object]:
    return [one.copy() for one in objects_in(SourceFile("base.yaml", text))]


def node(text: str) -> Node:
    return SourceFile("kustomization.yaml", text).documents[0].root


def entry(patch: str, target: str = "", options: str = "", field: PatchField = PatchField.PATCHES) -> PatchEntry:
    return PatchEntry(
        node("path: patch.yaml"),
        SourceFile("patch.yaml", patch).documents,
        node(target) if target else None,
        node(options) if options else None,
        field,
    )


def patched(
    base: str, *patches: str, target: str = "", options: str = "", field: PatchField = PatchField.PATCHES
) -> Any:
    """The objects as values; of a single object just the value."""
    left = apply_patches(objects(base), [entry(patch, target, options, field) for patch in patches], SCHEMAS)
    found = [value(one.root) for one in left]
    return found[0] if len(found) == 1 else found


def spec(base: str, *patches: str, head: str = DEPLOYMENT) -> Any:
    """The `spec` after patches to it, all of them written without the lines above it."""
    return patched(f"{head}spec: {base}\n", *(f"{head}spec: {patch}\n" for patch in patches))["spec"]


def refusal(base: str, patch: str, target: str = "", field: PatchField = PatchField.PATCHES) -> BuildError:
    with pytest.raises(BuildError) as caught:
        apply_patch(objects(base), entry(patch, target, field=field), SCHEMAS)
    return caught.value


# -- mappings and scalars


@pytest.mark.parametrize(
    ("base", "patch", "result"),
    [
        ("{a: 1, b: {c: 1}}", "{b: {d: 2}, e: 3}", {"a": 1, "b": {"c": 1, "d": 2}, "e": 3}),
        ("{a: 1, b: 2}", "{a: null}", {"b": 2}),
        ("{a: {x: 1}}", "{a: {x: null}}", {"a": {}}),
        ("{a: {x: 1}}", "{a: {}}", {"a": {"x": 1}}),
        ("{a: [1, 2]}", "{a: []}", {"a": []}),
        ("{a: [{name: x}]}", "{a: [{name: y}]}", {"a": [{"name": "y"}]}),
        ("{a: null}", "{a: {x: 1}}", {"a": {"x": 1}}),
        (
            "{}",
            "{a: {x: null, y: 1, z: {w: null}}, l: [null, {x: null}]}",
            {"a": {"y": 1, "z": {}}, "l": [None, {"x": None}]},
        ),
    ],
)
def test_mappings_are_merged_and_the_rest_is_replaced(base: str, patch: str, result: object) -> None:
    assert spec(base, patch, head=CUSTOM) == result


@pytest.mark.parametrize(
    ("base", "patch", "result"),
    [
        ("{a: {x: 1}}", "{a: {$patch: delete}}", {}),
        ("{a: {x: 1}}", "{a: {$patch: replace, y: 2, z: null}}", {"a": {"y": 2}}),
        ("{a: {x: 1}}", "{a: {$patch: merge, y: 2}}", {"a": {"x": 1, "y": 2}}),
        ("{a: 1}", "{b: {$patch: delete, y: 2}, c: {d: {$patch: replace, y: 2}}}", {"a": 1, "c": {"d": {"y": 2}}}),
        ("{a: {x: 1}}", "{a: {$retainKeys: [y], y: 2}}", {"a": {"x": 1, "$retainKeys": ["y"], "y": 2}}),
        ("{l: [a]}", "{$deleteFromPrimitiveList/l: [a]}", {"l": ["a"], "$deleteFromPrimitiveList/l": ["a"]}),
    ],
)
def test_of_the_directives_only_dollar_patch_is_known(base: str, patch: str, result: object) -> None:
    assert spec(base, patch, head=CUSTOM) == result


def test_an_unknown_directive_is_refused_only_where_it_is_merged() -> None:
    error = refusal(f"{CUSTOM}spec: {{a: {{x: 1}}}}\n", f"{CUSTOM}spec:\n  a:\n    $patch: remove\n")
    assert (error.cause, error.at.file.path) == (Cause.BAD_PATCH, "patch.yaml")
    assert error.at.file.position(error.at.span.start).line == 6
    assert spec("{}", "{a: {$patch: remove}}", head=CUSTOM) == {"a": {"$patch": "remove"}}


def test_a_value_over_a_quoted_text_becomes_a_text_and_a_text_over_a_number_stays_one() -> None:
    base = '\n  a: "1"\n  b: 1\n  c: |\n    x\n  d: plain\n'
    assert spec(base, '{a: 2, b: "2", c: true, d: 5}', head=CUSTOM) == {"a": "2", "b": "2", "c": "true", "d": 5}
    assert spec('{a: "1", b: 1}', '{a: x, b: "2"}', "{a: 3, b: 4}", head=CUSTOM) == {"a": "3", "b": 4}


def test_any_merge_drops_empty_values_of_the_object_but_keeps_explicit_nulls() -> None:
    base = "\n  a:\n  b: null\n  c: ~\n  d:\n    e:\n  l:\n  - f:\n"
    assert spec(base, "{x: 1}", head=CUSTOM) == {"b": None, "c": None, "d": {}, "l": [{"f": None}], "x": 1}


@pytest.mark.parametrize(
    ("base", "patch"), [("{a: {x: 1}}", "{a: 1}"), ("{a: 1}", "{a: [1]}"), ("{a: [1]}", "{a: {x: 1}}")]
)
def test_another_shape_is_refused(base: str, patch: str) -> None:
    error = refusal(f"{CUSTOM}spec: {base}\n", f"{CUSTOM}spec: {patch}\n")
    assert error.cause is Cause.BAD_PATCH
    assert "Thing.v1.example.com/web" in error.message


def test_of_a_key_that_a_patch_has_twice_the_first_counts_unless_both_would_come_out() -> None:
    assert spec("{a: {b: 0}}", "{a: {b: 1, b: 2, c: 1, c: 2}}", head=CUSTOM) == {"a": {"b": 1, "c": 1}}
    assert refusal(f"{CUSTOM}spec: {{}}\n", f"{CUSTOM}spec: {{a: {{b: 1, b: 2}}}}\n").cause is Cause.BAD_PATCH


def test_patches_are_yaml_1_2_but_operations_are_yaml_1_1() -> None:
    assert spec("{}", "{a: yes, b: 2020-01-01}", head=CUSTOM) == {"a": "yes", "b": "2020-01-01T00:00:00Z"}
    operations = "- {op: add, path: /a, value: yes}\n- {op: add, path: /b, value: {on: 2020-01-01, 1: x}}\n"
    result = patched(CUSTOM, operations, target="kind: Thing")
    assert (result["a"], result["b"]) == (True, {"true": "2020-01-01", "1": "x"})


# -- lists with keys


def containers(base: str, patch: str) -> Any:
    return spec(f"{{containers: {base}}}", f"{{containers: {patch}}}", head=POD)["containers"]


def test_items_of_the_patch_come_first_then_the_rest_of_the_object() -> None:
    found = containers("[{name: a}, {name: b}, {name: c}]", "[{name: c, image: x}, {name: d}, {name: a}]")
    assert [(one["name"], one.get("image")) for one in found] == [("c", "x"), ("d", None), ("a", None), ("b", None)]


@pytest.mark.parametrize(
    ("patch", "names"),
    [
        ("[{name: a, $patch: delete}]", "b"),
        ("[{name: z, $patch: delete}]", "ab"),
        ("[{$patch: replace}, {name: z}]", "z"),
        ("[{name: z}, {$patch: replace}, {name: y, $patch: replace}]", "z"),
        ("[{$patch: merge}, {name: z}]", "zab"),
        ("[]", "ab"),
    ],
)
def test_directives_in_a_list(patch: str, names: str) -> None:
    assert "".join(one["name"] for one in containers("[{name: a}, {name: b}]", patch)) == names


def test_a_directive_can_delete_the_whole_list() -> None:
    assert spec("{containers: [{name: a}]}", "{containers: [{$patch: delete}]}", head=POD) == {}


def test_replacing_an_item_that_is_there_has_no_effect() -> None:
    found = containers("[{name: a, image: x}, {name: b}]", "[{name: b, $patch: replace, image: y}]")
    assert found == [{"name": "b"}, {"name": "a", "image": "x"}]


def test_volumes_keep_both_sources() -> None:
    base, patch = "{volumes: [{name: v, emptyDir: {}}]}", "{volumes: [{name: v, configMap: {name: c}}]}"
    assert spec(base, patch, head=POD) == {"volumes": [{"name": "v", "emptyDir": {}, "configMap": {"name": "c"}}]}


@pytest.mark.parametrize(
    ("base", "patch", "result"),
    [
        ("[{p: 80, x: TCP}]", "[{p: 80, x: UDP}]", [(80, "UDP"), (80, "TCP")]),
        ("[{p: 80}, {p: 81}]", "[{p: 81, n: a}]", [(81, None), (80, None)]),
        # A protocol on one side only, and the patch is lost.
        ("[{p: 80, x: TCP}]", "[{p: 80, n: a}]", [(80, "TCP")]),
        ("[{p: 80}]", "[{p: 80, x: TCP}]", [(80, None)]),
        (
            "[{p: 80, x: TCP}, {p: 81, x: TCP}]",
            "[{p: 81, x: TCP, n: a}, {p: 82, x: TCP}]",
            [(82, "TCP"), (80, "TCP"), (81, "TCP")],
        ),
        ("[{p: 80, x: TCP}, {p: 80, x: UDP}]", "[{p: 80, x: UDP, $patch: delete}]", [(80, "TCP")]),
        ("[{p: 80, x: TCP, n: a}]", "[{p: 80, $patch: delete}]", [(80, "TCP")]),
    ],
)
def test_ports_have_two_keys(base: str, patch: str, result: object) -> None:
    def ports(text: str) -> str:
        return (
            f"{{containers: [{{name: a, ports: {text.replace('p:', 'containerPort:').replace('x:', 'protocol:')}}}]}}"
        )

    found = spec(ports(base), ports(patch), head=POD)["containers"][0]["ports"]
    assert [(one["containerPort"], one.get("protocol")) for one in found] == result


def test_lists_of_scalars_with_a_merge_strategy_are_united() -> None:
    base = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web, finalizers: [a, b, a]}\n"
    patch = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web, finalizers: [c, b, c]}\n"
    assert patched(base, patch)["metadata"]["finalizers"] == ["c", "b", "a"]


def test_items_without_a_key_make_a_merge_lose_the_others() -> None:
    base = "{containers: [{name: a, image: x}, {name: a}, {image: y}]}"
    assert spec(base, "{hostNetwork: true}", head=POD) == {"containers": [{"image": "y"}], "hostNetwork": True}


def test_a_kind_that_is_not_known_has_no_keys_but_an_object_within_it_may() -> None:
    inner = "{{manifest: {{apiVersion: v1, kind: Pod, spec: {{containers: [{{name: {0}}}]}}}}}}"
    found = spec(inner.format("a"), inner.format("b"), head=CUSTOM)
    assert [one["name"] for one in found["manifest"]["spec"]["containers"]] == ["b", "a"]


# -- schemas of a kustomization


FOO = {
    "definitions": {
        "Thing": {
            "x-kubernetes-group-version-kind": [{"group": "example.com", "version": "v1", "kind": "Thing"}],
            "properties": {"spec": {"$ref": "#/definitions/Spec"}},
        },
        "Spec": {
            "properties": {
                "items": {
                    "type": "array",
                    "items": {"type": "object"},
                    "x-kubernetes-patch-strategy": "merge",
                    "x-kubernetes-patch-merge-key": "id",
                },
                "loop": {"$ref": "#/definitions/Loop"},
            }
        },
        "Loop": {"$ref": "#/definitions/Loop"},
    }
}


@pytest.mark.parametrize(("beside", "pods"), [(False, ["b"]), (True, ["b", "a"])])
def test_definitions_of_a_kustomization_take_the_place_of_the_built_in_ones(beside: bool, pods: list[str]) -> None:
    schemas = SCHEMAS.with_definitions(FOO, beside=beside)
    base = f"{CUSTOM}spec: {{items: [{{id: a}}], loop: {{x: 1}}}}\n---\n{POD}spec: {{containers: [{{name: a}}]}}\n"
    patch = f"{CUSTOM}spec: {{items: [{{id: b}}], loop: {{x: 2}}}}\n---\n{POD}spec: {{containers: [{{name: b}}]}}\n"
    thing, pod = (value(one.root)["spec"] for one in apply_patch(objects(base), entry(patch), schemas))
    assert thing == {"items": [{"id": "b"}, {"id": "a"}], "loop": {"x": 2}}
    assert [one["name"] for one in pod["containers"]] == pods


@pytest.mark.parametrize("content", [None, [], {"definitions": []}, {"definitions": {"X": 5, "Y": {"properties": []}}}])
def test_definitions_that_are_none_are_no_schemas(content: object) -> None:
    assert SCHEMAS.with_definitions(content).of(gvk("apps/v1", "Deployment")) is None


def test_one_version_is_built_in() -> None:
    demand_known_version(node("version: v1.21.2"))
    demand_known_version(node("path: schema.json"))
    for wrong in ("version: v1.20.4", "{version: v1.21.2, path: schema.json}"):
        with pytest.raises(BuildError):
            demand_known_version(node(wrong))


# -- which objects a strategic merge patch means


def test_a_patch_finds_the_object_that_has_or_had_its_id() -> None:
    (one,) = objects(CONFIG)
    one.previous = (Id(gvk("v1", "ConfigMap"), "old", "default"),)
    for name in ("web", "old"):
        apply_patch(
            [one], entry(f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\ndata: {{{name}: x}}\n"), SCHEMAS
        )
    assert value(one.root)["data"] == {"web": "x", "old": "x"}
    assert one.name == "web"


@pytest.mark.parametrize(
    ("patch", "cause"),
    [
        (CONFIG.replace("web", "api"), Cause.NO_MATCH),
        (CONFIG.replace("name: web", "name: web, namespace: shop"), Cause.NO_MATCH),
        (CONFIG.replace("v1", "v2"), Cause.NO_MATCH),
        ("", Cause.BAD_PATCH),
        ("apiVersion: v1\nkind: ConfigMap\nmetadata: {}\n", Cause.BAD_PATCH),
        ("metadata: {name: web}\n", Cause.BAD_PATCH),
        ("hello", Cause.BAD_PATCH),
    ],
)
def test_a_patch_without_a_target_must_name_an_object(patch: str, cause: Cause) -> None:
    assert refusal(CONFIG, patch).cause is cause


def test_two_objects_that_had_the_same_id_are_too_many() -> None:
    found = objects(CONFIG + "---\n" + CONFIG.replace("web", "api"))
    found[1].previous = (found[0].id,)
    with pytest.raises(BuildError) as caught:
        apply_patch(found, entry(CONFIG), SCHEMAS)
    assert caught.value.cause is Cause.SEVERAL_MATCHES


def test_no_namespace_is_the_default_one() -> None:
    patch = CONFIG.replace("name: web", "name: web, namespace: default") + "data: {a: b}\n"
    assert patched(CONFIG, patch) == {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "web"},
        "data": {"a": "b"},
    }


def test_several_documents_and_lists_in_one_patch() -> None:
    base = CONFIG + "---\n" + CUSTOM
    listed = "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: ConfigMap, metadata: {name: web}, a: 1}\n"
    config, thing = patched(base, f"{listed}---\n# nothing\n---\n{CUSTOM}a: 2\n")
    assert (config["a"], thing["a"]) == (1, 2)


def test_delete_takes_the_object_out_and_replace_does_nothing() -> None:
    assert patched(CONFIG + "---\n" + CUSTOM, f"{CONFIG}$patch: delete\n")["kind"] == "Thing"
    assert patched(f"{CONFIG}data: {{a: b}}\n", f"{CONFIG}$patch: replace\ndata: {{c: d}}\n")["data"] == {"a": "b"}
    assert refusal(CONFIG, f"{CONFIG}$patch: delete\n---\n{CONFIG}").cause is Cause.NO_MATCH


def test_a_target_selects_any_number_of_objects_and_the_patch_may_be_of_another_kind() -> None:
    base = CONFIG + "---\n" + CUSTOM
    patch = "kind: Whatever\nmetadata: {name: any, namespace: other}\nx: 1\n"
    config, thing = patched(base, patch, target="name: web")
    assert config == {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "web"}, "x": 1}
    assert thing["kind"] == "Thing"
    assert patched(CONFIG, patch, target="kind: Nothing") == patched(CONFIG)
    assert patched(CONFIG, patch, target="{}")["x"] == 1


def test_with_a_target_there_may_be_one_document() -> None:
    assert refusal(CONFIG, f"{CONFIG}---\n{CONFIG}", target="kind: ConfigMap").cause is Cause.BAD_PATCH


LABELLED = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web, labels: {a: x, b: x}}\n"


@pytest.mark.parametrize(
    ("labels", "alone", "selected"),
    [
        ("{a: null, c: 5}", {"b": "x", "c": 5}, {"a": "null", "b": "x", "c": "5"}),
        ("null", None, {"a": "x", "b": "x"}),
        ("{}", {"a": "x", "b": "x"}, {"a": "x", "b": "x"}),
        ("{$patch: replace, c: y}", {"c": "y"}, {"c": "y"}),
    ],
)
def test_labels_of_a_patch_with_a_target_are_texts_even_nulls(labels: str, alone: object, selected: object) -> None:
    patch = f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: web, labels: {labels}}}\n"
    assert patched(LABELLED, patch)["metadata"].get("labels") == alone
    assert patched(LABELLED, patch, target="kind: ConfigMap")["metadata"]["labels"] == selected
    assert patched(LABELLED, patch, field=PatchField.STRATEGIC_MERGE)["metadata"]["labels"] == selected


def test_identity_is_kept_unless_it_may_change() -> None:
    patch = "apiVersion: other/v1\nkind: Secret\nmetadata: {name: new, namespace: other}\n"
    names = {}
    for options in ("{}", "{allowNameChange: true}", "{allowKindChange: true}"):
        (one,) = apply_patch(objects(CONFIG), entry(patch, "kind: ConfigMap", options), SCHEMAS)
        names[options] = (one.gvk, one.name, one.namespace, len(one.previous))
    assert names == {
        "{}": (gvk("v1", "ConfigMap"), "web", "", 0),
        "{allowNameChange: true}": (gvk("v1", "ConfigMap"), "new", "", 1),
        "{allowKindChange: true}": (gvk("v1", "Secret"), "web", "", 1),
    }


@pytest.mark.parametrize("metadata", ["{name: web, $patch: replace}", "{name: web, $patch: delete}"])
def test_not_even_replacing_the_metadata_changes_a_name(metadata: str) -> None:
    base = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web, namespace: shop, labels: {a: b}}\n"
    patch = f"apiVersion: v1\nkind: ConfigMap\nmetadata: {metadata}\n"
    assert patched(base, patch, target="name: web")["metadata"] == {"name": "web", "namespace": "shop"}


@pytest.mark.parametrize("annotations", ["null", "{$patch: replace, a: b}", "{$patch: delete}"])
def test_a_patch_that_deletes_all_annotations_deletes_what_kustomize_has_noted_there(annotations: str) -> None:
    (one,) = objects(CONFIG)
    one.previous, one.behavior, one.needs_hash = (one.id._replace(name="old"),), "create", True
    apply_patch([one], entry(CONFIG.replace("name: web", f"name: web, annotations: {annotations}")), SCHEMAS)
    assert (one.previous, one.behavior, one.needs_hash) == ((), "", False)


def test_two_objects_must_not_get_the_same_name() -> None:
    base = CONFIG + "---\n" + CONFIG.replace("web", "api")
    with pytest.raises(BuildError) as caught:
        patched(base, CONFIG, target="name: api", options="allowNameChange: true")
    assert caught.value.cause is Cause.DUPLICATE_ID


# -- operations


def operated(base: str, *operations: dict[str, Any]) -> Any:
    return patched(f"{CUSTOM}spec: {base}\n", json.dumps(operations), target="kind: Thing")["spec"]


@pytest.mark.parametrize(
    ("base", "operation", "result"),
    [
        ("{a: 1}", {"op": "add", "path": "/spec/b", "value": {"c": [1]}}, {"a": 1, "b": {"c": [1]}}),
        ("{a: 1}", {"op": "add", "path": "/spec/a", "value": 2}, {"a": 2}),
        ("{a: 1}", {"op": "add", "path": "/spec/b"}, {"a": 1, "b": None}),
        ("{l: [1, 2]}", {"op": "add", "path": "/spec/l/-", "value": 3}, {"l": [1, 2, 3]}),
        ("{l: [1, 2]}", {"op": "add", "path": "/spec/l/0", "value": 3}, {"l": [3, 1, 2]}),
        ("{l: [1, 2]}", {"op": "add", "path": "/spec/l/2", "value": 3}, {"l": [1, 2, 3]}),
        ("{l: [1, 2]}", {"op": "add", "path": "/spec/l/-1", "value": 3}, {"l": [1, 2, 3]}),
        ("{l: [1, 2]}", {"op": "replace", "path": "/spec/l/-1", "value": 3}, {"l": [1, 3]}),
        ("{l: [{a: 1}]}", {"op": "replace", "path": "/spec/l/0/a", "value": 3}, {"l": [{"a": 3}]}),
        ("{a: 1}", {"op": "replace", "path": "/spec/missing", "value": 3}, {"a": 1, "missing": 3}),
        ("{a: 1, b: 2}", {"op": "remove", "path": "/spec/a"}, {"b": 2}),
        ("{l: [1, 2]}", {"op": "remove", "path": "/spec/l/-2"}, {"l": [2]}),
        ("{a: {x: 1}}", {"op": "move", "from": "/spec/a/x", "path": "/spec/y"}, {"a": {}, "y": 1}),
        ("{a: {x: 1}}", {"op": "copy", "from": "/spec/a", "path": "/spec/b"}, {"a": {"x": 1}, "b": {"x": 1}}),
        ("{a: 1}", {"op": "copy", "from": "/spec/none", "path": "/spec/b"}, {"a": 1, "b": None}),
        ("{a: {x: [1]}}", {"op": "test", "path": "/spec/a", "value": {"x": [1]}}, {"a": {"x": [1]}}),
        ("{a/b: 1, m~n: 2}", {"op": "remove", "path": "/spec/a~1b"}, {"m~n": 2}),
        ("{a/b: 1, m~n: 2}", {"op": "remove", "path": "/spec/m~0n"}, {"a/b": 1}),
        ("{~1: 2}", {"op": "replace", "path": "/spec/~01", "value": 3}, {"~1": 3}),
        ("{a: 1}", {"op": "add", "path": "ignored/spec", "value": {"b": 1}}, {"b": 1}),
        ("{a: 1}", {"op": "replace", "path": "", "value": "x"}, {"a": 1}),
    ],
)
def test_operations(base: str, operation: dict[str, Any], result: object) -> None:
    assert operated(base, operation) == result


@pytest.mark.parametrize(
    "operation",
    [
        {"op": "add", "path": "/spec/none/x", "value": 1},
        {"op": "add", "path": "/spec/null/x", "value": 1},
        {"op": "add", "path": "/spec/a/x", "value": 1},
        {"op": "add", "path": "", "value": {}},
        {"op": "add", "path": "spec", "value": {}},
        {"op": "add", "path": "/spec/l/4", "value": 1},
        {"op": "add", "path": "/spec/l/x", "value": 1},
        {"op": "add", "value": 1},
        {"op": "add", "path": 5, "value": 1},
        {"op": "replace", "path": "/spec/l/1", "value": 1},
        {"op": "replace", "path": "/spec/l/-", "value": 1},
        {"op": "replace", "path": "", "value": [1]},
        {"op": "remove", "path": "/spec/none"},
        {"op": "remove", "path": "/spec/l/-2"},
        {"op": "move", "from": "/spec/none", "path": "/spec/x"},
        {"op": "copy", "path": "/spec/x"},
        {"op": "test", "path": "/spec/a", "value": "1"},
        {"op": "test", "path": "/spec/a", "value": True},
        {"op": "test", "path": "/spec/none"},
        {"op": "Add", "path": "/spec/x", "value": 1},
        {"path": "/spec/x", "value": 1},
        {"op": "remove", "path": "/kind"},
        {"op": "replace", "path": "/metadata/name", "value": ""},
    ],
)
def test_operations_that_cannot_be_applied(operation: dict[str, Any]) -> None:
    patch = yaml.safe_dump([{"op": "test", "path": "/spec/a", "value": 1}, operation])
    error = refusal(f"{CUSTOM}spec: {{a: 1, 'null': null, l: [1]}}\n", patch, target="kind: Thing")
    assert error.cause is Cause.BAD_PATCH
    assert "Thing.v1.example.com/web" in error.message


def test_an_operation_is_refused_at_its_path() -> None:
    error = refusal(CUSTOM, "- op: add\n  path: /x\n- op: remove\n  path: /y\n", target="kind: Thing")
    assert error.at.file.position(error.at.span.start).line == 4


@pytest.mark.parametrize(
    "patch", ["[{op: add, path: /x}]", '[{"op": "add"}]\n---\na: b\n', "- a\n- b\n", "a: b\n---\n- op: add\n"]
)
def test_text_that_is_no_patch(patch: str) -> None:
    assert refusal(CONFIG, patch, target="kind: ConfigMap").cause is Cause.BAD_PATCH


@pytest.mark.parametrize("patch", ["", "# nothing\n", "[]", "---\n---\n- {op: add, path: /a}\n"])
def test_no_operations_are_fine_with_a_target(patch: str) -> None:
    assert patched(CONFIG, patch, target="kind: ConfigMap") == patched(CONFIG)


def test_of_several_documents_with_operations_the_first_counts() -> None:
    patch = "- {op: add, path: /a, value: 1}\n---\n- {op: add, path: /b, value: 1}\n"
    assert patched(CONFIG, patch, target="kind: ConfigMap").keys() == {"apiVersion", "kind", "metadata", "a"}


def test_operations_need_a_target() -> None:
    assert refusal(CONFIG, "- {op: add, path: /a}\n").cause is Cause.BAD_PATCH
    assert refusal(CONFIG, "- {op: add, path: /a}\n", target="null").cause is Cause.BAD_PATCH


def test_operations_always_find_annotations_because_kustomize_keeps_notes_there() -> None:
    add = '[{"op": "add", "path": "/metadata/annotations/x", "value": "y"}]'
    assert patched(CONFIG, add, target="kind: ConfigMap")["metadata"]["annotations"] == {"x": "y"}
    assert (
        refusal(CONFIG, add, target="{kind: ConfigMap, name: web}", field=PatchField.JSON6902).cause is Cause.BAD_PATCH
    )
    assert refusal(CONFIG, add.replace("annotations", "labels"), target="kind: ConfigMap").cause is Cause.BAD_PATCH
    remove = '[{"op": "remove", "path": "/metadata/annotations"}]'
    assert patched(CONFIG, remove, target="kind: ConfigMap") == patched(CONFIG)


def test_operations_remember_the_id_also_when_they_do_not_change_it() -> None:
    operations = '[{"op": "replace", "path": "/metadata/name", "value": "new"}]'
    (one,) = apply_patch(objects(CONFIG), entry(operations, "kind: ConfigMap"), SCHEMAS)
    assert (one.name, [earlier.name for earlier in one.previous]) == ("new", ["web"])
    legacy = entry(operations, "{kind: ConfigMap, name: web}", field=PatchField.JSON6902)
    (one,) = apply_patch(objects(CONFIG), legacy, SCHEMAS)
    assert (one.name, one.previous) == ("new", ())


@pytest.mark.parametrize(
    ("target", "patch"), [("kind: ConfigMap", "- {op: add, path: /a}"), ("name: web", "[]"), ("name: web", CONFIG)]
)
def test_patches_json_6902_wants_a_name_and_operations(target: str, patch: str) -> None:
    assert refusal(CONFIG, patch, target, PatchField.JSON6902).cause is Cause.BAD_PATCH


def test_patches_strategic_merge_takes_no_operations() -> None:
    assert refusal(CONFIG, "- {op: add, path: /a}\n", field=PatchField.STRATEGIC_MERGE).cause is Cause.BAD_PATCH


# -- selectors


def selected(target: str) -> str:
    found = objects(
        "\n---\n".join(
            [
                "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, labels: {app: web, tier: '1', e: ''}, annotations: {x: y}}}",
                "{apiVersion: v1, kind: ConfigMap, metadata: {name: b, namespace: shop, labels: {app: api}}}",
                "{apiVersion: apps/v1, kind: Deployment, metadata: {name: c-1}}",
                "{apiVersion: v1, kind: Namespace, metadata: {name: d}}",
            ]
        )
    )
    found[2].previous = (found[2].id._replace(name="c", namespace="old"),)
    selector = Selector.from_node(node(target))
    return "".join(one.name[0] for one in found if selector.matches(one))


@pytest.mark.parametrize(
    ("target", "names"),
    [
        ("{}", "abcd"),
        ("kind: ConfigMap", "ab"),
        ("kind: Config", ""),
        ("kind: Config.*|Deployment", "abc"),
        ("kind: (?i)configmap", "ab"),
        ('kind: "[[:alpha:]]+"', "abcd"),
        ("group: apps", "c"),
        ("version: v1", "abcd"),
        ("name: c", "c"),
        ("name: c-1", "c"),
        ("name: c-", ""),
        ("name: a|b", "ab"),
        ("namespace: default", "ac"),
        ("namespace: old", "c"),
        ("namespace: shop", "b"),
        ("namespace: _non_namespaceable_", "d"),
        ("labelSelector: app=web", "a"),
        ("labelSelector: app==web", "a"),
        ("labelSelector: app!=web", "bcd"),
        ("labelSelector: app", "ab"),
        ("labelSelector: '!app'", "cd"),
        ("labelSelector: app in (web, api)", "ab"),
        ("labelSelector: app notin (web)", "bcd"),
        ("labelSelector: app=web,tier=1", "a"),
        ("labelSelector: e=", "a"),
        ("labelSelector: e in ()", "a"),
        ("labelSelector: tier>0", "a"),
        ("labelSelector: tier<1", ""),
        ("annotationSelector: x=y", "a"),
        ("{kind: ConfigMap, name: '.', labelSelector: app, annotationSelector: '!x'}", "b"),
    ],
)
def test_what_a_target_selects(target: str, names: str) -> None:
    assert selected(target) == names


@pytest.mark.parametrize(
    "target",
    [
        "name: '*'",
        "name: '['",
        "name: (?!a).*",
        "name: a*+",
        "name: (a)\\1",
        "labelSelector: app=web,",
        "labelSelector: app in web",
        "labelSelector: app in (web",
        "labelSelector: app in (web api)",
        "labelSelector: =web",
        "labelSelector: app=web tier=1",
        "labelSelector: '!app=web'",
        "labelSelector: app=-web",
        "labelSelector: Upper/app=web",
        "labelSelector: tier>x",
        "annotationSelector: a b",
    ],
)
def test_selectors_that_go_refuses(target: str) -> None:
    with pytest.raises(BuildError) as caught:
        selected(target)
    assert caught.value.cause is Cause.BAD_PATCH
    assert caught.value.at.pointer == "/" + target.partition(":")[0]


@pytest.mark.parametrize("name", ["\\p{L}", "a{999}b{999}c{999}d{999}e{999}"])
def test_expressions_that_nobody_can_judge_are_not_tried(name: str) -> None:
    with pytest.raises(NotBuilt):
        selected(f"name: '{name}'")


@pytest.mark.parametrize(
    "name", ["(a+)*b", "(a|a)*b", "((x)*)*b", "(?:a*b)+", ".*.*.*.*b", "(a|b){1,100}", "(?i)\\x42"]
)
def test_expressions_that_repeat_what_repeats_are_tried(name: str) -> None:
    assert "b" in selected(f"name: '{name}'")


@pytest.mark.parametrize("name", ["a.*b.*c.*", "(a|b)-(c|d)", "[a-z*+]+-[(]?x+", "(abc)+", "(a|b){2}", "\\(\\)*x*"])
def test_ordinary_expressions_are(name: str) -> None:
    assert selected(f"name: '{name}'") in ("", "c", "ab")


def test_operators_may_be_values() -> None:
    (requirement,) = parse("in in (in, notin)")
    assert requirement.matches({"in": "notin"})


# -- patches in a text


OUTER = """\
patches:
- patch: |-  # a comment
    kind: ConfigMap
    metadata:
      name: web
    text: |
      ---
      no document
    --- # the next one
    kind: Thing
- patch: "kind: ConfigMap"
- patch: >-
    {"kind":
    "Thing"}
- patch: kind
- patch: |
    a: [
"""


def test_places_in_a_literal_block_are_places_of_the_file() -> None:
    outer = SourceFile("kustomization.yaml", OUTER)
    config, thing = documents_in(outer.documents[0].root.at("patches", 0, "patch"))
    assert isinstance(config, EmbeddedDocument)
    assert config.is_embedded
    assert config.has_own_places
    assert config.file is outer
    assert config.root.value == {"kind": "ConfigMap", "metadata": {"name": "web"}, "text": "---\nno document\n"}
    assert [outer.position(one["kind"].span.start) for one in (config.root, thing.root)] == [(3, 11), (10, 11)]
    assert outer.position(config.root.at("metadata", "name").span.start) == (5, 13)


@pytest.mark.parametrize(("index", "kind"), [(1, "ConfigMap"), (2, "Thing")])
def test_in_other_scalars_all_places_are_that_of_the_scalar(index: int, kind: str) -> None:
    outer = SourceFile("kustomization.yaml", OUTER).documents[0].root.at("patches", index, "patch")
    (inner,) = documents_in(outer)
    assert isinstance(inner, EmbeddedDocument)
    assert not inner.has_own_places
    assert (inner.root["kind"].text, inner.root["kind"].span) == (kind, outer.span)


def test_a_literal_block_within_a_literal_block_has_places_too() -> None:
    file = SourceFile("kustomization.yaml", "a: |\n  b: |\n    c: d\ne: 'x: |'\n")
    (inner,) = documents_in(file.documents[0].root["a"])
    (innermost,) = documents_in(inner.root["b"])
    assert file.position(innermost.root["c"].span.start) == (3, 8)


def test_what_cannot_be_read_is_an_error_where_it_stands() -> None:
    file = SourceFile("kustomization.yaml", OUTER)
    with pytest.raises(BuildError) as caught:
        documents_in(file.documents[0].root.at("patches", 4, "patch"))
    assert caught.value.cause is Cause.BAD_PATCH
    assert file.position(caught.value.at.span.start).line == 17
    with pytest.raises(BuildError):
        documents_in(file.documents[0].root["patches"])


@pytest.mark.parametrize(
    ("header", "field", "result"),
    [
        ("|", PatchField.PATCHES, "x"),
        ("|-", PatchField.PATCHES, "x"),
        ("|", PatchField.STRATEGIC_MERGE, "x\n"),
        ("|-", PatchField.STRATEGIC_MERGE, "x"),
    ],
)
def test_a_text_at_the_end_of_a_patch_in_place_may_lose_its_line_break(
    header: str, field: PatchField, result: str
) -> None:
    lines = f"{CONFIG}data:\n  a: |\n    x\n".splitlines()
    outer = node("\n".join([f"patch: {header}", *(f"  {line}" for line in lines), "", "other: 1"]))
    (one,) = apply_patch(objects(CONFIG), PatchEntry(outer, documents_in(outer["patch"]), field=field), SCHEMAS)
    changed = at(one.root, "data", "a")
    assert value(changed) == result
    assert changed is not None
    assert outer.file.position(changed.start_mark.index) == (6, 8)


def test_json_in_a_text_must_be_json() -> None:
    outer = node("patch: |\n  [{op: add, path: /a}]\n")
    with pytest.raises(BuildError):
        apply_patch(objects(CONFIG), PatchEntry(outer, documents_in(outer["patch"]), node("kind: ConfigMap")), SCHEMAS)


# -- where values come from


def test_values_lead_back_to_the_file_that_they_were_written_in() -> None:
    base = SourceFile("base.yaml", f"{CUSTOM}spec:\n  a: 1\n  b: {{c: 1}}\n")
    (one,) = (obj.copy() for obj in objects_in(base))
    untouched = at(one.root, "spec", "b")
    change = entry(f"{CUSTOM}spec:\n  a: 2\n  d: 3\n")
    apply_patch([one], change, SCHEMAS)
    new, added = at(one.root, "spec", "a"), at(one.root, "spec", "d")
    patch = change.documents[0].root["spec"]
    assert isinstance(new, Rewritten)
    assert value(new.before) == 1
    assert patch["a"].raw is not None
    assert new.start_mark is patch["a"].raw.start_mark
    assert added is patch["d"].raw
    assert at(one.root, "spec", "b") is untouched
    assert [(step.what, step.at, step.sources) for step in one.steps] == [
        ("patched", change.node, tuple(change.documents))
    ]


def test_a_patch_that_changes_nothing_leaves_the_tree_as_it_is() -> None:
    for patch, target in ((CONFIG, ""), ("[]", "kind: ConfigMap")):
        (one,) = objects(CONFIG)
        before = one.root
        apply_patch([one], entry(patch, target), SCHEMAS)
        assert one.root is before


def test_a_merge_that_changes_nothing_is_noted_all_the_same() -> None:
    (one,) = objects(CONFIG)
    apply_patch([one], entry(CONFIG, ""), SCHEMAS)
    assert [step.what for step in one.steps] == ["patched"]
