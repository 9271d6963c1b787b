"""What users set: read from a file, judged by schemas/config.schema.json, one frozen value."""

from .file import ConfigError, repository_root
from .options import Config, IgnoreEntry, Loaded, load

__all__ = ["Config", "ConfigError", "IgnoreEntry", "Loaded", "load", "repository_root"]
