"""A fix never leaves a file worse than it was."""

from __future__ import annotations

from typing import Any

import pytest
from gitops_lint.linter.fix import FileFix, fix_files, text_edits
from gitops_lint.linter.lint.manual import unmarked
from gitops_lint.linter.lint.result import Reported
from gitops_lint.linter.lint.rule import Finding, Fix, Rule, Scope, Severity
from gitops_lint.linter.yaml.source import Patch, SourceFile
from gitops_lint.rules import load
from rule_examples import files_of
from support import rule_named, run_rules

SECRET = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\n"
RULE = Rule("GL999", Severity.WARNING, lambda _: iter(()), "rules.tests.some_rule", Scope.RESOURCE)


def reasons(item: Reported) -> list[str]:
    return [note.message for note in item.finding.related if note.message.startswith("no fix is offered")]


# -- what is encrypted

ENCRYPTED = {
    "secret.yaml": (SECRET + "data:\n  a: ENC[AES256_GCM,data:x,type:str]\nsops:\n  mac: ENC[x]\n", "SOPS"),
    "block.yaml": (SECRET + "sops:\n  mac: x\n  version: 3.11.0\n", "SOPS"),
    "second.yaml": (f"{SECRET}---\na: 1\nsops: {{mac: x}}\n", "SOPS"),
    "secret.json": (
        '{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "db"}, "sops": {"mac": "x"}}',
        "SOPS",
    ),
    "parts.yaml": (SECRET + "data:\n  a: ENC[AES256_GCM,data:x,type:str]\n", "SOPS"),
    "eyaml.yaml": (SECRET + "data:\n  a: ENC[PKCS7,MIIBe]\n", "eyaml"),
    "age.yaml": (SECRET + "stringData:\n  a: |\n    -----BEGIN AGE ENCRYPTED FILE-----\n    YWdl\n", "age"),
}


@pytest.mark.parametrize("path", ENCRYPTED)
def test_an_encrypted_file_is_not_edited_and_the_finding_says_why(path: str) -> None:
    text, tool = ENCRYPTED[path]
    (found,) = run_rules({path: text}, [rule_named("secret-without-prune-protection")])
    assert not found.finding.fixes
    assert len(reasons(found)) == 1
    assert f"encrypted with {tool}" in reasons(found)[0]


def test_no_rule_edits_an_encrypted_file() -> None:
    text = SECRET + "  uid: 0a1b\n  creationTimestamp: x\nstatus: {}\nsops: {mac: x}\n"
    found = run_rules({"secret.yaml": text}, [rule for rule in load() if rule.scope is not Scope.CHANGE])
    assert found
    assert not fix_files(found, unsafe=True)


def test_a_word_about_encryption_is_no_encryption() -> None:
    text = SECRET + '  labels:\n    sops: "no"\n# sops: ENC[\n'
    (found,) = run_rules({"secret.yaml": text}, [rule_named("secret-without-prune-protection")])
    assert found.finding.fixes
    assert not reasons(found)


# -- a value stays what it is


def fixed(text: str, *operations: dict[str, Any]) -> FileFix | None:
    document = SourceFile("some.yaml", text).documents[0]
    fix = Fix("do it", Patch(document, operations), safe=True)
    finding = Reported(RULE, Finding(document.root, "is wrong", (fix,)), Severity.WARNING, None)
    found = fix_files([finding], unsafe=False)
    assert (text_edits(fix) is not None) is bool(found and found[0].applied)
    return found[0] if found else None


@pytest.mark.parametrize("op", ["add", "replace"])
@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a:\n  automated:\n    prune: true\n", ["PruneLast=true"]),
        ("a:\n  automated: {}\n", "x"),
        ("a:\n- x\n- y\n", {"b": "c"}),
        ("a:\n- x\n", "y"),
        ("a: |\n  spec:\n    x: 1\n", ["PruneLast=true"]),
        ("a: x\n", {"b": "c"}),
    ],
)
def test_a_fix_does_not_change_the_type_of_what_is_there(op: str, text: str, value: Any) -> None:
    found = fixed(text, {"op": op, "path": "/a", "value": value})
    assert found is not None
    assert not found.changes
    assert "would take its place" in found.refused[0].reason


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a:\n", {"b": "c"}),
        ("a: {}\n", ["c"]),
        ("a: x\n", ["x"]),
        ("a:\n  app: x\n", [{"pairs": {"app": "x"}, "includeSelectors": True}]),
        ("a:\n  CreateNamespace: true\n", "CreateNamespace=true"),
        ("a: 1\n", "1"),
    ],
)
def test_unless_nothing_is_lost_by_it(text: str, value: Any) -> None:
    found = fixed(text, {"op": "replace", "path": "/a", "value": value})
    assert found is not None
    assert found.applied


# -- Applications of a set

APP = """\
resources:
  - pod.yaml
configMapGenerator:
  - name: settings
    literals:
      - mode=fast
"""
POD = """\
apiVersion: v1
kind: Pod
metadata:
  name: shop
spec:
  containers:
    - name: shop
      envFrom:
        - configMapRef:
            name: settings
"""
SET = """\
apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata:
  name: all
spec:
  generators:
    - git:
        repoURL: https://git.example.com/shop.git
        revision: HEAD
        directories:
          - path: apps/*
  template:
    metadata:
      name: "{{path.basename}}"
    spec:
      project: default
      source:
        repoURL: https://git.example.com/shop.git
        path: "{{path}}"
      destination:
        server: https://kubernetes.default.svc
        namespace: web
"""
AUTOMATED = "      syncPolicy:\n        automated:\n          prune: true\n"
PATCHED = """\
  templatePatch: |
    spec:
      syncPolicy:
        automated:
          prune: true
"""


def prune_last(text: str) -> str:
    files = {"set.yaml": text, "apps/web/kustomization.yaml": APP, "apps/web/pod.yaml": POD}
    found = run_rules(files, [rule_named("generator-hash-without-prune-last")])
    assert len(found) == 1
    return next((fix.after for fix in fix_files(found, unsafe=True)), text)


def test_the_option_is_added_to_the_template_of_a_set() -> None:
    assert prune_last(SET + AUTOMATED) == SET + AUTOMATED + "        syncOptions:\n          - PruneLast=true\n"


def test_the_text_of_a_template_patch_is_never_replaced() -> None:
    assert prune_last(SET + PATCHED) == SET + PATCHED
    options = "        syncOptions:\n          - CreateNamespace=true\n"
    assert prune_last(SET + PATCHED + options) == SET + PATCHED + options


# -- what is for people to decide

DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: radio
  uid: 0a1b
spec:
  strategy:
    type: Recreate
  template:
    metadata:
      annotations:
        kubectl.kubernetes.io/restartedAt: "2024-01-01T00:00:00Z"
        other: stays
"""
IGNORES = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata:
  name: shop
spec:
  ignoreDifferences:
    - kind: Job
      jsonPointers:
        - /spec
"""
PDB = "apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata:\n  name: web\nspec:\n  minAvailable: 1\n"
MACHINE = (
    "apiVersion: controlflow.io/v1alpha1\nkind: StateMachine\nmetadata:\n  name: x\nstatus:\n  phaseField: phase\n"
)


def after_fixes(rule: str, files: dict[str, str], *, unsafe: bool = False) -> dict[str, str]:
    found = run_rules(files, [rule_named(rule)])
    assert found
    texts = {path: text for path, text in files.items() if not path.startswith(".")}
    return texts | {fix.file.path: fix.after for fix in fix_files(found, unsafe=unsafe)}


def test_a_safe_fix_restarts_no_pods() -> None:
    after = after_fixes("exported-server-metadata", {"a.yaml": DEPLOYMENT})
    assert after == {"a.yaml": DEPLOYMENT.replace("  uid: 0a1b\n", "")}
    assert after_fixes("exported-server-metadata", {"a.yaml": DEPLOYMENT}, unsafe=True) == after


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        ("ignore-group-mismatch", IGNORES),
        ("removed-api-version", PDB),
        ("secret-without-prune-protection", SECRET),
    ],
)
def test_what_may_change_a_working_deployment_is_not_done_by_a_safe_fix(rule: str, text: str) -> None:
    assert after_fixes(rule, {"a.yaml": text}) == {"a.yaml": text}


@pytest.mark.parametrize("path", ["/spec", "/spec/template", "/metadata"])
def test_an_ignore_of_nearly_everything_is_not_switched_on_at_all(path: str) -> None:
    rule = [rule_named("ignore-group-mismatch")]
    (found,) = run_rules({"app.yaml": IGNORES.replace("/spec", path)}, rule)
    assert not found.finding.fixes
    (narrow,) = run_rules({"app.yaml": IGNORES.replace("/spec", "/spec/parallelism")}, rule)
    assert [fix.safe for fix in narrow.finding.fixes] == [False]


def test_a_version_is_changed_where_the_cluster_is_known_to_have_the_new_one() -> None:
    files = {"a.yaml": PDB, ".gitops-lint.yaml": 'kubernetes-version: "1.30"\n'}
    assert after_fixes("removed-api-version", files) == {"a.yaml": PDB.replace("v1beta1", "v1")}


def test_a_status_of_an_unknown_kind_is_nobodys_to_take_away() -> None:
    assert not run_rules({"a.yaml": MACHINE}, [rule_named("status-in-git")])


def test_no_rule_about_protection_or_borders_has_a_safe_fix() -> None:
    names = {
        "cr-in-wave-of-its-crd", "cr-without-crd-skip-dry-run", "secret-without-prune-protection",
        "shared-namespace-unprotected", "prune-stateful-unprotected", "prune-false-without-delete-false",
    }  # fmt: skip
    for rule in (rule for rule in load() if rule.name in names):
        found = run_rules(files_of(unmarked(rule.manual.bad)), [rule])
        assert found
        assert not any(item.has_safe_fix for item in found), rule.name
    denied = rule_named("project-denies-kind")
    assert not any(item.finding.fixes for item in run_rules(files_of(unmarked(denied.manual.bad)), [denied]))


def test_an_encrypted_file_is_no_broken_one() -> None:
    rule = rule_named("yaml-parse-error")
    assert run_rules({"a.yaml": "\0GITKEPT\0\x14f"}, [rule])
    assert not run_rules({"a.yaml": "\0GITCRYPT\0\x14f"}, [rule])
