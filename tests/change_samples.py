"""Small manifests, and what a change of them comes to in words."""

from __future__ import annotations

from gitops_lint.linter.change import Change, ObjectChange


def config_map(name: str, *, data: str = "a: b", namespace: str = "") -> str:
    inside = f"  namespace: {namespace}\n" if namespace else ""
    return f"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\n{inside}data:\n  {data}\n"


def application(name: str, path: str, *, namespace: str = "shop", project: str = "default") -> str:
    return (
        f"apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata:\n  name: {name}\n  namespace: argocd\nspec:\n"
        f"  project: {project}\n  source:\n    repoURL: https://git.example.com/shop.git\n    path: {path}\n"
        f"  destination:\n    server: https://kubernetes.default.svc\n    namespace: {namespace}\n"
    )


def told(change: Change) -> list[str]:
    return [words(one) for one in change.objects]


def words(one: ObjectChange) -> str:
    what = "added" if one.is_added else "removed" if one.is_removed else "kept"
    more = "".join(
        f" {word}"
        for word, holds in (("rewritten", one.is_rewritten), ("app", one.moved_app), ("file", one.moved_file))
        if holds
    )
    return f"{what}{more} {one.resource.kind}/{one.resource.name}"
