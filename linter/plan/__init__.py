"""What `gitops-lint plan` shows: the syncs as they will be, or what a change makes of them."""
