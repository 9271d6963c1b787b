"""Marks at the ends of lines: where they are put, and what is read from them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from gitops_lint.linter.helm.line_marks import Mark, Origin, mark, read_marks
from hypothesis import given
from hypothesis import strategies as st
from rendered_charts import Chart, token_for
from template_texts import TEXTS

TOKEN = "#@0@"


def marked(text: str) -> list[int]:
    """The lines that bear a mark."""
    return [int(line) for line in re.findall(rf" {TOKEN}7:(\d+);", mark(text, 7, TOKEN))]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("a: 1\nb: {{ .x }}\n", [1, 2]),
        ("{{- if .x }}\na: 1\n{{- else -}}\n{{/* c */}}\n{{ $x := 1 }}\n{{ end }}\n", [2]),
        ("a:\n  {{- toYaml .x | nindent 2 }}\nb: 1\n", [1, 2, 3]),
        ("a: {{ .x -}}\nb: 1\n", [2]),
        ("a: {{ dict\n  1 2 }}\nb: 1\n", [1, 3]),  # named by the line that it begins on
        ("a: x\n{{- .y }}\nb: 1\n", [3]),
        ("a: x\n{{- if .z }}{{ .y }}{{ end }}\nb: 1\n", [2, 3]),
        ("a: x\n{{- if .z -}}\n-y\n{{- end }}\nb: 1\n", [3, 5]),
        ("a: x\n{{- if .z }}\nb: 1\n{{- end }}\n", [1, 3]),
        ("---\na: 1\n...\n", [2]),
        ("# a\n\n  \na: 1\n", [1, 4]),
        ("a: b\n  c\nd: 'e\n  f'\ng: |\n  h\n  i\n", [2, 4, 5, 6, 7]),
        ('{{- define "x" -}}\na: 1\n- b\ntrue\n{{ .x }}\n{{ .y }}: 1\n{{- end }}\n', [2, 3, 6]),
        ('{{- define "x" -}}\n{{ .host }}:{{ .port }}\n{"a": 1}\nhttps://x\n{{- end }}\n', []),
        ('{{- define "x" -}}\na: 1\n{{- end }}\n{{- define "y" -}}\n- b\n{{- end -}}\n', [2, 5]),
        ('{{- define "x" }}\n{{ toYaml .a }}\n{{- end }}\n', []),
        ('{{- define "x" }}\na: 1\n{{ toYaml .a }}\n{{ toYaml .a | quote }}\n{{- end }}\n', [2, 3]),
        ("a: 1\r\nb: 2\r\n", [1, 2]),
    ],
)
def test_a_mark_stands_only_where_it_changes_nothing(text: str, lines: list[int]) -> None:
    assert marked(text) == lines


@given(TEXTS)
def test_without_its_marks_a_text_is_what_it_was(text: str) -> None:
    token = token_for([text])
    assert re.sub(rf" {token}1:\d+;", "", mark(text, 1, token)) == text


def test_a_token_is_one_that_the_chart_does_not_have() -> None:
    assert token_for(["a", "b #@0@1:2; #@1@"]) == "#@2@"


def test_line_breaks_of_windows_stay_behind_the_mark() -> None:
    assert mark("a: 1\r\nb: 2", 3, TOKEN) == f"a: 1 {TOKEN}3:1;\r\nb: 2 {TOKEN}3:2;"


# -- reading


def origins(printed: str, clean: str) -> list[tuple[list[tuple[int, int]], bool]]:
    found = read_marks(printed, clean, TOKEN)
    assert found is not None
    return [([tuple(one) for one in origin.marks], origin.is_own) for origin in found]


def test_of_several_marks_the_first_is_the_innermost() -> None:
    printed = f"a: 1 {TOKEN}2:5; {TOKEN}1:7;\nb:\n  c: 1\n  d: 2 {TOKEN}1:8;\n"
    assert origins(printed, "a: 1\nb:\n  c: 1\n  d: 2\n") == [
        ([(2, 5), (1, 7)], True),
        ([(1, 8)], False),
        ([(1, 8)], False),
        ([(1, 8)], True),
        ([], False),
    ]


def test_a_line_does_not_belong_to_the_next_document() -> None:
    assert origins(f"a: 1\n---\nb: 1 {TOKEN}1:3;", "a: 1\n---\nb: 1")[0] == ([], False)


def test_a_value_that_is_another_each_time_is_still_the_same_line() -> None:
    assert origins(f"a: x {TOKEN}1:1;\nb: 2 {TOKEN}1:2;", "a: y\nb: 2") == [([(1, 1)], True), ([(1, 2)], True)]


def test_lines_that_are_not_in_both_are_unknown() -> None:
    printed = (
        f"---\n# Source: a\na: 1 {TOKEN}1:1;\nx: 1 {TOKEN}1:2;\nb: 1 {TOKEN}1:3;\n---\n# Source: c\n {TOKEN}3:1;\n"
    )
    found = read_marks(printed, "---\n# Source: a\na: 1\nb: 1\n", TOKEN)
    assert found is not None
    assert found[2:4] == [Origin((Mark(1, 1),)), Origin((Mark(1, 3),))]


def test_a_mark_that_has_a_line_for_itself_is_one_of_the_lines_above() -> None:
    printed = f"---\na: 1 {TOKEN}1:1;\nb: 1\n   {TOKEN}1:2;\n---\nc: 1 {TOKEN}1:4;"
    assert origins(printed, "---\na: 1\nb: 1\n---\nc: 1")[1:3] == [([(1, 1)], True), ([(1, 2)], False)]


def test_an_output_without_marks_says_nothing() -> None:
    assert read_marks("a: 1\nb: 2\n", "c: 1\n", TOKEN) is None


@given(st.text(), st.text())
def test_any_two_texts_can_be_compared(printed: str, clean: str) -> None:
    found = read_marks(printed, clean, TOKEN)
    assert found is None or len(found) == len(clean.split("\n"))


# -- with the real Helm

NASTY = {
    "templates/_helpers.tpl": """\
{{- define "flag" -}}
true
{{- end }}
{{- define "name" -}}
{{ .Release.Name | trunc 10 }}-x
{{- end }}
{{- define "labels" -}}
app: {{ include "name" . }}
tier: "web"
{{- end }}
{{- define "settings" }}
a: 1
b:
  - 2
{{- end }}
""",
    "templates/a.yaml": """\
{{- $settings := include "settings" . | fromYaml }}
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ include "name" . | quote }}
  labels: {{- include "labels" . | nindent 4 }}
  annotations:
    checksum: {{ include (print $.Template.BasePath "/b.yaml") . | sha256sum }}
    {{- if eq (include "flag" .) "true" }}
    flag: "yes"
    {{- end }}
    first: {{ index $settings.b 0 | quote }}
data:
  plain: a long
    text over lines
  quoted: "another
    one"
  script: |
    #!/bin/sh
    echo #@0@1:2; \\
      {{ .Release.Name }}
    {{- range tuple 1 2 }}
    echo {{ . }}
    {{- end }}
  folded: >-
    one
    two
{{ tpl "x: {{ .Release.Name }}" . | indent 2 }}
  {{- include "settings" . | trim | nindent 2 }}
---
{{- range tuple "one" "two" }}
apiVersion: v1
kind: Secret
metadata: {name: {{ . }}, labels: { {{- include "labels" $ | fromYaml | toJson | trimAll "{}" }} } }
stringData:
  password: {{ randAlphaNum 8 }}
---
{{- end }}
""",
    "templates/b.yaml": '{"apiVersion": "v1", "kind": "ConfigMap",\n  "metadata": {"name": "{{ .Release.Name }}"}\n}\n',
    "templates/empty.yaml": '{{- if false }}\na: 1\n{{- end }}\n{{ include "nothing" . }}\n{{ define "nothing" }}{{ end }}',
    "templates/windows.yaml": "apiVersion: v1\r\nkind: ConfigMap\r\nmetadata:\r\n  name: w\r\n{{- if true }}\r\ndata: {}\r\n{{- end }}\r\n",
    "templates/NOTES.txt": "a: 1\n",
}


def test_marks_change_nothing_that_helm_prints(tmp_path: Path) -> None:
    chart = Chart(tmp_path, NASTY)
    assert chart.token == "#@1@"
    lines = chart.lines()
    assert lines is not None
    clean = chart.clean.split("\n")
    bare = {
        line: [(chart.numbers[one.file], one.line) for one in origin.marks]
        for line, origin in zip(clean, lines, strict=True)
        if origin.is_own
    }
    assert bare['  name: "rel-x"'] == [("templates/a.yaml", 5)]
    assert bare["    app: rel-x"] == [("templates/_helpers.tpl", 8)]
    assert bare['    tier: "web"'] == [("templates/_helpers.tpl", 9), ("templates/a.yaml", 6)]
    assert bare['    flag: "yes"'] == [("templates/a.yaml", 10)]
    assert bare['    first: "2"'] == [("templates/a.yaml", 12)]
    assert bare["    text over lines"] == [("templates/a.yaml", 15)]
    assert bare["    echo 2"] == [("templates/a.yaml", 23)]
    assert bare["    - 2"] == [("templates/_helpers.tpl", 14), ("templates/a.yaml", 29)]
    assert bare["metadata:\r"] == [("templates/windows.yaml", 3)]
    assert "  plain: a long" not in bare
