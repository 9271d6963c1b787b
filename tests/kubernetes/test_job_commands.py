"""What the commands of a Job tell: the objects they make, and that they never end."""

from __future__ import annotations

import pytest
from gitops_lint.linter.argocd.endless_pods import never_ends
from gitops_lint.linter.kubernetes.references.scripts import made_by_commands
from gitops_lint.linter.kubernetes.resource import Resource, resources_in
from gitops_lint.linter.yaml.source import Node, SourceFile
from support import rule_named, run_rules


def job(script: str) -> Resource:
    lines = "\n".join(f"            {line}" for line in script.split("\n"))
    text = f"""
apiVersion: batch/v1
kind: Job
metadata: {{name: x}}
spec:
  template:
    spec:
      containers:
        - name: c
          command: [sh, -c]
          args:
          - |-
{lines}
"""
    (resource,) = resources_in(SourceFile("x.yaml", text).documents[0].root)
    return resource


def pod_spec(script: str) -> Node:
    return job(script)["spec"]["template"]["spec"]


@pytest.mark.parametrize(
    ("script", "made"),
    [
        ("kubectl create secret generic a --from-literal=k=v", ("Secret", "", "a")),
        ("kubectl -n shop create secret tls a --cert=c --key=k", ("Secret", "shop", "a")),
        ("kubectl create --namespace=shop secret docker-registry a", ("Secret", "shop", "a")),
        ("oc create cm a --from-file x -n shop", ("ConfigMap", "shop", "a")),
        ("if true; then /usr/bin/kubectl create configmap 'a'; fi", ("ConfigMap", "", "a")),
        ('echo x | kubectl create secret generic "a" --from-file=k=/dev/stdin', ("Secret", "", "a")),
        ("kubectl create secret generic \\\n  a \\\n  -n shop", ("Secret", "shop", "a")),
        ("kubectl apply -f - <<E\nkind: Secret\nmetadata:\n  name: a\nE", ("Secret", "", "a")),
        ("kubectl apply -f x\nkind: ConfigMap\nmetadata:\n  namespace: shop\n  name: a\n", ("ConfigMap", "shop", "a")),
    ],
)
def test_what_is_made(script: str, made: tuple[str, str, str]) -> None:
    assert [(one.kind, one.namespace, one.name) for one in made_by_commands(pod_spec(script))] == [made]


@pytest.mark.parametrize(
    "script",
    [
        "kubectl get secret generic a",
        "kubectl delete secret a",
        "kubectl create secret generic $NAME",
        "kubectl create secret generic a -n ${NAMESPACE}",
        "kubectl create secret generic",
        "kubectl create secret",
        "kubectl create",
        "kubectl create job --from=cronjob/a secret",
        "echo create secret generic a",
        "cat <<E\nkind: Secret\nmetadata:\n  name: a\nE",
        "kubectl apply -f - <<E\nkind: SecretStore\nmetadata:\n  name: a\nE",
    ],
)
def test_what_is_not_made(script: str) -> None:
    assert not list(made_by_commands(pod_spec(script)))


@pytest.mark.parametrize(
    "script",
    ["sleep infinity", "echo x; sleep inf", "tail -f /dev/null", "while true; do x; done", "while :\ndo\n  x\ndone"],
)
def test_scripts_that_never_end(script: str) -> None:
    assert never_ends(job(script)) is not None


@pytest.mark.parametrize(
    "script",
    [
        "until x; do sleep 1; done",
        "while ! x; do sleep 1; done",
        "while true; do x && break; done",
        "while true; do x; [ $? = 0 ] || exit 1; done",
        "set -eu\nwhile true; do x; done",
        "sleep infinity &\nx",
        "timeout 5 sleep infinity",
        "# sleep infinity\nx",
        "sleep 3600",
    ],
)
def test_scripts_that_may_end(script: str) -> None:
    assert never_ends(job(script)) is None


@pytest.mark.parametrize(
    ("hook", "policy", "safe"),
    [("PreSync", "HookSucceeded", True), ("PreSync", "HookFailed", False), ("SyncFail", "HookSucceeded", False)],
)
def test_running_a_hook_more_often_than_before_is_not_safe(hook: str, policy: str, safe: bool) -> None:
    text = f"""
apiVersion: batch/v1
kind: Job
metadata:
  name: x
  annotations:
    argocd.argoproj.io/hook: {hook}
    argocd.argoproj.io/hook-delete-policy: {policy}
"""
    (found,) = run_rules({"x.yaml": text}, [rule_named("hook-failed-job-blocks-next-sync")])
    assert found.has_safe_fix is safe
