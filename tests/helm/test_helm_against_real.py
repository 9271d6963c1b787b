"""What the rules about charts say of Helm, held against the real one."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from gitops_lint.linter.helm.lock_digest import is_current
from gitops_lint.linter.helm.printed_values import printed
from real_tools import helm
from support import repo_of, rule_named, run_rules

CHART = "apiVersion: v2\nname: {}\nversion: 1.2.3\n"


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    home = {"HOME": str(folder), "HELM_CACHE_HOME": str(folder / "c"), "HELM_CONFIG_HOME": str(folder / "f")}
    return subprocess.run([str(helm()), *words], cwd=folder, env=home, capture_output=True, text=True, timeout=120)


def write(folder: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, "utf-8")


def read(folder: Path) -> dict[str, str]:
    kept = (path for path in folder.rglob("*") if path.is_file() and path.suffix != ".tgz")
    return {str(path.relative_to(folder)): path.read_text("utf-8") for path in kept}


def lines(files: dict[str, str], rule: str, severity: str = "") -> list[tuple[str, int]]:
    found = run_rules(files, [rule_named(rule)])
    return [(one.file.path, one.start.line) for one in found if not severity or str(one.severity) == severity]


DEPENDENCIES = [
    "- {name: s, version: '>=1.0.0 <2.0.0', repository: 'file://../s'}",
    "- {name: s, version: 1.2.3, repository: 'file://../s', alias: t, condition: 't.on,global.t', tags: [a, b]}",
    "- name: s\n  version: ^1\n  repository: file://../s\n  import-values: [data, {child: a.b, parent: c & d}]\n",
]


@pytest.mark.parametrize("declared", DEPENDENCIES)
@pytest.mark.parametrize("api_version", ["v1", "v2"])
def test_the_digest_of_a_lock(tmp_path: Path, declared: str, api_version: str) -> None:
    chart = CHART.format("p").replace("v2", api_version) + "dependencies:\n" + declared + "\n"
    write(tmp_path, {"p/Chart.yaml": chart, "s/Chart.yaml": CHART.format("s")})
    done = run(tmp_path / "p", "dependency", "update")
    assert done.returncode == 0, done.stderr
    one = repo_of(read(tmp_path)).charts.by_folder["p"]
    assert one.lock is not None
    assert is_current(one, one.lock) is True
    changed = repo_of({**read(tmp_path), "p/Chart.yaml": chart.replace("name: s", "name: r")}).charts.by_folder["p"]
    assert changed.lock is not None
    assert is_current(changed, changed.lock) is False


def test_a_lock_that_helm_refuses(tmp_path: Path) -> None:
    chart = CHART.format("p") + "dependencies:\n" + DEPENDENCIES[1] + "\n"
    write(tmp_path, {"p/Chart.yaml": chart, "s/Chart.yaml": CHART.format("s")})
    assert run(tmp_path / "p", "dependency", "update").returncode == 0
    for archive in (tmp_path / "p" / "charts").iterdir():
        archive.unlink()
    assert lines(read(tmp_path), "helm-dependency-lock-stale") == []
    write(tmp_path, {"p/Chart.yaml": chart.replace("t.on", "t.off")})
    done = run(tmp_path / "p", "dependency", "build")
    assert done.returncode
    assert "out of sync" in done.stderr
    assert lines(read(tmp_path), "helm-dependency-lock-stale") == [("p/Chart.lock", 5)]


@pytest.mark.parametrize(
    ("declared", "fails"),
    [
        ("- {name: s, version: 1.x, repository: 'file://../s'}", False),
        ("- {name: s, version: 2.x, repository: 'file://../s'}", True),
        ("- {name: s, version: 1.x, repository: 'file://../r'}", True),
        ("- {name: r, version: 1.x, repository: 'file://../s'}", True),
        ("- {name: s, version: 1.x, repository: 'file://../r', condition: s.on}", True),
        ("- {name: s, version: 1.x}", True),
    ],
)
def test_dependencies_that_helm_does_not_find(tmp_path: Path, declared: str, fails: bool) -> None:
    write(
        tmp_path, {"p/Chart.yaml": f"{CHART.format('p')}dependencies:\n{declared}\n", "s/Chart.yaml": CHART.format("s")}
    )
    files = read(tmp_path)
    run(tmp_path / "p", "dependency", "build")
    assert (run(tmp_path / "p", "template", "x", ".").returncode != 0) is fails
    assert bool(lines(files, "helm-dependency-missing", "error")) is fails


NUMBERS = [1_000_000, 999_999, 1_234_567, 12_345_678, 123_456_789_012, 1.5, -5_000_000, 0, 0.25]


def test_how_helm_prints_numbers(tmp_path: Path) -> None:
    values = "".join(f"v{at}: {number}\n" for at, number in enumerate(NUMBERS))
    template = "".join(f"v{at}: {{{{ .Values.v{at} | quote }}}}\n" for at, number in enumerate(NUMBERS))
    write(tmp_path, {"Chart.yaml": CHART.format("p"), "values.yaml": values, "templates/a.yaml": template})
    out = run(tmp_path, "template", "x", ".").stdout
    assert [line.partition(": ")[2].strip('"') for line in out.splitlines()[2:]] == [printed(one) for one in NUMBERS]
    large = [at + 1 for at, number in enumerate(NUMBERS) if abs(number) >= 1_000_000]
    assert lines(read(tmp_path), "helm-number-scientific") == [("templates/a.yaml", line) for line in large]


SECRET = """\
l1: {{ randAlphaNum 16 }}
l2: {{ .Values.set | default (randAlphaNum 16) }}
l3: {{ .Values.unset | default (randAlphaNum 16) }}
l4: {{ coalesce .Values.unset .Values.set (uuidv4) }}
l5: {{ if .Values.set }}{{ uuidv4 }}{{ end }}
l6: {{ if not .Values.set }}{{ uuidv4 }}{{ end }}
{{- $v := randAlpha 9 }}
l8: {{ $v }}
{{- $w := randAlpha 9 }}
l10: {{ .Values.set | default $w }}
l11: {{ ternary (uuidv4) "x" .Values.on }}
l12: {{ ternary "x" (uuidv4) .Values.on }}
{{- with .Values.map }}
l14: {{ .inner | default (randAlpha 9) }}
l15: {{ .none | default (randAlpha 9) }}
{{- end }}
l17: {{ include "p.used" . }}
l18: {{ and .Values.unset (uuidv4) }}
l19: {{ or .Values.set (uuidv4) }}
{{- if and .Values.set (eq .Values.set "abc") (or .Values.unset (not .Values.unset)) }}
l21: {{ uuidv4 }}
{{- else if .Values.set }}
l23: {{ uuidv4 }}
{{- end }}
"""
HELPERS = '{{- define "p.used" }}{{ randAlpha 9 }}{{ end }}\n{{- define "p.not" }}{{ randAlpha 9 }}{{ end }}\n'


def test_what_two_renders_have_otherwise_is_what_the_rule_calls_an_error(tmp_path: Path) -> None:
    files = {
        "Chart.yaml": CHART.format("p"),
        "values.yaml": "set: abc\nunset: ''\non: true\nmap: {inner: x}\n".replace("on:", "'on':"),
        "templates/a.yaml": SECRET,
        "templates/_helpers.tpl": HELPERS,
    }
    write(tmp_path, files)
    renders = [run(tmp_path, "template", "x", ".").stdout.splitlines() for _ in range(2)]
    assert len(renders[0]) > 15
    differing = {one.partition(":")[0] for one, other in zip(*renders, strict=True) if one != other}
    used = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: x}\nspec: {source: SOURCE}\n"
    used = used.replace("SOURCE", "{repoURL: 'https://git.example.com/p.git', path: .}")
    found = lines({**files, "app.yaml": used}, "helm-nondeterministic-template", "error")
    assert ("templates/_helpers.tpl", 1) in found
    assert ("templates/_helpers.tpl", 2) not in found
    named = {7: "l8", 9: "l10"}  # a variable is told where it is made
    told = {named.get(line, f"l{line}") for path, line in found if path == "templates/a.yaml"}
    assert told | {"l17"} == differing


@pytest.mark.parametrize(
    ("values", "refused"),
    [
        ("replicas: 2\n", False), ("replicas: 2.0\n", False), ("replicas: two\n", True), ("replicas: 0\n", True),
        ("image: {tag: 1.5}\n", True), ("image: {tag: '1.5'}\n", False), ("image: {repository: null}\n", True),
        ("image: {other: 1}\n", True), ("mode: b\n", False), ("mode: c\n", True), ("other: 1\n", False),
    ],
)  # fmt: skip
def test_a_schema_is_kept_to_as_helm_does(tmp_path: Path, values: str, refused: bool) -> None:
    schema = """{"$schema": "http://json-schema.org/draft-07/schema#", "properties": {
      "replicas": {"type": "integer", "minimum": 1}, "mode": {"enum": ["a", "b"]},
      "image": {"type": "object", "required": ["repository"], "additionalProperties": false,
                "properties": {"repository": {"type": "string"}, "tag": {"type": "string"}}}}}"""
    application = (
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: x}\nspec:\n  source:\n"
        "    repoURL: https://git.example.com/a\n    path: p\n    helm:\n      valueFiles: [/values.yaml]\n"
    )
    files = {
        "app.yaml": application,
        "values.yaml": values,
        "p/Chart.yaml": CHART.format("p"),
        "p/values.yaml": "replicas: 1\nimage: {repository: x}\n",
        "p/values.schema.json": schema,
        "p/templates/a.yaml": "a: 1\n",
    }
    write(tmp_path, files)
    assert (run(tmp_path, "template", "x", "p", "-f", "values.yaml").returncode != 0) is refused
    assert bool(lines(files, "helm-values-schema-violation", "error")) is refused


def test_null_takes_the_table_of_a_subchart_away(tmp_path: Path) -> None:
    files = {
        "Chart.yaml": CHART.format("p"),
        "values.yaml": "sub:\n  table:\n  other: {}\n",
        "charts/sub/Chart.yaml": CHART.format("sub"),
        "charts/sub/values.yaml": "table: {a: 1}\nother: {a: 1}\n",
        "charts/sub/templates/a.yaml": "a: {{ .Values.other.a }}\n",
    }
    write(tmp_path, files)
    assert run(tmp_path, "template", "x", ".").returncode == 0
    assert lines(files, "helm-subchart-null-value") == [("values.yaml", 2)]
    write(tmp_path, {"charts/sub/templates/a.yaml": "a: {{ .Values.table.a }}\n"})
    done = run(tmp_path, "template", "x", ".")
    assert done.returncode
    assert "nil pointer" in done.stderr
