"""Names by which tools know their files."""

from __future__ import annotations

from typing import Final

KUSTOMIZATIONS: Final = ("kustomization.yaml", "kustomization.yml", "Kustomization")
JSONNET: Final = ".jsonnet"
"""Argo CD evaluates such a file of a plain folder. What it imports, `.libsonnet`, is no manifest by itself."""
