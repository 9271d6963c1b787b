"""What people merge every day: the rules on removals must not cry wolf.

A table of changes to one repository, each of which has to pass without a warning. Notes are
allowed: they say what a prune will take. The last ones put data at stake and must not pass.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import pytest
from gitops_lint.linter.lint.rule import Severity
from gitops_lint.rules import load
from support import run_rules

RULES = [rule for rule in load() if "GL931" <= rule.code <= "GL959"]
FINALIZER = "  finalizers:\n    - resources-finalizer.argocd.argoproj.io\n"
URL = "https://git.example.com/shop.git"


def application(name: str, path: str, *, namespace: str = "", prune: bool = True) -> str:
    automated = "    automated:\n      prune: true\n      selfHeal: true\n" if prune else "    automated: {}\n"
    return (
        f"apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata:\n  name: {name}\n  namespace: argocd\n"
        f"{FINALIZER}spec:\n  project: default\n  source:\n    repoURL: {URL}\n    path: {path}\n"
        f"    targetRevision: HEAD\n  destination:\n    server: https://kubernetes.default.svc\n"
        f"    namespace: {namespace or name}\n  syncPolicy:\n{automated}"
    )


def thing(kind: str, name: str, group: str = "v1", rest: str = "") -> str:
    return f"apiVersion: {group}\nkind: {kind}\nmetadata:\n  name: {name}\n{rest}"


def deployment(name: str, image: str = "shop:1.0", replicas: int = 2) -> str:
    spec = (
        f"spec:\n  replicas: {replicas}\n  selector:\n    matchLabels:\n      app: {name}\n  template:\n"
        f"    metadata:\n      labels:\n        app: {name}\n    spec:\n      containers:\n"
        f"        - name: {name}\n          image: {image}\n          envFrom:\n            - secretRef:\n"
        "                name: api\n"
    )
    return thing("Deployment", name, "apps/v1", spec)


def kustomization(*entries: str, more: str = "") -> str:
    return "resources:\n" + "".join(f"  - {entry}\n" for entry in entries) + more


APPSET = f"""apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata:
  name: teams
  namespace: argocd
spec:
  generators:
    - git:
        repoURL: {URL}
        revision: HEAD
        directories:
          - path: teams/*
  template:
    metadata:
      name: "team-{{{{path.basename}}}}"
    spec:
      project: default
      source:
        repoURL: {URL}
        path: "{{{{path}}}}"
      destination:
        server: https://kubernetes.default.svc
        namespace: "{{{{path.basename}}}}"
      syncPolicy:
        automated:
          prune: true
"""
CHART = application("redis", "x", namespace="redis").replace(
    f"repoURL: {URL}\n    path: x\n    targetRevision: HEAD",
    "repoURL: https://charts.example.com\n    chart: redis\n    targetRevision: 1.2.3",
)
SECRET = thing("ExternalSecret", "api", "external-secrets.io/v1", "spec:\n  target:\n    name: api\n")
CLAIM = thing("PersistentVolumeClaim", "data", rest="spec:\n  accessModes: [ReadWriteOnce]\n")
REPO: Mapping[str, str] = {
    "root.yaml": application("root", "apps", namespace="argocd"),
    "apps/shop.yaml": application("shop", "shop/prod"),
    "apps/worker.yaml": application("worker", "worker"),
    "apps/tools.yaml": application("tools", "tools", prune=False),
    "apps/redis.yaml": CHART,
    "apps/teams.yaml": APPSET,
    "shop/base/kustomization.yaml": kustomization("web.yaml", "service.yaml", "secret.yaml", "data.yaml"),
    "shop/base/web.yaml": deployment("web"),
    "shop/base/service.yaml": thing("Service", "web", rest="spec:\n  type: LoadBalancer\n"),
    "shop/base/secret.yaml": SECRET,
    "shop/base/data.yaml": CLAIM,
    "shop/prod/kustomization.yaml": kustomization(
        "../base", more="configMapGenerator:\n  - name: settings\n    literals:\n      - COLOR=red\n"
    ),
    "worker/job.yaml": thing("CronJob", "report", "batch/v1", 'spec:\n  schedule: "0 4 * * *"\n'),
    "worker/settings.yaml": thing("ConfigMap", "settings", rest="data:\n  a: b\n"),
    "worker/queue.yaml": deployment("queue"),
    "tools/debug.yaml": deployment("debug"),
    "tools/proxy.yaml": thing("Service", "proxy"),
    "teams/red/web.yaml": deployment("red"),
    "teams/blue/web.yaml": deployment("blue"),
    "attic/old.yaml": deployment("old"),
}


class Ordinary(NamedTuple):
    title: str
    edits: Mapping[str, str | None]
    """What the files become; None removes one."""

    def __str__(self) -> str:
        return self.title


def replaced(path: str, *pairs: tuple[str, str]) -> dict[str, str | None]:
    text = REPO[path]
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    return {path: text}


def moved(old: str, new: str) -> dict[str, str | None]:
    return {old: None, new: REPO[old]}


BASE = "shop/base/kustomization.yaml"
PROD = "shop/prod/kustomization.yaml"
ORDINARY = [
    Ordinary("a new image", replaced("shop/base/web.yaml", ("shop:1.0", "shop:1.1"))),
    Ordinary("an image of an overlay", {PROD: REPO[PROD] + "images:\n  - name: shop\n    newTag: '2.0'\n"}),
    Ordinary("more replicas", replaced("worker/queue.yaml", ("replicas: 2", "replicas: 5"))),
    Ordinary("replicas of an overlay", {PROD: REPO[PROD] + "replicas:\n  - name: web\n    count: 4\n"}),
    Ordinary("a new Application", {"apps/mail.yaml": application("mail", "mail"), "mail/a.yaml": deployment("mail")}),
    Ordinary("a new chart", {"apps/mq.yaml": CHART.replace("redis", "rabbitmq")}),
    Ordinary("a new version of a chart", replaced("apps/redis.yaml", ("1.2.3", "1.3.0"))),
    Ordinary("values of a chart", replaced("apps/redis.yaml", ("1.2.3\n", "1.2.3\n    helm:\n      values: 'a: b'\n"))),
    Ordinary("a new file in a folder", {"worker/role.yaml": thing("ServiceAccount", "queue")}),
    Ordinary("a new entry", {BASE: REPO[BASE] + "  - pdb.yaml\n", "shop/base/pdb.yaml": thing("ConfigMap", "x")}),
    Ordinary("a file moved within its Application", moved("worker/queue.yaml", "worker/q.yaml")),
    Ordinary(
        "a claim moved to another file",
        {
            **moved("shop/base/data.yaml", "shop/base/claim.yaml"),
            BASE: kustomization("web.yaml", "service.yaml", "secret.yaml", "claim.yaml"),
        },
    ),
    Ordinary(
        "two files made one",
        {
            "worker/queue.yaml": REPO["worker/queue.yaml"] + "---\n" + REPO["worker/settings.yaml"],
            "worker/settings.yaml": None,
        },
    ),
    Ordinary(
        "a base divided in two, with the same build",
        {
            BASE: kustomization("web.yaml", "service.yaml"),
            "shop/state/kustomization.yaml": kustomization("../base/secret.yaml", "data.yaml"),
            **moved("shop/base/data.yaml", "shop/state/data.yaml"),
            PROD: REPO[PROD].replace("  - ../base\n", "  - ../base\n  - ../state\n"),
        },
    ),
    Ordinary(
        "an overlay without its base, with the same build",
        {
            PROD: REPO[PROD].replace(
                "  - ../base\n", "".join(f"  - ../base/{one}.yaml\n" for one in ("web", "service", "secret", "data"))
            ),
        },
    ),
    Ordinary("another order of entries", {BASE: kustomization("data.yaml", "secret.yaml", "service.yaml", "web.yaml")}),
    Ordinary(
        "a folder renamed and the path with it",
        {
            **moved("worker/job.yaml", "jobs/job.yaml"),
            **moved("worker/settings.yaml", "jobs/settings.yaml"),
            **moved("worker/queue.yaml", "jobs/queue.yaml"),
            **replaced("apps/worker.yaml", ("path: worker", "path: jobs")),
        },
    ),
    Ordinary("a label on everything", {PROD: REPO[PROD] + "labels:\n  - pairs:\n      team: shop\n"}),
    Ordinary("an annotation", {PROD: REPO[PROD] + "commonAnnotations:\n  owner: shop\n"}),
    Ordinary("another content of a generator", replaced(PROD, ("COLOR=red", "COLOR=blue"))),
    Ordinary("a generator more", replaced(PROD, ("literals:", "behavior: create\n    literals:"))),
    Ordinary("no generator any more", {PROD: kustomization("../base")}),
    Ordinary("a ConfigMap removed", {"worker/settings.yaml": None}),
    Ordinary("a Deployment removed", {"worker/queue.yaml": None}),
    Ordinary("a CronJob and a Deployment removed", {"worker/queue.yaml": None, "worker/job.yaml": None}),
    Ordinary("something removed where nothing is pruned", {"tools/debug.yaml": None}),
    Ordinary("something removed that is in no Application", {"attic/old.yaml": None}),
    Ordinary("a Deployment renamed", replaced("worker/queue.yaml", ("name: queue\nspec", "name: tasks\nspec"))),
    Ordinary(
        "an external secret removed with its only reader",
        {
            "shop/base/secret.yaml": None,
            "shop/base/web.yaml": None,
            BASE: kustomization("service.yaml", "data.yaml"),
        },
    ),
    Ordinary("an entry put aside", replaced(BASE, ("  - web.yaml\n", "  # - web.yaml\n"))),
    Ordinary("an Application removed with its folder", {"apps/worker.yaml": None, **{
        path: None for path in REPO if path.startswith("worker/")
    }}),
    Ordinary("an Application removed, its folder left", {"apps/worker.yaml": None}),
    Ordinary("an Application in another file", moved("apps/worker.yaml", "apps/background.yaml")),
    Ordinary("another sync option", {"apps/shop.yaml": REPO["apps/shop.yaml"] + "    syncOptions:\n      - PruneLast=true\n"}),
    Ordinary("self-heal switched off", replaced("apps/shop.yaml", ("      selfHeal: true\n", ""))),
    Ordinary("pruning switched off", replaced("apps/shop.yaml", ("prune: true", "prune: false"))),
    Ordinary("pruning switched on", replaced("apps/tools.yaml", ("automated: {}", "automated:\n      prune: true"))),
    Ordinary("automation paused", replaced("apps/shop.yaml", ("      prune", "      enabled: false\n      prune"))),
    Ordinary("the finalizer taken away", replaced("apps/worker.yaml", (FINALIZER, ""))),
    Ordinary("the finalizer of another policy", replaced("apps/worker.yaml", ("argoproj.io\nspec", "argoproj.io/background\nspec"))),
    Ordinary("a team more", {"teams/green/web.yaml": deployment("green")}),
    Ordinary("a team less", {"teams/blue/web.yaml": None}),
    Ordinary("the template of the set", replaced("apps/teams.yaml", ("prune: true", "prune: true\n          selfHeal: true"))),
    Ordinary("the cluster by its other name", replaced("apps/shop.yaml", ("server: https://kubernetes.default.svc", "name: in-cluster"))),
    Ordinary("another branch", replaced("apps/shop.yaml", ("targetRevision: HEAD", "targetRevision: main"))),
    Ordinary("a comment", {"worker/queue.yaml": "# the queue\n" + REPO["worker/queue.yaml"]}),
    Ordinary("a namespace of its own", {"worker/ns.yaml": thing("Namespace", "worker")}),
    Ordinary("a claim with protection", {"shop/base/data.yaml": CLAIM.replace("spec:", "  annotations:\n    argocd.argoproj.io/sync-options: Prune=false,Delete=false\nspec:")}),
    Ordinary("a build that cannot be seen any more", {BASE: REPO[BASE].replace("  - data.yaml\n", "  - https://github.com/example/data?ref=v1\n"), "shop/base/data.yaml": None}),
]  # fmt: skip
AT_STAKE = [
    (Ordinary("a claim removed", {"shop/base/data.yaml": None, BASE: kustomization("web.yaml", "service.yaml", "secret.yaml")}), "manifest-removed-with-prune"),
    (Ordinary("a claim no longer listed", {BASE: kustomization("web.yaml", "service.yaml", "secret.yaml")}), "kustomization-entry-dropped"),
    (Ordinary("a claim renamed", replaced("shop/base/data.yaml", ("name: data", "name: files"))), "resource-renamed"),
    (Ordinary("its Application removed", {"apps/shop.yaml": None}), "application-removed-cascade"),
    (Ordinary("its Application renamed", replaced("apps/shop.yaml", ("name: shop\n  namespace: argocd", "name: store\n  namespace: argocd"))), "application-renamed"),
    (Ordinary("its namespace changed", replaced("apps/shop.yaml", ("    namespace: shop", "    namespace: store"))), "destination-changed"),
    (Ordinary("a secret removed that is read", {"shop/base/secret.yaml": None, BASE: kustomization("web.yaml", "service.yaml", "data.yaml")}), "manifest-removed-with-prune"),
]  # fmt: skip


def after(change: Ordinary) -> dict[str, str]:
    files: dict[str, str | None] = {**REPO, **change.edits}
    return {path: text for path, text in files.items() if text is not None}


@pytest.mark.parametrize("change", ORDINARY, ids=str)
def test_an_ordinary_change_gives_no_warning(change: Ordinary) -> None:
    found = run_rules(after(change), RULES, REPO)
    grave = [item for item in found if item.severity >= Severity.WARNING]
    assert not grave, [f"{item.rule.name}: {item.finding.message}" for item in grave]
    lines = [(item.file.path, item.start.line) for item in found]
    assert len(set(lines)) == len(lines), [f"{item.rule.name}: {item.finding.message}" for item in found]


@pytest.mark.parametrize(("change", "name"), AT_STAKE, ids=str)
def test_data_at_stake_is_one_error(change: Ordinary, name: str) -> None:
    found = run_rules(after(change), RULES, REPO)
    errors = [item.rule.name for item in found if item.severity is Severity.ERROR]
    assert errors == [name], [f"{item.rule.name}: {item.finding.message}" for item in found]


def test_there_are_enough_of_them() -> None:
    assert len(RULES) >= 15
    assert len(ORDINARY) >= 40
