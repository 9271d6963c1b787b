"""Rules about waves: what is applied before what, and what waits for what."""
