"""Small repositories on Markdown pages, each with what the real Kustomize makes of it.

A heading says what Kustomize does. A fenced block is a file, with its path
after the language; without one it is the kustomization of the overlay. Blocks
before the first heading belong to every case of the page. The words `crlf` and
`bom` before the path say how the file is written. A block `yaml expected` is
the recorded output of the real tool. Instead of it, a line may end in
`# <- refused`, perhaps with a cause, or in `# <- not built`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

PAGES = Path(__file__).parent / "kustomize_cases"
OVERLAY = "overlay/kustomization.yaml"
FENCE = re.compile(r"^```(?P<language>\w+)(?P<words>(?: \S+)*)\n(?P<body>.*?)^```$\n?", re.M | re.S)
EXPECTED = re.compile(r"\n*^```yaml expected\n.*?^```$\n?", re.M | re.S)
MARK = re.compile(r"[ \t]*# <- (?P<what>refused|not built)(?:: (?P<cause>[A-Z_]+))?[ \t]*$", re.M)


class Mark(NamedTuple):
    path: str
    line: int
    what: str
    """`refused` or `not built`."""
    cause: str


@dataclass
class Case:
    page: str
    title: str
    files: dict[str, bytes] = field(default_factory=dict)
    marks: list[Mark] = field(default_factory=list)
    expected: str | None = None

    def __str__(self) -> str:
        return f"{self.page}: {self.title}"

    @property
    def folder(self) -> str:
        """What is built."""
        return "overlay" if any(path.startswith("overlay/") for path in self.files) else "."

    def write(self, root: Path) -> None:
        for path, content in self.files.items():
            file = root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)


def cases() -> list[Case]:
    return [case for page in sorted(PAGES.glob("*.md")) for case in cases_of(page)]


def cases_of(page: Path) -> list[Case]:
    shared, *sections = re.split(r"^## ", page.read_text("utf-8"), flags=re.M)
    found = []
    for section in sections:
        case = Case(page.stem, section.partition("\n")[0].strip())
        _read_blocks(shared, case)
        _read_blocks(section, case)
        found.append(case)
    return found


def _read_blocks(text: str, case: Case) -> None:
    for fence in FENCE.finditer(text):
        *words, path = fence["words"].split() or [OVERLAY]
        if path == "expected":
            case.expected = fence["body"]
            continue
        if path in ("crlf", "bom"):
            words, path = [path], OVERLAY
        path, body = path.removeprefix("./"), fence["body"]
        for number, line in enumerate(body.split("\n"), 1):
            if mark := MARK.search(line):
                case.marks.append(Mark(path, number, mark["what"], mark["cause"] or ""))
        content = MARK.sub("", body).replace("\n", "\r\n" if "crlf" in words else "\n").encode()
        case.files[path] = b"\xef\xbb\xbf" * ("bom" in words) + content


def record(case: Case, printed: str, pages: Path = PAGES) -> None:
    """Write what the real tool prints into the page."""
    page = pages / f"{case.page}.md"
    shared, *sections = re.split(r"^(?=## )", page.read_text("utf-8"), flags=re.M)
    for index, section in enumerate(sections):
        if section.partition("\n")[0][3:].strip() == case.title:
            kept = EXPECTED.sub("\n", section).rstrip("\n")
            sections[index] = f"{kept}\n\n```yaml expected\n{printed}```\n\n"
    page.write_text((shared + "".join(sections)).rstrip("\n") + "\n", "utf-8")
