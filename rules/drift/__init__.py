"""Rules about drift: what Argo CD shows as OutOfSync for ever."""
