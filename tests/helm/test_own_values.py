"""Charts rendered with their own values, for nobody in particular."""

from __future__ import annotations

from pathlib import Path

from chart_repositories import REPO_URL, chart, linted, write
from real_tools import helm as helm4


def test_a_root_that_goes_where_its_release_goes_is_one_application(tmp_path: Path) -> None:
    """First its chart is rendered for nobody, in the namespace default; then by itself, in argocd."""
    template = (
        "{{- range .Values.apps }}\n---\napiVersion: argoproj.io/v1alpha1\nkind: Application\n"
        "metadata:\n  name: {{ .name }}\n  namespace: {{ $.Release.Namespace }}\nspec:\n  project: default\n"
        f"  source:\n    repoURL: {REPO_URL}\n    path: {{{{ .path }}}}\n"
        "  destination:\n    server: https://kubernetes.default.svc\n    namespace: {{ .namespace }}\n{{- end }}\n"
    )
    values = "apps:\n  - {name: root, path: root, namespace: argocd}\n  - {name: shop, path: shop, namespace: shop}\n"
    write(tmp_path, chart("root", {"values.yaml": values, "templates/apps.yaml": template}))
    write(tmp_path, {"shop/a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"})
    run = linted(tmp_path, helm4(), "resource-in-two-applications")
    assert [(app.name, app.application.namespace) for app in run.repo.applications if app.application] == [
        ("root", "argocd"),
        ("shop", "argocd"),
    ]
    assert not run.result.reported


def test_an_application_that_the_values_switch_off_is_still_read(tmp_path: Path) -> None:
    app = (
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata:\n  name: shop\n  namespace: argocd\n"
        f"spec:\n  source: {{repoURL: {REPO_URL}, path: shop}}\n  destination: {{name: in-cluster, namespace: shop}}\n"
        "  syncPolicy:\n    automated:\n      prune: false\n"
    )
    off = "{{- if .Values.seeds }}\n" + app + "{{- end }}\n"
    write(tmp_path, chart("root", {"values.yaml": "seeds: false\n", "templates/app.yaml": off}))
    (found,) = linted(tmp_path, helm4(), "explicit-prune-false").result.reported
    assert found.finding.at.file.path.endswith("root/templates/app.yaml")


def test_a_key_that_a_template_prints_twice(tmp_path: Path) -> None:
    job = (
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  annotations:\n    a: one\n"
        "  labels:\n{{- range .Values.labels }}\n    {{ . }}: one\n{{- end }}\n    b: two\n"
        "  annotations:\n    c: two\n"
    )
    write(tmp_path, chart("shop", {"values.yaml": "labels: [d, e]\n", "templates/a.yaml": job}))
    (found,) = linted(tmp_path, helm4(), "duplicate-yaml-key").result.reported
    assert found.finding.at.file.position(found.finding.at.span.start).line == 5
