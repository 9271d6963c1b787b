"""Rules about what belongs to the cluster and was exported into git."""
