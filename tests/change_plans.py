"""Two revisions of a small shop, with something of everything that a merge can do."""

from __future__ import annotations

from gitops_lint.linter.plan.changes import AppChangeView, ChangedObject, ChangeView, build_changes
from support import change_of

SECRETS = ("hunter2-hunter2", "hunter3-hunter3", "bmV2ZXItc2hvd24=", "c3RpbGwtbmV2ZXI=", "sw0rdfish", "sw0rdf1sh")
"""Values that no report may show."""


def application(
    name: str, path: str, *, namespace: str = "shop", policy: str = "", finalizer: bool = False, server: str = "",
    revision: str = "HEAD",
) -> str:  # fmt: skip
    finalizers = "  finalizers: [resources-finalizer.argocd.argoproj.io]\n" if finalizer else ""
    return (
        f"apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata:\n  name: {name}\n  namespace: argocd\n"
        f"{finalizers}spec:\n  project: default\n  source:\n    repoURL: https://git.example.com/shop.git\n"
        f"    path: {path}\n    targetRevision: {revision}\n  destination:\n"
        f"    server: {server or 'https://kubernetes.default.svc'}\n    namespace: {namespace}\n"
        + (f"  syncPolicy: {{{policy}}}\n" if policy else "")
    )


def manifest(kind: str, name: str, *, wave: str = "", options: str = "", hook: str = "", body: str = "") -> str:
    annotations = {
        "argocd.argoproj.io/sync-wave": wave,
        "argocd.argoproj.io/sync-options": options,
        "argocd.argoproj.io/hook": hook,
    }
    written = "".join(f'    {key}: "{value}"\n' for key, value in annotations.items() if value)
    group = {"Deployment": "apps/v1", "StatefulSet": "apps/v1", "Job": "batch/v1"}.get(kind, "v1")
    under = f"  annotations:\n{written}" if written else ""
    return f"apiVersion: {group}\nkind: {kind}\nmetadata:\n  name: {name}\n{under}{body}"


def config_map(name: str, value: str = "b", *, wave: str = "", options: str = "") -> str:
    return manifest("ConfigMap", name, wave=wave, options=options, body=f"data:\n  a: {value}\n")


def deployment(image: str, password: str, *, options: str = "", app: str = "web") -> str:
    body = (
        f"spec:\n  selector:\n    matchLabels: {{app: {app}}}\n  template:\n    metadata:\n      labels: {{app: {app}}}\n"
        f"    spec:\n      containers:\n        - name: web\n          image: {image}\n          env:\n"
        f"            - {{name: DB_PASSWORD, value: {password}}}\n            - {{name: MODE, value: fast}}\n"
    )
    return manifest("Deployment", "web", options=options, body=body)


JOB = (
    "spec:\n  template:\n    spec:\n      restartPolicy: Never\n      containers: [{name: main, image: 'migrate:1'}]\n"
)
CLAIM = "spec:\n  accessModes: [ReadWriteOnce]\n  resources: {requests: {storage: 1Gi}}\n"
PRUNES = "automated: {prune: true}"

BEFORE = {
    "root.yaml": application("root", "apps", namespace="argocd", policy=PRUNES),
    "apps/shop.yaml": application("shop", "shop", policy=PRUNES),
    "apps/blog.yaml": application("blog", "blog", namespace="blog"),
    "apps/legacy.yaml": application("legacy", "legacy", namespace="legacy", policy=PRUNES, finalizer=True),
    "apps/quiet.yaml": application("quiet", "quiet", namespace="quiet", policy=PRUNES),
    "shop/web.yaml": deployment("shop:1", "hunter2-hunter2"),
    "shop/secret.yaml": manifest("Secret", "creds", body="data:\n  token: bmV2ZXItc2hvd24=\n"),
    "shop/settings.yaml": manifest(
        "ConfigMap",
        "settings",
        body="data:\n  app.conf: |\n    listen 80;\n    root /srv;\n  db.conf: |\n    password = sw0rdfish\n",
    ),
    "shop/data.yaml": manifest("PersistentVolumeClaim", "data", wave="-1", body=CLAIM),
    "shop/kept.yaml": config_map("kept", options="Prune=false"),
    "shop/moving.yaml": config_map("moving").replace("  name:", "  namespace: shop\n  name:"),
    "shop/migrate.yaml": manifest("Job", "migrate", hook="PreSync", body=JOB),
    "blog/posts.yaml": config_map("posts"),
    "legacy/old.yaml": config_map("old"),
    "quiet/a.yaml": config_map("a"),
    "loose/a.yaml": config_map("loose"),
}
AFTER = {
    **{path: text for path, text in BEFORE.items() if path not in ("apps/legacy.yaml", "legacy/old.yaml", "shop/data.yaml", "shop/kept.yaml", "shop/moving.yaml", "blog/posts.yaml")},
    "shop/web.yaml": deployment("shop:2", "hunter3-hunter3"),
    "shop/secret.yaml": manifest("Secret", "creds", body="data:\n  token: c3RpbGwtbmV2ZXI=\n"),
    "shop/settings.yaml": BEFORE["shop/settings.yaml"].replace("80", "8080").replace("sw0rdfish", "sw0rdf1sh"),
    "shop/service.yaml": manifest("Service", "web", wave="2", body="spec:\n  ports: [{port: 80}]\n"),
    "blog/moving.yaml": BEFORE["shop/moving.yaml"],
    "apps/news.yaml": application("news", "news", namespace="news", policy=PRUNES),
    "news/a.yaml": config_map("today"),
    "loose/a.yaml": config_map("loose", "c"),
}  # fmt: skip


def changes(before: dict[str, str], after: dict[str, str], name: str | None = None) -> ChangeView:
    return build_changes(change_of(before, after), "main", name)


def shop() -> ChangeView:
    return changes(BEFORE, AFTER)


def app_of(view: ChangeView, name: str) -> AppChangeView:
    return next(app for app in view.apps if app.name == name)


def told(app: AppChangeView) -> list[str]:
    return [f"{one.action.value} {one.title}" for one in app.objects]


def object_of(app: AppChangeView, title: str) -> ChangedObject:
    return next(one for one in app.objects if one.title == title)
