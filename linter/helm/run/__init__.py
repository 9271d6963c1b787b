"""The real Helm: which one, what it gets, what it says, what is kept of it."""
