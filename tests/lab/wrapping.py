"""The Applications of a case: those in its files below a root, or one around files that have none."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath
from typing import Any

import yaml

from .api import Object
from .argocd import NAMESPACE, application
from .outcome import ROOT

EXAMPLE = "example"
_KUSTOMIZATIONS = ("kustomization.yaml", "kustomization.yml", "Kustomization")
_ARGOCD_KINDS = re.compile(r"^kind: ['\"]?(Application|ApplicationSet|AppProject)['\"]?\s*$", re.M)
HERE = {"server": "https://kubernetes.default.svc"}


def documents(text: str) -> list[Any]:
    """What can be read of a file; nothing of one that cannot."""
    try:
        return [one for one in yaml.load_all(text, _Lenient) if isinstance(one, dict)]
    except yaml.YAMLError:
        return []


class _Lenient(yaml.SafeLoader):
    """Dates stay texts, as they do in Kubernetes' JSON."""


_Lenient.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def kinds_in_templates(text: str) -> list[Any]:
    """Of a Helm template, which is no YAML yet, at least what its objects are."""
    found = re.findall(r"^apiVersion: (\S+)\nkind: (\S+)$", text, re.M) if "{{" in text else []
    return [{"apiVersion": version, "kind": kind} for version, kind in found if "{{" not in version + kind]


def own_urls(files: Mapping[str, str]) -> set[str]:
    """The repositories that the files' Applications read, charts of Helm repositories apart."""
    found, charts = set(), set()
    for text in files.values():
        for source in (source for document in documents(text) for source in sources_in(document)):
            url = source["repoURL"]
            if isinstance(url, str) and "{{" not in url:
                (charts if source.get("chart") else found).add(url)
    return found - charts


def sources_in(document: Any) -> Iterable[dict[str, Any]]:
    if isinstance(document, dict):
        if "repoURL" in document:
            yield document
        for value in document.values():
            yield from sources_in(value)
    elif isinstance(document, list):
        for value in document:
            yield from sources_in(value)


def with_url(files: Mapping[str, str], url: str) -> dict[str, str]:
    """The files with the lab's repository in the place of theirs, in projects also where a pattern means theirs."""
    own_ones = own_urls(files)
    patterns = {pattern for pattern in project_patterns(files) if any(_means(pattern, own) for own in own_ones)}
    changed = dict(files)
    for own in sorted({*own_ones, *patterns}, key=len, reverse=True):
        changed = {
            path: re.sub(rf"{re.escape(own)}(?=[\s'\"]|$)", url, text, flags=re.M) for path, text in changed.items()
        }
    return changed


def project_patterns(files: Mapping[str, str]) -> set[str]:
    return {
        str(pattern)
        for text in files.values()
        for one in documents(text)
        if one.get("kind") == "AppProject" and isinstance(one.get("spec"), dict)
        for pattern in one["spec"].get("sourceRepos") or []
    }


def _means(pattern: str, url: str) -> bool:
    """As Argo CD reads a pattern of repositories: a star stops at a slash, two do not; one alone stays as it is."""
    if pattern in ("*", "**") or pattern.startswith("!"):
        return False
    parts = [re.escape(part) for part in re.split(r"\*\*", pattern.removesuffix(".git"))]
    meant = ".*".join(part.replace(r"\*", "[^/]*") for part in parts)
    return re.fullmatch(meant, url.removesuffix(".git"), re.I) is not None


def has_applications(files: Mapping[str, str]) -> bool:
    return any(_ARGOCD_KINDS.search(text) for text in files.values())


def argocd_files(files: Mapping[str, str]) -> list[str]:
    return sorted(path for path, text in files.items() if _ARGOCD_KINDS.search(text))


def root(files: Mapping[str, str], url: str, extra: Mapping[str, Any]) -> Object:
    """The Application that brings the others, as a person's app-of-apps does."""
    paths = argocd_files(files)
    include = "{" + ",".join(paths) + "}" if len(paths) > 1 else paths[0]
    source = {
        "repoURL": url,
        "targetRevision": "main",
        "path": ".",
        "directory": {"recurse": True, "include": include},
    }
    spec = {"project": "default", "source": source, "destination": {**HERE, "namespace": NAMESPACE}}
    return _with(ROOT, spec, extra)


def around(files: Mapping[str, str], url: str, extra: Mapping[str, Any]) -> Object:
    """One Application for files that nobody has an Application for."""
    path, kind = _path_of(files)
    source: dict[str, Any] = {"repoURL": url, "targetRevision": "main", "path": path}
    if kind == "directory" and any("/" in name for name in files):
        source["directory"] = {"recurse": True}
    spec: dict[str, Any] = {
        "project": "default",
        "source": source,
        "destination": {**HERE, "namespace": EXAMPLE},
    }
    return _with(EXAMPLE, spec, extra)


def _with(name: str, spec: Mapping[str, Any], extra: Mapping[str, Any]) -> Object:
    metadata = {key: extra[key] for key in ("annotations", "finalizers") if key in extra}
    further = {key: value for key, value in extra.items() if key not in metadata}
    return application(name, _merged(spec, further), **metadata)


def _path_of(files: Mapping[str, str]) -> tuple[str, str]:
    charts = _charts(files)
    if charts:
        return min(charts, key=len), "helm"
    kustomizations = {
        str(PurePosixPath(path).parent): text
        for path, text in files.items()
        if PurePosixPath(path).name in _KUSTOMIZATIONS
    }
    used = {
        _joined(folder, entry)
        for folder, text in kustomizations.items()
        for document in documents(text)
        for key in ("resources", "bases", "components")
        for entry in document.get(key) or []
        if isinstance(entry, str)
    }
    roots = sorted(set(kustomizations) - used)
    if roots:  # of several the one that is furthest from the base
        return max(roots, key=lambda folder: (folder.count("/"), folder)), "kustomize"
    return ".", "directory"


def _charts(files: Mapping[str, str]) -> list[str]:
    """The folders of charts, without those that others of them have below `charts/` or depend on."""
    folders = {str(PurePosixPath(path).parent): text for path, text in files.items() if path.endswith("Chart.yaml")}
    used = {
        _joined(folder, str(one["repository"]).removeprefix("file://"))
        for folder, text in folders.items()
        for chart in documents(text)
        for one in chart.get("dependencies") or []
        if str(one.get("repository", "")).startswith("file://")
    }
    below = {
        one for one in folders for other in folders if one.startswith(f"{'' if other == '.' else other + '/'}charts/")
    }
    return sorted((set(folders) - used - below) or (set(folders) - below))


def _joined(folder: str, entry: str) -> str:
    parts: list[str] = [] if folder == "." else folder.split("/")
    for part in entry.rstrip("/").split("/"):
        if part == ".." and parts:
            parts.pop()
        elif part != ".":
            parts.append(part)
    return "/".join(parts) or "."


def _merged(base: Mapping[str, Any], extra: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(base)
    for key, value in extra.items():
        old = merged.get(key)
        merged[key] = _merged(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
    return merged


def namespaces(files: Iterable[Mapping[str, str]], cluster: Iterable[Object]) -> set[str]:
    """Those that the objects name and nobody brings: in a real cluster they would be there."""
    everything = [one for group in files for text in group.values() for one in documents(text)] + list(cluster)
    named = {
        one["metadata"]["namespace"]
        for one in everything
        if isinstance(one.get("metadata"), dict) and isinstance(one["metadata"].get("namespace"), str)
    }
    brought = {
        one["metadata"].get("name")
        for one in everything
        if one.get("kind") == "Namespace" and isinstance(one.get("metadata"), dict)
    }
    return {name for name in named if "{{" not in name} - brought - {NAMESPACE, "default", "kube-system"}


def destinations(files: Iterable[Mapping[str, str]]) -> set[str]:
    """The namespaces that Applications sync to, those apart that they make or bring themselves."""
    found, brought = set(), set()
    for one in (one for group in files for text in group.values() for one in documents(text)):
        spec = one.get("spec") if isinstance(one.get("spec"), dict) else {}
        if one.get("kind") == "Application":
            name = (spec.get("destination") or {}).get("namespace")
            found |= {name} if isinstance(name, str) else set()
        elif one.get("kind") == "Namespace":
            brought.add((one.get("metadata") or {}).get("name"))
    return found - brought - {NAMESPACE}
