"""What users set: read from a file, judged by schemas/config.schema.json, one frozen value."""

from .config_file import ConfigError
from .run_options import Config, IgnoreEntry, Loaded, load, with_pairs

__all__ = ["Config", "ConfigError", "IgnoreEntry", "Loaded", "load", "with_pairs"]
