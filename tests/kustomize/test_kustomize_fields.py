"""Field specs and the transformers that live by them; each test says what the real Kustomize does."""

from __future__ import annotations

from textwrap import dedent
from typing import Any

import pytest
from gitops_lint.linter.kustomize import configurations, labels, name_affixes, namespaces
from gitops_lint.linter.kustomize.configurations import EMPTY, Configuration
from gitops_lint.linter.kustomize.crd_configurations import from_crds
from gitops_lint.linter.kustomize.fieldspecs import FieldSpec, FieldSpecs, WrongShape, split_path, update
from gitops_lint.linter.kustomize.kustomize_errors import BuildError, Cause
from gitops_lint.linter.kustomize.objects import Gvk, Object
from gitops_lint.linter.kustomize.objects_in_file import objects_in
from gitops_lint.linter.kustomize.trees import Rewritten, at, scalar, value, with_at
from gitops_lint.linter.yaml.compose import Mapping, Raw, RawScalar
from gitops_lint.linter.yaml.source import Node, SourceFile

DEPLOYMENT = Gvk("apps", "v1", "Deployment")
SERVICE = Gvk("", "v1", "Service")


def node(text: str) -> Node:
    return SourceFile("kustomization.yaml", dedent(text)).documents[0].root


def tree(text: str) -> Raw:
    return SourceFile("a.yaml", text).documents[0].raw


def objects(text: str) -> list[Object]:
    return list(objects_in(SourceFile("a.yaml", dedent(text))))


def values(found: list[Object]) -> list[Any]:
    return [value(one.root) for one in found]


def deployment(spec: str = "{}") -> list[Object]:
    return objects(f"{{apiVersion: apps/v1, kind: Deployment, metadata: {{name: web}}, spec: {spec}}}")


# -- paths


@pytest.mark.parametrize(
    ("written", "parts"),
    [
        ("spec/replicas", ("spec", "replicas")),
        ("/spec/replicas", ("spec", "replicas")),
        (r"metadata/annotations/a.b\/c", ("metadata", "annotations", "a.b/c")),
        ("spec/containers[]/image", ("spec", "containers[]", "image")),
        ("", ("",)),
    ],
)
def test_a_path_is_split_at_slashes_that_are_not_escaped(written: str, parts: tuple[str, ...]) -> None:
    assert split_path(written) == parts


def exclaimed(raw: Raw) -> Raw:
    assert isinstance(raw, RawScalar)
    return scalar(f"{raw.value}!", raw, over=raw)


def updated(text: str, path: str, create: type[RawScalar] | type[Mapping] | None = None) -> Any:
    root = tree(text)
    return value(update(root, split_path(path), exclaimed, create, root))


@pytest.mark.parametrize("path", ["spec/containers/image", "spec/containers[]/image"])
def test_lists_are_stepped_into_whether_or_not_the_path_says_so(path: str) -> None:
    assert updated("spec: {containers: [{image: a}, {image: b}, {}, null]}", path) == {
        "spec": {"containers": [{"image": "a!"}, {"image": "b!"}, {}, None]}
    }


def test_what_is_missing_stays_missing_without_create() -> None:
    root = tree("spec: {a: null}")
    assert update(root, ("spec", "b", "c"), exclaimed, None, root) is root
    assert update(root, ("spec", "a", "c"), exclaimed, None, root) is root


def test_create_makes_maps_on_the_way_also_out_of_nulls() -> None:
    assert updated("spec: {}", "spec/a/b", RawScalar) == {"spec": {"a": {"b": "!"}}}
    assert updated("spec: null", "spec/a/b", RawScalar) == {"spec": {"a": {"b": "!"}}}


def test_create_does_not_make_lists() -> None:
    root = tree("spec: {}")
    assert update(root, ("spec", "a[]", "b"), exclaimed, RawScalar, root) is root


def test_a_null_where_a_list_is_expected_becomes_an_empty_list_even_without_create() -> None:
    assert updated("spec: {containers: null}", "spec/containers[]/image") == {"spec": {"containers": []}}


@pytest.mark.parametrize("path", ["spec/a/b", "data/8080", "data/*", "data/-", "data/[name=x]", "data//a", ""])
def test_a_scalar_on_the_way_and_a_part_that_is_no_key_are_errors(path: str) -> None:
    with pytest.raises(WrongShape):
        updated('{spec: {a: text}, data: {"8080": x}}', path)


def test_what_is_made_remembers_nothing_and_what_is_replaced_remembers_the_old() -> None:
    root, like = tree("a: old"), tree("new")
    made = at(update(root, ("b",), exclaimed, RawScalar, like), "b")
    changed = at(update(root, ("a",), exclaimed, RawScalar, like), "a")
    assert not isinstance(made, Rewritten)
    assert isinstance(changed, Rewritten)
    assert changed.before is at(root, "a")


def test_an_empty_group_version_or_kind_matches_any() -> None:
    assert FieldSpec("", "", "", ()).matches(DEPLOYMENT)
    assert FieldSpec("apps", "", "Deployment", ()).matches(DEPLOYMENT)
    assert not FieldSpec("batch", "", "Deployment", ()).matches(DEPLOYMENT)
    assert not FieldSpec("", "v2", "", ()).matches(DEPLOYMENT)


# -- configurations


def test_the_default_configuration_is_there_once_and_merges_to_itself() -> None:
    default = configurations.defaults()
    assert EMPTY.merged(default) is default.merged(default) is default.merged(EMPTY) is default
    again = default.merged(Configuration(images=default.images, namespace=default.namespace))
    assert again.images is default.images
    paths = [spec.written_path for spec in default.common_labels.specs_for(SERVICE)]
    assert sorted(paths) == ["metadata/labels", "spec/selector"]


def test_lists_are_sorted_by_kind_and_the_narrower_spec_comes_first() -> None:
    own = configurations.from_file(
        node(
            "commonLabels: [{path: a}, {path: b, kind: Foo}, {path: c, kind: Service}, {path: d, kind: Foo, group: x}]"
        )
    )
    assert [spec.written_path for spec in own.common_labels] == ["c", "d", "b", "a"]


def test_name_references_of_one_kind_are_joined() -> None:
    own = configurations.from_file(
        node(
            """
            nameReference:
            - {kind: ConfigMap, version: v1, fieldSpecs: [{kind: Foo, path: spec/map}]}
            - {kind: Foo, fieldSpecs: [{kind: Bar, path: spec/foo}]}
            """
        )
    )
    merged = configurations.defaults().merged(own)
    config_map = next(one for one in merged.name_references if one.kind == "ConfigMap")
    assert config_map.fields[-1] == FieldSpec("", "", "Foo", ("spec", "map"), False, "spec/map")
    assert "Foo" in [one.kind for one in merged.name_references]
    assert len(merged.name_references) == len(configurations.defaults().name_references) + 1


def with_file(text: str) -> Configuration:
    return configurations.of_kustomization(EMPTY, [configurations.from_file(node(text))], ())


def test_a_spec_for_one_kind_drops_the_default_for_all_kinds() -> None:
    merged = with_file("commonLabels: [{path: metadata/labels, kind: Foo, create: true}]")
    assert "metadata/labels" not in [spec.written_path for spec in merged.common_labels.specs_for(SERVICE)]


def test_specs_that_differ_in_create_alone_conflict_at_the_place_of_the_new_one() -> None:
    with pytest.raises(BuildError, match="conflicting field specs for metadata/labels") as error:
        with_file("commonLabels:\n- path: metadata/labels\n  kind: Foo\n")
    assert error.value.cause is Cause.BAD_TRANSFORMER
    assert error.value.at.file.position(error.value.at.span.start).line == 2


def test_the_configuration_of_a_base_holds_above_it() -> None:
    base = with_file("namespace: [{path: spec/ns, kind: Foo, create: true}]")
    above = configurations.of_kustomization(EMPTY.merged(base), (), ())
    assert [spec.kind for spec in above.namespace.specs_for(Gvk("", "v1", "Foo"))] == ["Foo"]


@pytest.mark.parametrize(
    "text",
    [
        "fooBar: []",
        "images: [{path: a, foo: b}]",
        "images: [{path: a, version: 1}]",
        'images: [{path: a, create: "true"}]',
        "images: {path: a}",
        "images: [a]",
        "[]",
        "images: []\nimages: []",
        "apiVersion: v1",
    ],
)
def test_a_configuration_with_an_unknown_field_or_a_wrong_type_is_refused(text: str) -> None:
    with pytest.raises(BuildError) as error:
        configurations.from_file(node(text))
    assert error.value.cause is Cause.UNKNOWN_FIELD


def test_field_names_may_be_written_in_any_case_and_nulls_say_nothing() -> None:
    own = configurations.from_file(node("NAMEPREFIX: [{Path: a}]\nimages: null"))
    assert [spec.written_path for spec in own.name_prefix] == ["a"]
    assert not own.images.specs


DEFINITIONS = """
x.v1.Foo:
  Schema:
    properties: {apiVersion: {}, kind: {}, metadata: {}, spec: {$ref: x.v1.Spec}}
x.v1.Spec:
  schema:
    properties:
      map: {x-kubernetes-object-ref-api-version: v1, x-kubernetes-object-ref-kind: ConfigMap}
      other:
        x-kubernetes-object-ref-api-version: v1
        x-kubernetes-object-ref-kind: Secret
        x-kubernetes-object-ref-name-key: key
      notes: {x-kubernetes-annotation: ""}
      selector: {x-kubernetes-label-selector: ""}
      id: {x-kubernetes-identity: ""}
      number: {x-kubernetes-identity: 1}
      items: {type: array, items: {$ref: x.v1.Spec}}
x.v1.Loose: {Schema: {properties: {id: {x-kubernetes-identity: ""}}}}
"""


def test_openapi_definitions_say_which_fields_are_names_labels_and_references() -> None:
    own = from_crds(node(DEFINITIONS))
    assert [(spec.kind, spec.written_path, spec.create) for spec in own.name_prefix] == [("Foo", "spec/id", False)]
    assert [spec.written_path for spec in own.common_labels] == ["spec/selector"]
    assert [spec.written_path for spec in own.common_annotations] == ["spec/notes"]
    assert [(one.kind, one.version, one.fields[0].written_path) for one in own.name_references] == [
        ("ConfigMap", "v1", "spec/map/name"),
        ("Secret", "v1", "spec/other/key"),
    ]


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition", Cause.UNKNOWN_FIELD),
        (
            "a.Foo: {Schema: {properties: {apiVersion: {}, kind: {}, metadata: {}, a: {$ref: a.Foo}}}}",
            Cause.BAD_TRANSFORMER,
        ),
    ],
)
def test_a_definition_of_a_resource_and_a_type_in_itself_are_no_openapi_definitions(text: str, cause: Cause) -> None:
    with pytest.raises(BuildError) as error:
        from_crds(node(text))
    assert error.value.cause is cause


# -- namespace


def in_namespace(found: list[Object], namespace: str = "new") -> list[Object]:
    namespaces.set_namespace(found, node(f"namespace: {namespace}")["namespace"], configurations.defaults().namespace)
    return found


def test_a_namespace_replaces_the_one_that_is_there_and_is_added_where_none_is() -> None:
    found = in_namespace(
        objects(
            """
            {apiVersion: v1, kind: Service, metadata: {name: a, namespace: old}}
            ---
            {apiVersion: v1, kind: Service, metadata: {name: b}}
            ---
            {apiVersion: v1, kind: Service, metadata: {name: c, namespace: null}}
            """
        )
    )
    assert [one.namespace for one in found] == ["new"] * 3
    assert [one.previous[0].namespace for one in found[:2]] == ["old", "default"]
    assert [step.what for step in found[0].steps] == ["namespace set"]


def test_cluster_wide_objects_get_none_but_remember_their_id() -> None:
    [role] = in_namespace(
        objects("{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: a, namespace: odd}}")
    )
    assert role.namespace == "odd"
    assert len(role.previous) == 1
    assert not role.steps


def test_a_namespace_object_takes_the_name_but_not_one_of_another_api() -> None:
    found = in_namespace(
        objects(
            """
            {apiVersion: v1, kind: Namespace, metadata: {name: old}}
            ---
            {apiVersion: foo.io/v1, kind: Namespace, metadata: {name: old}}
            """
        )
    )
    assert [(one.name, one.namespace) for one in found] == [("new", ""), ("old", "new")]


BINDING = """
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: a}
subjects:
- {kind: ServiceAccount, name: default, namespace: old}
- {kind: User, name: default}
- {kind: ServiceAccount, name: web, namespace: old}
- {kind: ServiceAccount, name: api}
- null
"""


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("", ["new", "new", "old", None, None]),
        ("defaultOnly", ["new", "new", "old", None, None]),
        ("allServiceAccounts", ["new", None, "new", "new", None]),
        ("none", ["old", None, "old", None, None]),
    ],
)
def test_subjects_called_default_get_the_namespace_unless_a_transformer_says_otherwise(
    mode: str, expected: list[str | None]
) -> None:
    found = objects(BINDING)
    namespaces.set_namespace(found, node("namespace: new")["namespace"], FieldSpecs(), subjects=mode)
    assert [subject and subject.get("namespace") for subject in values(found)[0]["subjects"]] == expected


def test_an_unknown_choice_of_subjects_is_refused() -> None:
    with pytest.raises(BuildError, match="setRoleBindingSubjects"):
        namespaces.set_namespace([], node("namespace: new")["namespace"], FieldSpecs(), subjects="some")


def test_unset_only_leaves_namespaces_alone_that_are_there() -> None:
    found = objects(
        "{apiVersion: v1, kind: Service, metadata: {name: a, namespace: old}}\n---\n"
        "{apiVersion: v1, kind: Service, metadata: {name: b}}"
    )
    namespaces.set_namespace(found, node("namespace: new")["namespace"], FieldSpecs(), unset_only=True)
    assert [one.namespace for one in found] == ["old", "new"]


@pytest.mark.parametrize(
    ("spec", "expected"),
    [("{service: {name: a, namespace: old}}", "new"), ("{service: null}", "new"), ("{}", "new")],
)
def test_an_api_service_gets_the_namespace_of_its_service_always(spec: str, expected: str) -> None:
    [service] = in_namespace(
        objects(f"{{apiVersion: apiregistration.k8s.io/v1, kind: APIService, metadata: {{name: v1.x}}, spec: {spec}}}")
    )
    assert value(at(service.root, "spec", "service", "namespace")) == expected


def test_a_conversion_webhook_gets_it_only_where_one_is() -> None:
    found = in_namespace(
        objects(
            """
            apiVersion: apiextensions.k8s.io/v1
            kind: CustomResourceDefinition
            metadata: {name: a}
            spec: {conversion: {webhook: {clientConfig: {service: {namespace: old}}}}}
            ---
            apiVersion: apiextensions.k8s.io/v1
            kind: CustomResourceDefinition
            metadata: {name: b}
            spec: {conversion: {webhook: {clientConfig: {service: {name: x}}}}}
            """
        )
    )
    services = [value(at(one.root, "spec", "conversion", "webhook", "clientConfig", "service")) for one in found]
    assert services == [{"namespace": "new"}, {"name": "x"}]


def test_two_objects_that_become_one_are_refused() -> None:
    with pytest.raises(BuildError, match="both become Service") as error:
        in_namespace(
            objects(
                "{apiVersion: v1, kind: Service, metadata: {name: a, namespace: x}}\n---\n"
                "{apiVersion: v1, kind: Service, metadata: {name: a, namespace: y}}"
            )
        )
    assert error.value.cause is Cause.DUPLICATE_ID


@pytest.mark.parametrize(
    "subjects", ["{name: default}", "[default]", "[{name: {}}]", "[{name: default, namespace: {}}]"]
)
def test_subjects_of_another_shape_are_refused(subjects: str) -> None:
    with pytest.raises(BuildError, match="namespace cannot be set at subjects/namespace"):
        in_namespace(objects(f"{{apiVersion: x/v1, kind: RoleBinding, metadata: {{name: a}}, subjects: {subjects}}}"))


# -- prefix and suffix


def test_prefix_and_suffix_are_added_and_remembered() -> None:
    [web] = deployment()
    root = node("namePrefix: my-\nnameSuffix: -v1")
    name_affixes.add_prefix([web], root["namePrefix"], configurations.defaults().name_prefix)
    name_affixes.add_suffix([web], root["nameSuffix"], configurations.defaults().name_suffix)
    assert web.name == "my-web-v1"
    assert (web.prefixes, web.suffixes) == (("my-",), ("-v1",))
    assert [one.name for one in web.ids] == ["web", "my-web", "my-web-v1"]
    name = at(web.root, "metadata", "name")
    assert isinstance(name, Rewritten)
    assert name.start_mark.index == web.document.file.text.index("web")


@pytest.mark.parametrize(
    ("api", "kind", "name"),
    [
        ("v1", "Namespace", "a"),
        ("foo.io/v1", "Namespace", "a"),
        ("apiextensions.k8s.io/v1", "CustomResourceDefinition", "a"),
        ("apiregistration.k8s.io/v1", "APIService", "a"),
        ("foo.io/v1", "APIService", "my-a"),
        ("storage.k8s.io/v1", "StorageClass", "my-a"),
    ],
)
def test_kinds_that_give_others_their_name_keep_it_and_have_no_prefix(api: str, kind: str, name: str) -> None:
    [one] = objects(f"{{apiVersion: {api}, kind: {kind}, metadata: {{name: a}}}}")
    name_affixes.add_prefix([one], node("namePrefix: my-")["namePrefix"], configurations.defaults().name_prefix)
    assert one.name == name
    assert one.prefixes == (("my-",) if name != "a" else ())


def test_an_empty_prefix_does_nothing() -> None:
    [web] = deployment()
    name_affixes.add_prefix([web], node('namePrefix: ""')["namePrefix"], configurations.defaults().name_prefix)
    assert (web.name, web.prefixes, web.previous) == ("web", (), ())


# -- labels


def labelled(found: list[Object], text: str) -> list[Object]:
    for entry in node(text)["labels"]:
        labels.add_labels_entry(found, entry, configurations.defaults())
    return found


def test_labels_go_into_metadata_alone_unless_asked() -> None:
    assert values(labelled(deployment(), "labels: [{pairs: {b: '1', a: x}}]")) == [
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": "web", "labels": {"a": "x", "b": "1"}},
            "spec": {},
        }
    ]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("includeTemplates: true", {"template": {"metadata": {"labels": {"a": "x"}}}}),
        (
            "includeSelectors: true",
            {"selector": {"matchLabels": {"a": "x"}}, "template": {"metadata": {"labels": {"a": "x"}}}},
        ),
        ("fields: [{path: spec/more, create: true}]", {"more": {"a": "x"}}),
        ("fields: [{path: spec/more}]", {}),
    ],
)
def test_labels_go_where_an_entry_says(options: str, expected: dict[str, Any]) -> None:
    [web] = values(labelled(deployment(), f"labels: [{{pairs: {{a: x}}, {options}}}]"))
    assert web["spec"] == expected


def test_a_field_of_one_kind_takes_metadata_labels_away_from_the_others() -> None:
    entry = "labels: [{pairs: {a: x}, fields: [{path: metadata/labels, kind: Service, create: true}]}]"
    [web] = values(labelled(deployment(), entry))
    assert "labels" not in web["metadata"]


def test_a_field_that_contradicts_the_default_is_refused() -> None:
    with pytest.raises(BuildError, match="conflicting"):
        labelled(deployment(), "labels: [{pairs: {a: x}, fields: [{path: metadata/labels}]}]")


def test_an_equal_label_changes_nothing_and_a_number_becomes_a_text() -> None:
    [same] = found = objects("{apiVersion: v1, kind: Service, metadata: {name: a, labels: {a: x}}}")
    labelled(found, "labels: [{pairs: {a: x}}]")
    assert not same.steps
    [number] = objects("{apiVersion: v1, kind: Service, metadata: {name: a, labels: {a: 1}}}")
    labelled([number], "labels: [{pairs: {a: '1'}}]")
    assert number.labels == {"a": "1"}
    assert value(at(number.root, "metadata", "labels", "a")) == "1"


@pytest.mark.parametrize(("pairs", "cause"), [("a: 1", Cause.UNKNOWN_FIELD), ("a: yes", Cause.UNKNOWN_FIELD)])
def test_a_label_that_is_no_text_is_refused(pairs: str, cause: Cause) -> None:
    with pytest.raises(BuildError) as error:
        labelled(deployment(), f"labels: [{{pairs: {{{pairs}}}}}]")
    assert error.value.cause is cause


def test_a_null_is_an_empty_label() -> None:
    [web] = labelled(deployment(), "labels: [{pairs: {a: null}}]")
    assert value(at(web.root, "metadata", "labels")) == {"a": ""}


@pytest.mark.parametrize("key", ["12", "true", "null", "1.5"])
def test_a_new_key_that_is_no_text_without_quotes_is_refused(key: str) -> None:
    with pytest.raises(BuildError, match="without quotes"):
        labelled(deployment(), f"labels: [{{pairs: {{'{key}': x}}}}]")
    [known] = objects(f"{{apiVersion: v1, kind: Service, metadata: {{name: a, labels: {{'{key}': b}}}}}}")
    labelled([known], f"labels: [{{pairs: {{'{key}': x}}}}]")
    assert known.labels == {key: "x"}
    labelled(deployment(), "labels: [{pairs: {'yes': x, 'on': z}}]")


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ("null", None),
        ("{}", {}),
        ("{matchLabels: null}", {"matchLabels": None}),
        ("{matchLabels: {}}", {"matchLabels": {"a": "x"}}),
    ],
)
def test_a_selector_that_is_not_to_be_made_is_not_made(selector: str, expected: object) -> None:
    [budget] = objects(
        f"{{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {{name: a}}, spec: {{selector: {selector}}}}}"
    )
    labels.add_labels([budget], node("commonLabels: {a: x}")["commonLabels"], configurations.defaults().common_labels)
    assert value(at(budget.root, "spec", "selector")) == expected


@pytest.mark.parametrize("selector", ["[a]", "text"])
def test_labels_for_something_that_is_no_map_are_refused(selector: str) -> None:
    [budget] = objects(
        f"{{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {{name: a}}, spec: {{selector: {{matchLabels: {selector}}}}}}}"
    )
    with pytest.raises(
        BuildError, match="commonLabels cannot be set at spec/selector/matchLabels of PodDisruptionBudget"
    ):
        labels.add_labels(
            [budget], node("commonLabels: {a: x}")["commonLabels"], configurations.defaults().common_labels
        )


def test_annotations_go_to_the_pods_too() -> None:
    found = deployment()
    labels.add_annotations(
        found, node("commonAnnotations: {a: x}")["commonAnnotations"], configurations.defaults().common_annotations
    )
    assert values(found)[0]["spec"] == {"template": {"metadata": {"annotations": {"a": "x"}}}}


# -- labels that are one value in several places


def with_one_value() -> Object:
    [web] = deployment("{template: {metadata: {labels: {q: r}}}}")
    labelled([web], "labels: [{pairs: {a: one}, includeSelectors: true}]")
    return web


def everywhere(web: Object) -> list[Any]:
    return [
        value(at(web.root, *path, "a"))
        for path in (
            ("metadata", "labels"),
            ("spec", "selector", "matchLabels"),
            ("spec", "template", "metadata", "labels"),
        )
    ]


def test_a_later_label_in_one_place_changes_all_places_the_first_was_added_to() -> None:
    web = with_one_value()
    labelled([web], "labels: [{pairs: {a: two}}]")
    assert everywhere(web) == ["two"] * 3
    labelled([web], "labels: [{pairs: {a: three}, includeTemplates: true}]")
    assert everywhere(web) == ["three"] * 3


def test_a_place_that_had_the_label_before_is_no_part_of_it() -> None:
    [web] = objects("{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, labels: {a: zero}}}")
    labelled([web], "labels: [{pairs: {a: one}, includeSelectors: true}]")
    labelled([web], "labels: [{pairs: {a: two}}]")
    assert everywhere(web) == ["two", "one", "one"]
    labelled([web], "labels: [{pairs: {a: three}, includeTemplates: true}]")
    assert everywhere(web) == ["three", "three", "three"]


def test_a_value_put_in_one_place_by_a_patch_is_in_all() -> None:
    web = with_one_value()
    old = at(web.root, "spec", "template", "metadata", "labels", "a")
    assert old is not None
    new = scalar("patched", old, over=old)
    web.put(with_at(web.root, ("spec", "template", "metadata", "labels", "a"), new), "patched", node("{}"))
    assert everywhere(web) == ["patched"] * 3


def test_a_map_that_a_patch_puts_in_place_of_one_is_no_part_of_it() -> None:
    web = with_one_value()
    web.put(with_at(web.root, ("spec", "template", "metadata", "labels"), tree("a: five")), "patched", node("{}"))
    assert everywhere(web) == ["one", "one", "five"]
    labelled([web], "labels: [{pairs: {a: two}}]")
    assert everywhere(web) == ["two", "two", "five"]


def test_a_json_patch_ends_it() -> None:
    web = with_one_value()
    web.shared = None
    labelled([web], "labels: [{pairs: {a: two}}]")
    assert everywhere(web) == ["two", "one", "one"]


def test_items_of_lists_share_too() -> None:
    [db] = objects(
        "{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: db}, spec: {volumeClaimTemplates: [{}, {}]}}"
    )
    labelled([db], "labels: [{pairs: {a: one}, includeTemplates: true}]")
    labelled([db], "labels: [{pairs: {a: two}}]")
    claims = value(at(db.root, "spec", "volumeClaimTemplates"))
    assert claims == [{"metadata": {"labels": {"a": "two"}}}] * 2
