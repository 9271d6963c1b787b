"""What the annotations of an object tell Argo CD: hooks, waves, options."""
