"""Strict validation: the tables by release, the quick look and the careful one, schemas of CRDs, patterns."""

from __future__ import annotations

import copy
import gc
import json
import re
import weakref
from pathlib import Path
from typing import Any

import pytest
from gitops_lint.linter.dialects.go_regexp import finds
from gitops_lint.linter.facts.versions import Version
from gitops_lint.linter.kubernetes.crds import Schemas
from gitops_lint.linter.kubernetes.defaulting import store
from gitops_lint.linter.kubernetes.resource import resources_in
from gitops_lint.linter.kubernetes.validation import Fault, Refusal, path_text
from gitops_lint.linter.kubernetes.validation.checked import ARGO_CD, BUILTIN
from gitops_lint.linter.kubernetes.validation.quick import is_surely_fine
from gitops_lint.linter.kubernetes.validation.quick_custom import is_surely_valid
from gitops_lint.linter.kubernetes.validation.shapes import Kind, Shape, field_types
from gitops_lint.linter.kubernetes.validation.structural import problems
from gitops_lint.linter.kubernetes.validation.typed_scalars import corrected, fits, is_quantity
from gitops_lint.linter.kubernetes.validation.violations import _walk, violations
from gitops_lint.linter.repo.build_repo import build_repo
from gitops_lint.linter.yaml.source import Node, SourceFile
from hypothesis import given
from hypothesis import strategies as st

DEFAULTING = json.loads((Path(__file__).parents[1] / "data" / "crd-defaulting-cases.json").read_text("utf-8"))


def root(text: str) -> Node:
    return SourceFile("manifest.yaml", text).documents[0].root


def shape(api_version: str, kind: str, release: str = "") -> Shape:
    found = field_types(BUILTIN, Version.parse(release) if release else None).of_kind(api_version, kind)
    assert found is not None
    return found


# -- the tables


@pytest.mark.parametrize("name", [BUILTIN, ARGO_CD])
def test_every_type_of_a_table_is_there_and_used(name: str) -> None:
    types = field_types(name, None)
    data = json.loads((Path(__file__).parents[2] / "schemas" / name).read_text("utf-8"))
    waiting = [types.of_kind(*kind.rsplit("/", 1)) for kind in data["kinds"]]
    seen: set[str] = set()
    while waiting:
        one = waiting.pop()
        assert one is not None
        if one.kind in (Kind.LIST, Kind.MAP):
            waiting.append(one.inner)
        elif one.kind is Kind.STRUCT and one.name not in seen:
            seen.add(one.name)
            assert one.name == "empty" or one.name in data["types"], one.name
            waiting += one.fields.values()
    assert seen - {"empty"} == set(data["types"])


def test_a_field_belongs_to_its_releases() -> None:
    assert "resources" not in shape("v1", "Pod", "1.31").fields["spec"].fields
    assert "resources" in shape("v1", "Pod", "1.32").fields["spec"].fields
    assert "resources" in shape("v1", "Pod").fields["spec"].fields
    assert str(shape("v1", "Pod", "1.31").fields["spec"].elsewhere["resources"]) == "1.32 and later"


@pytest.mark.parametrize("release", ["1.19", "1.99"])
def test_a_release_that_nobody_knows_has_what_any_release_has(release: str) -> None:
    assert "resources" in shape("v1", "Pod", release).fields["spec"].fields


def test_a_kind_belongs_to_its_releases() -> None:
    hpa = ("autoscaling/v2beta2", "HorizontalPodAutoscaler")
    assert field_types(BUILTIN, Version(1, 25)).of_kind(*hpa)
    assert not field_types(BUILTIN, Version(1, 26)).of_kind(*hpa)
    assert field_types(BUILTIN, None).of_kind(*hpa)


# -- scalars


@pytest.mark.parametrize(
    ("value", "kind", "expected"),
    [
        (None, Kind.INT32, True),
        ("a", Kind.STRING, True), (5, Kind.STRING, False), (True, Kind.STRING, False),
        (True, Kind.BOOL, True), ("true", Kind.BOOL, False), (1, Kind.BOOL, False),
        (5, Kind.INT32, True), (5.0, Kind.INT32, True), (5.5, Kind.INT32, False), (True, Kind.INT32, False),
        (2**31, Kind.INT32, False), (2**31, Kind.INT64, True), (2**63, Kind.INT64, False), (1e300, Kind.INT64, False),
        (float("inf"), Kind.INT64, False), (float("nan"), Kind.INT32, False),
        ("http", Kind.INT_OR_STRING, True), (80, Kind.INT_OR_STRING, True), (80.5, Kind.INT_OR_STRING, False),
        (0.5, Kind.QUANTITY, True), ("500m", Kind.QUANTITY, True), ("1gb", Kind.QUANTITY, False), (True, Kind.QUANTITY, False),
        (1.5, Kind.NUMBER, True), ("1.5", Kind.NUMBER, False),
    ],
)  # fmt: skip
def test_what_the_api_server_can_read(value: Any, kind: Kind, expected: bool) -> None:
    assert fits(value, kind) is expected


@pytest.mark.parametrize("text", "0 1 1.5 .5 1. +1 -1 1Ki 1.5Gi 100m 2n 3u 1k 1M 1E 1e3 1E-3 12e+6".split())
def test_quantities(text: str) -> None:
    assert is_quantity(text)


@pytest.mark.parametrize("text", ["", "Mi", "1 Mi", "1mi", "1MB", "1gb", "1KI", "1e", "1.2.3", "0x10", "1K", "one"])
def test_no_quantities(text: str) -> None:
    assert not is_quantity(text)


@pytest.mark.parametrize(
    ("token", "value", "kind", "expected"),
    [
        ("0644", 420, Kind.STRING, "0644"), ("on", True, Kind.STRING, "on"), ("3", "3", Kind.INT32, 3),
        ("-3", "-3", Kind.INT64, -3), ("0644", "0644", Kind.INT32, None), ("3000000000", "3000000000", Kind.INT32, None),
        ("true", "true", Kind.BOOL, True), ("yes", "yes", Kind.BOOL, None), ("five", "five", Kind.INT32, None),
    ],
)  # fmt: skip
def test_only_quotes_are_added_or_taken_off(token: str, value: Any, kind: Kind, expected: Any) -> None:
    assert corrected(token, value, kind) == expected
    assert type(corrected(token, value, kind)) is type(expected)


# -- the quick look and the careful one

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: web, labels: {a: b}, creationTimestamp: null}
spec:
  hostNetwork: false
  priority: 10
  volumes: [{name: tmp, emptyDir: {sizeLimit: 1Gi}}]
  containers:
    - name: web
      args: [--port, "8080"]
      ports: [{containerPort: 80, name: http}]
      resources: {limits: {cpu: 500m, memory: 1Gi}}
      livenessProbe: {httpGet: {port: http, path: /}, periodSeconds: 5}
"""
SCALARS = st.sampled_from(
    [
        "1",
        "0644",
        "1.5",
        "1e3",
        "true",
        "on",
        '"5"',
        "text",
        "500m",
        "~",
        "",
        "-x",
        "2024-01-01",
        "[]",
        "{}",
        "[a]",
        "{a: b}",
    ]
)
PLACES = ["web", "b", "null", "false", "10", "tmp", "1Gi", "--port", '"8080"', "80", "http", "500m", "/", "5"]


@given(st.sampled_from(PLACES), SCALARS)
def test_what_the_quick_look_lets_through_is_right(place: str, scalar: str) -> None:
    text = POD.replace(f" {place}", f" {scalar}").replace(f"[{place}", f"[{scalar}")
    file = SourceFile("manifest.yaml", text)
    for document in file.documents:
        pod = shape("v1", "Pod")
        if is_surely_fine(document.raw, pod):
            assert not list(_walk(document.root, pod, ()))


def test_an_ordinary_manifest_passes_the_quick_look() -> None:
    assert is_surely_fine(root(POD).raw, shape("v1", "Pod"))  # type: ignore[arg-type]


def faults(text: str, kind: tuple[str, str] = ("v1", "Pod"), release: str = "") -> list[tuple[str, str]]:
    return [(one.fault.value, one.path) for one in violations(root(text), shape(*kind, release))]


def test_places_and_paths() -> None:
    (one,) = violations(root("spec:\n  containers:\n    - nmae: web\n"), shape("v1", "Pod"))
    assert (one.fault, one.path, one.suggestion) == (Fault.UNKNOWN_FIELD, "spec.containers[0].nmae", "name")
    assert one.at.file.position(one.at.span.start).line == 3


def test_an_unknown_field_is_told_once_whatever_is_below_it() -> None:
    assert faults("sepc:\n  containers:\n    - nmae: web\n") == [("unknown field", "sepc")]


def test_merge_keys_bring_fields() -> None:
    text = "x: &a {nmae: web}\nspec:\n  containers:\n    - <<: *a\n      image: b\n"
    assert faults(text) == [("unknown field", "x"), ("unknown field", "spec.containers[0].nmae")]


def test_the_last_of_equal_keys_counts() -> None:
    assert not faults("spec:\n  priority: high\n  priority: 5\n")
    assert faults("spec:\n  priority: 5\n  priority: high\n") == [("wrong type", "spec.priority")]


@pytest.mark.parametrize(
    ("text", "home"),
    [
        ("spec: {containers: []}", "spec.template.spec"),
        ("spec: {template: {spec: {replicas: 1}}}", "spec"),
        ("spec: {template: {spec: {containers: [{volumes: []}]}}}", "spec.template.spec"),
        ("spec: {template: {spec: {image: a}}}", "spec.template.spec.containers[]"),
        ("labels: {}", "metadata"),
        ("spec: {replcias: 1}", None),
    ],
)
def test_where_a_field_would_be_right(text: str, home: str | None) -> None:
    (one,) = violations(root(text), shape("apps/v1", "Deployment"))
    assert one.home == home


# -- custom resources

CRD: dict[str, Any] = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "syns.synth.test"},
    "spec": {
        "group": "synth.test",
        "names": {"kind": "Syn", "plural": "syns"},
        "versions": [
            {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": DEFAULTING["schema"]}}
        ],
    },
}


@pytest.mark.parametrize("case", DEFAULTING["cases"], ids=lambda case: case["name"])
def test_the_verdicts_of_a_real_api_server(case: dict[str, Any]) -> None:
    """What strict decoding called unknown, and what validation refused (v1.36.4)."""
    given_object = {
        "apiVersion": "synth.test/v1",
        "kind": "Syn",
        "metadata": {"name": "t"},
        **copy.deepcopy(case["given"]),
    }
    files = [SourceFile("crd.json", json.dumps(CRD)), SourceFile("object.json", json.dumps(given_object))]
    found = [fault for one in build_repo(files).validation.custom for fault in one.faults]
    unknown = {path_text(fault.steps) for fault in found if fault.refusal is Refusal.UNKNOWN_FIELD}
    invalid = {path_text(fault.steps) for fault in found if fault.refusal is Refusal.INVALID}
    verdict = case["strict"]
    assert unknown == set(re.findall(r'unknown field "([^"]+)"', verdict))
    if not unknown:
        assert invalid == set(re.findall(r"is invalid: ([^:]+): Invalid value", verdict))


def strategy(schema: dict[str, Any], depth: int = 3) -> st.SearchStrategy[Any]:
    """Values that fit a schema here and there."""
    anything = st.one_of(st.none(), st.booleans(), st.integers(-2, 9000), st.sampled_from(["", "a", "A", "x"]))
    known = {name: strategy(inner, depth - 1) for name, inner in schema.get("properties", {}).items()}
    if depth and known:
        return st.one_of(anything, st.fixed_dictionaries({}, optional={**known, "zzz": anything}))
    if depth and isinstance(schema.get("items"), dict):
        return st.one_of(anything, st.lists(strategy(schema["items"], depth - 1), max_size=2))
    return anything


@given(strategy(DEFAULTING["schema"]["properties"]["spec"]))
def test_what_the_quick_look_at_custom_resources_lets_through_is_right(spec: Any) -> None:
    value = {"apiVersion": "synth.test/v1", "kind": "Syn", "metadata": {"name": "t"}, "spec": spec}
    if is_surely_valid(value, DEFAULTING["schema"]):
        stored = store(value, DEFAULTING["schema"])
        assert not stored.unknown
        assert not problems(stored.value, DEFAULTING["schema"])


def test_a_folder_of_schemas_is_asked_where_the_repository_has_no_definition(tmp_path: Path) -> None:
    (tmp_path / "example.com").mkdir()
    schema = {"type": "object", "properties": {"spec": {"type": "object", "properties": {"size": {"type": "integer"}}}}}
    (tmp_path / "example.com" / "widget_v1.json").write_text(json.dumps(schema), "utf-8")
    file = SourceFile(
        "widget.yaml", "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec: {size: large}\n"
    )
    (checked,) = build_repo([file], schemas=Schemas(tmp_path)).validation.custom
    assert [(path_text(fault.steps), fault.text) for fault in checked.faults] == [
        ("spec.size", "must be a whole number")
    ]
    assert checked.origin.text == "the schema folder's example.com/widget_v1.json"


def test_what_has_no_schema_is_counted() -> None:
    text = "---\n".join(
        f"apiVersion: {api}\nkind: {kind}\nmetadata: {{name: a}}\n"
        for api, kind in [("example.com/v1", "Widget"), ("example.com/v1", "Widget"), ("v1", "Service"), ("argoproj.io/v1alpha1", "Application")]
    )  # fmt: skip
    validation = build_repo([SourceFile("objects.yaml", text)]).validation
    assert validation.without_schema == {"example.com/Widget": 2}
    assert not validation.custom


def test_nothing_is_kept_of_a_repository_that_is_gone() -> None:
    repo = build_repo([SourceFile("pod.yaml", POD.replace("hostNetwork", "hostNet"))])
    assert repo.validation is repo.validation
    assert len(repo.validation.builtin) == 1
    gone = weakref.ref(repo)
    del repo
    gc.collect()
    assert gone() is None


def test_there_is_an_end_to_the_effort() -> None:
    part: dict[str, Any] = {"type": "object", "properties": {"a": {"type": "integer"}}}
    for _ in range(12):
        part = {"anyOf": [part] * 6}
    assert problems({"spec": {"a": "x"}}, {"properties": {"spec": part}}) == []


def test_objects_in_lists_are_resources_like_others() -> None:
    text = "apiVersion: v1\nkind: List\nextra: 1\nitems:\n  - apiVersion: v1\n    kind: Service\n    spec: {port: []}\n"
    (service,) = resources_in(root(text))
    (checked,) = build_repo([SourceFile("list.yaml", text)]).validation.builtin
    assert checked.resource.kind == service.kind
    assert [one.path for one in checked.violations if one.fault is Fault.UNKNOWN_FIELD] == ["spec.port"]


# -- patterns

_ATOMS = st.sampled_from(["a", "b", "[ab]", "[^a]", ".", r"\d", "1", r"\.", "[a-c1]", r"[\d-]"])
_PATTERNS = st.recursive(
    _ATOMS,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map(lambda pair: f"({pair[0]}|{pair[1]})"),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "{2}", "{1,3}", "{0,}"])).map(
            lambda pair: f"(?:{pair[0]}){pair[1]}"
        ),
        inner.map(lambda one: f"^{one}"),
        inner.map(lambda one: f"{one}$"),
    ),
    max_leaves=6,
)


@given(_PATTERNS, st.text("ab1.-", max_size=8))
def test_patterns_find_what_re_finds(pattern: str, text: str) -> None:
    assert finds(pattern, text) is (re.search(pattern.replace("$", r"\Z"), text) is not None)
