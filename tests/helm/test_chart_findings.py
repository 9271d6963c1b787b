"""What is found in rendered charts: where it stands, what is told beside it, and what can be fixed there."""

from __future__ import annotations

import subprocess
import traceback
from pathlib import Path
from typing import Any

import pytest
from chart_repositories import (
    application,
    chart,
    command,
    config_map,
    fixed,
    linted,
    notes,
    packed,
    place,
    places,
    printed_by,
    write,
)
from real_tools import helm as helm4
from real_tools import helm3

PRUNE = "explicit-prune-false"
WAVE = "sync-wave-not-integer"
DEADLINE = "hook-without-deadline"
TOO_LARGE = "object-too-large-for-last-applied"


@pytest.fixture(params=["Helm 3", "Helm 4"])
def helm(request: pytest.FixtureRequest) -> Path:
    return helm3() if request.param == "Helm 3" else helm4()


def child(name: str, automated: str) -> str:
    """The template of an Application."""
    return (
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\n"
        f"metadata:\n  name: {name}\n  namespace: argocd\n"
        "spec:\n  project: default\n"
        "  source:\n    repoURL: {{ .Values.repo }}\n    targetRevision: HEAD\n    path: plain\n"
        "  destination:\n    server: https://kubernetes.default.svc\n    namespace: x\n"
        f"  syncPolicy:\n    automated:\n{automated}"
    )


def annotated(name: str, value: str) -> str:
    return config_map(name, f"  annotations:\n    argocd.argoproj.io/sync-wave: {value}\n")


# -- where


def test_a_finding_stands_in_the_template(helm: Path, tmp_path: Path) -> None:
    write(tmp_path, chart("c", {"templates/a.yaml": f"{{{{- if true }}}}\n{annotated('a', 'soon')}{{{{- end }}}}\n"}))
    run = linted(tmp_path, helm, WAVE)
    assert places(run) == ["c/templates/a.yaml:7:35"]
    assert notes(run.result.reported[0]) == []


def test_the_line_of_the_value_is_told(helm: Path, tmp_path: Path) -> None:
    files = {
        "values.yaml": "color: red\nwave: soon\n",
        "templates/a.yaml": annotated("a", "{{ .Values.wave | quote }}"),
    }
    write(tmp_path, chart("c", files))
    (item,) = linted(tmp_path, helm, WAVE).result.reported
    assert place(item) == "c/templates/a.yaml:6:35"
    assert "c/values.yaml:2: the value comes from here" in notes(item)


def test_the_line_of_the_value_is_that_of_the_layer_that_decides(tmp_path: Path) -> None:
    files = {"values.yaml": "wave: 1\n", "templates/a.yaml": annotated("a", "{{ .Values.wave | quote }}")}
    app = (
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata:\n  name: web\n  namespace: argocd\n"
        "spec:\n  project: default\n  source:\n    repoURL: https://git.example.com/shop.git\n    path: c\n"
        "    helm:\n      valueFiles:\n        - prod.yaml\n      values: |\n        color: red\n{inline}"
        "  destination:\n    server: https://kubernetes.default.svc\n    namespace: x\n"
    )
    write(tmp_path, {**chart("c", files), "c/prod.yaml": "# prod\nwave: later\n", "app.yaml": app.format(inline="")})
    (item,) = linted(tmp_path, helm4(), WAVE).result.reported
    assert "c/prod.yaml:2: the value comes from here" in notes(item)
    write(tmp_path, {"app.yaml": app.format(inline="        wave: never\n")})
    (item,) = linted(tmp_path, helm4(), WAVE).result.reported
    assert "app.yaml:16: the value comes from here" in notes(item)


HELPERS = '{{- define "c.annotations" -}}\nexample.com/owner: me\nargocd.argoproj.io/sync-wave: "soon"\n{{- end }}\n'


def test_what_stands_in_a_named_template_is_told_there_with_the_line_that_includes_it(
    helm: Path, tmp_path: Path
) -> None:
    include = '  annotations:\n    {{- include "c.annotations" . | nindent 4 }}\n'
    write(tmp_path, chart("c", {"templates/_helpers.tpl": HELPERS, "templates/a.yaml": config_map("a", include)}))
    (item,) = linted(tmp_path, helm, WAVE).result.reported
    assert place(item) == "c/templates/_helpers.tpl:3:31"
    assert "c/templates/a.yaml:6: it is included here, in c/templates/a.yaml" in notes(item)


def test_a_packed_chart_is_told_at_the_entry_that_brings_it(helm: Path, tmp_path: Path) -> None:
    needs = "dependencies:\n  - name: queue\n    version: 2.0.0\n    repository: https://charts.example.com\n"
    write(tmp_path, chart("c", {"templates/a.yaml": config_map("a")}, needs))
    inside = {
        "queue/Chart.yaml": "apiVersion: v2\nname: queue\nversion: 2.0.0\n",
        "queue/templates/q.yaml": annotated("q", "soon"),
        "queue/templates/r.yaml": annotated("r", "late"),
    }
    packed(tmp_path / "c/charts/queue-2.0.0.tgz", inside)
    (item,) = linted(tmp_path, helm, WAVE).result.reported
    assert place(item).startswith("c/Chart.yaml:5:")
    assert item.finding.fixes == ()
    assert any("the same holds for ConfigMap 'r'" in note for note in notes(item))


def test_a_borrowed_chart_is_told_where_it_is(tmp_path: Path) -> None:
    needs = "dependencies:\n  - {name: lib, version: 0.1.0, repository: 'file://../lib'}\n"
    write(tmp_path, chart("c", {"templates/a.yaml": config_map("a")}, needs))
    write(tmp_path, chart("lib", {"templates/b.yaml": annotated("b", "soon")}))
    assert places(linted(tmp_path, helm4(), WAVE)) == ["lib/templates/b.yaml:6:35"]


def test_a_vendored_chart_is_told_where_it_is_with_the_value_of_the_parent(tmp_path: Path) -> None:
    sub = {
        "charts/sub/Chart.yaml": "apiVersion: v2\nname: sub\nversion: 0.1.0\n",
        "charts/sub/values.yaml": "wave: 1\n",
        "charts/sub/templates/b.yaml": annotated("b", "{{ .Values.wave | quote }}"),
    }
    write(tmp_path, chart("c", {"values.yaml": "sub:\n  wave: soon\n", **sub}))
    (item,) = linted(tmp_path, helm4(), WAVE).result.reported
    assert place(item) == "c/charts/sub/templates/b.yaml:6:35"
    assert "c/values.yaml:2: the value comes from here" in notes(item)


# -- one line, many Applications


ANNOTATED = {"templates/a.yaml": annotated("{{ .Release.Name }}", "{{ .Values.wave | quote }}"), "values.yaml": ""}


def test_a_line_that_many_applications_render_is_one_finding(tmp_path: Path) -> None:
    apps = {f"{name}.yaml": application(name, "c", {"values": "wave: soon"}) for name in ("one", "two", "three")}
    write(tmp_path, {**chart("c", ANNOTATED), **apps})
    (item,) = linted(tmp_path, helm4(), WAVE).result.reported
    assert place(item) == "c/templates/a.yaml:6:35"
    assert not [note for note in notes(item) if "so it is in" in note]


def test_the_applications_where_it_holds_are_named_if_it_does_not_hold_for_all(tmp_path: Path) -> None:
    waves = {"one": "soon", "two": "'1'", "three": "later", "four": "'2'"}
    apps = {f"{n}.yaml": application(n, "c", {"values": f"wave: {wave}"}) for n, wave in waves.items()}
    write(tmp_path, {**chart("c", ANNOTATED), **apps})
    (item,) = linted(tmp_path, helm4(), WAVE).result.reported
    (named,) = [note for note in notes(item) if "so it is in" in note]
    assert named == "c/templates/a.yaml:6: so it is in the build of Application 'one', Application 'three'"


def test_what_only_the_values_of_a_test_bring_about_is_not_told(tmp_path: Path) -> None:
    write(tmp_path, chart("c", {**ANNOTATED, "values.yaml": "wave: 1\n", "ci/x-values.yaml": "wave: x\n"}))
    assert linted(tmp_path, helm4(), WAVE).result.reported == ()


# -- fixes


def test_a_fix_changes_the_template_where_it_says_what_comes_out(helm: Path, tmp_path: Path) -> None:
    template = child("{{ .Release.Name }}", "      prune: false  # careful\n      selfHeal: true\n")
    write(tmp_path, chart("c", {"templates/a.yaml": template, "values.yaml": "repo: https://x.example.com\n"}))
    before = printed_by(helm, tmp_path, "c")
    run = fixed(tmp_path, helm, PRUNE)
    assert (run.count, run.linted.result.reported) == (1, ())
    after = (tmp_path / "c/templates/a.yaml").read_text()
    assert after == template.replace("      prune: false  # careful\n", "      # careful\n")
    (now,) = printed_by(helm, tmp_path, "c")
    assert before[0]["spec"]["syncPolicy"] == {"automated": {"prune": False, "selfHeal": True}}
    assert now["spec"]["syncPolicy"] == {"automated": {"selfHeal": True}}


def test_no_fix_where_a_value_decides_and_a_sentence_why(tmp_path: Path) -> None:
    template = child("a", "      prune: {{ .Values.prune }}\n      selfHeal: true\n")
    files = {"templates/a.yaml": template, "values.yaml": "repo: https://x.example.com\nprune: false\n"}
    write(tmp_path, chart("c", files))
    (item,) = linted(tmp_path, helm4(), PRUNE).result.reported
    assert place(item) == "c/templates/a.yaml:17:14"
    assert item.finding.fixes == ()
    told = notes(item)
    assert "c/values.yaml:2: the value comes from here" in told
    assert any("no fix is offered" in note for note in told)
    assert fixed(tmp_path, helm4(), PRUNE).count == 0
    assert (tmp_path / "c/templates/a.yaml").read_text() == template


def test_fixes_twice_change_nothing_the_second_time_and_the_chart_still_renders(helm: Path, tmp_path: Path) -> None:
    job = (
        "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: {{ .Release.Name }}-migrate\n  annotations:\n"
        "    argocd.argoproj.io/hook: PreSync\nspec:\n  template:\n    spec:\n      restartPolicy: Never\n"
        "      containers:\n        - name: migrate\n          image: {{ .Values.image }}\n"
        "          {{- with .Values.args }}\n          args: {{ toYaml . | nindent 12 }}\n          {{- end }}\n"
    )
    files = {
        "values.yaml": "repo: https://x.example.com\nimage: migrate:1\nargs: [up]\n",
        "templates/job.yaml": job,
        "templates/app.yaml": child("{{ .Release.Name }}", "      prune: false\n      selfHeal: true\n"),
        "templates/secret.yaml": "apiVersion: v1\nkind: Secret\nmetadata:\n  name: s\nstringData:\n  a: {{ .Values.image }}\n",
    }
    write(tmp_path, chart("c", files))
    shown = command(tmp_path, "check", "--diff", "--unsafe-fixes", "--isolated", "--helm", str(helm))
    assert "c/templates/app.yaml" in shown.stdout
    assert {path: (tmp_path / "c" / path).read_text() for path in files} == files
    first = fixed(tmp_path, helm, unsafe=True)
    assert first.count >= 3
    state = {path: (tmp_path / "c" / path).read_text() for path in files}
    assert state["templates/job.yaml"] != job
    assert fixed(tmp_path, helm, unsafe=True).count == 0
    assert {path: (tmp_path / "c" / path).read_text() for path in files} == state
    assert len(printed_by(helm, tmp_path, "c")) == 3
    again = command(tmp_path, "check", "--diff", "--unsafe-fixes", "--isolated", "--helm", str(helm))
    assert (again.stdout, again.returncode) == ("", 0)


def test_a_line_that_is_printed_for_several_objects_is_fixed_once(tmp_path: Path) -> None:
    loop = "{{- range .Values.names }}\n---\n" + child("{{ . }}", "      prune: false\n").replace(
        "{{ .Values.repo }}", "https://x.example.com"
    )
    write(tmp_path, chart("c", {"values.yaml": "names: [a, b]\n", "templates/a.yaml": f"{loop}{{{{- end }}}}\n"}))
    (item,) = linted(tmp_path, helm4(), PRUNE).result.reported
    assert place(item) == "c/templates/a.yaml:19:14"
    fixed(tmp_path, helm4(), PRUNE)
    assert "prune" not in (tmp_path / "c/templates/a.yaml").read_text()
    assert [one["metadata"]["name"] for one in printed_by(helm4(), tmp_path, "c")] == ["a", "b"]


# -- ignoring


@pytest.mark.parametrize(
    "comment",
    ["# gitops-lint: ignore[sync-wave-not-integer] why", "{{/* # gitops-lint: ignore[sync-wave-not-integer] why */}}"],
)
@pytest.mark.parametrize("helm_word", ["on", "off"])
def test_ignore_comments_in_templates(tmp_path: Path, comment: str, helm_word: str) -> None:
    helm = helm4() if helm_word == "on" else "off"
    write(tmp_path, chart("c", {"templates/a.yaml": annotated("{{ .Release.Name }}", f"soon  {comment}")}))
    run = linted(tmp_path, helm)
    assert [item.rule.name for item in run.result.reported] == []
    assert run.result.suppressed == 1
    write(tmp_path, {"c/templates/a.yaml": f"{comment}\n{annotated('{{ .Release.Name }}', 'soon')}"})
    assert linted(tmp_path, helm, WAVE).result.reported == ()


def test_an_ignore_comment_that_ignores_nothing_is_told_in_the_template(tmp_path: Path) -> None:
    text = annotated("{{ .Release.Name }}", "'1'  # gitops-lint: ignore[sync-wave-not-integer] why")
    write(tmp_path, chart("c", {"templates/a.yaml": text}))
    (item,) = linted(tmp_path, helm4(), WAVE, "unused-ignore").result.reported
    assert (item.rule.name, place(item).rpartition(":")[0]) == ("unused-ignore", "c/templates/a.yaml:6")


def test_the_annotation_survives_rendering(tmp_path: Path) -> None:
    more = "    gitops-lint.io/ignore: 'sync-wave-not-integer: {{ .Release.Name }} knows'\n"
    write(tmp_path, chart("c", {"templates/a.yaml": annotated("a", "soon") + more}))
    run = linted(tmp_path, helm4(), WAVE)
    assert (run.result.reported, run.result.suppressed) == ((), 1)


# -- without Helm


def test_fifty_applications_with_and_without_helm(helm: Path, tmp_path: Path) -> None:
    line = "      prune: false\n"
    files = {
        f"templates/app-{number}.yaml": (
            "{{- if .Values.enabled }}\n" + child(f"app-{number}", f"{line}      selfHeal: true\n") + "{{- end }}\n"
        )
        for number in range(50)
    }
    values = {"values.yaml": "enabled: true\nrepo: https://x.example.com\n"}
    for word, chosen in (("with", helm), ("without", "off")):
        root = write(tmp_path / word, chart("c", {**files, **values}))
        assert sorted(places(linted(root, chosen, PRUNE))) == sorted(f"c/{path}:18:14" for path in files)
        assert fixed(root, chosen, PRUNE).count == 50
        for path, text in files.items():
            assert (root / "c" / path).read_text() == text.replace(line, "")


def test_without_helm_it_is_said_that_charts_were_not_rendered(tmp_path: Path) -> None:
    write(tmp_path, {**chart("c", {"templates/a.yaml": config_map("a")}), **chart("d", {"templates/a.yaml": "a: 1\n"})})
    done = command(tmp_path, "check", "--isolated", "--helm", "off")
    assert done.returncode == 0
    assert "charts are not rendered without Helm: their templates are read as they stand" in done.stdout
    rendered = command(tmp_path, "check", "--isolated", "--helm", str(helm4()))
    assert "not rendered" not in rendered.stdout + rendered.stderr


SILENT = {
    "an annotation that an action prints": annotated("a", "{{ .Values.wave }}"),
    "one of which it prints a part": annotated("a", "soon-{{ .Values.wave }}"),
    "annotations that an action prints": config_map("a", "  annotations: {{- toYaml .Values.notes | nindent 4 }}\n"),
    "a volume in two branches": (
        "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\nspec:\n  containers:\n    - {name: a, image: a}\n  volumes:\n"
        "    {{- if .Values.a }}\n    - name: data\n      emptyDir: {}\n    {{- else }}\n    - name: data\n"
        "      persistentVolumeClaim: {claimName: a}\n    {{- end }}\n"
    ),
    "a key in two branches": (
        "{{- if .Values.a }}\nkind: ConfigMap\n{{- else }}\nkind: Secret\n{{- end }}\napiVersion: v1\nmetadata:\n  name: a\n"
    ),
    "a version for old clusters": (
        '{{- if .Capabilities.APIVersions.Has "policy/v1" }}\napiVersion: policy/v1\n{{- else }}\n'
        "apiVersion: policy/v1beta1\n{{- end }}\nkind: PodDisruptionBudget\nmetadata:\n  name: a\nspec:\n"
        "  minAvailable: 1\n  selector: {matchLabels: {a: b}}\n"
    ),
    "an object for old clusters": (
        '{{- $old := semverCompare "<1.25-0" .Capabilities.KubeVersion.Version }}\n{{- if $old }}\n'
        "apiVersion: policy/v1beta1\nkind: PodSecurityPolicy\nmetadata:\n  name: {{ .Release.Name }}\n"
        "spec: {privileged: false}\n{{- end }}\n"
    ),
    "a secret that is made up": (
        "apiVersion: v1\nkind: Secret\nmetadata:\n  name: a\n  annotations:\n"
        "    argocd.argoproj.io/sync-options: Prune=false,Delete=false\nstringData:\n"
        "  password: {{ .Values.password | quote }}\n"
    ),
    "a hook by value": config_map("a", "  annotations:\n    argocd.argoproj.io/hook: {{ .Values.hook }}\n"),
    "a name by value": config_map("{{ .Values.name }}"),
}


@pytest.mark.parametrize("name", SILENT)
def test_nothing_is_said_without_helm_about_what_only_a_render_knows(tmp_path: Path, name: str) -> None:
    write(tmp_path, chart("c", {"templates/a.yaml": SILENT[name]}))
    assert linted(tmp_path, "off").result.reported == ()


def test_names_that_are_not_known_are_left_out_of_messages(tmp_path: Path) -> None:
    write(tmp_path, chart("c", {"templates/a.yaml": annotated("{{ .Release.Name }}-cache", "soon")}))
    (item,) = linted(tmp_path, "off", WAVE).result.reported
    assert item.resource is not None
    assert item.resource.display_name == "…-cache"
    assert "ue000" not in repr(item.finding.message)


def test_named_templates_are_no_objects_of_their_own(tmp_path: Path) -> None:
    define = f'{{{{ define "x" }}}}\n{annotated("a", "soon")}{{{{ end }}}}\n'
    write(tmp_path, chart("c", {"templates/_object.yaml": define, "templates/b.yaml": config_map("b")}))
    assert linted(tmp_path, "off", WAVE).result.reported == ()


# -- secrets


SECRET = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: s\n{field}:\n  other: a\n  password: {value}\n"


@pytest.mark.parametrize(
    ("field", "value", "is_found"),
    [
        ("stringData", "hunter2-and-more", True),
        ("stringData", "{{ .Values.password }}", True),
        ("data", "{{ .Values.password | b64enc }}", True),
        ("stringData", "{{ randAlphaNum 20 }}", False),
        ("data", "{{ randAlphaNum 20 | b64enc | quote }}", False),
        ("stringData", '{{ include "made" . }}', False),
    ],
)
def test_a_password_is_in_plain_text_only_if_it_stands_in_git(
    tmp_path: Path, field: str, value: str, is_found: bool
) -> None:
    files = {
        "values.yaml": "password: correct-horse-battery\n",
        "templates/s.yaml": SECRET.format(field=field, value=value),
        "templates/_made.tpl": '{{ define "made" }}{{ randAlphaNum 20 }}{{ end }}\n',
    }
    write(tmp_path, chart("c", files))
    assert bool(places(linted(tmp_path, helm4(), "secret-plaintext"))) is is_found


# -- Applications out of charts


def test_inline_values_that_a_chart_prints_are_read_as_printed(tmp_path: Path) -> None:
    template = child("a", "      selfHeal: true\n").replace(
        "    path: plain\n", "    path: c\n    helm:\n      values: |\n        {{ toYaml .Values | nindent 8 }}\n"
    )
    files = {"templates/a.yaml": template, "values.yaml": "repo: https://x.example.com\na:\n  b: 1\n"}
    write(tmp_path, chart("root", files))
    assert places(linted(tmp_path, helm4(), "helm-inline-values-invalid")) == []
    write(tmp_path, {"root/templates/a.yaml": template.replace("toYaml .Values | nindent 8", '"a: ["')})
    (item,) = linted(tmp_path, helm4(), "helm-inline-values-invalid").result.reported
    assert place(item).startswith("root/templates/a.yaml:13:")


def test_what_values_decide_is_a_note_where_nobody_may_use_these_values(helm: Path, tmp_path: Path) -> None:
    files = {
        "values.yaml": "wave: soon\n",
        "templates/a.yaml": annotated("a", "{{ .Values.wave | quote }}"),
        "templates/b.yaml": annotated("b", "later"),
    }
    write(tmp_path, chart("c", files))
    first, second = linted(tmp_path, helm, WAVE).result.reported
    assert (str(first.severity), str(first.confidence)) == ("note", "low")
    assert first.finding.wording.happens.endswith("With the chart's own values, which no Application here uses.")
    assert (str(second.severity), str(second.confidence)) == ("warning", "high")
    write(tmp_path, {"app.yaml": application("web", "c")})
    assert [str(item.severity) for item in linted(tmp_path, helm, WAVE).result.reported] == ["warning", "warning"]


# -- what Argo CD makes of it


def test_an_inline_patch_of_an_application_is_read_as_the_chart_prints_it(tmp_path: Path) -> None:
    patch = (
        "    kustomize:\n      patches:\n        - target:\n            kind: ConfigMap\n          patch: |-\n"
        "            - op: add\n              path: /data\n              value: {a: b}\n"
    )
    app = child("web", "      prune: true\n").replace("    path: plain\n", f"    path: plain\n{patch}")
    files = {
        "values.yaml": "repo: https://git.example.com/shop.git\n",
        "templates/app.yaml": f"{{{{- if true }}}}\n{app}{{{{- end }}}}\n",
    }
    plain = {"plain/kustomization.yaml": "resources:\n- a.yaml\n", "plain/a.yaml": config_map("a")}
    write(tmp_path, {**chart("c", files), "root.yaml": application("root", "c"), **plain})
    assert places(linted(tmp_path, helm3(), "kustomize-build-fails", "kustomize-patch-no-match")) == []


def test_a_chart_is_rendered_with_the_kinds_of_the_cluster(tmp_path: Path) -> None:
    template = (
        '{{- if .Capabilities.APIVersions.Has "policy/v1/PodDisruptionBudget" }}\napiVersion: policy/v1\n{{- else }}\n'
        "apiVersion: policy/v1beta1\n{{- end }}\nkind: PodDisruptionBudget\nmetadata:\n  name: a\n"
        '---\n{{- if .Capabilities.APIVersions.Has "example.com/v1/Shop" }}\napiVersion: policy/v1beta1\n'
        "kind: PodDisruptionBudget\nmetadata:\n  name: b\n{{- end }}\n"
    )
    crd = (
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: shops.example.com}\n"
        "spec:\n  group: example.com\n  names: {kind: Shop, plural: shops}\n  scope: Namespaced\n"
        "  versions:\n  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}\n"
    )
    write(tmp_path, {**chart("c", {"templates/a.yaml": template}), "app.yaml": application("web", "c")})
    assert places(linted(tmp_path, helm3(), "removed-api-version")) == []
    write(tmp_path, {"crds/crd.yaml": crd})
    assert places(linted(tmp_path, helm3(), "removed-api-version")) == ["c/templates/a.yaml:11:13"]


def test_randomness_of_a_library_is_told_where_it_comes_out(tmp_path: Path) -> None:
    library = {
        **chart("c/charts/lib", {}, "type: library\n"),
        "c/charts/lib/templates/_a.tpl": '{{- define "lib.secret" -}}\n{{ randAlphaNum 12 }}\n{{- end -}}\n',
    }
    secret = 'apiVersion: v1\nkind: Secret\nmetadata:\n  name: a\nstringData:\n  a: {{ include "lib.secret" . }}\n'
    write(tmp_path, {**chart("c", {"templates/a.yaml": secret}), **library, "app.yaml": application("web", "c")})
    (item,) = linted(tmp_path, helm3(), "helm-nondeterministic-template").result.reported
    assert place(item).startswith("c/templates/a.yaml:6:")
    assert str(item.severity) == "error"


def test_what_a_lookup_leaves_to_chance_is_told_once(tmp_path: Path) -> None:
    """At the lookup; not again at the lines that print it, though the chart could make a certificate, too."""
    helpers = (
        '{{- define "c.password" }}{{- $old := (lookup "v1" "Secret" .Release.Namespace "a").data }}'
        '{{- if $old }}{{ index $old "p" | b64dec }}{{- else }}{{ randAlphaNum 9 }}{{- end }}{{- end }}\n'
    )
    secret = 'apiVersion: v1\nkind: Secret\nmetadata:\n  name: a\nstringData:\n  p: {{ include "c.password" . }}\n'
    tls = (
        '{{- if .Values.tls }}\n{{- $ca := genCA "c" 9 }}\napiVersion: v1\nkind: Secret\nmetadata:\n  name: b\n'
        "stringData:\n  ca: {{ $ca.Cert | quote }}\n{{- end }}\n"
    )
    files = {"templates/_h.tpl": helpers, "templates/a.yaml": secret, "templates/b.yaml": tls}
    write(tmp_path, {**chart("c", files), "c/values.yaml": "tls: false\n", "app.yaml": application("web", "c")})
    rules = ("helm-nondeterministic-template", "helm-lookup-in-template")
    told = [
        item
        for rule in rules
        for item in linted(tmp_path, helm3(), rule).result.reported
        if str(item.severity) != "note"
    ]
    assert [(item.rule.code, place(item).split(":")[0]) for item in told] == [("GL735", "c/templates/_h.tpl")]


def test_randomness_that_is_not_compared_is_not_told(tmp_path: Path) -> None:
    secret = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: a\nstringData:\n  a: {{ randAlphaNum 12 }}\n"
    settings = f"{config_map('b')}data:\n  b: {{{{ randAlphaNum 12 }}}}\n"
    app = application("web", "c", ignoreDifferences=[{"kind": "Secret", "jsonPointers": ["/data"]}])
    write(tmp_path, {**chart("c", {"templates/a.yaml": secret}), "app.yaml": app})
    assert places(linted(tmp_path, helm3(), "helm-nondeterministic-template")) == []
    write(tmp_path, {"c/templates/b.yaml": settings})
    assert places(linted(tmp_path, helm3(), "helm-nondeterministic-template")) == ["c/templates/b.yaml:6:9"]
    write(tmp_path, {"other.yaml": application("other", "c")})  # which compares it
    found = places(linted(tmp_path, helm3(), "helm-nondeterministic-template"))
    assert found == ["c/templates/a.yaml:6:9", "c/templates/b.yaml:6:9"]


def test_the_year_of_a_copyright_is_the_same_for_a_long_time(tmp_path: Path) -> None:
    text = f'{config_map("a")}data:\n  year: {{{{ now | date "2006" | quote }}}}\n'
    write(tmp_path, {**chart("c", {"templates/a.yaml": text}), "app.yaml": application("web", "c")})
    assert places(linted(tmp_path, helm3(), "helm-nondeterministic-template")) == []
    write(tmp_path, {"c/templates/a.yaml": text.replace("2006", "2006-01-02 15:04")})
    assert places(linted(tmp_path, helm3(), "helm-nondeterministic-template")) == ["c/templates/a.yaml:6:12"]


def test_a_looked_up_value_that_is_not_compared_is_not_told(tmp_path: Path) -> None:
    found = '{{ $there := lookup "v1" "Secret" .Release.Namespace "a" }}\n'
    value = "{{ if $there }}{{ $there.data.a }}{{ else }}{{ randAlphaNum 12 | b64enc }}{{ end }}"
    secret = f"{found}apiVersion: v1\nkind: Secret\nmetadata:\n  name: a\ndata:\n  a: {value}\n"
    app = application("web", "c", ignoreDifferences=[{"kind": "Secret", "jqPathExpressions": [".data.a"]}])
    write(tmp_path, {**chart("c", {"templates/a.yaml": secret}), "app.yaml": app})
    assert places(linted(tmp_path, helm3(), "helm-lookup-in-template")) == []
    write(tmp_path, {"other.yaml": application("other", "c")})  # which compares it
    assert places(linted(tmp_path, helm3(), "helm-lookup-in-template")) == ["c/templates/a.yaml:1:14"]


# -- rules start nothing


def test_no_rule_starts_a_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What they want to know of Helm, lines and second renderings, is asked when they are done."""
    started: list[list[str]] = []
    real = subprocess.Popen.__init__

    def noting(self: Any, *words: Any, **more: Any) -> None:
        started.append([frame.filename.replace("\\", "/") for frame in traceback.extract_stack()])
        real(self, *words, **more)

    monkeypatch.setattr(subprocess.Popen, "__init__", noting)
    job = (
        "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: migrate\n  annotations: {argocd.argoproj.io/hook: PreSync}\n"
        "spec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: a}]}}}\n"
    )
    random = "apiVersion: v1\nkind: Secret\nmetadata: {name: key}\nstringData:\n  key: {{ randAlphaNum 9 | quote }}\n"
    files = chart("charts/shop", {"templates/job.yaml": job, "templates/key.yaml": random})
    write(tmp_path, {**files, "apps/shop.yaml": application("shop", "charts/shop")})
    run = linted(tmp_path, helm3())
    told = {item.rule.name for item in run.result.reported}
    assert {"hook-without-deadline", "helm-nondeterministic-template"} <= told
    assert len(started) > 1, "Helm was asked, and asked again"
    assert not [frames for frames in started if any("/rules/" in name and "/tests/" not in name for name in frames)]


# -- values of nobody


@pytest.mark.parametrize(("by_hand", "severity"), [(True, "note"), (False, "warning")])
def test_what_a_chart_that_somebody_installs_hands_on_is_a_guess(
    helm: Path, tmp_path: Path, by_hand: bool, severity: str
) -> None:
    """Its own values leave the domain empty, which says nothing of the Applications of the chart that it is handed to."""
    handed = {"parameters": [{"name": "domain", "value": "{{ .Values.domain }}"}]}
    root = application("root", "apps", helm=handed if by_hand else None)
    child = application("web", "plain", helm=handed)
    files = {
        **(chart("bootstrap", {"templates/root.yaml": root}) if by_hand else {"root.yaml": root}),
        **chart("apps", {"templates/web.yaml": child, "values.yaml": "domain:\n"}),
        "plain/a.yaml": config_map("a"),
    }
    run = linted(write(tmp_path, files), helm, "explicit-zero-value")
    found = {str(one.severity) for one in run.result.reported if one.file.path == "apps/templates/web.yaml"}
    assert found == {severity}


# -- how large


@pytest.mark.parametrize(("fields", "found"), [(1_750, []), (2_600, ["c/Chart.yaml:5:5"])])
def test_a_definition_of_a_packed_chart_is_measured_as_it_comes_out(
    helm: Path, tmp_path: Path, fields: int, found: list[str]
) -> None:
    """1,750 fields are 290 kB of YAML, a third of it indentation, which JSON has not; and no file here has that text."""
    field = (
        "                field{0}:\n                  type: string\n"
        "                  description: The number {0} of a great many fields that an operator has.\n"
    )
    text = (
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: widgets.example.com\n"
        "spec:\n  group: example.com\n  versions:\n    - name: v1\n      schema:\n        openAPIV3Schema:\n"
        "          properties:\n            spec:\n              properties:\n"
        f"{''.join(map(field.format, range(fields)))}"
    )
    write(tmp_path, chart("c", {}, "dependencies:\n  - name: d\n    version: 1.2.3\n"))
    packed(tmp_path / "c/charts/d-1.2.3.tgz", chart("d", {"templates/crd.yaml": text}))
    assert places(linted(tmp_path, helm, TOO_LARGE)) == found
