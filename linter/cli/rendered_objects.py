"""Rendered objects as YAML or JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ..report.escape import json_text, needs_quotes, terminal, yaml_text
from ..yaml.scalars import resolve

if TYPE_CHECKING:
    from .render_command import Rendered


def as_json(objects: Iterable[Rendered]) -> str:
    listed = [{"object": one.value, "app": one.app, "origin": {"path": one.path, "line": one.line}} for one in objects]
    return json_text(json.dumps(listed, indent=2)) + "\n"


def as_yaml(objects: Iterable[Rendered]) -> str:
    """One document an object; where it comes from stands above it as a comment."""
    import yaml

    class Dumper(getattr(yaml, "CSafeDumper", yaml.SafeDumper)):  # type: ignore[misc]
        def ignore_aliases(self, data: Any) -> bool:
            return True

    def text(dumper: Any, content: str) -> Any:
        # Quoted whenever Kubernetes would read it as something else: PyYAML has another table of types.
        style = "|" if "\n" in content else None if content and resolve(content) is content else '"'
        style = '"' if needs_quotes(content) else style
        return dumper.represent_scalar("tag:yaml.org,2002:str", content, style=style)

    Dumper.add_representer(str, text)
    parts = []
    for one in objects:
        body = yaml.dump(one.value, Dumper=Dumper, sort_keys=True, allow_unicode=True, width=2**20)
        # A name may hold anything; a comment ends at the end of its line.
        parts.append(f"# {terminal(one.app)}: {terminal(one.path)}:{one.line}\n{yaml_text(body)}")
    return "---\n".join(parts)
