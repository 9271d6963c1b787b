"""The engine: from files to findings, one way."""

VERSION = "0.1.0"
"""As in pyproject.toml; a test compares them. Asking the installed package costs a tenth of a small run."""
