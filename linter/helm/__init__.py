"""Helm: charts and their templates as they stand, and what Helm printed led back to them."""
