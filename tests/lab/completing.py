"""Makes an example whole: what a manual leaves out, because everybody knows it, a cluster wants to have.

Only what is missing is added, never anything changed, and a file in which nothing is missing keeps
its text to the letter.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import yaml
from gitops_lint.linter.facts.tables import table

from .chart_repository import TEMPLATE
from .wrapping import documents

Object = dict[str, Any]
OWN_URL = "https://git.example.com/shop.git"
_OF_KUBERNETES = {*table("builtin-kinds.json"), "kustomize.config.k8s.io"}
"""What is not served of these is gone for good, or never reaches a cluster."""
_ANYTHING = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}


def complete(files: Mapping[str, str]) -> dict[str, str]:
    """The files, whole, with Applications in files of their own and something below each of their paths."""
    done: dict[str, str] = {}
    for path, text in files.items():
        if path.endswith(".json"):
            text = re.sub(r"\A# .*\n", "", text)  # the line that names it in the manual
        done.update(_file(path, text))
    for app in list(_applications(done)):
        for source in [app["spec"].get("source"), *(app["spec"].get("sources") or [])]:
            folder = str((source or {}).get("path") or ".").strip("/")
            if folder != "." and "{{" not in folder and not any(name.startswith(f"{folder}/") for name in done):
                if "helm" in source:
                    done[f"{folder}/Chart.yaml"] = "apiVersion: v2\nname: shop\nversion: 1.4.2\n"
                else:
                    done[f"{folder}/lab.yaml"] = _dumped([_config_map("lab")])
    for path in [path for path in done if path.rpartition("/")[2] == "Chart.yaml"]:
        folder = path.removesuffix("Chart.yaml")
        if not any(name.startswith(f"{folder}templates/") for name in done):
            done[f"{folder}templates/values.yaml"] = TEMPLATE
    return done


def _file(path: str, text: str) -> dict[str, str]:
    """Argo CD's own objects leave a file in which they stand with others: a person would not mix them."""
    if "{{" in text and "kind: ApplicationSet" not in text:
        return {path: text}
    read = documents(text)
    if not read or not all("kind" in one for one in read):
        return {path: text}
    whole = [completed(one) for one in read]
    argocd = [one for one in whole if _is_argocd(one)]
    others = [one for one in whole if not _is_argocd(one)]
    if argocd and others:
        return {path: _dumped(others), f"apps/{path.rpartition('/')[2]}": _dumped(argocd)}
    return {path: text if whole == read else _dumped(whole)}


def _is_argocd(one: Object) -> bool:
    return str(one.get("apiVersion", "")).startswith("argoproj.io/") and one["kind"] in _ARGOCD


def _applications(files: Mapping[str, str]) -> Iterable[Object]:
    for text in files.values():
        for one in documents(text):
            spec = one.get("spec") if isinstance(one.get("spec"), dict) else {}
            if one.get("kind") == "Application" and spec:
                yield one
            elif one.get("kind") == "ApplicationSet" and isinstance(spec.get("template"), dict):
                yield {"spec": spec["template"].get("spec") or {}}


def _dumped(objects: Iterable[Object]) -> str:
    return yaml.dump_all(objects, sort_keys=False, allow_unicode=True, width=1000)


def _config_map(name: str) -> Object:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"greeting": "hello"}}


def completed(one: Object) -> Object:
    whole = copy.deepcopy(one)
    filling = _FILLINGS.get(one["kind"])
    if filling and isinstance(whole.get("metadata", {}), dict):
        filling(whole)
    return whole


def foreign_kinds(objects: Iterable[Object], served: Callable[[str, str], bool]) -> list[Object]:
    """A CRD that takes anything for each kind that neither the cluster nor the example has."""
    objects = list(objects)
    brought = {
        (one["spec"]["group"], one["spec"]["names"]["kind"])
        for one in objects
        if one.get("kind") == "CustomResourceDefinition"
        and isinstance(one.get("spec"), dict)
        and one["spec"].get("names")
    }
    found: dict[tuple[str, str], Object] = {}
    for one in objects:
        api_version, kind = str(one.get("apiVersion", "")), str(one.get("kind", ""))
        group, _, version = api_version.rpartition("/")
        if "." not in group or group in _OF_KUBERNETES or (group, kind) in brought:
            continue
        if served(api_version, kind) or not version:
            continue
        held = found.setdefault((group, kind), _crd(group, kind, one))
        versions = held["spec"]["versions"]
        if version not in [each["name"] for each in versions]:
            versions.append(
                {"name": version, "served": True, "storage": not versions, "schema": {"openAPIV3Schema": _ANYTHING}}
            )
    return list(found.values())


def _crd(group: str, kind: str, one: Object) -> Object:
    plural = kind.lower() + "s"
    scope = "Cluster" if kind.startswith("Cluster") else "Namespaced"
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        # Groups of Kubernetes' own projects ask who approved them.
        "metadata": {"name": f"{plural}.{group}", "annotations": {"api-approved.kubernetes.io": "unapproved, a lab"}},
        "spec": {"group": group, "scope": scope, "names": {"kind": kind, "plural": plural}, "versions": []},
    }


# What each kind cannot be without.


def _fill_pod(spec: Object, name: str, restart: str | None = None) -> None:
    if restart:
        spec.setdefault("restartPolicy", restart)
    containers = spec.setdefault("containers", [{"name": name, "image": f"registry.example.com/{name}:1.4"}])
    for container in containers:
        container.setdefault("image", "registry.example.com/shop:1.4")


def _template(spec: Object, name: str, restart: str | None = None) -> Object:
    template: Object = spec.setdefault("template", {})
    given = "spec" in template
    _fill_pod(
        template.setdefault("spec", {}), name, restart if not given or "containers" not in template["spec"] else None
    )
    return template


def _job(one: Object) -> None:
    _template(one.setdefault("spec", {}), one["metadata"].get("name", "job"), "Never")


def _cron_job(one: Object) -> None:
    spec = one.setdefault("spec", {})
    spec.setdefault("schedule", "0 3 * * *")
    _template(spec.setdefault("jobTemplate", {}).setdefault("spec", {}), one["metadata"].get("name", "job"), "Never")


def _workload(one: Object) -> None:
    spec = one.setdefault("spec", {})
    name = one["metadata"].get("name", "shop")
    template = _template(spec, name)
    selector = spec.setdefault("selector", {})
    labels = selector.get("matchLabels") or (template.get("metadata") or {}).get("labels") or {"app": name}
    if not selector:
        selector["matchLabels"] = dict(labels)
    template.setdefault("metadata", {}).setdefault("labels", dict(labels))
    if one["kind"] == "StatefulSet":
        spec.setdefault("serviceName", name)
        for claim in spec.get("volumeClaimTemplates") or []:
            _fill_claim(claim.setdefault("spec", {}))


def _pod(one: Object) -> None:
    _fill_pod(one.setdefault("spec", {}), one["metadata"].get("name", "pod"))


def _service(one: Object) -> None:
    spec = one.setdefault("spec", {})
    if spec.get("type") != "ExternalName":
        spec.setdefault("ports", [{"port": 80}])


def _fill_claim(spec: Object) -> None:
    spec.setdefault("accessModes", ["ReadWriteOnce"])
    spec.setdefault("resources", {"requests": {"storage": "1Gi"}})


def _claim(one: Object) -> None:
    _fill_claim(one.setdefault("spec", {}))


def _definition(one: Object) -> None:
    spec = one.setdefault("spec", {})
    plural, _, group = one["metadata"]["name"].partition(".")
    spec.setdefault("group", group)
    names = spec.setdefault("names", {})
    names.setdefault("plural", plural)
    names.setdefault("kind", plural[:-1].capitalize())
    spec.setdefault("scope", "Namespaced")
    if not spec.get("versions"):
        spec["versions"] = [{"name": "v1", "served": True, "storage": True}]
    for version in spec["versions"]:
        version.setdefault("schema", {"openAPIV3Schema": _ANYTHING})


def _webhooks(one: Object) -> None:
    for webhook in one.get("webhooks") or []:
        webhook.setdefault("sideEffects", "None")
        webhook.setdefault("admissionReviewVersions", ["v1"])


def _budget(one: Object) -> None:
    one.setdefault("spec", {}).setdefault("selector", {"matchLabels": {"app": one["metadata"].get("name", "shop")}})


def _fill_application(spec: Object) -> None:
    spec.setdefault("project", "default")
    if not ({"source", "sources", "sourceHydrator"} & set(spec)):
        spec["source"] = {"repoURL": OWN_URL, "targetRevision": "main", "path": "shop"}
    for source in [spec.get("source"), *(spec.get("sources") or [])]:
        if isinstance(source, dict):
            source.setdefault("repoURL", OWN_URL)
    destination = spec.setdefault("destination", {"server": "https://kubernetes.default.svc", "namespace": "shop"})
    if not ({"server", "name"} & set(destination)):
        destination["server"] = "https://kubernetes.default.svc"


def _application(one: Object) -> None:
    _fill_application(one.setdefault("spec", {}))


def _application_set(one: Object) -> None:
    template = one.setdefault("spec", {}).setdefault("template", {})
    one["spec"].setdefault("generators", [{"list": {"elements": [{"name": "cart", "stage": "dev"}]}}])
    spec = template.setdefault("spec", {})
    _fill_application(spec)
    # Their namespaces may be made of parameters, so that nobody can bring them before.
    spec.setdefault("syncPolicy", {}).setdefault("syncOptions", ["CreateNamespace=true"])


def _project(one: Object) -> None:
    spec = one.setdefault("spec", {})
    if not ({"sourceRepos", "destinations"} & set(spec)):
        spec.update({"sourceRepos": ["*"], "destinations": [{"server": "*", "namespace": "*"}]})
    elif "destinations" not in spec:
        spec["destinations"] = [{"server": "*", "namespace": "*"}]


_ARGOCD = {"Application": _application, "ApplicationSet": _application_set, "AppProject": _project}
_FILLINGS: dict[str, Callable[[Object], None]] = {
    **_ARGOCD,
    "Job": _job,
    "CronJob": _cron_job,
    "Deployment": _workload,
    "StatefulSet": _workload,
    "DaemonSet": _workload,
    "ReplicaSet": _workload,
    "Pod": _pod,
    "Service": _service,
    "PersistentVolumeClaim": _claim,
    "CustomResourceDefinition": _definition,
    "ValidatingWebhookConfiguration": _webhooks,
    "MutatingWebhookConfiguration": _webhooks,
    "PodDisruptionBudget": _budget,
}
