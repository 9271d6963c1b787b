"""`vars:`; what the tests say was seen in the real Kustomize 5.7.1."""

from __future__ import annotations

from typing import Any

import pytest
from gitops_lint.linter.kustomize.configurations import defaults
from gitops_lint.linter.kustomize.kustomize_errors import BuildError, Cause
from gitops_lint.linter.kustomize.objects import Object
from gitops_lint.linter.kustomize.objects_in_file import objects_in
from gitops_lint.linter.kustomize.trees import Rewritten, at, scalar, text, value, with_at
from gitops_lint.linter.kustomize.variables import Variable, joined_variables, merge_variables, resolve_variables
from gitops_lint.linter.yaml.source import Node, SourceFile

SOURCE = """
apiVersion: v1
kind: ConfigMap
metadata: {name: source, annotations: {a.b: dotted, c/d: slash}}
data: {word: text, digits: "12", empty: ""}
more:
  int: 5
  negative: -3
  octal: 0644
  hex: 0x1F
  underscore: 1_000
  float: 1.50
  million: 1000000.0
  small: 0.00001
  thousand: 1e3
  truth: true
  nothing: null
  tilde: ~
  map: {a: b}
  list: [first, {name: one, v: 1st}, {name: two, v: 2nd}]
"""
OBJREF = "{apiVersion: v1, kind: ConfigMap, name: source}"


def entries(*written: str) -> Node:
    """Items of `vars:`, with the names of fields as the check of a kustomization leaves them."""
    listed = "".join(f"- {one}\n" for one in written)
    return SourceFile("kustomization.yaml", f"vars:\n{listed}").documents[0].root["vars"]


def entry(path: str = "", objref: str = OBJREF, name: str = "V") -> Node:
    field = f", fieldref: {{fieldPath: '{path}'}}" if path else ""
    return entries(f"{{name: {name}, objref: {objref}{field}}}")


def objects(text: str) -> list[Object]:
    return list(objects_in(SourceFile("all.yaml", text)))


def source(metadata: str = "") -> Object:
    return objects(f"apiVersion: v1\nkind: ConfigMap\nmetadata: {metadata}\n" if metadata else SOURCE)[0]


def pod(args: str = "[]", annotation: str = "none") -> Object:
    return objects(
        f"apiVersion: v1\nkind: Pod\nmetadata: {{name: p, annotations: {{a: {annotation}}}}}\n"
        f"spec: {{containers: [{{image: $(V), args: {args}}}]}}\n"
    )[0]


def prefixed(obj: Object, prefix: str) -> Object:
    obj.remember_id()
    obj.root = with_at(obj.root, ("metadata", "name"), scalar(prefix + obj.name, obj.root))
    return obj


def resolve(given: list[Object], variables: tuple[Variable, ...]) -> None:
    resolve_variables(given, variables, defaults())


def args(obj: Object) -> Any:
    return value(at(obj.root, "spec"))["containers"][0]["args"]


def expanded(written: str, path: str = "data.word") -> Any:
    """What becomes of an argument."""
    obj, from_ = pod(f"['{written}']"), source()
    resolve([from_, obj], merge_variables((), entry(path), [from_]))
    return args(obj)[0]


# -- where values come from


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("data.word", "text"),
        ("data.digits", "12"),
        ("data.empty", ""),
        ("more.int", 5),
        ("more.negative", -3),
        ("more.octal", 644),
        ("more.float", 1.5),
        ("more.truth", True),
        ("more.nothing", "null"),
        ("more.tilde", "~"),
        ("more.map", "$(V)"),
        ("more.list", "$(V)"),
        ("metadata.annotations.a\\.b", "dotted"),
        ("metadata.annotations.[a.b]", "dotted"),
        ("metadata.annotations.c/d", "slash"),
        ("more.list[0]", "first"),
        ("more.list.0", "first"),
        ("more.list.[0]", "first"),
        ("more.list.[=first]", "first"),
        ("more.list[1].v", "1st"),
        ("more.list.[name=two].v", "2nd"),
        ("more.list.-.v", "2nd"),
        (" data . word ", "text"),
        (".data..word.", "text"),
    ],
)
def test_a_field_with_its_type(path: str, expected: object) -> None:
    got = expanded("$(V)", path)
    assert (got, type(got)) == (expected, type(expected))


@pytest.mark.parametrize(
    "path",
    [
        "nope",
        "data.word.more",
        "more.hex",
        "more.underscore",
        "more.list[9]",
        "more.list.-1",
        "more.list.*",
        "more.list[name=two].v",
        "more.list.[name=three].v",
        "more.list.[first]",
        "more[0]",
        "metadata.annotations.[c/d]",
    ],
)
def test_a_field_that_is_not_there_is_refused(path: str) -> None:
    with pytest.raises(BuildError, match="which has none there") as caught:
        expanded("$(V)", path)
    assert caught.value.cause is Cause.BAD_VARIABLE
    assert caught.value.at.pointer == "/vars/0/fieldref/fieldPath"


def test_the_field_is_the_name_unless_another_is_given() -> None:
    assert expanded("$(V)", "") == "source"


@pytest.mark.parametrize(
    "objref",
    [
        "{kind: ConfigMap, version: v1, name: source}",
        "{kind: ConfigMap, apiVersion: v1, version: v2, name: source}",
        "{kind: ConfigMap, apiVersion: /v1, name: source}",
        "{kind: ConfigMap, apiVersion: a/b/c, version: v1, name: source}",
        "{kind: ConfigMap, apiVersion: v1, name: source, namespace: default}",
        "{kind: ConfigMap, apiVersion: v1, name: a-source}",
    ],
)
def test_an_object_is_found_by_any_of_its_ids(objref: str) -> None:
    from_, obj = prefixed(source(), "a-"), pod("[$(V)]")
    resolve([from_, obj], merge_variables((), entry(objref=objref), [from_]))
    assert args(obj) == ["a-source"]


@pytest.mark.parametrize(
    "objref",
    [
        "{kind: ConfigMap, name: source}",
        "{apiVersion: v1, name: source}",
        "{kind: ConfigMap, apiVersion: v1, name: other}",
        "{kind: ConfigMap, apiVersion: v1, name: source, namespace: other}",
        f"{{kind: ClusterRole, apiVersion: {'rbac.authorization.k8s.io/v1'}, name: role, namespace: any}}",
    ],
)
def test_a_variable_without_an_object_is_refused_when_all_is_built(objref: str) -> None:
    role = objects("apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: role}\n")[0]
    bound = merge_variables((), entry(objref=objref), [source(), role])
    with pytest.raises(BuildError, match="there is no such object") as caught:
        resolve([source(), role], bound)
    assert caught.value.at.pointer == "/vars/0/objref"


def test_an_object_that_comes_in_above_the_variable_does_not_count() -> None:
    with pytest.raises(BuildError, match="there is no such object"):
        resolve([source()], merge_variables((), entry(), []))


def test_without_a_namespace_two_objects_can_be_meant_which_is_refused() -> None:
    both = [source("{name: source, namespace: a}"), source("{name: source, namespace: b}")]
    with pytest.raises(BuildError, match=r"source\.a, .*source\.b") as caught:
        merge_variables((), entry(), both)
    assert caught.value.cause is Cause.BAD_VARIABLE
    obj = pod("[$(V)]")
    named = entry("metadata.namespace", "{apiVersion: v1, kind: ConfigMap, name: source, namespace: b}")
    resolve([*both, obj], merge_variables((), named, both))
    assert args(obj) == ["b"]


def test_a_copy_renamed_since_is_still_the_object() -> None:
    from_, obj = prefixed(source(), "a-"), pod("[$(V)]")
    bound = merge_variables((), entry(), [from_])
    namesake = prefixed(prefixed(source("{name: source}"), "a-"), "c-")
    resolve([namesake, prefixed(from_.copy(), "b-"), obj], bound)
    assert args(obj) == ["b-a-source"]


# -- bringing them together


def test_a_name_may_come_in_only_once() -> None:
    one = merge_variables((), entry(), [source()])
    other = merge_variables((), entry(name="W"), [source()])
    assert [variable.name for variable in joined_variables(one, other)] == ["V", "W"]
    with pytest.raises(BuildError, match=r"kustomization\.yaml:2") as caught:
        merge_variables(one, entry(), [source()])
    assert caught.value.cause is Cause.BAD_VARIABLE
    with pytest.raises(BuildError):
        joined_variables(one, one)  # a base that came in on two ways
    with pytest.raises(BuildError):
        merge_variables((), entries(f"{{name: V, objref: {OBJREF}}}", f"{{name: V, objref: {OBJREF}}}"), [source()])


# -- putting values in


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("x$(V)y$(V)", "xtextytext"),
        ("$(NOPE)$(V)", "$(NOPE)text"),
        ("$(NOPE)", "$(NOPE)"),
        ("$$(V)", "$(V)"),
        ("$$$(V)", "$text"),
        ("a$$", "a$"),
        ("$", "$"),
        ("$x$(V)", "$xtext"),
        ("$(V", "$(V"),
        ("$(V))", "text)"),
        ("$((V))", "$((V))"),
        ("$()", "$()"),
        ("$V", "$V"),
    ],
)
def test_expansion(written: str, expected: str) -> None:
    assert expanded(written) == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("more.int", "x5"),
        ("more.float", "x1.5"),
        ("more.million", "x1e+06"),
        ("more.small", "x1e-05"),
        ("more.thousand", "x1000"),
        ("more.truth", "xtrue"),
        ("more.map", "x$(V)"),
    ],
)
def test_a_number_inside_a_text_is_written_as_go_writes_it(path: str, expected: str) -> None:
    assert expanded("x$(V)", path) == expected


def test_a_whole_float_is_written_without_an_exponent() -> None:
    from_, obj = source(), pod(annotation="$(V)")
    resolve([from_, obj], merge_variables((), entry("more.million"), [from_]))
    assert text(at(obj.root, "metadata", "annotations", "a")) == "1000000"


def test_only_fields_that_the_configuration_names_are_expanded() -> None:
    from_, obj = source(), pod("[$(V)]", "$(V)")
    resolve([from_, obj], merge_variables((), entry(), [from_]))
    assert value(at(obj.root, "spec")) == {"containers": [{"image": "$(V)", "args": ["source"]}]}
    assert value(at(obj.root, "metadata", "annotations")) == {"a": "source"}


def test_a_single_text_in_place_of_a_list_is_expanded() -> None:
    from_, obj = source(), pod("x-$(V)")
    resolve([from_, obj], merge_variables((), entry(), [from_]))
    assert args(obj) == "x-source"


@pytest.mark.parametrize("written", ["[$(V), 1]", "[null]", "[{}]"])
def test_a_list_must_hold_texts_only(written: str) -> None:
    from_, obj = source(), pod(written)
    with pytest.raises(BuildError, match="every item of this list must be a text") as caught:
        resolve([from_, obj], merge_variables((), entry(), [from_]))
    assert caught.value.cause is Cause.BAD_VARIABLE
    assert caught.value.at.file.path == "all.yaml"


def test_a_list_of_anything_is_fine_without_variables() -> None:
    obj = pod("[1]")
    resolve([obj], ())
    assert args(obj) == [1]


def test_an_unused_variable_changes_nothing() -> None:
    from_, obj = source(), pod("[$(W)]")
    before = obj.root
    resolve([from_, obj], merge_variables((), entry(), [from_]))
    assert obj.root is before


def test_a_value_counts_as_written_where_the_variable_is_used() -> None:
    from_, obj = source(), pod(annotation="$(V)")
    old = at(obj.root, "metadata", "annotations", "a")
    variables = merge_variables((), entry(), [from_])
    resolve([from_, obj], variables)
    new = at(obj.root, "metadata", "annotations", "a")
    assert isinstance(new, Rewritten)
    assert new.before is old
    assert obj.steps[-1].at is variables[0].node
