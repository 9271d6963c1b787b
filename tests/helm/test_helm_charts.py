"""Charts without Helm: templates read as text, values laid over each other, versions, and what hostile ones do."""

from __future__ import annotations

from pathlib import Path

import pytest
from gitops_lint.linter.dialects.semver_ranges import is_exact, satisfies
from gitops_lint.linter.helm.chart_layout import ChartLayout
from gitops_lint.linter.helm.merged_values import find, overlay, plain
from gitops_lint.linter.helm.printed_values import printed, type_of_printed
from gitops_lint.linter.helm.run.lent_dependencies import dependencies_of
from gitops_lint.linter.helm.schema_check import violations
from gitops_lint.linter.helm.statements import includes, statements_of
from gitops_lint.linter.helm.template_file import TemplateFile
from gitops_lint.linter.helm.value_layers import Parameter, typed
from gitops_lint.linter.yaml.source import SourceFile
from support import repo_of


@pytest.mark.parametrize(
    ("version", "constraint", "verdict"),
    [
        ("1.2.3", "^1.0.0", True), ("2.0.0", "^1.0.0", False), ("0.3.0", "^0.2.1", False), ("0.2.9", "^0.2.1", True),
        ("0.0.4", "^0.0.3", False), ("0.4.9", "~0.4.0", True), ("0.5.0", "~0.4", False), ("1.9.0", "~1", True),
        ("1.2.3", "1.x", True), ("1.2.3", "*", True), ("1.2.3", "=1.2", True), ("1.3.0", "1.2", False),
        ("1.2.3-beta", "^1.0.0", False), ("1.2.3-beta.2", "^1.2.3-beta.1", True), ("1.2.3", ">=1.0.0 <2.0.0", True),
        ("1.2.3", ">=1.0.0, <1.2.0", False), ("2.2.3", "1.x || 2.x", True), ("1.2.3", "1.0.0 - 2.0.0", True),
        ("1.3.0", ">1.2", True), ("1.2.9", ">1.2", False), ("1.2.3", "!=1.2.3", False), ("v1.2.3", "1.2.3", True),
        ("1.2.3", "latest", None), ("main", "1.x", None),
    ],
)  # fmt: skip
def test_ranges_of_versions(version: str, constraint: str, verdict: bool | None) -> None:
    assert satisfies(version, constraint) is verdict


def test_only_three_numbers_are_one_version() -> None:
    assert [one for one in ("1.2.3", "v1.2.3-rc.1+x", "=1.2.3", "1.2", "^1.2.3", "1.2.x") if is_exact(one)] == [
        "1.2.3",
        "v1.2.3-rc.1+x",
        "=1.2.3",
    ]


def test_values_are_laid_over_each_other_and_null_takes_away() -> None:
    tree = {}
    for number, text in enumerate(
        ("a: {b: 1, c: 2}\nd: [1]\ne: 1\nn: null\n", "a: {b: null, x: 3}\nd: [2]\ne: {f: 1}\n")
    ):
        overlay(tree, SourceFile("values.yaml", text).documents[0].root, keeps_null=number == 0)
    assert plain(tree) == {"a": {"c": 2, "x": 3}, "d": [2], "e": {"f": 1}, "false": None}
    leaf = find(tree, ["a", "x"])
    assert leaf is not None
    assert not isinstance(leaf, dict)
    assert leaf.at.pointer == "/a/x"


def test_names_and_values_of_parameters() -> None:
    at = SourceFile("a.yaml", "a: 1").documents[0].root
    assert Parameter("a.b\\.c.d", "", at).steps == ("a", "b.c", "d")
    assert [Parameter(name, "", at).steps for name in ("a[0].b", "a=b", "{a}", "a.", "", "a,b", "a\\")] == [None] * 7
    assert [typed(one) for one in ("true", "null", "5", "-5", "05", "1.5", "")] == [True, None, 5, -5, "05", "1.5", ""]


def test_how_values_are_printed() -> None:
    assert [printed(one) for one in (1_000_000, 999_999, 12_345_678, 1.5, -5_000_000, 0, True, "text", None)] == [
        "1e+06", "999999", "1.2345678e+07", "1.5", "-5e+06", "0", "true", "text", "",
    ]  # fmt: skip
    assert printed(1_000_000, is_typed=True) == "1000000"
    assert [type_of_printed(one) for one in ("1e+06", "on", "5.0", "a", "null")] == [
        "a number", "a boolean", "a number", "", "",
    ]  # fmt: skip


def test_actions_know_their_blocks() -> None:
    text = (
        '{{- define "a" }}{{ if .x }}1{{ else if .y }}2{{ print 3 }}{{ else }}{{ include "b" . }}{{ end }}{{ end }}'
        '{{/* {{ print 4 }} */}}{{ "}}" }}{{ template "a" . }}{{ range .z }}{{ include (print 5) . }}{{ end }}'
    )
    actions = statements_of(TemplateFile("t.yaml", text))
    printing = next(one for one in actions if any(call.name == "print" for call in one.calls))
    assert printing.define == "a"
    assert [(guard.kind, str(guard.condition), guard.holds) for guard in printing.guards if hasattr(guard.condition, "base")] == [
        ("if", ".x", False),
        ("if", ".y", True),
    ]  # fmt: skip
    assert [name for one in actions for name in includes(one)] == ["b", "a", None]
    assert next(one for one in actions if one.keyword == "template").guards == ()


@pytest.mark.parametrize(
    "text",
    [
        "{{", "{{ end }}", "{{ else }}{{ end }}{{ end }}", "{{/* never closed", '{{ "never closed }}', "{{ | | ) }}",
        "{{ if }}" * 3_000, "{{ " + "(" * 20_000 + " }}", "{{ " + "a " * 50_000 + "}}", "{{ $x := $x }}{{ $x }}",
        '{{ define "a" }}{{ include "a" . }}{{ randAlpha 5 }}{{ end }}{{ include "a" . }}',
        "{{ $a := $b }}{{ $b := $a }}{{ if $a }}{{ now }}{{ end }}", "\0{{ now }}\ud800", "{{ .Values" + ".a" * 5_000 + " }}",
    ],
)  # fmt: skip
def test_no_template_is_too_much(text: str) -> None:
    from gitops_lint.rules import load
    from support import run_rules

    files = {
        "Chart.yaml": "apiVersion: v2\nname: a\nversion: 1.0.0\n",
        "templates/a.yaml": text,
        "values.yaml": "a: 1\n",
    }
    found = run_rules(files, [rule for rule in load() if rule.topic == "helm"])
    assert {item.file.path for item in found} <= {"templates/a.yaml"}


def test_schemas_are_bounded() -> None:
    twice = {"allOf": [{"$ref": "#/$defs/b"}, {"$ref": "#/$defs/b"}]}
    assert violations({"$defs": {"a": twice, "b": {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/a"}, {}) is None
    levels = {f"l{n}": {"allOf": [{"$ref": f"#/$defs/l{n + 1}"}] * 2} for n in range(40)}
    assert violations({"$defs": {**levels, "l40": {}}, "$ref": "#/$defs/l0"}, {}) is None
    assert violations({"$ref": "https://example.com/schema.json"}, {}) is None
    assert violations({"type": "strange"}, {}) is None
    bad = {
        "properties": {"a": {"pattern": "^(a+)+$"}},
        "patternProperties": {"^(b+)+$": {}},
        "additionalProperties": False,
    }
    found = violations(bad, {"a": "a" * 40 + "!", "b" * 40 + "!": 1})
    assert found is not None
    assert {one.keyword for one in found} == {"pattern", "additionalProperties"}


def test_ignore_comments_count_in_templates() -> None:
    from datetime import date

    from gitops_lint.linter.lint.config import Config
    from gitops_lint.linter.lint.engine import Run
    from gitops_lint.linter.lint.triage import triage
    from gitops_lint.rules import load
    from support import rule_named

    repo = repo_of(
        {
            "Chart.yaml": "apiVersion: v2\nname: a\nversion: 1.0.0\n",
            "templates/a.yaml": (
                "a: {{ randAlpha 5 }} # gitops-lint: ignore[helm-nondeterministic-template] on purpose\n"
                "{{- /* gitops-lint: ignore[GL734] on purpose */}}\n"
                "b: {{ randAlpha 5 }}\n"
                "# gitops-lint: ignore[GL734] on purpose\n"
                "c: {{ randAlpha 5 }}\n"
                "d: {{ randAlpha 5 }}\n"
                "e: 1 # gitops-lint: ignore[GL734] for nothing\n"
                "{{/* # gitops-lint: ignore[GL734] on purpose */}}\n"
                "f:\n"
                "  g: {{ randAlpha 5 }}\n"
            ),
        }
    )
    rule = rule_named("helm-nondeterministic-template")
    run = Run(repo)
    run.check([rule])
    done = triage(run.reported, repo, Config(), load(), [rule], date(2026, 1, 1))
    assert [item.start.line for item in done.kept] == [6]
    assert [(item.at.file.position(item.at.span.start).line, item.unused) for item in done.suppressions.items] == [
        (1, ()), (2, ()), (4, ()), (7, ("GL734",)), (8, ()),
    ]  # fmt: skip
    assert len({item.fingerprint for item in run.reported}) == 5


def test_charts_on_disk_are_read_like_those_of_the_cases(tmp_path: Path) -> None:
    from gitops_lint.linter.files.discover import discover
    from gitops_lint.linter.lint.config import Config
    from gitops_lint.linter.lint.run import read_repo

    outside = tmp_path / "outside"
    root = tmp_path / "repo"
    files = {
        "chart/Chart.yaml": "apiVersion: v2\nname: a\nversion: 1.0.0\ndependencies:\n- {name: b, version: 1.0.0}\n",
        "chart/Chart.lock": "digest: sha256:0\n",
        "chart/values.yaml": "a: 1\n",
        "chart/values.schema.json": "{}\n",
        "chart/templates/_helpers.tpl": '{{ define "a" }}{{ end }}',
        "chart/templates/a.yaml": "a: {{ .Values.a }}\n",
        "chart/templates/left-out.yaml": "a: {{ now }}\n",
        "chart/templates/plain.yaml": "a: 1\n",
        "chart/templates/NOTES.txt": "{{ now }}",
        "chart/charts/b-1.0.0.tgz": "",
        "chart/charts/c/Chart.yaml": "apiVersion: v2\nname: d\nversion: 2.0.0\n",
    }
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, "utf-8")
    outside.mkdir()
    (outside / "secret.tpl").write_text("{{ now }}", "utf-8")
    (root / "chart/templates/linked").symlink_to(outside)
    (root / "chart/templates/link.tpl").symlink_to(outside / "secret.tpl")
    found = discover([root], lambda path: path.endswith("left-out.yaml"))
    chart = read_repo(found, Config()).charts.by_folder["chart"]
    assert [file.path.rpartition("/")[2] for file in chart.templates.files] == [
        "NOTES.txt", "_helpers.tpl", "a.yaml", "plain.yaml",
    ]  # fmt: skip
    assert [(one.name, one.version) for one in chart.vendored] == [("b", "1.0.0"), ("d", "2.0.0")]
    assert chart.not_vendored == ()
    assert chart.lock is not None
    assert chart.schema is not None
    assert chart.values is not None


def test_a_proof_by_two_renders_makes_it_certain() -> None:
    from dataclasses import replace

    from gitops_lint.linter.lint.engine import Run
    from gitops_lint.linter.repo.sources.chart_proofs import Proof, Proofs
    from support import rule_named

    repo = repo_of(
        {
            "Chart.yaml": "apiVersion: v2\nname: a\nversion: 1.0.0\n",
            "templates/a.yaml": '{{ if include "x" . }}\na: {{ randAlpha 5 }}\n{{ end }}\n',
        }
    )
    rule = rule_named("helm-nondeterministic-template")
    graded = []
    proven = Proofs({"templates/a.yaml": {2: Proof("a: x", "a: y")}})
    for proofs in (Proofs(), proven, Proofs(stable=frozenset({"."}))):
        run = Run(replace(repo, charts=replace(repo.charts, prove=lambda folders, proofs=proofs: proofs)))
        run.check([rule])
        graded.append([(item.start.line, str(item.severity), str(item.confidence)) for item in run.reported])
    assert graded == [[(2, "warning", "medium")], [(2, "warning", "high")], []]  # no Application renders it


def test_what_counts_as_a_dependency_that_is_there() -> None:
    entry = "- {name: %s, version: 1.0.0, repository: '%s'}\n"
    chart = "apiVersion: v2\nname: a\nversion: 1.0.0\n"
    files = {
        "c/Chart.yaml": f"{chart}dependencies:\n{entry % ('other', '')}",
        "c/requirements.yaml": "dependencies:\n" + "".join(entry % one for one in (
            ("there", ""), ("hidden", ""), ("2-packed", ""), ("near", "file://../near"), ("out", "file://../../out"), ("root", "file:///near"),
        )),
        "c/charts/any/Chart.yaml": "name: there\nversion: 1.0.0\n",
        "c/charts/_hidden/Chart.yaml": "name: hidden\nversion: 1.0.0\n",
        "c/charts/2-packed-1.0.0.tgz": "",
        "near/Chart.yaml": "name: near\nversion: 1.0.0\n",
    }  # fmt: skip
    repo = repo_of(files)
    found = repo.charts.by_folder["c"]
    assert [one.name for one in found.not_vendored] == ["hidden", "near", "out", "root"]
    assert [one.local_folder("c") for one in found.dependencies[3:]] == ["near", None, None]
    layout = ChartLayout("c", found.files)
    assert list(layout.keyed_subcharts()) == [(("there",), "c/charts/any"), (("near",), "near")]
    assert layout.find("a/charts/there/templates/x.yaml").path == "c/charts/any/templates/x.yaml"
    packed = layout.find("a/charts/2-packed/templates/x.yaml")
    assert (packed.path, packed.entry and packed.entry["name"].text) == ("", "2-packed")
    assert repo.paths.reachable is not None
    needed = dependencies_of(repo.paths.reachable, "c", list(files), ())
    assert needed.borrowed == (("near", "near"),)
    assert [one.name for one in needed.missing] == ["hidden", "out", "root"]
