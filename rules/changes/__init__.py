"""Rules about a change: what merging it does to what is deployed."""
