"""A template comes out differently each time, so the Application is OutOfSync without a change in git.

randAlphaNum, uuidv4, genCA, htpasswd, now and the like give something else in every
render. A release of Helm is rendered once and stays as it is. Argo CD renders again
for every new commit, for a hard refresh and when its cache has expired (after 24 hours,
unless set otherwise), compares the result with the cluster, and finds a difference:
the Application is OutOfSync, and the sync that follows replaces the value. A password
or a certificate made in this way is another one from then on, whatever uses the old
one fails, and a checksum of it restarts the pods.

It is an error where the place is surely rendered with the values of an Application; a
warning where only a render could tell, and with a chart's own values in a repository
without any Application; a note where Applications are known and none renders the chart,
where a value is set that takes its place (and the note names the value), and in hooks,
which are not compared but made anew. All of one chart is one finding: with Helm, the
chart is rendered twice, and each line that differs is a place of it. Silent: what every
Application of the chart leaves out of the comparison (ignore-without-respect tells if a
sync writes it all the same), what the values switch off, NOTES.txt, tests, and what is
used only if lookup finds nothing, which helm-lookup-in-template tells.

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

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from typing import Final, NamedTuple

from ...linter.api import Cause, Confidence, Finding, Moment, Note, Repo, Severity, Span, Spot, regex, rule
from ...linter.helm.chart import Chart, is_notes
from ...linter.helm.expressions import Call, Literal
from ...linter.helm.lookups import Lookups
from ...linter.helm.reached_actions import CLOCK, RANDOM
from ...linter.helm.statements import Statement
from ...linter.helm.template_documents import Around, around
from ...linter.repo.sources.chart_proofs import Proof, Proofs
from ...linter.repo.sources.chart_verdicts import Verdict, verdict

MOST: Final = 1_000
COARSE: Final = regex(r"(?:(?:2006|06|01|Jan(?:uary)?)[-/. ,]*)+")
"""A format of Go with years and months alone."""
WHEN: Final = "whenever Argo CD renders the chart (a new commit, a hard refresh, an expired cache)"
DRIFTS: Final = f"The Application is OutOfSync {WHEN}"
LOST: Final = "the next sync replaces the secret that is in use"
CHANGED: Final = "the next sync changes the object"
HOOK: Final = "Hooks are not compared, but this one gets the new value whenever it runs."
DO: Final = "Set the value that the template asks for, or keep the secret outside of the chart."


class Fault(NamedTuple):
    at: Spot
    call: Call
    verdict: Verdict
    around: Around
    proof: Proof | None


@rule("GL734", Severity.ERROR, Moment.SYNC, of_fetched=True)
def check(repo: Repo) -> Iterator[Finding]:
    suspects = {folder: calls for folder, chart in repo.charts.by_folder.items() if (calls := tuple(_calls(chart)))}
    proofs = repo.charts.prove(suspects.keys()) if repo.charts.prove else Proofs()
    told: set[Proof | None] = {None}
    for folder, calls in suspects.items():
        lines: dict[tuple[str, int], list[Fault]] = {}
        for fault in _faults(repo, folder, calls, proofs):
            line = fault.at.file.position(fault.at.span.start).line
            lines.setdefault((fault.at.file.path, line), []).append(fault)
        for together in lines.values():
            finding = _finding(min(together, key=_rank))
            if finding is not None:
                told.update(one.proof for one in together)
                yield _placed(finding, repo, folder)
    yield from _through_libraries(repo, proofs, told)


def _placed(finding: Finding, repo: Repo, folder: str) -> Finding:
    """What is random in one chart is one fault; and in a chart that nothing here renders, a smaller one."""
    name = repo.charts.by_folder[folder].name or folder
    cause = Cause(f"chart {folder}", f"{{count}} lines of chart {name} come out differently in every render")
    if repo.charts.has_users(folder):
        return replace(finding, cause=cause)
    worst = Severity.NOTE if repo.applications else Severity.WARNING
    return replace(finding, cause=cause, severity=min(finding.severity or Severity.ERROR, worst))


def _through_libraries(repo: Repo, proofs: Proofs, told: Collection[Proof | None]) -> Iterator[Finding]:
    """Lines that came out differently twice, where the call is in a library that they include."""
    files = {file.path: file for chart in repo.charts.by_folder.values() for file in chart.templates.files}
    kept = {one for one in {_folder_of(repo, path) for path in proofs.lines} if _keeps_what_is_there(repo, one)}
    for path, lines in proofs.lines.items():
        file, folder = files.get(path), _folder_of(repo, path)
        if folder in kept:
            continue  # helm-lookup-in-template tells it
        for line, proof in lines.items() if file is not None else ():
            assert file is not None
            if proof in told or is_notes(path) or _is_library_line(repo, path):
                continue
            told = {*told, proof}
            span = file.line_span(line)
            start = span.start + len(file.line_text(line)) - len(file.line_text(line).lstrip())
            at = Spot(file, Span(start, span.end))
            surroundings = around(file, span.start)
            if not surroundings.is_test:
                yield _placed(_of_render(at, proof, surroundings), repo, folder)


def _folder_of(repo: Repo, path: str) -> str:
    """The innermost chart that has the file."""
    return max((one for one in repo.charts.by_folder if path.startswith(f"{one}/") or one == "."), key=len, default="")


def _keeps_what_is_there(repo: Repo, folder: str) -> bool:
    """Whether each random value that it can print is meant for the first time only, behind a lookup."""
    chart = repo.charts.by_folder.get(folder)
    if chart is None:
        return False
    views, lookups = repo.charts.views[folder], Lookups(chart.templates)
    calls = [one for one in _calls(chart) if lookups.keeps(*one) or verdict(views, *one).reached is not False]
    return not chart.is_library and bool(calls) and all(lookups.keeps(*one) for one in calls)


def _is_library_line(repo: Repo, path: str) -> bool:
    """Whoever includes it is told instead."""
    return any(chart.is_library and path.startswith(f"{folder}/") for folder, chart in repo.charts.by_folder.items())


def _of_render(at: Spot, proof: Proof, surroundings: Around) -> Finding:
    is_secret = surroundings.kinds == ("Secret",)
    return Finding(
        at,
        headline="this line comes out differently in every render",
        happens=HOOK if surroundings.is_hook else f"{DRIFTS}, and {LOST if is_secret else CHANGED}.",
        do=DO,
        related=(Note(at, str(proof)),),
        severity=Severity.NOTE if surroundings.is_hook else None,
    )


def _faults(repo: Repo, folder: str, calls: Iterable[tuple[Statement, Call]], proofs: Proofs) -> Iterator[Fault]:
    chart = repo.charts.by_folder[folder]
    lookups = Lookups(chart.templates)
    for statement, call in calls:
        if is_notes(statement.file.path) or lookups.keeps(statement, call) or _is_coarse(statement):
            continue
        if folder in proofs.stable and call.name in RANDOM:
            continue  # it came out the same twice: nothing of it is printed
        found = verdict(repo.charts.views[folder], statement, call)
        line = statement.file.position(call.span.start).line
        if line in proofs.ignored.get(statement.file.path, ()):
            continue
        proof = proofs.lines.get(statement.file.path, {}).get(line)
        if found.reached is not True and proof is not None:
            found = Verdict(True)  # two renderings have shown it
        if found.reached is None and statement.define and chart.is_library:
            continue  # whoever uses it decides
        if found.reached is None and folder in proofs.seen and call.name in RANDOM:
            continue  # not printed, or told at the lines that print it
        surroundings = around(statement.file, statement.span.start)
        if not surroundings.is_test:
            yield Fault(statement.place(call), call, found, surroundings, proof)


def _is_coarse(statement: Statement) -> bool:
    """Whether the clock gives but a year or a month, as a copyright has it: that is the same for a long time."""
    formats = [one.arguments[0] for one in statement.calls if one.name in ("date", "dateInZone") and one.arguments]
    return bool(formats) and all(isinstance(one, Literal) and COARSE.fullmatch(str(one.value)) for one in formats)


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
        return Finding(
            fault.at,
            headline=f"{name} is used only while {found.path} is not set",
            happens=f"Should that be dropped, it gives {what} {WHEN}, and the Application is OutOfSync.",
            do=f"Keep {found.path} set.",
            severity=Severity.NOTE,
        )
    headline = f"{name} gives {what} in every render"
    if fault.around.is_hook:
        return Finding(fault.at, headline=headline, happens=HOOK, do=DO, severity=Severity.NOTE)
    drifts = f"{DRIFTS}, and {_loss(fault)}"
    if found.reached:
        words = f" {found.view.words[0].upper()}{found.view.words[1:]} it is rendered." if found.view else ""
        shown = (Note(fault.at, str(fault.proof)),) if fault.proof else ()
        return Finding(fault.at, headline=headline, happens=f"{drifts}.{words}", do=DO, related=shown)
    return Finding(
        fault.at,
        headline=headline,
        happens=f"{drifts}, if it is rendered at all.",
        do=DO,
        severity=Severity.WARNING,
        confidence=Confidence.MEDIUM,
    )


def _loss(fault: Fault) -> str:
    if fault.around.kinds == ("Secret",):
        return LOST
    if "caBundle" in fault.at.file.line_text(fault.at.file.position(fault.at.span.start).line):
        return "the next sync replaces the certificate that is in use"
    return CHANGED
