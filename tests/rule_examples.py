"""The examples of the manuals, as files."""

import re
from pathlib import Path

from gitops_lint.linter.lint.manual import unmarked
from gitops_lint.linter.lint.rule import Rule, Scope
from gitops_lint.rules import load

# What no text can show (a file without permission, say) has a test file of its own name instead.
OWN_TESTS = {path.stem.removeprefix("test_").replace("_", "-") for path in Path(__file__).parent.glob("*/test_*.py")}
FILE_NAME = re.compile(
    r"^(?:---\n)?(?=# ((?:(?:before|both): )?(?:[\w.-]+/)*(?:[\w.-]+\.(?:ya?ml|json|lock|tpl|txt)|Kustomization))$)",
    re.MULTILINE,
)
"""In an example of several files, or of one whose name matters: a comment at the head of each names it.

For a rule about a change `# before: NAME` is the file as it was, `# both: NAME` one that stays the same.
"""
RULES = [
    rule
    for rule in load()
    if rule.scope in (Scope.RESOURCE, Scope.APP, Scope.REPO, Scope.CHANGE)
    and (rule.manual.bad or rule.name not in OWN_TESTS)
]


def files_of(example: str) -> dict[str, str]:
    """The files of an example; of one about a change, those after it."""
    head, *parts = FILE_NAME.split(example)
    named = [(name.rpartition(": "), text) for name, text in zip(parts[::2], parts[1::2], strict=True)]
    files = {name: text.replace(f"# {word}: ", "# ", 1) for (word, _, name), text in named if word != "before"}
    return files or {"manifest.yaml": head}


def before_of(rule: Rule, example: str) -> dict[str, str] | None:
    """The other revision; None for a rule that is not about a change."""
    if rule.scope is not Scope.CHANGE:
        return None
    _, *parts = FILE_NAME.split(unmarked(example))
    named = [(name.rpartition(": "), text) for name, text in zip(parts[::2], parts[1::2], strict=True)]
    return {name: text.replace(f"# {word}: ", "# ", 1) for (word, _, name), text in named if word}
