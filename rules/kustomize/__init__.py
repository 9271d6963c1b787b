"""Rules about kustomizations: what Kustomize refuses, and what it does without a word."""
