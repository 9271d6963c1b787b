"""Replacements, as Kustomize makes them. Every expectation here was tried on the real tool."""

from __future__ import annotations

import textwrap
from typing import Any

import pytest
from gitops_lint.linter.kustomize.fieldpaths import split
from gitops_lint.linter.kustomize.kustomize_errors import BuildError, Cause
from gitops_lint.linter.kustomize.objects import Object
from gitops_lint.linter.kustomize.objects_in_file import objects_in
from gitops_lint.linter.kustomize.release import Release
from gitops_lint.linter.kustomize.replacements import replace as replace_by
from gitops_lint.linter.kustomize.replacements import resolved
from gitops_lint.linter.kustomize.trees import Rewritten, at, value
from gitops_lint.linter.yaml.source import Document, Node, SourceFile

SOURCE = """
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: source
      annotations: {example.com/a.b: dotted}
    data:
      word: hello
      quoted: "123"
      number: 123
      float: 1.50
      empty: ""
      nothing: null
      map: {a: 1}
      none: {}
      list: [one, two]
      items: [{name: a, v: 1}, {name: b, v: 2}]
      image: registry/app:v1
"""
TARGET = """
    apiVersion: apps/v1
    kind: Deployment
    metadata:
      name: target
    spec:
      text: old
      quoted: "7"
      number: 7
      float: 0.5
      switch: false
      nothing: null
      map: {a: z}
      list: [a, "b", 5]
      items: [{name: a, v: x}, {name: b, v: y}, {name: ab, v: z}]
      image: other/web:v0
"""


def objects(*texts: str) -> list[Object]:
    files = (SourceFile(f"{number}.yaml", textwrap.dedent(text)) for number, text in enumerate(texts))
    return [one for file in files for one in objects_in(file)]


def node(text: str) -> Node:
    return SourceFile("kustomization.yaml", textwrap.dedent(text)).documents[0].root


def replace(made: list[Object], entry: Node) -> None:
    replace_by(made, entry, Release.V5_7)


def replaced(source: str, target: str, *, texts: tuple[str, ...] = (SOURCE, TARGET)) -> list[Object]:
    made = objects(*texts)
    replace(made, node(f"source: {{name: source, {source}}}\ntargets:\n- select: {{name: target}}\n  {target}\n"))
    return made


def spec(source: str, target: str) -> Any:
    return value(at(replaced(source, target)[1].root, "spec"))


def refusal(source: str, target: str) -> BuildError:
    with pytest.raises(BuildError) as caught:
        replaced(source, target)
    assert caught.value.cause is Cause.BAD_REPLACEMENT
    return caught.value


# -- types


@pytest.mark.parametrize(
    ("source", "field", "expected"),
    [
        ("word", "text", "hello"),
        ("number", "text", "123"),
        ("float", "text", "1.50"),
        ("quoted", "quoted", "123"),
        ("quoted", "number", 123),
        ("number", "float", 123),
        ("map", "text", ""),
        ("empty", "nothing", None),
        ("map", "nothing", None),
    ],
)
def test_a_scalar_keeps_its_type_whatever_it_gets(source: str, field: str, expected: object) -> None:
    got = spec(f"fieldPath: data.{source}", f"fieldPaths: [spec.{field}]")[field]
    assert (got, type(got)) == (expected, type(expected))


@pytest.mark.parametrize(
    ("source", "field"),
    [("word", "number"), ("float", "number"), ("word", "switch"), ("word", "nothing"), ("number", "nothing")],
)
def test_a_value_that_does_not_fit_the_type_makes_kustomize_fail(source: str, field: str) -> None:
    error = refusal(f"fieldPath: data.{source}", f"fieldPaths: [spec.{field}]")
    assert f"spec.{field} holds" in error.message


@pytest.mark.parametrize(
    ("source", "expected"), [("quoted", "123"), ("number", 123), ("map", {"a": 1}), ("word", "hello")]
)
def test_a_map_or_a_list_takes_the_type_of_the_value(source: str, expected: object) -> None:
    got = spec(f"fieldPath: data.{source}", "fieldPaths: [spec.map, spec.list]")
    assert got["map"] == got["list"] == expected


@pytest.mark.parametrize(
    ("source", "expected"), [("quoted", 123), ("word", "hello"), ("empty", None), ("list", ["one", "two"])]
)
def test_a_field_that_is_made_reads_its_value_as_if_it_had_no_quotes(source: str, expected: object) -> None:
    got = spec(f"fieldPath: data.{source}", "fieldPaths: [spec.new.deep]\n  options: {create: true}")
    assert got["new"] == {"deep": expected}


def test_a_field_that_was_made_never_has_a_type_of_its_own() -> None:
    made = replaced("fieldPath: data.quoted", "fieldPaths: [spec.new]\n  options: {create: true}")
    again = "source: {name: source, fieldPath: data.word}\ntargets: [{select: {name: target}, fieldPaths: [spec.new]}]"
    replace(made, node(again))
    assert value(at(made[1].root, "spec", "new")) == "hello"


# -- paths


def test_paths_are_split_at_dots_that_are_not_escaped_or_in_brackets() -> None:
    assert split(r"metadata.labels.a\.b\.c") == ("metadata", "labels", "a.b.c")
    assert split("metadata.annotations.[example.com/a]") == ("metadata", "annotations", "example.com/a")
    assert split("spec.containers.[name=a.b].image") == ("spec", "containers", "[name=a.b]", "image")
    assert split("data.[s]") == ("data", "[s]")  # only dots make brackets go away


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (r"metadata.annotations.example\.com/a\.b", "dotted"),
        ("metadata.annotations.[example.com/a.b]", "dotted"),
        ("data.list.1", "two"),
        ("data.list.-", "two"),
        ("data.list.[=one]", "one"),
        ("data.items.[name=b].v", "2"),
        ("data..word", "hello"),
        (" data . word ", "hello"),
        ("", "source"),
    ],
)
def test_a_source_is_one_field(path: str, expected: str) -> None:
    assert spec(f"fieldPath: '{path}'", "fieldPaths: [spec.text]")["text"] == expected


@pytest.mark.parametrize(
    "path",
    ["data.missing", "data.nothing", "data.none", "data.list.9", "data.list.-1", "data.items.*.v", "data.[word]",
     "data.word.deeper", "data.items.[name=.].v"],
)  # fmt: skip
def test_a_source_that_is_not_there_or_empty_is_refused(path: str) -> None:
    assert refusal(f"fieldPath: {path!r}", "fieldPaths: [spec.text]").at.pointer == "/source/fieldPath"


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("spec.items.[name=b].v", ["x", "hello", "hello"]),  # it is searched for, so ab has it as well
        ("spec.items.[name=^b$].v", ["x", "hello", "z"]),
        ("spec.items.*.v", ["hello", "hello", "hello"]),
        ("spec.items.2.v", ["x", "y", "hello"]),
    ],
)
def test_a_target_may_be_several_items(path: str, expected: list[str]) -> None:
    got = spec("fieldPath: data.word", f"fieldPaths: [{path!r}]")
    assert [item["v"] for item in got["items"]] == expected


def test_a_pattern_is_held_against_the_yaml_of_an_item_quotes_and_all() -> None:
    assert spec("fieldPath: data.word", "fieldPaths: ['spec.list.[=^a$]']")["list"] == ["hello", "b", 5]
    assert refusal("fieldPath: data.word", "fieldPaths: ['spec.list.[=^b$]']")
    assert spec("fieldPath: data.quoted", "fieldPaths: ['spec.list.[=^5$]']")["list"] == ["a", "b", 123]


def test_what_follows_the_value_of_a_scalar_item_is_passed_over() -> None:
    assert spec("fieldPath: data.word", "fieldPaths: ['spec.list.[=^a$].name']")["list"][0] == "hello"


@pytest.mark.parametrize(
    "path",
    ["spec.missing", "spec.list.3", "spec.list.-", "spec.map.*", "spec.text.deeper", "spec.nothing.deeper", "spec..text",
     "spec.items.[name=*].v", "spec.items.[name=c].v", ""],
)  # fmt: skip
def test_a_target_that_is_not_there_is_refused(path: str) -> None:
    assert refusal("fieldPath: data.word", f"fieldPaths: [{path!r}]").at.pointer == "/targets/0/fieldPaths/0"


# -- fields that are made


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("spec.new.[name=x].list.0.v", {"new": [{"name": "x", "list": [{"v": "hello"}]}]}),
        ("spec.list.3", {"list": ["a", "b", 5, "hello"]}),
        ("spec.list.[=c]", {"list": ["a", "b", 5, "hello"]}),
        ("spec.items.*.w", {"items": [{"name": name, "v": v, "w": "hello"} for name, v in ("ax", "by", ("ab", "z"))]}),
        ("spec.items.[name=7].v", None),
        ("spec.nothing.lost", {"nothing": None}),
    ],
)
def test_what_is_missing_is_made_on_demand(path: str, expected: dict[str, object] | None) -> None:
    got = spec("fieldPath: data.word", f"fieldPaths: [{path!r}]\n  options: {{create: true}}")
    if expected is None:
        assert got["items"][-1] == {"name": 7, "v": "hello"}
    else:
        assert {key: got[key] for key in expected} == expected


@pytest.mark.parametrize("path", ["spec.list.9", "spec.text.deeper", "spec.new.*.v", "spec.nothing", "spec.true"])
def test_not_all_can_be_made(path: str) -> None:
    assert refusal("fieldPath: data.word", f"fieldPaths: [{path!r}]\n  options: {{create: true}}")


# -- delimiters


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("delimiter: ':', index: 1", "delimiter: ':', index: 1", "other/web:v1"),
        ("delimiter: /", "delimiter: /", "registry/web:v0"),
        ("delimiter: ':', index: 1", "delimiter: ':', index: -1", "v1:other/web:v0"),
        ("delimiter: ':', index: 1", "delimiter: ':', index: 9", "other/web:v0:v1"),
        ("index: 9", "index: 9", "registry/app:v1"),
    ],
)
def test_parts_at_a_delimiter(source: str, target: str, expected: str) -> None:
    got = spec(f"fieldPath: data.image, options: {{{source}}}", f"fieldPaths: [spec.image]\n  options: {{{target}}}")
    assert got["image"] == expected


def test_a_part_of_the_source_must_exist_and_only_scalars_have_parts() -> None:
    assert refusal("fieldPath: data.image, options: {delimiter: ':', index: 2}", "fieldPaths: [spec.text]")
    assert refusal("fieldPath: data.image, options: {delimiter: ':', index: -1}", "fieldPaths: [spec.text]")
    assert refusal("fieldPath: data.map, options: {delimiter: ':'}", "fieldPaths: [spec.text]")
    assert refusal("fieldPath: data.word", "fieldPaths: [spec.map]\n  options: {delimiter: ':'}")


# -- which objects


def named(*names: str) -> list[Object]:
    return objects(
        *(f"{{apiVersion: v1, kind: ConfigMap, metadata: {{name: {name}}}, data: {{k: {name}}}}}" for name in names)
    )


def values(made: list[Object]) -> list[str]:
    return [str(value(at(one.root, "data", "k"))) for one in made]


def replace_in(made: list[Object], select: str, reject: str = "", source: str = "name: a") -> list[str]:
    replace(
        made,
        node(f"source: {{{source}}}\ntargets: [{{select: {{{select}}}, reject: [{reject}], fieldPaths: [data.k]}}]\n"),
    )
    return values(made)


def test_the_source_must_be_one_object() -> None:
    for source in ("kind: ConfigMap", "name: z", "kind: Secret, name: a", "name: a, namespace: other"):
        with pytest.raises(BuildError, match="must be one object"):
            replace_in(named("a", "b"), "name: b", source=source)
    assert replace_in(named("a", "b"), "name: b", source="name: a, namespace: default") == ["a", "a"]


def test_names_are_no_patterns_and_a_target_may_select_nothing() -> None:
    assert replace_in(named("a", "b"), "name: .") == ["a", "b"]


def test_an_object_is_found_and_rejected_by_every_name_it_had() -> None:
    for select, reject, expected in (
        ("name: b", "", "a"),
        ("name: new", "", "a"),
        ("kind: ConfigMap", "{name: b}", "b"),
    ):
        made = named("a", "b")
        made[1].remember_id()
        made[1].put(
            objects("{apiVersion: v1, kind: ConfigMap, metadata: {name: new}, data: {k: b}}")[0].root, "", node("a: b")
        )
        assert replace_in(made, select, reject)[1] == expected


def test_labels_select_and_reject() -> None:
    labelled = "{apiVersion: v1, kind: ConfigMap, metadata: {name: b, labels: {app: web, n: 1}}, data: {k: b}}"
    for select, reject, expected in (
        ("labelSelector: app=web", "", ["a", "a", "c"]),
        ("labelSelector: 'n in (1)'", "", ["a", "a", "c"]),
        ("kind: ConfigMap", "{labelSelector: app}", ["a", "b", "a"]),
        ("kind: ConfigMap", "{labelSelector: app, name: c}", ["a", "b", "c"]),
        ("kind: ConfigMap", "{}", ["a", "a", "a"]),
    ):
        made = [*named("a"), *objects(labelled), *named("c")]
        assert replace_in(made, select, reject) == expected
    with pytest.raises(BuildError, match="no selector"):
        replace_in(named("a"), "labelSelector: 'a==='")


def test_a_replaced_name_is_not_remembered() -> None:
    made = named("a", "b")
    replace(made, node("source: {name: a, fieldPath: kind}\ntargets: [{select: {name: b}}]\n"))
    assert (made[1].name, made[1].previous) == ("ConfigMap", ())


def test_a_value_may_be_given_in_place_of_a_source() -> None:
    made = named("a", "b")
    replace(made, node("sourceValue: given\ntargets: [{select: {name: b}, fieldPaths: [data.k]}]\n"))
    assert values(made) == ["a", "given"]


@pytest.mark.parametrize(
    "entry",
    [
        "targets: [{select: {name: b}}]",
        "source: {name: a}",
        "source: {name: a}\ntargets: []",
        "source: {name: a}\ntargets: [{fieldPaths: [data.k]}]",
        "source: {name: a}\nsourceValue: b\ntargets: [{select: {name: b}}]",
    ],
)
def test_a_replacement_needs_a_source_targets_and_what_they_select(entry: str) -> None:
    with pytest.raises(BuildError):
        replace(named("a", "b"), node(entry))


# -- files


def test_a_file_holds_one_replacement_or_a_list_in_its_first_document() -> None:
    def read(text: str) -> list[Document]:
        return SourceFile("replacement.yaml", text).documents

    entry = node("path: replacement.yaml")
    assert len(list(resolved(entry, lambda at, path: read("source: {}\n---\nsource: {}\n")))) == 1
    assert len(list(resolved(entry, lambda at, path: read("- source: {}\n- source: {}\n")))) == 2
    for text in ("word\n", ""):
        with pytest.raises(BuildError):
            resolved(entry, lambda at, path, text=text: read(text))  # type: ignore[misc]
    with pytest.raises(BuildError):
        resolved(node("{path: a, source: {}}"), lambda at, path: read("source: {}"))


# -- where values come from


def test_a_replaced_value_leads_to_the_source_and_remembers_what_it_took_the_place_of() -> None:
    made = replaced("fieldPath: data.word", "fieldPaths: [spec.text]")
    new, old = at(made[1].root, "spec", "text"), at(made[0].root, "data", "word")
    assert isinstance(new, Rewritten)
    assert old is not None
    assert new.start_mark is old.start_mark
    assert value(new.before) == "old"
    (step,) = made[1].steps
    assert step.at.pointer == "/targets/0/fieldPaths/0"
    assert made[0].document in step.sources


def test_a_replacement_that_changes_nothing_now_is_noted_all_the_same() -> None:
    made = replaced(
        "fieldPath: data.map.a", "fieldPaths: [spec.text]", texts=(SOURCE, TARGET.replace("text: old", "text: '1'"))
    )
    assert [step.what for step in made[1].steps] == ["value replaced"]
