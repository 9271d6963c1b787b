"""A sync option that Argo CD does not know does nothing, and nothing says so.

Options are compared as whole strings, letter by letter. A wrong case
(createNamespace=true), a blank (ServerSideApply = true), a colon, another
value (Prune=False) or a name that does not exist match nothing, and no
condition shows it. In spec.syncPolicy.syncOptions every item is one option:
"A=true,B=true" in one item matches nothing either, while in the annotation
argocd.argoproj.io/sync-options a comma separates options.

An item that is no string (CreateNamespace: true) is an error: the API server
refuses the whole Application.

Values that merely restate the default (Replace=false) are not reported.
Prune=true in syncOptions is: it does not switch pruning on. Options newer
than this tool's table would be reported, too; the table goes to Argo CD 3.6.

Fix: write the option as Argo CD has it. Where only case, blanks or punctuation
differ and the option cannot hurt (CreateNamespace, RespectIgnoreDifferences,
PruneLast, SkipDryRunOnMissingResource, ApplyOutOfSyncOnly) the fix is safe;
else it starts something that did not happen before, and is unsafe.

See: argo-cd#3208, argoproj-labs/terraform-provider-argocd#523

Bad:
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
    spec:
      syncPolicy:
        syncOptions:
          - createNamespace=true  # <- here
          - ServerSideApply = true  # <- here
Good:
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
    spec:
      syncPolicy:
        syncOptions:
          - CreateNamespace=true
          - ServerSideApply=true
"""

from collections.abc import Iterator
from functools import reduce
from itertools import groupby
from typing import Final, NamedTuple

from ...linter.api import Cause, Confidence, Finding, Fix, Moment, Node, Patch, Resource, Severity, rule
from ...linter.argocd import sync_options
from ...linter.argocd.application_spec import application_spec
from ...linter.argocd.sync_options import Level
from ...linter.dialects.spelling import is_placeholder, plain, respelled
from ...linter.kubernetes.annotations.hooks import SYNC_OPTIONS, split

IGNORED: Final = "It is ignored without a word."


class Fault(NamedTuple):
    """One item that is wrong, and what would put it right."""

    item: Node
    what: str
    happens: str
    do: str
    patch: Patch | None = None
    safe: bool = False
    severity: Severity = Severity.WARNING
    confidence: Confidence = Confidence.HIGH


@rule(
    "GL601",
    Severity.WARNING,
    Moment.SYNC,
    kinds="Application ApplicationSet",
    annotated=[SYNC_OPTIONS],
    literal=True,
    of_fetched=False,
)
def check(resource: Resource) -> Iterator[Finding]:
    annotation = resource.annotation(SYNC_OPTIONS)
    if annotation.present:
        yield from _annotation(annotation)
    spec = application_spec(resource)
    if spec is None:
        return
    listed = spec["syncPolicy"]["syncOptions"]
    faults = [fault for item in listed for fault in _item(item, spec)]
    for _, on_one_line in groupby(faults, key=lambda fault: fault.item.file.position(fault.item.span.start).line):
        yield _finding(list(on_one_line))
    if listed.present and not listed.is_sequence and listed.value is not None and not is_placeholder(listed.text):
        yield Finding(
            listed,
            headline=f"syncOptions of {resource} is not a list",
            happens="The API server refuses the object.",
            do="Write each option as an item of a list.",
            severity=Severity.ERROR,
        )


def _annotation(annotation: Node) -> Iterator[Finding]:
    items = [item for item in split(annotation.text) if not is_placeholder(item)]
    unknown = [item for item in items if sync_options.is_unknown(item, Level.RESOURCE)]
    if not unknown:
        return
    guesses = {item: guess for item in unknown if (guess := sync_options.meant(item, Level.RESOURCE))}
    names = " and ".join(map(repr, unknown))
    fixes: tuple[Fix, ...] = ()
    if len(guesses) == len(unknown):
        value = respelled(annotation.text, guesses)
        safe = all(_is_safe(item, guess) for item, guess in guesses.items())
        fixes = (Fix(f"write {value}", annotation.set(value), safe),)
    sure = Confidence.HIGH if guesses else Confidence.MEDIUM
    yield Finding(
        annotation,
        headline=f"Argo CD knows no sync option {names}",
        happens=IGNORED,
        do=" ".join(dict.fromkeys(_advice(item, guesses.get(item), Level.RESOURCE) for item in unknown)),
        fixes=fixes,
        confidence=sure,
    )


def _item(item: Node, spec: Node) -> Iterator[Fault]:
    if not isinstance(item.value, str):
        yield from _no_string(item)
    elif is_placeholder(item.text) or not sync_options.is_unknown(item.text, Level.APPLICATION):
        return
    elif item.text == "Prune=true":
        yield _prune_is_no_option(item, spec)
    elif len(split(item.text)) > 1:
        yield _several_in_one(item)
    else:
        guess = sync_options.meant(item.text, Level.APPLICATION)
        what, do = f"Argo CD knows no sync option {item.text!r}", _advice(item.text, guess, Level.APPLICATION)
        patch = item.set(guess) if guess else None
        sure = Confidence.HIGH if guess else Confidence.MEDIUM
        safe = bool(guess) and _is_safe(item.text, guess or "")
        severity = Severity.NOTE if _is_set_beside(item.text, spec) else Severity.WARNING
        yield Fault(item, what, IGNORED, do, patch, safe, severity, sure)


def _is_set_beside(option: str, spec: Node) -> bool:
    """allowEmpty=true, selfHeal=true: fields of automated, where they mean something; harmless if they are there."""
    name, _, value = option.partition("=")
    return value == "true" and spec["syncPolicy"]["automated"][name.strip()].value is True


def _no_string(item: Node) -> Iterator[Fault]:
    """An empty item is left alone: the message for what follows from it would be a guess."""
    if item.value is None:
        return
    members = list(item.items())
    written = f"{members[0][0]}: {getattr(members[0][1].raw, 'value', '')}" if len(members) == 1 else ""
    guess = sync_options.meant(written, Level.APPLICATION) if written else None
    exact = guess is not None and plain(guess) == plain(written)
    what, happens = "this sync option is no string", "The API server refuses the whole object."
    if guess and exact:
        safe = sync_options.is_harmless(guess)
        yield Fault(item, what, happens, f"Write {guess}.", item.set(guess), safe, Severity.ERROR)
    else:
        yield Fault(item, what, happens, "Write Name=value.", severity=Severity.ERROR)


def _prune_is_no_option(item: Node, spec: Node) -> Fault:
    prunes = spec["syncPolicy"]["automated"]["prune"].value is True
    happens = f"Automated pruning is switched on by automated.prune{', as it is here' if prunes else ''}."
    do = "Take it away." if prunes else "Write automated.prune: true, if that is meant."
    severity = Severity.NOTE if prunes else Severity.WARNING
    return Fault(item, "Prune=true in syncOptions does nothing", happens, do, severity=severity)


def _several_in_one(item: Node) -> Fault:
    parts = split(item.text)
    known = not any(sync_options.is_unknown(part, Level.APPLICATION) for part in parts)
    patch = None
    if known and item.parent is not None:
        patch = reduce(Patch.also, (item.parent.append(part) for part in parts[1:]), item.set(parts[0]))
    what, happens = f"{item.text!r} is no sync option at all", "Argo CD compares each item of syncOptions as a whole."
    return Fault(item, what, happens, "Make each an item of its own.", patch, all(map(sync_options.is_harmless, parts)))


def _advice(option: str, guess: str | None, level: Level) -> str:
    if guess:
        return f"Write {guess}, if that is meant."
    values = sync_options.values_of(sync_options.name_of(option), level)
    if values:
        return f"Write a value of {sync_options.name_of(option)}: {' or '.join(values)}."
    return f"Take it away, or correct its name (known are those up to Argo CD {sync_options.newest_known_version()})."


def _is_safe(option: str, guess: str) -> bool:
    return plain(option) == plain(guess) and sync_options.is_harmless(guess)


def _finding(faults: list[Fault]) -> Finding:
    """What stands on one line is one finding."""
    patches = [fault.patch for fault in faults if fault.patch]
    fixes: tuple[Fix, ...] = ()
    if len(patches) == len(faults):
        title = "write the options as Argo CD has them"
        fixes = (Fix(title, reduce(Patch.also, patches), all(fault.safe for fault in faults)),)
    first, *others = faults
    also = "".join(f" {fault.what}, too." for fault in others)
    return Finding(
        first.item,
        headline=first.what,
        happens=f"{first.happens}{also}",
        do=first.do,
        fixes=fixes,
        severity=max(fault.severity for fault in faults),
        confidence=min(fault.confidence for fault in faults),
        cause=None if others else Cause(first.what, f"{first.what}, which is written {{count}} times"),
    )
