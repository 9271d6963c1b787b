"""The engine: from files to findings, one way."""
