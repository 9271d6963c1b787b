"""Objects near and beyond what a client-side apply can keep in an annotation."""

from __future__ import annotations

import json

import pytest
from gitops_lint.linter.fix import fix_files
from gitops_lint.linter.kubernetes.resource import Resource, resources_in
from gitops_lint.linter.kubernetes.validation import LAST_APPLIED_LIMIT, annotations_size
from gitops_lint.linter.lint.result import Reported
from gitops_lint.linter.yaml.source import SourceFile
from support import rule_named, run_rules

RULE = rule_named("object-too-large-for-last-applied")
APPLICATION = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata:
  name: shop
spec:
  project: default
  source:
    repoURL: https://git.example.com/shop
    path: deploy
  destination:
    server: https://kubernetes.default.svc
    namespace: shop
"""


def config_map(size: int, annotations: str = "", filler: str = "x") -> str:
    return (
        f"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: dashboards\n{annotations}data:\n  text: {filler * size}\n"
    )


def crd(fields: int, annotations: str = "") -> str:
    properties = "".join(
        f"                field{index}:\n"
        f"                  description: The number {index} of a great many fields that an operator has.\n"
        f"                  type: string\n"
        for index in range(fields)
    )
    return (
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n"
        f"  name: widgets.example.com\n{annotations}"
        "spec:\n  group: example.com\n  versions:\n    - name: v1\n      schema:\n        openAPIV3Schema:\n"
        f"          properties:\n            spec:\n              properties:\n{properties}"
    )


def owned(manifest: str, options: str = "") -> dict[str, str]:
    return {"app.yaml": APPLICATION + options, "deploy/object.yaml": manifest}


def found(files: dict[str, str]) -> list[Reported]:
    return run_rules(files, [RULE])


def resource(manifest: str) -> Resource:
    return resources_in(SourceFile("object.yaml", manifest).documents[0].root)[0]


@pytest.mark.parametrize("size", [261_900, 262_200])
def test_the_limit_is_exact(size: int) -> None:
    (one,) = found(owned(config_map(size)))
    copy = json.dumps(resource(config_map(size)).node.value, separators=(",", ":"))
    too_large = len(copy) + len("kubectl.kubernetes.io/last-applied-configuration") > LAST_APPLIED_LIMIT
    assert str(one.severity) == ("error" if too_large else "note")


@pytest.mark.parametrize("manifest", [config_map(300_000), crd(4_000)], ids=["ConfigMap", "CRD"])
def test_too_large(manifest: str) -> None:
    (one,) = found(owned(manifest))
    assert (str(one.severity), one.file.path, one.start.line) == ("error", "deploy/object.yaml", 2)


def test_it_says_who_fails_and_with_which_words() -> None:
    over, near = (found(owned(config_map(size)))[0].finding for size in (300_000, 250_000))
    assert 'bytes, so the sync fails with "metadata.annotations: Too long".' in over.message
    assert over.headline == "ConfigMap 'dashboards' is too large for a client-side apply"
    assert near.headline == "ConfigMap 'dashboards' is nearly too large for a client-side apply"
    assert over.do == near.do == "Add ServerSideApply=true for this object, which keeps no such copy."
    assert 'and when it grows beyond them, the sync fails with "metadata.annotations: Too long".' in near.message


def test_without_an_application_nobody_knows_how_it_is_applied() -> None:
    (one,) = found({"crd.yaml": crd(4_000)})
    assert str(one.severity) == "note"
    assert "so a client-side apply fails with" in one.finding.message
    assert [fix.safe for fix in one.finding.fixes] == [False]


def test_an_overlay_that_nobody_deploys_says_nothing() -> None:
    files = {
        "app.yaml": APPLICATION + "  syncPolicy:\n    syncOptions:\n      - ServerSideApply=true\n",
        "base/kustomization.yaml": "resources: [object.yaml]\n",
        "base/object.yaml": crd(4_000),
        "deploy/kustomization.yaml": "resources: [../base]\n",
        "overlays/sandbox/kustomization.yaml": "resources: [../../base]\n",
    }
    assert not found(files)


def test_what_takes_six_bytes_in_json_counts_six() -> None:
    assert [str(one.severity) for one in found(owned(config_map(100_000, filler="x<")))] == ["error"]
    assert not found(owned(config_map(190_000)))


def test_other_annotations_count_too() -> None:
    more = f"  annotations:\n    example.com/notes: {'n' * 40_000}\n"
    assert [str(one.severity) for one in found(owned(config_map(200_000, more)))] == ["error"]


@pytest.mark.parametrize("option", ["ServerSideApply=true", "Replace=true"])
def test_other_ways_to_apply_keep_no_copy(option: str) -> None:
    own = f"  annotations:\n    argocd.argoproj.io/sync-options: {option}\n"
    for_all = f"  syncPolicy:\n    syncOptions:\n      - {option}\n"
    assert not found(owned(crd(4_000, own)))
    assert not found(owned(crd(4_000), for_all))


def test_an_object_can_opt_out_of_server_side_apply() -> None:
    own = "  annotations:\n    argocd.argoproj.io/sync-options: ServerSideApply=false\n"
    for_all = "  syncPolicy:\n    syncOptions:\n      - ServerSideApply=true\n"
    (one,) = found(owned(crd(4_000, own), for_all))
    assert one.start.line == 6


def test_what_kustomize_changes_is_counted_as_it_comes_out() -> None:
    files = {"kustomization.yaml": "namePrefix: our-\nresources: [object.yaml]\n", "object.yaml": crd(4_000)}
    (one,) = found(files)
    assert (one.file.path, one.start.line) == ("object.yaml", 2)


def test_the_fix_adds_to_the_options_that_are_there() -> None:
    own = "  annotations:\n    argocd.argoproj.io/sync-options: Prune=false\n"
    (fixed,) = fix_files(found(owned(crd(4_000, own))), unsafe=False)
    assert fixed.after == crd(4_000, own.replace("Prune=false", "Prune=false,ServerSideApply=true"))


@pytest.mark.parametrize("fields", [500, 1_000, 2_000, 2_500, 2_600, 2_700, 3_000, 6_000])
def test_adding_up_lengths_comes_to_the_same_verdict(fields: int) -> None:
    one = resource(crd(fields))
    copy = len(json.dumps(one.node.value, separators=(",", ":")))
    size = copy + len("kubectl.kubernetes.io/last-applied-configuration")
    told = annotations_size(one, 200_000)
    assert (told > 0) == (size >= 200_000)
    assert (told > LAST_APPLIED_LIMIT) == (size > LAST_APPLIED_LIMIT)
    assert told <= size
