"""Text → nodes: values, places, and everything that is wrong with real files."""

from __future__ import annotations

import json

import pytest
from gitops_lint.linter.facts.limits import MAX_DEPTH
from gitops_lint.linter.yaml.source import Node, SourceFile
from hypothesis import given
from hypothesis import strategies as st


def root(text: str, path: str = "a.yaml") -> Node:
    return SourceFile(path, text).documents[0].root


def lines(file: SourceFile) -> list[tuple[int, int]]:
    return [tuple(file.position(problem.span.start)) for problem in file.problems]  # type: ignore[misc]


def slice_of(node: Node) -> str:
    return node.file.text[node.span.start : node.span.end]


# -- values


def test_values_are_what_kubernetes_reads() -> None:
    node = root("a: yes\nb: 'yes'\nc: 0644\nd: 2024-01-01\ne: |\n  x\nf: [1, ~]\ng:\n1: x\ntrue: z\n")
    assert node.value == {
        "a": True, "b": "yes", "c": 420, "d": "2024-01-01", "e": "x\n", "f": [1, None], "g": None, "1": "x", "true": "z",
    }  # fmt: skip


def test_explicit_tags() -> None:
    assert root("a: !!str 5\nb: !!int '5'\nc: !!binary aGk=\nd: !custom x\n").value == {
        "a": "5", "b": 5, "c": "hi", "d": "x",
    }  # fmt: skip


def test_blanks_at_the_very_end_are_a_line_of_a_block_scalar() -> None:
    """go-yaml takes the end of a text for the end of its last line."""
    for text, value in (("a: |\n  x\n   ", "x\n \n"), ("a: |\n  x\n   \n", "x\n \n"), ("a: |\n  x\n", "x\n")):
        file = SourceFile("a.yaml", text)
        assert file.documents[0].root["a"].value == value
    assert SourceFile("a.yaml", "a: b\n  ").documents[0].root["a"].value == "b"


def test_a_key_with_the_tag_of_null_is_refused() -> None:
    assert [problem.message for problem in SourceFile("a.yaml", "!!null : a\n").problems] == [
        "invalid map key: null cannot be a key in Kubernetes"
    ]


def test_anchors_aliases_and_merge_keys() -> None:
    node = root("base: &b {x: 1, w: 2}\nfirst: {<<: *b, w: 3}\nlist: {<<: [{x: 7}, *b], z: 1}\nalias: *b\n")
    assert node["first"].value == {"x": 1, "w": 3}
    assert node["list"].value == {"x": 7, "w": 2, "z": 1}
    assert node["alias"]["x"].value == 1
    assert node["first"]["x"].value == 1


def test_a_repeated_anchor_is_allowed_and_the_later_one_counts() -> None:
    file = SourceFile("a.yaml", "a: &x 1\nb: &x 2\nc: *x\n---\nd: 1\n")
    assert [document.root.value for document in file.documents] == [{"a": 1, "b": 2, "c": 2}, {"d": 1}]
    assert not file.problems


def test_the_last_of_equal_keys_wins_and_the_others_stay_visible() -> None:
    node = root("a: 1\nb: 2\na: 3\n")
    assert node["a"].value == 3
    assert [slice_of(duplicate) for duplicate in node.duplicates] == ["1"]


def test_json_files() -> None:
    node = root('{\n\t"a": "x\\/y",\n\t"b": [true, null, 1.5],\n\t"c": "\\ud83d\\ude00"\n}', "a.json")
    assert node["a"].value == "x/y"
    assert node["b"].value == [True, None, 1.5]
    assert node["c"].file.position(node["c"].span.start) == (4, 7)


# -- places


def test_absent_nodes_know_their_pointer_and_the_nearest_line() -> None:
    node = root("kind: Job\nspec:\n  backoffLimit: 2\n")
    deadline = node["spec"]["activeDeadlineSeconds"]
    assert deadline.absent
    assert deadline.pointer == "/spec/activeDeadlineSeconds"
    assert slice_of(deadline) == "spec"
    assert deadline.set(600).operations == ({"op": "add", "path": "/spec/activeDeadlineSeconds", "value": 600},)


def test_a_patch_brings_the_parents_it_needs() -> None:
    node = root("metadata:\n  name: a\n")
    patch = node["metadata"]["annotations"]["example.com/x"].set("1")
    assert patch.operations == ({"op": "add", "path": "/metadata/annotations", "value": {"example.com/x": "1"}},)


def test_a_null_parent_is_replaced() -> None:
    patch = root("metadata:\n  annotations:\n")["metadata"]["annotations"]["a/b"].set("1")
    assert patch.operations == ({"op": "replace", "path": "/metadata/annotations", "value": {"a/b": "1"}},)


def test_pointers_escape() -> None:
    assert root("a: {'b/c~d': 1}")["a"]["b/c~d"].pointer == "/a/b~1c~0d"


def test_spans_in_lists_flow_and_quotes() -> None:
    node = root("items:\n  - name: 'x y'\n    ports: [80, {n: http}]\n  - - z\n")
    assert slice_of(node["items"][0]["name"]) == "'x y'"
    assert slice_of(node["items"][0]["ports"][1]["n"]) == "http"
    assert slice_of(node["items"][0]) == "name"
    assert slice_of(node["items"][1][0]) == "z"
    assert slice_of(node["items"]) == "items"


def test_places_with_crlf_bom_wide_characters_and_unicode_line_breaks() -> None:
    file = SourceFile("a.yaml", "\ufeffa: '\U0001f600é'\r\nb:\r\n  c: d\u2028   e\r\n  f: g\r\n")
    node = file.documents[0].root
    assert file.has_bom
    assert slice_of(node["a"]) == "'\U0001f600é'"
    assert file.position(node["b"]["f"].span.start) == (4, 6)
    assert file.line_text(3) == "  c: d\u2028   e"


# -- comments


def test_comments_and_what_only_looks_like_one() -> None:
    text = "# head\na: b # trailing\nc: 'no # comment'\nd: x#y\ne: |  # header\n  # text\n  more\nf: 1\t# tabbed\n"
    found = [(comment.text, comment.trailing) for comment in SourceFile("a.yaml", text).comments]
    assert found == [("# head", False), ("# trailing", True), ("# header", True), ("# tabbed", True)]


# -- what does not parse


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("a: b: c\n", (1, 5)),
        ("a:\n  b: 1\n c: 2\n", (3, 2)),
        ("a:\n\t- b\n", (2, 1)),
        ("a: 'x\nb: y\n", (2, 4)),
        ("a: *nope\n", (1, 4)),
        ("a: \x00\n", (1, 4)),
        ("a: \x1b[31m\n", (1, 4)),
        ("a: [1, 2\n\n\n", (1, 8)),
        ("<<<<<<< HEAD\na: 1\n=======\na: 2\n>>>>>>> x\n", (2, 2)),
    ],
)
def test_errors_are_where_a_person_would_look(text: str, place: tuple[int, int]) -> None:
    assert lines(SourceFile("a.yaml", text)) == [place]


def test_an_error_ends_its_document_and_reading_goes_on() -> None:
    file = SourceFile("a.yaml", "a: 1\n---\nb: [\n---\nc: 3\n---\nd: b: 4\n--- \ne: 5\n")
    assert [document.root.value for document in file.documents] == [{"a": 1}, {"c": 3}, {"e": 5}]
    assert [line for line, _ in lines(file)] == [4, 7]
    assert file.position(file.documents[2].root["e"].span.start) == (9, 4)


def test_an_alias_bomb_is_refused() -> None:
    levels = "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 12))
    (problem,) = SourceFile("a.yaml", "a0: &a0 [x]\n" + levels).problems
    assert "aliases" in problem.message


def test_an_anchor_that_holds_itself_is_refused() -> None:
    (problem,) = SourceFile("a.yaml", "a: &a\n  b: [*a]\n").problems
    assert problem.message == "an anchor contains its own alias"


@pytest.mark.parametrize(
    "text",
    ["[" * 10_000, "{a: " * 10_000, "- " * 10_000, "".join(f"{' ' * i}a:\n" for i in range(2_000))],
    ids=["flow", "maps", "dashes", "block"],
)
def test_deep_nesting_is_refused(text: str) -> None:
    (problem,) = SourceFile("a.yaml", text).problems
    assert str(MAX_DEPTH) in problem.message


def test_nesting_below_the_limit_is_read() -> None:
    deep = "[" * (MAX_DEPTH - 1) + "]" * (MAX_DEPTH - 1)
    file = SourceFile("a.yaml", deep)
    assert not file.problems
    assert json.dumps(file.documents[0].root.value) == deep


# -- properties

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(),
)
VALUES = st.recursive(
    SCALARS,
    # YAML allows a key 1,024 characters, and JSON spells one character with up to twelve.
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=80), inner, max_size=4),
    max_leaves=20,
)


@given(VALUES)
def test_json_is_read_as_json(value: object) -> None:
    text = json.dumps(value)
    file = SourceFile("a.json", text)
    assert not file.problems
    if "\\ud" not in text:  # pairs of escapes are kept in place, not decoded
        assert file.documents[0].root.value == value


@given(st.text())
def test_parsing_never_throws(text: str) -> None:
    file = SourceFile("a.yaml", text)
    for document in file.documents:
        for node in document.root.walk():
            assert 0 <= node.span.start <= node.span.end <= len(file.text)
    for problem in file.problems:
        assert 0 <= problem.span.start <= len(file.text)
        assert file.position(problem.span.start).line <= file.text.count("\n") + 1


@given(st.text(alphabet="ab:-# \n\t'\"[]{}|>&*!%@,?é\U0001f600~01", max_size=60))
def test_parsing_yaml_like_noise_never_throws(text: str) -> None:
    file = SourceFile("a.yaml", text)
    for document in file.documents:
        json.dumps(document.root.value, default=str)
    assert isinstance(file.comments, list)
