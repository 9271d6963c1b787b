"""The formats of reports, by what people call them: the one list. Each names the module of `report/` that writes it.

The command line and the schema of the configuration follow it. It imports
nothing: a start pays for no format that it does not write.
"""

from __future__ import annotations

from typing import Final

FINDINGS: Final = {
    "full": "full",
    "concise": "concise",
    "json": "findings_json",
    "sarif": "sarif",
    "github": "github",
    "markdown": "markdown",
    "grouped": "grouped",
    "gitlab": "gitlab",
    "junit": "junit",
    "rdjson": "rdjson",
    "azure": "azure",
}
PAGE: Final = "html"
"""What `plan` writes and `check`, too: it shows both, so it is made in the room of the plan."""
PLAN: Final = {"text": "plan_text", "json": "plan_json", "mermaid": "plan_mermaid", "html": "plan_html"}
CHANGED_PLAN: Final = {
    "text": "change_text",
    "json": "change_json",
    "mermaid": "change_mermaid",
    "html": "change_html",
    "markdown": "change_markdown",
}
