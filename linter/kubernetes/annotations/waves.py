"""What Argo CD takes for a sync wave."""

from __future__ import annotations

from ...yaml.scalars import atoi


def is_wave(text: str) -> bool:
    """Go's Atoi takes it: an optional sign and digits, nothing around them."""
    return atoi(text) is not None
