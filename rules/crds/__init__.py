"""Rules about custom resources and their definitions."""
