"""A JSON pointer in ignoreDifferences that can lead nowhere, so nothing is ignored.

Argo CD makes a JSON patch of every pointer and removes the field from both
sides before it compares them. A pointer that finds nothing is passed over
without a word: the entry does nothing, the Application stays OutOfSync, and
self-heal goes on writing over what the entry was meant to leave alone.

Reported is what cannot lead anywhere, whatever the object looks like: no slash
at the beginning, a star or brackets (there are no wildcards in a pointer), an
empty part, a ~ that escapes nothing, a list without the number of an item, and a
step into a value that is a text. The last one is the most common: a slash in the
name of an annotation or label has to be written ~1, or the pointer goes on below
the text of a shorter name. Pointers that are well formed but name a field that
does not exist are not seen.

The rule looks at Applications, templates of ApplicationSets, their
ignoreApplicationDifferences, and Argo CD's own settings (argocd-cm, values of
its chart, the ArgoCD object of its operator).

Fix: write the pointer as JSON has it, or use jqPathExpressions where an item of
a list cannot be counted. The fix for the name of an annotation or label is safe;
for a missing slash it is unsafe, since only you know what was meant.

See: argo-cd#2795, aws-samples/appmod-blueprints#313, argo-rollouts#2463, https://www.rfc-editor.org/rfc/rfc6901

Bad:
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
    spec:
      ignoreDifferences:
        - group: apps
          kind: Deployment
          jsonPointers:
            - /metadata/annotations/deploy.example.com/revision  # <- here
            - spec/replicas  # <- here
Good:
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
    spec:
      ignoreDifferences:
        - group: apps
          kind: Deployment
          jsonPointers:
            - /metadata/annotations/deploy.example.com~1revision
            - /spec/replicas
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from ...linter.api import Finding, Fix, Moment, Node, Repo, Severity, by_line, regex, rule
from ...linter.argocd.ignore_entries import IgnoreEntry, Written
from ...linter.dialects.spelling import is_placeholder
from ...linter.kubernetes.validation import Kind
from ...linter.kubernetes.validation.checked import BUILTIN
from ...linter.kubernetes.validation.shapes import field_types

PLAIN_PATH: Final = regex(r"[A-Za-z]\w*(?:[./]\w+)*")
TEXTS: Final = (
    ("metadata", "annotations"),
    ("metadata", "labels"),
    ("matchLabels",),
    ("template", "spec", "nodeSelector"),
)
"""Where all values are texts, by the ends of their paths."""
STRAY_TILDE: Final = regex("~(?![01])")
LONGEST: Final = 60
CONTENTS: Final = ("data", "stringData", "binaryData")
HOLDING_TEXTS: Final = ("ConfigMap", "Secret")


class Fault(NamedTuple):
    pointer: str
    why: str
    instead: str = ""
    safe: bool = False


@rule("GL411", Severity.WARNING, Moment.SYNC)
def check(repo: Repo) -> Iterator[Finding]:
    found = (
        (written.at, fault)
        for entry in repo.argocd.ignore_entries
        for written in entry.pointers
        if (fault := _fault(written, entry))
    )
    for place, faults in by_line(found):
        what = "; ".join(dict.fromkeys(_said(fault, faults) for fault in faults))
        instead = faults[0].instead if len(faults) == 1 else ""
        yield Finding(
            place,
            headline=f"the JSON Pointer {_short(faults[0].pointer)!r} points nowhere",
            happens=f"{what}. Argo CD finds nothing there and ignores no difference.",
            do=f"Write {instead}." if instead else "Correct the pointer.",
            fixes=_fixes(place, faults),
        )


def _said(fault: Fault, faults: list[Fault]) -> str:
    return f"It {fault.why}" if len(faults) == 1 else f"{_short(fault.pointer)!r} {fault.why}"


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def _fixes(place: Node, faults: list[Fault]) -> tuple[Fix, ...]:
    fault = faults[0]
    if len(faults) > 1 or not fault.instead or place.text != fault.pointer:
        return ()
    return (Fix(f"write {fault.instead}", place.set(fault.instead), fault.safe),)


def _fault(written: Written, entry: IgnoreEntry) -> Fault | None:
    text = written.text
    if is_placeholder(text):
        return None
    if not text.startswith("/"):
        return _without_slash(text)
    parts = text.split("/")[1:]
    wild = next((part for part in parts if part in ("*", "**") or ("[" in part and "]" in part)), None)
    if wild is not None:
        return Fault(text, f"has {wild!r} in it, and a pointer knows no wildcards; jqPathExpressions do")
    if "" in parts:
        return Fault(text, "has an empty part")
    if STRAY_TILDE.search(text):
        return Fault(
            text, "has a ~ that is neither ~0 nor ~1, by which a slash is written", STRAY_TILDE.sub("~1", text)
        )
    if "." in parts[0]:
        return Fault(text, f"begins with {parts[0]!r}, and no object has such a field", text.replace(".", "/"))
    return _into_a_text(text, parts, entry) or _into_a_list(text, parts, entry)


def _without_slash(text: str) -> Fault:
    why = "does not begin with a slash"
    if text.startswith("."):
        return Fault(text, f"{why}; an expression of jq belongs in jqPathExpressions")
    instead = f"/{text.replace('.', '/')}" if PLAIN_PATH.fullmatch(text) else ""
    return Fault(text, why, instead)


def _into_a_text(text: str, parts: list[str], entry: IgnoreEntry) -> Fault | None:
    for end in range(1, len(parts) - 1):
        if any(tuple(parts[max(end - len(names), 0) : end]) == names for names in TEXTS):
            rest = parts[end:]
            escaped = len(rest) == 2 and not any("~1" in part for part in rest)
            instead = "/".join(["", *parts[:end], "~1".join(rest)]) if escaped else ""
            hint = "a slash in a name is written ~1" if escaped else "texts have no fields"
            return Fault(text, f"goes on below {rest[0]!r}, whose value is a text; {hint}", instead, safe=True)
    if entry.group == "" and entry.kind in HOLDING_TEXTS and parts[0] in CONTENTS and len(parts) > 2:
        return Fault(text, f"goes on below {parts[1]!r}, whose value is a text to Kubernetes")
    return None


def _into_a_list(text: str, parts: list[str], entry: IgnoreEntry) -> Fault | None:
    """An item of a list goes by its number, and by nothing else."""
    shape = next(field_types(BUILTIN, None).versions_of(entry.group, entry.kind), None)
    above = ""
    for part in parts:
        if shape is None:
            return None
        if shape.kind is Kind.LIST and not part.isdecimal():
            return Fault(text, f"goes on below the list {above!r} without a number; jqPathExpressions can take all")
        shape, above = (shape.inner, above) if shape.kind is Kind.LIST else (shape.fields.get(part), part)
        if shape is not None and shape.kind not in (Kind.LIST, Kind.STRUCT):
            return None
    return None
