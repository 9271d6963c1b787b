"""Every layout that a fix meets, with the exact text it leaves."""

from __future__ import annotations

import json
from typing import Any

import pytest
from gitops_lint.linter.fix import FileFix, edit, fix_files, text_edits, unified_diff
from gitops_lint.linter.fix.edits import apply_edits
from gitops_lint.linter.fix.fragment import is_plain
from gitops_lint.linter.fix.judge import only_document
from gitops_lint.linter.fix.pieces import Refused
from gitops_lint.linter.fix.text_difference import minimal_edits
from gitops_lint.linter.lint.result import Reported
from gitops_lint.linter.lint.rule import Finding, Fix, Rule, Scope, Severity
from gitops_lint.linter.yaml.source import Node, Patch, SourceFile

RULE = Rule("GL999", Severity.WARNING, lambda _: iter(()), "rules.tests.some_rule", Scope.RESOURCE)


def add(path: str, value: Any) -> dict[str, Any]:
    return {"op": "add", "path": path, "value": value}


def replace(path: str, value: Any) -> dict[str, Any]:
    return {"op": "replace", "path": path, "value": value}


def remove(path: str) -> dict[str, Any]:
    return {"op": "remove", "path": path}


def rename(old: str, new: str) -> dict[str, Any]:
    return {"op": "move", "from": old, "path": new}


def after(text: str, *operations: dict[str, Any], document: int = 0) -> str:
    return edit(SourceFile("some.yaml", text).documents[document], operations)


def set_in(text: str, *keys: str | int, value: Any) -> str:
    """What a rule does: go somewhere, and set."""
    document = SourceFile("some.yaml", text).documents[0]
    return edit(document, document.root.at(*keys).set(value).operations)


# -- adding to block mappings


def test_a_key_goes_to_the_end_of_its_mapping() -> None:
    text = "metadata:\n  annotations:\n    a: b\n  name: x\nspec: {}\n"
    assert after(text, add("/metadata/annotations/c", "d")) == (
        "metadata:\n  annotations:\n    a: b\n    c: d\n  name: x\nspec: {}\n"
    )


def test_it_goes_before_comments_and_blank_lines_that_follow() -> None:
    text = "metadata:\n  name: x  # who\n\n  # old: value\n\n# what\nspec:\n  a: 1\n"
    assert after(text, add("/metadata/labels", {"a": "b"})) == (
        "metadata:\n  name: x  # who\n  labels:\n    a: b\n\n  # old: value\n\n# what\nspec:\n  a: 1\n"
    )


def test_missing_parents_come_along() -> None:
    text = "kind: Secret\nmetadata:\n  name: x\ntype: Opaque\n"
    assert set_in(text, "metadata", "annotations", "a/b", value="Prune=false") == (
        "kind: Secret\nmetadata:\n  name: x\n  annotations:\n    a/b: Prune=false\ntype: Opaque\n"
    )


@pytest.mark.parametrize("step", [1, 2, 3, 4, 8])
def test_depth_is_what_the_file_does(step: int) -> None:
    pad = " " * step
    text = f"metadata:\n{pad}name: x\n"
    assert set_in(text, "metadata", "annotations", "a", value="b") == (
        f"metadata:\n{pad}name: x\n{pad}annotations:\n{pad * 2}a: b\n"
    )


def test_line_endings_stay() -> None:
    text = "metadata:\r\n  name: x\r\nspec: 1\r\n"
    assert set_in(text, "metadata", "annotations", "a", value="b") == (
        "metadata:\r\n  name: x\r\n  annotations:\r\n    a: b\r\nspec: 1\r\n"
    )


def test_lines_that_are_not_concerned_keep_their_ends_in_a_file_that_has_both() -> None:
    text = "a: 1\nb:\n  c: 1\nd: 2\r\ne: 3\r\n"
    assert after(text, add("/b/x", 1)) == "a: 1\nb:\n  c: 1\n  x: 1\nd: 2\r\ne: 3\r\n"
    assert after(text, add("/x", 1)) == text + "x: 1\r\n"
    assert after(text, remove("/d")) == "a: 1\nb:\n  c: 1\ne: 3\r\n"
    assert after(text, replace("/b", {"k": {"z": 1}})) == "a: 1\nb:\n  k:\n    z: 1\nd: 2\r\ne: 3\r\n"


@pytest.mark.parametrize("end", ["", "\n", "\r\n"])
def test_the_last_line_keeps_its_end_or_goes_on_without_one(end: str) -> None:
    step = end or "\n"
    text = f"a: 1{step}b:{step}  c: 1{step}  d: 2{end}"
    for operation in (remove("/b/d"), remove("/b"), add("/e", 1), add("/b/e", {"f": 1}), replace("/b/d", "x\ny\n")):
        assert after(text, operation).endswith(("\n", "\r\n")) is bool(end)


def test_a_file_may_end_without_a_line_break() -> None:
    assert after("a:\n  b: 1", add("/a/c", 2)) == "a:\n  b: 1\n  c: 2"
    assert after("a:\n  b: 1 # c", add("/d", 2)) == "a:\n  b: 1 # c\nd: 2"
    assert after("a:\n  b:", add("/a/c", 2)) == "a:\n  b:\n  c: 2"


def test_a_mapping_in_a_list_keeps_its_column() -> None:
    text = "list:\n  - a: 1\n  -   a: 2\n      b: 3\n"
    assert after(text, add("/list/0/c", 1)) == "list:\n  - a: 1\n    c: 1\n  -   a: 2\n      b: 3\n"
    assert after(text, add("/list/1/c", 1)) == "list:\n  - a: 1\n  -   a: 2\n      b: 3\n      c: 1\n"


def test_behind_a_block_scalar() -> None:
    for sign in ("|", "|-", ">", ">-"):
        text = f"a:\n  b: {sign}\n    x\n    # no comment\n\n\nc: 1\n"
        assert after(text, add("/a/d", 2)) == f"a:\n  b: {sign}\n    x\n    # no comment\n  d: 2\n\n\nc: 1\n"


def test_blank_lines_that_belong_to_a_block_scalar_stay_in_it() -> None:
    assert after("a:\n  b: |+\n    x\n\n\nc: 1\n", add("/a/d", 2)) == "a:\n  b: |+\n    x\n\n\n  d: 2\nc: 1\n"
    assert after("b: |+\r\n  x\r\n\r\n", add("/d", 2)) == "b: |+\r\n  x\r\n\r\nd: 2\r\n"


def test_a_block_scalar_at_the_very_end_would_grow_so_the_key_goes_before_it() -> None:
    assert after("a: 1\n# text\nb: |\n  x", add("/c", 2)) == "a: 1\nc: 2\n# text\nb: |\n  x"
    assert after("a:\n- b: |\n    x", add("/a/0/c", 2)) == "a:\n- c: 2\n  b: |\n    x"


def test_behind_a_value_of_several_lines() -> None:
    assert after('a: "x\n  y"  # z\n', add("/b", 1)) == 'a: "x\n  y"  # z\nb: 1\n'
    assert after("a: x\n  y\n", add("/b", 1)) == "a: x\n  y\nb: 1\n"
    assert after("a: {x: 1,\n  y: 2}\n", add("/b", 1)) == "a: {x: 1,\n  y: 2}\nb: 1\n"
    assert after("a:\n- x\n- y\n", add("/b", 1)) == "a:\n- x\n- y\nb: 1\n"


def test_text_that_is_not_ascii() -> None:
    text = "имя: ключ  # ёж 🦔\nmetadata:\n  name: 🦔\n"
    assert after(text, add("/metadata/знак", "да")) == text + "  знак: да\n"


# -- adding to empty values


@pytest.mark.parametrize("empty", ["", " null", " ~", " Null"])
def test_nothing_becomes_a_block(empty: str) -> None:
    text = f"metadata:\n  annotations:{empty}\n  name: x\n"
    assert set_in(text, "metadata", "annotations", "a", value="b") == (
        "metadata:\n  annotations:\n    a: b\n  name: x\n"
    )


def test_nothing_with_a_comment_becomes_a_block() -> None:
    text = "metadata:\n  annotations: ~  # none\n  # yet\n  name: x\n"
    assert set_in(text, "metadata", "annotations", "a", value="b") == (
        "metadata:\n  annotations:  # none\n    a: b\n  # yet\n  name: x\n"
    )


def test_empty_brackets_are_filled() -> None:
    text = "metadata:\n  annotations: {}  # none\n"
    assert set_in(text, "metadata", "annotations", "a", value="b") == "metadata:\n  annotations: {a: b}  # none\n"
    assert after("a: []\n", add("/a/-", "x")) == "a: [x]\n"


def test_an_anchor_before_nothing_stays() -> None:
    assert after("a: &x\nb: 1\n", replace("/a", 5)) == "a: &x 5\nb: 1\n"
    assert after("a: &x\nb: 1\n", replace("/a", {"c": 1})) == "a: &x\n  c: 1\nb: 1\n"


# -- adding to lists


def test_an_item_goes_to_the_end_of_its_list() -> None:
    assert after("a:\n  - x\n  - y # z\nb: 1\n", add("/a/-", "w")) == "a:\n  - x\n  - y # z\n  - w\nb: 1\n"
    assert after("a:\n- x\nb: 1\n", add("/a/-", "w")) == "a:\n- x\n- w\nb: 1\n"
    assert after("a:\n  - x\n", add("/a/1", "w")) == "a:\n  - x\n  - w\n"


def test_an_item_goes_between_others() -> None:
    text = "a:\n  # first\n  - x\n  # second\n  - y\n"
    assert after(text, add("/a/1", "w")) == "a:\n  # first\n  - x\n  - w\n  # second\n  - y\n"
    assert after(text, add("/a/0", "w")) == "a:\n  # first\n  - w\n  - x\n  # second\n  - y\n"
    assert after("- - x\n  - y\n", add("/0/0", "w")) == "- - w\n  - x\n  - y\n"


def test_an_item_that_is_a_mapping() -> None:
    item = {"name": "a", "list": [1, {"x": "z"}], "map": {"k": None}, "no": [], "none": {}}
    assert after("env:\n- name: z\n", add("/env/-", item)) == (
        'env:\n- name: z\n- name: a\n  list:\n  - 1\n  - x: z\n  map:\n    k: null\n  "no": []\n  none: {}\n'
    )
    assert after("env:\n  -   name: z\n", add("/env/-", {"a": 1, "b": 2})) == (
        "env:\n  -   name: z\n  -   a: 1\n      b: 2\n"
    )


def test_a_list_in_a_list() -> None:
    assert after("a:\n  - - x\n", add("/a/-", ["v", "w"])) == "a:\n  - - x\n  - - v\n    - w\n"
    assert after("a:\n  - - x\n", add("/a/0/-", "v")) == "a:\n  - - x\n    - v\n"


def test_an_item_is_quoted_like_all_others() -> None:
    assert after("a:\n- 'x'\n- 'y'\n", add("/a/-", "it's")) == "a:\n- 'x'\n- 'y'\n- 'it''s'\n"
    assert after('a: ["x", "y"]\n', add("/a/-", "z")) == 'a: ["x", "y", "z"]\n'
    assert after("a:\n- 'x'\n- y\n", add("/a/-", "z")) == "a:\n- 'x'\n- y\n- z\n"


# -- flow style


def test_a_key_in_braces() -> None:
    assert after("a: {b: 1}  # c\n", add("/a/d", "x")) == "a: {b: 1, d: x}  # c\n"
    assert after("a: { b: 1 }\n", add("/a/d", "x")) == "a: { b: 1, d: x }\n"
    assert after("a: {b: 1,}\n", add("/a/d", "x")) == "a: {b: 1, d: x,}\n"
    assert after("a: {b: }\n", add("/a/d", "x")) == "a: {b: , d: x}\n"
    assert after("a: {b: {}}\n", add("/a/b/d", ["x", {"y": 1}])) == 'a: {b: {d: [x, {"y": 1}]}}\n'


def test_text_in_brackets_is_quoted_where_brackets_ask_for_it() -> None:
    assert after("a: [b]\n", add("/a/-", "x, y")) == 'a: [b, "x, y"]\n'
    assert after("a:\n- b\n", add("/a/-", "x, y")) == "a:\n- b\n- x, y\n"


def test_an_item_in_brackets() -> None:
    assert after("a: [x, y]\n", add("/a/-", "z")) == "a: [x, y, z]\n"
    assert after("a: [x, y]\n", add("/a/0", "z")) == "a: [z, x, y]\n"
    assert after("a: [x, y]\n", add("/a/1", "z")) == "a: [x, z, y]\n"


def test_brackets_over_several_lines() -> None:
    text = "a: [\n  x,  # one\n  y  # two\n]\n"
    assert after(text, add("/a/-", "z")) == "a: [\n  x,  # one\n  y,  # two\n  z\n]\n"
    assert after(text, add("/a/1", "z")) == "a: [\n  x,  # one\n  z,\n  y  # two\n]\n"
    assert after("a: [\n  x,\n  y, # two\n]\n", add("/a/-", "z")) == "a: [\n  x,\n  y, # two\n  z,\n]\n"
    assert after("a: [x,\n  y]\n", add("/a/-", "z")) == "a: [x,\n  y,\n  z]\n"


def test_keys_in_quotes_ask_for_keys_in_quotes() -> None:
    assert after('a: {"b": 1}\n', add("/a/c", "x")) == 'a: {"b": 1, "c": "x"}\n'


def test_removing_in_braces_takes_one_comma() -> None:
    text = "a: {b: 1, c: 2, d: 3}\n"
    assert after(text, remove("/a/b")) == "a: {c: 2, d: 3}\n"
    assert after(text, remove("/a/c")) == "a: {b: 1, d: 3}\n"
    assert after(text, remove("/a/d")) == "a: {b: 1, c: 2}\n"
    assert after("a: { b: 1 }\n", remove("/a/b")) == "a: {}\n"
    assert after("a: [x, y,]\n", remove("/a/1")) == "a: [x,]\n"


def test_removing_in_braces_over_several_lines() -> None:
    text = "a: {\n  b: 1,  # one\n  c: 2,  # two\n  d: 3  # three\n}\n"
    assert after(text, remove("/a/b")) == "a: {\n  # one\n  c: 2,  # two\n  d: 3  # three\n}\n"
    assert after(text, remove("/a/c")) == "a: {\n  b: 1,  # one\n  # two\n  d: 3  # three\n}\n"
    assert after(text, remove("/a/d")) == "a: {\n  b: 1,  # one\n  c: 2  # two\n  # three\n}\n"
    assert after("a: [\n  x,\n  y,\n]\n", remove("/a/1")) == "a: [\n  x,\n]\n"
    assert after("a: [\n  x\n]\n", remove("/a/0")) == "a: []\n"
    assert after("a: [x,\n  y]\n", remove("/a/1")) == "a: [x]\n"


def test_replacing_in_braces() -> None:
    assert after("a: {b: 1, c: 'x'}\n", replace("/a/b", True)) == "a: {b: true, c: 'x'}\n"
    assert after("a: {b: 1, c: 'x'}\n", replace("/a/c", "y")) == "a: {b: 1, c: 'y'}\n"
    assert after("a: {b: 1, c: 2}\n", replace("/a/b", {"x": [1]})) == "a: {b: {x: [1]}, c: 2}\n"
    assert after("a: {b: , c: 2}\n", replace("/a/b", 1)) == "a: {b: 1 , c: 2}\n"


def test_a_pair_without_braces_is_left_alone() -> None:
    with pytest.raises(Refused, match="no brackets"):
        after("a: [b: 1]\n", add("/a/0/c", 2))


# -- JSON


def test_json_on_one_line() -> None:
    assert after('{"a": {"b": 1}}', add("/a/c", {"d": ["e"]})) == '{"a": {"b": 1, "c": {"d": ["e"]}}}'
    assert after('{"a":{"b":1}}', add("/a/c", {"d": ["e", 1]})) == '{"a":{"b":1,"c":{"d":["e",1]}}}'
    assert after('{"a":{"b":1},"c":[1,2]}', remove("/c/1")) == '{"a":{"b":1},"c":[1]}'
    assert after('{"a":{}}', add("/a/b", "yes")) == '{"a":{"b":"yes"}}'


@pytest.mark.parametrize("unit", ["  ", "    ", "\t"])
def test_json_over_lines(unit: str) -> None:
    value = {"kind": "Secret", "metadata": {"name": "x", "labels": {}}, "list": [1, {"a": 2}]}
    text = json.dumps(value, indent=unit) + "\n"
    operations = [
        add("/metadata/annotations", {"a": "b", "c": ["d"]}),
        add("/metadata/labels/e", "f"),
        add("/list/-", {"g": True}),
        replace("/kind", "Config\tMap ü"),
        remove("/metadata/name"),
        remove("/list/0"),
    ]
    value = {
        "kind": "Config\tMap ü",
        "metadata": {"labels": {"e": "f"}, "annotations": {"a": "b", "c": ["d"]}},
        "list": [{"a": 2}, {"g": True}],
    }
    assert after(text, *operations) == json.dumps(value, indent=unit, ensure_ascii=False) + "\n"


# -- replacing


@pytest.mark.parametrize(
    ("old", "value", "new"),
    [
        ("x", "v", "v"),
        ("x", "y", '"y"'),
        ("'x'", "y", "'y'"),
        ('"x"', "y", '"y"'),
        ("'x'", "it's", "'it''s'"),
        ("'x'", "a\tb", '"a\\tb"'),
        ("'x'", True, "true"),
        ("x", 5, "5"),
        ("x", 0.5, "0.5"),
        ("x", None, "null"),
        ("x", "", '""'),
        ("x", [], "[]"),
        ("1", "1", '"1"'),
        ("0644", "0644", '"0644"'),
        ("yes", "yes", '"yes"'),
        ("1e3", "1e3", '"1e3"'),
        ("~", "~", '"~"'),
        ("x", "a: b", '"a: b"'),
        ("x", "a #b", '"a #b"'),
        ("x", "- a", '"- a"'),
        ("x", "-a", "-a"),
        ("x", "--a", "--a"),
        ("x", "12:30", '"12:30"'),
        ("x", "2024-01-01", '"2024-01-01"'),
        ("x", "1.2.3", "1.2.3"),
        ("x", "http://a/b?c=d&e", "http://a/b?c=d&e"),
        ("x", "{{ a }}", '"{{ a }}"'),
        ("x", "A=1,B=2", "A=1,B=2"),
        ("x", " a", '" a"'),
        ("x", "\u2028\x7f\x00", '"\\u2028\\u007f\\u0000"'),
        ("x\n  y", "z", "z"),
        ('"x\n  y"', "z", '"z"'),
    ],
)
def test_one_value_for_another(old: str, value: Any, new: str) -> None:
    assert after(f"a: {old}  # c\nb: 1\n", replace("/a", value)) == f"a: {new}  # c\nb: 1\n"
    assert after(f"- {old}  # c\n- 1\n", replace("/0", value)) == f"- {new}  # c\n- 1\n"


def test_a_text_of_several_lines() -> None:
    assert after("a: x # c\nb: 1\n", replace("/a", "l1\n\nl2\n")) == "a: | # c\n  l1\n\n  l2\nb: 1\n"
    assert after("a:\n  - |\n    x\n", replace("/a/0", "l1\nl2")) == "a:\n  - |-\n    l1\n    l2\n"
    assert after("a: 'x'\n", replace("/a", "l1\nl2\n")) == 'a: "l1\\nl2\\n"\n'
    assert after("a: |\n  x\n  y\n\nb: 1\n", replace("/a", "z")) == "a: z\n\nb: 1\n"
    assert after("a: | # c\n  x\nb: 1\n", replace("/a", "z")) == "a: z # c\nb: 1\n"


def test_a_value_becomes_a_collection() -> None:
    assert after("a: x # c\nb: 1\n", replace("/a", {"k": ["v"]})) == "a: # c\n  k:\n    - v\nb: 1\n"
    assert after("a:\n- x\n- y\n", replace("/a/0", {"k": 1, "l": 2})) == "a:\n- k: 1\n  l: 2\n- y\n"
    assert after("a:\n- x # c\n- y\n", replace("/a/0", {"k": 1, "l": 2})) == "a:\n- # c\n  k: 1\n  l: 2\n- y\n"


def test_a_collection_becomes_a_value() -> None:
    text = "a: # one\n  # two\n  b: 1 # three\n  c:\n    - 2\nd: 1\n"
    assert after(text, replace("/a", "x")) == "a: x # one\n  # two\n  # three\nd: 1\n"
    assert after("- a: 1\n  b: 2\n- c\n", replace("/0", "x")) == "- x\n- c\n"
    assert after("a: {b: 1}\n", replace("/a", [])) == "a: []\n"


def test_only_the_difference_of_two_collections_is_written() -> None:
    text = "a:\n  b: 1  # one\n  c: 2  # two\n  d: [x, y, z]\n"
    assert after(text, replace("/a", {"b": 1, "d": ["x", "w", "z"], "e": 5})) == (
        "a:\n  b: 1  # one\n  # two\n  d: [x, w, z]\n  e: 5\n"
    )
    assert after("a:\n- x # 1\n- v # 2\n", replace("/a", ["x", "z", "v"])) == "a:\n- x # 1\n- z\n- v # 2\n"
    assert after("a:\n- x\n- y\n- z\n", replace("/a", ["z"])) == "a:\n- z\n"
    assert after("a: 1\n", replace("", {"a": 1, "b": 2})) == "a: 1\nb: 2\n"


def test_to_add_what_is_there_is_to_replace_it() -> None:
    assert after("a: 1 # c\n", add("/a", 2)) == "a: 2 # c\n"


# -- removing


def test_an_entry_goes_with_its_lines() -> None:
    text = "a: 1\nb:\n  c:\n    - 1\n\n  d: |\n    x\n\ne: 2\n"
    assert after(text, remove("/b")) == "a: 1\n\ne: 2\n"
    assert after(text, remove("/b/d")) == "a: 1\nb:\n  c:\n    - 1\n\n\ne: 2\n"
    assert after(text, remove("/e")) == "a: 1\nb:\n  c:\n    - 1\n\n  d: |\n    x\n\n"
    assert after("a: 1\nb: 2", remove("/b")) == "a: 1"


def test_every_comment_survives_its_entry() -> None:
    text = "a:\n  # before\n  b: 1  # on it\n  # between\n  c:  # head\n    # inside\n    d: 1  # deep\n  e: 1\n"
    assert after(text, remove("/a/b")) == (
        "a:\n  # before\n  # on it\n  # between\n  c:  # head\n    # inside\n    d: 1  # deep\n  e: 1\n"
    )
    assert after(text, remove("/a/c")) == (
        "a:\n  # before\n  b: 1  # on it\n  # between\n  # head\n  # inside\n  # deep\n  e: 1\n"
    )


def test_the_last_entry_leaves_an_empty_collection() -> None:
    assert after("syncPolicy:\n  automated:\n    prune: false\n", remove("/syncPolicy/automated/prune")) == (
        "syncPolicy:\n  automated: {}\n"
    )
    assert after("a:\n- x\nb: 1\n", remove("/a/0")) == "a: []\nb: 1\n"
    assert after("a:\n- b: 1\n- c\n", remove("/a/0/b")) == "a:\n- {}\n- c\n"
    assert after("a: 1\n", remove("/a")) == "{}\n"
    assert after("--- # x\na: 1 # y\n", remove("/a")) == "--- # x\n{} # y\n"
    assert after("a: &x\n  b: 1\n", remove("/a/b")) == "a: &x {}\n"


def test_the_last_entry_leaves_its_comments() -> None:
    text = "a: # one\n  # two\n  b: 1 # three\n  # four\nc: 1\n"
    assert after(text, remove("/a/b")) == "a: {} # one\n  # two\n  # three\n  # four\nc: 1\n"


def test_the_first_entry_after_a_dash() -> None:
    assert after("- a: 1\n  b: 2\n", remove("/0/a")) == "- b: 2\n"
    assert after("- a:\n    x: 1\n\n  b: 2\n", remove("/0/a")) == "- b: 2\n"
    assert after("- a: 1 # one\n  # two\n  b: 2\n", remove("/0/a")) == "- # one\n  # two\n  b: 2\n"
    assert after("- - a\n  - b\n", remove("/0/0")) == "- - b\n"


def test_an_item_goes_with_its_lines() -> None:
    text = "a:\n- x: 1\n  y: 2\n# c\n- z\n"
    assert after(text, remove("/a/0")) == "a:\n# c\n- z\n"
    assert after(text, remove("/a/1")) == "a:\n- x: 1\n  y: 2\n# c\n"


# -- what YAML makes hard


def test_other_documents_stay() -> None:
    text = "# head\na: 1\n---\n# of b\nb:\n  c: |\n    ---x\n...\n---\nd: 2 # e\n"
    assert after(text, add("/b/x", 1), document=1) == text.replace("    ---x\n", "    ---x\n  x: 1\n")
    assert after(text, add("/x", 1), document=0) == text.replace("a: 1\n", "a: 1\nx: 1\n")
    assert after(text, add("/x", 1), document=2) == text + "x: 1\n"


def test_documents_that_do_not_parse_stay() -> None:
    text = "a: [\n---\nb: 1\n---\nc: {{ x }}: y\n"
    assert after(text, add("/x", 1)) == text.replace("b: 1\n", "b: 1\nx: 1\n")


def test_an_anchor_survives_its_value() -> None:
    assert after("a: &x 5  # c\n", replace("/a", 6)) == "a: &x 6  # c\n"
    assert after("a: &x\n  b: 1\n", replace("/a", "v")) == "a: &x v\n"


def test_an_edit_that_reaches_two_places_is_refused() -> None:
    text = "a: &x\n  b: 1\nc: *x\n"
    with pytest.raises(Refused, match="something else"):
        after(text, replace("/a/b", 2))
    with pytest.raises(Refused, match="something else"):
        after(text, add("/a/d", 2))
    with pytest.raises(Refused, match="alias"):
        after(text, replace("/c/b", 2))
    with pytest.raises(Refused):
        after("a: &x 1\nb: *x\n", remove("/a"))


def test_an_alias_itself_may_go() -> None:
    assert after("a: &x 1\nb: *x # c\n", replace("/b", 2)) == "a: &x 1\nb: 2 # c\n"
    assert after("a: &x 1\nb: *x\n", remove("/b")) == "a: &x 1\n"
    assert after("a: &x {k: v}\nb: *x\n", add("/c", 1)) == "a: &x {k: v}\nb: *x\nc: 1\n"


def test_merge_keys() -> None:
    text = "base: &b {x: 1, y: {z: 2}}\na:\n  <<: *b\n  w: 3\n"
    assert after(text, replace("/a/x", 5)) == text + "  x: 5\n"
    assert after(text, add("/a/v", 5)) == text + "  v: 5\n"
    for operation in (remove("/a/x"), replace("/a/y/z", 5)):
        with pytest.raises(Refused, match="merge key"):
            after(text, operation)


def test_of_equal_keys_the_last_one_counts() -> None:
    text = "a: 1 # one\nb: 0\na: 2 # two\n"
    assert after(text, replace("/a", 3)) == "a: 1 # one\nb: 0\na: 3 # two\n"
    assert after(text, remove("/a")) == "# one\nb: 0\n# two\n"


def test_keys_that_are_no_strings() -> None:
    assert after("1: x\ntrue: y\n", replace("/1", "z"), replace("/true", "w")) == "1: z\ntrue: w\n"
    assert after("a: x\n", add("/1", "z"), add("/yes", "w")) == 'a: x\n"1": z\n"yes": w\n'


def test_keys_with_a_question_mark_are_left_alone() -> None:
    with pytest.raises(Refused, match="question mark"):
        after("? a\n: b\n", replace("/a", "c"))


def test_tags() -> None:
    assert after("a: !!str 5\n", replace("/a", "6")) == 'a: !!str "6"\n'
    with pytest.raises(Refused):
        after("a: !!str 5\n", replace("/a", 6))


def test_tabs() -> None:
    assert after("a:\n  b: 'x\ty' # c\tc\n", add("/a/d", 2)) == "a:\n  b: 'x\ty' # c\tc\n  d: 2\n"
    assert after("a: |\n  x\n  \ty\n", add("/b", 2)) == "a: |\n  x\n  \ty\nb: 2\n"
    for text in ("a:\tx\n", "a: x\t# c\n"):  # libyaml takes a tab for a blank, ruamel does not
        with pytest.raises(Refused, match="second parser"):
            after(text, add("/b", 2))


def test_line_breaks_of_old_machines() -> None:
    for text in ("a: 1\rb: 2", "a: 1\x85b: 2", "a: 1\u2028b: 2"):
        with pytest.raises(Refused):
            after(text, remove("/b"))


def test_a_patch_that_does_not_fit_is_refused() -> None:
    for operation in (remove("/x"), replace("/x/y", 1), add("/b/5", 1), add("/a/x", 1), replace("/b/x", 1)):
        with pytest.raises(Refused):
            after("a: 1\nb: [2]\n", operation)
    with pytest.raises(Refused, match="not supported"):
        after("a: 1\n", {"op": "copy", "from": "/a", "path": "/b"})


def test_a_key_is_renamed_in_its_place() -> None:
    assert after("# head\nbases: # c\n- a # d\nx: 1\n", rename("/bases", "/resources")) == (
        "# head\nresources: # c\n- a # d\nx: 1\n"
    )
    assert after("a: {'b': 1, c: 2}\n", rename("/a/b", "/a/d")) == "a: {'d': 1, c: 2}\n"
    assert after("a: {b: 1}\n", rename("/a", "/c"), add("/c/d", 2)) == "c: {b: 1, d: 2}\n"


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        ("a: 1\nb: 2\n", "/a", "/b"),  # there is one already
        ("a: {b: 1}\nc: {}\n", "/a/b", "/c/b"),  # to another place
        ("a: [1, 2]\n", "/a/0", "/a/1"),
        ("a: 1\na: 2\n", "/a", "/b"),
        ("x: &x {a: 1}\ny:\n  <<: *x\n  c: 2\n", "/y/a", "/y/b"),  # a merge key brings it
        ("a: 1\n", "/x", "/b"),
    ],
)
def test_only_a_key_that_is_written_once_can_be_renamed(text: str, old: str, new: str) -> None:
    with pytest.raises(Refused):
        after(text, rename(old, new))


def test_a_patch_is_not_changed_by_its_use() -> None:
    operations = [add("/a", {"b": 1}), add("/a/c", 2)]
    assert after("x: 0\n", *operations) == "x: 0\na:\n  b: 1\n  c: 2\n"
    assert operations == [add("/a", {"b": 1}), add("/a/c", 2)]


def test_aliases_that_unfold_beyond_measure_are_not_unfolded() -> None:
    lines = [f"a: &a [{', '.join('x' * 5000)}]", *(f"b{number}: *a" for number in range(50))]
    with pytest.raises(Refused, match="grows too much"):
        after("\n".join(lines), add("/b", 1))


def test_aliases_of_aliases_are_not_even_read() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 6)]
    file = SourceFile("some.yaml", "\n".join(lines))
    assert not file.documents
    assert ["grows beyond measure" in problem.message for problem in file.problems] == [True]
    with pytest.raises(Refused, match="not one document that parses"):
        only_document(file.text)


def test_the_deepest_document_that_is_read_can_be_fixed() -> None:
    text = "a: " + "[" * 248 + "]" * 248 + "\n"
    assert after(text, add("/b", 1)) == text + "b: 1\n"


def test_plain_words() -> None:
    assert all(map(is_plain, ("a", "a b", "a/b.c", "a:b", "a#b", "x-1", "Prune=false", "1.2.3", "ü", "a'b", "<x")))
    assert not any(map(is_plain, ("", "y", "on", "1", "1_0", ".5", "0x1", "<<", "=", "a\nb", "@a", "%a", "---")))


# -- several findings


def finding(node: Node, *fixes: Fix) -> Reported:
    return Reported(RULE, Finding(node, f"at {node.pointer}", fixes), Severity.WARNING, None)


def fixed(reported: list[Reported], *, unsafe: bool = False) -> FileFix:
    (one,) = fix_files(reported, unsafe=unsafe)
    return one


def test_only_safe_fixes_unless_told_otherwise() -> None:
    root = SourceFile("a.yaml", "a: 1\n").documents[0].root
    unsafe, safe = Fix("b", root["b"].set(2)), Fix("c", root["c"].set(3), safe=True)
    assert fixed([finding(root["a"], unsafe, safe)]).after == "a: 1\nc: 3\n"
    assert fixed([finding(root["a"], unsafe, safe)], unsafe=True).after == "a: 1\nb: 2\n"
    assert fix_files([finding(root["a"], unsafe)], unsafe=False) == []


def test_an_alternative_takes_the_place_of_a_refused_fix() -> None:
    root = SourceFile("a.yaml", "a: &x {b: 1}\nc: *x\n").documents[0].root
    refused, other = Fix("b", root["c"]["b"].set(2), safe=True), Fix("d", root["d"].set(3), safe=True)
    assert fixed([finding(root["a"], refused, other)]).after == "a: &x {b: 1}\nc: *x\nd: 3\n"
    one = fixed([finding(root["a"], refused)])
    assert not one.changes
    assert [refusal.reason for refusal in one.refused] == ["the place is an alias of another one"]


def test_equal_fixes_are_made_once() -> None:
    root = SourceFile("a.yaml", "a: 1\n").documents[0].root
    reported = [finding(root["a"], Fix("b", root["b"].set(2), safe=True)) for _ in range(3)]
    one = fixed(reported)
    assert one.after == "a: 1\nb: 2\n"
    assert list(one.applied) == reported


def test_fixes_of_one_mapping_go_together() -> None:
    root = SourceFile("a.yaml", "m:\n  a: 1\n  b: 2\n  c: 3\n").documents[0].root
    patches = [root["m"]["x"].set(1), root["m"]["y1"].set(1), root["m"]["b"].remove(), root["m"]["c"].set(4)]
    one = fixed([finding(root["m"]["a"], Fix("f", patch, safe=True)) for patch in patches])
    assert one.after == "m:\n  a: 1\n  c: 4\n  x: 1\n  y1: 1\n"


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (add("/m", {"a": 1}), add("/m", {"b": 1})),
        (replace("/k", 2), replace("/k", 3)),
        (remove("/l/0"), replace("/l/1", "z")),
        (add("/l/0", "z"), remove("/l/2")),
        (remove("/o"), replace("/o/p", 2)),
    ],
)
def test_what_another_fix_disturbs_waits_for_the_next_pass(first: dict[str, Any], second: dict[str, Any]) -> None:
    text = "k: 1\nl:\n- a\n- b\n- c\no:\n  p: 1\n"
    document = SourceFile("a.yaml", text).documents[0]
    places = [document.root["k"], document.root["l"]]
    patches = [Patch(document, (operation,)) for operation in (first, second)]
    reported = [finding(place, Fix("f", patch, safe=True)) for place, patch in zip(places, patches, strict=True)]
    one = fixed(reported)
    assert one.applied == (reported[0],)
    assert one.refused == ()
    assert one.after == after(text, first)


def test_fixes_in_many_documents_and_files() -> None:
    files = [SourceFile(path, "a: 1\n---\nb: 2\n---\nc: 3\n") for path in ("y.yaml", "x.yaml")]
    reported = [
        finding(document.root, Fix("f", document.root["new"].set(document.index), safe=True))
        for file in files
        for document in file.documents
    ]
    fixes = fix_files(reported, unsafe=False)
    assert [fix.file.path for fix in fixes] == ["x.yaml", "y.yaml"]
    assert all(fix.after == "a: 1\nnew: 0\n---\nb: 2\nnew: 1\n---\nc: 3\nnew: 2\n" for fix in fixes)


# -- edits and diffs


def test_the_edit_of_an_added_line_is_that_line() -> None:
    root = SourceFile("a.yaml", "x: 0\n---\nm:\n  a: 1\nb: 2\n").documents[1].root
    assert text_edits(Fix("f", root["m"]["c"].set("d"))) == [(19, 19, "  c: d\n")]


def test_the_edit_of_a_value_is_the_whole_word() -> None:
    root = SourceFile("a.yaml", "replicas: 10  # c\n").documents[0].root
    assert text_edits(Fix("f", root["replicas"].set(100))) == [(10, 12, "100")]


def test_a_patch_of_two_places_gives_two_edits() -> None:
    text = "a: 1\nb: 2\nc: 3\nd: 4\n"
    root = SourceFile("a.yaml", text).documents[0].root
    edits = text_edits(Fix("f", root["a"].set(5).also(root["d"].remove())))
    assert edits == [(3, 4, "5"), (15, 20, "")]
    assert apply_edits(text, edits) == "a: 5\nb: 2\nc: 3\n"


def test_no_edit_where_the_fix_is_refused() -> None:
    root = SourceFile("a.yaml", "a: &x {b: 1}\nc: *x\n").documents[0].root
    assert text_edits(Fix("f", root["a"]["b"].set(2))) is None


@pytest.mark.parametrize(
    ("before", "new"),
    [("a", "a\nb"), ("a\n", ""), ("", "a"), ("a: xyx\n", "a: xyxyx\n"), ("a\r\nb\r\n", "a\r\nc\r\n"), ("a b", "a  b")],
)
def test_edits_make_the_one_text_the_other(before: str, new: str) -> None:
    assert apply_edits(before, list(minimal_edits(before, new))) == new


def test_a_diff_as_git_prints_it() -> None:
    root = SourceFile("d/a.yaml", "\ufeffa: 1\nb: 2").documents[0].root
    one = fixed([finding(root["a"], Fix("f", root["c"].set(3), safe=True))])
    assert unified_diff(one) == (
        "--- a/d/a.yaml\n+++ b/d/a.yaml\n@@ -1,2 +1,3 @@\n \ufeffa: 1\n-b: 2\n\\ No newline at end of file\n"
        "+b: 2\n+c: 3\n\\ No newline at end of file\n"
    )
