"""A rule held against its own pages: the cases of `tests/cases/`, one Markdown page a rule.

A heading is a repository, a fenced block a file, `# <- here` a finding, no
mark means silence. `# <- here: note` says how it is reported, `# <- here: error at
install` how bad it is and when it bites. A block `yaml fixed` is the file after the
fixes, a block `says` what the findings say, word for word; `make golden` writes it.
The heading `## As the manual has it` stands for the files of the rule's `Bad:` example.

For rules about a change a block `yaml before` is the file as it was, one of
`yaml both` is the same in both revisions, and any other as it is after the
change: new, if it has no block of before.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from gitops_lint.linter.lint.grading import grade, moment_of
from gitops_lint.linter.lint.manual import marks, unmarked
from gitops_lint.linter.lint.result import Reported
from gitops_lint.linter.lint.rule import Confidence, Moment, Rule, Scope, Severity
from rule_examples import RULES, before_of, files_of
from support import CONFIG, rule_named, run_rules

PAGES = Path(__file__).parent / "cases"
FENCE = re.compile(
    r"^```(?:(?:yaml|json|text)(?: (?P<word>fixed|before|both)(?= |$))?(?: (?P<path>\S+))?|(?P<says>says))\n(?P<body>.*?)^```$",
    re.M | re.S,
)
HEADING = re.compile(r"^## ", re.M)
MANUAL = "As the manual has it"


@dataclass
class Case:
    rule: str
    title: str
    files: dict[str, str] = field(default_factory=dict)
    fixed: dict[str, str] = field(default_factory=dict)
    before: dict[str, str] | None = None
    """The other revision, if the case is about a change."""
    says: str = ""

    def add(self, word: str | None, path: str, body: str) -> None:
        if word in ("before", "both"):
            self.before = self.before or {}
            self.before[path] = body if path == CONFIG else unmarked(body)
        if word != "before":
            blocks = self.fixed if word == "fixed" else self.files
            blocks[path] = body

    def texts(self) -> dict[str, str]:
        return {path: body if path == CONFIG else unmarked(body) for path, body in self.files.items()}

    def found(self, rule: Rule) -> list[Reported]:
        return run_rules(self.texts(), [rule], self.before)

    def __str__(self) -> str:
        return f"{self.rule}: {self.title}"


def read_case(rule: str, section: str) -> Case:
    case = Case(rule, section.partition("\n")[0].strip())
    for fence in FENCE.finditer(section):
        if fence["says"]:
            case.says = fence["body"]
        else:
            case.add(fence["word"], fence["path"] or "manifest.yaml", fence["body"])
    known = rule_named(rule)
    if case.title == MANUAL:
        case.files, case.before = files_of(known.manual.bad), before_of(known, known.manual.bad)
    elif case.before is None and known.scope is Scope.CHANGE:
        case.before = {}
    return case


@cache
def cases() -> list[Case]:
    return [
        read_case(page.stem.replace("_", "-"), section)
        for page in sorted(PAGES.glob("*.md"))
        for section in HEADING.split(page.read_text("utf-8"))[1:]
    ]


def said(found: Iterable[Reported]) -> str:
    """What findings say, each with its place and severity, wrapped as a page is."""
    return "\n".join(_paragraph(item) for item in found)


def _paragraph(item: Reported) -> str:
    fixes = [f"{'safe fix' if fix.safe else 'fix'}: {fix.title}" for fix in item.finding.fixes]
    notes = [
        f"see {note.at.file.path}:{note.at.file.position(note.at.span.start).line}: {note.message}"
        for note in item.finding.related
    ]
    cause = item.finding.cause
    causes = [f"cause: {cause.key}", f"together: {cause.together}"] if cause else []
    lines = [line for text in (item.finding.message, *notes, *fixes, *causes) for line in _wrapped(text)]
    sure = "" if item.finding.confidence is Confidence.HIGH else f", {item.finding.confidence} confidence"
    return "\n".join([f"{item.file.path}:{item.start.line} {item.severity}, {ungraded(item)}{sure}", *lines, ""])


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(
        text,
        110,
        initial_indent="  ",
        subsequent_indent="    ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def with_says(section: str, says: str) -> str:
    """A section of a page with what its findings say now, behind its files."""
    bare = re.sub(r"^```says\n.*?^```\n\n?", "", section, flags=re.M | re.S).rstrip("\n")
    block = f"\n\n```says\n{says}```" if says else ""
    return f"{bare}{block}\n\n"


def update(page: Path) -> None:
    rule = page.stem.replace("_", "-")
    head, *sections = HEADING.split(page.read_text("utf-8").rstrip("\n") + "\n\n")
    if rule in {one.name for one in RULES} and not any(section.startswith(f"{MANUAL}\n") for section in sections):
        sections.append(f"{MANUAL}\n")
    told = [with_says(section, said(read_case(rule, section).found(rule_named(rule)))) for section in sections]
    page.write_text((head + "".join(f"## {section}" for section in told)).rstrip("\n") + "\n", "utf-8")


def ungraded(item: Reported) -> str:
    """``error at install``: how bad it is and when, whatever severity is made of the two."""
    bad = grade(item.rule, item.finding, moments=dict.fromkeys(Moment, Severity.ERROR))
    return f"{bad} at {moment_of(item.rule, item.finding)}"


def check(case: Case, rule: Rule) -> None:
    found = case.found(rule)
    got = {(item.file.path, item.start.line): (str(item.severity), ungraded(item)) for item in found}
    assert len(got) == len(found), "two findings of one rule on one line"
    want = {(path, line): severity for path, body in case.files.items() for line, severity in marks(body).items()}
    assert set(got) == set(want), [f"{i.file.path}:{i.start.line} {i.finding.message}" for i in found]
    for place, severity in want.items():
        assert severity in (None, *got[place]), f"{place} is {' or '.join(got[place])}"
    assert said(found) == case.says, "the page says something else; read the difference after `make golden`"


def check_fixed(case: Case, rule: Rule) -> None:
    """A block `yaml fixed` is what the fixes make of the file."""
    after = _fixed(case.found(rule))
    texts = case.texts()
    for path, body in case.fixed.items():
        assert after.get(path, texts[path]) == body


def _fixed(found: Iterable[Reported]) -> dict[str, str]:
    from gitops_lint.linter.fix import fix_files

    return {fix.file.path: fix.after for fix in fix_files(list(found), unsafe=True)}
