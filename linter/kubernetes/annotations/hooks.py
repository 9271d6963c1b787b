"""Hooks, phases, waves and delete policies, read from annotations exactly as Argo CD reads them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from ...yaml.lazy import lazy
from ...yaml.scalars import atoi

HOOK: Final = "argocd.argoproj.io/hook"
DELETE_POLICY: Final = "argocd.argoproj.io/hook-delete-policy"
WAVE: Final = "argocd.argoproj.io/sync-wave"
SYNC_OPTIONS: Final = "argocd.argoproj.io/sync-options"
COMPARE_OPTIONS: Final = "argocd.argoproj.io/compare-options"
HELM_HOOK: Final = "helm.sh/hook"
HELM_WEIGHT: Final = "helm.sh/hook-weight"
HELM_DELETE_POLICY: Final = "helm.sh/hook-delete-policy"

PHASES: Final = ("PreSync", "Sync", "PostSync", "SyncFail")
"""In the order in which a sync goes through them."""
DELETE_HOOKS: Final = ("PreDelete", "PostDelete")
"""Handled when the Application is deleted, never in a sync."""
SYNC_TYPES: Final = (*PHASES, "Skip")
HOOK_TYPES: Final = (*SYNC_TYPES, *DELETE_HOOKS)
HELM_HOOK_TYPES: Final = {
    "pre-install": "PreSync",
    "pre-upgrade": "PreSync",
    "post-install": "PostSync",
    "post-upgrade": "PostSync",
    "pre-delete": "PreDelete",
    "post-delete": "PostDelete",
}
DELETE_POLICIES: Final = ("HookSucceeded", "HookFailed", "BeforeHookCreation")
HELM_DELETE_POLICIES: Final = {
    "hook-succeeded": "HookSucceeded",
    "hook-failed": "HookFailed",
    "before-hook-creation": "BeforeHookCreation",
}
DEFAULT_DELETE_POLICY: Final = "BeforeHookCreation"
RUN_TO_AN_END: Final = frozenset(
    {"Pod", "argoproj.io/Workflow", "batch/Job", "tekton.dev/PipelineRun", "tekton.dev/TaskRun"}
)
"""Kinds that are hooks by nature; anything else does not run, or does not end."""


def split(value: str) -> list[str]:
    """A list in an annotation: parts between commas, trimmed, empty ones dropped, each once."""
    return list(dict.fromkeys(part for raw in value.split(",") if (part := raw.strip())))


@dataclass(frozen=True)
class Hook:
    """What the hook annotations of one object amount to."""

    types: tuple[str, ...]
    """What a sync sees: the valid ones of Argo CD's annotation; if it has none, those that Helm's maps to."""
    delete_types: tuple[str, ...]
    """What the deletion of the Application sees, from either annotation."""
    is_hook: bool
    delete_policies: tuple[str, ...]
    """As written and valid, Argo CD's and Helm's together; empty when none is."""

    @property
    def is_skipped(self) -> bool:
        """Listed among the app's resources but never applied."""
        return self.types == ("Skip",)

    @property
    def is_ignored(self) -> bool:
        """A hook of no type that Argo CD knows: never applied, never compared, not a word said."""
        return self.is_hook and not self.types and not self.delete_types

    @lazy
    def phases(self) -> tuple[str, ...]:
        """The phases of a sync in which it is applied."""
        if self.is_skipped:
            return ()
        if not self.is_hook:
            return ("Sync",)
        return tuple(phase for phase in PHASES if phase in self.types)

    @property
    def effective_delete_policies(self) -> tuple[str, ...]:
        return self.delete_policies or (DEFAULT_DELETE_POLICY,)


NO_HOOK: Final = Hook((), (), False, ())


def read_hook(annotations: Mapping[str, str]) -> Hook:
    argo, helm = annotations.get(HOOK), annotations.get(HELM_HOOK)
    if argo is None and helm is None:
        return NO_HOOK
    written = split(argo or "")
    mapped = list(dict.fromkeys(HELM_HOOK_TYPES[item] for item in split(helm or "") if item in HELM_HOOK_TYPES))
    types = tuple(item for item in written if item in SYNC_TYPES)
    if not types:
        types = tuple(item for item in mapped if item in SYNC_TYPES)
    is_hook = types != ("Skip",) if argo is not None else helm is not None and helm != "crd-install"
    delete_types = tuple(item for item in DELETE_HOOKS if item in written or item in mapped)
    return Hook(types, delete_types, is_hook, _delete_policies(annotations))


def _delete_policies(annotations: Mapping[str, str]) -> tuple[str, ...]:
    argo = [item for item in split(annotations.get(DELETE_POLICY, "")) if item in DELETE_POLICIES]
    helm = split(annotations.get(HELM_DELETE_POLICY, ""))
    return tuple(argo + [HELM_DELETE_POLICIES[item] for item in helm if item in HELM_DELETE_POLICIES])


def read_wave(annotations: Mapping[str, str]) -> int:
    """The sync wave; where it is missing or no integer, Helm's hook weight, on every kind of object."""
    for key in (WAVE, HELM_WEIGHT):
        if key in annotations and (wave := atoi(annotations[key])) is not None:
            return wave
    return 0
