"""A caBundle in git fights with whoever injects the real one: drift, and webhooks without trust.

Webhook configurations, APIServices and the conversion webhooks of CRDs carry the
certificate of the authority that their server is trusted by. cert-manager, OpenShift or
an operator fills it in. If git has the field, too, even empty or with a dummy like Cg==,
every sync writes that over the real one. Until it is injected again, calls to the webhook
fail, and with them the requests that it is to check; and Argo CD finds the object OutOfSync
again, so that with selfHeal this never ends. An empty one is not compared in webhook
configurations, but written all the same.

It is a warning where an annotation asks for the injection and an Application is known to
sync the object; else, and where git has a dummy and nothing shows who injects, a note.
A real certificate without such an annotation
is in order. The rule is silent where the Application ignores the field and has
RespectIgnoreDifferences=true; with ignoreDifferences alone the field is still written
(if the Application syncs by itself, ignore-without-respect tells that).

Fix: leave caBundle out; what was injected then stays. Where the annotation is there and
the value is empty or a dummy the fix is safe, else it is not.

See: actions/actions-runner-controller#614, elastic/cloud-on-k8s#6641, open-policy-agent/gatekeeper#817, argo-cd#1487

Bad:
    apiVersion: admissionregistration.k8s.io/v1
    kind: ValidatingWebhookConfiguration
    metadata:
      name: shop
      annotations:
        cert-manager.io/inject-ca-from: shop/serving
    webhooks:
      - name: orders.shop.example.com
        clientConfig:
          caBundle: Cg==  # <- here
          service:
            name: shop
            namespace: shop
Good:
    apiVersion: admissionregistration.k8s.io/v1
    kind: ValidatingWebhookConfiguration
    metadata:
      name: shop
      annotations:
        cert-manager.io/inject-ca-from: shop/serving
    webhooks:
      - name: orders.shop.example.com
        clientConfig:
          service:
            name: shop
            namespace: shop
"""

import base64
import binascii
from collections.abc import Iterator
from typing import Final

from ...linter.api import App, Finding, Fix, Moment, Node, Repo, Resource, Severity, rule
from ...linter.dialects.spelling import is_placeholder
from ...linter.repo.comparison import is_told_as_ignored, leaves_alone, steps_to
from ...linter.yaml.removal import removal

INJECTED_BY: Final = (
    "cert-manager.io/inject-ca-from",
    "cert-manager.io/inject-ca-from-secret",
    "cert-manager.io/inject-apiserver-ca",
    "certmanager.k8s.io/inject-ca-from",
    "service.beta.openshift.io/inject-cabundle",
    "service.alpha.openshift.io/inject-cabundle",
)
WEBHOOKS: Final = ("ValidatingWebhookConfiguration", "MutatingWebhookConfiguration")


@rule("GL045", Severity.WARNING, Moment.SYNC)
def check(repo: Repo) -> Iterator[Finding]:
    for resource in repo.resources:
        bundles = [node for node in _bundles(resource) if node.present and not is_placeholder(node.scalar_text)]
        if not bundles:
            continue
        asks = next((key for key in INJECTED_BY if key in resource.annotation_keys), "")
        suspect = bundles if asks else [node for node in bundles if _is_dummy(node)]
        apps = [app for app in repo.apps_with(resource) if not _is_left_alone(app, resource, suspect, repo)]
        if suspect and apps:
            yield _finding(resource, suspect, asks, is_synced=any(app.application for app in apps))


def _bundles(resource: Resource) -> Iterator[Node]:
    if resource.kind in WEBHOOKS:
        yield from (webhook["clientConfig"]["caBundle"] for webhook in resource["webhooks"])
    elif resource.kind == "APIService":
        yield resource["spec"]["caBundle"]
    elif resource.is_crd and resource["spec"]["names"].present:  # else it is a patch that nobody names
        conversion = resource["spec"]["conversion"]
        yield conversion["webhook"]["clientConfig"]["caBundle"]
        yield conversion["webhookClientConfig"]["caBundle"]


def _is_dummy(bundle: Node) -> bool:
    """Empty, blank, or no certificate at all."""
    try:
        return b"BEGIN" not in base64.b64decode(bundle.scalar_text, validate=True)
    except (binascii.Error, ValueError):
        return True


def _is_left_alone(app: App, resource: Resource, bundles: list[Node], repo: Repo) -> bool:
    paths = [steps_to(bundle, resource) for bundle in bundles]
    return all(leaves_alone(app, resource, path, repo) or is_told_as_ignored(app, resource, path) for path in paths)


def _finding(resource: Resource, bundles: list[Node], asks: str, *, is_synced: bool) -> Finding:
    real = [node for node in bundles if not _is_dummy(node)]
    who = f"although {asks} has one injected" if asks else "where the real one is injected later, if at all"
    return Finding(
        bundles[0],
        headline=f"{resource} has {'a' if real else 'an empty or dummy'} caBundle in git",
        happens=f"It is there {who}: every sync writes it over the injected one, and calls fail until that is back.",
        do="Leave caBundle out.",
        fixes=(Fix("leave caBundle out", removal(bundles), safe=bool(asks) and not real),),
        severity=Severity.WARNING if asks and is_synced else Severity.NOTE,
    )
