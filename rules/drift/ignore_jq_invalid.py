"""A jq expression in ignoreDifferences that jq refuses stops all syncs of the Application.

Argo CD puts every item of jqPathExpressions into del(…) and compiles it before
it compares anything. If that fails, there is no comparison: the Application
shows a ComparisonError with status Unknown and is not synced any more. In
argocd-cm one such expression does that to every Application. In
ignoreApplicationDifferences of an ApplicationSet it keeps the set from updating
the Applications that it has made.

The usual causes: no dot at the beginning, a name with a hyphen or a slash
without quotes (.metadata.labels.my-name is a subtraction), single quotes, a
backslash that a string of jq does not know, JSONPath ([?(@.name)]).

An expression that jq takes but that gives a value instead of a path (a
comparison, test(…) without select, an object) fails when it runs. Argo CD then
goes on as if it were not there, so that is a warning.

The rule has a grammar of its own, for the real jq is a compiled package, too
heavy for a linter. It knows the syntax and the functions of gojq, which Argo CD
uses, and of jq 1.6 to 1.8, and takes what any of them takes. It is tested
against the real jq. What only shows when an expression runs on an object
(iterating over what is not there) it cannot see.

Fix: correct the expression; try it with jq 'del(…)' on the object. Where only
the quotes around a name are missing the fix is safe, since as it stands nothing
is synced.

See: https://argo-cd.readthedocs.io/en/stable/user-guide/diffing/, https://github.com/itchyny/gojq

Bad:
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
    spec:
      ignoreDifferences:
        - group: apps
          kind: Deployment
          jqPathExpressions:
            - .spec.replicas
            - .metadata.annotations.deploy.example.com/revision  # <- here
Good:
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
    spec:
      ignoreDifferences:
        - group: apps
          kind: Deployment
          jqPathExpressions:
            - .spec.replicas
            - .metadata.annotations."deploy.example.com/revision"
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from ...linter.api import Finding, Fix, Moment, Node, Repo, Severity, by_line, regex, rule
from ...linter.argocd.ignore_entries import IgnoreEntry
from ...linter.dialects import jq
from ...linter.dialects.spelling import is_placeholder

KEY_OF_A_MAP: Final = regex(
    r"(?P<map>(?:\.\w+)*\.(?:metadata\.(?:annotations|labels)|matchLabels))\.(?P<name>[\w.-]+/[\w.-]+|[\w-]+)"
)
STEP: Final = regex(r"\.(?P<name>[A-Za-z_][\w-]*)(?P<items>(?:\[\d*\]\??)*)")

LONGEST: Final = 60


class Fault(NamedTuple):
    expression: str
    why: str
    entry: IgnoreEntry
    is_refused: bool = True


@rule("GL413", Severity.ERROR, Moment.SYNC)
def check(repo: Repo) -> Iterator[Finding]:
    found = (
        (written.at, fault)
        for entry in repo.argocd.ignore_entries
        for written in entry.expressions
        if (fault := _fault(written.text, entry))
    )
    for place, faults in by_line(found):
        first = max(faults, key=lambda fault: fault.is_refused)
        what = "; ".join(dict.fromkeys(_said(one, faults) for one in faults))
        yield Finding(
            place,
            headline=f"jq cannot use {_short(first.expression)!r}",
            happens=f"{what}. {_effect(first)}.",
            do="Correct the expression." if first.is_refused else "Write a path.",
            fixes=_fixes(place, first.expression) if len(faults) == 1 else (),
            severity=None if first.is_refused else Severity.WARNING,
        )


def _fault(expression: str, entry: IgnoreEntry) -> Fault | None:
    try:
        found = jq.parse(expression)
    except jq.JqError as error:
        return None if is_placeholder(expression) else Fault(expression, f"is refused by jq: {error}", entry)
    if found.is_no_path:
        return Fault(expression, "gives a value, which is no place in the object", entry, is_refused=False)
    return None


def _effect(fault: Fault) -> str:
    owner = fault.entry.owner
    if not fault.is_refused:
        return "It fails when jq runs it, and Argo CD goes on as if it were not there"
    if fault.entry.is_for_generated:
        return f"{owner} cannot update the Applications that it has made"
    subject = f"{owner}" if owner is not None else "any Application"
    if owner is not None and owner.kind == "ApplicationSet":
        subject = f"the Applications of {owner}"
    return f"Argo CD cannot compare {subject} and syncs nothing"


def _said(fault: Fault, faults: list[Fault]) -> str:
    return f"It {fault.why}" if len(faults) == 1 else f"{_short(fault.expression)!r} {fault.why}"


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def _fixes(place: Node, expression: str) -> tuple[Fix, ...]:
    quoted = _quoted(expression)
    if place.text != expression or quoted is None:
        return ()
    return (Fix(f"write {quoted}", place.set(quoted), safe=True),)


def _quoted(expression: str) -> str | None:
    """The same path with quotes around the names that need them."""
    key = KEY_OF_A_MAP.fullmatch(expression)
    if key:
        return f'{key["map"]}."{key["name"]}"'
    steps = list(STEP.finditer(expression))
    if "".join(step[0] for step in steps) != expression or not any("-" in step["name"] for step in steps):
        return None
    names = (f'"{step["name"]}"' if "-" in step["name"] else step["name"] for step in steps)
    return "".join(f".{name}{step['items']}" for name, step in zip(names, steps, strict=True))
