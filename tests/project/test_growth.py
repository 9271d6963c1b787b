"""No rule looks at every pair of anything: each stays quick on a repository of many Applications."""

from pathlib import Path
from time import process_time

import pytest
from gitops_lint.linter.files.discover import discover
from gitops_lint.linter.lint import engine
from gitops_lint.linter.lint.config import Config
from gitops_lint.linter.lint.engine import Run
from gitops_lint.linter.lint.load_revisions import read_repo
from gitops_lint.linter.lint.rule import Scope
from gitops_lint.rules import load

APPLICATIONS = 300
MOST_SECONDS = 0.5
"""Of one rule, on the processor, where the dearest takes 0.06: one that asks something dear of every pair takes more."""

HOOK = """\
apiVersion: batch/v1
kind: Job
metadata:
  name: migrate
  namespace: team-{number}
  annotations:
    argocd.argoproj.io/hook: PreSync
spec:
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: migrate
          image: registry.example.com/app-{number}:1.0.0
          envFrom:
            - secretRef: {{name: login}}
"""
SECRET = """\
apiVersion: v1
kind: Secret
metadata:
  name: login
  namespace: team-{number}
stringData:
  user: app
"""
APPLICATION = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata:
  name: app-{number}
  namespace: argocd
spec:
  project: default
  source:
    repoURL: https://git.example.com/platform.git
    path: apps/{number}
    targetRevision: main
  destination:
    server: https://kubernetes.default.svc
    namespace: team-{number}
  syncPolicy:
    automated: {{prune: true}}
"""
SET = """\
apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata:
  name: set-{number}
  namespace: argocd
spec:
  generators:
    - list:
        elements:
          - env: stage
  template:
    metadata:
      name: set-{number}-{{{{env}}}}
    spec:
      project: default
      source:
        repoURL: https://git.example.com/platform.git
        path: apps/{number}/{{{{env}}}}
        targetRevision: main
      destination:
        server: https://kubernetes.default.svc
        namespace: team-{number}
"""


def test_no_rule_grows_with_the_square(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(APPLICATIONS):
        folder = tmp_path / "apps" / str(number)
        folder.mkdir(parents=True)
        folder.joinpath("hook.yaml").write_text(HOOK.format(number=number), "utf-8")
        folder.joinpath("secret.yaml").write_text(SECRET.format(number=number), "utf-8")
        tmp_path.joinpath(f"app-{number}.yaml").write_text(APPLICATION.format(number=number), "utf-8")
        tmp_path.joinpath(f"set-{number}.yaml").write_text(SET.format(number=number), "utf-8")
    repo = read_repo(discover([tmp_path]), Config())
    assert len(repo.applications) == 2 * APPLICATIONS
    monkeypatch.setattr(engine, "perf_counter", process_time)
    run = Run(repo)
    run.check([rule for rule in load() if rule.scope is not Scope.CHANGE])
    assert {rule: round(seconds, 2) for rule, seconds in run.seconds.items() if seconds > MOST_SECONDS} == {}
