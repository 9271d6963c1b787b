"""The part of Mermaid's language that our charts use."""

import re

LABEL = re.compile(r'"[^"]*"')


def check_chart(chart: str) -> set[str]:
    """The grammar that the charts use; returns the ids of the nodes."""
    lines = [line.strip() for line in chart.splitlines()]
    assert lines[0] == "flowchart TB"
    nodes: set[str] = set()
    used: set[str] = set()
    depth = 0
    for line in lines[1:]:
        bare = LABEL.sub('""', line)
        if match := re.fullmatch(r'subgraph (\w+)\[""\]', bare):
            nodes.add(match[1])
            depth += 1
        elif bare == "end":
            depth -= 1
            assert depth >= 0
        elif match := re.fullmatch(r'(\w+)\[""\](?::::\w+)?', bare):
            assert match[1] not in nodes
            nodes.add(match[1])
        elif match := re.fullmatch(r'(\w+) (?:-->\|""\||-\. "" \.->|~~~) (\w+)', bare):
            used |= {match[1], match[2]}
        else:
            assert re.fullmatch(r"direction TB|classDef [\w# .:;,-]+", bare), line
        for label in LABEL.findall(line):
            assert re.fullmatch(r"(?:[\w .,:/()*=+'-]|#\d+;|<br/>)*", label[1:-1]), label
    assert depth == 0
    assert used <= nodes
    return nodes
