"""Rules about pruning: what a sync deletes."""
