"""What Helm printed leads back to the lines of the templates: each line as written down here."""

from __future__ import annotations

import subprocess
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import pytest
import real_tools
from gitops_lint.linter.helm.line_marks import Origin
from gitops_lint.linter.helm.printed_documents import RenderedDocument, documents_of
from gitops_lint.linter.helm.template_file import TemplateFile
from gitops_lint.linter.kustomize.printed import FetchedDocument
from gitops_lint.linter.yaml.source import Node, SourceFile
from rendered_charts import Chart, scalars, where

HELPERS = """\
{{- define "demo.labels" -}}
app.kubernetes.io/name: demo
app.kubernetes.io/instance: {{ .Release.Name }}
{{- if .Values.extraLabels }}
{{ toYaml .Values.extraLabels }}
{{- end }}
{{- end }}

{{- define "demo.container" -}}
- name: {{ .name }}
  image: "{{ .image }}"
  securityContext:
    privileged: false
{{- end }}
"""
WORKLOAD = """\
{{- $root := . }}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  labels: {{- include "demo.labels" . | nindent 4 }}
spec:
  replicas: {{ .Values.replicas }}
  selector:
    matchLabels:
      {{- include "demo.labels" . | nindent 6 }}
  template:
    metadata:
      labels:
        {{- include "demo.labels" . | nindent 8 }}
    spec:
      containers:
        {{- range .Values.containers }}
        {{- include "demo.container" . | nindent 8 }}
          resources: {{- toYaml $root.Values.resources | nindent 12 }}
        {{- end }}
        - name: sidecar
          image: busybox
          {{- if .Values.debug }}
          command: ["sleep"]
          {{- else }}
          command: ["run"]
          {{- end }}
          args:
            {{- range .Values.args }}
            - {{ . | quote }}
            {{- end }}
            - --last
      terminationGracePeriodSeconds: 30
---
apiVersion: v1
kind: Service
metadata:
  name: web
spec:
  type: {{ if .Values.debug }}NodePort{{ else }}ClusterIP{{ end }}
  ports: [{port: 80, name: http}, {port: {{ .Values.port }}, name: other}]
"""
LOOP = """\
{{- range $name, $app := .Values.apps }}
---
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata:
  name: {{ $name }}
spec:
  project: default
  syncPolicy:
    automated:
      prune: false
      {{- with $app.heal }}
      selfHeal: {{ . }}
      {{- end }}
{{- end }}
"""
SUBCHART = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: sub
data:
  greeting: {{ .Values.greeting }}
  literal: here
"""
FILES = {
    "Chart.yaml": "apiVersion: v2\nname: demo\nversion: 0.1.0\n",
    "values.yaml": """\
replicas: 2
debug: false
port: 81
extraLabels:
  team: a
  tier: b
containers:
  - {name: one, image: "a:1"}
  - {name: two, image: "b:2"}
args: [x, y]
resources:
  limits:
    cpu: 1
apps:
  first: {}
  second: {heal: true}
""",
    "templates/_helpers.tpl": HELPERS,
    "templates/workload.yaml": WORKLOAD,
    "templates/loop.yaml": LOOP,
    "charts/sub/Chart.yaml": "apiVersion: v2\nname: sub\nversion: 0.1.0\n",
    "charts/sub/values.yaml": "greeting: hello\n",
    "charts/sub/templates/cm.yaml": SUBCHART,
}
W, H, L, S = "templates/workload.yaml", "templates/_helpers.tpl", "templates/loop.yaml", "charts/sub/templates/cm.yaml"

LINES = {
    "Deployment/web": {
        "/apiVersion": f"{W}:2",
        "/kind": f"{W}:3",
        "/metadata": f"{W}:4",
        "/metadata/name": f"{W}:5",
        "/metadata/labels": f"{W}:6",
        "/metadata/labels/app.kubernetes.io~1name": f"{H}:2",
        "/metadata/labels/app.kubernetes.io~1instance": f"{H}:3",
        "/spec": f"{W}:7",
        "/spec/replicas": f"{W}:8",
        "/spec/selector": f"{W}:9",
        "/spec/selector/matchLabels": f"{W}:10",
        "/spec/selector/matchLabels/app.kubernetes.io~1name": f"{H}:2",
        "/spec/selector/matchLabels/app.kubernetes.io~1instance": f"{H}:3",
        "/spec/template": f"{W}:12",
        "/spec/template/metadata": f"{W}:13",
        "/spec/template/metadata/labels": f"{W}:14",
        "/spec/template/metadata/labels/app.kubernetes.io~1name": f"{H}:2",
        "/spec/template/metadata/labels/app.kubernetes.io~1instance": f"{H}:3",
        "/spec/template/spec": f"{W}:16",
        "/spec/template/spec/containers": f"{W}:17",
        **{
            f"/spec/template/spec/containers/{number}{path}": line
            for number in (0, 1)
            for path, line in {
                "": f"{H}:10",
                "/name": f"{H}:10",
                "/image": f"{H}:11",
                "/securityContext": f"{H}:12",
                "/securityContext/privileged": f"{H}:13",
                "/resources": f"{W}:20",
                "/resources/limits": f"{W}:20",
                "/resources/limits/cpu": f"{W}:20",
            }.items()
        },
        "/spec/template/spec/containers/2": f"{W}:22",
        "/spec/template/spec/containers/2/name": f"{W}:22",
        "/spec/template/spec/containers/2/image": f"{W}:23",
        "/spec/template/spec/containers/2/command": f"{W}:27",
        "/spec/template/spec/containers/2/command/0": f"{W}:27",
        "/spec/template/spec/containers/2/args": f"{W}:29",
        "/spec/template/spec/containers/2/args/0": f"{W}:31",
        "/spec/template/spec/containers/2/args/1": f"{W}:31",
        "/spec/template/spec/containers/2/args/2": f"{W}:33",
        "/spec/template/spec/terminationGracePeriodSeconds": f"{W}:34",
    },
    "Service/web": {
        "/apiVersion": f"{W}:36",
        "/kind": f"{W}:37",
        "/metadata": f"{W}:38",
        "/metadata/name": f"{W}:39",
        "/spec": f"{W}:40",
        "/spec/type": f"{W}:41",
        "/spec/ports": f"{W}:42",
        "/spec/ports/0": f"{W}:42",
        "/spec/ports/0/port": f"{W}:42",
        "/spec/ports/0/name": f"{W}:42",
        "/spec/ports/1": f"{W}:42",
        "/spec/ports/1/port": f"{W}:42",
        "/spec/ports/1/name": f"{W}:42",
    },
    **{
        f"Application/{name}": {
            "/apiVersion": f"{L}:3",
            "/kind": f"{L}:4",
            "/metadata": f"{L}:5",
            "/metadata/name": f"{L}:6",
            "/spec": f"{L}:7",
            "/spec/project": f"{L}:8",
            "/spec/syncPolicy": f"{L}:9",
            "/spec/syncPolicy/automated": f"{L}:10",
            "/spec/syncPolicy/automated/prune": f"{L}:11",
            **({"/spec/syncPolicy/automated/selfHeal": f"{L}:13"} if name == "second" else {}),
        }
        for name in ("first", "second")
    },
    "ConfigMap/sub": {
        "/apiVersion": f"{S}:1",
        "/kind": f"{S}:2",
        "/metadata": f"{S}:3",
        "/metadata/name": f"{S}:4",
        "/data": f"{S}:5",
        "/data/greeting": f"{S}:6",
        "/data/literal": f"{S}:7",
    },
}
LABELS = ("/metadata/labels", "/spec/selector/matchLabels", "/spec/template/metadata/labels")
LINES["Deployment/web"] |= {f"{path}/{key}": f"{H}:5" for path in LABELS for key in ("team", "tier")}


@cache
def chart() -> Chart:
    return Chart(Path(mkdtemp(prefix="gitops-lint-test-")), FILES)


@cache
def documents(*, marked: bool = True) -> dict[str, RenderedDocument]:
    found = chart().documents(marked=marked)
    return {f"{one.root['kind'].text}/{one.root['metadata']['name'].text}": one for one in found}


@pytest.mark.parametrize("name", LINES)
def test_every_place_leads_to_the_line_that_printed_it(name: str) -> None:
    document = documents()[name]
    assert {node.pointer: where(node) for node in scalars(document)} == LINES[name]
    assert all(document.certain(node) for node in scalars(document))


@pytest.mark.parametrize("name", LINES)
def test_without_marks_a_place_is_right_or_above_the_right_one(name: str) -> None:
    document = documents(marked=False)[name]
    for node in scalars(document):
        right = LINES[name][node.pointer]
        if document.certain(node):
            assert where(node) == right, node.pointer
        else:
            file, line = where(node).split(":")
            assert file == document.file.path
            assert file != right.split(":")[0] or int(line) <= int(right.split(":")[1])


def test_without_marks_most_places_are_certain() -> None:
    everything = [(one, node) for one in documents(marked=False).values() for node in scalars(one)]
    certain = sum(one.certain(node) for one, node in everything)
    assert certain > len(everything) / 2


def test_spans_are_of_the_value() -> None:
    def text(name: str, pointer: str) -> str:
        origin = documents()[name].root.find(pointer).origin
        return origin.file.text[slice(*origin.span)]

    assert text("Deployment/web", "/spec/replicas") == "{{ .Values.replicas }}"
    assert text("Deployment/web", "/metadata/labels/app.kubernetes.io~1name") == "demo"
    assert text("Deployment/web", "/metadata/labels/team") == "{{ toYaml .Values.extraLabels }}"
    assert text("Deployment/web", "/spec/template/spec/containers/0/resources") == "resources"
    limits = text("Deployment/web", "/spec/template/spec/containers/0/resources/limits")
    assert limits == "{{- toYaml $root.Values.resources | nindent 12 }}"
    assert text("Service/web", "/spec/ports/1/port") == "{{ .Values.port }}"
    assert text("Service/web", "/spec/ports/0/port") == "80"
    assert text("Application/first", "/spec/syncPolicy/automated/prune") == "false"


def test_a_missing_field_is_missing_at_its_parent() -> None:
    missing = documents()["Deployment/web"].root.find("/spec/template/spec/nodeSelector/disk")
    assert (where(missing), missing.origin.pointer) == (f"{W}:16", "/spec/template/spec/nodeSelector/disk")
    missing = documents()["Deployment/web"].root.find("/metadata/labels/absent")
    assert (where(missing), missing.origin.pointer) == (f"{W}:6", "/metadata/labels/absent")
    missing = documents()["Deployment/web"].root.find("/spec/template/spec/containers/0/resources/limits/memory")
    assert (where(missing), missing.origin.pointer) == (f"{W}:20", missing.pointer)


def test_what_a_named_template_printed_was_included_somewhere() -> None:
    document = documents()["Deployment/web"]

    def included(pointer: str) -> str | None:
        place = document.included_at(document.root.find(pointer))
        return f"{place.file.path}:{place.file.position(place.span.start).line}" if place else None

    assert included("/metadata/labels/app.kubernetes.io~1name") == f"{W}:6"
    assert included("/spec/selector/matchLabels/tier") == f"{W}:11"
    assert included("/spec/template/spec/containers/1/securityContext/privileged") == f"{W}:19"
    assert included("/spec/replicas") is None


@pytest.mark.parametrize("marked", [True, False])
def test_only_literal_text_can_be_changed(marked: bool) -> None:
    def agrees(name: str, pointer: str) -> bool:
        document = documents(marked=marked)[name]
        return document.agrees(document.root.find(pointer))

    assert agrees("Deployment/web", "/metadata/name")
    assert agrees("Deployment/web", "/spec/template/spec/terminationGracePeriodSeconds")
    assert agrees("Deployment/web", "/spec/template/spec/containers/2/image") is marked
    assert not agrees("Deployment/web", "/spec/replicas")
    assert not agrees("Deployment/web", "/spec/template/spec/containers/2/command")  # of two branches
    assert not agrees("Deployment/web", "/metadata/labels/app.kubernetes.io~1name")  # for all that include it
    assert agrees("Deployment/web", "/metadata/annotations")
    assert not agrees("Deployment/web", "/spec/template/metadata/labels/more")  # a named template prints the others
    assert not agrees("Deployment/web", "/spec/selector/matchExpressions")  # it would stand before what is printed
    assert agrees("Application/first", "/spec/syncPolicy/automated/prune")
    assert agrees("Application/second", "/spec/project")
    assert not agrees("Application/first", "/spec/syncPolicy/automated/allowEmpty")  # a part of it is conditional
    assert not agrees("Application/first", "/metadata/annotations")  # both Applications would get it
    assert agrees("Service/web", "/metadata/labels")
    assert not agrees("Service/web", "/spec/type")
    assert agrees("ConfigMap/sub", "/data/literal")
    assert agrees("ConfigMap/sub", "/data/other")


def test_renders_of_one_text_are_known_as_such() -> None:
    first, second = documents()["Application/first"], documents()["Application/second"]
    assert first.raw.start_mark is second.raw.start_mark
    assert documents()["Deployment/web"].raw.start_mark is not documents()["Service/web"].raw.start_mark


def test_marks_are_asked_for_once_and_only_when_wanted() -> None:
    asked = []
    file = TemplateFile("a.yaml", "kind: A\nmetadata:\n  name: {{ .x }}\n")

    def lines() -> list[Origin]:
        asked.append(1)
        return []

    (document,) = documents_of(
        "---\n# Source: c/templates/a.yaml\nkind: A\nmetadata:\n  name: x\n", lambda _: file, lines
    )
    assert document.root["metadata"]["name"].text == "x"
    assert not asked
    assert where(document.root["metadata"]["name"]) == "a.yaml:3"
    assert where(document.root["kind"]) == "a.yaml:1"
    assert asked == [1]


# -- without Helm


def rendered(template: str, printed: str) -> list[RenderedDocument]:
    file = TemplateFile("t.yaml", template)
    found = documents_of(printed, lambda _: file)
    assert all(isinstance(one, RenderedDocument) for one in found)
    return found  # type: ignore[return-value]


def test_the_source_of_each_document_is_asked_for() -> None:
    asked: list[str] = []
    entry = SourceFile("Chart.yaml", "dependencies:\n  - name: far\n").documents[0].root["dependencies"][0]

    def file_of(path: str) -> SourceFile | Node:
        asked.append(path)
        return entry if "far" in path else TemplateFile(path, "a: 1\n")

    printed = "---\n# Source: c/crds/a.yaml\na: 1\n---\nb: 1\n---\n# Source: c/charts/far/templates/b.yaml\n# only this\n---\n# Source: c/charts/far/templates/c.yaml\nc: |\n  # Source: x\n"
    found = documents_of(printed, file_of)
    assert asked == ["c/crds/a.yaml", "c/crds/a.yaml", "c/charts/far/templates/c.yaml"]
    assert isinstance(found[2], FetchedDocument)
    assert where(found[2].root["c"]) == "Chart.yaml:2"
    assert found[2].root["c"].text == "# Source: x\n"


def test_a_document_is_chosen_by_what_it_says() -> None:
    template = "kind: A\nmetadata: {name: '{{ .x }}-a'}\n---\nkind: A\nmetadata: {name: '{{ .x }}-b'}\n---\nkind: B\nmetadata: {name: '{{ .x }}'}\n"
    found = rendered(
        template,
        "kind: B\nmetadata: {name: r}\n---\nkind: A\nmetadata: {name: r-b}\n---\nkind: A\nmetadata: {name: r-a}\n",
    )
    assert [where(one.root["kind"]) for one in found] == ["t.yaml:7", "t.yaml:4", "t.yaml:1"]
    assert all(one.certain(one.root["kind"]) for one in found)


def test_a_choice_between_equals_is_not_certain() -> None:
    template = "kind: A\nmetadata: {name: '{{ .x }}'}\n---\nkind: A\nmetadata: {name: '{{ .y }}'}\n"
    (document,) = rendered(template, "kind: A\nmetadata: {name: r}\n")
    assert not document.certain(document.root["kind"])
    assert not document.agrees(document.root["kind"])


def test_equal_keys_are_told_apart_by_their_value() -> None:
    template = "kind: A\nspec:\n{{- if .x }}\n  a: 1\n{{- else }}\n  a: 2\n{{- end }}\n"
    (document,) = rendered(template, "kind: A\nspec:\n  a: 1\n")
    assert where(document.root["spec"]["a"]) == "t.yaml:4"
    assert document.certain(document.root["spec"]["a"])
    assert not document.agrees(document.root["spec"]["a"])


def test_items_are_told_apart_by_what_they_say() -> None:
    template = "kind: A\nspec:\n{{- if .x }}\n  - name: a\n    v: {{ .v }}\n{{- end }}\n  - name: b\n    v: {{ .v }}\n"
    (document,) = rendered(template, "kind: A\nspec:\n  - name: b\n    v: 1\n")
    assert where(document.root["spec"][0]["v"]) == "t.yaml:8"


def test_a_template_that_cannot_be_read_is_pointed_at_as_a_whole() -> None:
    template = '{{ include "all" . }}\n'
    (document,) = rendered(template, "kind: A\nspec:\n  a: 1\n")
    assert where(document.root["spec"]["a"]) == "t.yaml:1"
    assert not document.certain(document.root["spec"]["a"])
    assert not document.agrees(document.root["spec"]["a"])
    assert document.root["spec"]["a"].origin.pointer == "/spec/a"


def test_a_new_chart_of_helm_itself_is_followed_to_every_line(tmp_path: Path) -> None:
    made = tmp_path / "made" / "demo"
    made.parent.mkdir()
    subprocess.run([str(real_tools.helm()), "create", str(made)], check=True, capture_output=True, timeout=60)
    files = {str(path.relative_to(made)): path.read_text("utf-8") for path in made.rglob("*") if path.is_file()}
    every = "autoscaling.enabled=true,ingress.enabled=true,httpRoute.enabled=true,podLabels.a=b,nodeSelector.c=d"
    chart = Chart(tmp_path, files, "--set", every)
    seen = 0
    for document, unmarked in zip(chart.documents(), chart.documents(marked=False), strict=True):
        for node, twin in zip(scalars(document), scalars(unmarked), strict=True):
            file, line = where(node).split(":")
            written = chart.templates[file].line_text(int(line))
            printed = document.render.printed[(node.key_raw or node.raw).start_mark.line]  # type: ignore[union-attr]
            assert document.certain(node)
            assert "{{" in written or written.strip() == printed.strip()
            assert not unmarked.certain(twin) or where(twin) == where(node)
            assert not document.agrees(node) or "{{" not in written
            seen += 1
    assert seen > 150
    assert chart.marked_renders == 1
