"""Templates read as YAML: every place stays where it is, and what actions print is unknown."""

from __future__ import annotations

import re
import time

import pytest
from gitops_lint.linter.helm.actions import Kind, actions
from gitops_lint.linter.helm.masked_templates import UNKNOWN, is_unknown, mask
from gitops_lint.linter.helm.repairs import readable
from gitops_lint.linter.helm.template_file import TemplateFile
from gitops_lint.linter.yaml import compose
from gitops_lint.linter.yaml.source import Node
from hypothesis import given
from template_texts import TEXTS


def value(text: str) -> object:
    """What a template says; unknown texts as question marks."""

    def plain(found: object) -> object:
        if isinstance(found, dict):
            return {plain(key): plain(one) for key, one in found.items()}
        if isinstance(found, list):
            return [plain(one) for one in found]
        if isinstance(found, str) and is_unknown(found):
            return re.sub(f"{UNKNOWN}+", "?", found)
        return found

    documents = TemplateFile("t.yaml", text).documents
    values = [plain(document.root.value) for document in documents]
    return values[0] if len(values) == 1 else values


# -- actions


@pytest.mark.parametrize(
    ("text", "kind", "body", "before", "after"),
    [
        ("{{ .Values.x }}", Kind.VALUE, ".Values.x", False, False),
        ("{{- .x -}}", Kind.VALUE, ".x", True, True),
        ("{{-3}}", Kind.VALUE, "-3", False, False),
        ("{{/* a }} b */}}", Kind.COMMENT, "/* a }} b */", False, False),
        ("{{- /* a */ -}}", Kind.COMMENT, "/* a */", True, True),
        ('{{ "}}" | quote }}', Kind.VALUE, '"}}" | quote', False, False),
        ('{{ "\\"}}" }}', Kind.VALUE, '"\\"}}"', False, False),
        ("{{ `}}\n}}` }}", Kind.VALUE, "`}}\n}}`", False, False),
        ("{{if x}}", Kind.CONTROL, "if x", False, False),
        ("{{ else if x }}", Kind.CONTROL, "else if x", False, False),
        ("{{ ifx }}", Kind.VALUE, "ifx", False, False),
        ("{{ $x := 1 }}", Kind.ASSIGNMENT, "$x := 1", False, False),
        ("{{ $x = 1 }}", Kind.ASSIGNMENT, "$x = 1", False, False),
        ("{{ $k, $v := .x }}", Kind.ASSIGNMENT, "$k, $v := .x", False, False),
        ("{{ $x }}", Kind.VALUE, "$x", False, False),
        ('{{ template "x" . }}', Kind.VALUE, 'template "x" .', False, False),
        ("{{ dict\n  1 2 }}", Kind.VALUE, "dict\n  1 2", False, False),
    ],
)
def test_an_action_is_told_by_its_first_word(text: str, kind: Kind, body: str, before: bool, after: bool) -> None:
    (found,) = actions(f"a {text} b")
    assert found.span == (2, 2 + len(text))
    assert (found.kind, found.body, found.trims_before, found.trims_after) == (kind, body, before, after)


def test_an_action_that_is_not_finished_ends_with_its_line() -> None:
    assert cut("a: {{ .x\nb: {{ .y }}\n") == ["{{ .x\nb: {{ .y }}"]
    assert cut("a: {{ .x\nb: 1\n") == ["{{ .x"]
    assert cut('a: {{ "x }}\nb: {{ .y }}\n') == ['{{ "x }}', "{{ .y }}"]


def cut(text: str) -> list[str]:
    return [text[slice(*one.span)] for one in actions(text)]


@given(TEXTS)
def test_any_text_is_cut_into_actions_that_do_not_overlap(text: str) -> None:
    at = 0
    for action in actions(text):
        assert at <= action.span.start < action.span.end <= len(text)
        assert text.startswith("{{", action.span.start)
        at = action.span.end


@pytest.mark.parametrize(
    "unit",
    [
        "{{",
        '{{ "',
        "{{ ` ",
        "{{/*",
        "{{ '\"}} ",
        "{{ if x }}",
        '{{"\\"}}',
        "{{- x }}",
        ": &: ",
        "- ",
        ": |\n",
        "{{ x\n",
    ],
)
def test_no_text_takes_long(unit: str) -> None:
    text = unit * (60_000 // len(unit))
    start = time.perf_counter()
    mask(text)
    assert time.perf_counter() - start < 5


# -- masks


@given(TEXTS)
def test_any_text_keeps_its_length_and_its_line_breaks(text: str) -> None:
    for masked in (mask(text).text, readable(text).text):
        assert len(masked) == len(text)
        assert [index for index, sign in enumerate(masked) if sign == "\n"] == [
            index for index, sign in enumerate(text) if sign == "\n"
        ]
    assert not compose.documents(readable(text).text)[1] or readable(text).given_up


@given(TEXTS)
def test_any_text_is_a_file_whose_places_can_be_asked_for(text: str) -> None:
    file = TemplateFile("t.yaml", text)
    assert not file.problems
    for document in file.documents:
        for node in document.root.walk():
            file.literal(node)
            assert 0 <= node.span.start <= node.span.end <= len(file.text)
    for comment in file.comments:  # of an action, its words are told as a comment
        assert file.text[slice(*comment.span)] == comment.text or file.action_at(comment.span.start) is not None


SHAPES = {
    "value": ("a: {{ .x }}\n", {"a": "?"}),
    "part of a value": ("a: x-{{ .x }}-y\n", {"a": "x-?-y"}),
    "quoted": ('a: "{{ include "x" . }}:{{ .y }}"\n', {"a": "?:?"}),
    "single quoted": ("a: '{{ .x }}'\n", {"a": "?"}),
    "key": ("{{ $k }}: v\n", {"?": "v"}),
    "item": ("- {{ . }}\n- b\n", ["?", "b"]),
    "flow": ("a: [{{ .x }}, b]\nc: { d: {{ .e }} }\n", {"a": ["?", "b"], "c": {"d": "?"}}),
    "loop in flow": ("a: [{{ range .x }}{{ . }},{{ end }}]\n", {"a": ["?"]}),
    "control": ("{{- if .x }}\na: 1\n{{- else }}\nb: 2\n{{- end }}\n", {"a": 1, "b": 2}),
    "branches with one key": ("{{- if .x }}\na: 1\n{{- else }}\na: 2\n{{- end }}\n", {"a": 2}),
    "if within a line": ("a: {{ if .x }}b{{ else }}c{{ end }}\nd: e{{ if .f }}g{{ end }}\n", {"a": "?", "d": "e?"}),
    "if around a line": ("a: 1\n{{ if .x }}b: 2{{ end }}\nc: 3\n", {"a": 1, "c": 3}),
    "whole line": ("a:\n  b: 1\n  {{- toYaml .x | nindent 2 }}\nc: 2\n", {"a": {"b": 1}, "c": 2}),
    "nothing but a whole line": ("a:\n  {{- toYaml .x | nindent 2 }}\nc: 2\n", {"a": None, "c": 2}),
    "value before deeper lines": ('a: {{- include "x" . | nindent 2 }}\n  b: 1\n', {"a": {"b": 1}}),
    "item before deeper lines": ("- {{- toYaml . | nindent 2 }}\n  b: 1\n", [{"b": 1}]),
    "comment": ("{{- /* a: b\n c */ -}}\na: 1 # {{ .x }}\n", {"a": 1}),
    "several lines": ('a: {{ dict\n  "b" 1\n| toYaml }}\nc: 1\n', {"a": "?", "c": 1}),
    "quoted over lines": ('a: "{{\n  "{{ .b }}"\n  }}"\nc: 1\n', {"a": "?\n", "c": 1}),
    "block scalar": ("a: |\n  x {{ .y }}\n  z\nb: 1\n", {"a": "x ?\nz\n", "b": 1}),
    "whole line in a block scalar": ("a: |\n  x\n{{ .y | indent 2 }}\n  z\nb: 1\n", {"a": "x\n?\nz\n", "b": 1}),
    "only a whole line in a block scalar": ("a: |\n{{ .y | indent 2 }}\nb: 1\n", {"a": "?\n", "b": 1}),
    "control in a block scalar": ("a: |\n  {{- if .x }}\n  y\n  {{- end }}\n  z\n", {"a": "?\ny\n?\nz\n"}),
    "control after a block scalar": ("a: |\n  x\n{{- if .y }}\nb: 1\n{{- end }}\n", {"a": "x\n", "b": 1}),
    "assignment": ("{{- $x := 1 }}\na: 1\n  {{- $x = 2 }}\n", {"a": 1}),
    "a shape for each branch": (
        "a:\n{{- if .x }}\n  - b\n{{- else }}\n  c: d\n{{- end }}\ne: 1\n",
        {"a": ["b"], "e": 1},
    ),
    "named templates": (
        '{{ define "x" }}\na: 1\n{{ end }}\n{{- define "y" -}}\ntext\n{{- end }}\nb: 2\n',
        [{"a": 1}, "text", {"b": 2}],
    ),
    "documents": ("a: 1\n---\n{{ if .x }}\nb: 2\n{{ end }}\n---{{/* c */}}\nc: 3\n", [{"a": 1}, {"b": 2}, {"c": 3}]),
    "json": ('{"a": {{ .x | toJson }}, "b": "{{ .y }}"}\n', {"a": "?", "b": "?"}),
    "windows": ("a: {{ .x }}\r\n{{ if .y }}\r\nb: 1\r\n{{ end }}\r\n", {"a": "?", "b": 1}),
    "without actions": ("a: 1\n---\n---\nb: [c, 'd']\n", [{"a": 1}, None, {"b": ["c", "d"]}]),
}


@pytest.mark.parametrize(("text", "wanted"), SHAPES.values(), ids=SHAPES.keys())
def test_a_template_says_what_is_literal_in_it(text: str, wanted: object) -> None:
    assert value(text) == wanted


def test_a_document_that_cannot_be_read_is_given_up_alone() -> None:
    bad = "\x01\n" * 20
    file = TemplateFile("t.yaml", f"a: {{{{ .x }}}}\n---\nb: [\n{bad}---\nc: 3\n")
    assert [sorted(document.root.value) for document in file.documents if document.root.value] == [["a"], ["c"]]
    assert [file.text[slice(*span)] for span in file.given_up] == [f"---\nb: [\n{bad}"]
    assert file.problems == []


def test_places_are_those_of_the_template() -> None:
    text = '{{- if .x }}\na:\n  b: "{{ .y }}" # {{ .z }}\n{{- end }}\n'
    root = TemplateFile("t.yaml", text).documents[0].root
    assert text[slice(*root["a"]["b"].span)] == '"{{ .y }}"'
    assert root.file.position(root["a"]["b"].span.start) == (3, 6)
    assert [(one.text, one.trailing) for one in root.file.comments] == [("# {{ .z }}", True)]


def test_comments_of_templates_can_hold_comments() -> None:
    file = TemplateFile("t.yaml", "a: 1\n{{- /* # gitops-lint: ignore[GL101] why */ -}}\nb: 'x # y'\n# {{/* z */}}\n")
    assert [one.text for one in file.comments] == ["# gitops-lint: ignore[GL101] why", "# {{/* z */}}"]


LITERAL = """\
{{- range .Values.apps }}
plain: 1
part: {{ .x }}
whole:
  a: 1
  b: {{ .y }}
holed:
  a: 1
  {{- toYaml .z | nindent 2 }}
outer:
  inner:
    a: 1
    {{- toYaml .z | nindent 4 }}
  b: 2
hole:
  {{- toYaml .z | nindent 2 }}
keyed:
  {{ .k }}: 1
text: |
  a
  {{- if .t }}
  b
  {{- end }}
flow: [1, {{ .f }}]
nothing:
list:
  - a
{{- end }}
"""


@pytest.mark.parametrize(
    ("pointer", "wanted"),
    [
        ("/plain", True),
        ("/part", False),
        ("/whole", True),
        ("/whole/b", False),
        ("/holed", False),
        ("/holed/a", True),
        ("/outer", True),
        ("/outer/inner", False),
        ("/hole", False),
        ("/keyed", False),
        ("/text", False),
        ("/flow", False),
        ("/flow/0", True),
        ("/nothing", True),
        ("/list", True),
        ("/missing", False),
    ],
)
def test_what_is_literal(pointer: str, wanted: bool) -> None:
    file = TemplateFile("t.yaml", LITERAL)
    node: Node = file.documents[0].root.find(pointer)
    assert file.literal(node) is wanted
