"""Values, layer over layer, and the way back to them from what Helm printed."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import pytest
from gitops_lint.linter.argocd.applications import Application, Source
from gitops_lint.linter.helm.printed_documents import RenderedDocument
from gitops_lint.linter.helm.template_file import TemplateFile
from gitops_lint.linter.helm.value_layers import Layer, Layers, Parameter
from gitops_lint.linter.helm.value_sources import source_of_value
from gitops_lint.linter.helm.values_used import ANY, Scope, scope_at, values_used
from gitops_lint.linter.kubernetes.resource import Resource
from gitops_lint.linter.repo.sources.given_values import Given, InlineValues
from gitops_lint.linter.yaml.source import Node, SourceFile
from rendered_charts import Chart


def root(path: str, text: str) -> Node:
    return SourceFile(path, text).documents[0].root


def told(node: Node | None) -> str | None:
    return f"{node.file.path}:{node.file.position(node.span.start).line}" if node is not None else None


APPLICATION = """\
spec:
  source:
    helm:
      values: |
        image:
          tag: inline
        list: [only]
      valuesObject:
        image: {digest: abc}
      parameters:
        - name: image.pull\\.policy
          value: Always
        - name: ports[0].port
          value: "80"
"""


def given(name: str, text: str = APPLICATION) -> InlineValues:
    """What an Application says that has only this."""
    top = root("app.yaml", text)
    application = Application(top.value, Resource(top, "argoproj.io/v1alpha1", "Application"))
    helm = top["spec"]["source"]["helm"].value
    found = Given(application, Source({"helm": {name: helm[name]}}, "/spec/source")).inline()
    assert found is not None
    return found


@cache
def layers() -> Layers:
    helm = root("app.yaml", APPLICATION)["spec"]["source"]["helm"]
    return Layers(
        [
            Layer(root("charts/sub/values.yaml", "a: 1\nb: 2\nglobal: {x: sub, z: sub}\n"), ("sub",)),
            Layer(
                root(
                    "values.yaml",
                    "image:\n  tag: base\n  name: base\n  digest: base\ngone: 1\nlist: [a, b]\ndeep: {a: {b: 1}}\n",
                )
            ),
            Layer(root("prod.yaml", "image:\n  name: prod\ngone: null\nsub:\n  b: 3\nglobal: {x: top}\ndeep: 5\n")),
            Layer(given("values").roots[0]),
            Layer(given("valuesObject").roots[0]),
        ],
        [Parameter(one["name"].text, one["value"].text, one) for one in helm["parameters"]],
    )


@pytest.mark.parametrize(
    ("path", "chart", "wanted"),
    [
        ("image.tag", "", "app.yaml:6"),
        ("image.name", "", "prod.yaml:2"),
        ("image.digest", "", "app.yaml:9"),
        ("image", "", "app.yaml:9"),
        ("gone", "", None),
        ("deep.a.b", "", None),
        ("list.0", "", "app.yaml:7"),
        ("list.1", "", None),
        ("missing", "", None),
        ("ports.0.port", "", "app.yaml:14"),
        ("a", "sub", "charts/sub/values.yaml:1"),
        ("b", "sub", "prod.yaml:5"),
        ("global.x", "sub", "prod.yaml:6"),
        ("global.z", "sub", "charts/sub/values.yaml:3"),
        ("global.x", "", "prod.yaml:6"),
        ("sub.a", "", "charts/sub/values.yaml:1"),
    ],
)
def test_the_highest_layer_that_has_it_decides(path: str, chart: str, wanted: str | None) -> None:
    assert told(layers().lookup(path.split("."), chart.split(".") if chart else ())) == wanted


def test_names_of_parameters_are_paths() -> None:
    at = root("a.yaml", "a: 1")
    assert Parameter("image.pull\\.policy", "", at).path == ("image", "pull.policy")
    assert Parameter("a[0][1].b", "", at).path == ("a", "0", "1", "b")
    assert told(layers().lookup(("image", "pull.policy"))) == "app.yaml:12"


@pytest.mark.parametrize(
    ("text", "problem", "line"),
    [("text", "it is a text, and values have to be a mapping", 4), ("|\n        - 1", "it is a list, and values have to be a mapping", 5)],
)  # fmt: skip
def test_inline_values_that_are_no_mapping(text: str, problem: str, line: int) -> None:
    found = given("values", f"spec:\n  source:\n    helm:\n      values: {text}\n")
    assert (found.roots, found.problem) == ((), problem)
    assert found.problem_at is not None
    assert found.problem_at.file.position(found.problem_at.span.start).line == line


def test_an_empty_object_counts_before_a_text() -> None:
    top = root("app.yaml", "spec:\n  source:\n    helm:\n      values: 'a: 1'\n      valuesObject: {}\n")
    application = Application(top.value, Resource(top, "argoproj.io/v1alpha1", "Application"))
    found = Given(application, application.sources[0]).inline()
    assert found is not None
    assert found.at.pointer == "/spec/source/helm/valuesObject"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (".Values.a.b | default .Values.c", [("a", "b"), ("c",)]),
        ("toYaml $.Values.x | nindent 4", [("x",)]),
        ('index .Values "a-b" "c"', [("a-b", "c")]),
        ('printf "%s.Values.q" .Values.z', [("z",)]),
        ("(.Values.foo).bar", [("foo",)]),
        (".Release.Name", []),
        ("$v.x", []),
        ('include "a" .', []),
    ],
)
def test_the_values_that_an_action_names(text: str, wanted: list[tuple[str, ...]]) -> None:
    assert values_used(text) == wanted


def test_the_dot_and_the_variables_stand_for_values() -> None:
    text = """\
{{ $a := .Values.first }}{{ $b := printf "%s%s" .Values.x .Values.y }}
{{ with .Values.outer }}{{ range $k, $v := .inner }}HERE{{ end }}{{ end }}
{{ define "x" }}THERE{{ end }}
"""
    file = TemplateFile("t.yaml", text)
    here = scope_at(file, text.index("HERE"))
    assert here == Scope(("outer", "inner", ANY), False, {"$a": ("first",), "$v": ("outer", "inner", ANY)})
    assert values_used("$a.b $b $v.c .d $.Values.e", here) == [
        ("first", "b"),
        ("outer", "inner", ANY, "c"),
        ("outer", "inner", ANY, "d"),
        ("e",),
    ]
    assert scope_at(file, text.index("THERE")) == Scope()


# -- with the real Helm

VALUES = """\
replicas: 3
image:
  name: web
  tag: v1
resources:
  limits:
    cpu: 2
    memory: 64Mi
ports:
  - {name: http, port: 80}
  - {name: admin, port: 81}
labels:
  team: a
sub:
  greeting: hi
"""
FILES = {
    "values.yaml": VALUES,
    "templates/_helpers.tpl": '{{- define "labels" }}\napp: demo\n{{ toYaml .Values.labels }}\n{{- end }}\n',
    "templates/a.yaml": """\
{{- $image := .Values.image }}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  labels:
    {{- include "labels" . | trim | nindent 4 }}
spec:
  replicas: {{ .Values.replicas }}
  template:
    spec:
      containers:
        - name: web
          image: "{{ $image.name }}:{{ $image.tag }}"
          {{- with .Values.resources }}
          resources:
            {{- toYaml . | nindent 12 }}
          {{- end }}
          ports:
            {{- range .Values.ports }}
            - name: {{ .name }}
              containerPort: {{ .port }}
            {{- end }}
""",
    "charts/sub/Chart.yaml": "apiVersion: v2\nname: sub\nversion: 0.1.0\n",
    "charts/sub/values.yaml": "greeting: hello\nother: x\n",
    "charts/sub/templates/b.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: b\ndata:\n  greeting: {{ .Values.greeting }}\n  other: {{ .Values.other }}\n",
}


@cache
def rendered() -> tuple[Layers, dict[str, RenderedDocument]]:
    chart = Chart(Path(mkdtemp(prefix="gitops-lint-test-")), FILES)
    found = {one.root["kind"].text: one for one in chart.documents()}
    own = Layer(root("values.yaml", VALUES))
    return Layers([Layer(root("charts/sub/values.yaml", FILES["charts/sub/values.yaml"]), ("sub",)), own]), found


CONTAINER = "/spec/template/spec/containers/0"


@pytest.mark.parametrize(
    ("kind", "pointer", "wanted"),
    [
        ("Deployment", "/spec/replicas", "values.yaml:1"),
        ("Deployment", f"{CONTAINER}/resources/limits/cpu", "values.yaml:7"),
        ("Deployment", f"{CONTAINER}/resources/limits/memory", "values.yaml:8"),
        ("Deployment", f"{CONTAINER}/resources/limits", "values.yaml:6"),
        ("Deployment", f"{CONTAINER}/ports/1/containerPort", "values.yaml:11"),
        ("Deployment", f"{CONTAINER}/ports/0/name", "values.yaml:10"),
        ("Deployment", f"{CONTAINER}/image", None),  # of two values
        ("Deployment", f"{CONTAINER}/name", None),  # literal
        ("Deployment", "/metadata/labels/team", "values.yaml:13"),
        ("Deployment", "/metadata/labels/app", None),
        ("ConfigMap", "/data/greeting", "values.yaml:15"),
        ("ConfigMap", "/data/other", "charts/sub/values.yaml:2"),
    ],
)
def test_a_rendered_value_leads_to_the_line_that_decides_it(kind: str, pointer: str, wanted: str | None) -> None:
    layers, documents = rendered()
    document = documents[kind]
    found = source_of_value(document, document.root.find(pointer), layers, ("sub",) if kind == "ConfigMap" else ())
    assert told(found) == wanted
