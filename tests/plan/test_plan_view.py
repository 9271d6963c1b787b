"""What the plan says about a sync: steps, waits, what is left out, who needs whom, which sync creates which."""

from __future__ import annotations

import textwrap

import pytest
from gitops_lint.linter.argocd.sync_order import Reason, make_plan
from gitops_lint.linter.argocd.waits import Wait, duration, wait_for
from gitops_lint.linter.facts.versions import Version, Versions
from gitops_lint.linter.kubernetes.resource import Resource, resources_in
from gitops_lint.linter.lint.engine import Run
from gitops_lint.linter.plan.views import AppView, PlanView, UnknownApp, build_view, choose
from gitops_lint.linter.plan.views.glance import can_hang, runs_first
from gitops_lint.linter.plan.views.plan_views import Timing
from gitops_lint.linter.plan.views.plan_words import left_out
from gitops_lint.linter.yaml.source import SourceFile
from gitops_lint.rules import load
from support import repo_of

HOOK = "argocd.argoproj.io/hook"
WAVE = "argocd.argoproj.io/sync-wave"


def objects(text: str, version: str = "") -> list[Resource]:
    versions = Versions(Version.parse(version) if version else None)
    documents = SourceFile("a.yaml", textwrap.dedent(text)).documents
    return [resource for document in documents for resource in resources_in(document.root, versions)]


def one(kind: str, name: str = "x", api: str = "v1", spec: str = "{}", **annotations: str) -> str:
    written = ", ".join(f'{key}: "{value}"' for key, value in annotations.items())
    keys = written.replace("hook:", f"{HOOK}:").replace("wave:", f"{WAVE}:")
    return f"---\napiVersion: {api}\nkind: {kind}\nmetadata: {{name: {name}, annotations: {{{keys}}}}}\nspec: {spec}\n"


def view_of(files: dict[str, str], name: str | None = None) -> PlanView:
    run = Run(repo_of(files))
    run.check(load())
    return build_view(run.repo, run.reported, choose(run.repo, name))


def app_of(*manifests: str) -> AppView:
    (app,) = view_of({"all.yaml": "".join(manifests)}).apps
    return app


def application(name: str, path: str, wave: int = 0, policy: str = "{}") -> str:
    return textwrap.dedent(f"""\
        ---
        apiVersion: argoproj.io/v1alpha1
        kind: Application
        metadata: {{name: {name}, namespace: argocd, annotations: {{{WAVE}: "{wave}"}}}}
        spec:
          project: default
          source: {{repoURL: https://git.example.com/a.git, path: {path}}}
          destination: {{server: https://kubernetes.default.svc, namespace: {name}}}
          syncPolicy: {policy}
        """)


# -- steps


def test_a_step_is_a_wave_of_a_phase_and_a_run_is_a_kind() -> None:
    text = one("ConfigMap", "a") + one("ConfigMap", "b") + one("Secret", "c") + one("Secret", "d", wave="1")
    steps = make_plan(objects(text)).steps
    assert [(step.phase, step.waves) for step in steps] == [("Sync", (0,)), ("Sync", (1,))]
    assert [[task.resource.name for task in run] for run in steps[0].runs] == [["c"], ["a", "b"]]


def test_a_run_goes_by_the_kind_alone_and_only_among_neighbours() -> None:
    text = one("Thing", "a", "x.io/v1") + one("Other", "b", "x.io/v1") + one("Thing", "c", "y.io/v1")
    (step,) = make_plan(objects(text)).steps
    assert [[task.resource.name for task in run] for run in step.runs] == [["a"], ["b"], ["c"]]


def test_a_sync_of_one_wave_waits_for_nothing_but_its_hooks() -> None:
    text = one("Deployment", "web", "apps/v1") + one("Job", "check", "batch/v1", hook="Sync")
    (step,) = make_plan(objects(text)).steps
    waited = {task.resource.name: step.is_waited_for(task) for task in step.tasks}
    assert waited == {"web": False, "check": True}


def test_the_last_wave_is_not_waited_for() -> None:
    text = one("Deployment", "a", "apps/v1") + one("Deployment", "b", "apps/v1", wave="1")
    assert [step.waits_for_health for step in make_plan(objects(text)).steps] == [True, False]


def test_a_hook_in_the_last_wave_keeps_the_sync_open_for_all_of_it() -> None:
    text = one("Deployment", "a", "apps/v1") + one("Deployment", "b", "apps/v1", wave="1")
    text += one("Job", "c", "batch/v1", hook="Sync", wave="1")
    assert [step.waits_for_health for step in make_plan(objects(text)).steps] == [True, True]


def test_a_hook_for_failures_makes_no_wave_wait_but_it_makes_the_earlier_ones() -> None:
    text = one("Deployment", "a", "apps/v1") + one("Job", "mail", "batch/v1", hook="SyncFail", wave="7")
    steps = make_plan(objects(text)).steps
    assert [(step.phase, step.waits_for_health, step.is_last) for step in steps] == [
        ("Sync", False, True),
        ("SyncFail", True, False),
    ]


def test_waves_do_not_count_among_the_hooks_for_failures() -> None:
    text = "".join(one("Job", f"j{wave}", "batch/v1", hook="SyncFail", wave=str(wave)) for wave in (3, 1))
    (step,) = make_plan(objects(text)).steps
    assert (step.phase, step.waves, len(step.runs)) == ("SyncFail", (1, 3), 1)


def test_what_is_pulled_forward_says_from_where() -> None:
    crd = one(
        "CustomResourceDefinition", "t", "apiextensions.k8s.io/v1", "{group: x.io, names: {kind: Thing}}", wave="5"
    )
    first = app_of(crd, one("Thing", "a", "x.io/v1", wave="-1")).objects[0]
    assert first.resource.is_crd
    assert (first.task.slot.wave, first.task.pulled_from and first.task.pulled_from.wave) == (-1, 5)
    assert first.remarks == ("pulled here from Sync wave 5: an object of its kind is applied in this step",)


# -- what is left out


def test_every_object_that_no_sync_applies_has_its_reason() -> None:
    text = (
        one("Job", "again", "batch/v1") + one("Job", "again", "batch/v1") + one("Job", "skip", "batch/v1", hook="Skip")
        + one("Job", "typo", "batch/v1", hook="Presync") + one("Job", "end", "batch/v1", hook="PostDelete")
    )  # fmt: skip
    plan = make_plan(objects(text))
    assert [(item.resource.name, item.reason) for item in plan.left_out] == [
        ("again", Reason.REPEATED),
        ("skip", Reason.SKIPPED),
        ("typo", Reason.DROPPED),
        ("end", Reason.ON_DELETION),
    ]
    words = [left_out(item) for item in plan.left_out]
    assert words[0] == "repeated: the last one wins, which is a.yaml:8"
    assert "'Presync'" in words[2]
    assert words[3] == "runs only when the Application is deleted (PostDelete)"


@pytest.mark.parametrize(
    ("version", "hook", "reason"),
    [("3.2", "PreDelete", Reason.DROPPED), ("3.3", "PreDelete", Reason.ON_DELETION)],
)
def test_a_hook_that_the_declared_version_does_not_know_is_dropped(version: str, hook: str, reason: Reason) -> None:
    plan = make_plan(objects(one("Job", api="batch/v1", hook=hook), version))
    assert [item.reason for item in plan.left_out] == [reason]


@pytest.mark.parametrize(("version", "phases"), [("3.4", []), ("3.5", ["PostSync"]), ("", ["PostSync"])])
def test_a_hook_of_sync_and_deletion_runs_in_syncs_since_3_5(version: str, phases: list[str]) -> None:
    plan = make_plan(objects(one("Job", api="batch/v1", hook="PostSync,PostDelete"), version))
    assert [task.slot.phase_name for task in plan.tasks] == phases


# -- waiting


def waiting(kind: str, api: str, spec: str = "{}", version: str = "") -> Wait | None:
    return wait_for(objects(one(kind, api=api, spec=spec), version)[0])


@pytest.mark.parametrize(
    ("kind", "api", "spec", "worst"),
    [
        ("Job", "batch/v1", "{}", "no time limit"),
        ("Job", "batch/v1", "{activeDeadlineSeconds: 300}", "fails after 5 min"),
        ("Job", "batch/v1", "{activeDeadlineSeconds: 300, suspend: true}", "for ever: it is suspended"),
        ("Workflow", "argoproj.io/v1alpha1", "{activeDeadlineSeconds: 90}", "fails after 90 s"),
        ("Deployment", "apps/v1", "{}", "fails after 10 min without progress"),
        ("Deployment", "apps/v1", "{progressDeadlineSeconds: 7200}", "fails after 2 h without progress"),
        ("Deployment", "apps/v1", "{progressDeadlineSeconds: 2147483647}", "no time limit"),
        ("Deployment", "apps/v1", "{paused: true}", "for ever: it is paused"),
        ("Deployment", "apps/v1", "{replicas: 0}", "a moment"),
        ("StatefulSet", "apps/v1", "{}", "no time limit"),
        ("DaemonSet", "apps/v1", "{}", "no time limit"),
        ("DaemonSet", "apps/v1", "{updateStrategy: {type: OnDelete}}", "a moment"),
        ("PersistentVolumeClaim", "v1", "{}", "no time limit"),
        ("Service", "v1", "{type: LoadBalancer}", "no time limit"),
        ("Ingress", "networking.k8s.io/v1", "{}", "no time limit"),
        ("ExternalSecret", "external-secrets.io/v1", "{}", "no time limit"),
        ("HelmRelease", "helm.toolkit.fluxcd.io/v2", "{suspend: true}", "for ever: it is suspended"),
        ("CustomResourceDefinition", "apiextensions.k8s.io/v1", "{}", "a moment"),
    ],
)
def test_the_worst_wait_of_a_kind(kind: str, api: str, spec: str, worst: str) -> None:
    wait = waiting(kind, api, spec)
    assert wait is not None
    assert wait.worst == worst


@pytest.mark.parametrize(
    ("kind", "api", "spec", "version"),
    [
        ("ConfigMap", "v1", "{}", ""),
        ("Service", "v1", "{type: ClusterIP}", ""),
        ("Service", "v1", "{}", ""),
        ("Application", "argoproj.io/v1alpha1", "{}", ""),
        ("Voucher", "shop.example.com/v1", "{}", ""),
        ("CustomResourceDefinition", "apiextensions.k8s.io/v1", "{}", "2.14"),
        ("CronJob", "batch/v1", "{}", "3.1"),
        ("PodDisruptionBudget", "policy/v1", "{}", "2.12"),
    ],
)
def test_what_has_no_health_check_is_done_once_it_is_applied(kind: str, api: str, spec: str, version: str) -> None:
    assert waiting(kind, api, spec, version) is None


def test_a_value_that_is_no_number_of_seconds_is_no_limit() -> None:
    wait = waiting("Job", "batch/v1", '{activeDeadlineSeconds: "300"}')
    assert wait is not None
    assert wait.limit is None


@pytest.mark.parametrize(
    ("seconds", "words"), [(1, "1 s"), (90, "90 s"), (120, "2 min"), (3600, "1 h"), (5400, "90 min")]
)
def test_durations_read_well(seconds: int, words: str) -> None:
    assert duration(seconds) == words


def test_what_is_waited_for_worst_first() -> None:
    app = app_of(
        one("Deployment", "web", "apps/v1"), one("StatefulSet", "db", "apps/v1"),
        one("Deployment", "idle", "apps/v1", "{paused: true}"), one("ConfigMap", "c"), one("ConfigMap", "d", wave="1"),
    )  # fmt: skip
    assert [thing.name for thing, _ in app.steps[0].waits] == ["idle", "db", "web"]
    assert app.steps[0].after == "Then the next step, 2 s later."
    assert app.steps[1].after.startswith("Then the sync has succeeded, whether or not")
    assert can_hang(app).startswith("Deployment idle (step 1, for ever: it is paused), StatefulSet db (step 1")
    assert runs_first(app).startswith("Sync wave 0: ConfigMap c")


def test_nothing_hangs_in_one_step() -> None:
    app = app_of(one("StatefulSet", "db", "apps/v1"))
    assert can_hang(app) == "nowhere: nothing is waited for"
    assert app.summary == "1 object in one step: nothing is waited for."


# -- health checks of one's own


CHECK = "resource.customizations.health.argoproj.io_Application"


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (
            "cm.yaml",
            f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: argocd-cm}}\ndata:\n  {CHECK}: |\n    return 1\n",
        ),
        ("values.yaml", f"argo-cd:\n  configs:\n    cm:\n      {CHECK}: |\n        return 1\n"),
        (
            "old.yaml",
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: argocd-cm}\ndata:\n  resource.customizations: |\n"
            "    argoproj.io/Application:\n      health.lua: |\n        return 1\n",
        ),
        (
            "combined.yaml",
            "configs:\n  cm:\n    resource.customizations: |\n      argoproj.io/Application:\n"
            "        health.lua: |\n          return 1\n",
        ),
        (
            "operator.yaml",
            "apiVersion: argoproj.io/v1beta1\nkind: ArgoCD\nmetadata: {name: a}\nspec:\n  resourceHealthChecks:\n"
            "    - {group: argoproj.io, kind: Application, check: return 1}\n",
        ),
    ],
)
def test_a_health_check_of_ones_own_makes_the_parent_wait(path: str, text: str) -> None:
    files = {
        "root.yaml": application("root", "apps"),
        "apps/a.yaml": application("a", "a", 0),
        "apps/b.yaml": application("b", "b", 1),
        "a/c.yaml": one("ConfigMap", "c"),
        f"settings/{path}": text,
    }
    (root,) = view_of(files, "root").apps
    assert [thing.name for thing, _ in root.steps[0].waits] == ["a"]
    assert f"settings/{path}:" in root.notes[0]
    del files[f"settings/{path}"]
    (root,) = view_of(files, "root").apps
    assert root.steps[0].waits == ()
    assert root.notes[0].startswith("Argo CD does not wait for the health of the 2 Applications")


def test_a_key_in_a_comment_is_no_check() -> None:
    text = f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: argocd-cm}}\ndata:\n  a: b\n  # {CHECK}: |\n"
    files = {
        "root.yaml": application("root", "apps"),
        "apps/a.yaml": application("a", "a"),
        "a/c.yaml": one("ConfigMap", "c"),
        "s.yaml": text,
    }
    (root,) = view_of(files, "root").apps
    assert root.notes[0].startswith("Argo CD does not wait")


# -- families


def test_children_come_in_the_order_of_their_waves() -> None:
    files = {
        "root.yaml": application("root", "apps"),
        "apps/a.yaml": application("a", "a", 2),
        "apps/b.yaml": application("b", "b", 1),
        "a/x.yaml": one("ConfigMap"),
        "b/x.yaml": one("ConfigMap"),
    }
    view = view_of(files)
    by_name = {app.name: app for app in view.apps}
    assert [(child.name, child.wave) for child in by_name["root"].children] == [("b", 1), ("a", 2)]
    assert by_name["a"].parents == ((by_name["root"].id, "root"),)
    assert [thing.child for thing in by_name["root"].objects] == [by_name["b"].id, by_name["a"].id]


# -- who needs whom


WEB = """{template: {spec: {containers: [{name: a, image: b, envFrom: [{configMapRef: {name: c}}]}]}}}"""


@pytest.mark.parametrize(
    ("wave", "timing", "too_late"),
    [("-1", Timing.EARLIER, False), ("0", Timing.FIRST, False), ("1", Timing.LATER, True)],
)
def test_a_need_says_whether_it_is_met_in_time(wave: str, timing: Timing, too_late: bool) -> None:
    app = app_of(one("Deployment", "web", "apps/v1", WEB), one("ConfigMap", "c", wave=wave))
    (need,) = app.needs
    assert (app.by_id[need.consumer].name, app.by_id[need.provider].name) == ("web", "c")
    assert (need.target, need.timing, need.too_late) == ("ConfigMap 'c'", timing, too_late)


def test_what_only_has_to_be_there_in_the_end_is_not_too_late_in_the_same_step() -> None:
    claim = "{template: {spec: {volumes: [{name: v, persistentVolumeClaim: {claimName: c}}]}}}"
    text = one("DaemonSet", "a", "apps/v1", claim) + one("PersistentVolumeClaim", "c")
    (need,) = app_of(text).needs
    assert (need.timing, need.too_late) == (Timing.FIRST, False)


def test_a_custom_resource_needs_its_definition() -> None:
    crd = one("CustomResourceDefinition", "t", "apiextensions.k8s.io/v1", "{group: x.io, names: {kind: Thing}}")
    (need,) = app_of(crd, one("Thing", "a", "x.io/v1")).needs
    assert need.target == "its definition"


# -- findings


def test_findings_stand_at_what_they_concern() -> None:
    files = {
        "app.yaml": application("shop", "shop", policy="{syncOptions: [createNamespace=true]}"),
        "shop/job.yaml": one("Job", "migrate", "batch/v1", "{backoffLimit: 1}", hook="PreSync"),
        "shop/typo.yaml": one("Job", "typo", "batch/v1", hook="presync"),
        "shop/broken.yaml": "apiVersion: v1\nkind: Service\nmetadata:\n  name: a\n b: c\n",
        "elsewhere/broken.yaml": "a: b: c\n",
    }
    view = view_of(files, "shop")
    (app,) = view.apps
    assert "GL102" in {item.rule.code for item in app.objects[0].findings}
    assert {item.rule.code for found in app.left_out_findings for item in found} == {"GL027", "GL103"}
    assert {"GL601", "GL800"} <= {item.rule.code for item in app.findings}
    assert {item.file.path for item in view.elsewhere} == {"elsewhere/broken.yaml"}
    assert app.failures
    assert app.failures[0].startswith("shop/broken.yaml")


# -- options of the Application


def test_notes_say_what_holds_for_the_whole_sync() -> None:
    policy = "{automated: {prune: true, selfHeal: true}, syncOptions: [CreateNamespace=true, ApplyOutOfSyncOnly=true]}"
    files = {"app.yaml": application("a", "a", policy=policy), "a/x.yaml": one("Job", api="batch/v1", hook="Sync")}
    notes = view_of(files, "a").apps[0].notes
    assert [note.split(":")[0].split(" ")[0] for note in notes] == [
        "CreateNamespace=true",
        "ApplyOutOfSyncOnly=true",
        "What",
        "A",
    ]
    assert "highest wave first" in notes[2]


def test_a_namespace_in_git_that_is_the_destination_comes_first() -> None:
    files = {"app.yaml": application("a", "a"), "a/x.yaml": one("Namespace", "a", wave="5")}
    (thing,) = view_of(files, "a").apps[0].objects
    assert thing.remarks[0].startswith("the destination: on the first sync it is created before everything else")


def test_an_application_from_elsewhere_says_why_nothing_is_known() -> None:
    chart = application("redis", "x").replace("path: x", "chart: redis, targetRevision: 1.2.3")
    (app,) = view_of({"app.yaml": chart}, "redis").apps
    assert app.steps == ()
    assert "chart redis" in app.unresolved[0]


# -- choosing


def test_an_unknown_name_is_an_error_with_a_suggestion() -> None:
    repo = repo_of({"app.yaml": application("shop", "shop"), "shop/x.yaml": one("ConfigMap")})
    with pytest.raises(UnknownApp, match=r"there is no app 'shpo'; did you mean 'shop'\?"):
        choose(repo, "shpo")
    assert [app.name for app in choose(repo, "shop")] == ["shop"]
    assert [app.name for app in choose(repo, None, lambda path: path == "shop/x.yaml")] == ["shop"]


def test_an_application_goes_before_a_folder_of_its_name() -> None:
    """What lies in the folder beside its kustomization is none of the Application's."""
    files = {
        "app.yaml": application("shop", "shop"),
        "shop/kustomization.yaml": "resources: [x.yaml]\n",
        "shop/x.yaml": one("ConfigMap"),
        "shop/forgotten.yaml": one("Secret"),
    }
    repo = repo_of(files)
    assert len([app for app in repo.apps if app.name == "shop"]) == 2
    (chosen,) = choose(repo, "shop")
    assert chosen.application is not None
    assert [resource.kind for resource in chosen.resources] == ["ConfigMap"]
