"""From what comes out of a build back to the lines that people wrote, and the fixes that go there."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from gitops_lint.linter.fix import fix_files
from gitops_lint.linter.kubernetes.resource import Resource
from gitops_lint.linter.kustomize.build_origin import BuiltDocument
from gitops_lint.linter.lint.result import Reported
from gitops_lint.linter.lint.rule import Finding, Fix, Rule, Scope, Severity
from gitops_lint.linter.yaml.source import Document, Node, Patch
from support import repo_of, rule_named, run_rules

JOB = """\
apiVersion: batch/v1
kind: Job
metadata:
  name: migrate
  annotations:
    argocd.argoproj.io/hook: PreSync
    argocd.argoproj.io/hook-delete-policy: BeforeHookCreation
spec:
  template:
    spec:
      containers:
        - name: migrate
          image: registry.example.com/migrate:1
"""
BASE = {"base/kustomization.yaml": "resources: [job.yaml]\n", "base/job.yaml": JOB}
DEADLINE = """\
patches:
  - patch: |-
      apiVersion: batch/v1
      kind: Job
      metadata: {name: migrate}
      spec: {activeDeadlineSeconds: 60}
"""


def overlay(name: str, text: str = "") -> dict[str, str]:
    return {f"{name}/kustomization.yaml": f"resources: [../base]\n{text}"}


def built(files: dict[str, str]) -> Resource:
    (resource,) = repo_of(files).resources
    return resource


def place(node: Node) -> tuple[str, int, str]:
    """File, line, and the text there."""
    span = node.span
    return node.file.path, node.file.position(span.start).line, node.file.text[span.start : span.end]


def found(files: dict[str, str], rule: str = "hook-without-deadline") -> list[Reported]:
    return run_rules(files, [rule_named(rule)])


def remarks(item: Reported) -> list[str]:
    return [note.message for note in item.finding.related if note.at is item.finding.at]


# -- where a field was written


def test_what_nobody_changed_is_the_file_s_own_document() -> None:
    job = built(BASE)
    assert not job.node.document.is_built
    assert job.kustomized


def test_a_field_that_no_patch_touches_stays_where_it_was() -> None:
    job = built({**BASE, **overlay("prod", DEADLINE)})
    assert place(job.annotation("argocd.argoproj.io/hook")) == ("base/job.yaml", 6, "PreSync")
    assert place(job["kind"]) == ("base/job.yaml", 2, "Job")


def test_a_field_of_an_inline_patch_is_at_its_line_in_the_kustomization() -> None:
    job = built({**BASE, **overlay("prod", DEADLINE)})
    assert place(job["spec"]["activeDeadlineSeconds"]) == ("prod/kustomization.yaml", 7, "60")


def test_a_field_of_a_patch_file_is_in_that_file() -> None:
    patch = "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: migrate\nspec:\n  backoffLimit: 3\n"
    files = {**BASE, **overlay("prod", "patches:\n  - path: more.yaml\n"), "prod/more.yaml": patch}
    assert place(built(files)["spec"]["backoffLimit"]) == ("prod/more.yaml", 6, "3")


def test_a_field_of_a_json_patch_is_at_the_value_of_its_operation() -> None:
    patch = "patches:\n  - target: {kind: Job}\n    patch: |-\n      - op: add\n        path: /spec/backoffLimit\n        value: 4\n"
    assert place(built({**BASE, **overlay("prod", patch)})["spec"]["backoffLimit"]) == (
        "prod/kustomization.yaml",
        7,
        "4",
    )


def test_what_a_kustomization_sets_for_all_is_where_it_says_so() -> None:
    text = "namespace: shop\ncommonAnnotations: {team: a}\nimages:\n  - name: registry.example.com/migrate\n    newTag: v2\n"
    job = built({**BASE, **overlay("prod", text)})
    assert place(job.metadata["namespace"]) == ("prod/kustomization.yaml", 2, "shop")
    assert place(job.annotation("team")) == ("prod/kustomization.yaml", 3, "a")
    image = job["spec"]["template"]["spec"]["containers"][0]["image"]
    assert image.text == "registry.example.com/migrate:v2"
    assert place(image) == ("prod/kustomization.yaml", 6, "v2")


def test_a_renamed_object_is_where_its_name_was_written() -> None:
    job = built({**BASE, **overlay("prod", "namePrefix: prod-\n")})
    assert job.name == "prod-migrate"
    assert place(job.metadata["name"]) == ("base/job.yaml", 4, "migrate")


def test_a_generated_object_is_where_its_generator_is() -> None:
    text = "configMapGenerator:\n  - name: settings\n    literals:\n      - a=1\n      - b=2\n"
    settings = built({"kustomization.yaml": text})
    assert settings.name.startswith("settings-")
    assert settings.file.path == "kustomization.yaml"
    assert place(settings["data"]["b"]) == ("kustomization.yaml", 5, "b=2")


def test_what_is_absent_is_at_the_key_above_it() -> None:
    job = built({**BASE, **overlay("prod", "namePrefix: x-\n")})
    node = job["spec"]["activeDeadlineSeconds"]
    assert node.absent
    assert place(node) == ("base/job.yaml", 8, "spec")
    patch = node.set(600)
    assert patch.document.file.path == "base/job.yaml"
    assert patch.operations == ({"op": "add", "path": "/spec/activeDeadlineSeconds", "value": 600},)


def test_what_is_absent_below_something_absent_keeps_its_path() -> None:
    node = built({**BASE, **overlay("prod", "namePrefix: x-\n")})["spec"]["podFailurePolicy"]["rules"]
    patch = node.append({"action": "Ignore"})
    (operation,) = patch.operations
    assert operation["path"] == "/spec/podFailurePolicy"
    assert operation["value"] == {"rules": [{"action": "Ignore"}]}


def test_a_value_knows_what_it_took_the_place_of() -> None:
    middle = {"middle/kustomization.yaml": f"resources: [../base]\n{DEADLINE}"}
    top = DEADLINE.replace("60", "90")
    files = {**BASE, **middle, "prod/kustomization.yaml": f"resources: [../middle]\n{top}"}
    deadline = built(files)["spec"]["activeDeadlineSeconds"]
    assert deadline.value == 90
    assert place(deadline) == ("prod/kustomization.yaml", 7, "90")
    assert isinstance(deadline.document, BuiltDocument)
    assert [place(node) for node in deadline.document.history(deadline)] == [("middle/kustomization.yaml", 7, "60")]
    assert [step.what for step in deadline.document.steps] == ["patched", "patched"]


# -- findings


def test_one_line_that_feeds_many_builds_is_one_finding_with_its_fix() -> None:
    files = {**BASE, **overlay("dev"), **overlay("test", "namePrefix: test-\n"), **overlay("prod", "namespace: shop\n")}
    (item,) = found(files)
    assert (item.file.path, item.start.line) == ("base/job.yaml", 6)
    assert remarks(item) == []
    (fixed,) = fix_files([item], unsafe=True)
    assert fixed.file.path == "base/job.yaml"
    assert "activeDeadlineSeconds" in fixed.after


def test_no_fix_where_another_build_is_in_order() -> None:
    (item,) = found({**BASE, **overlay("dev", DEADLINE), **overlay("prod")})
    assert (item.file.path, item.start.line) == ("base/job.yaml", 6)
    assert item.finding.fixes == ()
    assert remarks(item) == [
        "so it is in the build of prod",
        "no fix is offered: this line feeds dev, too, where nothing is wrong with it",
    ]


def test_no_fix_where_a_patch_would_undo_it() -> None:
    away = DEADLINE.replace("{activeDeadlineSeconds: 60}", "{activeDeadlineSeconds: null}")
    (item,) = found({**BASE, **overlay("prod", away)})
    assert item.finding.fixes == ()
    assert remarks(item) == ["no fix is offered: a patch decides about this field, whatever stands here"]
    removed = (
        "patches:\n  - target: {kind: Job}\n    patch: |-\n      - op: replace\n        path: /spec\n"
        "        value: {template: {spec: {}}}\n"
    )
    (item,) = found({**BASE, **overlay("prod", removed)})
    assert item.finding.fixes == ()


def test_silent_when_every_overlay_brings_what_the_base_lacks() -> None:
    assert found({**BASE, **overlay("dev", DEADLINE), **overlay("prod", DEADLINE)}) == []


def test_a_hook_that_a_patch_makes_is_found_in_the_patch_and_has_no_fix_there() -> None:
    plain = {**BASE, "base/job.yaml": JOB.replace("    argocd.argoproj.io/hook: PreSync\n", "")}
    patch = (
        "patches:\n  - target: {kind: Job}\n    patch: |-\n      - op: add\n"
        "        path: /metadata/annotations/argocd.argoproj.io~1hook\n        value: PreSync\n"
    )
    (item,) = found({**plain, **overlay("prod", patch)})
    assert (item.file.path, item.start.line) == ("prod/kustomization.yaml", 7)


def test_a_fix_of_what_the_kustomization_sets_for_all_is_withheld() -> None:
    text = "commonAnnotations:\n  argocd.argoproj.io/sync-wave: first\n"
    (item,) = found({**BASE, **overlay("prod", text)}, "sync-wave-not-integer")
    assert (item.file.path, item.start.line) == ("prod/kustomization.yaml", 3)
    assert item.finding.fixes == ()


def refused(files: dict[str, str], patch_of: Callable[[Resource], Patch]) -> list[str]:
    """What is said of a fix; nothing where it is offered."""

    def check(resource: Resource) -> Iterator[Finding]:
        yield Finding(resource["kind"], "x", fixes=(Fix("mend it", patch_of(resource)),))

    rule = Rule("GL999", Severity.WARNING, check, "rules.fake.some_rule", Scope.RESOURCE, kinds=("Job",))
    (item,) = run_rules(files, [rule])
    said = [one for one in remarks(item) if one.startswith("no fix is offered: ")]
    assert bool(said) is not bool(item.finding.fixes)
    return [one.removeprefix("no fix is offered: ") for one in said]


def test_why_no_fix_is_offered() -> None:
    inline = {**BASE, **overlay("prod", DEADLINE)}

    def deadline(job: Resource) -> Patch:
        return job["spec"]["activeDeadlineSeconds"].set(600)

    def policy(job: Resource) -> Patch:
        return job.metadata["annotations"]["argocd.argoproj.io/hook-delete-policy"].set(f"of {job.name}")

    assert refused(BASE, deadline) == []
    assert refused(inline, policy) == [], "no patch says anything of it"
    assert refused(inline, deadline) == ["the patch is a text within the kustomization"]
    assert refused(inline, lambda job: deadline(job).also(policy(job))) == [
        "the fields it would change are written in several files"
    ]
    labelled = {**BASE, **overlay("prod", "commonAnnotations: {team: shop}\n")}
    assert refused(labelled, lambda job: job.annotation("team").set("cart")) == [
        "the kustomization sets this for all of its objects"
    ]
    two = {**BASE, **overlay("dev", "namePrefix: dev-\n"), **overlay("prod", "namePrefix: prod-\n")}
    assert refused(two, deadline) == []
    assert refused(two, policy) == ["this line feeds several builds, which need different ones"]


def test_a_field_that_patches_have_a_say_in_is_not_fixed_in_one_place() -> None:
    """Whatever the patch's form: the field, what is above it, or an operation on either."""
    merged = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: migrate}\nspec:\n  backoffLimit: 3\n"
    over = "a patch decides about this field, whatever stands here"
    for patch, said in {
        merged: [over],
        merged.replace("  backoffLimit: 3", "  parallelism: 3"): [],
        merged.replace("spec:\n", "spec:\n  $patch: replace\n"): [over],
        "- {op: add, path: /spec/backoffLimit, value: 3}\n": [over],
        "- {op: add, path: /spec/parallelism, value: 3}\n": [],
        "- {op: replace, path: /spec, value: {template: {spec: {}}}}\n": [over],
    }.items():
        files = {**BASE, **overlay("prod", "patches: [{path: p.yaml, target: {kind: Job}}]\n"), "prod/p.yaml": patch}
        files["base/job.yaml"] = JOB.replace("spec:\n  template", "spec:\n  backoffLimit: 1\n  template")
        assert refused(files, lambda job: _in_the_base(job).set(5)) == said, patch


def _in_the_base(job: Resource) -> Node:
    return next(one for one in _documents(job) if one.file.path == "base/job.yaml").root["spec"]["backoffLimit"]


def _documents(job: Resource) -> list[Document]:
    own = job.node.document
    return list(own.sources) if isinstance(own, BuiltDocument) else [own]


def test_an_ignore_in_the_base_holds_for_every_overlay() -> None:
    ignored = JOB.replace("PreSync\n", "PreSync # gitops-lint: ignore[hook-without-deadline] it never hangs\n")
    items = found({**BASE, "base/job.yaml": ignored, **overlay("dev"), **overlay("prod", "namePrefix: x-\n")})
    # The comment is judged by triage; here it matters that the finding stands on its line.
    assert [(item.file.path, item.start.line) for item in items] == [("base/job.yaml", 6)]


def test_a_patch_that_would_reach_two_files_is_torn() -> None:
    job = built({**BASE, **overlay("prod", DEADLINE)})
    patch = job["spec"]["activeDeadlineSeconds"].set(1).also(job.annotation("a").set("b"))
    assert patch.torn


def test_every_place_of_a_built_object_is_in_some_file() -> None:
    text = f"namespace: shop\nnamePrefix: a-\nlabels:\n  - pairs: {{tier: web}}\n    includeSelectors: true\n{DEADLINE}"
    for node in built({**BASE, **overlay("prod", text)}).node.walk():
        path, line, _ = place(node)
        assert path in ("base/job.yaml", "prod/kustomization.yaml")
        assert line >= 1


# -- a build that nobody can follow


NO_MATCH = "patches:\n  - patch: |-\n      apiVersion: apps/v1\n      kind: Deployment\n      metadata: {name: other}\n"


def test_a_broken_overlay_silences_itself_and_no_healthy_one_on_the_same_base() -> None:
    (item,) = found({**BASE, **overlay("broken", NO_MATCH), **overlay("healthy")})
    assert (item.file.path, item.start.line) == ("base/job.yaml", 6)
    assert item.finding.fixes == ()
    assert remarks(item) == ["no fix is offered: this line feeds broken, too, and what that comes to is not known"]
    (healthy,) = found({**BASE, **overlay("healthy")})
    assert healthy.finding.message == item.finding.message
    assert found({**BASE, **overlay("broken", NO_MATCH)}) == []


def test_what_is_uncertain_belongs_to_the_build() -> None:
    repo = repo_of({**BASE, **overlay("broken", NO_MATCH), **overlay("healthy")})
    assert {build.folder: [one.patched for one in build.resources] for build in repo.kustomize.builds} == {
        "broken": [True],
        "healthy": [False],
    }
    for build in repo.kustomize.builds:
        for one in build.resources:
            assert repo.owner(one["spec"]["template"]) is one


def test_nothing_of_an_object_can_be_set_later() -> None:
    resource = built(BASE)
    for name in ("provenance", "patched", "versions", "node", "anything"):
        with pytest.raises(AttributeError):
            setattr(resource, name, True)


# -- why no fix is offered

APP = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: shop, namespace: argocd}
spec:
  project: default
  source: {repoURL: https://git.example.com/shop.git, path: shop}
  destination: {server: https://kubernetes.default.svc, namespace: shop}
"""
PATCH = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: shop, namespace: argocd}\nspec:\n"
AUTOMATED = "  syncPolicy:\n    automated:\n      prune: {}\n"


@pytest.mark.parametrize(
    ("in_base", "in_patch", "path", "reason"),
    [
        (
            "true", "false", "over/patch.yaml",
            "the value is written in several places, and without this one another comes to light",
        ),
        (None, "false", "over/patch.yaml", None),
        ("false", None, "base/app.yaml", None),
    ],
)  # fmt: skip
def test_a_line_of_a_patch_is_not_called_overruled_by_its_base(
    in_base: str | None, in_patch: str | None, path: str, reason: str | None
) -> None:
    files = {
        "base/kustomization.yaml": "resources: [app.yaml]\n",
        "base/app.yaml": APP + (AUTOMATED.format(in_base) if in_base else ""),
        "over/kustomization.yaml": "resources: [../base]\npatches: [{path: patch.yaml}]\n",
        "over/patch.yaml": PATCH + (AUTOMATED.format(in_patch) if in_patch else "  project: shop\n"),
    }
    (item,) = found(files, "explicit-prune-false")
    assert item.file.path == path
    assert remarks(item) == ([f"no fix is offered: {reason}"] if reason else [])
    assert bool(item.finding.fixes) is (reason is None)
    is_covered = reason is not None and reason.endswith("comes to light")
    assert item.finding.do.startswith("Let the patch remove the field" if is_covered else "Leave the line out")
