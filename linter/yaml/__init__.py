"""Text → nodes with places, read as Kubernetes reads it; values, keys, pointers, and what may be taken out."""
