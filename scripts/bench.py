"""How long a whole run takes, as a multiple of bare YAML composing, measured in one go.

    python scripts/bench.py [TREE]

Without a tree, one of 3,000 generated files is used. The two are measured in
turn, each in a process of its own on one core, in processor time, start-up
included for the run; the best of several rounds counts. On a shared machine
absolute times mean little, the ratio holds.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

ROUNDS = 7
COMPOSE = """
import sys, time, pathlib, yaml
paths = [p for p in pathlib.Path(sys.argv[1]).rglob("*") if p.suffix in (".yaml", ".yml") and p.is_file()]
start = time.process_time()
for path in paths:
    try:
        for _ in yaml.compose_all(path.read_bytes(), yaml.CSafeLoader):
            pass
    except (yaml.YAMLError, UnicodeDecodeError):
        pass
print(len(paths), time.process_time() - start)
"""
APPLICATIONS = 700
PLANS = """
import gc, sys, time, pathlib
from gitops_lint.linter.config import Config
from gitops_lint.linter.discover import discover
from gitops_lint.linter.lint import read_repo
gc.disable()
found = discover([pathlib.Path(sys.argv[1])])
start = time.process_time()
for file in found.files:
    file.documents
parsed = time.process_time()
repo = read_repo(found, Config())
for app in repo.applications:
    app.plan.tasks
print(len(repo.applications), parsed - start, time.process_time() - parsed)
"""
VERSION_BUDGET = 0.15
PLAN_BUDGET = 1.0
RATIO_BUDGET = 2.5


def main() -> int:
    with tempfile.TemporaryDirectory() as scratch:
        tree = Path(sys.argv[1]) if len(sys.argv) > 1 else generate(Path(scratch) / "tree")
        command = Path(sys.executable).with_name("gitops-lint")
        composing, running, starting = [], [], []
        for _ in range(ROUNDS):
            count, seconds = _run([sys.executable, "-c", COMPOSE, str(tree)]).split()
            composing.append(float(seconds))
            running.append(_time([str(command), str(tree), "--output-format", "concise", "--exit-zero", "--isolated"]))
            starting.append(_time([str(command), "--version"]))
        many = generate(Path(scratch) / "many", APPLICATIONS)
        plans = [_run([sys.executable, "-c", PLANS, str(many)]).split() for _ in range(3)]
    plan_ratio = min(float(resolved) / float(parsed) for _, parsed, resolved in plans)
    ratio = min(running) / min(composing)
    print(f"files                       {count}")
    print(f"bare compose_all            {min(composing):.3f} s")
    print(f"whole run, all rules        {min(running):.3f} s")
    print(f"ratio                       {ratio:.2f}   (budget {RATIO_BUDGET})")
    print(f"gitops-lint --version       {min(starting):.3f} s (budget {VERSION_BUDGET})")
    print(
        f"resolving and planning {plans[0][0]} Applications: {plan_ratio:.2f} of their parsing (budget {PLAN_BUDGET})"
    )
    return 0 if ratio <= RATIO_BUDGET and min(starting) <= VERSION_BUDGET and plan_ratio <= PLAN_BUDGET else 1


def _run(command: list[str]) -> str:
    return subprocess.run(_pinned(command), check=True, capture_output=True, text=True).stdout


def _time(command: list[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(_pinned(command), check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _pinned(command: list[str]) -> list[str]:
    """On one core, where the system can say so."""
    return ["taskset", "-c", "0", *command] if os.path.exists("/usr/bin/taskset") else command


def generate(root: Path, apps: int = 300) -> Path:
    """A tree like the ones people have: folders of an app each, a few objects a file, one app in ten with faults."""
    for app in range(apps):
        folder = root / f"team-{app % 20}" / f"app-{app}"
        folder.mkdir(parents=True)
        for name, text in _app(f"app-{app}", app).items():
            (folder / name).write_text(text, encoding="utf-8")
    return root


def _app(name: str, number: int) -> dict[str, str]:
    faulty = number % 10 == 0
    early = "" if faulty else '  annotations:\n    argocd.argoproj.io/sync-wave: "-1"\n'
    migration = "PreSync" if faulty else "Sync"
    meta = (
        f"metadata:\n  name: {name}\n  namespace: team-{number % 20}\n  labels:\n    app: {name}\n    team: platform\n"
    )
    container = "".join(
        f"        - name: c{index}\n          image: registry.example.com/{name}:1.{number}.{index}\n"
        "          ports:\n            - containerPort: 8080\n              name: http\n"
        "          env:\n            - name: LOG_LEVEL\n              value: info\n"
        f"            - name: PASSWORD\n              valueFrom:\n                secretKeyRef:\n"
        f"                  name: {name}\n                  key: password\n"
        "          resources:\n            requests: {cpu: 100m, memory: 128Mi}\n            limits: {memory: 256Mi}\n"
        for index in range(2)
    )
    pod = f"    metadata:\n      labels:\n        app: {name}\n    spec:\n      serviceAccountName: {name}\n      containers:\n{container}"
    config = "".join(f"  key-{key}: value of key {key} for {name}\n" for key in range(25))
    return {
        "deployment.yaml": f"apiVersion: apps/v1\nkind: Deployment\n{meta}spec:\n  replicas: 2\n  selector:\n    matchLabels:\n      app: {name}\n  template:\n{pod}",
        "service.yaml": f"apiVersion: v1\nkind: Service\n{meta}spec:\n  selector:\n    app: {name}\n  ports:\n    - port: 80\n      targetPort: http\n",
        "configmap.yaml": f"apiVersion: v1\nkind: ConfigMap\n{meta}data:\n{config}",
        "secret.yaml": f"apiVersion: external-secrets.io/v1\nkind: ExternalSecret\n{meta}{early}spec:\n  secretStoreRef:\n    name: vault\n    kind: ClusterSecretStore\n  target:\n    name: {name}\n  data:\n    - secretKey: password\n      remoteRef:\n        key: {name}\n        property: password\n",
        "rbac.yaml": f"apiVersion: v1\nkind: ServiceAccount\n{meta}---\napiVersion: rbac.authorization.k8s.io/v1\nkind: Role\n{meta}rules:\n  - apiGroups: ['']\n    resources: [configmaps]\n    verbs: [get, list]\n---\napiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\n{meta}roleRef:\n  apiGroup: rbac.authorization.k8s.io\n  kind: Role\n  name: {name}\nsubjects:\n  - kind: ServiceAccount\n    name: {name}\n",
        "migrate.yaml": f"apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: {name}-migrate\n  annotations:\n    argocd.argoproj.io/hook: {migration}\n    argocd.argoproj.io/hook-delete-policy: BeforeHookCreation\nspec:\n  activeDeadlineSeconds: 600\n  template:\n{pod}      restartPolicy: Never\n",
        "ingress.yaml": f"apiVersion: networking.k8s.io/v1\nkind: Ingress\n{meta}spec:\n  rules:\n    - host: {name}.example.com\n      http:\n        paths:\n          - path: /\n            pathType: Prefix\n            backend:\n              service:\n                name: {name}\n                port: {{number: 80}}\n",
        "hpa.yaml": f"apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\n{meta}spec:\n  scaleTargetRef: {{apiVersion: apps/v1, kind: Deployment, name: {name}}}\n  minReplicas: 2\n  maxReplicas: 10\n",
        "application.yaml": f"apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata:\n  name: {name}\n  namespace: argocd\nspec:\n  project: default\n  source:\n    repoURL: https://git.example.com/platform.git\n    path: team-{number % 20}/{name}\n    targetRevision: main\n  destination:\n    server: https://kubernetes.default.svc\n    namespace: team-{number % 20}\n  syncPolicy:\n    automated: {{prune: true, selfHeal: true}}\n    syncOptions:\n      - CreateNamespace=true\n",
        "values.yaml": "".join(
            f"section{index}:\n  enabled: true\n  items:\n    - one\n    - two\n" for index in range(8)
        ),
    }


if __name__ == "__main__":
    sys.exit(main())
