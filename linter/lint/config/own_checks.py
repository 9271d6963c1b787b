"""Checks that a config brings: what must hold of an object, in CEL. Each is a rule, with examples that test it."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Final

from ...facts.severity import Severity
from ...kubernetes.resource import Resource
from ...repo.app import App
from ...yaml.source import Node, SourceFile
from ..rule import Confidence, Finding, Moment, Rule, Scope
from ..selection import did_you_mean
from .config_file import Settings

if TYPE_CHECKING:
    from ...dialects.cel import Answer, Program

OBJECT: Final = "object"
APP: Final = "app"
_TOPIC: Final = "config.checks"


@dataclass(frozen=True)
class OwnCheck:
    """One entry of `checks`. It is the check of its rule, too, so that equal entries make equal rules."""

    name: str
    code: str
    cel: str
    message: str
    severity: Severity = Severity.WARNING
    moment: Moment = Moment.SYNC
    kinds: tuple[str, ...] = ()
    """`Deployment`, or `apps/Deployment` where another group has the kind, too."""
    namespaces: tuple[str, ...] = ()
    happens: str = ""
    do: str = ""
    see: tuple[str, ...] = ()
    bad: str = field(default="", repr=False)
    """Objects that it must find, and in `good` those that it must not."""
    good: str = field(default="", repr=False)

    @classmethod
    def configured(cls, settings: Settings, index: int) -> OwnCheck:
        entry: Mapping[str, Any] = settings.values["checks"][index]
        made = cls(
            name=entry["name"],
            code=entry["code"],
            cel=entry["cel"],
            message=entry["message"],
            severity=Severity[entry.get("severity", "warning").upper()],
            moment=Moment(entry.get("moment", "sync")),
            kinds=tuple(entry.get("kinds", ())),
            namespaces=tuple(entry.get("namespaces", ())),
            happens=entry.get("happens", ""),
            do=entry.get("do", ""),
            see=tuple(entry.get("see", ())),
            bad=entry.get("bad", ""),
            good=entry.get("good", ""),
        )
        problem = _problem(made)
        if problem:
            raise settings.error(f"checks[{index}].cel: {problem}", "checks", index, "cel")
        return made

    @property
    def entry(self) -> dict[str, Any]:
        """As the config says it, but for the examples."""
        words = {one.name: getattr(self, one.name) for one in fields(self) if one.repr}
        words |= {"severity": str(self.severity), "moment": str(self.moment)}
        return {key: list(word) if isinstance(word, tuple) else word for key, word in words.items() if word}

    @property
    def program(self) -> Program:
        from ...dialects.cel import compile_cel  # 0.05 s, which a config without checks need not pay

        return compile_cel(self.cel)

    @property
    def asks_for_app(self) -> bool:
        return APP in self.program.names

    def as_rule(self) -> Rule:
        return Rule(
            self.code,
            self.severity,
            self,
            f"{_TOPIC}.{self.name.replace('-', '_')}",
            Scope.APP if self.asks_for_app else Scope.RESOURCE,
            self.moment,
            frozenset(kind.rpartition("/")[2] for kind in self.kinds),
            any_tool=not self.asks_for_app,
            _doc=self._manual(),
        )

    def _manual(self) -> str:
        kinds = f" of {', '.join(self.kinds)}" if self.kinds else ""
        parts = [
            f"{self.message}\n",
            f"{self.happens}\n" if self.happens else "",
            f"A check of the config{kinds}. This must hold:\n\n{textwrap.indent(self.cel.strip(), '    ')}\n",
            f"Fix: {self.do or 'change the object so that it holds.'}\n",
            f"See: {', '.join(self.see)}\n" if self.see else "",
            f"Bad:\n{textwrap.indent(self.bad, '    ')}\n" if self.bad else "",
            f"Good:\n{textwrap.indent(self.good, '    ')}\n" if self.good else "",
        ]
        return "\n".join(part for part in parts if part)

    # -- asking

    def __call__(self, subject: Resource | App) -> Iterator[Finding]:
        if isinstance(subject, Resource):
            yield from self._about(subject, {})
        elif subject.application is not None:
            app = subject.application.resource.node.value
            for resource in subject.resources:
                yield from self._about(resource, {APP: app})

    def _about(self, resource: Resource, others: Mapping[str, Any]) -> Iterator[Finding]:
        from ...dialects.cel import Verdict

        if not self.concerns(resource):
            return
        answer = self.ask(resource, others)
        if answer.verdict is Verdict.YES:
            return
        at = self._place(resource)
        if answer.verdict is Verdict.UNKNOWN:
            yield Finding(
                at,
                headline=f"nobody can tell whether {resource} passes the check {self.name!r}",
                happens=f"The expression meets {answer.why}.",
                do="Write the check so that it needs no more than CEL and Kubernetes' own functions on plain values.",
                severity=Severity.NOTE,
                confidence=Confidence.LOW,
            )
            return
        ended = f"The expression ends with an error: {answer.why}." if answer.verdict is Verdict.ERROR else ""
        yield Finding(
            at,
            headline=f"{resource}: {self.message}",
            happens=f"{self.happens} {ended}".strip(),
            do=self.do,
        )

    def concerns(self, resource: Resource) -> bool:
        of_kind = not self.kinds or resource.kind in self.kinds or resource.group_kind in self.kinds
        return of_kind and (not self.namespaces or any(fnmatchcase(resource.namespace, one) for one in self.namespaces))

    def ask(self, resource: Resource, others: Mapping[str, Any]) -> Answer:
        return self.program.ask({OBJECT: resource.node.value, **others})

    def _place(self, resource: Resource) -> Node:
        """What the expression speaks of first, as far as it is there; else the kind."""
        node = resource.node
        for field_name in self.program.first_path(OBJECT):
            if node[field_name].absent:
                break
            node = node[field_name]
        return resource["kind"] if node is resource.node else node


def _problem(check: OwnCheck) -> str:
    """What is wrong with the expression, before anybody is asked about it."""
    from ...dialects.cel import FUNCTION_NAMES, BadExpression, NotJudged

    try:
        program = check.program
    except (BadExpression, NotJudged) as error:
        return str(error)
    if program.unknown:
        name, with_arguments = program.unknown[0]
        meant = "" if with_arguments else did_you_mean(name, FUNCTION_NAMES)
        return f"there is no function {name}(){with_arguments}{meant}"
    strangers = sorted(program.names - {OBJECT, APP})
    if strangers:
        return f"{strangers[0]!r} is not known; there are `object` and `app`{did_you_mean(strangers[0], (OBJECT, APP))}"
    return "" if OBJECT in program.names or APP in program.names else "it asks nothing about `object` or `app`"


# -- their own tests


def failures(check: OwnCheck) -> Iterator[str]:
    """What its examples show to be wrong. An Application among them is the `app` of the others."""
    from ...dialects.cel import Verdict

    if not check.bad or not check.good:
        yield f"has no {'bad' if not check.bad else 'good'} example: nothing shows that it works"
    for text, word, wanted in ((check.bad, "bad", False), (check.good, "good", True)):
        resources, problem = _objects(text, word)
        if problem:
            yield problem
        app = next((one for one in resources if one.kind == "Application"), None) if check.asks_for_app else None
        asked = [one for one in resources if one is not app and check.concerns(one)]
        if text and not problem and not asked:
            yield f"is not asked about any object of its {word} example: kinds and namespaces do not fit"
        for resource in asked:
            answer = check.ask(resource, {} if app is None else {APP: app.node.value})
            if (answer.verdict is Verdict.YES) is not wanted or answer.verdict is Verdict.UNKNOWN:
                why = f" ({answer.why})" if answer.why else ""
                yield f"says {answer.verdict.value}{why} to {resource} of its {word} example"


def _objects(text: str, word: str) -> tuple[list[Resource], str]:
    file = SourceFile(f"{word}.yaml", text)
    if file.problems:
        return [], f"has a {word} example that is no YAML: {file.problems[0].message}"
    roots = [document.root for document in file.documents]
    found = [
        Resource(root, root["apiVersion"].text, root["kind"].text)
        for root in roots
        if root["apiVersion"].text and root["kind"].text
    ]
    return found, ""
