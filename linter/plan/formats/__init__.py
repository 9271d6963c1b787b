"""One module a format of the plan, and of the plan of a change."""
