"""Rules about hooks: what runs before, during and after a sync, and how it ends."""
