"""A secret that anybody with access to the repository can read.

A Secret in git is no secret: base64 is not encryption, and git keeps every version for
ever, also after the file was changed or deleted. The rule decodes the values and looks for
private keys, tokens of well-known services, passwords in addresses, and values under names
that speak of a credential. It looks at Secrets, also at those that a secretGenerator of
Kustomize makes of literals and files, at the Helm parameters and values in Applications, and at the
files of values that an Application names. What a chart's own values.yaml has by default is not looked at.

An error is what is a credential by its form: a key, a token, something that a
generator made. A plain word under such a name is a warning where an Application syncs it, for it may be a weak
password that somebody relies on, and a note elsewhere, where it is a default more often. What gives Argo CD access to a
repository or a cluster is named as such.

Silent for what is encrypted (SealedSecret, SOPS), for references and placeholders (<path:...>,
ref+vault://, ${X}, {{ x }}, changeme, an empty value), for certificates, public keys and
hashes, for values on a line that another scanner is asked to let pass (gitleaks:allow,
notsecret, pragma: allowlist secret), for names of Secrets in Helm parameters, for tokens of
service accounts, which Kubernetes fills in, and for folders and files that are tests or
examples by their names. The value itself is never printed.

Fix: take the secret out, replace it wherever it is used, since it counts as known, and
bring the new one in by a SealedSecret, an ExternalSecret, SOPS or the like. There is no
automatic fix.

See: https://argo-cd.readthedocs.io/en/stable/operator-manual/secret-management/

Bad:
    apiVersion: v1
    kind: Secret  # <- here
    metadata:
      name: database
    type: Opaque
    stringData:
      username: shop
      password: kX9-vT2q_Lm47zRw
Good:
    apiVersion: v1
    kind: Secret
    metadata:
      name: database
    type: Opaque
    stringData:
      username: shop
      password: <path:secret/data/shop#password>
"""

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from ...linter.api import (
    Cause,
    Confidence,
    Finding,
    Moment,
    Node,
    Repo,
    Resource,
    Severity,
    by_line,
    regex,
    rule,
    some,
    table,
)
from ...linter.argocd.application_spec import application_spec
from ...linter.argocd.clusters import SECRET_TYPE
from ...linter.dialects.secrets_in_text import Certainty, Plaintext, decoded, judge
from ...linter.repo.sources.given_values import Given

FILLED_IN_BY_OTHERS: Final = ("kubernetes.io/service-account-token", "helm.sh/release.v1")
CREDENTIAL: Final = regex(r"(?i)(?:password|passwd|passphrase|token|clientsecret|client[-_]secret|api[-_]?key)$")
DNS_LABEL: Final = regex(r"[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?")


class Readable(NamedTuple):
    name: str
    what: Plaintext


class Leak(NamedTuple):
    words: str
    """What has the secrets, as messages call it."""
    found: list[Readable]
    is_synced: bool
    """By an Application that is known."""
    whose: str
    """The object, by which copies of it are known: what was rendered of it into another file is one leak."""


@rule("GL503", Severity.ERROR, Moment.SYNC, literal=True, any_file=True, any_tool=True, of_fetched=False)
def check(repo: Repo) -> Iterator[Finding]:
    leaks: list[tuple[Node, Leak]] = []
    for resource in repo.resources:
        if resource.group_kind == "Secret":
            values = [value for field in ("stringData", "data") for _, value in resource[field].items()]
            synced = bool(repo.managers(resource))
            leaks += _leak(resource, list(_in_secret(resource)), values, _words(resource), synced)
        elif (spec := application_spec(resource)) is not None:
            parameters = [one for source in (spec["source"], *spec["sources"]) for one in source["helm"]["parameters"]]
            found = [found for one in parameters for found in _in_parameter(one)]
            leaks += _leak(
                resource, found, [one["value"] for one in parameters], f"a Helm parameter of {resource}", True
            )
    leaks += _in_values(repo)
    for place, together in by_line(leaks):
        yield _finding(place, together, any(leak.is_synced for leak in together))


def _in_secret(secret: Resource) -> Iterator[Readable]:
    if secret["sops"].present or secret["type"].text in FILLED_IN_BY_OTHERS:
        return
    for key, value in secret["stringData"].items():
        yield from _judged(key, value.scalar_text, value)
    for key, value in secret["data"].items():
        yield from _judged(key, decoded(value.scalar_text) or "", value)


def _in_parameter(parameter: Node) -> Iterator[Readable]:
    name, value = parameter["name"].text.rpartition(".")[2], parameter["value"]
    for found in _judged(name, value.scalar_text, value):
        # `tls.certificatesSecret: shop-tls` is the name of a Secret.
        is_a_name = name.lower().endswith("secret") and DNS_LABEL.fullmatch(value.scalar_text)
        if not is_a_name or found.what.certainty is Certainty.SURE:
            yield found


def _in_values(repo: Repo) -> Iterator[tuple[Node, Leak]]:
    """Each root once, however many Applications take it."""
    roots: dict[int, tuple[Node, str]] = {}
    for app in repo.applications:
        application = app.certain_application
        for one in app.rendered if application else ():
            inline = Given(application, one.source).inline() if application else None
            for root in inline.roots if inline else ():
                roots.setdefault(id(root.raw), (root, f"a Helm value of {application}"))
            for path in one.asked.value_files if one.asked else ():
                file = repo.file_at(path)
                for document in file.documents if file else ():
                    words = f"a file of values of {application}"
                    roots.setdefault(id(document.root.raw), (document.root, words))
    for root, words in roots.values():
        if not root["sops"].present:
            for node in root.walk():
                found = list(_in_value(node.key, node)) if isinstance(node.key, str) and node.scalar_text else []
                if found:
                    yield _above(node), Leak(words, found, True, f"{words} in {root.file.path}")


def _in_value(name: str, value: Node) -> Iterator[Readable]:
    """Charts give their values many names: a plain word counts under the plainest of them only."""
    for found in _judged(name, value.scalar_text, value):
        is_a_name = name.lower().endswith("secret") and DNS_LABEL.fullmatch(value.scalar_text)
        if found.what.certainty is Certainty.SURE or (CREDENTIAL.search(name) and not is_a_name):
            yield found


def _above(value: Node) -> Node:
    """The nearest key above that is on another line; at the top the value's own, which reports hide."""
    above = value.parent
    while above is not None and above.parent is not None:
        if above.key_raw is not None and not set(_lines(above)) & set(_lines(value)):
            return above
        above = above.parent
    return value


def _judged(name: str, text: str, value: Node) -> Iterator[Readable]:
    what = judge(name, text)
    if what is not None and value.document.stands_in_git(value) and not _is_marked(value):
        yield Readable(name, what)


def _is_marked(value: Node) -> bool:
    """Whether somebody wrote beside it, for another tool, that it is none."""
    at = value.origin
    line = at.file.line_text(at.file.position(at.span.start).line)
    return any(mark in line for mark in table("plaintext.json")["marks"])


def _words(secret: Resource) -> str:
    generator = secret.node.origin
    if generator.document.root["secretGenerator"].present:
        return f"the secretGenerator {generator['name'].text!r}"
    kind = secret.labels[SECRET_TYPE].text
    access = f", which gives Argo CD access to a {'cluster' if kind == 'cluster' else 'repository'}," if kind else ""
    return f"{secret}{access}"


def _leak(
    resource: Resource, found: list[Readable], values: Iterable[Node], words: str, is_synced: bool
) -> Iterator[tuple[Node, Leak]]:
    if found:
        yield _place(resource, values), Leak(words, found, is_synced, f"{resource} in {resource.namespace}")


def _finding(place: Node, leaks: list[Leak], is_synced: bool) -> Finding:
    found = [one for leak in leaks for one in leak.found]
    sure = [one for one in found if one.what.certainty is Certainty.SURE]
    named = " and ".join(_together(sure or found))
    words = " and ".join(dict.fromkeys(leak.words for leak in leaks))
    return Finding(
        place,
        headline=f"{words} has {named} in plain text",
        happens="Who can read the repository can read it, in every version of it, also after it was deleted.",
        do="Replace it wherever it is used, and bring the new one in by a SealedSecret, an ExternalSecret or SOPS.",
        severity=Severity.ERROR if sure else Severity.WARNING if is_synced else Severity.NOTE,
        cause=Cause(" and ".join(leak.whose for leak in leaks)),
        confidence=Confidence.HIGH if sure else Confidence.MEDIUM,
    )


def _together(found: list[Readable]) -> Iterator[str]:
    """``a credential (user, admin)``: the names of one sort behind it, three at most."""
    for what in dict.fromkeys(one.what.what for one in found):
        names = dict.fromkeys(one.name for one in found if one.what.what == what)
        yield f"{what} ({some(names, 3)})"


def _place(resource: Resource, values: Iterable[Node]) -> Node:
    """A line to point at that holds no value; reports hide those around it."""
    hidden = {line for value in values for line in _lines(value)}
    file = resource.node.origin.document.root
    metadata = resource.metadata
    own = (resource["kind"], resource["apiVersion"], metadata["name"], metadata, resource["type"])
    present = [node for node in (*own, file["kind"], file["secretGenerator"]) if node.present]
    for node in present:
        if (node.file.path, node.file.position(node.span.start).line) not in hidden:
            return node
    return present[0]


def _lines(value: Node) -> Iterator[tuple[str, int]]:
    file, span = value.file, value.span
    for line in range(file.position(span.start).line, file.position(span.end).line + 1):
        yield file.path, line
