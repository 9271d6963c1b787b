"""A Helm repository with whatever charts a case asks for: each prints the values it was given."""

from __future__ import annotations

import gzip
import hashlib
import io
import re
import tarfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml

from .wrapping import documents, sources_in

TEMPLATE = """apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .Release.Name }}-{{ .Chart.Name }}
data:
  values: {{ omit .Values "global" | toJson | quote }}
"""


def charts_in(files: Mapping[str, str]) -> set[tuple[str, str, str]]:
    """(repository, name, version) of what the files take from Helm repositories."""
    read = [one for text in files.values() for one in documents(text)]
    wanted = {
        (str(source["repoURL"]), str(source["chart"]), str(source.get("targetRevision", "1.0.0")))
        for one in read
        for source in sources_in(one)
        if source.get("chart")
    }
    wanted |= {
        (str(one["repository"]), str(one["name"]), str(one.get("version", "1.0.0")))
        for chart in read
        for one in chart.get("dependencies") or []
        if isinstance(one, dict) and str(one.get("repository", "")).startswith("http")
    }
    wanted |= {
        (str(one["repo"]), str(one["name"]), str(one.get("version", "1.0.0")))
        for kustomization in read
        for one in kustomization.get("helmCharts") or []
        if isinstance(one, dict) and "repo" in one
    }
    return wanted


def serve(folder: Path, charts: Iterable[tuple[str, str, str]]) -> None:
    """Writes the packages and their index."""
    folder.mkdir(parents=True, exist_ok=True)
    entries: dict[str, list[dict[str, Any]]] = {}
    for _, name, said in sorted(charts):
        version = _release(said)
        data = _package(name, version)
        path = folder / f"{name}-{version}.tgz"
        path.write_bytes(data)
        entries.setdefault(name, []).append(
            {
                "apiVersion": "v2",
                "name": name,
                "version": version,
                "urls": [path.name],
                "digest": hashlib.sha256(data).hexdigest(),
            }
        )
    index = {"apiVersion": "v1", "entries": entries}
    (folder / "index.yaml").write_text(yaml.safe_dump(index))


def _release(said: str) -> str:
    """A version that fits what was asked for: 1.x → 1.0.0."""
    parts = [part if part.isdigit() else "0" for part in re.sub(r"[^\w.]", "", said).split(".")]
    return ".".join([*parts, "0", "0"][:3])


def _package(name: str, version: str) -> bytes:
    chart = yaml.safe_dump({"apiVersion": "v2", "name": name, "version": version})
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        files = {"Chart.yaml": chart, "values.yaml": "{}\n", "templates/values.yaml": TEMPLATE}
        for path, text in ((f"{name}/{path}", text) for path, text in files.items()):
            entry = tarfile.TarInfo(path)
            entry.size = len(text.encode())
            archive.addfile(entry, io.BytesIO(text.encode()))
    return gzip.compress(buffer.getvalue(), mtime=0)
