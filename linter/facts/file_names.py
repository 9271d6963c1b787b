"""Names by which tools know their files."""

from __future__ import annotations

from typing import Final

KUSTOMIZATIONS: Final = ("kustomization.yaml", "kustomization.yml", "Kustomization")
