"""Small mistakes that people make in manifests for Argo CD, each linted with all rules that are on by default.

Most come from indentation: the text is fine YAML, and something stands one level off. A line with findings names
their rules behind `# <-`; every other line, and every other rule, has to be silent.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import pytest
from gitops_lint.linter.lint.selection import select
from gitops_lint.rules import load
from support import run_rules

MARK = re.compile(r" *# <- (?P<rules>[a-z, -]+)$", re.MULTILINE)


class Case(NamedTuple):
    title: str
    text: str

    def __str__(self) -> str:
        return self.title


CASES = (
    Case(
        "all indentation is lost",
        """\
apiVersion: v1
kind: ServiceAccount  # <- object-missing-identity
metadata:
name: deployer  # <- unknown-field
annotations:  # <- unknown-field
argocd.argoproj.io/sync-wave: "-2"  # <- unknown-field
""",
    ),
    Case(
        "an option beside the annotations, not below them",
        """\
apiVersion: v1
kind: Secret  # <- secret-without-prune-protection
metadata:
  name: database
  annotations:
  argocd.argoproj.io/sync-options: Prune=false  # <- argocd-annotation-wrong-place
""",
    ),
    Case(
        "a hook that is one by its labels only",
        """\
apiVersion: batch/v1
kind: Job
metadata:
  name: migrate
  labels:
    app: shop
    argocd.argoproj.io/hook: PreSync  # <- argocd-annotation-wrong-place
spec:
  activeDeadlineSeconds: 600
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: migrate
          image: registry.example.com/migrate:1.4.2
""",
    ),
    Case(
        "a hook annotation in the spec",
        """\
apiVersion: batch/v1
kind: Job
metadata:
  name: migrate
spec:
  argocd.argoproj.io/hook: PreSync  # <- unknown-field
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: migrate
          image: registry.example.com/migrate:1.4.2
---
apiVersion: example.com/v1
kind: Migration
metadata:
  name: migrate
spec:
  argocd.argoproj.io/hook: PreSync  # <- argocd-annotation-wrong-place
""",
    ),
    Case(
        "a wave in the pod template, and one that is a number",
        """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  selector:
    matchLabels:
      app: web
  template:
    metadata:
      labels:
        app: web
      annotations:
        argocd.argoproj.io/sync-wave: "3"  # <- argocd-annotation-wrong-place
    spec:
      containers:
        - name: web
          image: registry.example.com/web:1.4.2
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: web
  annotations:
    argocd.argoproj.io/sync-wave: -1  # <- annotation-value-not-string
""",
    ),
    Case(
        "the spec of a hook stands in its metadata",
        """\
apiVersion: batch/v1
kind: Job
metadata:
  name: seed
  annotations:
    argocd.argoproj.io/hook: PreSync  # <- hook-without-deadline
    argocd.argoproj.io/hook-delete-policy: HookSucceeded  # <- hook-failed-job-blocks-next-sync
  spec:  # <- job-field-misplaced
    template:
      spec:
        containers:
          - name: seed
            image: registry.example.com/seed:2.0.1
""",
    ),
    Case(
        "the template of a hook stands at the top",
        """\
apiVersion: batch/v1
kind: Job
metadata:
  name: seed
  annotations:
    argocd.argoproj.io/hook: PostSync  # <- hook-without-delete-policy
spec:
  activeDeadlineSeconds: 300
template:  # <- job-field-misplaced
  spec:
    restartPolicy: Never
    containers:
      - name: seed
        image: registry.example.com/seed:2.0.1
""",
    ),
    Case(
        "a restart policy one level too deep, a limit of retries one level too deep",
        """\
apiVersion: batch/v1
kind: Job
metadata:
  name: seed
spec:
  template:
    spec:
      containers:
        - name: seed
          image: registry.example.com/seed:2.0.1
          restartPolicy: Never  # <- job-restart-policy-missing
      backoffLimit: 2  # <- job-field-misplaced
""",
    ),
    Case(
        "an indented separator after a name",
        """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: colors
  ---  # <- yaml-parse-error
apiVersion: v1
kind: ConfigMap
metadata:
  name: sizes
""",
    ),
    Case(
        "an indented separator where a value could be",
        """\
apiVersion: example.com/v1
kind: Queue  # <- duplicate-yaml-key
metadata:
  name: orders
spec:
  ---
apiVersion: example.com/v1
kind: Topic
metadata:
  name: events
spec:
  size: 3
""",
    ),
    Case(
        "sync options beside the sync policy, and an Application without a name",
        """\
apiVersion: argoproj.io/v1alpha1
kind: Application  # <- object-missing-identity
spec:
  project: default
  source:
    repoURL: https://charts.example.com
    chart: shop
    targetRevision: 1.2.3
  destination:
    server: https://kubernetes.default.svc
    namespace: kube-system
  syncPolicy:
    automated:
      prune: true
  syncOptions:  # <- application-unknown-field
    - PruneLast=true
""",
    ),
    Case(
        "a sync policy at the top, managers outside of their item, a group that says nothing",
        """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata:
  name: shop
  namespace: argocd
spec:
  project: default
  source:
    repoURL: https://charts.example.com
    chart: shop
    targetRevision: 1.2.3
  destination:
    server: https://kubernetes.default.svc
    namespace: kube-system
  ignoreDifferences:
    - group: ""  # <- explicit-zero-value
      kind: Service
      jsonPointers:
        - /metadata/annotations/example.com~1address
  managedFieldsManagers:  # <- application-unknown-field
    - kube-controller-manager
syncPolicy:  # <- application-unknown-field
  automated: {}
""",
    ),
    Case(
        "an Application that says prune: false, and ignores differences in vain",
        """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata:
  name: shop
  namespace: argocd
spec:
  project: default
  source:
    repoURL: https://charts.example.com
    chart: shop
    targetRevision: 1.2.3
  destination:
    server: https://kubernetes.default.svc
    namespace: kube-system
  syncPolicy:
    automated:
      prune: false  # <- explicit-prune-false
      selfHeal: true
    syncOptions:
      - RespectIgnoreDifferences=true
      - prunelast=true  # <- unknown-sync-option
  ignoreDifferences:
    - kind: Deployment  # <- ignore-group-mismatch
      jsonPointers:
        - /spec/replicas
    - group: apps
      kind: Deployment
      jsonPointers:
        - /metadata/annotations/example.com/checksum  # <- ignore-json-pointer-malformed
        - /spec  # <- ignore-too-broad
      jqPathExpressions:
        - .spec.template.spec.containers[] | select(.name == "proxy"  # <- ignore-jq-invalid
""",
    ),
    Case(
        "an Application without source and destination",
        """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata:
  name: shop
spec:  # <- application-spec-invalid
  project: default
  syncPolicy:
    syncOptions:
      - ServerSideApply=true
""",
    ),
    Case(
        "a sync window for nobody",
        """\
apiVersion: argoproj.io/v1alpha1
kind: AppProject
metadata:
  name: payments
spec:
  sourceRepos: ["*"]
  destinations:
    - server: https://kubernetes.default.svc
      namespace: payments
  syncWindows:
    - kind: allow
      schedule: 0 6 * * 1-5
      duration: 10h
      applications: ["*"]
    - kind: allow  # <- sync-window-invalid
      schedule: "* * * * *"
      duration: 24h
      manualSync: true
""",
    ),
    Case(
        "the option for missing kinds on the CRD",
        """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: queues.example.com
  annotations:
    argocd.argoproj.io/sync-wave: "-5"
    argocd.argoproj.io/sync-options: SkipDryRunOnMissingResource=true  # <- skip-dry-run-on-crd
spec:
  group: example.com
  scope: Namespaced
  preserveUnknownFields: false  # <- crd-preserve-unknown-fields
  names:
    kind: Queue
    plural: queues
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          x-kubernetes-preserve-unknown-fields: true
---
apiVersion: example.com/v1
kind: Queue
metadata:
  name: orders
  annotations:
    argocd.argoproj.io/sync-wave: "0"
spec:
  size: 3
""",
    ),
    Case(
        "waves without a fault: what is needed comes first",
        """\
apiVersion: v1
kind: Namespace
metadata:
  name: shop
  annotations:
    argocd.argoproj.io/sync-wave: "-3"
---
apiVersion: v1
kind: Secret
metadata:
  name: database
  namespace: shop
  annotations:
    argocd.argoproj.io/sync-wave: "-1"
    argocd.argoproj.io/sync-options: Prune=false,Delete=false
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: shop
spec:
  selector:
    matchLabels:
      app: web
  template:
    metadata:
      labels:
        app: web
    spec:
      containers:
        - name: web
          image: registry.example.com/web:1.4.2
          envFrom:
            - secretRef:
                name: database
""",
    ),
    Case(
        "a migration before the sync needs what only the sync brings",
        """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
  annotations:
    argocd.argoproj.io/sync-wave: "-5"
data:
  host: database
---
apiVersion: batch/v1
kind: Job
metadata:
  name: migrate
  annotations:
    argocd.argoproj.io/hook: PreSync
    argocd.argoproj.io/hook-delete-policy: BeforeHookCreation
spec:
  activeDeadlineSeconds: 600
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: migrate
          image: registry.example.com/migrate:1.4.2
          envFrom:
            - configMapRef:
                name: settings  # <- hook-references-sync-phase-object
""",
    ),
    Case(
        "replicas that an autoscaler has a say in",
        """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: 3  # <- replicas-with-autoscaler
  selector:
    matchLabels:
      app: web
  template:
    metadata:
      labels:
        app: web
    spec:
      containers:
        - name: web
          image: registry.example.com/web:1.4.2
          resources:
            requests:
              cpu: 100m
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: web
spec:
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: web  # <- dependency-in-same-wave
  minReplicas: 2
  maxReplicas: 5
  metrics:
    - type: Resource
      resource:
        name: cpu
        target:
          type: Utilization
          averageUtilization: 80
""",
    ),
    Case(
        "an object as kubectl shows it",
        """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
  resourceVersion: "4711"  # <- exported-server-metadata
  annotations:
    kubectl.kubernetes.io/last-applied-configuration: "{}"  # <- last-applied-in-git
data:
  host: database
""",
    ),
    Case(
        "parts of objects are no objects",
        """\
spec:
  ignoreDifferences:
    - group: apps
      kind: Deployment
      jsonPointers:
        - /spec/replicas
---
metadata:
  annotations:
    argocd.argoproj.io/sync-options: Replace=true
---
syncPolicy:
  automated:
    prune: false
    selfHeal: true
---
spec:
  target:
    name: database
  data:
    - secretKey: password
      remoteRef:
        key: database
---
application.resourceTrackingMethod: annotation+label
controller.diff.server.side: "true"
---
kubectl.kubernetes.io/last-applied-configuration: "{}"
""",
    ),
    Case(
        "parts of objects whose indentation is lost are none, either",
        """\
spec:
ignoreDifferences:
- group: apps
kind: Deployment
jsonPointers:
- /spec/replicas
""",
    ),
    Case(
        "YAML that is for others",
        """\
groups:
  - name: argocd
    rules:
      - alert: NotSynced
        expr: argocd_app_info{sync_status="OutOfSync"} == 1
        for: 15m
        annotations:
          summary: "{{ $labels.name }} is not in sync"
---
name: validate
on: [pull_request]
jobs:
  lint:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
""",
    ),
)


APPLICATION = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata:
  name: {name}
  namespace: argocd
spec:
  project: default
  source:
    repoURL: https://git.example.com/platform.git
    targetRevision: main
    path: {name}
  destination:
    server: https://kubernetes.default.svc
    namespace: shop
  syncPolicy:
    syncOptions:
      - {option}
"""
REPOSITORIES = {
    "two Applications and one Namespace": {
        "apps/one.yaml": APPLICATION.format(name="one", option="CreateNamespace=true"),
        "apps/two.yaml": APPLICATION.format(name="two", option="CreateNamespace=true"),
        "one/namespace.yaml": """\
apiVersion: v1
kind: Namespace  # <- shared-namespace-unprotected
metadata:
  name: shop
""",
        "two/namespace.yaml": """\
apiVersion: v1
kind: Namespace  # <- shared-namespace-unprotected
metadata:
  name: shop  # <- resource-in-two-applications
  labels:
    pod-security.kubernetes.io/enforce: privileged
""",
    },
    "defaults of a CRD under server-side apply": {
        "apps/shop.yaml": APPLICATION.format(name="shop", option="ServerSideApply=true"),
        "shop/namespace.yaml": """\
apiVersion: v1
kind: Namespace
metadata:
  name: shop
""",
        "shop/external-secret.yaml": """\
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata:
  name: database
  annotations:
    argocd.argoproj.io/sync-options: Prune=false
spec:
  secretStoreRef:
    kind: ClusterSecretStore
    name: vault
  target:
    name: database
  data:
    - secretKey: password
      remoteRef:  # <- unpinned-crd-default
        key: database
""",
    },
}


@pytest.mark.parametrize("case", CASES, ids=str)
def test_exactly_these_findings(case: Case) -> None:
    _check({"manifest.yaml": case.text})


@pytest.mark.parametrize("files", REPOSITORIES.values(), ids=REPOSITORIES)
def test_exactly_these_findings_in_a_repository(files: dict[str, str]) -> None:
    _check(files)


def _check(files: dict[str, str]) -> None:
    expected = {(path, line, name) for path, text in files.items() for line, name in _marked(text)}
    found = run_rules({path: MARK.sub("", text) for path, text in files.items()}, select(load()))
    messages = [f"{item.file.path}:{item.start.line} {item.rule.name}: {item.finding.message}" for item in found]
    assert {(item.file.path, item.start.line, item.rule.name) for item in found} == expected, messages


def _marked(text: str) -> Iterator[tuple[int, str]]:
    for line, content in enumerate(text.splitlines(), 1):
        if mark := MARK.search(content):
            yield from ((line, name) for name in mark["rules"].split(", "))
