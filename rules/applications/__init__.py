"""Rules about Applications and the options of a sync."""
