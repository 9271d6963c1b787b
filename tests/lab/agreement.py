"""How much of what was predicted came so: questions, topic by topic, and a table of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

TOPICS = ("generated", "order", "failures", "OutOfSync")


@dataclass
class Compared:
    """One Application: what agrees, and each thing that does not."""

    name: str
    objects: int = 0
    asked: dict[str, int] = field(default_factory=lambda: dict.fromkeys(TOPICS, 0))
    agreed: dict[str, int] = field(default_factory=lambda: dict.fromkeys(TOPICS, 0))
    differences: list[str] = field(default_factory=list)
    remark: str = ""

    def ask(self, topic: str, what: str, same: bool) -> None:
        self.asked[topic] += 1
        if same:
            self.agreed[topic] += 1
        else:
            self.differences.append(f"{topic}: {what}")


def table(results: Mapping[str, list[Compared]]) -> str:
    lines = [f"| repository | Applications | objects | {' | '.join(TOPICS)} |", f"|---|---|---|{'---|' * len(TOPICS)}"]
    for name, compared in results.items():
        cells = [
            f"{sum(one.agreed[topic] for one in compared)} of {sum(one.asked[topic] for one in compared)}"
            for topic in TOPICS
        ]
        lines.append(f"| {name} | {len(compared)} | {sum(one.objects for one in compared)} | {' | '.join(cells)} |")
    return "\n".join(lines)
