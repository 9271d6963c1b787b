"""Where schemas come from: the repository's CRDs, a folder, the table; and how the rule grades what it sees."""

from __future__ import annotations

import importlib.util
import json
import re
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from gitops_lint.linter.facts import tables
from gitops_lint.linter.facts.versions import Version
from gitops_lint.linter.kubernetes.crds import Schemas, Unpinned
from gitops_lint.linter.kubernetes.crds import facts as crd_facts
from gitops_lint.linter.kubernetes.crds.facts import Facts, Row, facts_of, schema_of
from gitops_lint.linter.kubernetes.crds.operators import pinned_releases
from gitops_lint.linter.kubernetes.defaulting import fill, store
from gitops_lint.linter.kubernetes.merge_diff import Shown, shown
from gitops_lint.linter.kubernetes.resource import Resource, resources_in
from gitops_lint.linter.lint.engine import Run
from gitops_lint.linter.lint.result import Reported
from gitops_lint.linter.yaml.source import SourceFile
from support import repo_of, rule_named

ROOT = Path(__file__).parents[2]

WIDGET = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {kind: Widget, plural: widgets}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              default: {type: string, default: SIZE}
              items:
                type: array
                items: {type: object, properties: {default: {type: string, default: SIZE}}}
"""
OBJECT = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w}\nspec:\n  items:\n  - name: a\n"
MONITOR = """\
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata: {name: m}
spec:
  endpoints:
  - relabelings:
    - targetLabel: node
    - targetLabel: zone
"""
SECRET = """\
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {name: db}
spec:
  data:
  - remoteRef: {key: a}
"""


def objects(*texts: str) -> list[Resource]:
    files = [SourceFile(f"{index}.yaml", text) for index, text in enumerate(texts)]
    return [found for file in files for document in file.documents for found in resources_in(document.root)]


def told(fields: Iterable[Unpinned]) -> dict[str, tuple[Any, Shown | None, str]]:
    return {field.place.pointer: (field.default, field.shown, field.origin.text) for field in fields}


# -- CRDs in the repository


def test_the_repositorys_crd_is_asked_first_and_fields_may_be_called_like_keywords() -> None:
    crd, widget = objects(WIDGET.replace("SIZE", "s"), OBJECT)
    assert told(Schemas().with_crds([crd, widget]).unpinned(widget)) == {
        "/spec/default": ("s", None, "the CRD in 0.yaml"),
        "/spec/items/0/default": ("s", Shown.REPLACED, "the CRD in 0.yaml"),
    }


def test_crds_that_disagree_are_not_believed() -> None:
    one, same, other = objects(*(WIDGET.replace("SIZE", size) for size in "aab"))
    (widget,) = objects(OBJECT)
    assert len(Schemas().with_crds([one, same]).unpinned(widget)) == 2
    assert not Schemas().with_crds([one, other]).unpinned(widget)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("name: v1\n", "name: v2\n"),
        ("served: true", "served: false"),
        ("apiextensions.k8s.io/v1", "apiextensions.k8s.io/v1beta1"),
        ("scope: Namespaced", "preserveUnknownFields: true"),
        ("openAPIV3Schema:", "other:"),
        ("type: array", "type: array\n                default: 1\n                nullable: [{]"),
        ("properties:\n              default", "properties: 3\n            other:\n              default"),
    ],
)
def test_a_crd_that_does_not_default_this_version_is_silent(old: str, new: str) -> None:
    *crds, widget = objects(WIDGET.replace(old, new), OBJECT)
    assert not Schemas().with_crds(crds).unpinned(widget)


def test_a_part_of_a_crd_is_no_crd() -> None:
    part = MONITOR.replace("monitoring.coreos.com/v1", "apiextensions.k8s.io/v1").replace(
        "ServiceMonitor", "CustomResourceDefinition"
    )
    part = re.sub(r"spec:[\s\S]*", "spec: {group: monitoring.coreos.com, names: {kind: ServiceMonitor}}\n", part)
    crd, monitor = objects(part, MONITOR)
    assert crd.defines == "monitoring.coreos.com/ServiceMonitor"
    assert told(Schemas().with_crds([crd]).unpinned(monitor))


# -- the schema folder


def folder_with(tmp_path: Path, name: str, text: str) -> Schemas:
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return Schemas(tmp_path)


def json_schema() -> str:
    items = {"type": "array", "items": {"type": "object", "properties": {"size": {"default": 1}}}}
    return json.dumps({"type": "object", "properties": {"spec": {"type": "object", "properties": {"items": items}}}})


@pytest.mark.parametrize(
    "name",
    [
        "example.com/widget_v1.json",
        "v1.30.0-standalone/widget-example-v1.json",
        "v1.9.0-standalone-strict/widget-example-v1.json",
        "master-standalone/widget-example-v1.json",
    ],
)
def test_json_schemas_are_found_by_their_names(tmp_path: Path, name: str) -> None:
    (widget,) = objects(OBJECT)
    schemas = folder_with(tmp_path, name, json_schema())
    expected = {"/spec/items/0/size": (1, Shown.REPLACED, f"the schema folder's {name}")}
    assert told(schemas.unpinned(widget)) == expected
    assert told(schemas.with_crds([widget]).unpinned(widget)) == expected


def test_crds_as_yaml_are_found_by_their_content(tmp_path: Path) -> None:
    (widget,) = objects(OBJECT)
    schemas = folder_with(tmp_path, "deep/er/all.yml", f"a: 1\n---\n{WIDGET}")
    assert {field.origin.text for field in schemas.unpinned(widget)} == {"the schema folder's deep/er/all.yml"}


def test_the_newest_kubernetes_version_of_the_folder_counts(tmp_path: Path) -> None:
    (widget,) = objects(OBJECT)
    for version, size in (("v1.9.0", "1"), ("v1.30.0", "2")):
        text = json_schema().replace('"default": 1', f'"default": {size}')
        schemas = folder_with(tmp_path, f"{version}-standalone/widget-example-v1.json", text)
    assert [field.default for field in schemas.unpinned(widget)] == [2]


def test_the_repository_comes_before_the_folder_and_the_folder_before_the_table(tmp_path: Path) -> None:
    crd, widget = objects(WIDGET, OBJECT)
    schemas = folder_with(tmp_path, "example.com/widget_v1.json", json_schema()).with_crds([crd])
    assert {field.origin.text for field in schemas.unpinned(widget)} == {"the CRD in 0.yaml"}
    (monitor,) = objects(MONITOR)
    schemas = folder_with(tmp_path, "monitoring.coreos.com/servicemonitor_v1.json", "{}")
    assert not schemas.unpinned(monitor)
    schemas = folder_with(tmp_path, "monitoring.coreos.com/servicemonitor_v1.json", "{broken")
    assert schemas.unpinned(monitor)


@pytest.mark.parametrize("group", ["../x.y", "/etc/x.y", "..", "a/../x.y"])
def test_a_manifest_cannot_lead_out_of_the_folder(tmp_path: Path, group: str) -> None:
    (tmp_path / "x.y").mkdir()
    (tmp_path / "x.y" / "widget_v1.json").write_text(json_schema(), "utf-8")
    (tmp_path / "folder").mkdir()
    (widget,) = objects(OBJECT.replace("example.com", group))
    assert not Schemas(tmp_path / "folder").unpinned(widget)


# -- the table


def test_the_table_names_the_releases_and_leaves_out_what_is_only_in_older_ones() -> None:
    (secret,) = objects(SECRET)
    fields = [field for field in Schemas().unpinned(secret) if field.shown]
    assert {(str(field.place.key), field.origin.text) for field in fields} == {
        (name, "external-secrets 0.16 to 2.8") for name in ("conversionStrategy", "decodingStrategy", "metadataPolicy")
    }  # not nullBytePolicy, which only 2.3 to 2.6 filled in
    assert not any(field.origin.certain or field.origin.current for field in fields)


@pytest.mark.parametrize(
    ("release", "expected"),
    [
        ("v0.15.1", []),
        ("0.16.0", ["conversionStrategy", "decodingStrategy", "metadataPolicy"]),
        ("2.4.0", ["conversionStrategy", "decodingStrategy", "metadataPolicy", "nullBytePolicy"]),
        ("v2.9.0", []),
        ("2.14.0", []),
        ("99.0.0", []),
        ("0.2.0", []),
    ],
)
def test_the_pinned_release_decides(release: str, expected: list[str]) -> None:
    secret, *operator = objects(SECRET, application("https://charts.external-secrets.io", release, "external-secrets"))
    fields = [field for field in Schemas().with_crds([secret, *operator]).unpinned(secret) if field.shown]
    assert sorted(str(field.place.key) for field in fields) == expected
    assert all(field.origin.certain and field.origin.current for field in fields)
    assert {field.origin.text for field in fields} <= {
        f"external-secrets {Version.parse(release)}, which this repository uses"
    }


def test_one_of_several_pinned_releases_is_enough_but_not_certain() -> None:
    charts = [application("https://charts.external-secrets.io/", f"{r}.0", "external-secrets") for r in ("2.8", "2.9")]
    secret, *operators = objects(SECRET, *charts)
    fields = [field for field in Schemas().with_crds(operators).unpinned(secret) if field.shown]
    assert {field.origin for field in fields} == {("external-secrets 2.8, which this repository uses", False, False)}


def test_a_default_that_changed_is_told_with_its_newest_value_only_for_the_releases_that_have_it() -> None:
    (secret,) = objects(SECRET)
    intervals = [field for field in Schemas().unpinned(secret) if field.place.key == "refreshInterval"]
    assert [(field.default, field.origin) for field in intervals] == [
        ("1h0m0s", ("external-secrets 1.1 and later", False, True))
    ]


def test_what_only_older_releases_show_is_told_for_these_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [["spec.l[].d", 1, "-1.0"], ["spec.l[=].d", 1, "1.1-"]]
    table = {"sources": {"x": ["1.0", "1.2"]}, "kinds": {"example.com/v1/List": {"source": "x", "rows": rows}}}
    monkeypatch.setattr(crd_facts, "table", lambda _: table)
    (listed,) = objects("apiVersion: example.com/v1\nkind: List\nspec: {l: [{}]}\n")
    told = [(field.shown, field.origin.text) for field in Schemas().unpinned(listed)]
    assert told == [(Shown.REPLACED, "x 1.0"), (None, "x 1.1 and later")]


def test_ranges_are_read_as_minor_releases() -> None:
    row = Row("spec.a", 1, "0.9-0.16,2.3-")
    answers = {text: row.holds_for(Version.parse(text)) for text in ("0.8", "0.9", "0.16", "1.0", "2.2", "2.3", "9.9")}
    assert [text for text, holds in answers.items() if holds] == ["0.9", "0.16", "2.3", "9.9"]


@pytest.mark.parametrize(
    ("having", "expected"),
    [
        ([0], "1.0"),
        ([1], "1.2 to 1.3"),
        ([0, 1], "1.0 to 1.3"),
        ([2], "1.4 and later"),
        ([0, 2], "1.0 and 1.4 and later"),
    ],
)
def test_releases_are_named_as_people_do(having: list[int], expected: str) -> None:
    facts = Facts("x", "1.0", "1.5", [Row("a", 1), Row("b", 1, "1.2-1.3"), Row("c", 1, "1.4-")])
    assert [(str(era.first), str(era.last)) for era in facts.eras] == [("1.0", "1.0"), ("1.2", "1.3"), ("1.4", "1.5")]
    assert facts.releases(having) == expected


def test_a_path_tells_the_structure() -> None:
    schema = schema_of([Row("a[k].m{}.o!.x", 1), Row("a[=].n*?.y?", 2)])
    items = schema["properties"]["a"]["items"]["properties"]
    assert schema["properties"]["a"]["x-kubernetes-list-type"] == "map"
    assert "k" in schema["properties"]["a"]["x-kubernetes-list-map-keys"]
    assert items["m"]["additionalProperties"]["properties"]["o"] == {
        "x-kubernetes-map-type": "atomic",
        "properties": {"x": {"default": 1}},
    }
    assert items["n"]["nullable"] is True
    assert items["n"]["properties"]["y"] == {"default": 2, "nullable": True}


def test_the_table_is_well_formed_and_its_sources_are_named() -> None:
    table = tables.table(crd_facts.TABLE)
    projects = tables.table("SOURCES.json")["crd-defaults.json"]["projects"]
    assert set(table["sources"]) == set(projects) == {kind["source"] for kind in table["kinds"].values()}
    assert {project["licence"] for project in projects.values()} <= refresh_script().LICENCES
    served = tables.table("SOURCES.json")["served-versions.json"]["projects"]
    assert set(tables.table("operators.json")) <= {*projects, *served}
    for name, kind in table["kinds"].items():
        facts = facts_of(*name.rsplit("/", 1))
        assert facts is not None
        assert facts.eras
        for row in kind["rows"]:
            path = "".join(match[0] for match in crd_facts._STEP.finditer(row[0]))
            assert path == row[0], f"{name}: {row[0]}"


def test_no_release_has_a_list_that_is_both_merged_and_replaced() -> None:
    for kind in tables.table(crd_facts.TABLE)["kinds"].values():
        rows = [Row(*row) for row in kind["rows"]]
        oldest, newest = tables.table(crd_facts.TABLE)["sources"][kind["source"]]
        releases = {end for row in rows for pair in row.ranges for end in pair if end} | {oldest, newest} - {""}
        for release in map(Version.parse, releases):
            marks: dict[str, str] = {}
            for row in (row for row in rows if row.holds_for(release)):
                for mark in re.finditer(r"\[(.*?)\]", row.path):
                    before = re.sub(r"\[.*?\]|[!?*]", "", row.path[: mark.start()])
                    assert bool(marks.setdefault(before, mark[1])) == bool(mark[1]), row.path


def test_the_table_costs_nothing_until_it_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(name: str) -> Any:
        raise AssertionError(f"{name} was read")

    monkeypatch.setattr(crd_facts, "table", refuse)
    crd, widget, service = objects(WIDGET, OBJECT, "apiVersion: v1\nkind: Service\nmetadata: {name: s}\n")
    schemas = Schemas().with_crds([crd, widget, service])
    assert not schemas.unpinned(service)
    assert schemas.unpinned(widget)


def test_the_table_is_read_in_a_blink() -> None:
    times = []
    for _ in range(5):
        tables.table.cache_clear()
        start = time.perf_counter()
        tables.table(crd_facts.TABLE)
        times.append(time.perf_counter() - start)
    assert min(times) < 0.025


def test_an_object_that_grows_through_aliases_is_left_alone() -> None:
    many = "[" + ", ".join(["*x"] * 40) + "]"
    text = f"""\
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {{name: r, annotations: {{}}}}
own: [{", ".join("x" * 4_000)}]
a: &a {{name: a}}
b: &b {{filters: {many.replace("*x", "*a")}}}
c: &c {{backendRefs: {many.replace("*x", "*b")}}}
spec: {{rules: {many.replace("*x", "*c")}}}
"""
    (route,) = objects(text)
    assert not Schemas().unpinned(route)


# -- releases that the repository names


def application(url: str, revision: str, chart: str = "") -> str:
    name = f"chart: {chart}" if chart else "path: config/crd"
    return (
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: a}\nspec:\n"
        f"  source:\n    repoURL: {url}\n    {name}\n    targetRevision: {revision}\n"
    )


def releases(texts: dict[str, str]) -> dict[str, list[str]]:
    files = [SourceFile(path, text) for path, text in texts.items()]
    found = pinned_releases(objects(*texts.values()), files)
    return {source: sorted(map(str, versions)) for source, versions in found.items()}


def test_charts_whose_version_is_the_operators() -> None:
    jetstack = "https://charts.jetstack.io"
    assert releases({"a.yaml": application(jetstack, "v1.14.2", "cert-manager")}) == {"cert-manager": ["1.14"]}
    assert releases({"a.yaml": application(jetstack, "1.14.x", "cert-manager")}) == {"cert-manager": ["1.14"]}
    assert releases({"a.yaml": application("quay.io/jetstack/charts", "v1.14.2", "cert-manager")})
    assert not releases({"a.yaml": application(jetstack, "^1.14.0", "cert-manager")})
    assert not releases({"a.yaml": application(jetstack, "'*'", "cert-manager")})
    assert not releases({"a.yaml": application("https://charts.bitnami.com/bitnami", "1.3.0", "cert-manager")})
    assert not releases({"a.yaml": application("https://kyverno.github.io/kyverno", "3.2.0", "kyverno")})


def test_several_sources_and_applicationsets() -> None:
    entry = "{repoURL: 'https://charts.jetstack.io', chart: cert-manager, targetRevision: v1.15.0}"
    several = f"apiVersion: argoproj.io/v1alpha1\nkind: Application\nspec: {{sources: [{{path: x}}, {entry}]}}\n"
    template = f"{{template: {{spec: {{source: {entry}}}}}}}"
    templated = f"apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nspec: {template}\n"
    assert releases({"a.yaml": several}) == releases({"b.yaml": templated}) == {"cert-manager": ["1.15"]}


def test_charts_of_charts_and_of_kustomizations() -> None:
    chart = "dependencies:\n- {name: keda, version: 2.14.1, repository: 'https://kedacore.github.io/charts'}\n"
    inflated = "helmCharts:\n- {name: keda, version: 2.15.0, repo: 'https://kedacore.github.io/charts'}\n"
    assert releases({"x/Chart.yaml": chart, "y/kustomization.yaml": inflated}) == {"keda": ["2.14", "2.15"]}
    assert not releases({"x/values.yaml": chart})


@pytest.mark.parametrize(
    "link",
    [
        "https://github.com/kubernetes-sigs/gateway-api/releases/download/v1.1.0/standard-install.yaml",
        "https://raw.githubusercontent.com/kubernetes-sigs/gateway-api/v1.1.0/config/crd/standard/x.yaml",
        "github.com/kubernetes-sigs/gateway-api//config/crd?ref=v1.1.0",
        "https://github.com/kubernetes-sigs/gateway-api/config/crd?timeout=90s&ref=v1.1.0",
        "git@github.com:kubernetes-sigs/gateway-api.git?ref=v1.1.0",
    ],
)
def test_links_to_a_release(link: str) -> None:
    assert releases({"kustomization.yaml": f"resources:\n- {link}\n"}) == {"gateway-api": ["1.1"]}


def test_links_that_name_no_release() -> None:
    base = "https://github.com/kubernetes-sigs/gateway-api"
    for link in (f"{base}/config/crd?ref=main", f"{base}/config/crd", "https://github.com/me/gateway-api?ref=v1.1.0"):
        assert not releases({"kustomization.yaml": f"resources:\n- {link}\n"})
    assert releases({"a.yaml": application(f"{base}.git", "v1.2.0")}) == {"gateway-api": ["1.2"]}
    assert not releases({"a.yaml": application(base, "HEAD")})


@pytest.mark.parametrize(
    ("image", "expected"),
    [
        ("quay.io/jetstack/cert-manager-controller:v1.14.2", {"cert-manager": ["1.14"]}),
        ("mirror.local:5000/quay/jetstack/cert-manager-controller:v1.14.2@sha256:00", {"cert-manager": ["1.14"]}),
        ("quay.io/jetstack/cert-manager-controller@sha256:00", {}),
        ("quay.io/jetstack/cert-manager-webhook:v1.14.2", {}),
        ("mirror.local:5000/jetstack/cert-manager-controller", {}),
        ("quay.io/jetstack/cert-manager-controller:latest", {}),
    ],
)
def test_the_operators_image(image: str, expected: dict[str, list[str]]) -> None:
    spec = f"{{template: {{spec: {{containers: [{{image: '{image}'}}]}}}}}}"
    assert releases({"a.yaml": f"apiVersion: apps/v1\nkind: Deployment\nspec: {spec}\n"}) == expected


# -- how the rule grades


def found(text: str, synced: Sequence[str] | None) -> list[Reported]:
    """`synced` has the options of the Application that syncs it; None is for no Application at all."""
    files = {"app/manifest.yaml": text}
    if synced is not None:
        compare = ",".join(one for one in synced if one.startswith("ServerSideDiff"))
        options = [one for one in synced if not one.startswith("ServerSideDiff")]
        files["web.yaml"] = (
            "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata:\n  name: web\n"
            f"  annotations: {{argocd.argoproj.io/compare-options: '{compare}'}}\nspec:\n"
            "  source: {repoURL: https://example.com/x.git, path: app}\n  destination: {name: in-cluster}\n"
            f"  syncPolicy: {{syncOptions: [{', '.join(options)}]}}\n"
        )
    run = Run(repo_of(files))
    run.check([rule_named("unpinned-crd-default")])
    assert not run.crashes
    return run.reported


SERVER_SIDE = ("ServerSideApply=true", "ServerSideDiff=false")


@pytest.mark.parametrize(
    ("synced", "annotation", "expected"),
    [
        (None, "", []),
        (None, "ServerSideApply=true", [(7, "warning"), (8, "warning")]),
        (SERVER_SIDE, "", [(7, "warning"), (8, "warning")]),
        # Applied client-side, but still compared by the Application's option.
        (SERVER_SIDE, "ServerSideApply=false", [(7, "warning"), (8, "warning")]),
        (("ServerSideApply=true",), "", [(7, "warning"), (8, "warning")]),
        (("ServerSideDiff=false",), "", []),
        (("ServerSideDiff=false",), "Replace=true", []),
        ((), "ServerSideApply=true", [(7, "warning"), (8, "warning")]),
        (("ServerSideApply=true", "ServerSideDiff=true"), "", []),
        (("ServerSideApply=true", "ServerSideDiff=true"), "ServerSideApply=true", []),
    ],
)
def test_the_grade_follows_how_the_object_is_compared(
    synced: Sequence[str] | None, annotation: str, expected: list[tuple[int, str]]
) -> None:
    written = f"metadata: {{name: m, annotations: {{argocd.argoproj.io/sync-options: '{annotation}'}}}}"
    text = MONITOR.replace("metadata: {name: m}", written)
    assert [(item.start.line, str(item.severity)) for item in found(text, synced)] == expected


def test_the_words_of_the_rule() -> None:
    one, _ = found(MONITOR, SERVER_SIDE)
    assert one.finding.headline == "ServiceMonitor 'm' leaves action to the API server"
    assert one.finding.happens == (
        "With ServerSideApply=true and without ServerSideDiff=true Argo CD shows the object as OutOfSync for ever."
        " The server sets action: replace in spec.endpoints[].relabelings[] (prometheus-operator 0.66 and later)."
    )
    assert [fix.safe for fix in one.finding.fixes] == [False, True]


def test_a_kind_older_than_its_defaults_has_an_era_without_any() -> None:
    rows = [Row("a", 1, "1.4-")]
    assert [str(era.first) for era in Facts("x", "1.0", "1.5", rows).eras] == ["1.4"]
    older = Facts("x", "1.0", "1.5", rows, is_older=True)
    assert [(str(era.first), bool(era.schema)) for era in older.eras] == [("1.0", False), ("1.4", True)]
    before = older.at(Version.parse("1.2"))
    assert before is not None
    assert not before.schema


def test_a_list_item_without_its_only_key_breaks_the_comparison() -> None:
    indent = "\n                "
    keyed = indent.join(("type: array", "x-kubernetes-list-type: map", "x-kubernetes-list-map-keys: [default]"))
    (item,) = found(f"{WIDGET.replace('type: array', keyed)}---\n{OBJECT}", SERVER_SIDE)
    assert "cannot compare the Application" in item.finding.message


# -- refreshing the table


def refresh_script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("refresh_crd_defaults", ROOT / "scripts" / "refresh_crd_defaults.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def refresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, releases: dict[str, str], *options: str) -> dict[str, Any]:
    """The table after a refresh from these releases of one project."""
    folder = tmp_path / "crds"
    for tag, text in releases.items():
        (folder / "widgets" / tag).mkdir(parents=True)
        (folder / "widgets" / tag / "crd.yaml").write_text(text, "utf-8")
    (folder / "widgets" / "source.json").write_text('{"repository": "me/widgets", "licence": "MIT"}', "utf-8")
    schemas = tmp_path / "schemas"
    if not schemas.exists():
        schemas.mkdir()
        (schemas / "crd-defaults.json").write_text('{"sources": {}, "kinds": {}}', "utf-8")
        (schemas / "SOURCES.json").write_text('{"crd-defaults.json": {"projects": {}}, "other": {}}', "utf-8")
    monkeypatch.setattr(sys, "argv", ["refresh", str(folder), "--schemas", str(schemas), *options])
    refresh_script().main()
    table: dict[str, Any] = json.loads((schemas / "crd-defaults.json").read_text("utf-8"))
    return table


def test_a_refresh_follows_a_default_through_the_releases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    same, other = WIDGET.replace("SIZE", "s"), WIDGET.replace("SIZE", "t")
    table = refresh(tmp_path, monkeypatch, {"v1.0.3": same, "v1.1.0": other})
    assert table["sources"] == {"widgets": ["1.0", "1.1"]}
    expected = [
        ["spec.default", "s", "-1.0"],
        ["spec.default", "t", "1.1-"],
        ["spec.items[].default", "s", "-1.0"],
        ["spec.items[].default", "t", "1.1-"],
    ]
    assert table["kinds"] == {"example.com/v1/Widget": {"source": "widgets", "rows": expected}}
    table = refresh(tmp_path, monkeypatch, {"v1.2.0": same, "v1.3.0": "a: 1\n"})
    assert [row[2] for row in table["kinds"]["example.com/v1/Widget"]["rows"]] == ["-1.0,1.2-1.2", "1.1-1.1"] * 2
    sources = json.loads((tmp_path / "schemas" / "SOURCES.json").read_text("utf-8"))
    assert sources["other"] == {}
    assert sources["crd-defaults.json"]["projects"]["widgets"] == {
        "repository": "me/widgets",
        "licence": "MIT",
        "oldest": "v1.0.3",
        "newest": "v1.3.0",
    }


def test_a_refresh_can_start_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    refresh(tmp_path, monkeypatch, {"v2.0.0": WIDGET})
    table = refresh(tmp_path, monkeypatch, {"v2.1.0": WIDGET}, "--replace")
    assert table["sources"] == {"widgets": ["2.0", "2.1"]}
    rows = table["kinds"]["example.com/v1/Widget"]["rows"]
    assert rows == [["spec.default", "SIZE"], ["spec.items[].default", "SIZE"]]


def test_rows_say_what_the_schema_says() -> None:
    """The table's schema and the CRD's must show the same fields of the construct-by-construct test schema."""
    data = json.loads((ROOT / "tests" / "data" / "crd-defaulting-cases.json").read_text("utf-8"))
    script = refresh_script()
    rows = [Row(path, default) for path, default in script.rows_of(data["schema"])]
    for case in data["cases"]:
        git = case["given"]
        exact = {path: shown(git, data["schema"], path) for path in store(git, data["schema"]).filled}
        partial = {path: shown(git, schema_of(rows), path) for path in fill(git, schema_of(rows)).filled}
        # Not in the table: defaults of list items and map values, which only explicit nulls need; embedded
        # resources; and `name: ""`, left out as noise.
        exact = {path: verdict for path, verdict in exact.items() if not _left_out_of_the_table(path)}
        assert partial == exact, case["name"]


def _left_out_of_the_table(path: tuple[str | int, ...]) -> bool:
    for_nulls = path[1:] in (("listscalar", 1), ("listobjdef", 0), ("mapscalar", "n"))
    return for_nulls or path[1:] == ("atomicmap", "name") or path[1] == "emb"


def test_a_licence_that_does_not_fit_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "crds" / "widgets" / "v1.0.0").mkdir(parents=True)
    (tmp_path / "crds" / "widgets" / "source.json").write_text('{"repository": "a/b", "licence": "BUSL-1.1"}', "utf-8")
    with pytest.raises(SystemExit, match="licences"):
        refresh_script().refresh(tmp_path / "crds" / "widgets", {"sources": {}, "kinds": {}}, {}, False)
