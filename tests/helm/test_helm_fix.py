"""Fixes in templates: literal text is changed, actions survive, and what they decide is left alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from gitops_lint.linter.fix import Refused, edit
from gitops_lint.linter.fix.apply_fixes import text_edits
from gitops_lint.linter.helm.actions import actions
from gitops_lint.linter.helm.template_file import TemplateFile
from gitops_lint.linter.lint.rule import Fix
from gitops_lint.linter.yaml.source import Node, Patch
from hypothesis import given
from hypothesis import strategies as st
from rendered_charts import Chart

APPS = """\
{{- range .Values.apps }}
---
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata:
  name: {{ .name }}  # {{ .x }}
spec:
  {{- with .destination }}
  destination:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  syncPolicy:
    automated:
      prune: false # why
      selfHeal: {{ .heal }}
      {{- if .empty }}
      allowEmpty: {{ .empty }}
      {{- end }}
    syncOptions: [ {{ .option }}, b ]
  ignoreDifferences:
    - kind: Job
  info:
    - name: a
      value: {{ .info }}
{{- end }}
"""


def changed(text: str, patch: Patch) -> list[str]:
    """The lines that went and came."""
    before, after = text.split("\n"), edit(patch.document, patch.operations).split("\n")
    return [f"-{line}" for line in before if line not in after] + [f"+{line}" for line in after if line not in before]


def spec(text: str = APPS) -> Node:
    return TemplateFile("templates/apps.yaml", text).documents[0].root["spec"]


def test_a_key_goes_that_stands_beside_conditional_ones() -> None:
    assert changed(APPS, spec()["syncPolicy"]["automated"]["prune"].remove()) == [
        "-      prune: false # why",
        "+      # why",
    ]


def test_a_conditional_key_goes_and_leaves_the_condition() -> None:
    text = "spec:\n  a: 1\n  {{- if .x }}\n  b: 1\n  {{- end }}\n"
    assert changed(text, spec(text)["b"].remove()) == ["-  b: 1"]


def test_the_only_key_of_a_mapping_leaves_it_empty() -> None:
    text = "{{- range .x }}\nspec:\n  automated:\n    prune: false\n  name: {{ . }}\n{{- end }}\n"
    assert changed(text, spec(text)["automated"]["prune"].remove()) == [
        "-  automated:",
        "-    prune: false",
        "+  automated: {}",
    ]


def test_a_literal_value_is_replaced() -> None:
    assert changed(APPS, spec()["syncPolicy"]["automated"]["prune"].set(True)) == [
        "-      prune: false # why",
        "+      prune: true # why",
    ]


def test_fields_and_items_are_added_to_what_is_whole() -> None:
    assert changed(APPS, spec()["ignoreDifferences"][0]["group"].set("batch")) == ["+      group: batch"]
    assert changed(APPS, spec()["ignoreDifferences"].append({"kind": "Pod"})) == ["+    - kind: Pod"]
    assert changed(APPS, spec()["info"][0]["more"].set("x")) == ["+      more: x"]


def test_line_breaks_of_windows_stay() -> None:
    text = "spec:\r\n  a: {{ .x }}\r\n  b: 1\r\n"
    patch = spec(text)["b"].remove()
    assert edit(patch.document, patch.operations) == "spec:\r\n  a: {{ .x }}\r\n"


def test_edits_for_editors_are_of_the_template() -> None:
    patch = spec()["syncPolicy"]["automated"]["prune"].set(True)
    (found,) = text_edits(Fix("say true", patch)) or []
    assert (APPS[found.start : found.end], found.text) == ("false", "true")


HOLED = """\
spec:
  alone:
    a: 1
    {{- toYaml .x | nindent 4 }}
  branches:
    {{- if .x }}
    a: 1
    {{- else }}
    a: 2
    {{- end }}
    b: 1
  guarded:
    {{- if .x }}
    a: 1
    {{- end }}
  mixed:
    a: 1
    {{- if .x }}
    b: 1
    {{- end }}
  inner:
    labels:
      {{- include "labels" . | nindent 6 }}
  flow: [{{ .x }}]
  commented: # {{ .x }}
    a: 1
"""


@pytest.mark.parametrize(
    ("text", "pointer", "value", "reason"),
    [
        (APPS, "/destination", None, "an action has a part in what would be changed"),
        (APPS, "/destination/name", "x", "an action has a part in what would be changed"),
        (APPS, "/syncPolicy/automated", None, "an action has a part in what would be changed"),
        (APPS, "/syncPolicy/automated/enabled", True, "an action decides what is in the collection"),
        (APPS, "/syncPolicy/automated/selfHeal", True, "an action has a part in what would be changed"),
        (APPS, "/info/0/value", None, "an action has a part in what would be changed"),
        (HOLED, "/alone/a", None, "whether anything would be left depends on an action"),
        (HOLED, "/alone/b", 1, "an action decides what is in the collection"),
        (HOLED, "/branches/a", None, "'a' is written in several branches of the template"),
        (HOLED, "/guarded/a", None, "whether anything would be left depends on an action"),
        (HOLED, "/guarded/b", 1, "an action decides what is in the collection"),
        (HOLED, "/mixed/a", None, "whether anything would be left depends on an action"),
        (HOLED, "/inner/more", 1, "an action decides what is in the collection"),
        (HOLED, "/flow/1", "x", "an action decides what is in the collection"),
    ],
)
def test_what_actions_decide_is_left_alone(text: str, pointer: str, value: Any, reason: str) -> None:
    node = spec(text).find(pointer)
    with pytest.raises(Refused) as refusal:
        edit(node.document, (node.remove() if value is None else node.set(value)).operations)
    assert str(refusal.value) == reason


def test_a_comment_with_an_action_is_never_rewritten() -> None:
    node = spec(HOLED)["commented"]["a"]
    with pytest.raises(Refused):
        edit(node.document, node.remove().operations)


LINES = ["a: 1", "b: {{ .x }}", "  c: 2", "  d: x # {{ .y }}", "{{- if .z }}", "{{- end }}", "  {{- toYaml .w | nindent 2 }}", "e: |", "  f {{ .g }}", "h:", "- i", "j: [1, {{ .k }}]"]  # fmt: skip


@given(st.lists(st.sampled_from(LINES), max_size=12), st.data())
def test_every_action_survives_every_fix(lines: list[str], data: st.DataObject) -> None:
    text = "\n".join(["kind: A", *lines, ""])
    file = TemplateFile("t.yaml", text)
    places = [node for document in file.documents for node in document.root.walk() if node.parent is not None]
    node = data.draw(st.sampled_from(places))
    kind = data.draw(st.sampled_from(["remove", "set", "add"]))
    patch = node.remove() if kind == "remove" else node.set("new") if kind == "set" else node["new"].set({"x": 1})
    try:
        after = edit(patch.document, patch.operations)
    except Refused:
        return
    assert [after[slice(*one.span)] for one in actions(after)] == [text[slice(*one.span)] for one in actions(text)]


def test_a_fix_of_a_rendered_object_is_a_fix_of_its_template(tmp_path: Path) -> None:
    files = {
        "values.yaml": "apps:\n  - {name: a, heal: true, empty: true, option: x, info: y, destination: {name: z}}\n  - {name: b, heal: false, option: x, info: y}\n",
        "templates/apps.yaml": APPS,
    }
    chart = Chart(tmp_path, files)
    patches = [one.root["spec"]["syncPolicy"]["automated"]["prune"].remove() for one in chart.documents()]
    assert [patch.can_be_applied for patch in patches] == [True, True]
    assert patches[0].document is patches[1].document is chart.templates["templates/apps.yaml"].documents[0]
    after = edit(patches[0].document, patches[0].operations)
    repaired = Chart(tmp_path / "after", {**files, "templates/apps.yaml": after})
    assert [one.root["spec"]["syncPolicy"]["automated"].value for one in repaired.documents()] == [
        {"selfHeal": True, "allowEmpty": True},
        {"selfHeal": False},
    ]
    added = [one.root["spec"]["ignoreDifferences"][0]["group"].set("batch") for one in chart.documents()]
    assert [patch.can_be_applied for patch in added] == [False, False]
