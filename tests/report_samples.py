"""A result built by hand, and what holds for it in every format."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gitops_lint.linter.facts.versions import Version
from gitops_lint.linter.kubernetes.resource import Resource, resources_in
from gitops_lint.linter.lint.result import Assumed, Reported, Result
from gitops_lint.linter.lint.rule import Confidence, Finding, Fix, Note, Rule, Scope, Severity
from gitops_lint.linter.lint.sight import Sight
from gitops_lint.linter.repo.sources.kustomize_builds import NotAnalysed
from gitops_lint.linter.report import ReportOptions
from gitops_lint.linter.yaml.source import Place, SourceFile, Span, Spot

OPTIONS = ReportOptions(
    tool_version="1.2.3",
    homepage="https://example.org/gitops-lint",
    rule_page="https://example.org/gitops-lint/rules/{name}",
)

MANUAL = """A hook Job without a deadline can hold its sync open for ever.

Argo CD waits for every hook of a phase before it goes on.

A sync has no timeout of its own.

Fix: set a deadline. Only you know how long it may be.

See: argo-cd#4979, https://example.org/deadlines

Bad:
    kind: Job  # <- here
Good:
    kind: Job
    deadline: 600
"""

JOB = """\
apiVersion: batch/v1
kind: Job
metadata:
  name: migrate
  annotations:
    argocd.argoproj.io/hook: PreSync
spec:
  backoffLimit: 2
"""


def _silent(_: object) -> Iterator[Finding]:
    return iter(())


def make_rule(
    code: str = "GL102",
    severity: Severity = Severity.WARNING,
    name: str = "hook_without_deadline",
    manual: str = MANUAL,
) -> Rule:
    return Rule(code, severity, _silent, f"gitops_lint.rules.hooks.{name}", Scope.RESOURCE, _doc=manual)


RULE = make_rule()


def spot(path: str, text: str, marked: str) -> Spot:
    """The first occurrence of some text in a file."""
    start = text.index(marked)
    return Spot(SourceFile(path, text), Span(start, start + len(marked)))


def reported(
    at: Place,
    message: str = "it hangs",
    *,
    rule: Rule = RULE,
    severity: Severity | None = None,
    fixes: tuple[Fix, ...] = (),
    related: tuple[Note, ...] = (),
    resource: Resource | None = None,
    confidence: Confidence = Confidence.HIGH,
) -> Reported:
    finding = Finding(at, message, fixes, related, severity, confidence)
    return Reported(rule, finding, severity or rule.severity, resource)


def result_of(items: Sequence[Reported], files: Sequence[SourceFile] = (), crashed: bool = False) -> Result:
    rules = {item.rule.code: item.rule for item in items} | {RULE.code: RULE}
    found = tuple(sorted(items, key=lambda item: item.sort_key))
    return Result(
        found,
        tuple(rules.values()),
        files or tuple({item.file.path: item.file for item in items}.values()),
        resources=len(items),
        crashed=crashed,
    )


def job_finding(path: str = "apps/job.yaml", safe: bool = False) -> Reported:
    """A finding on a real object, with a fix and a related place."""
    file = SourceFile(path, JOB)
    (job,) = resources_in(file.documents[0].root)
    return reported(
        job.hook_annotation,
        "hook Job 'migrate' has no activeDeadlineSeconds; a hanging run blocks every later sync",
        fixes=(Fix("set a deadline of ten minutes", job["spec"]["activeDeadlineSeconds"].set(600), safe),),
        related=(Note(job["kind"], "the Job is here"),),
        resource=job,
    )


def sample() -> Result:
    """One finding of each severity, a file that does not parse, things not looked into."""
    broken = SourceFile("broken.yaml", "a: [1\n")
    parse = make_rule("GL001", Severity.ERROR, "unparsable_file", "A file that is no YAML breaks the sync.\n")
    hygiene = make_rule("GL101", Severity.NOTE, "hook_without_delete_policy")
    problem = broken.problems[0]
    items = [
        job_finding(),
        reported(Spot(broken, problem.span), problem.message, rule=parse),
        reported(spot("apps/b.yaml", JOB, "PreSync"), "a finished Job stays", rule=hygiene, confidence=Confidence.LOW),
    ]
    templates = [NotAnalysed(f"charts/a/templates/{name}.yaml", "a Helm template") for name in "xyz"]
    made = result_of(items)
    return Result(
        made.reported,
        made.rules,
        made.files,
        resources=2,
        sight=Sight(applications=1),
        suppressed=2,
        not_analysed=(*templates, NotAnalysed("base", "a remote base")),
        assumed=(
            Assumed("Argo CD", "argocd-version", Version(3, 3), "--argocd-version"),
            Assumed("Kubernetes", "kubernetes-version", None),
        ),
    )


HOSTILE = "x\x1b[31m\u202eevil\x07\x9b2J\r\n::error::boo ##[add-mask]y [a](1) {0} <b>|`*_ https://evil.example \ud83d"


def hostile() -> Result:
    """Everything that a pull request can choose is as bad as it can be."""
    text = f"kind: '{HOSTILE[:20]}' # ##[group]\n"
    at = spot("::set-output name=a::b,c%d\n|é ü.yaml", text, "kind")
    return result_of([reported(at, HOSTILE, related=(Note(at, HOSTILE),), severity=severity) for severity in Severity])
