"""From a hook to an ordinary object: what has to change in git."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..kubernetes.annotations.hooks import DELETE_POLICY, HELM_DELETE_POLICY, HELM_HOOK, HOOK, WAVE

if TYPE_CHECKING:
    from ..kubernetes.resource import Resource
    from ..yaml.source import Patch


def as_ordinary(hook: Resource, wave: int) -> Patch | None:
    """The patch that takes its hook annotations away and puts it into a wave; None for a hook of Helm's.

    What a chart says to Helm is not ours to change: others may install it with Helm.
    """
    if hook.annotation(HOOK).absent or any(hook.annotation(key).present for key in (HELM_HOOK, HELM_DELETE_POLICY)):
        return None
    # First the wave: it stays even where it is the default, so that the annotations are never left empty.
    patch = hook.annotation(WAVE).set(str(wave)).also(hook.annotation(HOOK).remove())
    policy = hook.annotation(DELETE_POLICY)
    return patch.also(policy.remove()) if policy.present else patch
