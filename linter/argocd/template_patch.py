"""spec.templatePatch: the strategic merge that Argo CD applies to each rendered Application."""

from __future__ import annotations

from typing import Final

from ..dialects.go_template.encodings import read_json, read_yaml
from ..dialects.go_template.go_values import Value, size_of
from ..dialects.go_template.mergo import copied
from ..dialects.go_template.template_errors import CannotEvaluate, TemplateError
from ..yaml.json_pointer import escaped

_MERGED_LISTS: Final = ("/metadata/finalizers",)
"""Everywhere else a list of the patch takes the place of the one that was there."""
_UNTYPED: Final = "valuesObject"
"""What is in it has no type, and strategic merge cannot look into it."""


def apply_patch(application: dict[str, Value], text: str) -> tuple[dict[str, Value], frozenset[str]]:
    """The patched Application, and the pointers that the patch set."""
    patch = read_json(text) if text.lstrip().startswith("{") else read_yaml(text)
    size_of(patch)
    if patch is None:
        return application, frozenset()
    if not isinstance(patch, dict):
        raise TemplateError("invalid templatePatch: it is no map")
    result = copied(application)
    changed: set[str] = set()
    if isinstance(result, dict):
        _merge(result, patch, "", changed)
        _keep_project(result, application)
        return result, frozenset(changed)
    return application, frozenset()


def _keep_project(result: dict[str, Value], application: dict[str, Value]) -> None:
    """A patch cannot move an Application to another project."""
    after, before = result.get("spec"), application.get("spec")
    if isinstance(after, dict) and isinstance(before, dict):
        after.pop("project", None)
        if "project" in before:
            after["project"] = before["project"]


def _merge(target: dict[str, Value], patch: dict[str, Value], pointer: str, changed: set[str]) -> None:
    for key, value in patch.items():
        if key.startswith("$"):
            raise CannotEvaluate(f"the directive {key} in templatePatch")
        place = f"{pointer}/{escaped(key)}"
        current = target.get(key)
        if isinstance(value, dict) and isinstance(current, dict):
            if pointer.endswith(f"/{_UNTYPED}"):
                raise TemplateError(f'unable to find api field in struct RawExtension for the json field "{key}"')
            _merge(current, value, place, changed)
            continue
        changed.add(place)
        if value is None:
            target.pop(key, None)
        elif isinstance(value, list) and isinstance(current, list) and place in _MERGED_LISTS:
            target[key] = [*current, *(item for item in value if item not in current)]
        else:
            target[key] = without_nulls(value)


def without_nulls(value: Value) -> Value:
    if isinstance(value, dict):
        return {key: without_nulls(item) for key, item in value.items() if item is not None}
    if isinstance(value, list):
        return [without_nulls(item) for item in value]
    return value
