"""The config in words: what a run uses and why, and a file to begin with."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import yaml

from ...facts.tables import table
from .run_options import Config, IgnoreEntry, PathGrades

SCHEMA = "https://raw.githubusercontent.com/gitops-lint/gitops-lint/main/schemas/config.schema.json"
_HEAD = f"""\
# yaml-language-server: $schema={SCHEMA}
# Options of gitops-lint. A block like "#select: [ALL]" is an option with an example for its
# value: take the # away, also in the lines that belong to it, and it counts.
"""


def show_settings(config: Config) -> str:
    """Every option with its value and where that came from, as a config file would say it."""
    lines = []
    for option, value in values(config).items():
        if value in (None, [], {}):
            lines.append(f"# {option}: not set")
            continue
        first, *rest = _yaml({option: value})
        lines += [f"{first}  # {config.origins.get(option, 'default')}", *rest]
    return "\n".join(lines) + "\n"


_PROPOSED = "What this repository asks for is below; fill in what it does not tell, and take the # away."


def init_text(
    known: Mapping[str, Any] = MappingProxyType({}), proposed: Mapping[str, Any] = MappingProxyType({})
) -> str:
    """A config file that says what there is to say, all of it commented out but for what is known.

    What is proposed is an example that fits the repository.
    """
    blocks = [_HEAD]
    for option, schema in table("config.schema.json")["properties"].items():
        is_proposed = option in proposed and option not in known
        prose = textwrap.wrap(f"{_prose(schema)} {_PROPOSED}" if is_proposed else _prose(schema), width=98)
        example = _yaml({option: {**proposed, **known}.get(option, schema["examples"][0])})
        mark = "" if option in known else "#"
        blocks.append("\n".join([f"# {line}" for line in prose] + [f"{mark}{line}" for line in example]) + "\n")
    return "\n".join(blocks)


def _prose(schema: Mapping[str, Any]) -> str:
    words = schema["description"]
    if "enum" in schema:
        words += f" One of {', '.join(schema['enum'])}; by default {schema['default']}."
    return str(words)


def _yaml(value: Mapping[str, Any]) -> list[str]:
    """Our own values as YAML; control characters come out escaped."""
    scalar = all(isinstance(item, str | bool) for item in value.values())
    text: str = yaml.safe_dump(value, default_flow_style=False if scalar else None, sort_keys=False, width=10_000)
    return text.splitlines()


def values(config: Config) -> dict[str, Any]:
    """Option → value in the words of the file."""
    return {
        "select": None if config.select is None else list(config.select),
        "extend-select": list(config.extend_select),
        "ignore": list(config.ignore),
        "severity": {word: str(severity) for word, severity in config.severity.items()},
        "moments": {str(moment): str(severity) for moment, severity in config.moments.items()},
        "fail-on": config.fail_on,
        "exclude": list(config.exclude),
        "per-file-ignores": {pattern: list(words) for pattern, words in config.per_file_ignores.items()},
        "ignores": [_entry(entry) for entry in config.ignores],
        "per-path": [_grades(one) for one in config.per_path],
        "checks": [check.entry for check in config.checks],
        "options": {name: dict(chosen) for name, chosen in config.options.items()},
        "data-kinds": dict(config.data_kinds),
        "required": list(config.required),
        "required-reason": config.required_reason,
        "argocd-version": None if config.argocd_version is None else str(config.argocd_version),
        "kubernetes-version": None if config.kubernetes_version is None else str(config.kubernetes_version),
        "repo-urls": list(config.repo_urls),
        "repos": {url: path.as_posix() for url, path in config.repos.items()},
        "fetch": {"hosts": list(config.fetch_hosts)} if config.fetch_hosts else {},
        "applicationset-parameters": dict(config.applicationset_parameters),
        "clusters": [one.entry for one in config.clusters],
        "roots": [one.entry for one in config.roots],
        "plugins": dict(config.plugins),
        "schema-dir": None if config.schema_dir is None else config.schema_dir.as_posix(),
        "baseline": None if config.baseline is None else config.baseline.as_posix(),
        "output-format": config.output_format,
    }


def _grades(one: PathGrades) -> dict[str, Any]:
    severity = {word: str(severity) for word, severity in one.severity.items()}
    moments = {str(moment): str(severity) for moment, severity in one.moments.items()}
    return {
        "path": one.path,
        **({"severity": severity} if severity else {}),
        **({"moments": moments} if moments else {}),
    }


def _entry(entry: IgnoreEntry) -> dict[str, Any]:
    words = {"path": entry.path, "kind": entry.kind, "namespace": entry.namespace, "name": entry.name}
    words |= {"reason": entry.reason, "until": entry.until.isoformat() if entry.until else ""}
    return {"rules": list(entry.rules), **{key: word for key, word in words.items() if word}}
