"""What the API server lets change and what not: small objects before and after, and the verdict.

The verdicts on Kubernetes' own kinds are those of updates tried on a kube-apiserver 1.36.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from gitops_lint.linter.change.immutable.stored import stored
from gitops_lint.linter.dialects.quantities import amount
from gitops_lint.linter.facts.tables import table
from gitops_lint.rules import load
from support import CONFIG, repo_of, run_rules

RULES = [rule for rule in load() if "GL901" <= rule.code <= "GL911"]
NONE = ""
SELECTOR = "selector-changed error"
FIELD = "immutable-field-changed error"
MAYBE = "immutable-field-changed warning"
SET = "statefulset-immutable-changed error"
JOB = "job-template-changed error"
CLAIM = "pvc-spec-changed error"
ROLE = "roleref-changed error"
CONFIGURED = "immutable-config-changed error"
DEFINITION = "crd-incompatible-change error"

POD = "restartPolicy: Never, containers: [{name: a, image: 'a:1'"
"""To be closed by }]."""


def job(rest: str = "", container: str = "", pod: str = "") -> str:
    return f"spec: {{template: {{spec: {{{POD}{container}}}]{pod}}}}}{rest}}}"


def claims(rest: str, metadata: str = "name: data") -> str:
    return f"spec: {{volumeClaimTemplates: [{{metadata: {{{metadata}}}, spec: {{{rest}}}}}]}}"


def definition(versions: str, scope: str = "Namespaced", kind: str = "Shop") -> str:
    return (
        f"spec: {{group: example.com, scope: {scope}, names: {{kind: {kind}, plural: shops}}, versions: [{versions}]}}"
    )


def version(name: str, stored: bool = False, served: bool = True, schema: str = "{type: object}") -> str:
    flags = f"storage: {str(stored).lower()}, served: {str(served).lower()}"
    return f"{{name: {name}, {flags}, schema: {{openAPIV3Schema: {schema}}}}}"


AB = "spec: {selector: {matchLabels: {a: b}}}"
PAIRS = [
    # workloads
    ("apps/v1 Deployment", AB, "spec: {selector: {matchLabels: {a: c}}}", SELECTOR),
    ("apps/v1 Deployment", AB, "spec: {selector: {matchLabels: {a: b, c: d}}}", SELECTOR),
    ("apps/v1 Deployment", AB, "spec: {selector: {matchLabels: {a: b}, matchExpressions: []}}", NONE),
    ("apps/v1 Deployment", AB, "spec: {replicas: 3, paused: true, selector: {matchLabels: {a: b}}}", NONE),
    ("apps/v1 Deployment", "spec: {strategy: {type: RollingUpdate}}", "spec: {strategy: {type: Recreate}}", NONE),
    ("apps/v1 DaemonSet", AB, "spec: {selector: {matchLabels: {}, matchExpressions: [{key: a, operator: Exists}]}}", SELECTOR),
    ("apps/v1 ReplicaSet", AB, "spec: {selector: {matchLabels: {x: y}}}", SELECTOR),
    ("apps/v1 StatefulSet", AB, "spec: {selector: {matchLabels: {a: c}}}", SELECTOR),
    ("v1 ReplicationController", "spec: {selector: {a: b}}", "spec: {selector: {a: c}}", NONE),
    ("apps/v1 StatefulSet", "spec: {serviceName: a}", "spec: {serviceName: b}", SET),
    ("apps/v1 StatefulSet", "spec: {serviceName: a}", "spec: {}", SET),
    ("apps/v1 StatefulSet", "spec: {}", "spec: {podManagementPolicy: OrderedReady}", NONE),
    ("apps/v1 StatefulSet", "spec: {}", "spec: {podManagementPolicy: Parallel}", SET),
    ("apps/v1 StatefulSet", claims("resources: {requests: {storage: 1Gi}}"), claims("resources: {requests: {storage: 1024Mi}}"), NONE),
    ("apps/v1 StatefulSet", claims("resources: {requests: {storage: 1Gi}}"), claims("resources: {requests: {storage: 2Gi}}"), SET),
    ("apps/v1 StatefulSet", claims("storageClassName: a"), claims("storageClassName: b"), SET),
    ("apps/v1 StatefulSet", claims(""), claims("storageClassName: ''"), SET),
    ("apps/v1 StatefulSet", claims(""), claims("volumeMode: Filesystem"), NONE),
    ("apps/v1 StatefulSet", claims(""), claims("", "name: data, labels: {a: b}"), SET),
    ("apps/v1 StatefulSet", claims(""), claims("", "name: data, creationTimestamp: null"), NONE),
    ("apps/v1 StatefulSet", "spec: {volumeClaimTemplates: [{metadata: {name: a}}]}", "spec: {volumeClaimTemplates: [{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: a}}]}", NONE),
    ("apps/v1 StatefulSet", "spec: {volumeClaimTemplates: [{metadata: {name: a}}]}", "spec: {volumeClaimTemplates: []}", SET),
    ("apps/v1 StatefulSet", "spec: {revisionHistoryLimit: 10}", "spec: {revisionHistoryLimit: 3}", NONE),
    ("apps/v1 StatefulSet", "spec: {replicas: 1}", "spec: {replicas: 2, minReadySeconds: 5, ordinals: {start: 1}, updateStrategy: {type: OnDelete}, persistentVolumeClaimRetentionPolicy: {whenScaled: Delete}}", NONE),
    # jobs
    ("batch/v1 Job", job(), job(container=", env: [{name: A, value: b}]"), JOB),
    ("batch/v1 Job", job(), job(container=", imagePullPolicy: IfNotPresent, terminationMessagePath: /dev/termination-log"), NONE),
    ("batch/v1 Job", job(), job(container=", imagePullPolicy: Always"), JOB),
    ("batch/v1 Job", job(), job(pod=", dnsPolicy: ClusterFirst, hostNetwork: false, securityContext: {}, serviceAccountName: ''"), NONE),
    ("batch/v1 Job", job(), job(pod=", automountServiceAccountToken: false"), JOB),
    ("batch/v1 Job", job(pod=", serviceAccountName: a"), job(pod=", serviceAccount: a"), NONE),
    ("batch/v1 Job", job(container=", resources: {limits: {cpu: 1, memory: 1Gi}}"), job(container=", resources: {limits: {cpu: 1000m, memory: 1024Mi}}"), NONE),
    ("batch/v1 Job", job(container=", resources: {limits: {cpu: 1}}"), job(container=", resources: {limits: {cpu: 2}}"), JOB),
    ("batch/v1 Job", job(), job(pod=", volumes: [{name: a, emptyDir: {}}]"), JOB),
    ("batch/v1 Job", job(pod=", volumes: [{name: a}]"), job(pod=", volumes: [{name: a, emptyDir: {}}]"), NONE),
    ("batch/v1 Job", job(pod=", volumes: [{name: a, secret: {secretName: s}}]"), job(pod=", volumes: [{name: a, secret: {secretName: s, defaultMode: 0644}}]"), NONE),
    ("batch/v1 Job", job(pod=", nodeSelector: {a: ''}"), job(), JOB),
    ("batch/v1 Job", job(), job(", parallelism: 2, completions: 2"), JOB),
    ("batch/v1 Job", job(), job(", completions: 1, parallelism: 1, completionMode: NonIndexed"), NONE),
    ("batch/v1 Job", job(", completions: 3"), job(", completions: 3, parallelism: 3"), NONE),
    ("batch/v1 Job", job(", completions: 3"), job(", completions: 4"), JOB),
    ("batch/v1 Job", job(", completionMode: Indexed, completions: 3, parallelism: 3"), job(", completionMode: Indexed, completions: 5, parallelism: 5"), NONE),
    ("batch/v1 Job", job(", completionMode: Indexed, completions: 3, parallelism: 3"), job(", completionMode: Indexed, completions: 5, parallelism: 3"), JOB),
    ("batch/v1 Job", job(", completions: 3"), job(", completions: 3, completionMode: Indexed"), JOB),
    ("batch/v1 Job", job(), job(", suspend: true, backoffLimit: 2, activeDeadlineSeconds: 60, ttlSecondsAfterFinished: 60"), NONE),
    ("batch/v1 Job", job(), job(", backoffLimitPerIndex: 1"), JOB),
    ("batch/v1 Job", job(", suspend: true"), job(", suspend: false", pod=", nodeSelector: {a: b}, tolerations: [{operator: Exists}]"), NONE),
    ("batch/v1 Job", job(", suspend: true"), job(", suspend: true", container=", command: [b]"), JOB),
    ("batch/v1 Job", job(), job(pod=", nodeSelector: {a: b}"), JOB),
    ("batch/v1 CronJob", "spec: {schedule: '1 * * * *'}", "spec: {schedule: '2 * * * *', timeZone: Etc/UTC}", NONE),
    # pods
    ("v1 Pod", f"spec: {{{POD}}}]}}", f"spec: {{{POD.replace('a:1', 'a:2')}}}]}}", NONE),
    ("v1 Pod", f"spec: {{{POD}}}]}}", f"spec: {{{POD}, env: [{{name: A}}]}}]}}", FIELD),
    ("v1 Pod", f"spec: {{{POD}}}]}}", f"spec: {{{POD}}}], activeDeadlineSeconds: 9, enableServiceLinks: true}}", NONE),
    ("v1 Pod", f"spec: {{{POD}}}]}}", f"spec: {{{POD}}}], tolerations: [{{operator: Exists}}]}}", NONE),
    ("v1 Pod", f"spec: {{{POD}}}], tolerations: [{{operator: Exists}}]}}", f"spec: {{{POD}}}]}}", FIELD),
    ("v1 Pod", f"spec: {{{POD}}}]}}", f"spec: {{{POD}}}], nodeSelector: {{a: b}}}}", FIELD),
    # services
    ("v1 Service", "spec: {clusterIP: 10.0.0.1}", "spec: {clusterIP: 10.0.0.2}", FIELD),
    ("v1 Service", "spec: {clusterIP: 10.0.0.1}", "spec: {}", NONE),
    ("v1 Service", "spec: {}", "spec: {clusterIP: 10.0.0.1}", MAYBE),
    ("v1 Service", "spec: {}", "spec: {clusterIP: None}", FIELD),
    ("v1 Service", "spec: {clusterIP: None}", "spec: {clusterIP: 10.0.0.1}", FIELD),
    ("v1 Service", "spec: {clusterIP: None}", "spec: {}", MAYBE),
    ("v1 Service", "spec: {clusterIP: None}", "spec: {type: ExternalName, externalName: a.example.com}", NONE),
    ("v1 Service", "spec: {}", "spec: {type: LoadBalancer, ports: [{port: 80}], selector: {a: b}}", NONE),
    ("v1 Service", "spec: {ipFamilies: [IPv4]}", "spec: {ipFamilies: [IPv4, IPv6], ipFamilyPolicy: PreferDualStack}", NONE),
    ("v1 Service", "spec: {ipFamilies: [IPv4, IPv6]}", "spec: {ipFamilies: [IPv6, IPv4]}", FIELD),
    ("v1 Service", "spec: {type: LoadBalancer, loadBalancerClass: a}", "spec: {type: LoadBalancer, loadBalancerClass: b}", FIELD),
    ("v1 Service", "spec: {type: LoadBalancer, loadBalancerClass: a}", "spec: {type: ClusterIP}", NONE),
    # storage
    ("v1 PersistentVolumeClaim", "spec: {resources: {requests: {storage: 1Gi}}}", "spec: {resources: {requests: {storage: 2Gi}}}", NONE),
    ("v1 PersistentVolumeClaim", "spec: {resources: {requests: {storage: 1Gi}}}", "spec: {resources: {requests: {storage: 1G}}}", CLAIM),
    ("v1 PersistentVolumeClaim", "spec: {resources: {requests: {storage: 1Gi}}}", "spec: {resources: {requests: {storage: 1024Mi}}}", NONE),
    ("v1 PersistentVolumeClaim", "spec: {storageClassName: ''}", "spec: {storageClassName: '', volumeMode: Filesystem}", NONE),
    ("v1 PersistentVolumeClaim", "spec: {storageClassName: a}", "spec: {storageClassName: b}", CLAIM),
    ("v1 PersistentVolumeClaim", "spec: {storageClassName: a}", "spec: {}", CLAIM),
    ("v1 PersistentVolumeClaim", "spec: {}", "spec: {storageClassName: a}", "pvc-spec-changed warning"),
    ("v1 PersistentVolumeClaim", "spec: {accessModes: [ReadWriteOnce]}", "spec: {accessModes: [ReadWriteMany]}", CLAIM),
    ("v1 PersistentVolumeClaim", "spec: {}", "spec: {volumeMode: Block}", CLAIM),
    ("v1 PersistentVolumeClaim", "spec: {}", "spec: {volumeName: pv-1}", NONE),
    ("v1 PersistentVolumeClaim", "spec: {volumeName: pv-1}", "spec: {volumeName: pv-2}", CLAIM),
    ("v1 PersistentVolumeClaim", "spec: {dataSource: {kind: PersistentVolumeClaim, name: a}}", "spec: {dataSourceRef: {kind: PersistentVolumeClaim, name: a}}", NONE),
    ("v1 PersistentVolumeClaim", "spec: {volumeAttributesClassName: a}", "spec: {volumeAttributesClassName: b}", NONE),
    ("v1 PersistentVolume", "spec: {nfs: {server: a, path: /}}", "spec: {nfs: {server: b, path: /}}", FIELD),
    ("v1 PersistentVolume", "spec: {hostPath: {path: /a}}", "spec: {hostPath: {path: /a, type: ''}, capacity: {storage: 9Gi}, persistentVolumeReclaimPolicy: Retain}", NONE),
    ("v1 PersistentVolume", "spec: {csi: {driver: a, volumeHandle: x, nodeStageSecretRef: {name: a}}}", "spec: {csi: {driver: a, volumeHandle: x, nodeStageSecretRef: {name: b}}}", NONE),
    ("v1 PersistentVolume", "spec: {csi: {driver: a, volumeHandle: x}}", "spec: {csi: {driver: a, volumeHandle: y}}", FIELD),
    ("v1 PersistentVolume", "spec: {}", "spec: {nodeAffinity: {required: {}}, storageClassName: b, mountOptions: [a]}", NONE),
    ("storage.k8s.io/v1 StorageClass", "provisioner: a", "provisioner: b", FIELD),
    ("storage.k8s.io/v1 StorageClass", "provisioner: a", "{provisioner: a, parameters: {type: ''}}", FIELD),
    ("storage.k8s.io/v1 StorageClass", "provisioner: a", "{provisioner: a, reclaimPolicy: Delete, volumeBindingMode: Immediate, parameters: {}}", NONE),
    ("storage.k8s.io/v1 StorageClass", "provisioner: a", "{provisioner: a, allowVolumeExpansion: true, mountOptions: [b]}", NONE),
    ("storage.k8s.io/v1 StorageClass", "provisioner: a", "{provisioner: a, volumeBindingMode: WaitForFirstConsumer}", FIELD),
    ("storage.k8s.io/v1 CSIDriver", "spec: {}", "spec: {attachRequired: true, podInfoOnMount: true}", NONE),
    ("storage.k8s.io/v1 CSIDriver", "spec: {}", "spec: {attachRequired: false}", FIELD),
    # others
    ("v1 Secret", "stringData: {a: b}", "{stringData: {a: c}, type: Opaque}", NONE),
    ("v1 Secret", "stringData: {a: b}", "{stringData: {a: b}, type: kubernetes.io/basic-auth}", FIELD),
    ("v1 Secret", "{immutable: true, stringData: {a: b}}", "{immutable: true, data: {a: Yg==}}", NONE),
    ("v1 Secret", "{immutable: true, stringData: {a: b}}", "{immutable: true, data: {a: Yw==}}", CONFIGURED),
    ("v1 ConfigMap", "data: {a: b}", "{data: {a: c}, immutable: true}", NONE),
    ("v1 ConfigMap", "{data: {a: b}, immutable: true}", "{data: {a: b, c: d}, immutable: true}", CONFIGURED),
    ("v1 ConfigMap", "{data: {a: b}, immutable: true}", "{data: {a: b}}", CONFIGURED),
    ("networking.k8s.io/v1 IngressClass", "spec: {controller: a/b}", "spec: {controller: a/c}", FIELD),
    ("networking.k8s.io/v1 Ingress", "spec: {ingressClassName: a}", "spec: {ingressClassName: b}", NONE),
    ("scheduling.k8s.io/v1 PriorityClass", "value: 1", "value: 2", FIELD),
    ("scheduling.k8s.io/v1 PriorityClass", "value: 1", "{value: 1, preemptionPolicy: PreemptLowerPriority, description: a}", NONE),
    ("node.k8s.io/v1 RuntimeClass", "handler: a", "handler: b", FIELD),
    ("v1 ResourceQuota", "spec: {scopes: [BestEffort, Terminating]}", "spec: {scopes: [Terminating, BestEffort], hard: {pods: 4}}", NONE),
    ("v1 ResourceQuota", "spec: {scopes: [BestEffort]}", "spec: {scopes: [NotBestEffort]}", FIELD),
    ("policy/v1 PodDisruptionBudget", "spec: {selector: {matchLabels: {a: b}}}", "spec: {selector: {matchLabels: {a: c}}}", NONE),
    ("rbac.authorization.k8s.io/v1 RoleBinding", "roleRef: {kind: Role, name: a}", "roleRef: {kind: Role, name: b}", ROLE),
    ("rbac.authorization.k8s.io/v1 RoleBinding", "roleRef: {kind: Role, name: a}", "roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: a}", NONE),
    ("rbac.authorization.k8s.io/v1 ClusterRoleBinding", "roleRef: {kind: ClusterRole, name: a}", "{roleRef: {kind: ClusterRole, name: a}, subjects: [{kind: User, name: b}]}", NONE),
    # definitions and custom resources
    ("apiextensions.k8s.io/v1 CustomResourceDefinition", definition(version("v1", True)), definition(version("v1", True), scope="Cluster"), DEFINITION),
    ("apiextensions.k8s.io/v1 CustomResourceDefinition", definition(version("v1", True)), definition(version("v1", True), kind="Store"), DEFINITION),
    ("apiextensions.k8s.io/v1 CustomResourceDefinition", definition(version("v1", True)), definition(version("v1") + ", " + version("v2", True)), NONE),
    ("apiextensions.k8s.io/v1 CustomResourceDefinition", definition(version("v1", True)), definition(version("v2", True)), DEFINITION),
    ("apiextensions.k8s.io/v1 CustomResourceDefinition", definition(version("v1") + ", " + version("v2", True)), definition(version("v2", True)), "crd-incompatible-change warning"),
    ("apiextensions.k8s.io/v1 CustomResourceDefinition", definition(version("v1", True)), definition(version("v1", True, schema="{type: object, properties: {a: {type: string}}}")), NONE),
    ("argoproj.io/v1alpha1 Rollout", "spec: {selector: {matchLabels: {a: b}}}", "spec: {selector: {matchLabels: {a: c}}}", FIELD),
    ("postgresql.cnpg.io/v1 Database", "spec: {owner: a, name: a}", "spec: {owner: b, name: a}", NONE),
    ("postgresql.cnpg.io/v1 Database", "spec: {cluster: {name: a}}", "spec: {cluster: {name: b}}", FIELD),
    ("postgresql.cnpg.io/v1 Database", "spec: {name: a}", "spec: {name: a, encoding: UTF8}", NONE),
    ("gateway.networking.k8s.io/v1 GatewayClass", "spec: {controllerName: a.example.com/b}", "spec: {controllerName: a.example.com/c}", FIELD),
    ("karpenter.sh/v1 NodePool", "spec: {template: {spec: {nodeClassRef: {kind: A, name: a}}}}", "spec: {template: {spec: {nodeClassRef: {kind: A, name: b}}}}", NONE),
    ("karpenter.sh/v1 NodePool", "spec: {template: {spec: {nodeClassRef: {kind: A, name: a}}}}", "spec: {template: {spec: {nodeClassRef: {kind: B, name: a}}}}", FIELD),
]  # fmt: skip


def manifest(kind: str, text: str, metadata: str = "") -> str:
    api_version, name = kind.split(" ")
    head = f"apiVersion: {api_version}\nkind: {name}\nmetadata: {{name: shops.example.com{metadata}}}\n"
    inner = text.removeprefix("{").removesuffix("}") if text.startswith("{") else ""
    return head + ("".join(f"{part}\n" for part in _parts(inner)) if inner else f"{text}\n")


def _parts(text: str) -> Iterator[str]:
    """The members of a flow mapping, one by one."""
    depth, start = 0, 0
    for at, letter in enumerate(text):
        depth += (letter in "{[") - (letter in "}]")
        if letter == "," and not depth:
            yield text[start:at].strip()
            start = at + 1
    yield text[start:].strip()


def verdict(before: str, after: str, config: str = "{}") -> str:
    found = run_rules({"a.yaml": after, CONFIG: config}, RULES, {"a.yaml": before, CONFIG: config})
    return " and ".join(dict.fromkeys(f"{one.rule.name} {one.severity}" for one in found))


@pytest.mark.parametrize(("kind", "before", "after", "expected"), PAIRS)
def test_what_the_api_server_lets_change(kind: str, before: str, after: str, expected: str) -> None:
    assert verdict(manifest(kind, before), manifest(kind, after)) == expected


@pytest.mark.parametrize(("kind", "before", "after"), [pair[:3] for pair in PAIRS if pair[3] in (FIELD, SET, JOB)])
def test_the_other_direction_is_as_bad_or_at_least_harmless(kind: str, before: str, after: str) -> None:
    """No crash, and nothing that is not one of the same rules."""
    names = {one.partition(" ")[0] for one in (FIELD, SET, JOB)}
    for one in filter(None, verdict(manifest(kind, after), manifest(kind, before)).split(" and ")):
        assert one.partition(" ")[0] in names


JOBS = ("batch/v1 Job", job(), job(container=", command: [b]"))


@pytest.mark.parametrize(
    ("metadata", "expected"),
    [
        ("", JOB),
        (", annotations: {argocd.argoproj.io/hook: PreSync}", NONE),
        (
            ", annotations: {argocd.argoproj.io/hook: PreSync, argocd.argoproj.io/hook-delete-policy: HookSucceeded}",
            NONE,
        ),
        (", annotations: {helm.sh/hook: pre-upgrade}", NONE),
        (", annotations: {argocd.argoproj.io/sync-options: 'Force=true,Replace=true'}", NONE),
        (", annotations: {argocd.argoproj.io/sync-options: 'Force=true'}", NONE),
        (", annotations: {argocd.argoproj.io/sync-options: 'Replace=true'}", JOB),
        (", annotations: {argocd.argoproj.io/sync-options: 'Force=true,ServerSideApply=true'}", JOB),
        (", annotations: {argocd.argoproj.io/sync-options: 'Force=true,Replace=true,ServerSideApply=true'}", NONE),
    ],
)
def test_options_and_hooks_of_a_job(metadata: str, expected: str) -> None:
    kind, before, after = JOBS
    assert verdict(manifest(kind, before, metadata), manifest(kind, after, metadata)) == expected


def test_force_means_nothing_before_argo_cd_2_12() -> None:
    kind, before, after = JOBS
    forced = ", annotations: {argocd.argoproj.io/sync-options: 'Force=true,Replace=true'}"
    config = "argocd-version: '2.11'"
    assert verdict(manifest(kind, before, forced), manifest(kind, after, forced), config) == JOB


@pytest.mark.parametrize(("kubernetes", "expected"), [("1.32", SET), ("1.33", NONE), ("1.36", NONE)])
def test_the_history_of_a_statefulset_may_be_cut_since_1_33(kubernetes: str, expected: str) -> None:
    config = f"kubernetes-version: '{kubernetes}'"
    before = manifest("apps/v1 StatefulSet", "spec: {revisionHistoryLimit: 5}")
    after = manifest("apps/v1 StatefulSet", "spec: {revisionHistoryLimit: 3}")
    assert verdict(before, after, config) == expected


def test_an_object_without_a_fixed_name_is_a_new_one_each_time() -> None:
    before, after = (manifest("batch/v1 Job", one).replace("{name: ", "{generateName: ") for one in JOBS[1:])
    assert verdict(before, after) == NONE


def test_messages_say_the_answer_the_consequence_and_the_remedy() -> None:
    before, after = (manifest("batch/v1 Job", one) for one in JOBS[1:])
    (found,) = run_rules({"a.yaml": after}, RULES, {"a.yaml": before})
    assert found.finding.message == (
        "Job 'shops.example.com': spec.template.spec.containers[0].command is new. The API server refuses it"
        " ('spec.template: Invalid value: …: field is immutable'), and whoever applies it fails. Put a version into its"
        " name, so that it is another Job, or make it a hook."
    )


def test_with_an_application_the_message_tells_what_is_left_behind() -> None:
    application = """
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: shop}
spec:
  source: {repoURL: 'https://git.example.com/shop.git', path: deploy}
  destination: {server: 'https://kubernetes.default.svc', namespace: shop}
"""
    later = manifest("v1 ConfigMap", "data: {}", ", annotations: {argocd.argoproj.io/sync-wave: '1'}")
    before, after = (manifest("storage.k8s.io/v1 StorageClass", f"provisioner: {one}") for one in "ab")
    shared = {"app.yaml": application, "deploy/later.yaml": later}
    (found,) = run_rules({**shared, "deploy/a.yaml": after}, RULES, {**shared, "deploy/a.yaml": before})
    assert found.finding.message == (
        "StorageClass 'shops.example.com': provisioner changes from 'a' to 'b'. The API server refuses it ('field is"
        " immutable'), and the sync fails, again at every retry, and what comes in later waves is not applied. Give the"
        " class another name, or delete it by hand before the sync; volumes that exist stay as they are either way."
    )
    assert found.start.line == 4


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1Gi", "1024Mi"),
        ("0.5", "500m"),
        ("1e3", "1k"),
        ("1.5Gi", "1536Mi"),
        (2, "2"),
        (".5", "0.50"),
        ("1000000u", "1"),
    ],
)
def test_quantities_of_the_same_amount(one: str | int, other: str) -> None:
    assert amount(one) is not None
    assert amount(one) == amount(other)


@pytest.mark.parametrize("text", ["", "Gi", "1 Gi", "1gi", "1GiB", True, None, "1e999", "9" * 100])
def test_what_is_no_quantity(text: object) -> None:
    assert amount(text) is None


SHAPES = [
    "spec: [1, 2]",
    "spec: text",
    "spec: null",
    "spec: {template: [], completions: {a: b}, versions: {}, ports: 5, strategy: [], encryptedData: [a]}",
    "spec: {template: {spec: 5}, versions: [5, {name: [a]}], ports: [5], selector: text, names: []}",
    "{data: [1], roleRef: text, immutable: true, spec: {volumeClaimTemplates: text, tolerations: {}}}",
    "{data: {a: [1]}, roleRef: [a], immutable: 5, stringData: {b: null}, spec: {ipFamilies: {}, clusterIPs: 3}}",
]
KINDS = sorted({pair[0] for pair in PAIRS} | {"bitnami.com/v1alpha1 SealedSecret"})


@pytest.mark.parametrize("kind", KINDS)
def test_hostile_shapes_are_compared_without_a_crash(kind: str) -> None:
    rules = [rule for rule in load() if "GL901" <= rule.code <= "GL929"]
    texts = [manifest(kind, shape, metadata) for shape in SHAPES for metadata in ("", ", annotations: [a]")]
    for before in texts:
        for after in texts[::3]:
            run_rules({"a.yaml": after}, rules, {"a.yaml": before})  # which asserts that no rule broke


def test_every_kind_of_the_table_has_known_conditions_and_rules() -> None:
    from gitops_lint.linter.change.immutable.field_conditions import CONDITIONS

    names = {rule.name for rule in load()}
    for fields in table("immutable-fields.json")["kinds"].values():
        for field in fields:
            assert field.get("unless", "suspended") in CONDITIONS
            assert field.get("rule", "immutable-field-changed") in names


def test_what_is_stored_is_the_same_for_an_object_and_its_explicit_form() -> None:
    short, long = (
        repo_of({"a.yaml": manifest("batch/v1 Job", one)}).resources[0]
        for one in (job(), job(pod=", schedulerName: default-scheduler, terminationGracePeriodSeconds: 30"))
    )
    assert stored(short) == stored(long)
