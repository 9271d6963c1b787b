"""Sprig's and Argo CD's functions on anything: defaults, types, encodings, paths."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
import zlib
from collections.abc import Callable
from typing import Final

from . import go_paths
from .encodings import read_json, read_yaml, to_json, to_yaml
from .function_types import Function, Type
from .go_values import Value, from_json, kind_name, type_name
from .safe_names import normalized, slugified
from .template_errors import CannotEvaluate, TemplateError

_ANY: Final = Type.ANY
_S: Final = Type.STRING


# -- defaults


def _default(default: Value, *given: Value) -> Value:
    return given[0] if given and given[0] else default


def _fail(message: str) -> Value:
    raise TemplateError(message)


def _or_nothing(read: Callable[[str], Value]) -> Callable[[str], Value]:
    def attempt(text: str) -> Value:
        try:
            return read(text)
        except TemplateError:
            return None

    return attempt


def _from_yaml(text: str) -> Value:
    value = from_json(read_yaml(text))
    if value is not None and not isinstance(value, dict):
        raise TemplateError("error unmarshaling JSON: cannot unmarshal into Go value of type map[string]interface {}")
    return value or {}


def _from_yaml_array(text: str) -> Value:
    value = from_json(read_yaml(text))
    if value is not None and not isinstance(value, list):
        raise TemplateError("error unmarshaling JSON: cannot unmarshal into Go value of type []interface {}")
    return value or []


# -- encodings


def _b64dec(text: str) -> str:
    try:
        return base64.b64decode(re.sub(r"[\r\n]", "", text), validate=True).decode()
    except (binascii.Error, ValueError):
        raise CannotEvaluate("base64 that is none, or no text") from None


def _b32dec(text: str) -> str:
    try:
        return base64.b32decode(text).decode()
    except (binascii.Error, ValueError):
        raise CannotEvaluate("base32 that is none, or no text") from None


def _digest(name: str) -> Callable[[str], Value]:
    return lambda text: hashlib.new(name, text.encode()).hexdigest()


_DEFAULTS: Final = {
    "default": Function(_default, (_ANY,), _ANY),
    "empty": Function(lambda value: not value, (_ANY,)),
    "coalesce": Function(lambda *values: next((value for value in values if value), None), (), _ANY),
    "all": Function(lambda *values: all(values), (), _ANY),
    "any": Function(lambda *values: any(values), (), _ANY),
    "ternary": Function(lambda yes, no, test: yes if test else no, (_ANY, _ANY, Type.BOOL)),
    "fail": Function(_fail, (_S,)),
    "typeOf": Function(type_name, (_ANY,)),
    "typeIs": Function(lambda name, value: type_name(value) == name, (_S, _ANY)),
    "typeIsLike": Function(lambda name, value: type_name(value) in (name, f"*{name}"), (_S, _ANY)),
    "kindOf": Function(kind_name, (_ANY,)),
    "kindIs": Function(lambda name, value: kind_name(value) == name, (_S, _ANY)),
}
_ENCODINGS: Final = {
    "fromJson": Function(_or_nothing(read_json), (_S,)),
    "mustFromJson": Function(read_json, (_S,)),
    "toYaml": Function(to_yaml, (_ANY,)),
    "fromYaml": Function(_from_yaml, (_S,)),
    "fromYamlArray": Function(_from_yaml_array, (_S,)),
    "b64enc": Function(lambda text: base64.b64encode(text.encode()).decode(), (_S,)),
    "b64dec": Function(_b64dec, (_S,)),
    "b32enc": Function(lambda text: base64.b32encode(text.encode()).decode(), (_S,)),
    "b32dec": Function(_b32dec, (_S,)),
    "sha1sum": Function(_digest("sha1"), (_S,)),
    "sha256sum": Function(_digest("sha256"), (_S,)),
    "sha512sum": Function(_digest("sha512"), (_S,)),
    "adler32sum": Function(lambda text: str(zlib.adler32(text.encode())), (_S,)),
}
_JSON: Final = {
    "Json": Function(to_json, (_ANY,)),
    "PrettyJson": Function(lambda value: to_json(value, indent=2), (_ANY,)),
    "RawJson": Function(lambda value: to_json(value, escape_html=False), (_ANY,)),
}
_PATHS: Final = {
    "base": Function(go_paths.base, (_S,)),
    "dir": Function(go_paths.parent, (_S,)),
    "clean": Function(go_paths.clean, (_S,)),
    "ext": Function(go_paths.extension, (_S,)),
    "isAbs": Function(lambda path: path.startswith("/"), (_S,)),
}
_ARGO: Final = {
    "normalize": Function(normalized, (_S,)),
    "slugify": Function(slugified, (), _ANY),
}

FUNCTIONS: Final = {
    **_DEFAULTS,
    **_ENCODINGS,
    **{f"to{name}": function for name, function in _JSON.items()},
    **{f"mustTo{name}": function for name, function in _JSON.items()},
    **_PATHS,
    **{f"os{name[0].upper()}{name[1:]}": function for name, function in _PATHS.items()},
    **_ARGO,
}
