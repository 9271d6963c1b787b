"""What a merge does, as data: every action, its order, and what is said about it."""

from __future__ import annotations

import pytest
from change_plans import (
    BEFORE,
    CLAIM,
    JOB,
    PRUNES,
    SECRETS,
    app_of,
    application,
    changes,
    config_map,
    deployment,
    manifest,
    object_of,
    shop,
    told,
)
from gitops_lint.linter.change import Fate
from gitops_lint.linter.lint.result import Reported
from gitops_lint.linter.plan.changes import Action, affected_apps
from gitops_lint.linter.plan.changes.change_views import Status
from gitops_lint.linter.plan.changes.changed_fields import differences
from gitops_lint.rules import load
from hypothesis import given
from hypothesis import strategies as st
from support import run_rules

APP = {"app.yaml": application("shop", "shop", policy=PRUNES)}


def shop_of(before: dict[str, str], after: dict[str, str], app: str = APP["app.yaml"], app_after: str = ""):  # type: ignore[no-untyped-def]
    view = changes({"app.yaml": app, **before}, {"app.yaml": app_after or app, **after})
    return app_of(view, "shop")


# -- the whole


def test_everything_in_the_order_of_the_sync() -> None:
    app = app_of(shop(), "shop")
    assert [(title, [f"{one.action.value} {one.title}" for one in objects]) for title, objects in app.groups] == [
        ("PreSync wave 0", ["run Job migrate"]),
        ("Sync wave -1", ["prune PersistentVolumeClaim data"]),
        ("Sync wave 0", ["change Secret creds", "change ConfigMap settings", "change Deployment web"]),
        ("Sync wave 2", ["create Service web"]),
        ("Not touched by the sync", ["stay ConfigMap kept", "stay ConfigMap moving"]),
    ]
    assert (app.automatic, app.how) == (True, "syncs by itself, and prunes")
    assert [one.fate for one in app.objects if one.fate] == [Fate.PRUNED, Fate.PROTECTED, Fate.HELD]


def test_every_app_that_something_happens_to_and_no_other() -> None:
    view = shop()
    assert [(app.name, app.status, app.automatic) for app in view.apps] == [
        ("blog", Status.KEPT, False),
        ("legacy", Status.REMOVED, True),
        ("news", Status.ADDED, True),
        ("root", Status.KEPT, True),
        ("shop", Status.KEPT, True),
        ("loose", Status.KEPT, None),
    ]
    assert view.unchanged == 1, "quiet"
    assert dict(view.lost) == {"PersistentVolumeClaim": 1}


def test_the_rows_of_the_table() -> None:
    rows = {row.name: row for row in affected_apps(shop())}
    assert rows["shop"][2:] == ("in-cluster/shop", 1, 3, 0, 1, 0, "yes")
    assert (rows["legacy"].status, rows["news"].status, rows["shop"].status) == ("removed", "added", "")
    assert rows["loose"].automatic == "unknown"


def test_nothing_changes() -> None:
    view = changes(BEFORE, BEFORE)
    assert (view.apps, view.unchanged) == ((), 5)


def test_a_moved_file_changes_nothing() -> None:
    view = changes({**APP, "shop/a.yaml": config_map("a")}, {**APP, "shop/b.yaml": config_map("a")})
    assert view.apps == ()


def test_one_app_by_name() -> None:
    assert [app.name for app in changes(BEFORE, {**BEFORE, "quiet/b.yaml": config_map("b")}, "quiet").apps] == ["quiet"]


# -- refused and recreated


@pytest.mark.parametrize(
    ("options", "action"),
    [("", Action.REFUSED), ("Replace=true", Action.REFUSED), ("Force=true", Action.RECREATE), ("Force=true,Replace=true", Action.RECREATE)],
)  # fmt: skip
def test_a_selector_cannot_change(options: str, action: Action) -> None:
    app = shop_of(
        {"shop/web.yaml": deployment("a", "b", options=options)},
        {"shop/web.yaml": deployment("a", "b", options=options, app="other")},
    )
    (one,) = app.objects
    assert one.action is action
    assert one.remarks[0].startswith("spec.selector cannot be changed: ")


def test_what_comes_after_a_refused_change_is_not_applied() -> None:
    before = {"shop/web.yaml": deployment("a", "b"), "shop/late.yaml": config_map("late", wave="3")}
    app = shop_of(before, {**before, "shop/web.yaml": deployment("a", "b", app="other")})
    assert "what comes in later waves is not applied" in app.objects[0].remarks[0]


def test_the_template_of_a_job_that_is_no_hook() -> None:
    job = manifest("Job", "once", body=JOB)
    app = shop_of({"shop/job.yaml": job}, {"shop/job.yaml": job.replace("migrate:1", "migrate:2")})
    assert told(app) == ["refused Job once"]


def test_what_is_replaced_by_force_is_recreated_by_every_sync() -> None:
    job = manifest("Job", "again", options="Force=true,Replace=true", body=JOB)
    files = {"shop/job.yaml": job, "shop/a.yaml": config_map("a")}
    assert told(shop_of(files, {**files, "shop/a.yaml": config_map("a", "c")})) == [
        "change ConfigMap a",
        "recreate Job again",
    ]
    sparing = application("shop", "shop", policy=f"{PRUNES}, syncOptions: [ApplyOutOfSyncOnly=true]")
    assert told(shop_of(files, {**files, "shop/a.yaml": config_map("a", "c")}, sparing)) == ["change ConfigMap a"]


def test_an_immutable_config_map() -> None:
    fixed = config_map("a") + "immutable: true\n"
    app = shop_of({"shop/a.yaml": fixed}, {"shop/a.yaml": fixed.replace("a: b", "a: c")})
    assert [(one.action, one.remarks[0].split(":")[0]) for one in app.objects] == [
        (Action.REFUSED, "data (it is immutable) cannot be changed")
    ]


# -- what leaves


@pytest.mark.parametrize(
    ("policy", "options", "fate"),
    [
        (PRUNES, "", Fate.PRUNED),
        ("automated: {}", "", Fate.WITH_PRUNE),
        ("", "", Fate.WITH_PRUNE),
        (PRUNES, "Prune=false", Fate.PROTECTED),
        (PRUNES, "Prune=confirm", Fate.CONFIRMED),
    ],
)
def test_an_object_leaves_git(policy: str, options: str, fate: Fate) -> None:
    files = {"shop/a.yaml": config_map("a", options=options), "shop/b.yaml": config_map("b")}
    app = shop_of(files, {"shop/b.yaml": files["shop/b.yaml"]}, application("shop", "shop", policy=policy))
    (one,) = app.objects
    assert one.fate is fate
    assert one.action is (Action.PRUNE if fate is Fate.PRUNED else Action.STAY)
    assert one.place is None, "it is in no file of what is merged"
    assert app.automatic is (fate is Fate.PRUNED)


def test_the_last_object_is_not_pruned_unless_that_is_allowed() -> None:
    files = {"shop/a.yaml": config_map("a"), "shop/readme.yaml": "# nothing\n"}
    after = {"shop/readme.yaml": "# nothing\n"}
    assert [one.fate for one in shop_of(files, after).objects] == [Fate.WITH_PRUNE]
    allowed = application("shop", "shop", policy="automated: {prune: true, allowEmpty: true}")
    assert [one.fate for one in shop_of(files, after, allowed).objects] == [Fate.PRUNED]


def test_definitions_and_hooks_are_not_pruned() -> None:
    crd = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: a.b.c}\nspec: {group: b.c, names: {kind: A}}\n"
    files = {"shop/crd.yaml": crd, "shop/hook.yaml": BEFORE["shop/migrate.yaml"], "shop/a.yaml": config_map("a")}
    app = shop_of(files, {"shop/a.yaml": files["shop/a.yaml"]})
    assert {one.resource.kind: one.fate for one in app.objects} == {
        "CustomResourceDefinition": Fate.LEFT_BEHIND,
        "Job": Fate.LEFT_BEHIND,
    }


def test_a_path_that_is_gone_prunes_nothing() -> None:
    app = shop_of({"shop/a.yaml": config_map("a"), "b.txt.yaml": "a: b\n"}, {"b.txt.yaml": "a: b\n"})
    assert app.failures == ("shop is not in the repository",)
    assert [one.fate for one in app.objects] == [Fate.HELD]
    assert app.automatic is False


def test_prunes_go_from_the_highest_wave_down_and_the_last_ones_last() -> None:
    files = {
        "shop/low.yaml": config_map("low", wave="1"),
        "shop/high.yaml": config_map("high", wave="5"),
        "shop/last.yaml": config_map("last", wave="1", options="PruneLast=true"),
        "shop/stays.yaml": config_map("stays"),
    }
    app = shop_of(files, {"shop/stays.yaml": files["shop/stays.yaml"]})
    assert [(one.resource.name, one.slot and one.slot.wave) for one in app.objects] == [
        ("high", 1),
        ("low", 5),
        ("last", 6),
    ]


def test_an_object_moves_to_another_application() -> None:
    view = shop()
    taken = object_of(app_of(view, "blog"), "ConfigMap moving")
    assert taken.action is Action.MOVE
    assert taken.remarks == (
        "from Application 'shop'; if that one syncs first, it deletes the object, and this one creates it anew",
    )
    assert object_of(app_of(view, "shop"), "ConfigMap moving").remarks[0].startswith("moves to Application 'blog'; if")


# -- Applications


@pytest.mark.parametrize(
    ("finalizer", "parent", "fate", "automatic"),
    [
        (True, PRUNES, Fate.DELETED, True),
        (False, PRUNES, Fate.ORPHANED, True),
        (True, "automated: {}", Fate.DELETED, False),
        (False, "", Fate.ORPHANED, False),
    ],
)
def test_an_application_is_removed(finalizer: bool, parent: str, fate: Fate, automatic: bool) -> None:
    before = {
        "root.yaml": application("root", "apps", policy=parent),
        "apps/shop.yaml": application("shop", "shop", finalizer=finalizer),
        "apps/other.yaml": application("other", "other"),
        "shop/a.yaml": config_map("a"),
        "other/a.yaml": config_map("o"),
    }
    after = {path: text for path, text in before.items() if path not in ("apps/shop.yaml", "shop/a.yaml")}
    app = app_of(changes(before, after), "shop")
    assert (app.status, app.automatic, [one.fate for one in app.objects]) == (Status.REMOVED, automatic, [fate])
    assert (app.objects[0].action is Action.PRUNE) is (finalizer and automatic)
    assert ("with 1 object (it has the finalizer)" in app.words[0]) is finalizer


def test_what_delete_false_keeps() -> None:
    before = {**BEFORE, "legacy/old.yaml": config_map("old", options="Delete=false")}
    after = {path: text for path, text in before.items() if not path.endswith(("legacy.yaml", "old.yaml"))}
    (one,) = app_of(changes(before, after), "legacy").objects
    assert (one.action, one.fate) == (Action.STAY, Fate.PROTECTED)


def test_another_cluster_leaves_everything_behind() -> None:
    files = {"shop/a.yaml": config_map("a")}
    app = shop_of(
        files, files, application("shop", "shop", policy=PRUNES),
        application("shop", "shop", policy=PRUNES, server="https://other.example.com"),
    )  # fmt: skip
    assert [(one.action, one.fate) for one in app.objects] == [(Action.CREATE, None), (Action.STAY, Fate.LEFT_BEHIND)]
    assert app.words[0].startswith("It goes to cluster https://other.example.com instead of in-cluster: ")


def test_another_namespace_prunes_in_the_old_one() -> None:
    files = {"shop/a.yaml": config_map("a")}
    app = shop_of(files, files, APP["app.yaml"], application("shop", "shop", policy=PRUNES, namespace="new"))
    assert [(one.action, one.remarks) for one in app.objects] == [
        (Action.PRUNE, ("in namespace 'new' now",)),
        (Action.CREATE, ("in namespace 'shop' before",)),
    ]


def test_a_renamed_application_takes_its_objects_over() -> None:
    before = {"app.yaml": application("old", "shop", finalizer=True), "shop/a.yaml": config_map("a")}
    view = changes(before, {**before, "app.yaml": application("new", "shop", finalizer=True)})
    app = app_of(view, "new")
    assert (app.status, told(app)) == (Status.RENAMED, ["take over ConfigMap a"])
    assert "It was called 'old': to Argo CD this is a new Application." in app.words[0]


def test_what_nobody_syncs_is_up_to_somebody_else() -> None:
    view = changes({"a/a.yaml": config_map("a"), "a/b.yaml": config_map("b")}, {"a/b.yaml": config_map("b", "c")})
    (app,) = view.apps
    assert (app.is_application, app.automatic) == (False, None)
    assert [(one.action, one.fate) for one in app.objects] == [(Action.CHANGE, None), (Action.STAY, Fate.UNKNOWN)]


def test_what_a_kustomization_builds_is_told_apart_from_the_files_beside_it() -> None:
    files = {"a/kustomization.yaml": "resources: [one.yaml]\n", "a/two.yaml": config_map("two")}
    before, after = ({**files, "a/one.yaml": config_map("one", text)} for text in "bc")
    (app,) = changes(before, after).apps
    assert (app.name, [one.action for one in app.objects]) == ("a", [Action.CHANGE])


# -- when


def test_hooks_alone_start_no_sync() -> None:
    files = {"shop/hook.yaml": BEFORE["shop/migrate.yaml"], "shop/a.yaml": config_map("a")}
    app = shop_of(files, {**files, "shop/hook.yaml": files["shop/hook.yaml"].replace("migrate:1", "migrate:2")})
    assert told(app) == ["run Job migrate"]
    assert app.automatic is False
    assert app.how.startswith("only hooks differ")
    assert [field.path for field in app.objects[0].fields] == ["spec.template.spec.containers[main].image"]


def test_a_source_that_is_fixed_to_a_tag() -> None:
    fixed = application("shop", "shop", policy=PRUNES, revision="v1.2.3")
    app = shop_of({"shop/a.yaml": config_map("a")}, {"shop/a.yaml": config_map("a", "c")}, fixed)
    assert (app.automatic, app.how) == (
        False,
        "its source is fixed to 'v1.2.3', so nothing happens until that changes",
    )


def test_a_hook_that_no_argo_cd_knows_is_not_applied() -> None:
    app = shop_of({"shop/a.yaml": config_map("a")}, {"shop/a.yaml": config_map("a"), "shop/b.yaml": manifest("Job", "typo", hook="presync", body=JOB)})  # fmt: skip
    assert told(app) == ["not applied Job typo"]


def test_what_is_not_seen_is_said() -> None:
    chart = application("shop", "shop").replace(
        "    path: shop\n    targetRevision: HEAD\n", "    chart: web\n    targetRevision: 1.0.0\n"
    )
    app = app_of(changes({"app.yaml": chart}, {"app.yaml": chart.replace("1.0.0", "2.0.0")}), "shop")
    assert app.unresolved == ("chart web comes from https://git.example.com/shop.git: `gitops-lint fetch` brings it",)
    assert [(field.path, field.before, field.after) for field in app.fields] == [
        ("spec.source.targetRevision", "1.0.0", "2.0.0")
    ]


# -- fields


def told_fields(before: object, after: object) -> list[tuple[str, str | None, str | None]]:
    return [(field.path, field.before, field.after) for field in differences(before, after)]


def test_fields_are_named_as_people_name_them() -> None:
    before = {"a": 1, "l": [{"name": "x", "v": "8"}, {"name": "y"}], "d": {"k/e.y": None}, "n": [1, 2]}
    after = {"a": "1", "l": [{"name": "y"}, {"name": "x", "v": 8}], "d": {"k/e.y": True}, "n": [1], "z": {"q": []}}
    assert told_fields(before, after) == [
        ("a", "1", '"1"'),
        ("l[x].v", '"8"', "8"),
        ("l (their order)", '["x", "y"]', '["y", "x"]'),
        ('d["k/e.y"]', "null", "true"),
        ("n[1]", "2", None),
        ("z", None, '{"q": []}'),
    ]
    assert [field.pointer for field in differences(before, after)][1:4] == ["/l/1/v", "/l", "/d/k~1e.y"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"kind": "Secret", "data": {"a": "eA=="}}, {"kind": "Secret", "data": {"a": "eQ=="}}),
        ({"kind": "Secret"}, {"kind": "Secret", "stringData": {"a": {"b": ["eQ=="]}}}),
        ({"spec": {"manifest": {"kind": "Secret", "data": {"a": 1}}}}, {"spec": {"manifest": {"kind": "Secret", "data": {"a": "eQ=="}}}}),
        ({"env": []}, {"env": [{"name": "DB_PASSWORD", "value": "eQ=="}]}),
        ({"env": [{"name": "TOKEN", "value": "x"}]}, {"env": [{"name": "TOKEN", "value": "eQ=="}]}),
        ({"args": ["--password", "x"]}, {"args": ["--password", "eQ=="]}),
        ({"args": ["--password=x"]}, {"args": ["--password=eQ=="]}),
        ({"data": {"f": "a\npassword: x\n"}}, {"data": {"f": "b\npassword: eQ==\n"}}),
        ({"a": {}}, {"a": {"deep": {"client_secret": "eQ=="}}}),
        ({"url": "a"}, {"url": "https://user:eQ==@example.com/"}),
        ({"f": "a"}, {"f": "kind: Secret\ndata:\n  a: eQ==\n"}),
    ],
)  # fmt: skip
def test_secrets_are_not_shown(before: object, after: object) -> None:
    found = differences(before, after)
    assert found
    assert "eQ==" not in repr(found)


@pytest.mark.parametrize(
    "value", ["registry/token-service:1.3", "https://example.com/secret/path", "secret-name", "8080"]
)
def test_what_only_sounds_like_a_secret_is_shown(value: str) -> None:
    assert told_fields({"image": "a"}, {"image": value})[0][2] in (value, f'"{value}"')


def test_no_secret_of_the_shop_is_in_its_views() -> None:
    said = repr([(app.fields, [one.fields for one in app.objects]) for app in shop().apps])
    assert not [secret for secret in SECRETS if secret in said]


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("abcd"), inner, max_size=4),
    max_leaves=12,
)


@given(VALUES, VALUES)
def test_whatever_differs_is_told_and_nothing_else(before: object, after: object) -> None:
    found = differences(before, after)
    same = repr(before) == repr(after) or (before == after and not found)
    assert bool(found) is not same


def test_a_claim_takes_its_data_along() -> None:
    files = {"shop/a.yaml": config_map("a"), "shop/c.yaml": manifest("PersistentVolumeClaim", "data", body=CLAIM)}
    (one,) = shop_of(files, {"shop/a.yaml": files["shop/a.yaml"]}).objects
    assert one.loses_data
    assert one.remarks == ("deleted, and its volume (unless its class retains it) with it",)


def test_nothing_is_applied_where_the_manifests_cannot_be_generated() -> None:
    files = {"shop/kustomization.yaml": "resources: [a.yaml]\n", "shop/a.yaml": config_map("a")}
    broken = {"shop/kustomization.yaml": "resources: [a.yaml, gone.yaml]\n", "shop/a.yaml": config_map("a", "c")}
    app = shop_of(files, broken)
    assert app.failures
    assert {one.action for one in app.objects} <= {Action.SKIP}
    assert app.automatic is False


def test_templates_that_were_not_rendered_are_only_counted() -> None:
    chart = {"shop/Chart.yaml": "apiVersion: v2\nname: shop\nversion: 1.0.0\n", "shop/values.yaml": "a: b\n"}
    template = config_map("{{ .Values.a }}")
    view = changes(
        {**chart, "shop/templates/a.yaml": template}, {**chart, "shop/templates/a.yaml": template + "  c: d\n"}
    )
    (app,) = view.apps
    assert (app.objects, app.unresolved) == ((), ("1 object differs in templates of a chart that was not rendered",))


@pytest.mark.parametrize(
    ("pointer", "options", "remark"),
    [
        ("/data/a", "", "ignored (ignoreDifferences): it starts no sync, but the next one writes it"),
        ("/data/a", "RespectIgnoreDifferences=true", "ignored (ignoreDifferences with RespectIgnoreDifferences): neither seen nor written"),
        ("/data/z", "", None),
    ],
)  # fmt: skip
def test_what_argo_cd_is_told_not_to_see(pointer: str, options: str, remark: str | None) -> None:
    ignoring = application("shop", "shop", policy=f"{PRUNES}, syncOptions: [{options}]")
    ignoring += f"  ignoreDifferences:\n    - kind: ConfigMap\n      jsonPointers: [{pointer}]\n"
    app = shop_of({"shop/a.yaml": config_map("a")}, {"shop/a.yaml": config_map("a", "c")}, ignoring)
    assert [one.remarks for one in app.objects] == [(remark,) if remark else ()]


def test_a_namespace_takes_everything_along() -> None:
    files = {"shop/a.yaml": config_map("a"), "shop/ns.yaml": manifest("Namespace", "extra")}
    (one,) = shop_of(files, {"shop/a.yaml": files["shop/a.yaml"]}).objects
    assert one.action is Action.PRUNE
    assert "everything in it" in one.remarks[0]


# -- one answer: what the plan says becomes of something is what the rules say

CRD = (
    "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: widgets.b.c\n{marks}"
    "spec: {{group: b.c, names: {{kind: Widget}}}}\n"
)
BY_LABEL = {
    "argocd/cm.yaml": manifest("ConfigMap", "argocd-cm", body="data:\n  application.resourceTrackingMethod: label\n")
}
OTHER_KEY = {
    "argocd/cm.yaml": BY_LABEL["argocd/cm.yaml"] + "  application.instanceLabelKey: example.com/app\n",
}
LABEL = "  labels: {{{}: shop}}\n"
INSTANCE = LABEL.format("app.kubernetes.io/instance")
ID = "  annotations: {{argocd.argoproj.io/tracking-id: '{}:apiextensions.k8s.io/CustomResourceDefinition:shop/widgets.b.c'}}\n"


@pytest.mark.parametrize(
    ("settings", "marks", "pruned"),
    [
        ({}, "", False),
        (BY_LABEL, "", False),
        (BY_LABEL, INSTANCE, True),
        (BY_LABEL, LABEL.format("example.com/app"), False),
        (OTHER_KEY, LABEL.format("example.com/app"), True),
        (OTHER_KEY, INSTANCE, False),
        ({}, INSTANCE, False),
        ({}, ID.format("shop"), True),
        ({}, ID.format("blog"), False),
        (BY_LABEL, ID.format("shop"), False),
    ],
)
def test_a_crd_is_pruned_only_if_git_itself_marks_it_as_the_applications(
    settings: dict[str, str], marks: str, pruned: bool
) -> None:
    kept = {**APP, **settings, "shop/a.yaml": config_map("a")}
    before = {**kept, "shop/crd.yaml": CRD.format(marks=marks)}
    found = object_of(app_of(changes(before, kept), "shop"), "CustomResourceDefinition widgets.b.c")
    assert (found.action is Action.PRUNE, found.loses_data) == (pruned, pruned)
    assert ("and with it every Widget in the cluster" in found.remarks[0]) is pruned
    told_by_rules = [one for one in reports(before, kept) if one.rule.name == "manifest-removed-with-prune"]
    assert bool(told_by_rules) is pruned


def reports(before: dict[str, str], after: dict[str, str]) -> list[Reported]:
    return run_rules(after, load(), before)


def test_a_parent_that_would_be_emptied_keeps_the_child_and_all_that_it_has() -> None:
    after = {
        "root.yaml": application("root", "child", namespace="argocd", policy=PRUNES),
        "child/hook.yaml": manifest("Job", "once", hook="PreSync", body=JOB),
        "web/pvc.yaml": manifest("PersistentVolumeClaim", "data", body=CLAIM),
    }
    before = {**after, "child/web.yaml": application("web", "web", finalizer=True)}
    view = changes(before, after)
    web = app_of(view, "web")
    assert web.automatic is False
    assert web.words == (
        "The Application is gone from git, but stays in the cluster, and what it manages: its parent Application 'root'"
        " has nothing else left, and does not prune everything by itself (allowEmpty is not set).",
    )
    assert object_of(web, "PersistentVolumeClaim data").action is Action.STAY
    assert object_of(app_of(view, "root"), "Application web").fate is Fate.WITH_PRUNE
    assert not view.lost
    assert not any(one.rule.name == "application-removed-cascade" for one in reports(before, after))


@pytest.mark.parametrize(("finalizer", "action"), [(True, Action.PRUNE), (False, Action.STAY)])
def test_a_child_goes_with_its_parent_only_if_that_has_the_finalizer(finalizer: bool, action: Action) -> None:
    top = application("top", "top", namespace="argocd", policy=PRUNES)
    after = {
        "top.yaml": top,
        "top/other.yaml": config_map("other"),
        "child/web.yaml": application("web", "web", finalizer=True),
        "web/pvc.yaml": manifest("PersistentVolumeClaim", "data", body=CLAIM),
    }
    before = {**after, "top/root.yaml": application("root", "child", namespace="argocd", finalizer=finalizer)}
    del after["child/web.yaml"]
    view = changes(before, after)
    web = app_of(view, "web")
    assert web.automatic is finalizer
    assert object_of(web, "PersistentVolumeClaim data").action is action
    (told_by_rules,) = (one for one in reports(before, after) if one.rule.name == "application-removed-cascade")
    assert ("PersistentVolumeClaim 'data'" in told_by_rules.finding.message) is finalizer


SEVERAL = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: shop, namespace: argocd}
spec:
  project: default
  sources:
    - {repoURL: https://git.example.com/shop.git, path: chart}
    - {repoURL: https://git.example.com/shop.git, path: deploy}
    - {repoURL: https://git.example.com/shop.git, path: extra, targetRevision: HEAD}
  destination: {server: https://kubernetes.default.svc, namespace: shop}
  syncPolicy: {automated: {prune: true}}
"""
CHART = {
    "chart/Chart.yaml": "apiVersion: v2\nname: shop\nversion: 1.0.0\n",
    "chart/templates/a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .Values.a }}}\n",
}


@pytest.mark.parametrize(
    ("files", "revision", "why"),
    [
        (CHART, "HEAD", "is not seen any more: not everything is known of what the Application brings"),
        ({}, "v1.0.0", "is gone here, but a source is fixed to a tag or a commit, and stays as it is there"),
    ],
    ids=["a chart that may print it", "a source at a tag"],
)
def test_what_may_be_brought_all_the_same_is_not_told_to_go(files: dict[str, str], revision: str, why: str) -> None:
    sources = (
        SEVERAL if files else SEVERAL.replace("    - {repoURL: https://git.example.com/shop.git, path: chart}\n", "")
    )
    app = sources.replace("targetRevision: HEAD", f"targetRevision: {revision}")
    kept = {**files, "app.yaml": app, "deploy/a.yaml": config_map("a"), "extra/b.yaml": config_map("b")}
    before = {**kept, "deploy/gone.yaml": config_map("gone")}
    (gone,) = [one for one in app_of(changes(before, kept), "shop").objects if one.gone]
    assert (gone.action, gone.fate, gone.remarks) == (Action.STAY, Fate.UNKNOWN, (why,))
    assert not [one for one in reports(before, kept) if one.rule.code == "GL931"]
