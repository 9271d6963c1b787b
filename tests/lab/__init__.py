"""A real Argo CD on a real API server, in processes of this machine: what rules claim is seen there."""
