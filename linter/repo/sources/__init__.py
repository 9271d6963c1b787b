"""A source of an Application → its objects: a directory, a kustomization, a chart."""
