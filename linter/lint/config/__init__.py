"""What users set: read from a file, judged by schemas/config.schema.json, one frozen value."""

from .config_file import ConfigError
from .loaded_options import Loaded, load, with_pairs
from .run_options import Config, IgnoreEntry

__all__ = ["Config", "ConfigError", "IgnoreEntry", "Loaded", "load", "with_pairs"]
