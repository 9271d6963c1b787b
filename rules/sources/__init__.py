"""Rules about sources: what an Application reads from git."""
