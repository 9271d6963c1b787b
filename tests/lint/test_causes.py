"""One cause, one finding: what belongs together, by a rule's own word or by default."""

from __future__ import annotations

from dataclasses import replace

from gitops_lint.linter.lint.causes import Group, grouped
from gitops_lint.linter.lint.result import Reported
from gitops_lint.linter.lint.rule import Cause, Finding, Moment, Rule, Scope, Severity
from gitops_lint.linter.lint.touched_apps import Touched
from gitops_lint.linter.yaml.source import SourceFile, Span, Spot
from support import repo_of, rule_named, run_rules


def rule(code: str = "GL999", moment: Moment = Moment.SYNC) -> Rule:
    return Rule(code, Severity.WARNING, lambda _: iter(()), "rules.tests.some_rule", Scope.RESOURCE, moment)


def item(path: str, message: str, line: int = 0, *, of: Rule | None = None, **more: object) -> Reported:
    text = "a: 1\n" * 50
    finding = Finding(Spot(SourceFile(path, text), Span(5 * line, 5 * line + 1)), message)
    names = ("cause", "never_heals")
    finding = replace(finding, **{key: more.pop(key) for key in names if key in more})  # type: ignore[arg-type]
    return Reported(of or rule(), finding, Severity.WARNING, None, **more)  # type: ignore[arg-type]


def sizes(groups: tuple[Group, ...]) -> list[tuple[str, int]]:
    return [(group.what, len(group.places)) for group in groups]


def test_what_a_rule_calls_one_cause_is_one() -> None:
    cause = Cause("Application argocd/shop", "{count} routes of 'shop' leave out the same defaults")
    found = [item(f"{name}.yaml", f"route {name}", cause=cause) for name in "abc"]
    other = item("d.yaml", "route d", cause=Cause("Application argocd/blog"))
    groups = grouped([*found, other])
    assert sizes(groups) == [("Application argocd/shop", 3), ("Application argocd/blog", 1)]
    assert [group.headline for group in groups] == ["3 routes of 'shop' leave out the same defaults", "route d"]


def test_a_manifest_that_was_copied_into_many_files_is_one() -> None:
    found = [item(f"app{n}/job.yaml", f"hook Job 'notify-{n}' has no deadline") for n in range(5)]
    assert sizes(grouped(found)) == [("the same in 5 files", 5)]
    assert sizes(grouped(found[:4])) == [("", 1)] * 4


def test_two_manifests_that_were_copied_are_two_and_two_files_are_two() -> None:
    jobs = [item(f"app{n}/job.yaml", f"hook Job 'notify-{n}' has no deadline") for n in range(5)]
    keys = [item(f"app{n}/key.yaml", f"Secret 'key-{n}' is not protected") for n in range(5)]
    assert sizes(grouped([*jobs, *keys])) == [("the same in 5 files", 5)] * 2
    beside = [item(f"{path}.yaml", f"Secret '{path}{n}' is wrong", n) for path in ("one", "two") for n in (1, 2)]
    assert sizes(grouped(beside)) == [("one.yaml", 2), ("two.yaml", 2)]
    assert len({group.fingerprint for group in grouped(beside)}) == 2


def test_other_words_are_another_cause() -> None:
    fields = ("emptydir", "afinity", "replica", "imagee", "envv", "portss")
    found = [item(f"{field}.yaml", f"Deployment 'web' has no field {field!r}") for field in fields]
    assert sizes(grouped(found)) == [("", 1)] * 6


def test_one_setting_of_an_application_is_one_whatever_the_objects_are() -> None:
    order = rule(moment=Moment.INSTALL)
    found = [
        item("a.yaml", "Pod 'a' needs Secret 'b'", of=order, applications=("shop",)),
        item("b.yaml", "Job 'c' calls Service 'd'", of=order, applications=("shop",)),
        item("c.yaml", "Pod 'a' needs Secret 'b'", of=order, applications=("blog",)),
    ]
    assert sizes(grouped(found)) == [("Application shop", 2), ("Application blog", 1)]
    stuck = [replace(one, finding=replace(one.finding, never_heals=True)) for one in found]
    assert sizes(grouped(stuck)) == [("", 1)] * 3, "what never heals is told one by one"


def test_the_same_in_one_application_or_one_file_is_one() -> None:
    found = [
        item("a.yaml", "Secret 'a' is wrong", applications=("shop",)),
        item("b.yaml", "Secret 'b' is wrong", applications=("shop",)),
        item("c.yaml", "Secret 'c' is wrong", 1),
        item("c.yaml", "Secret 'd' is wrong", 2),
    ]
    assert sizes(grouped(found)) == [("Application shop", 2), ("c.yaml", 2)]


def test_rules_and_severities_are_never_mixed() -> None:
    one = item("a.yaml", "x is wrong")
    two = replace(item("a.yaml", "x is wrong", 1), severity=Severity.NOTE)
    three = item("a.yaml", "x is wrong", 2, of=rule("GL998"))
    assert len(grouped([one, two, three])) == 3


def test_every_finding_is_in_one_group_and_the_key_outlives_new_places() -> None:
    found = [item(f"app{n}/job.yaml", f"hook Job 'notify-{n}' has no deadline") for n in range(9)]
    found += [item("a.yaml", f"Secret '{n}' is wrong", n) for n in range(3)]
    groups = grouped(found)
    assert sorted(id(place) for group in groups for place in group.places) == sorted(map(id, found))
    assert {group.fingerprint for group in grouped(found[1:])} == {group.fingerprint for group in groups}


HOOK = """\
apiVersion: batch/v1
kind: Job
metadata:
  name: migrate
  annotations: {argocd.argoproj.io/hook: PreSync}
spec: {template: {spec: {restartPolicy: Never}}}
"""


def test_a_base_that_twenty_overlays_build_is_one() -> None:
    files = {"base/kustomization.yaml": "resources: [job.yaml, gone.yaml]\n", "base/job.yaml": HOOK}
    for number in range(20):
        files[f"overlays/{number}/kustomization.yaml"] = f"resources: [../../base]\nnamePrefix: p{number}-\n"
    for name in ("hook-without-deadline", "kustomize-path-missing"):
        (group,) = grouped(run_rules(files, [rule_named(name)]))
        assert {item.file.path for item in group.places} <= {"base/job.yaml", "base/kustomization.yaml"}
        assert len(group.places) == 1


def test_routes_of_one_application_that_leave_out_the_same_defaults_are_one() -> None:
    route = """\
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {{name: route-{number}, namespace: shop}}
spec: {{parentRefs: [{{name: web}}]}}
"""
    application = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: shop, namespace: argocd}
spec:
  project: default
  source: {repoURL: https://git.example.com/shop.git, path: routes}
  destination: {server: https://kubernetes.default.svc, namespace: shop}
  syncPolicy: {automated: {}, syncOptions: [ServerSideApply=true]}
"""
    files = {f"routes/{number}.yaml": route.format(number=number) for number in range(290)}
    found = run_rules({"app.yaml": application, **files}, [rule_named("unpinned-crd-default")])
    assert len(found) == 290
    assert len(grouped(found)) == 1


def test_what_a_finding_touches() -> None:
    application = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {{name: {name}, namespace: {namespace}}}
spec:
  project: default
  source: {{repoURL: https://git.example.com/shop.git, path: {path}}}
  destination: {{server: https://kubernetes.default.svc, namespace: shop}}
"""
    apps = [
        ("shop", "argocd", "plain"),
        ("one", "argocd", "built"),
        ("two", "argocd", "built"),
        ("two", "team", "built"),
    ]
    files = {
        f"apps/{number}.yaml": application.format(name=name, namespace=namespace, path=path)
        for number, (name, namespace, path) in enumerate(apps)
    }
    files |= {"plain/job.yaml": HOOK, "built/kustomization.yaml": "resources: [job.yaml]\n", "built/job.yaml": HOOK}
    repo = repo_of(files)
    touched = Touched(repo)
    by_path = {file.path: file for file in repo.files}
    resources = {(one.kind, one.name, one.file.path): one for one in repo.resources}
    built = next(one for one in repo.resources if one.kind == "Job" and one.built)
    plain = resources["Job", "migrate", "plain/job.yaml"]
    shop = next(one for one in repo.resources if (one.kind, one.name) == ("Application", "shop"))
    assert touched.by(plain, plain.file) == ("shop",)
    assert sorted(touched.by(built, built.file)) == ["argocd/two", "one", "team/two"]
    assert touched.by(shop, shop.file) == ("shop",), "an Application is itself"
    assert sorted(touched.by(None, by_path["built/kustomization.yaml"])) == ["argocd/two", "one", "team/two"]
    assert touched.by(None, by_path["apps/0.yaml"]) == ()
