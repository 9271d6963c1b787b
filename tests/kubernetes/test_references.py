"""The reference graph: who names whom, who makes what, and the table behind it."""

from __future__ import annotations

from typing import Any

import pytest
from gitops_lint.linter.facts.tables import has_health_check, table
from gitops_lint.linter.helm.template_file import TemplateFile
from gitops_lint.linter.kubernetes.references import Graph, Order, build_graph
from gitops_lint.linter.kubernetes.references.hosts import calls, service_and_namespace, waits_by_itself
from gitops_lint.linter.kubernetes.references.paths import PathTree, nodes_at, steps
from gitops_lint.linter.kubernetes.references.table import rows
from gitops_lint.linter.kubernetes.resource import resources_in
from gitops_lint.linter.yaml.source import Node, SourceFile

DATA: dict[str, Any] = table("references.json")


def graph_of(text: str, namespace: str = "") -> Graph:
    resources = [r for document in SourceFile("x.yaml", text).documents for r in resources_in(document.root)]
    return build_graph(resources, namespace)


def edges(text: str, namespace: str = "") -> set[tuple[str, str, str]]:
    return {(str(r.consumer), r.target, str(r.provider)) for r in graph_of(text, namespace).references}


def node(text: str) -> Node:
    return SourceFile("x.yaml", text).documents[0].root


def thing(kind: str, name: str, group: str = "", body: str = "", namespace: str = "") -> str:
    api_version = f"{group}/v1" if group else "v1"
    place = f", namespace: {namespace}" if namespace else ""
    return f"---\napiVersion: {api_version}\nkind: {kind}\nmetadata: {{name: {name}{place}}}\n{body}\n"


# -- paths


def test_steps_split_at_dots_and_brackets() -> None:
    assert steps("spec.rules[].http.paths[].x") == ("spec", "rules", "[]", "http", "paths", "[]", "x")
    assert steps("steps[][].ref") == ("steps", "[]", "[]", "ref")
    assert steps(["metadata", "annotations", "a.b/c"]) == ("metadata", "annotations", "a.b/c")
    assert steps("") == ()


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("a[].b", ["1", "2"]),
        ("c.*.name", ["p1", "q1"]),
        ("c.*Ref.name", ["q1"]),
        ("**.name", ["p1", "q1"]),
        ("d.<<", []),
        ("d.b", ["merged"]),
        ("nothing.here[].at.all", []),
        ("a.b", []),
    ],
)
def test_paths_lead_to_scalars(path: str, found: list[str]) -> None:
    root = node('a: &a [{b: "1"}, {b: "2"}, 3]\nm: &m {b: merged}\nc: {p: {name: p1}, qRef: {name: q1}}\nd: {<<: *m}\n')
    assert [at.text for at in nodes_at(root, steps(path))] == found


def test_paths_that_begin_alike_are_walked_once_and_keep_their_leaves() -> None:
    tree: PathTree[str] = PathTree()
    tree.add(steps("a.b"), "first")
    tree.add(steps("a.c"), "second")
    tree.add(steps("a.c"), "third")
    found: list[tuple[str, Node]] = []
    tree.find(node("a: {c: 1, b: 2, c: 3}"), found)
    assert sorted((leaf, at.value) for leaf, at in found) == [("first", 2), ("second", 3), ("third", 3)]


def test_strange_keys_are_stepped_over() -> None:
    (template,) = TemplateFile("x.yaml", "? [1, 2]\n: x\n? {a: b}\n: y\ntrue: z\na: {b: found}\n").documents
    assert [at.text for at in nodes_at(template.root, steps("a.b"))] == ["found"]


# -- pods


POD = """
serviceAccountName: runner
priorityClassName: high
runtimeClassName: gvisor
imagePullSecrets: [{name: pull}]
initContainers:
  - {name: i, envFrom: [{configMapRef: {name: init}}]}
ephemeralContainers:
  - {name: e, env: [{name: A, valueFrom: {configMapKeyRef: {name: debug, key: a}}}]}
containers:
  - name: c
    env: [{name: A, valueFrom: {secretKeyRef: {name: env, key: a}}}]
volumes:
  - {name: a, secret: {secretName: files}}
  - {name: b, projected: {sources: [{configMap: {name: projected}}]}}
  - {name: c, persistentVolumeClaim: {claimName: data}}
  - {name: d, csi: {driver: x, nodePublishSecretRef: {name: csi}, volumeAttributes: {secretProviderClass: vault}}}
"""
NEEDED = [
    ("ServiceAccount", "runner", ""),
    ("PriorityClass", "high", "scheduling.k8s.io"),
    ("RuntimeClass", "gvisor", "node.k8s.io"),
    ("Secret", "pull", ""),
    ("ConfigMap", "init", ""),
    ("ConfigMap", "debug", ""),
    ("Secret", "env", ""),
    ("Secret", "files", ""),
    ("ConfigMap", "projected", ""),
    ("PersistentVolumeClaim", "data", ""),
    ("Secret", "csi", ""),
    ("SecretProviderClass", "vault", "secrets-store.csi.x-k8s.io"),
]
PROVIDERS = "".join(thing(kind, name, group) for kind, name, group in NEEDED)


def under(path: str, body: str) -> str:
    """The body below a dotted path; ``[]`` opens a list, ``*`` and ``**`` are any key."""
    lines, depth = [], 0
    for step in steps(path):
        if step == "[]":
            lines.append(f"{'  ' * depth}-")
        else:
            lines.append(f"{'  ' * depth}{step.replace('*', 'x')}:")
        depth += 1
    return "\n".join(lines + [f"{'  ' * depth}{line}" for line in body.strip().splitlines()])


PODS = [(kind, entry["pod"]) for kind, entry in DATA["workloads"].items() if "shape" not in entry]


@pytest.mark.parametrize(("kind", "path"), PODS)
def test_every_workload_kind_shows_all_that_its_pods_name(kind: str, path: str) -> None:
    group, _, name = kind.rpartition("/")
    text = thing(name, "it", group, under(path, POD)) + PROVIDERS
    consumer = f"{name} 'it'"
    assert {target for who, target, _ in edges(text) if who == consumer} == {f"{k} {n!r}" for k, n, _ in NEEDED}


def test_a_workflow_holds_containers_in_its_templates() -> None:
    body = """
spec:
  serviceAccountName: runner
  volumes: [{name: a, secret: {secretName: files}}]
  templates:
    - {name: a, container: {env: [{name: A, valueFrom: {secretKeyRef: {name: env, key: a}}}]}}
    - {name: b, script: {envFrom: [{configMapRef: {name: init}}]}}
    - {name: c, steps: [[{name: x, templateRef: {name: build, template: main}}]]}
    - {name: d, dag: {tasks: [{name: y, templateRef: {name: shared, template: main, clusterScope: true}}]}}
"""
    text = thing("Workflow", "it", "argoproj.io", body) + PROVIDERS
    text += thing("WorkflowTemplate", "build", "argoproj.io")
    text += thing("ClusterWorkflowTemplate", "shared", "argoproj.io")
    assert {target for who, target, _ in edges(text) if who == "Workflow 'it'"} == {
        "ServiceAccount 'runner'",
        "Secret 'files'",
        "Secret 'env'",
        "ConfigMap 'init'",
        "WorkflowTemplate 'build'",
        "ClusterWorkflowTemplate 'shared'",
    }


@pytest.mark.parametrize(
    ("kind", "body", "order"),
    [
        ("apps/Deployment", "spec: {template: {spec: {POD}}}", Order.SAME),
        ("apps/Deployment", "spec: {replicas: 0, template: {spec: {POD}}}", Order.NEVER),
        ("apps/Deployment", "spec: {paused: true, template: {spec: {POD}}}", Order.NEVER),
        ("apps/Deployment", "spec: {replicas: 1, template: {spec: {POD}}}", Order.SAME),
        ("batch/Job", "spec: {suspend: true, template: {spec: {POD}}}", Order.NEVER),
        ("batch/CronJob", "spec: {jobTemplate: {spec: {template: {spec: {POD}}}}}", Order.LATER),
    ],
)
def test_order_matters_when_pods_start(kind: str, body: str, order: Order) -> None:
    group, _, name = kind.rpartition("/")
    body = body.replace("POD", "containers: [{name: c, envFrom: [{secretRef: {name: db}}]}]")
    (reference,) = graph_of(thing(name, "it", group, body) + thing("Secret", "db")).references
    assert reference.order is order


def test_an_optional_reference_never_matters() -> None:
    body = "spec: {containers: [{name: c, envFrom: [{secretRef: {name: db, optional: true}}]}]}"
    (reference,) = graph_of(thing("Pod", "it", "", body) + thing("Secret", "db")).references
    assert reference.optional
    assert reference.order is Order.NEVER


# -- names, namespaces, kinds


def test_namespaces_separate_and_the_destination_fills_in() -> None:
    pod = "spec: {serviceAccountName: runner}"
    text = thing("Pod", "it", "", pod) + thing("ServiceAccount", "runner", namespace="shop")
    assert not edges(text)
    assert not edges(text, "tools")
    assert edges(text, "shop") == {("Pod 'it'", "ServiceAccount 'runner'", "ServiceAccount 'runner'")}


def test_cluster_scoped_targets_have_no_namespace() -> None:
    text = thing("Certificate", "it", "cert-manager.io", "spec: {issuerRef: {name: ca, kind: ClusterIssuer}}", "shop")
    assert len(edges(text + thing("ClusterIssuer", "ca", "cert-manager.io"), "tools")) == 1
    assert not edges(text + thing("Issuer", "ca", "cert-manager.io", namespace="shop"), "tools")


def test_a_sibling_says_the_kind_the_group_and_the_namespace() -> None:
    route = "spec: {rules: [{backendRefs: [{name: web, namespace: shop}, {name: pool, kind: Pool, group: x.io}]}]}"
    text = thing("HTTPRoute", "it", "gateway.networking.k8s.io", route, "edge")
    text += thing("Service", "web", namespace="shop") + thing("Pool", "pool", "x.io", namespace="edge")
    text += thing("Service", "pool", namespace="edge") + thing("Service", "web", namespace="edge")
    assert {target for _, target, _ in edges(text)} == {"Service 'web'", "Pool 'pool'"}
    (to_shop,) = (r for r in graph_of(text).references if r.target == "Service 'web'")
    assert to_shop.provider.namespace == "shop"


def test_a_group_and_its_old_name_are_one() -> None:
    body = "spec: {routes: [{middlewares: [{name: auth}]}]}"
    text = thing("IngressRoute", "it", "traefik.containo.us", body) + thing("Middleware", "auth", "traefik.io")
    assert len(edges(text)) == 1


def test_the_group_of_a_kind_counts() -> None:
    ingress = "spec: {defaultBackend: {service: {name: web}}}"
    text = thing("Ingress", "it", "networking.k8s.io", ingress) + thing("Service", "web", "serving.knative.dev")
    assert not edges(text)


def test_nothing_names_itself() -> None:
    text = "apiVersion: networking.k8s.io/v1\nkind: Ingress\n"
    text += "metadata: {name: it, annotations: {cert-manager.io/issuer: ca}}\nspec: {tls: [{secretName: tls}]}\n"
    assert not edges(text)


def test_an_anchor_gives_one_reference() -> None:
    body = "spec: {containers: [{name: a, envFrom: &e [{secretRef: {name: db}}]}, {name: b, envFrom: *e}]}"
    assert len(graph_of(thing("Pod", "it", "", body) + thing("Secret", "db")).references) == 1


def test_what_a_sync_never_applies_is_not_in_the_graph() -> None:
    skipped = "apiVersion: v1\nkind: Secret\nmetadata: {name: db, annotations: {argocd.argoproj.io/hook: PostDelete}}\n"
    assert not edges(thing("Pod", "it", "", "spec: {imagePullSecrets: [{name: db}]}") + "---\n" + skipped)


def test_the_graph_is_read_from_both_ends() -> None:
    graph = graph_of(thing("Pod", "it", "", "spec: {serviceAccountName: runner}") + thing("ServiceAccount", "runner"))
    (reference,) = graph.references
    assert graph.of(reference.consumer) == graph.to(reference.provider) == (reference,)
    assert graph.of(reference.provider) == graph.to(reference.consumer) == ()
    assert list(graph.consumers) == [reference.consumer]
    assert reference.at.pointer == "/spec/serviceAccountName"


# -- what is made


MAKERS = [
    ("external-secrets.io/ExternalSecret", "spec: {}", "Secret 'it'"),
    ("external-secrets.io/ExternalSecret", "spec: {target: {name: x}}", "Secret 'x'"),
    ("external-secrets.io/ExternalSecret", "spec: {target: {name: x, creationPolicy: Orphan}}", "Secret 'x'"),
    ("external-secrets.io/ExternalSecret", "spec: {target: {name: x, creationPolicy: Merge}}", ""),
    ("external-secrets.io/ExternalSecret", "spec: {target: {name: x, creationPolicy: None}}", ""),
    ("external-secrets.io/ExternalSecret", "spec: {target: {manifest: {kind: ConfigMap}}}", "ConfigMap 'it'"),
    ("bitnami.com/SealedSecret", "spec: {template: {metadata: {name: x}}}", "Secret 'it'"),
    ("cert-manager.io/Certificate", "spec: {secretName: x}", "Secret 'x'"),
    ("secrets.hashicorp.com/VaultStaticSecret", "spec: {destination: {name: x, create: true}}", "Secret 'x'"),
    ("secrets.hashicorp.com/VaultStaticSecret", "spec: {destination: {name: x}}", ""),
    ("onepassword.com/OnePasswordItem", "", "Secret 'it'"),
    ("secrets.infisical.com/InfisicalSecret", "spec: {managedSecretReference: {secretName: x}}", "Secret 'x'"),
    ("k8s.bitwarden.com/BitwardenSecret", "spec: {secretName: x}", "Secret 'x'"),
    ("secrets-store.csi.x-k8s.io/SecretProviderClass", "spec: {secretObjects: [{secretName: x}]}", "Secret 'x'"),
    ("objectbucket.io/ObjectBucketClaim", "", "Secret 'it'"),
    ("objectbucket.io/ObjectBucketClaim", "", "ConfigMap 'it'"),
    ("kafka.strimzi.io/KafkaUser", "", "Secret 'it'"),
    ("postgresql.cnpg.io/Cluster", "", "Secret 'it-app'"),
    ("postgresql.cnpg.io/Cluster", "spec: {enableSuperuserAccess: true}", "Secret 'it-superuser'"),
    ("rabbitmq.com/RabbitmqCluster", "", "Secret 'it-default-user'"),
    (
        "acid.zalan.do/postgresql",
        "spec: {users: {foo_user: []}}",
        "Secret 'foo-user.it.credentials.postgresql.acid.zalan.do'",
    ),
    ("postgres-operator.crunchydata.com/PostgresCluster", "", "Secret 'it-pguser-it'"),
    ("postgres-operator.crunchydata.com/PostgresCluster", "spec: {users: [{name: a}]}", "Secret 'it-pguser-a'"),
    ("trust.cert-manager.io/Bundle", "spec: {target: {configMap: {key: ca}}}", "ConfigMap 'it'"),
    ("rds.aws.upbound.io/Instance", "spec: {writeConnectionSecretToRef: {name: x, namespace: shop}}", "Secret 'x'"),
]


@pytest.mark.parametrize(("kind", "body", "target"), MAKERS)
def test_a_maker_stands_for_what_it_makes(kind: str, body: str, target: str) -> None:
    group, _, name = kind.rpartition("/")
    wanted = target or "Secret 'x'"
    word, quoted = wanted.split(" ", 1)
    field = "secret: {secretName" if word == "Secret" else "configMap: {name"
    pod = f"spec: {{volumes: [{{name: v, {field}: {quoted}}}}}]}}"
    found = graph_of(thing(name, "it", group, body, "shop") + thing("Pod", "pod", "", pod, "shop")).references
    made = [(r.target, r.made, r.provider.kind) for r in found if r.consumer.name == "pod"]
    assert made == ([(target, True, name)] if target else [])


def test_a_secret_in_git_and_its_maker_are_both_kept() -> None:
    text = thing("Pod", "it", "", "spec: {imagePullSecrets: [{name: db}]}") + thing("Secret", "db")
    text += thing("SealedSecret", "db", "bitnami.com")
    assert {(r.provider.kind, r.made, r.ready) for r in graph_of(text).references} == {
        ("Secret", False, False),
        ("SealedSecret", True, True),
    }


# -- labels, rights, calls


def test_a_service_finds_its_pods_and_who_needs_answers_needs_them() -> None:
    text = thing("APIService", "it", "apiregistration.k8s.io", "spec: {service: {name: web, namespace: shop}}")
    text += thing("Service", "web", "", "spec: {selector: {app: web}}", "shop")
    for name in ("web", "other"):
        labelled = f"spec: {{template: {{metadata: {{labels: {{app: {name}, v: a}}}}}}}}"
        text += thing("Deployment", name, "apps", labelled, "shop")
    assert edges(text) == {
        ("Service 'web'", "Deployment 'web'", "Deployment 'web'"),
        ("APIService 'it'", "Service 'web'", "Service 'web'"),
        ("APIService 'it'", "the pods behind Service 'web'", "Deployment 'web'"),
    }


@pytest.mark.parametrize(
    ("selector", "found"),
    [
        ("{matchLabels: {app: web}}", True),
        ("{}", False),
        ("{matchLabels: {app: web}, matchExpressions: [{key: tier, operator: In, values: [front]}]}", True),
        ("{matchLabels: {app: web}, matchExpressions: [{key: tier, operator: NotIn, values: [front]}]}", False),
        ("{matchLabels: {app: web}, matchExpressions: [{key: tier, operator: Exists}]}", True),
        ("{matchLabels: {app: web}, matchExpressions: [{key: tier, operator: DoesNotExist}]}", False),
    ],
)
def test_selectors(selector: str, found: bool) -> None:
    text = thing("PodDisruptionBudget", "it", "policy", f"spec: {{selector: {selector}}}")
    text += "---\napiVersion: v1\nkind: Pod\nmetadata: {name: web, labels: {app: web, tier: front}}\n"
    assert bool(edges(text)) is found


def test_rights_come_with_a_service_account() -> None:
    text = thing("Pod", "it", "", "spec: {serviceAccountName: runner}", "shop")
    binding = "subjects: [{kind: ServiceAccount, name: runner, namespace: shop}]\n"
    binding += "roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: run}"
    text += thing("ClusterRoleBinding", "run", "rbac.authorization.k8s.io", binding)
    text += thing("ClusterRole", "run", "rbac.authorization.k8s.io")
    text += thing("RoleBinding", "elsewhere", "rbac.authorization.k8s.io", binding, "other")
    assert not [target for who, target, _ in edges(text) if who == "Pod 'it'"]
    text += thing("ServiceAccount", "runner", "", "", "shop")
    assert {target for who, target, _ in edges(text) if who == "Pod 'it'"} == {
        "ServiceAccount 'runner'",
        "ClusterRoleBinding 'run'",
        "ClusterRole 'run'",
    }


@pytest.mark.parametrize(
    ("container", "hosts"),
    [
        ("{env: [{name: DB_HOST, value: db}]}", ["db"]),
        ("{env: [{name: DB, value: db}]}", []),
        ("{env: [{name: X, value: 'postgres://u:p@db.shop:5432/x'}]}", ["db.shop"]),
        ("{env: [{name: X, value: 'jdbc:mysql://db/x'}]}", ["db"]),
        ("{env: [{name: X, value: 'db:5432'}]}", ["db"]),
        ("{env: [{name: X, value: 'db:14'}]}", []),
        ("{env: [{name: X, value: db.shop.svc.cluster.local}]}", ["db.shop.svc.cluster.local"]),
        ("{args: [--host=db]}", ["db"]),
        ("{args: [--host, db]}", ["db"]),
        ("{args: [-h, db, -d, shop]}", ["db"]),
        ("{args: [--name=db]}", []),
        ("{args: [db]}", []),
        ("{command: [sh, -c, 'curl -s http://web:8080/ready && echo db']}", ["web"]),
    ],
)
def test_only_what_is_surely_a_host_is_a_call(container: str, hosts: list[str]) -> None:
    assert [call.host for call in calls(node(f"containers: [{container}]"))] == hosts


def test_hosts_that_are_services() -> None:
    assert service_and_namespace("db") == ("db", "")
    assert service_and_namespace("db.shop.svc") == ("db", "shop")
    assert service_and_namespace("db.shop.svc.cluster.local") == ("db", "shop")
    assert service_and_namespace("db.example.com") is None


@pytest.mark.parametrize(
    ("script", "waits"),
    [
        ("until nc -z db 5432; do sleep 1; done", True),
        ("while ! curl web; do sleep 1; done", True),
        ("wait-for-it db:5432 -- migrate", True),
        ("sleep 5 && migrate", False),
        ("migrate", False),
    ],
)
def test_a_script_that_polls(script: str, waits: bool) -> None:
    assert waits_by_itself(node(f"containers: [{{command: [sh, -c, '{script}']}}]")) is waits


# -- the table


def test_every_row_compiles_and_uses_what_is_there() -> None:
    for kind in {*DATA["references"], *DATA["workloads"]}:
        assert rows(kind) is not None, kind
    entries = [row for part in ("references", "shapes") for found in DATA[part].values() for row in found]
    assert {row["effect"] for row in entries if "effect" in row} <= set(DATA["effects"])
    shapes = {row["shape"] for row in entries if "shape" in row}
    shapes |= {entry.get("shape", "pod") for entry in DATA["workloads"].values()}
    assert shapes == set(DATA["shapes"])


def test_an_effect_that_fails_a_sync_is_only_told_of_kinds_that_argo_cd_checks() -> None:
    """`degraded` says that Argo CD sees it: that needs a health check."""
    for kind, found in DATA["references"].items():
        group, _, name = kind.rpartition("/")
        expanded = [*found, *(row for entry in found if "shape" in entry for row in DATA["shapes"][entry["shape"]])]
        if any(row.get("effect") in ("degraded", "unresolved") for row in expanded):
            assert has_health_check(group, name), kind
