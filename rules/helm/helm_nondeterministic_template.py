"""A template comes out differently each time, so the Application is OutOfSync without a change in git.

randAlphaNum, uuidv4, genCA, htpasswd, now and the like give something else in every
render. A release of Helm is rendered once and stays as it is. Argo CD renders again
for every new commit, for a hard refresh and when its cache has expired (after 24 hours,
unless set otherwise), compares the result with the cluster, and finds a difference:
the Application is OutOfSync, and the sync that follows replaces the value. A password
or a certificate made in this way is another one from then on, whatever uses the old
one fails, and a checksum of it restarts the pods.

It is an error where the place is surely rendered, with the values of an Application
or, where none is known, with the chart's own; a warning where only a render could
tell; a note where a value is set that takes its place (and the note names the value),
and in hooks, which are not compared but made anew. Silent: what the values switch off,
NOTES.txt, tests, and what is used only if lookup finds nothing, which
helm-lookup-in-template tells.

Fix: set the value that the template asks for first, keep the secret outside of the
chart (External Secrets, Sealed Secrets), or let cert-manager make the certificate.

See: argo-cd#1031, argo-cd#3263, https://argo-cd.readthedocs.io/en/stable/user-guide/helm/

Bad:
    # Chart.yaml
    apiVersion: v2
    name: shop
    version: 1.4.2
    ---
    # templates/secret.yaml
    apiVersion: v1
    kind: Secret
    metadata:
      name: shop
    stringData:
      password: {{ .Values.password | default (randAlphaNum 16) | quote }}  # <- here
Good:
    # Chart.yaml
    apiVersion: v2
    name: shop
    version: 1.4.2
    ---
    # templates/secret.yaml
    apiVersion: v1
    kind: Secret
    metadata:
      name: shop
    stringData:
      password: {{ required "password is missing" .Values.password | quote }}
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from ...linter.api import Confidence, Finding, Moment, Note, Repo, Severity, Spot, rule
from ...linter.helm.chart import Chart, is_notes
from ...linter.helm.expressions import Call
from ...linter.helm.lookups import Lookups
from ...linter.helm.reached_actions import CLOCK, RANDOM
from ...linter.helm.statements import Statement
from ...linter.helm.template_documents import Around, around
from ...linter.repo.sources.chart_proofs import Proof, Proofs
from ...linter.repo.sources.chart_verdicts import Verdict, verdict

MOST: Final = 1_000
WHEN: Final = "whenever Argo CD renders the chart (a new commit, a hard refresh, an expired cache)"


class Fault(NamedTuple):
    at: Spot
    call: Call
    verdict: Verdict
    around: Around
    proof: Proof | None


@rule("GL734", Severity.ERROR, Moment.SYNC)
def check(repo: Repo) -> Iterator[Finding]:
    suspects = {folder: calls for folder, chart in repo.charts.items() if (calls := tuple(_calls(chart)))}
    proofs = repo.prove(suspects.keys()) if repo.prove and suspects else Proofs()
    for folder, calls in suspects.items():
        lines: dict[tuple[str, int], list[Fault]] = {}
        for fault in _faults(repo, folder, calls, proofs):
            line = fault.at.file.position(fault.at.span.start).line
            lines.setdefault((fault.at.file.path, line), []).append(fault)
        for together in lines.values():
            finding = _finding(min(together, key=_rank))
            if finding is not None:
                yield finding


def _faults(repo: Repo, folder: str, calls: Iterable[tuple[Statement, Call]], proofs: Proofs) -> Iterator[Fault]:
    chart = repo.charts[folder]
    lookups = Lookups(chart.templates)
    for statement, call in calls:
        if is_notes(statement.file.path) or lookups.keeps(statement, call):
            continue
        if folder in proofs.stable and call.name in RANDOM:
            continue  # it came out the same twice: nothing of it is printed
        found = verdict(repo.chart_views[folder], statement, call)
        line = statement.file.position(call.span.start).line
        proof = proofs.lines.get(statement.file.path, {}).get(line)
        if found.reached is not True and proof is not None:
            found = Verdict(True)  # two renderings have shown it
        if found.reached is None and statement.define and chart.is_library:
            continue  # whoever uses it decides
        surroundings = around(statement.file, statement.span.start)
        if not surroundings.is_test:
            yield Fault(statement.place(call), call, found, surroundings, proof)


def _calls(chart: Chart) -> Iterator[tuple[Statement, Call]]:
    for name in sorted(RANDOM | CLOCK):
        yield from chart.templates.calls.get(name, ())[:MOST]


def _rank(fault: Fault) -> tuple[int, int]:
    return {True: 0, None: 1, False: 2}[fault.verdict.reached], fault.at.span.start


def _finding(fault: Fault) -> Finding | None:
    found, name = fault.verdict, fault.call.name
    what = "another time" if name in CLOCK else "another value"
    if found.reached is False:
        if found.path is None:
            return None
        message = (
            f"{name} is used only while {found.path} is not set; should that be dropped, it gives {what} {WHEN},"
            " and the Application is OutOfSync without a change in git"
        )
        return Finding(fault.at, message, severity=Severity.NOTE)
    if fault.around.is_hook:
        message = f"{name} gives {what} {WHEN}; hooks are not compared, but this one is made anew with it"
        return Finding(fault.at, message, severity=Severity.NOTE)
    message = f"{name} gives {what} {WHEN}: the Application is OutOfSync without a change in git, and {_loss(fault)}"
    words = found.view.words if found.view and found.reached else ""
    if found.reached:
        shown = (Note(fault.at, str(fault.proof)),) if fault.proof else ()
        return Finding(fault.at, f"{message}; {words} it is rendered" if words else message, related=shown)
    return Finding(
        fault.at, f"{message}, if it is rendered at all", severity=Severity.WARNING, confidence=Confidence.MEDIUM
    )


def _loss(fault: Fault) -> str:
    if fault.around.kinds == ("Secret",):
        return "the next sync replaces the secret that is in use"
    if "caBundle" in fault.at.file.line_text(fault.at.file.position(fault.at.span.start).line):
        return "the next sync replaces the certificate that is in use"
    return "the next sync changes the object"
