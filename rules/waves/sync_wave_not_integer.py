"""A sync wave that is no integer counts as wave 0, and nothing says so.

Argo CD reads the wave with Go's Atoi: an optional sign and digits, nothing
else. "1.5", "first", "1_000", or a blank before or after the digits do not
parse. Then helm.sh/hook-weight counts, and where that is missing too, 0. The
object is applied with everything else of wave 0; whether the sync still works
depends on what it was to wait for, so this is a warning.

A broken helm.sh/hook-weight on an object without a wave is a note. A wave
without quotes (sync-wave: 5) is no string at all and breaks more than the
order: annotation-value-not-string reports it.

Fix: write an integer, in quotes. Where only blanks stand around it they are
taken away, which is safe: it is the order that was asked for.

See: https://argo-cd.readthedocs.io/en/stable/user-guide/sync-waves/

Bad:
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: settings
      annotations:
        argocd.argoproj.io/sync-wave: " 5"  # <- here
Good:
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: settings
      annotations:
        argocd.argoproj.io/sync-wave: "5"
"""

from collections.abc import Iterator

from ...linter.api import Finding, Fix, Moment, Node, Resource, Severity, rule
from ...linter.dialects.spelling import is_placeholder
from ...linter.kubernetes.annotations.hooks import HELM_WEIGHT, WAVE
from ...linter.yaml.scalars import atoi


@rule("GL203", Severity.WARNING, Moment.SYNC, annotated=(WAVE, HELM_WEIGHT), literal=True, of_fetched=False)
def check(resource: Resource) -> Iterator[Finding]:
    wave, weight = resource.annotation(WAVE), resource.annotation(HELM_WEIGHT)
    if wave.present:
        if _is_broken(wave):
            helped = f"its hook-weight {weight.text} counts" if atoi(weight.text) is not None else "it counts as wave 0"
            yield Finding(
                wave,
                headline=f"the sync wave {wave.text!r} of {resource} is no integer",
                happens=f"{helped[0].upper()}{helped[1:]}.",
                do="Write a whole number.",
                fixes=_fixes(wave),
            )
    elif _is_broken(weight) and not resource.patched:  # a patch may add the wave, which goes first
        yield Finding(
            weight,
            headline=f"the hook-weight {weight.text!r} of {resource} is no integer",
            happens="It counts as wave 0.",
            do="Write a whole number.",
            fixes=_fixes(weight),
            severity=Severity.NOTE,
        )


def _is_broken(annotation: Node) -> bool:
    value = annotation.value
    return isinstance(value, str) and atoi(value) is None and not is_placeholder(value)


def _fixes(annotation: Node) -> tuple[Fix, ...]:
    stripped = annotation.text.strip()
    return (Fix("take the blanks away", annotation.set(stripped), safe=True),) if atoi(stripped) is not None else ()
