"""What is taken for a secret, and that no report ever shows one."""

from __future__ import annotations

import base64
from time import perf_counter

import pytest
from gitops_lint.linter.dialects.secrets_in_text import Certainty, judge, names_a_credential
from gitops_lint.linter.lint.result import Result
from gitops_lint.linter.report import ReportOptions, renderer
from gitops_lint.linter.report.formats import FINDINGS as FORMATS
from support import rule_named, run_rules

PASSWORD = "Hq7-wZ3n_Rb58tYc"

LAYOUTS = {
    "as people write it": "apiVersion: v1\nkind: Secret\nmetadata:\n  name: database\nstringData:\n  password: {}\n",
    "as kubectl prints it": "apiVersion: v1\nstringData:\n  password: {}\nkind: Secret\nmetadata:\n  name: database\n",
    "values first": "stringData:\n  password: {}\nmetadata:\n  name: database\n  namespace: shop\nkind: Secret\napiVersion: v1\n",
    "kind at the end": "apiVersion: v1\nmetadata:\n  name: database\nstringData:\n  password: {}\nkind: Secret\n",
    "in braces": "apiVersion: v1\nkind: Secret\nmetadata: {{name: database}}\nstringData: {{password: {}}}\n",
}


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS.keys())
@pytest.mark.parametrize("output", FORMATS)
def test_no_report_shows_the_value(layout: str, output: str) -> None:
    rule = rule_named("secret-plaintext")
    found = run_rules({"secret.yaml": layout.format(PASSWORD)}, [rule])
    assert len(found) == 1
    printed = renderer(output)(Result(tuple(found), (rule,), files=(found[0].file,)), ReportOptions())
    assert "password" in printed
    assert PASSWORD not in printed
    assert PASSWORD[:6] not in printed


@pytest.mark.parametrize(
    ("key", "text", "certainty"),
    [
        ("password", PASSWORD, Certainty.SURE),
        ("password", "sunflower9", Certainty.LIKELY),
        ("password", "SuperSunflower2024", Certainty.LIKELY),
        ("clientSecret", "5e9326ee-ac8d-40bf-9060-e91dbe9d9000", Certainty.SURE),
        ("existingSecret", "shop-database-credentials-16", None),
        (
            "alerts.yaml",
            "url: https://hooks.slack.com/services/T0AB12/B0CD34/a1B2c3D4e5F6g7H8i9J0k1L2\n",
            Certainty.SURE,
        ),
        ("password", "changeme", None),
        ("password", base64.b64encode(b"changeme").decode(), None),
        ("password", "short", None),
        ("username", PASSWORD, None),
        ("password-file", PASSWORD, None),
        ("token", "<path:secret/data/shop#token>", None),
        ("anything", f"https://shop:{PASSWORD}@git.example.com/shop.git", Certainty.LIKELY),
        ("anything", "https://git.example.com/shop.git", None),
        ("settings.ini", f"host=database\npassword={PASSWORD}\n", Certainty.SURE),
        ("settings.ini", f"host=database\n# password={PASSWORD}\n", None),
        (".dockerconfigjson", '{"auths":{"registry":{"auth":"c2hvcDpIcTctd1ozbl9SYjU4dFlj"}}}', Certainty.SURE),
        (".dockerconfigjson", '{"auths":{}}', None),
    ],
)
def test_what_is_a_secret(key: str, text: str, certainty: Certainty | None) -> None:
    found = judge(key, text)
    assert (found.certainty if found else None) is certainty
    assert found is None or text not in found.what


def test_names() -> None:
    assert all(map(names_a_credential, ["password", "DB_PASSWORD", "api-key", "clientSecret", "GITHUB_TOKEN"]))
    assert not any(map(names_a_credential, ["username", "token_url", "secretName", "password-file", "client-id"]))


def test_a_hostile_text_takes_no_time() -> None:
    started = perf_counter()
    for text in (
        "password" * 20_000,
        "a:" * 50_000,
        "://" * 50_000,
        "://a:" * 30_000,
        "a@:" * 50_000,
        "password=\n" * 9_000,
    ):
        assert judge("config", f"{text}\nend") is None
    assert perf_counter() - started < 5
