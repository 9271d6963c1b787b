"""How mergo merges maps: in template functions, in generators and in their templates."""

from __future__ import annotations

from .go_values import Value


def merge_into(target: dict[str, Value], source: dict[str, Value], overwrite: bool) -> None:
    """Fill what the target lacks or has empty; when overwriting, the source wins wherever it has the key."""
    for key, value in source.items():
        current = target.get(key)
        if isinstance(value, dict) and isinstance(current, dict):
            if value is not current:
                merge_into(current, value, overwrite)
        elif overwrite or (not current and value is not None):
            target[key] = value


def copied(value: Value) -> Value:
    """A copy that keeps the Go type of each map and list."""
    if isinstance(value, dict):
        return type(value)((key, copied(item)) for key, item in value.items())
    if isinstance(value, list):
        return type(value)(copied(item) for item in value)
    return value
