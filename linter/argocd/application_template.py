"""From a set's template and one set of parameters to an Application."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

from ..dialects.go_template.go_values import Value
from ..dialects.go_template.mergo import copied
from ..dialects.go_template.template_errors import CannotEvaluate, TemplateError, WrongMap
from ..yaml.json_pointer import escaped
from .application_places import PATCH, Map, Sources, as_map, at
from .generators.generator_context import Parameters, Renderer
from .template_patch import apply_patch

FINALIZER: Final = "resources-finalizer.argocd.argoproj.io"
_METADATA: Final = ("name", "namespace", "labels", "annotations", "finalizers")


class TemplateFailed(Exception):
    """A template of the set fails, at this place of it."""

    def __init__(self, message: str, pointer: str, always: bool = False) -> None:
        super().__init__(message)
        self.pointer = pointer
        self.always = always
        """Whatever the parameters are."""


class NotEvaluated(TemplateFailed):
    """What a template gives cannot be known."""


@dataclass(frozen=True, eq=False)
class ApplicationTemplate:
    """What all Applications of one generator have in common."""

    spec: Map
    """Of the ApplicationSet."""
    namespace: Value
    sources: Sources
    renderer: Renderer
    is_open: bool = False
    """What cannot be known stays as it is written."""

    @cached_property
    def written(self) -> Map:
        """The generator's own template, filled up from the set's."""
        template = _filled(self.sources.own, self.sources.base)
        metadata = {key: value for key, value in as_map(template.get("metadata")).items() if key in _METADATA}
        return {"metadata": metadata, "spec": template.get("spec") or {}}

    def application(self, parameters: Parameters) -> tuple[Map, frozenset[str]]:
        """The Application, and the pointers in it that the patch has set. Without parameters nothing is filled in."""
        is_filled = bool(parameters) or self.is_open
        written = as_map(self._rendered(self.written, parameters, "") if is_filled else copied(self.written))
        value: Map = {"apiVersion": "argoproj.io/v1alpha1", "kind": "Application", **written}
        keeps_resources = at(self.spec, "syncPolicy", "preserveResourcesOnDeletion") is True
        if is_filled and not keeps_resources and not at(value, "metadata", "finalizers"):
            as_map(value["metadata"])["finalizers"] = [FINALIZER]
        patched: frozenset[str] = frozenset()
        patch = self.spec.get("templatePatch")
        if isinstance(patch, str):
            with _At(PATCH):
                value, patched = apply_patch(value, self.renderer.text(patch, parameters))
        metadata = as_map(value.get("metadata"))
        metadata.pop("namespace", None)
        if self.namespace:
            metadata["namespace"] = self.namespace
        return value, patched

    def _rendered(self, value: Value, parameters: Parameters, pointer: str) -> Value:
        if isinstance(value, str):
            return self._text(value, parameters, pointer)
        if isinstance(value, list):
            return [self._rendered(item, parameters, f"{pointer}/{index}") for index, item in enumerate(value)]
        if isinstance(value, dict):
            found: Map = {}
            for key, item in value.items():
                place = f"{pointer}/{escaped(key)}"
                if item is not None:
                    found[self._key(key, parameters, place)] = self._rendered(item, parameters, place)
            return found
        return value

    def _key(self, key: str, parameters: Parameters, pointer: str) -> str:
        if "{{" not in key:
            return key
        return self._text(key, parameters, pointer)

    def _text(self, text: str, parameters: Parameters, pointer: str) -> str:
        try:
            with _At(self.sources.find(pointer)):
                return self.renderer.text(text, parameters)
        except NotEvaluated:
            if self.is_open:
                return text
            raise


class _At:
    """Adds the place to what goes wrong with a template."""

    def __init__(self, pointer: str) -> None:
        self.pointer = pointer

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, TemplateError):
            raise TemplateFailed(str(error), self.pointer, isinstance(error, WrongMap)) from None
        if isinstance(error, CannotEvaluate):
            raise NotEvaluated(str(error), self.pointer) from None


def _filled(own: Map, base: Map) -> Map:
    """What is empty counts as missing, so that a false in the generator's template gives way to a true in the set's."""
    result: Map = {key: copied(value) for key, value in own.items()}
    for key, value in base.items():
        current = result.get(key)
        if isinstance(current, dict) and isinstance(value, dict) and key != "valuesObject":
            result[key] = _filled(current, value)
        elif not current:
            result[key] = copied(value)
    return result
