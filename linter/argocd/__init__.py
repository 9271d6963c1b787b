"""Argo CD's own rules, one file a concept."""
