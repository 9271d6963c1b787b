"""From the helm block of an Application to what Argo CD asks of Helm."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

import pytest
from gitops_lint.linter.argocd.applications import Application
from gitops_lint.linter.argocd.build_environment import NotKnown, substituted
from gitops_lint.linter.dialects.value_globs import expand
from gitops_lint.linter.facts.versions import Version, Versions
from gitops_lint.linter.files.disk import Stamp
from gitops_lint.linter.helm.helm_request import Request, arguments, escaped, three_numbers
from gitops_lint.linter.kubernetes.resource import Resource
from gitops_lint.linter.repo.sources.helm_options import request_for
from gitops_lint.linter.repo.sources.value_files import OptionProblem, Trouble
from gitops_lint.linter.yaml.source import SourceFile

FILES = (
    "apps/shop/Chart.yaml",
    "apps/shop/values.yaml",
    "apps/shop/values-prod.yaml",
    "apps/shop/env/a.yaml",
    "apps/shop/env/b.yaml",
    "apps/shop/env/deep/a.yaml",
    "apps/shop/env/deep/er/c.yaml",
    "apps/shop/shop.yaml",
    "apps/shop/[x].yaml",
    "common/values.yaml",
    "common/cert.pem",
    "values.yaml",
)


class Files:
    def below(self, folder: str) -> Iterable[str]:
        return [path for path in FILES if folder == "." or path.startswith(f"{folder}/")]

    def data(self, path: str) -> bytes | None:
        return b"" if path in FILES else None

    def stamp(self, path: str) -> Stamp | None:
        return Stamp("x", 0) if path in FILES else None


def application(helm: Mapping[str, Any], *others: Mapping[str, Any]) -> Application:
    source = {"repoURL": "https://git.example.com/a.git", "path": "apps/shop", "targetRevision": "v1", "helm": helm}
    value = {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"name": "shop", "namespace": "argocd"},
        "spec": {
            "project": "team",
            "destination": {"namespace": "shops"},
            **({"sources": [source, *others]} if others else {"source": source}),
        },
    }
    (document,) = SourceFile("app.yaml", json.dumps(value)).documents
    return Application(value, Resource(document.root, "argoproj.io/v1alpha1", "Application"))


def asked(
    helm: Mapping[str, Any],
    *others: Mapping[str, Any],
    roots: Mapping[str, str | None] | None = None,
    argocd: str = "3.5",
    **more: Any,
) -> tuple[Request | None, tuple[OptionProblem, ...]]:
    app = application(helm, *others)
    versions = Versions(argocd=Version.parse(argocd), kubernetes=Version.parse("1.33"))
    return request_for(app.sources[0], app, "apps/shop", Files(), roots or {}, versions, **more)[:2]


def request(helm: Mapping[str, Any], *others: Mapping[str, Any], **more: Any) -> Request:
    found, problems = asked(helm, *others, **more)
    assert problems == ()
    assert found is not None
    return found


def trouble(helm: Mapping[str, Any], *others: Mapping[str, Any], **more: Any) -> list[tuple[Trouble, str, str, str]]:
    found, problems = asked(helm, *others, **more)
    assert found is None
    return [(one.kind, one.pointer, one.sought, one.detail) for one in problems]


def test_without_a_helm_block() -> None:
    assert request({}) == Request("apps/shop", "shop", "shops", kube_version="1.33.0")


def test_everything_at_once() -> None:
    helm = {
        "releaseName": "store",
        "namespace": "elsewhere",
        "valueFiles": ["values-prod.yaml", "/common/values.yaml", "../../values.yaml"],
        "values": "a: 1\n",
        "parameters": [
            {"name": "b", "value": "1"},
            {"name": "a", "value": "x-$ARGOCD_APP_NAME-${ARGOCD_APP_NAMESPACE}-$ARGOCD_APP_PROJECT_NAME-$OTHER-$$"},
            {"name": "b", "value": "2"},
            {"name": "b", "value": "3", "forceString": True},
        ],
        "fileParameters": [{"name": "cert", "path": "/common/cert.pem"}],
        "kubeVersion": "v1.31.4+k3s1",
        "apiVersions": ["a/v1", "b/v1"],
        "skipCrds": True,
        "skipTests": True,
        "skipSchemaValidation": True,
    }
    assert request(helm) == Request(
        chart="apps/shop",
        release="store",
        namespace="elsewhere",
        value_files=("apps/shop/values-prod.yaml", "common/values.yaml", "values.yaml"),
        values="a: 1\n",
        set=(("a", "x-shop-shops-team--$"), ("b", "2")),
        set_string=(("b", "3"),),
        set_file=(("cert", "common/cert.pem"),),
        kube_version="1.31.4",
        api_versions=("a/v1", "b/v1"),
        include_crds=False,
        skip_tests=True,
        skip_schema_validation=True,
    )


def test_api_versions_of_the_cluster_are_for_those_that_name_none() -> None:
    assert request({}, api_versions=("x/v1",)).api_versions == ("x/v1",)
    assert request({"apiVersions": ["y/v1"]}, api_versions=("x/v1",)).api_versions == ("y/v1",)


# -- value files


@pytest.mark.parametrize(
    ("entry", "path"),
    [
        ("$ARGOCD_APP_NAME.yaml", "apps/shop/shop.yaml"),
        ("${ARGOCD_APP_NAME}.yaml", "apps/shop/shop.yaml"),
        ("/$ARGOCD_APP_SOURCE_PATH/values.yaml", "apps/shop/values.yaml"),
        ("$values/values.yaml", "values.yaml"),
        ("./env/../values.yaml", "apps/shop/values.yaml"),
        ("//values.yaml", "values.yaml"),
    ],
)
def test_where_a_value_file_is_sought(entry: str, path: str) -> None:
    assert request({"valueFiles": [entry]}).value_files == (path,)


@pytest.mark.parametrize(
    ("entry", "kind", "sought", "detail"),
    [
        ("missing.yaml", Trouble.MISSING, "apps/shop/missing.yaml", ""),
        ("/missing.yaml", Trouble.MISSING, "missing.yaml", ""),
        ("../../../x.yaml", Trouble.OUTSIDE, "../x.yaml", ""),
        ("/../x.yaml", Trouble.OUTSIDE, "../x.yaml", ""),
        ("env", Trouble.FOLDER, "apps/shop/env", ""),
        ("", Trouble.FOLDER, "apps/shop", ""),
        ("https://x.example.com/v.yaml", Trouble.ADDRESS, "", "https"),
        ("secrets://v.yaml", Trouble.BAD_SCHEME, "", "secrets"),
        ("{{name}}.yaml", Trouble.NOT_KNOWN, "", ""),
        ("values-<name>.yaml", Trouble.NOT_KNOWN, "", ""),
        (
            "{" + ",".join("ab" * 50) + "}/*.yaml",
            Trouble.NOT_KNOWN,
            "apps/shop/{" + ",".join("ab" * 50) + "}/*.yaml",
            "it matches too much",
        ),
        ("$ARGOCD_APP_REVISION.yaml", Trouble.NOT_KNOWN, "", "ARGOCD_APP_REVISION"),
        ("nothing/*.yaml", Trouble.NO_MATCH, "apps/shop/nothing/*.yaml", ""),
        ("env/[.yaml", Trouble.BAD_PATTERN, "apps/shop/env/[.yaml", ""),
        ("env/*", Trouble.FOLDER, "apps/shop/env/*", "apps/shop/env/deep"),
    ],
)
def test_why_a_value_file_is_not_found(entry: str, kind: Trouble, sought: str, detail: str) -> None:
    assert trouble({"valueFiles": ["values.yaml", entry]}) == [(kind, "/helm/valueFiles/1", sought, detail)]


def test_missing_files_may_be_ignored_and_the_rest_may_not() -> None:
    lenient = {"ignoreMissingValueFiles": True}
    assert request({"valueFiles": ["missing.yaml", "values.yaml", "no/*.yaml"], **lenient}).value_files == (
        "apps/shop/values.yaml",
    )
    (found,) = trouble({"valueFiles": ["../../../x.yaml"], **lenient})
    assert found[0] is Trouble.OUTSIDE


def test_patterns_take_files_in_order_and_explicit_ones_keep_their_place() -> None:
    files = ["env/b.yaml", "env/**/*.yaml", "values.yaml", "values*.yaml", "values.yaml"]
    assert request({"valueFiles": files}).value_files == (
        "apps/shop/env/b.yaml",
        "apps/shop/env/a.yaml",
        "apps/shop/env/deep/a.yaml",
        "apps/shop/env/deep/er/c.yaml",
        "apps/shop/values.yaml",
        "apps/shop/values-prod.yaml",
    )


def test_before_argo_cd_3_5_patterns_are_names_and_files_may_repeat() -> None:
    assert request({"valueFiles": ["[x].yaml", "values.yaml", "values.yaml"]}, argocd="3.4").value_files == (
        "apps/shop/[x].yaml",
        "apps/shop/values.yaml",
        "apps/shop/values.yaml",
    )
    assert trouble({"valueFiles": ["env/*.yaml"]}, argocd="3.4") == [
        (Trouble.MISSING, "/helm/valueFiles/0", "apps/shop/env/*.yaml", "")
    ]


@pytest.mark.parametrize(
    ("pattern", "files", "folders"),
    [
        ("env/*.yaml", ["env/a.yaml", "env/b.yaml"], []),
        ("env/?.yaml", ["env/a.yaml", "env/b.yaml"], []),
        ("env/[!a].yaml", ["env/b.yaml"], []),
        ("env/{b,a}.yaml", ["env/b.yaml", "env/a.yaml"], []),
        ("*/*/a.yaml", ["env/deep/a.yaml"], []),
        ("**/a.yaml", ["a.yaml", "env/a.yaml", "env/deep/a.yaml"], []),
        ("env/**", ["env/a.yaml", "env/b.yaml", "env/deep/a.yaml"], ["env", "env/deep"]),
        ("**/deep/**/a.yaml", ["env/deep/a.yaml"], []),
    ],
)
def test_what_patterns_match(pattern: str, files: list[str], folders: list[str]) -> None:
    assert expand(pattern, ["env/deep/a.yaml", "env/b.yaml", "a.yaml", "env/a.yaml"]) == (files, folders)


# -- refs


HERE = {"repoURL": "https://git.example.com/a.git", "ref": "values"}


def test_a_ref_counts_from_the_root_of_its_repository() -> None:
    helm = {"valueFiles": ["$values/common/values.yaml"], "fileParameters": [{"name": "c", "path": "$values/common/cert.pem"}]}  # fmt: skip
    found = request(helm, HERE, roots={"values": "."})
    assert (found.value_files, found.set_file) == (("common/values.yaml",), (("c", "common/cert.pem"),))
    assert request({"valueFiles": ["$values/values.yaml"]}, HERE, roots={"values": "common"}).value_files == (
        "common/values.yaml",
    )
    assert request({"valueFiles": ["$values/common/*.yaml"]}, HERE, roots={"values": "."}).value_files == (
        "common/values.yaml",
    )


@pytest.mark.parametrize(
    ("entry", "kind", "sought", "detail"),
    [
        ("$values/missing.yaml", Trouble.MISSING, "missing.yaml", ""),
        ("$other/values.yaml", Trouble.UNKNOWN_REF, "", "other"),
        ("$ARGOCD_APP_NAME/values.yaml", Trouble.UNKNOWN_REF, "", "ARGOCD_APP_NAME"),
        ("$chart/values.yaml", Trouble.REF_TO_CHART, "", "chart"),
        ("$far/values.yaml", Trouble.ELSEWHERE, "", "far"),
        ("$values/../values.yaml", Trouble.OUTSIDE, "../values.yaml", ""),
    ],
)
def test_what_can_be_wrong_with_a_ref(entry: str, kind: Trouble, sought: str, detail: str) -> None:
    others = [
        HERE,
        {"repoURL": "https://charts.example.com", "chart": "x", "ref": "chart"},
        {"repoURL": "y", "ref": "far"},
    ]
    found = trouble({"valueFiles": [entry]}, *others, roots={"values": ".", "far": None})
    assert found == [(kind, "/helm/valueFiles/0", sought, detail)]


def test_a_chart_that_is_elsewhere_only_takes_files_by_a_ref() -> None:
    helm = {"valueFiles": ["values.yaml", "/values.yaml", "$values/values.yaml", "$values/missing.yaml"]}
    app = application(helm, HERE)
    found = request_for(app.sources[0], app, "", Files(), {"values": "."}, Versions(), root=None)
    assert found.request is None
    assert found.value_files == ("values.yaml",)
    assert [(one.kind, one.ref) for one in found.problems] == [
        (Trouble.ELSEWHERE, ""),
        (Trouble.ELSEWHERE, ""),
        (Trouble.MISSING, "values"),
    ]


# -- values


@pytest.mark.parametrize(
    ("helm", "values"),
    [
        ({"values": "a: 1\n", "valuesObject": {"b": [1, "ä"]}}, '{"b": [1, "ä"]}'),
        ({"values": "a: 1\n", "valuesObject": {}}, "{}"),
        ({"values": "a: 1\n", "valuesObject": None}, "a: 1\n"),
        ({"values": ""}, ""),
        ({"values": "# nothing\n"}, "# nothing\n"),
        ({"values": "a: '{{ .Release.Name }}'\n"}, "a: '{{ .Release.Name }}'\n"),
    ],
)
def test_which_inline_values_count(helm: Mapping[str, Any], values: str) -> None:
    assert request(helm).values == values


@pytest.mark.parametrize("values", ["a: [", "- a\n", "text"])
def test_inline_values_that_are_none(values: str) -> None:
    ((kind, pointer, *_),) = trouble({"values": values})
    assert (kind, pointer) == (Trouble.BAD_VALUES, "/helm/values")


def test_what_an_application_set_still_has_to_fill_in_is_not_known() -> None:
    helm = {"values": "a: {{name}}\n", "parameters": [{"name": "a", "value": "{{name}}"}]}
    assert trouble(helm, is_template=True) == [
        (Trouble.NOT_KNOWN, "/helm/values", "", ""),
        (Trouble.NOT_KNOWN, "/helm/parameters/0/value", "", ""),
    ]
    assert trouble({"releaseName": "{{name}}"}) == [(Trouble.NOT_KNOWN, "/helm/releaseName", "", "")]


def test_the_revision_is_known_only_at_the_sync() -> None:
    assert trouble({"parameters": [{"name": "tag", "value": "$ARGOCD_APP_REVISION_SHORT"}]}) == [
        (Trouble.NOT_KNOWN, "/helm/parameters/0/value", "", "ARGOCD_APP_REVISION_SHORT")
    ]


def test_a_kubernetes_version_that_is_none() -> None:
    assert trouble({"kubeVersion": "new"}) == [(Trouble.BAD_VERSION, "/helm/kubeVersion", "", "")]


def test_only_some_problems_make_argo_cd_fail() -> None:
    _, problems = asked({"valueFiles": ["missing.yaml", "https://x.example.com/v.yaml", "{{x}}"]})
    assert [(one.text, one.fails) for one in problems] == [
        ("missing.yaml", True),
        ("https://x.example.com/v.yaml", False),
        ("{{x}}", False),
    ]


# -- the words


@pytest.mark.parametrize(
    ("text", "value"),
    [("a$$b", "a$b"), ("$A", "1"), ("${A}x", "1x"), ("$AB", ""), ("$A-b", "1-b"), ("${}", ""), ("100$", "100$"), ("$ x", "$ x")],
)  # fmt: skip
def test_substitution(text: str, value: str) -> None:
    assert substituted(text, {"A": "1"}) == value


def test_substitution_of_what_nobody_knows() -> None:
    with pytest.raises(NotKnown):
        substituted("x${ARGOCD_APP_REVISION}", {})


@pytest.mark.parametrize(
    ("value", "written"),
    [("a,b", r"a\,b"), (r"a\,b", r"a\,b"), ("{a,b}", "{a,b}"), ("{a,b", r"{a\,b"), (",", r"\,"), (",,", r"\,\,")],
)
def test_commas(value: str, written: str) -> None:
    assert escaped(value) == written


@pytest.mark.parametrize(
    ("version", "numbers"),
    [("1.33", "1.33.0"), ("v1.33", "1.33.0"), ("v1.33.1-eks-5", "1.33.1"), ("1.33.2+k3s1", "1.33.2"), ("latest", "latest")],
)  # fmt: skip
def test_kubernetes_versions(version: str, numbers: str) -> None:
    assert three_numbers(version) == numbers


def test_the_order_of_the_words_is_argo_cds() -> None:
    whole = Request(
        "c", "r", "n", ("a.yaml", "b.yaml"), "x: 1", (("s", "1,2"),), (("t", "1"),), (("f", "p,q"),), "1.33", ("g/v1",),
        True, True, True,
    )  # fmt: skip
    assert " ".join(arguments(whole, "INLINE")) == (
        r"template ./c --name-template r --namespace n --kube-version 1.33.0 --set s=1\,2 --set-string t=1"
        r" --set-file f=./p\,q --values ./a.yaml --values ./b.yaml --values INLINE --api-versions g/v1"
        " --include-crds --skip-schema-validation --skip-tests"
    )
    assert arguments(Request(".", "r", include_crds=False)) == ("template", "./.", "--name-template", "r")
