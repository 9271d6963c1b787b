"""Rules about this tool: what keeps it from telling the truth."""
