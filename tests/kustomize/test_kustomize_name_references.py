"""Names that follow renamed objects; what the tests say was seen in the real Kustomize 5.7.1."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from gitops_lint.linter.kustomize.configurations import defaults, from_file
from gitops_lint.linter.kustomize.kustomize_errors import BuildError, Cause
from gitops_lint.linter.kustomize.name_references import fix_name_references
from gitops_lint.linter.kustomize.objects import Gvk, Id, Object
from gitops_lint.linter.kustomize.objects_in_file import objects_in
from gitops_lint.linter.kustomize.trees import Rewritten, at, items, scalar, value, with_at
from gitops_lint.linter.yaml.source import Node, SourceFile

KUSTOMIZATION: Node = SourceFile("kustomization.yaml", "namePrefix: p-\n").documents[0].root["namePrefix"]
RBAC = "rbac.authorization.k8s.io"


def objects(text: str) -> list[Object]:
    return list(objects_in(SourceFile("all.yaml", text)))


def config_map(name: str = "x", namespace: str = "") -> Object:
    where = f", namespace: {namespace}" if namespace else ""
    return objects(f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}{where}}}\n")[0]


def account(name: str = "sa", namespace: str = "") -> Object:
    where = f", namespace: {namespace}" if namespace else ""
    return objects(f"apiVersion: v1\nkind: ServiceAccount\nmetadata: {{name: {name}{where}}}\n")[0]


def pod(reference: str = "{name: x}", metadata: str = "{name: p}") -> Object:
    return objects(f"apiVersion: v1\nkind: Pod\nmetadata: {metadata}\nspec:\n  volumes:\n  - configMap: {reference}\n")[
        0
    ]


def binding(*subjects: str, kind: str = "RoleBinding", role: str = "") -> Object:
    """`role` is the kind of the role that it is for."""
    role_ref = f"roleRef: {{apiGroup: {RBAC}, kind: {role}, name: r}}\n" if role else ""
    listed = "".join(f"- {subject}\n" for subject in subjects)
    text = f"apiVersion: {RBAC}/v1\nkind: {kind}\nmetadata: {{name: rb}}\n{role_ref}subjects:\n{listed}"
    return objects(text)[0]


def role(kind: str) -> Object:
    return objects(f"apiVersion: {RBAC}/v1\nkind: {kind}\nmetadata: {{name: r}}\n")[0]


def named(obj: Object, name: str) -> Object:
    obj.remember_id()
    obj.put(with_at(obj.root, ("metadata", "name"), scalar(name, obj.root)), "renamed", KUSTOMIZATION)
    return obj


def prefixed(obj: Object, *prefixes: str) -> Object:
    for prefix in prefixes:
        obj.prefixes = (*obj.prefixes, prefix)
        named(obj, prefix + obj.name)
    return obj


def suffixed(obj: Object, suffix: str) -> Object:
    obj.suffixes = (*obj.suffixes, suffix)
    return named(obj, obj.name + suffix)


def moved(obj: Object, namespace: str) -> Object:
    obj.remember_id()
    obj.put(with_at(obj.root, ("metadata", "namespace"), scalar(namespace, obj.root)), "moved", KUSTOMIZATION)
    return obj


def fix(*given: Object, configuration: str = "") -> None:
    added = from_file(SourceFile("config.yaml", configuration).documents[0].root) if configuration else defaults()
    fix_name_references(list(given), defaults().merged(added))


def reference(obj: Object) -> Any:
    return value(at(items(at(obj.root, "spec", "volumes"))[0], "configMap", "name"))


def subjects(obj: Object) -> Any:
    return value(at(obj.root, "subjects"))


# -- which fields


WORKLOAD = """
apiVersion: batch/v1
kind: CronJob
metadata: {name: job}
spec:
  jobTemplate:
    spec:
      template:
        spec:
          serviceAccountName: thing
          priorityClassName: thing
          imagePullSecrets: [{name: thing}, {name: other}]
          containers:
          - name: thing
            envFrom: [{configMapRef: {name: thing}}, {secretRef: {name: thing}}]
            env:
            - {name: thing, value: thing}
            - {name: a, valueFrom: {configMapKeyRef: {name: thing, key: thing}}}
          volumes:
          - {name: thing, persistentVolumeClaim: {claimName: thing}}
          - {name: a, projected: {sources: [{secret: {name: thing}}, {configMap: {name: thing}}]}}
"""
KINDS = (
    "v1/ConfigMap",
    "v1/Secret",
    "v1/ServiceAccount",
    "v1/PersistentVolumeClaim",
    "scheduling.k8s.io/v1/PriorityClass",
)


def test_every_field_that_holds_a_name_and_no_other() -> None:
    job = objects(WORKLOAD)[0]
    things = []
    for kind in KINDS:
        version, _, kind = kind.rpartition("/")
        thing = objects(f"apiVersion: {version}\nkind: {kind}\nmetadata: {{name: thing}}\n")[0]
        things.append(named(thing, kind.lower()))
    fix(job, *things)
    spec = value(at(job.root, "spec", "jobTemplate", "spec", "template", "spec"))
    assert spec == {
        "serviceAccountName": "serviceaccount",
        "priorityClassName": "priorityclass",
        "imagePullSecrets": [{"name": "secret"}, {"name": "other"}],
        "containers": [
            {
                "name": "thing",
                "envFrom": [{"configMapRef": {"name": "configmap"}}, {"secretRef": {"name": "secret"}}],
                "env": [
                    {"name": "thing", "value": "thing"},
                    {"name": "a", "valueFrom": {"configMapKeyRef": {"name": "configmap", "key": "thing"}}},
                ],
            }
        ],
        "volumes": [
            {"name": "thing", "persistentVolumeClaim": {"claimName": "persistentvolumeclaim"}},
            {
                "name": "a",
                "projected": {"sources": [{"secret": {"name": "secret"}}, {"configMap": {"name": "configmap"}}]},
            },
        ],
    }


def test_a_list_of_names() -> None:
    text = f"apiVersion: {RBAC}/v1\nkind: Role\nmetadata: {{name: r}}\nrules: [{{resourceNames: [x, y]}}]\n"
    role = objects(text)[0]
    fix(role, prefixed(config_map(), "a-"))
    assert value(at(role.root, "rules")) == [{"resourceNames": ["a-x", "y"]}]


def test_fields_that_a_configuration_adds_are_followed_in_its_order() -> None:
    foo = objects("apiVersion: v1\nkind: Foo\nmetadata: {name: f}\nspec: {ref: {name: x}, refs: [x, {name: x}]}\n")[0]
    specs = "".join(f"  - {{kind: Foo, path: {path}}}\n" for path in ("spec/ref", "spec/ref/name", "spec/refs"))
    other = named(config_map("a-x"), "b-a-x")
    fix(
        foo,
        prefixed(config_map(), "a-"),
        other,
        configuration=f"nameReference:\n- kind: ConfigMap\n  fieldSpecs:\n{specs}",
    )
    # The second path finds the name that the first one put in.
    assert value(at(foo.root, "spec")) == {"ref": {"name": "b-a-x"}, "refs": ["a-x", {"name": "a-x"}]}


def test_the_kind_of_the_referrer_is_the_one_it_had_at_first() -> None:
    obj = pod()
    obj.previous = (Id(Gvk("", "v1", "Other"), "p", "default"),)
    fix(obj, prefixed(config_map(), "a-"))
    assert reference(obj) == "x"


def test_a_null_where_the_path_says_a_list_becomes_a_list() -> None:
    foo = objects("apiVersion: v1\nkind: Foo\nmetadata: {name: f}\nspec: {a: null, b: null}\n")[0]
    specs = "  - {kind: Foo, path: 'spec/a[]/name'}\n  - {kind: Foo, path: spec/b/name}\n"
    fix(foo, configuration=f"nameReference:\n- kind: ConfigMap\n  fieldSpecs:\n{specs}")
    assert value(at(foo.root, "spec")) == {"a": [], "b": None}


# -- who is meant


def test_any_name_that_the_object_ever_had_leads_to_it() -> None:
    one, other, now = pod(), pod("{name: a-x}"), pod("{name: b-a-x}")
    fix(one, other, now, prefixed(config_map(), "a-", "b-"))
    assert [reference(obj) for obj in (one, other, now)] == ["b-a-x"] * 3


def test_what_was_never_renamed_is_not_looked_at() -> None:
    obj = pod()
    before = obj.root
    fix(obj, config_map(), prefixed(config_map("y"), "a-"))
    assert obj.root is before
    assert not obj.steps


def test_an_object_of_another_version_is_not_meant() -> None:
    obj, other = pod(), prefixed(config_map(), "a-")
    other.root = with_at(other.root, ("apiVersion",), scalar("v2", other.root))
    fix(obj, other)
    assert reference(obj) == "x"


def test_only_objects_of_the_same_namespace_are_meant() -> None:
    obj, default = pod(), pod(metadata="{name: q, namespace: default}")
    fix(obj, default, prefixed(config_map(namespace="elsewhere"), "a-"))
    assert reference(obj) == "x"
    fix(obj, default, prefixed(config_map(), "b-"))
    assert reference(obj) == reference(default) == "b-x"


def test_a_single_candidate_is_meant_whatever_its_prefix() -> None:
    obj = prefixed(pod(), "b-")
    fix(obj, prefixed(config_map(), "a-"))
    assert reference(obj) == "a-x"


@pytest.mark.parametrize(
    ("mine", "expected"),
    [
        (("a-",), "a-x"),
        (("b-",), "b-x"),
        (("c-",), "x"),
        ((), "x"),
    ],
)
def test_of_two_the_one_with_the_same_prefix_is_meant(mine: tuple[str, ...], expected: str) -> None:
    obj = prefixed(pod(), *mine)
    fix(obj, prefixed(config_map(), "a-"), prefixed(config_map(), "b-"))
    assert reference(obj) == expected


def test_the_last_prefixes_are_compared_as_far_as_both_have_them() -> None:
    obj = prefixed(pod(), "a-", "top-")
    fix(obj, prefixed(config_map(), "a-", "top-"), prefixed(config_map(), "b-", "top-"))
    assert reference(obj) == "top-a-x"


def test_one_without_a_prefix_is_meant_before_one_with_another() -> None:
    obj = prefixed(pod(metadata="{name: p, namespace: n}"), "b-")
    fix(obj, prefixed(config_map(namespace="n"), "a-"), moved(config_map("x", "m"), "n"))
    assert reference(obj) == "x"
    assert obj.steps[-1].what == "renamed", "the name is the same, so nothing was done"


def test_no_prefix_stands_for_any_while_the_suffix_decides() -> None:
    obj = suffixed(pod(), "-s")
    fix(obj, suffixed(prefixed(config_map(), "a-"), "-s"), suffixed(prefixed(config_map(), "b-"), "-t"))
    assert reference(obj) == "a-x-s"


def test_two_that_are_alike_are_an_error_at_the_name() -> None:
    obj = prefixed(pod(), "top-")
    with pytest.raises(BuildError) as caught:
        fix(obj, prefixed(config_map(), "a-", "top-"), prefixed(config_map(), "b-", "top-"))
    assert caught.value.cause is Cause.BAD_REFERENCE
    assert caught.value.at.file.position(caught.value.at.span.start).line == 6
    assert "ConfigMap.v1.[noGrp]/top-a-x.[noNs], ConfigMap.v1.[noGrp]/top-b-x.[noNs]" in caught.value.message


def test_two_that_are_called_the_same_now_are_no_error() -> None:
    crb = objects(
        f"apiVersion: {RBAC}/v1\nkind: ClusterRole\nmetadata: {{name: r}}\nrules: [{{resourceNames: [x]}}]\n"
    )[0]
    fix(crb, named(config_map("x", "a"), "y"), named(config_map("x", "b"), "y"))
    assert value(at(crb.root, "rules")) == [{"resourceNames": ["y"]}]


# -- roles


@pytest.mark.parametrize(("wanted", "expected"), [("Role", "role"), ("ClusterRole", "clusterrole")])
def test_a_role_ref_means_an_object_of_its_kind(wanted: str, expected: str) -> None:
    obj = binding(role=wanted)
    fix(obj, named(role("Role"), "role"), named(role("ClusterRole"), "clusterrole"))
    assert value(at(obj.root, "roleRef", "name")) == expected


def test_a_role_ref_without_a_kind_means_the_first_kind_of_the_configuration() -> None:
    obj = objects(f"apiVersion: {RBAC}/v1\nkind: RoleBinding\nmetadata: {{name: rb}}\nroleRef: {{name: r}}\n")[0]
    fix(obj, named(role("Role"), "role"), named(role("ClusterRole"), "clusterrole"))
    assert value(at(obj.root, "roleRef", "name")) == "role"


# -- names together with namespaces


def test_a_subject_takes_the_namespace_too_even_if_the_name_is_the_same() -> None:
    obj = binding(
        "{kind: ServiceAccount, name: sa}", "{kind: User, name: sa, namespace: default}", kind="ClusterRoleBinding"
    )
    fix(obj, moved(account(), "shop"))
    assert subjects(obj) == [
        {"kind": "ServiceAccount", "name": "sa", "namespace": "shop"},
        {"kind": "User", "name": "sa", "namespace": "shop"},
    ]


def test_no_namespace_is_put_in_where_the_object_has_none() -> None:
    obj = binding("{kind: ServiceAccount, name: sa}", "{kind: ServiceAccount, name: sa, namespace: default}")
    fix(obj, prefixed(account(), "a-"))
    assert subjects(obj) == [
        {"kind": "ServiceAccount", "name": "a-sa"},
        {"kind": "ServiceAccount", "name": "a-sa", "namespace": "default"},
    ]


def test_the_namespace_of_a_subject_is_the_first_one_of_the_account_or_else_the_present_one() -> None:
    first, now, wrong = (f"{{kind: ServiceAccount, name: sa, namespace: {one}}}" for one in ("old", "new", "other"))
    obj = binding(first, now, wrong, kind="ClusterRoleBinding")
    fix(obj, prefixed(moved(account(namespace="old"), "new"), "a-"))
    assert [(one["name"], one["namespace"]) for one in subjects(obj)] == [
        ("a-sa", "new"),
        ("a-sa", "new"),
        ("sa", "other"),
    ]


def test_the_present_namespace_is_not_looked_at_when_any_object_began_there() -> None:
    obj = binding("{kind: ServiceAccount, name: sa, namespace: new}", kind="ClusterRoleBinding")
    fix(obj, prefixed(moved(account(namespace="old"), "new"), "a-"), config_map("bystander", "new"))
    assert subjects(obj) == [{"kind": "ServiceAccount", "name": "sa", "namespace": "new"}]


def test_a_role_binding_reaches_accounts_in_the_namespaces_of_its_subjects() -> None:
    obj = binding("{kind: ServiceAccount, name: sa, namespace: far}", "{kind: ServiceAccount, name: sa}")
    fix(obj, prefixed(account(namespace="far"), "a-"))
    # Once the namespace is reached, a subject that does not say it means the same account.
    assert [(one["name"], one["namespace"]) for one in subjects(obj)] == [("a-sa", "far"), ("a-sa", "far")]


def test_a_role_binding_reaches_no_other_kinds_there() -> None:
    obj = binding("{kind: ServiceAccount, name: sa, namespace: far}", role="Role")
    far = role("Role")
    fix(obj, named(moved(far, "far"), "role"))
    assert value(at(obj.root, "roleRef", "name")) == "r"


def test_a_blank_namespace_means_nobody() -> None:
    obj = binding('{kind: ServiceAccount, name: sa, namespace: ""}', kind="ClusterRoleBinding")
    fix(obj, prefixed(account(), "a-"))
    assert subjects(obj)[0]["name"] == "sa"


# -- what Kustomize refuses, though nothing was renamed


@pytest.mark.parametrize(
    ("obj", "words"),
    [
        (binding("{kind: ServiceAccount, name: sa, namespace: null}"), "blank"),
        (binding("{kind: ServiceAccount, name: sa, namespace: 12}"), "blank"),
        (binding("{kind: 1, name: sa, namespace: a}"), "kind of a subject"),
        (binding("sa"), "must be a mapping"),
        (binding("{kind: ServiceAccount, namespace: a}"), "no name"),
        (binding("[]", kind="ClusterRoleBinding"), "a list stands"),
        (pod("x"), "'x' stands where Kustomize looks for name"),
        (pod("{name: [[x]]}"), "a list stands"),
        (pod("{name: {key: x}}"), "no name"),
    ],
)
def test_refused(obj: Object, words: str) -> None:
    with pytest.raises(BuildError, match=words):
        fix(obj)


@pytest.mark.parametrize(
    "obj",
    [
        binding("{kind: ServiceAccount, name: sa, namespace: null}", kind="ClusterRoleBinding"),
        binding("{kind: User, name: sa, namespace: null}"),
        binding("sa", "null", kind="ClusterRoleBinding"),
        binding("{kind: ServiceAccount, name: null, namespace: a}"),
        pod("null"),
        pod("{name: null}"),
        pod("[{name: x}]"),
    ],
)
def test_taken(obj: Object) -> None:
    fix(obj)


# -- what is put in


def test_a_new_name_counts_as_written_where_the_old_one_is() -> None:
    obj = pod()
    old = at(items(at(obj.root, "spec", "volumes"))[0], "configMap", "name")
    fix(obj, prefixed(config_map(), "a-"))
    new = at(items(at(obj.root, "spec", "volumes"))[0], "configMap", "name")
    assert isinstance(new, Rewritten)
    assert new.before is old
    assert old is not None
    assert new.start_mark is old.start_mark
    assert obj.steps[-1].at is KUSTOMIZATION


@pytest.mark.parametrize(("written", "expected"), [("x", 123), ("'x'", "123"), ("23", 123), ("'23'", "123")])
def test_a_name_of_digits_is_a_number_unless_the_old_one_was_quoted(written: str, expected: object) -> None:
    obj = pod(f"{{name: {written}}}")
    fix(obj, named(config_map(), "123"), named(config_map("'23'"), "123"))
    assert reference(obj) == expected


def test_a_word_that_yaml_1_1_takes_for_true_stays_a_text() -> None:
    obj = binding("{kind: ServiceAccount, name: sa, namespace: default}", kind="ClusterRoleBinding")
    fix(obj, moved(account(), "on"))
    assert subjects(obj)[0]["namespace"] == "on"


def test_another_configuration_is_not_mixed_up_with_the_defaults() -> None:
    obj = pod()
    fix_name_references([obj, prefixed(config_map(), "a-")], replace(defaults(), name_references=()))
    assert reference(obj) == "x"
