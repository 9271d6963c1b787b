"""Helm: templates read as far as they can be, and what Helm printed led back to them."""
